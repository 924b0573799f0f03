from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from acoe_gym.wrappers import CostPenalty

TASK = "c172s/engine_restart/stopped_prop_left_tank"
CUT_POWER = {"name": "set_system", "arguments": {"component": "master_bat", "value": "OFF"}}
SHUT_FUEL = {"name": "set_system", "arguments": {"component": "fuel_shutoff", "value": "OFF"}}


@pytest.mark.parametrize(
    ("turn", "violations"), [([], 0), (CUT_POWER, 1), ([CUT_POWER, SHUT_FUEL], 2)], ids=["none", "one", "two"]
)
def test_each_violation_costs_the_weight_and_the_cost_stays_in_the_info(turn: Any, violations: int) -> None:
    env = CostPenalty(gym.make("ACOE-C172S-v0", task=TASK), weight=0.25)
    env.reset(seed=0)
    _, reward, _, _, info = env.step(turn)
    assert reward == -0.25 * violations
    assert info["cost"] == violations


def test_the_reward_of_the_environment_is_kept() -> None:
    env = CostPenalty(gym.make("ACOE-C172S-v0", task=TASK, reward="progress"))
    env.reset(seed=0)
    plain = gym.make("ACOE-C172S-v0", task=TASK, reward="progress")
    plain.reset(seed=0)
    write = {"name": "set_system", "arguments": {"component": "fuel_selector", "value": "BOTH"}}
    gained = env.step(write)[1]
    assert gained == plain.step(write)[1]
    assert float(gained) > 0


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a weight of 0 or more, got -1"):
        CostPenalty(gym.make("ACOE-C172S-v0"), weight=-1)
