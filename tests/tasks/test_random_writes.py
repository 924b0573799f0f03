"""Every constraint binds: random writing violates each of them in at least 1 % of the episodes."""

from __future__ import annotations

import random

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.task import Task

WRITES = 48
FLOOR = 0.01


def violated_shares(task: Task, episodes: int, seed: int) -> dict[str, float]:
    """Return, per constraint that applies, the share of random-write episodes that violate it.

    A write is drawn as the random policy draws it: a control uniformly, then one of its values uniformly.
    """
    rng = random.Random(seed)
    program = task.program
    controls = [
        (program.slots[name], program.writers[name], program.template.domains[name].commandable())  # type: ignore[union-attr]
        for name in program.template.world.controls
    ]
    counts = dict.fromkeys(task.constraints, 0)
    for _ in range(episodes):
        state, seen = list(task.initial), 0
        for _ in range(WRITES):
            slot, write, values = rng.choice(controls)
            value = rng.choice(values)
            if state[slot] != value:
                seen |= write(state, value)
        for index in counts:
            counts[index] += seen >> index & 1
    return {task.constraint(index).id: count / episodes for index, count in counts.items()}


@pytest.mark.parametrize("task_id", library.task_ids())
def test_each_constraint_is_violated_by_random_writing(task_id: str) -> None:
    shares = violated_shares(library.task(task_id), episodes=1_000, seed=1)
    assert min(shares.values()) >= FLOOR, shares


@pytest.mark.slow
@pytest.mark.parametrize("task_id", library.task_ids())
def test_each_constraint_is_violated_in_one_percent_of_ten_thousand_episodes(task_id: str) -> None:
    shares = violated_shares(library.task(task_id), episodes=10_000, seed=0)
    assert min(shares.values()) >= FLOOR, shares
