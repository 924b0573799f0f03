"""The reference: the procedure as a policy that knows the list, the briefing and what the tools answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Outcome
from acoe_gym.cockpit.episode import MAX_TURNS, Episode
from acoe_gym.cockpit.expressions import BOOL, parse
from acoe_gym.cockpit.procedure import ToolCall, Unreadable, evaluate, follow, probes
from acoe_gym.cockpit.task import Task

pytestmark = pytest.mark.usefixtures("pump")
Solve = Callable[..., Episode]
PumpWith = Callable[..., Task]
TASKS = library.task_ids()
WINDMILLING = "c172s/engine_restart/windmilling_mixture_cutoff"


def short(episode: Episode) -> list[str]:
    """The calls in a few words: what was read, what was set to what."""
    words = []
    for call in episode.log:
        asked = json.loads(call.arguments)
        words.append(" ".join(str(part) for part in asked.values()) if asked else call.tool)
    return words


def told(task: Task, answers: Callable[[str, dict[str, Any]], dict[str, Any]]) -> list[ToolCall]:
    """Run a procedure against invented replies and return its calls."""
    turns, made = follow(task), []
    calls = next(turns)
    while True:
        made += calls
        if calls[-1][0] == "submit":
            return made
        calls = turns.send([answers(*call) for call in calls])


def dark(tool: str, asked: dict[str, Any]) -> dict[str, Any]:
    return {"ok": True, "status": "unpowered", "value": None}


def test_it_reads_what_its_conditions_name_and_then_acts(solve: Solve) -> None:
    assert short(solve(library.task("pump/priming/half"))) == [
        "drain",
        "drain SHUT",
        "power",
        "power ON",
        "east_valve",
        "east_valve OPEN",
        "flow",
        "start",
        "start PUSH",
        "speed",
        "speed 50",
        "submit",
    ]


def test_it_knows_the_captains_decisions(solve: Solve) -> None:
    assert short(solve(library.task("pump/priming/full")))[-2:] == ["speed 100", "submit"]


@pytest.mark.parametrize("task_id", TASKS)
def test_it_succeeds_within_the_budget_and_wastes_no_write(solve: Solve, task_id: str) -> None:
    episode = solve(library.task(task_id))
    assert (episode.grade().success, episode.end) == (1.0, "submitted")
    assert len(episode.turns) == len(episode.log) <= MAX_TURNS
    assert {call.outcome for call in episode.log} == {Outcome.RUN}


@pytest.mark.parametrize("task_id", TASKS)
def test_the_whole_list_is_safe_and_solves_the_task(solve: Solve, task_id: str) -> None:
    episode = solve(library.task(task_id), whole=True)
    assert (episode.grade().safe, episode.grade().success) == (1.0, 1.0)
    assert len({call.arguments for call in episode.log if call.tool == "set_system"}) >= 3


def test_it_believes_replies_and_never_looks_at_the_state() -> None:
    def answers(tool: str, asked: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "value": {"rpm": 0, "magnetos": "R"}.get(asked.get("component", ""))}

    calls = told(library.task(WINDMILLING), answers)
    assert ("set_system", {"component": "magnetos", "value": "START"}) in calls


def test_a_condition_over_a_dark_reading_does_not_hold() -> None:
    calls = told(library.task(WINDMILLING), dark)
    assert not [asked for tool, asked in calls if tool == "set_system" and asked["component"] == "magnetos"]


def test_a_control_that_cannot_be_read_is_moved() -> None:
    calls = told(library.task(WINDMILLING), dark)
    assert ("set_system", {"component": "fuel_selector", "value": "BOTH"}) in calls


def test_evaluating_needs_every_reading_it_gets_to() -> None:
    names = library.program("pump/priming").template.names
    with pytest.raises(Unreadable):
        evaluate(parse("flow > 1 or flow == 0", names, BOOL, "test"), {"flow": None})
    assert evaluate(parse("speed > 1 or flow == 0", names, BOOL, "test"), {"flow": None, "speed": 5}) is True


def test_a_value_can_be_taken_from_a_reply(solve: Solve) -> None:
    episode = solve(library.task("c172s/engine_restart/windmilling_shutoff_closed"))
    assert "A2987" in next(call.reply for call in episode.log if call.tool == "get_metar")
    assert short(episode)[-4:-2] == ["baro_pfd 29.87", "rpm"]


def test_a_control_that_a_rule_moves_is_looked_at_again(solve: Solve) -> None:
    words = short(solve(library.task("c172s/electrical_fire/standby_armed")))
    off = words.index("master_bat OFF")
    assert words[off + 1] == "master_alt"  # it went OFF by itself, so it is read and left alone


def test_probes_are_the_controls_that_the_list_moves_to_diagnose() -> None:
    assert probes(library.task(WINDMILLING)) == {"fuel_pump"}
    assert probes(library.task("pump/priming/half")) == frozenset()
