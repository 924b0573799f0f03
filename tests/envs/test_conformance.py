"""What holds for every registered id: Gymnasium's own rules, determinism, aliasing, copies."""

from __future__ import annotations

import copy
import math
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import acoe_gym
from acoe_gym.envs.calls import flat_table
from acoe_gym.envs.flat_env import FlatCockpitEnv

ROOT = Path(acoe_gym.__file__).parents[1]
IDS = [name for name in gym.registry if name.startswith("ACOE-")]
TEXT_IDS = [name for name in IDS if "Flat" not in name]
FLAT_IDS = [name for name in IDS if "Flat" in name]
Env = gym.Env[Any, Any]

TYPES = {
    "cost": float,
    "violations": str,
    "n_violations": int,
    "ok": bool,
    "calls": int,
    "turns_left": int,
    "graded": bool,
    "success": float,
    "goal_attainment": float,
    "safe": float,
}
BAD: dict[str, Any] = {
    "unknown component": {"name": "get_system", "arguments": {"component": "flux_capacitor"}},
    "5 kB value": {"name": "set_system", "arguments": {"component": "mixture", "value": "9" * 5000}},
    "quotes": {"name": "get_system", "arguments": {"component": "\"rpm\" 'rpm'"}},
    "newline": {"name": "get_system", "arguments": {"component": "rpm\nrpm"}},
    "degree sign": {"name": "set_system", "arguments": {"component": "mixture", "value": "15 °C"}},
    "emoji": {"name": "get_system", "arguments": {"component": "\N{AIRPLANE}\ufe0f"}},
    "lone surrogate": {"name": "set_system", "arguments": {"component": "mixture", "value": "\ud800"}},
    "control characters": {"name": "\x00\x1b[31m", "arguments": {"\x07": "\x00"}},
    "no arguments": {"name": "get_system"},
    "no name": {"arguments": {}},
    "name of no text": {"name": 7, "arguments": []},
    "arguments cut off": {"name": "set_system", "arguments": '{"component": "mixture", "va'},
    "a word": "submit",
    "a number": 7,
    "nothing known": object(),
    "incomplete code": {"tool": 1},
    "code out of range": {"tool": 99, "component": 0, "value": 0, "argument": 0},
    "negative code": {"tool": -1, "component": 0, "value": 0, "argument": 0},
    "a list in a list": [[{"name": "get_system", "arguments": {"component": "rpm"}}]],
    "33 calls": [{"name": "list_systems", "arguments": {}}] * 33,
    "1000 calls": [{"name": "list_systems", "arguments": {}}] * 1000,
    "5 kB names": [{"name": "x" * 5000, "arguments": {}}] * 32,
}


def same(one: Any, other: Any) -> bool:
    """Compare steps: arrays element by element, the rest as it is."""
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


def rollout(env: Env, actions: list[Any]) -> list[Any]:
    """Play actions, beginning anew after each end, and return everything that came."""
    found: list[Any] = []
    for action in actions:
        found.append(env.step(action))
        if found[-1][2] or found[-1][3]:
            found.append(env.reset())
    return found


def sampled(env: Env, count: int, seed: int = 5) -> list[Any]:
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(count)]


