"""Bugs that peer projects had, by the number of the report: what must hold here."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import gymnasium as gym
import pytest

import acoe_gym  # noqa: F401 (registers the ids)
from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Outcome
from acoe_gym.cockpit.episode import MAX_TURNS, Episode, play
from acoe_gym.cockpit.program import State
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import AdapterNeeded, EpisodeOver

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
Solve = Callable[..., Episode]
TASKS = library.task_ids()
STOPPED = "c172s/engine_restart/stopped_prop_left_tank"
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})
READ: tuple[str, dict[str, object]] = ("get_system", {"component": "rpm"})


def solution(episode: Episode) -> list[tuple[str, object]]:
    return [(call.tool, json.loads(call.arguments)) for call in episode.log]


ODD = ["flux_capacitor", "x" * 5000, '"quoted"', "two\nlines", "20 \u00b0C", "\U0001f525", "\ud800"]


@pytest.mark.parametrize("odd", ODD, ids=[ascii(odd)[:20] for odd in ODD])
def test_b01_every_observation_is_in_the_declared_space(odd: str) -> None:
    """Observation outside the declared space. More: envs/test_conformance.py."""
    env = gym.make("ACOE-C172S-EngineRestart-v0")
    assert env.reset(seed=0)[0] in env.observation_space
    for arguments in ({"component": odd}, {"component": "mixture", "value": odd}, {odd: odd}, odd):
        for tool in ("get_system", "set_system", odd):
            assert env.step({"name": tool, "arguments": arguments})[0] in env.observation_space


def test_b03_what_was_returned_is_never_changed_later() -> None:
    """Returned objects are live internals. More: envs/test_conformance.py and envs/test_vector.py."""
    env = gym.make("ACOE-C172S-EngineRestart-Flat-v0")
    kept: list[object] = list(env.reset(seed=0))
    for action in range(40):
        observation, _, _, _, info = env.step(action + 120)
        kept += [observation, info, env.unwrapped.action_masks()]  # type: ignore[attr-defined]
    copies = copy.deepcopy(kept)
    env.reset(seed=1)
    env.step(5)
    assert repr(kept) == repr(copies)


def test_b10_a_library_that_takes_arrays_is_told_of_the_adapter() -> None:
    """Unusable with the named library, with a late, obscure error. More: rl/test_sb3.py."""
    space = gym.make("ACOE-C172S-EngineRestart-v0").observation_space
    with pytest.raises(AdapterNeeded, match=r"BeliefObservation\(FlatActions\(env\)\)"):
        hasattr(space, "spaces")  # what Stable-Baselines3 asks first


def test_b05_nothing_hangs_on_earlier_episodes_or_global_random_state(solve: Solve) -> None:
    """Non-determinism from global or run-dependent state. More: cockpit/test_determinism.py."""
    state = random.getstate()
    task = library.task(STOPPED)
    hashes = [solve(task).hash()]
    for steps in (3, 17):
        play(task, [[READ]] * steps)
        hashes.append(solve(task).hash())
    assert len(set(hashes)) == 1
    assert state == random.getstate()


def test_b07_the_end_of_an_episode_is_enforced(solve: Solve) -> None:
    """Episode boundary not enforced. More: cockpit/test_episode.py."""
    episode = solve(library.task(STOPPED))
    before = episode.snapshot(), episode.grade()
    for call in (("set_system", {"component": "master_bat", "value": "OFF"}), READ, SUBMIT):
        with pytest.raises(EpisodeOver):
            episode.turn([call])
    assert (episode.snapshot(), episode.grade()) == before
    fresh = Episode(library.task(STOPPED))
    assert (fresh.end, fresh.violations, tuple(fresh.state)) == (None, 0, fresh.task.initial)


def test_b07_a_call_after_submit_in_the_same_reply_is_not_run() -> None:
    """Episode boundary not enforced, within one reply."""
    episode = play(
        library.task(STOPPED), [[SUBMIT, ("set_system", {"component": "master_bat", "value": "OFF"})]]
    )
    assert episode.log[-1].outcome is Outcome.SKIPPED
    assert (episode.violations, tuple(episode.state)) == (0, episode.task.initial)


def test_b12_bad_calls_are_answered_and_the_episode_goes_on() -> None:
    """One bad call kills the episode. More: cockpit/test_console.py."""
    episode = Episode(library.task(STOPPED))
    bad = [
        ("set_system", '{"name": "MIXTURE", "va'),
        ("set_switch", {}),
        ("functions.get_system", {"component": "rpm"}),
    ]
    errors = [json.loads(episode.turn([call])[0].reply)["error"] for call in bad]
    assert [error["code"] for error in errors] == ["bad_json", "unknown_tool", "unknown_tool"]
    assert "get_system" in errors[1]["legal"]
    assert tuple(episode.state) == episode.task.initial
    episode.turn([SUBMIT])
    assert (episode.end, len(episode.turns)) == ("submitted", 4)
    assert [call.outcome for call in episode.log[:3]] == [Outcome.REJECTED] * 3


def test_b14_one_policy_reads_values_in_every_tool(fly: Fly) -> None:
    """Inconsistent value coercion. More: cockpit/test_domains.py, cockpit/test_console.py."""
    for raw in (68, 68.0, "68", " 68 ", "6.8e1"):
        pilot = fly(STOPPED)
        (call,) = pilot.set(target_airspeed=raw)
        assert (call.outcome, pilot.true("target_airspeed")) == (Outcome.RUN, 68)
        assert pilot.call("get_weight_balance", front_seats_lb=raw).outcome is Outcome.RUN
    for wrong in ("68 KIAS", True, None, "NaN", 1e309, 10**400):
        assert fly(STOPPED).error("set_system", component="target_airspeed", value=wrong)["legal"]
        assert fly(STOPPED).error("get_weight_balance", front_seats_lb=wrong)["legal"]


def test_b23_no_value_becomes_zero_and_no_text_is_run(fly: Fly, tmp_path: Path) -> None:
    """Grader coercion, code execution. More: cockpit/test_console.py."""
    marker = tmp_path / "acoe_pwned"
    for value in (None, "", "nan", [0], {"value": 0}, False, f"__import__('os').system('touch {marker}')"):
        for component in ("mixture", "fuel_shutoff"):
            fly(STOPPED).error("set_system", component=component, value=value)
    assert not marker.exists()


def test_b27_the_budget_is_exact() -> None:
    """Budget off by one. More: cockpit/test_episode.py."""
    task = library.task(STOPPED)
    reading = play(task, [[READ]] * 60)
    assert (len(reading.turns), reading.end) == (MAX_TURNS, "truncated") == (48, "truncated")
    assert play(task, [[READ]] * 47 + [[SUBMIT]]).end == "submitted"
    assert play(task, [[READ]] * 47 + [[READ, SUBMIT]]).end == "submitted"
    assert play(task, [[]] * 47 + [[("no_tool", "{")]]).end == "truncated"
    assert play(task, [[SUBMIT]], max_turns=1).end == "submitted"


@pytest.mark.parametrize("task_id", TASKS)
def test_b29_no_task_is_won_by_doing_nothing_or_by_reading(task_id: str) -> None:
    """Vacuous task."""
    task = library.task(task_id)
    names = itertools.cycle(task.program.template.world.components)
    reading = [[("get_system", {"component": next(names)}) for _ in range(3)] for _ in range(48)]
    for turns in ([[SUBMIT]], reading):
        grade = play(task, turns).grade()
        assert (grade.success, grade.safe) == (0.0, 1.0)
        assert grade.goal_attainment < 1


@pytest.mark.parametrize("task_id", TASKS)
def test_b29_every_task_has_a_goal_to_reach_and_a_constraint_to_keep(task_id: str) -> None:
    """Vacuous criterion."""
    task = library.task(task_id)
    assert any(task.goal(i).primary for i in task.goals)
    assert task.constraints
    grade = Episode(task).grade()
    assert grade.goals_missed


@pytest.mark.parametrize("task_id", TASKS)
def test_b29_every_constraint_of_every_task_can_be_violated(solve: Solve, task_id: str) -> None:
    """Vacuous criterion: something along the reference, or two writes from the start, breaks it."""
    task = library.task(task_id)
    episode, broken = Episode(task), 0
    for call in solution(solve(task)):
        for _, violated in writes(task, episode.state):
            broken |= violated
        episode.one(*call)
    for state, _ in writes(task, list(task.initial)):
        if broken & task.constraint_mask == task.constraint_mask:
            break
        for _, violated in writes(task, state):
            broken |= violated
    assert broken & task.constraint_mask == task.constraint_mask


def writes(task: Task, state: State) -> Iterator[tuple[State, int]]:
    """Yield what every single write leads to, and the constraints that it breaks."""
    program = task.program
    for name in program.template.world.controls:
        for value in program.template.domains[name].commandable():  # type: ignore[union-attr]
            if state[program.slots[name]] != value:
                after = list(state)
                yield after, program.writers[name](after, value)


@pytest.mark.parametrize("task_id", TASKS)
def test_b29_the_reference_succeeds_without_a_violation(solve: Solve, task_id: str) -> None:
    """Vacuous task, the other way round: the shipped solution is one."""
    episode = solve(library.task(task_id))
    assert (episode.grade().success, episode.violations) == (1.0, 0)


def test_b35_weather_is_told_as_it_was_frozen(fly: Fly) -> None:
    """Decoded weather wrong. More: cockpit/information/test_weather.py."""
    pilot = fly(STOPPED)
    frozen = pilot.episode.task.information.metar["KPAO"]
    assert json.loads(pilot.call("get_metar", station="KPAO").reply)["raw"] == frozen
    assert pilot.error("get_metar", station="ZZZZ")["legal"]


def test_b38_charts_are_interpolated_inside_and_refused_outside(fly: Fly) -> None:
    """Interpolation or table-edge error. More: cockpit/information/test_performance.py."""
    pilot = fly(STOPPED)
    ask = {"chart": "takeoff_distance", "temperature_c": 20}
    low, mid, high = (
        json.loads(pilot.call("get_performance", pressure_altitude_ft=altitude, **ask).reply)[
            "ground_roll_ft"
        ]
        for altitude in (1000, 1500, 2000)
    )
    assert low < mid < high
    assert "8000" in str(pilot.error("get_performance", pressure_altitude_ft=8001, **ask))


def test_b40_every_condition_of_the_restart_counts_and_no_other(fly: Fly) -> None:
    """Transition rule missing or over-broad. More: tasks/test_engine_restart.py."""
    needed = {"target_airspeed": 68, "fuel_selector": "BOTH", "fuel_pump": "ON", "mixture": "RICH"}
    for left_out, value in needed.items():
        pilot = fly(STOPPED)
        pilot.set(**{name: v for name, v in needed.items() if name != left_out}, magnetos="START")
        assert (pilot.read("rpm"), pilot.read("oil_pres")) == (0, 0)
        pilot.set(**{left_out: value}, magnetos="START")
        assert (pilot.read("rpm"), pilot.read("oil_pres")) == (2300, 70)
