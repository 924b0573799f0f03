"""Wrappers over each other: copies, and environments made again from their specification."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

from acoe_gym.envs.calls import flat_table
from acoe_gym.wrappers import BeliefObservation, BenchmarkMetrics, CostPenalty, FlatActions

Env = gym.Env[Any, Any]
STACKS: dict[str, Callable[[Env], Env]] = {
    "metrics": BenchmarkMetrics,
    "cost": lambda env: CostPenalty(env, 0.5),
    "flat": lambda env: BeliefObservation(FlatActions(env)),
    "all": lambda env: BenchmarkMetrics(CostPenalty(BeliefObservation(FlatActions(env)), 0.5)),
}
COPIES: dict[str, Callable[[Env], Env]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}
stack = pytest.mark.parametrize("wrap", STACKS.values(), ids=STACKS)


def made(wrap: Callable[[Env], Env]) -> Env:
    env = wrap(gym.make("ACOE-C172S-v0", reward="progress"))
    env.reset(seed=4)
    return env


def future(env: Env, rows: list[int]) -> list[Any]:
    """Play rows, beginning anew after each end; return what came, arrays as lists."""
    found: list[Any] = []
    for row in rows:
        tool, arguments = flat_table("c172s")[row]
        step = env.step(
            row
            if isinstance(env.action_space, gym.spaces.Discrete)
            else {"name": tool, "arguments": arguments}
        )
        found.append((np.asarray(step[0]).tolist(), *step[1:]))
        if step[2] or step[3]:
            observation, info = env.reset()
            found.append((np.asarray(observation).tolist(), info))
    return found


@stack
@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_of_a_stack_keep_its_state(
    wrap: Callable[[Env], Env], duplicate: Callable[[Env], Env]
) -> None:
    env = made(wrap)
    rows = np.random.default_rng(1).integers(len(flat_table("c172s")), size=120).tolist()
    future(env, rows[:60])
    twin = duplicate(env)
    assert future(twin, rows[60:]) == future(env, rows[60:])
    if isinstance(env, BenchmarkMetrics) and isinstance(twin, BenchmarkMetrics):
        assert twin.results == env.results
        assert len(env.results) == 2


@stack
def test_a_stack_is_made_again_from_its_specification_as_json(wrap: Callable[[Env], Env]) -> None:
    env = made(wrap)
    assert env.spec is not None
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert str(again) == str(env)
    again.reset(seed=4)
    rows = list(range(2, 40))
    assert future(again, rows) == future(made(wrap), rows)
