"""The core: worlds, tasks, episodes, grading. Knows no aircraft, no Gymnasium and no network."""
