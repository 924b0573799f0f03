"""Snapshots: identical futures from any point, hashable, independent of what follows."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acoe_gym.envs.calls import flat_table
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.envs.flat_env import FlatCockpitEnv

TASK = "c172s/engine_restart/stopped_prop_left_tank"
TABLE = flat_table("c172s")
SUBMIT = TABLE.index(("submit", {}))
FACES: dict[str, Callable[..., Any]] = {"text": CockpitEnv, "flat": FlatCockpitEnv}
ROWS = st.lists(st.integers(2, len(TABLE) - 1), min_size=1, max_size=40)
face = pytest.mark.parametrize("make", FACES.values(), ids=FACES)


def begun(make: Callable[..., Any], reward: str = "progress", task: str = TASK) -> Any:
    env = make("c172s", task=task, reward=reward)
    env.reset(seed=0)
    return env


def act(env: Any, row: int) -> Any:
    """Make the call of a row and return the step, arrays as bytes, with the mask where there is one."""
    if not isinstance(env, FlatCockpitEnv):
        tool, arguments = TABLE[row]
        return env.step({"name": tool, "arguments": arguments})
    belief, *rest = env.step(np.int64(row))
    return belief.tobytes(), *rest, env.action_masks().tobytes()


def play(env: Any, rows: list[int]) -> None:
    for row in rows:
        act(env, row)


def future(env: Any, rows: list[int]) -> list[Any]:
    """Play rows and submit; return everything that came."""
    return [*(act(env, row) for row in [*rows, SUBMIT]), env.episode.hash()]


@face
@given(rows=ROWS, cut=st.integers(0, 40), reward=st.sampled_from(["success", "sgo", "progress"]))
@settings(max_examples=40)
def test_from_any_cut_the_future_is_that_of_the_uninterrupted_run(
    make: Callable[..., Any], rows: list[int], cut: int, reward: str
) -> None:
    whole, cut_up = begun(make, reward), begun(make, reward)
    play(cut_up, rows[:cut])
    state = cut_up.get_state()
    play(cut_up, rows[cut:])  # what follows must not reach the snapshot
    play(whole, rows[:cut])
    expected = future(whole, rows[cut:])
    fresh = make("c172s", reward=reward)
    elsewhere = begun(make, reward, "c172s/electrical_fire/everything_on")
    play(elsewhere, rows)
    for env in (cut_up, fresh, elsewhere):
        env.set_state(state)
        assert future(env, rows[cut:]) == expected


@face
@given(rows=ROWS, cut=st.integers(0, 40))
@settings(max_examples=20)
def test_clones_have_the_same_future_and_their_own(
    make: Callable[..., Any], rows: list[int], cut: int
) -> None:
    env = begun(make)
    play(env, rows[:cut])
    twins = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    expected = future(env, rows[cut:])
    assert all(future(twin, rows[cut:]) == expected for twin in twins)


@face
def test_a_state_is_hashable_and_equal_to_that_of_the_same_past(make: Callable[..., Any]) -> None:
    one, other, third = begun(make), begun(make), begun(make)
    rows = np.random.default_rng(0).integers(2, len(TABLE), size=12).tolist()
    for env in (one, other):
        play(env, rows)
    play(third, rows[:-1])
    assert one.get_state() == other.get_state()
    assert hash(one.get_state()) == hash(other.get_state())
    assert one.get_state() != third.get_state()


@face
def test_a_state_survives_pickling(make: Callable[..., Any]) -> None:
    env = begun(make)
    play(env, [3, 4, 150])
    assert pickle.loads(pickle.dumps(env.get_state())) == env.get_state()


@face
def test_progress_is_paid_alike_after_going_back(make: Callable[..., Any]) -> None:
    env, fresh = begun(make), begun(make)
    writes = ("target_airspeed", 68), ("fuel_selector", "BOTH")
    first, second = (
        TABLE.index(("set_system", {"component": name, "value": value})) for name, value in writes
    )
    act(env, first)
    fresh.set_state(env.get_state())
    _, expected, *_ = act(env, second)
    _, paid, *_ = act(fresh, second)
    assert paid == expected > 0


@face
def test_going_back_after_the_end_takes_the_episode_up_again(make: Callable[..., Any]) -> None:
    env = begun(make)
    state = env.get_state()
    expected = future(env, [])
    env.set_state(state)
    assert future(env, []) == expected