def random_calls(env: Env, count: int, seed: int = 5) -> list[Any]:
    """Return random calls of the flat table, most of which are writes, as the environment takes them."""
    table = flat_table(env.unwrapped.aircraft[0])  # type: ignore[attr-defined]
    rows = np.random.default_rng(seed).integers(len(table), size=count)
    if isinstance(env.unwrapped, FlatCockpitEnv):
        return list(rows)
    return [{"name": table[row][0], "arguments": table[row][1]} for row in rows]


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasiums_checker_has_nothing_to_say(env_id: str) -> None:
    check_env(gym.make(env_id).unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_samples_of_the_spaces_are_in_them(env_id: str) -> None:
    env = gym.make(env_id)
    for space in (env.observation_space, env.action_space):
        space.seed(1)
        assert all(space.sample() in space for _ in range(20))


@pytest.mark.parametrize("env_id", IDS)
def test_observations_of_sampled_actions_are_in_the_space(env_id: str) -> None:
    env = gym.make(env_id)
    assert env.reset(seed=3)[0] in env.observation_space
    assert all(step[0] in env.observation_space for step in rollout(env, sampled(env, 30)))


@pytest.mark.parametrize("action", BAD.values(), ids=BAD)
@pytest.mark.parametrize("env_id", TEXT_IDS)
def test_a_bad_action_is_answered_in_the_space_and_changes_nothing(env_id: str, action: Any) -> None:
    env = gym.make(env_id)
    env.reset(seed=3)
    episode: Any = env.get_wrapper_attr("episode")
    before = list(episode.state)
    observation, reward, terminated, truncated, info = env.step(action)
    assert observation in env.observation_space
    assert (reward, terminated, truncated, info["ok"], info["cost"]) == (0.0, False, False, False, 0.0)
    assert episode.state == before
    assert len(episode.turns) == 1


@pytest.mark.parametrize("action", [-1, 10**6, 10**30])
@pytest.mark.parametrize("env_id", FLAT_IDS)
def test_an_action_outside_the_flat_table_is_refused(env_id: str, action: int) -> None:
    env = gym.make(env_id)
    env.reset(seed=3)
    with pytest.raises(IndexError, match=rf"expected an action of 0 to \d+, got {action}"):
        env.step(action)
    episode: Any = env.get_wrapper_attr("episode")
    assert episode.turns == []


@pytest.mark.parametrize("env_id", IDS)
def test_two_seeded_copies_side_by_side_are_equal(env_id: str) -> None:
    one, other = gym.make(env_id), gym.make(env_id)
    for seed in (7, 8):
        assert same(one.reset(seed=seed), other.reset(seed=seed))
        for action in random_calls(one, 60, seed):
            assert same(rollout(one, [action]), rollout(other, [action]))


@pytest.mark.parametrize("steps", [3, 17])
@pytest.mark.parametrize("env_id", IDS)
def test_the_next_episode_does_not_depend_on_the_length_of_this_one(env_id: str, steps: int) -> None:
    """B05 (a)."""
    env, untouched = gym.make(env_id), gym.make(env_id)
    for each in (env, untouched):
        each.reset(seed=7)
    for action in random_calls(env, steps):
        assert not any(env.step(action)[2:4])
    assert same(env.reset(), untouched.reset())


@pytest.mark.parametrize("env_id", IDS)
def test_a_seed_gives_the_same_start_whenever_it_is_given(env_id: str) -> None:
    """B05 (b)."""
    env = gym.make(env_id)
    first = env.reset(seed=7)
    env.reset(seed=8)
    assert same(env.reset(seed=7), first)


@pytest.mark.parametrize("env_id", IDS)
def test_a_seed_chooses_the_task_and_nothing_else(env_id: str) -> None:
    """B05 (b): with the task given, no seed makes a difference."""
    env = gym.make(env_id)
    env.reset(seed=0)
    options = {"task": env.unwrapped.task.id}  # type: ignore[attr-defined]
    assert same(env.reset(seed=1, options=options), env.reset(seed=2, options=options))


@pytest.mark.parametrize("suite", ["core", "generated"])
@pytest.mark.parametrize("env_id", IDS)
def test_global_random_states_are_left_alone(env_id: str, suite: str) -> None:
    """B05 (c)."""
    states = global_states()
    env = gym.make(env_id, suite=suite)
    env.reset(seed=1)
    rollout(env, random_calls(env, 20))
    assert global_states() == states


def global_states() -> tuple[object, str]:
    return random.getstate(), repr(np.random.get_state())  # noqa: NPY002 (it is what must not change)


REPORT = """
import hashlib, random
import gymnasium as gym, numpy as np
states = random.getstate(), repr(np.random.get_state())
import acoe_gym
assert states == (random.getstate(), repr(np.random.get_state()))
for name in [n for n in gym.registry if n.startswith("ACOE-")]:
    env = gym.make(name)
    env.action_space.seed(1)
    seen = [env.reset(seed=4)] + [env.step(env.action_space.sample()) for _ in range(12)]
    text = repr([(s[0] if isinstance(s[0], str) else s[0].tobytes(), *s[1:]) for s in seen])
    print(name, env.action_space, hashlib.sha256(text.encode()).hexdigest())
"""


def test_import_and_episodes_are_the_same_under_every_hash_seed() -> None:
    """B05 (c) and (d), in fresh processes."""
    reports = [fresh_process(REPORT, PYTHONHASHSEED=seed) for seed in ("0", "1", "12345")]
    assert reports[0].count("ACOE-") == len(IDS)
    assert len(set(reports)) == 1


def fresh_process(code: str, **environment: str) -> str:
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT, env={**os.environ, **environment}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.parametrize("env_id", IDS)
def test_info_has_the_same_keys_and_plain_types_always(env_id: str) -> None:
    env = gym.make(env_id)
    infos = [env.reset(seed=2)[1]]
    infos += [step[-1] for seed in range(12) for step in rollout(env, random_calls(env, 50, seed))]
    assert any(info["graded"] for info in infos)
    assert any(info["cost"] for info in infos)
    for info in infos:
        assert {key: type(value) for key, value in info.items()} == TYPES
        assert not any(isinstance(value, float) and math.isnan(value) for value in info.values())
        assert info["cost"] == info["n_violations"] == len(info["violations"].split())


@pytest.mark.parametrize("env_id", IDS)
def test_nothing_of_info_names_a_hidden_variable(env_id: str) -> None:
    env = gym.make(env_id)
    env.reset(seed=2)
    for info in [step[-1] for seed in range(3) for step in rollout(env, random_calls(env, 50, seed))]:
        template = env.get_wrapper_attr("task").program.template
        words = {*info, *info["violations"].split()}
        assert not words & (set(template.domains) - set(template.world.components))


@pytest.mark.parametrize("env_id", IDS)
def test_what_was_returned_never_changes_later(env_id: str) -> None:
    """B03: every reference kept of a violating episode equals its copy after the next episode."""
    env = gym.make(env_id)
    kept: list[Any] = [env.reset(seed=2)]
    cost = 0.0
    for action in random_calls(env, 400):
        kept.append(env.step(action))
        cost += kept[-1][-1]["cost"]
        if cost and (kept[-1][2] or kept[-1][3]):
            break
        if kept[-1][2] or kept[-1][3]:
            kept.append(env.reset())
    assert cost
    copies = copy.deepcopy(kept)
    env.reset()
    rollout(env, random_calls(env, 20, 9))
    assert same(kept, copies)


COPIES: dict[str, Callable[[Env], Env]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("env_id", IDS)
def test_copies_keep_state_and_draws_through_the_wrappers_of_make(
    env_id: str, duplicate: Callable[[Env], Env]
) -> None:
    env = gym.make(env_id, reward="progress", suite="generated")
    env.reset(seed=11)
    actions = random_calls(env, 90)
    rollout(env, actions[:20])
    twin = duplicate(env)
    assert twin.get_wrapper_attr("episode") is not env.get_wrapper_attr("episode")
    assert same(rollout(env, actions[20:]), rollout(twin, actions[20:]))
    assert same(env.reset(), twin.reset())


@pytest.mark.parametrize("env_id", IDS)
def test_a_clone_goes_its_own_way(env_id: str) -> None:
    env: Any = gym.make(env_id).unwrapped
    env.reset(seed=11)
    before = env.get_state()
    twin = env.clone()
    rollout(twin, random_calls(env, 60))
    assert env.get_state() == before
    assert twin.get_state() != before
