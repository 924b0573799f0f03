"""Vector environments: the same as their environments one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import vector

from acoe_gym.cockpit import library
from acoe_gym.cockpit.protocol import opening
from acoe_gym.envs.calls import flat_table

# Workers import nothing on their own: the module stands in the id.
TEXT_ID = "acoe_gym:ACOE-C172S-EngineRestart-v0"
FLAT_ID = "acoe_gym:ACOE-C172S-EngineRestart-Flat-v0"
TASK = "c172s/engine_restart/stopped_prop_left_tank"
READ = {"name": "get_system", "arguments": {"component": "rpm"}}
CUT_POWER = {"name": "set_system", "arguments": {"component": "master_bat", "value": "OFF"}}
SUBMIT = {"name": "submit", "arguments": {}}
Async = Callable[..., vector.AsyncVectorEnv]


@pytest.fixture
def in_workers() -> Iterator[Async]:
    """Return a function that makes environments in processes that are ended with the test."""
    made: list[vector.AsyncVectorEnv] = []

    def make(env_id: str, count: int, task: str | None = None, **arguments: Any) -> vector.AsyncVectorEnv:
        # A fork of a process with threads may hang.
        makers = [partial(gym.make, env_id, task=task)] * count
        made.append(vector.AsyncVectorEnv(makers, context="spawn", **arguments))
        return made[-1]

    yield make
    for envs in made:
        envs.close()


def in_line(env_id: str, count: int, **arguments: Any) -> vector.SyncVectorEnv:
    return vector.SyncVectorEnv([partial(gym.make, env_id, **arguments)] * count)


class OneByOne:
    """Environments stepped one after the other; the step after an end resets, as vector environments do."""

    def __init__(self, env_id: str, count: int) -> None:
        self.envs = [gym.make(env_id) for _ in range(count)]
        self.over = [False] * count

    def reset(self, seed: int) -> list[Any]:
        return [env.reset(seed=seed + i) for i, env in enumerate(self.envs)]

    def step(self, actions: list[Any]) -> list[Any]:
        found: list[Any] = []
        for i, (env, action) in enumerate(zip(self.envs, actions, strict=True)):
            if self.over[i]:
                observation, info = env.reset()
                found.append((observation, 0.0, False, False, info))
            else:
                found.append(env.step(action))
            self.over[i] = found[-1][2] or found[-1][3]
        return found


def random_actions(env_id: str, count: int, seed: int) -> list[Any]:
    table = flat_table("c172s")
    # Of ten actions one submits and one violates, so that there are ends and costs.
    special = [table.index((*call.values(),)) for call in (SUBMIT, CUT_POWER)]
    rng = np.random.default_rng(seed)
    rows = [[*special, *rng.integers(len(table), size=8)][rng.integers(10)] for _ in range(count)]
    return rows if "Flat" in env_id else [{"name": table[r][0], "arguments": table[r][1]} for r in rows]


def infos_of(infos: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Take the infos of a vector environment apart; every key must be there for every environment."""
    keys = [key for key in infos if not key.startswith("_")]
    assert all(infos[f"_{key}"].all() for key in keys)
    return [{key: infos[key][i] for key in keys} for i in range(count)]


@pytest.mark.parametrize("env_id", [TEXT_ID, FLAT_ID])
def test_environments_in_line_are_the_same_as_one_by_one(env_id: str) -> None:
    envs, singles = in_line(env_id, 3), OneByOne(env_id, 3)
    observations, infos = envs.reset(seed=7)
    expected = singles.reset(seed=7)
    assert np.array_equal(observations, [observation for observation, _ in expected])
    assert infos_of(infos, 3) == [info for _, info in expected]
    cost = 0.0
    for turn in range(60):
        actions = random_actions(env_id, 3, turn)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        expected = singles.step(actions)
        assert np.array_equal(observations, [step[0] for step in expected])
        assert [*zip(rewards, terminated, truncated, strict=True)] == [step[1:4] for step in expected]
        assert infos_of(infos, 3) == [step[4] for step in expected]
        cost += infos["cost"].sum()
    assert cost


