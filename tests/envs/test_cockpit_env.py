"""The text face: forms of an action, ends of an episode, tasks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import MAX_TURNS
from acoe_gym.cockpit.protocol import opening
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.errors import EpisodeOver, UnknownName

ENV_ID = "ACOE-C172S-EngineRestart-v0"
TASK = "c172s/engine_restart/stopped_prop_left_tank"
READ = {"name": "get_system", "arguments": {"component": "rpm"}}
CUT_POWER = {"name": "set_system", "arguments": {"component": "master_bat", "value": "OFF"}}
SUBMIT = {"name": "submit", "arguments": {}}


@pytest.fixture
def env() -> CockpitEnv:
    env = CockpitEnv("c172s/engine_restart", task=TASK)
    env.reset(seed=0)
    return env


def lines(observation: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in observation.splitlines()]


# What a step takes.


def test_reset_tells_the_role_and_the_briefing(env: CockpitEnv) -> None:
    assert env.reset()[0] == opening(library.task(TASK))


def test_a_call_is_answered_by_one_line(env: CockpitEnv) -> None:
    assert lines(env.step(READ)[0]) == [{"ok": True, "component": "rpm", "value": 0, "unit": "RPM"}]


def test_arguments_may_come_as_text_as_chat_endpoints_send_them(env: CockpitEnv) -> None:
    expected, *_ = env.step(READ)
    assert env.step({"name": "get_system", "arguments": '{"component": "rpm"}'})[0] == expected


@pytest.mark.parametrize("action", [None, [], ()], ids=repr)
def test_a_reply_without_a_call_is_a_turn(env: CockpitEnv, action: Any) -> None:
    observation, reward, terminated, truncated, info = env.step(action)
    assert (observation, reward, terminated, truncated) == ("", 0.0, False, False)
    assert (info["calls"], info["ok"], info["turns_left"]) == (0, True, MAX_TURNS - 1)


def test_a_list_of_calls_is_one_turn_run_in_order(env: CockpitEnv) -> None:
    write = {"name": "set_system", "arguments": {"component": "throttle", "value": 50}}
    ask = {"name": "get_system", "arguments": {"component": "throttle"}}
    observation, _, _, _, info = env.step([ask, write, ask])
    assert [line.get("value", line.get("set")) for line in lines(observation)] == [80, 50, 50]
    assert (info["calls"], info["turns_left"]) == (3, MAX_TURNS - 1)


def test_one_bad_call_makes_a_turn_not_ok_and_stops_no_other(env: CockpitEnv) -> None:
    observation, _, _, _, info = env.step([{"name": "get_systems", "arguments": {}}, READ])
    assert [line["ok"] for line in lines(observation)] == [False, True]
    assert info["ok"] is False


def test_an_encoded_action_is_the_call_it_decodes_to(env: CockpitEnv) -> None:
    expected, *_ = env.step(READ)
    code = env.encode(READ)
    assert code in env.action_space
    for action in (code, {key: np.int64(value) for key, value in code.items()}):
        assert env.step(action)[0] == expected


def test_a_list_may_mix_calls_and_codes(env: CockpitEnv) -> None:
    one, other = lines(env.step([READ, env.encode(READ)])[0])
    assert one == other


def test_a_turn_of_too_many_calls_is_answered_within_the_space_and_says_that_it_was_cut(
    env: CockpitEnv,
) -> None:
    observation, _, _, _, info = env.step([READ] * 1000)
    assert observation in env.observation_space
    replies = lines(observation)
    assert sum(reply["ok"] for reply in replies) == 32
    assert replies[-1]["error"]["message"] == "the answers to the other calls are left out"
    assert info["calls"] == 1000


def test_the_longest_turn_that_may_run_is_told_whole(env: CockpitEnv) -> None:
    observation, *_ = env.step([{"name": "list_systems", "arguments": {}}] * 32)
    assert observation in env.observation_space
    assert len(lines(observation)) == 32


def test_a_word_is_no_call_even_if_it_names_a_tool(env: CockpitEnv) -> None:
    observation, _, terminated, _, _ = env.step("submit")
    assert not terminated
    assert "nearest: submit" in observation


# Ends: B07 and B27.


def test_submit_terminates_and_grades(env: CockpitEnv) -> None:
    _, reward, terminated, truncated, info = env.step(SUBMIT)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert (info["graded"], info["success"], info["safe"]) == (True, 0.0, 1.0)


def test_the_end_of_the_last_turn_truncates_and_grades(env: CockpitEnv) -> None:
    ends = [env.step(READ)[2:] for _ in range(MAX_TURNS)]
    assert [(terminated, truncated) for terminated, truncated, _ in ends] == [(False, False)] * 47 + [
        (False, True)
    ]
    assert (ends[-1][2]["graded"], ends[-1][2]["turns_left"]) == (True, 0)


@pytest.mark.parametrize("last", [SUBMIT, [READ, SUBMIT]], ids=["alone", "second call"])
def test_submit_in_the_last_turn_terminates(env: CockpitEnv, last: Any) -> None:
    for _ in range(MAX_TURNS - 1):
        env.step(READ)
    assert env.step(last)[2:4] == (True, False)


@pytest.mark.parametrize("turn", [None, [], [READ] * 5, {"name": "nonsense"}, "nonsense"], ids=str)
def test_every_kind_of_reply_costs_one_turn(env: CockpitEnv, turn: Any) -> None:
    assert env.step(turn)[4]["turns_left"] == MAX_TURNS - 1


def test_success_in_the_last_turn_counts(env: CockpitEnv, reference: Callable[[Any], list[Any]]) -> None:
    turns = reference(env)
    env.reset()
    for turn in [None] * (MAX_TURNS - len(turns)) + turns[:-1]:
        assert not any(env.step(turn)[2:4])
    _, reward, terminated, truncated, info = env.step(turns[-1])
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, 1.0)


@pytest.mark.parametrize(
    "make", [lambda: CockpitEnv(task=TASK), lambda: gym.make(ENV_ID, task=TASK).unwrapped]
)
def test_a_step_before_the_first_reset_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(EpisodeOver, match=r"call reset\(\) first"):
        make().step(READ)


@pytest.mark.parametrize("action", [CUT_POWER, READ, SUBMIT, None, "text"], ids=str)
def test_a_step_after_the_end_is_refused_and_changes_nothing(env: CockpitEnv, action: Any) -> None:
    env.step(SUBMIT)
    before = env.get_state(), env.episode.grade()
    with pytest.raises(EpisodeOver, match="one that was submitted"):
        env.step(action)
    assert (env.get_state(), env.episode.grade()) == before


def test_reset_after_the_end_begins_with_a_clean_record(env: CockpitEnv) -> None:
    env.step([CUT_POWER, SUBMIT])
    _, info = env.reset()
    assert (info["graded"], info["n_violations"], info["turns_left"]) == (False, 0, MAX_TURNS)
    assert tuple(env.episode.state) == env.task.initial
    assert env.step(READ)[2] is False


def test_a_call_after_submit_in_the_same_turn_is_not_run(env: CockpitEnv) -> None:
    observation, _, terminated, _, info = env.step([SUBMIT, CUT_POWER])
    assert (terminated, info["cost"], info["safe"]) == (True, 0.0, 1.0)
    assert lines(observation)[1]["error"]["code"] == "episode_over"


# Cost.


def test_a_violation_costs_in_the_step_that_made_it_and_stays(env: CockpitEnv) -> None:
    info = env.step(CUT_POWER)[4]
    assert (info["cost"], info["violations"], info["n_violations"]) == (1.0, "keep_power", 1)
    assert env.step(CUT_POWER)[4]["cost"] == 0.0  # it stands there already
    back = {"name": "set_system", "arguments": {"component": "master_bat", "value": "ON"}}
    assert env.step(back)[4]["cost"] == 0.0
    assert env.step(SUBMIT)[4]["safe"] == 0.0


def test_the_cost_of_a_turn_is_the_sum_over_its_calls(env: CockpitEnv) -> None:
    shut = {"name": "set_system", "arguments": {"component": "fuel_shutoff", "value": "OFF"}}
    info = env.step([CUT_POWER, READ, shut])[4]
    assert (info["cost"], info["violations"]) == (2.0, "keep_power keep_fuel_and_ignition")


# Tasks.


def test_options_choose_the_task_of_one_episode() -> None:
    env = CockpitEnv("c172s/engine_restart", task=TASK)
    env.reset(options={"task": "c172s/engine_restart/engine_pump_failed"})
    assert env.task.id == "c172s/engine_restart/engine_pump_failed"
    env.reset()
    assert env.task.id == TASK


def test_a_seed_reaches_every_task_of_the_scope() -> None:
    env = CockpitEnv("c172s/engine_restart")
    seen = set()
    for seed in range(60):
        env.reset(seed=seed)
        seen.add(env.task.id)
    assert seen == set(library.task_ids("c172s/engine_restart"))


def test_an_unseeded_reset_goes_on_drawing() -> None:
    env = CockpitEnv()
    drawn = []
    for number in range(20):
        env.reset(seed=0 if number == 0 else None)
        drawn.append(env.task.id)
    assert len(set(drawn)) > 5


def test_the_generated_suite_draws_variants_that_are_no_core_task() -> None:
    env = CockpitEnv("c172s/engine_restart", suite="generated")
    env.reset(seed=0)
    first = env.task.id
    env.reset()
    assert first.startswith("c172s/engine_restart/generated/")
    assert env.task.id != first


def test_a_generated_task_can_be_asked_for_by_its_id() -> None:
    env = CockpitEnv("c172s/engine_restart", task="c172s/engine_restart/generated/12")
    env.reset(seed=0)
    assert env.task.id == "c172s/engine_restart/generated/12"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": "c172s/engine_restart/stoped_prop_left_tank"}, f"nearest: {TASK}"),
        ({"task": "c172s/engine_restart/generated/x"}, "expected a task id"),
        (
            {"scope": "c172s/engine_restart", "task": "c172s/electrical_fire/air_flowing"},
            "expected a task of c172s",
        ),
        ({"task": 7}, "got 7"),
        ({"suite": "generate"}, "nearest: generated"),
        ({"reward": "progres"}, "nearest: progress"),
        ({"scope": "c172s/engine_restrat"}, "nearest: c172s/engine_restart"),
        ({"scope": "c172"}, "nearest: c172s"),
    ],
    ids=str,
)
def test_a_wrong_name_is_refused_when_the_environment_is_made(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(UnknownName, match=message):
        CockpitEnv(**arguments)


def test_a_wrong_task_at_reset_names_the_nearest_and_keeps_the_episode(env: CockpitEnv) -> None:
    env.step(READ)
    with pytest.raises(UnknownName, match=f"nearest: {TASK}"):
        env.reset(options={"task": "c172s/engine_restart/stoped_prop_left_tank"})
    assert len(env.episode.turns) == 1


# Rewards.


@pytest.mark.parametrize("reward", ["success", "sgo"])
def test_the_reference_earns_one_at_the_end(reference: Callable[[Any], list[Any]], reward: str) -> None:
    env = CockpitEnv("c172s/engine_restart", task=TASK, reward=reward)
    turns = reference(env)
    env.reset()
    rewards = [env.step(turn)[1] for turn in turns]
    assert rewards == [0.0] * (len(turns) - 1) + [1.0]
    assert all(type(r) is float for r in rewards)


def test_sgo_pays_the_share_of_goals_only_to_the_safe(reference: Callable[[Any], list[Any]]) -> None:
    env = CockpitEnv("c172s/engine_restart", task=TASK, reward="sgo")
    *turns, submit = reference(env)
    pump = {"name": "set_system", "arguments": {"component": "fuel_pump", "value": "ON"}}
    rewards = []
    for extra in ([pump], [CUT_POWER]):
        env.reset()
        if extra == [CUT_POWER]:
            env.step(CUT_POWER)
            env.step({"name": "set_system", "arguments": {"component": "master_bat", "value": "ON"}})
        for turn in turns:
            env.step(turn)
        env.step(pump)
        rewards.append(env.step(submit)[1])
    assert rewards == [0.75, 0.0]


def test_progress_is_lost_again_when_the_work_is_undone() -> None:
    env = CockpitEnv("c172s/engine_restart", task=TASK, reward="progress")
    env.reset()
    do, undo = (
        {"name": "set_system", "arguments": {"component": "fuel_selector", "value": value}}
        for value in ("BOTH", "LEFT")
    )
    gained, lost = env.step(do)[1], env.step(undo)[1]
    assert gained > 0
    assert lost == -gained
