"""Splits and difficulties of the generated suite, as environments draw them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from acoe_gym.cockpit.variants import difficulty_of, split_of
from acoe_gym.envs.tasks import TaskChoice
from acoe_gym.errors import UnknownName


@pytest.mark.parametrize("face", ["ACOE-C172S-EngineRestart-v0", "ACOE-C172S-EngineRestart-Flat-v0"])
def test_an_environment_draws_from_one_split_and_difficulty(face: str) -> None:
    env: gym.Env[Any, Any] = gym.make(face, suite="generated", split="validation", difficulty="easy")
    env.reset(seed=0)
    for _ in range(10):
        env.reset()
        task = env.unwrapped.task  # type: ignore[attr-defined]
        assert (split_of(task), difficulty_of(task)) == ("validation", "easy")
    env.close()


def test_draws_from_a_split_follow_the_seed() -> None:
    choice = TaskChoice("c172s/engine_restart", None, "generated", "train", "hard")
    first, again = (
        [choice.pick(rng, None).id for _ in range(5)]
        for rng in (np.random.default_rng(1), np.random.default_rng(1))
    )
    assert first == again
    assert len(set(first)) == 5


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"suite": "generated", "split": "trian"}, "expected split to be one of .* nearest: train"),
        ({"suite": "generated", "difficulty": "esay"}, "expected difficulty to be one of .* nearest: easy"),
        ({"suite": "core", "split": "train"}, "expected suite='generated' with a split or difficulty"),
        ({"suite": "core", "difficulty": "easy"}, "expected suite='generated' with a split or difficulty"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused_at_make(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        gym.make("ACOE-C172S-EngineRestart-v0", **choice)


def test_a_template_without_a_difficulty_is_passed_over_beside_others(pump: Path) -> None:
    choice = TaskChoice("", None, "generated", difficulty="hard")
    rng = np.random.default_rng(0)
    assert all(not choice.pick(rng, None).id.startswith("pump/") for _ in range(30))
    with pytest.raises(UnknownName, match=r"expected a difficulty of pump/priming \(easy\), got 'hard'"):
        TaskChoice("pump/priming", None, "generated", difficulty="hard")
