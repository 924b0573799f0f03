"""Playing a task by hand: a panel in the terminal, or a line interface for pipes and screen readers."""
