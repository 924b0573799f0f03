"""The benchmark: built-in policies, the runner and its records. Grading and metrics belong to the cockpit."""