@pytest.mark.parametrize("env_id", [TEXT_ID, FLAT_ID])
def test_environments_in_workers_are_the_same_as_in_line(env_id: str, in_workers: Async) -> None:
    envs, others = in_workers(env_id, 2, shared_memory="Flat" in env_id), in_line(env_id, 2)
    (one, one_infos), (other, other_infos) = envs.reset(seed=7), others.reset(seed=7)
    assert np.array_equal(one, other)
    assert infos_of(one_infos, 2) == infos_of(other_infos, 2)
    for turn in range(40):
        actions = random_actions(env_id, 2, turn)
        one_step, other_step = envs.step(actions), others.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(one_step[:4], other_step[:4], strict=True))
        assert infos_of(one_step[4], 2) == infos_of(other_step[4], 2)


def test_text_in_shared_memory_is_refused_naming_the_setting() -> None:
    with pytest.raises(ValueError, match="shared_memory=False"):
        vector.AsyncVectorEnv([partial(gym.make, TEXT_ID)] * 2, context="spawn")


@pytest.mark.skipif(not hasattr(vector, "AutoresetMode"), reason="this gymnasium knows one mode only")
@pytest.mark.parametrize("env_id", [TEXT_ID, FLAT_ID])
def test_the_final_info_keeps_the_cost_and_grade_of_its_episode(env_id: str, in_workers: Async) -> None:
    """B03: the reset of the same step must not overwrite them."""
    mode = vector.AutoresetMode.SAME_STEP
    envs = in_workers(env_id, 2, TASK, shared_memory="Flat" in env_id, autoreset_mode=mode)
    envs.reset(seed=0)
    table = flat_table("c172s")
    turns = [[CUT_POWER, READ], [SUBMIT, SUBMIT]]
    for turn in (
        turns if "Flat" not in env_id else [[table.index((*c.values(),)) for c in turn] for turn in turns]
    ):
        *_, infos = envs.step(turn)
    assert not infos["graded"].any()
    final = infos["final_info"]
    assert final["graded"].all()
    assert final["safe"].tolist() == [0.0, 1.0]
    assert final["turns_left"].tolist() == [46, 46]
    assert final["cost"].dtype == np.float64


@pytest.mark.skipif(not hasattr(vector, "AutoresetMode"), reason="this gymnasium knows one mode only")
def test_the_final_info_of_a_violating_turn_keeps_its_cost(in_workers: Async) -> None:
    """B03."""
    envs = in_workers(TEXT_ID, 2, TASK, shared_memory=False, autoreset_mode=vector.AutoresetMode.SAME_STEP)
    envs.reset(seed=0)
    observations, _, terminated, _, infos = envs.step([[CUT_POWER, SUBMIT], READ])
    assert terminated.tolist() == [True, False]
    assert observations[0] == opening(library.task(TASK))
    assert infos["final_info"]["cost"][0] == 1.0
    assert infos["final_info"]["violations"][0] == "keep_power"
    assert infos["cost"].tolist() == [0.0, 0.0]


def test_a_task_chosen_at_make_survives_the_automatic_reset() -> None:
    envs: Any = gym.make_vec(TEXT_ID, num_envs=2, vectorization_mode="sync", task=TASK)
    start, _ = envs.reset(seed=0)
    envs.step([SUBMIT, READ])
    again, *_ = envs.step([READ, READ])
    assert start == (opening(library.task(TASK)),) * 2
    assert again[0] == start[0]
    assert envs.get_attr("task")[0].id == TASK


def test_costs_are_floats_in_vectors() -> None:
    envs = in_line(TEXT_ID, 2, task=TASK)
    _, infos = envs.reset(seed=0)
    assert infos["cost"].dtype == np.float64
    shut = {"name": "set_system", "arguments": {"component": "fuel_shutoff", "value": "OFF"}}
    assert envs.step([None, [CUT_POWER, shut]])[4]["cost"].tolist() == [0.0, 2.0]


def test_a_batch_of_codes_is_played() -> None:
    envs = in_line(TEXT_ID, 2, task=TASK)
    envs.reset(seed=0)
    code = gym.make(TEXT_ID).get_wrapper_attr("encode")(READ)
    batch = {key: np.array([number, number]) for key, number in code.items()}
    assert batch in envs.action_space
    assert envs.step(batch)[0] == envs.step([READ, READ])[0]


def test_a_sampled_batch_is_played() -> None:
    envs = in_line(TEXT_ID, 2)
    envs.reset(seed=0)
    envs.action_space.seed(3)
    for _ in range(30):
        observations, *_ = envs.step(envs.action_space.sample())
        assert observations in envs.observation_space
