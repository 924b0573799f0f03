from __future__ import annotations

import json
from itertools import pairwise

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.progress import remaining_writes
from acoe_gym.cockpit.reference import solve


def lefts(task_id: str) -> list[int]:
    """Return what is left at the start and after each write of the reference."""
    task = library.task(f"c172s/engine_restart/{task_id}")
    episode = Episode(task)
    found = [remaining_writes(task, episode.state)]
    for call in solve(task).log:
        episode.one(call.tool, json.loads(call.arguments))
        if call.tool == "set_system":
            found.append(remaining_writes(task, episode.state))
    return found


@pytest.mark.parametrize(
    "task_id", ["stopped_prop_left_tank", "windmilling_mixture_cutoff", "windmilling_empty_tank"]
)
def test_every_write_of_the_reference_leaves_fewer(task_id: str) -> None:
    found = lefts(task_id)
    assert all(after < before for before, after in pairwise(found))
    assert found[-1] == 0


def test_a_pump_that_must_stay_on_leaves_nothing_until_it_is_put_off() -> None:
    assert lefts("engine_pump_failed_stopped_prop")[-3:] == [0, 1, 0]


def test_a_value_that_only_a_report_tells_is_left_until_it_is_set() -> None:
    *_, before, after = lefts("windmilling_shutoff_closed")
    assert before > after == 0
