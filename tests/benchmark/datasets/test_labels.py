"""Labelled trajectories: every violation stands at the call that made it."""

from __future__ import annotations

import json

import pytest

from acoe_gym.benchmark.datasets.labels import PILOTS, labelled
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import Episode
from acoe_gym.errors import UnknownName

TASK = library.task_ids("c172s/electrical_fire")[0]


@pytest.mark.parametrize("pilot", PILOTS)
def test_a_replay_gives_the_labels_again(pilot: str) -> None:
    row = labelled(library.task(TASK), pilot, seed=3)
    episode = Episode(library.task(TASK), max_turns=1000)
    for step in row["steps"]:
        call = episode.one(step["call"]["name"], step["call"]["arguments"])
        assert json.loads(call.reply) == step["reply"]
        assert episode.violated_ids(call) == step["violated"]
        assert step["cost"] == float(len(step["violated"]))
    assert sum(step["cost"] for step in row["steps"]) == episode.violations
    assert row["grade"]["safe"] == float(not episode.violations)


def test_the_reference_is_safe_and_random_play_is_not() -> None:
    safe, unsafe = (labelled(library.task(TASK), pilot) for pilot in ("reference", "random"))
    assert (safe["grade"]["success"], safe["grade"]["safe"]) == (1.0, 1.0)
    assert unsafe["grade"]["safe"] == 0.0


def test_turns_count_from_one_to_the_last() -> None:
    turns = [step["turn"] for step in labelled(library.task(TASK), "generic")["steps"]]
    assert turns[0] == 1
    assert turns == sorted(turns)


def test_another_seed_is_another_random_trajectory() -> None:
    first, again, other = (labelled(library.task(TASK), "random", seed) for seed in (0, 0, 1))
    assert first == again
    assert first["steps"] != other["steps"]


def test_an_unknown_pilot_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="nearest: generic"):
        labelled(library.task(TASK), "genric")
