from __future__ import annotations

import gymnasium as gym

from acoe_gym.wrappers import FiniteHorizon

FLAT = "ACOE-C172S-EngineRestart-Flat-v0"
LIST, SUBMIT = 0, 1


def test_the_end_of_the_budget_terminates() -> None:
    env = FiniteHorizon(gym.make(FLAT))
    _, info = env.reset(seed=0)
    ends = [env.step(LIST)[2:4] for _ in range(info["turns_left"])]
    assert ends[-1] == (True, False)
    assert set(ends[:-1]) == {(False, False)}


def test_submitting_terminates_as_before() -> None:
    env = FiniteHorizon(gym.make(FLAT))
    env.reset(seed=0)
    assert env.step(SUBMIT)[2:4] == (True, False)
