from __future__ import annotations

import json
import random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

from acoe_gym.benchmark.policies import policy
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import Episode, play
from acoe_gym.cockpit.metrics import aggregate, result_of
from acoe_gym.envs.calls import flat_table
from acoe_gym.errors import UnknownName
from acoe_gym.wrappers import BenchmarkMetrics

TASK = "c172s/engine_restart/stopped_prop_left_tank"
READ = {"name": "get_system", "arguments": {"component": "rpm"}}
SUBMIT = {"name": "submit", "arguments": {}}


def fly(env: gym.Env[Any, Any], task: str, name: str) -> None:
    """Play an episode of a built-in policy through an environment."""
    env.reset(options={"task": task})
    pilot = policy(name)(library.task(task), random.Random(task))
    calls = next(pilot)
    while True:
        turn = [{"name": tool, "arguments": arguments} for tool, arguments in calls]
        observation, _, terminated, truncated, _ = env.step(turn)
        if terminated or truncated:
            return
        calls = pilot.send([json.loads(line) for line in observation.splitlines()])


def flown(task: str, name: str) -> Episode:
    """Play the same episode on the core."""
    episode = Episode(library.task(task))
    pilot = policy(name)(episode.task, random.Random(task))
    calls: Any = next(pilot)
    while True:
        played = episode.turn(calls)
        if episode.end is not None:
            return episode
        calls = pilot.send([json.loads(call.reply) for call in played])


def test_a_plain_loop_gives_the_summary_of_the_core() -> None:
    env = BenchmarkMetrics(gym.make("ACOE-v0"))
    expected = []
    for trial, name in enumerate(("random", "reference", "generic", "read-only")):
        for task in library.task_ids():
            fly(env, task, name)
            expected.append(result_of(flown(task, name), trial))
    assert env.results == expected
    assert env.summary() == aggregate(expected, seed=0)
    assert 0 < env.summary().sr.value < 1
    assert 0 < env.summary().scr.value < 1


def test_the_flat_face_is_measured_alike() -> None:
    env = BenchmarkMetrics(gym.make("ACOE-C172S-Flat-v0", task=TASK))
    env.reset()
    rows = np.random.default_rng(0).integers(2, len(flat_table("c172s")), size=20)
    calls = [[flat_table("c172s")[row]] for row in rows] + [[("submit", {})]]
    for row in [*rows, 1]:
        env.step(row)
    assert env.results == [result_of(play(library.task(TASK), calls))]


def test_an_unfinished_episode_is_in_no_result() -> None:
    env = BenchmarkMetrics(gym.make("ACOE-v0", task=TASK))
    env.reset()
    env.step(READ)
    env.reset()
    env.step(SUBMIT)
    assert [(result.turns, result.trial) for result in env.results] == [(1, 0)]


def test_trials_are_counted_per_task() -> None:
    env = BenchmarkMetrics(gym.make("ACOE-v0"))
    for task in (TASK, "c172s/electrical_fire/air_flowing", TASK):
        env.reset(options={"task": task})
        env.step(SUBMIT)
    assert [result.trial for result in env.results] == [0, 0, 1]


@pytest.mark.parametrize("outside", [True, False], ids=["metrics outside", "metrics inside"])
def test_a_time_limit_is_a_smaller_budget(outside: bool) -> None:
    env = gym.make("ACOE-v0", task=TASK)
    metrics = BenchmarkMetrics(TimeLimit(env, 3) if outside else env)
    limited: Any = metrics if outside else TimeLimit(metrics, 3)
    limited.reset()
    ends = [limited.step(READ)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    smaller = play(library.task(TASK), [[("get_system", {"component": "rpm"})]] * 3, max_turns=3)
    assert metrics.results == ([result_of(smaller)] if outside else [])


def test_the_time_limit_of_make_does_not_cut_before_the_budget_unless_asked_to() -> None:
    env = gym.make("ACOE-v0", task=TASK)
    assert env.spec is not None
    assert env.spec.max_episode_steps is None
    env.reset()
    assert [env.step(READ)[3] for _ in range(48)] == [False] * 47 + [True]


def test_gymnasiums_episode_statistics_stand_beside_ours() -> None:
    env = BenchmarkMetrics(RecordEpisodeStatistics(gym.make("ACOE-v0", task=TASK)))
    fly(env, TASK, "reference")
    env.reset()
    info = env.step(SUBMIT)[4]
    assert (info["episode"]["r"], info["episode"]["l"]) == (0.0, 1)
    assert [result.success for result in env.results] == [1.0, 0.0]


def test_an_environment_of_another_kind_is_refused() -> None:
    with pytest.raises(UnknownName, match="expected an ACOE environment below, got CartPoleEnv"):
        BenchmarkMetrics(gym.make("CartPole-v1"))
