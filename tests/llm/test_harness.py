"""Harnesses: what they add, that it is marked, and that they know nothing but what was said."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.benchmark.models import Model
from acoe_gym.benchmark.records import FILE, Record, record_of
from acoe_gym.benchmark.trajectory import trajectory
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.protocol import briefing, role_prompt
from acoe_gym.wrappers.llm import harness as module
from acoe_gym.wrappers.llm.conversation import Conversation
from acoe_gym.wrappers.llm.harness import HARNESSES, Plan
from acoe_gym.wrappers.llm.policies import ScriptedPolicy, calling

if TYPE_CHECKING:
    from tests.llm.conftest import Server

TASK = library.task("c172s/engine_restart/stopped_prop_left_tank")
LIST: tuple[str, dict[str, object]] = ("list_systems", {})
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})
READ = ("get_system", {"component": "rpm"})
PUMP = ("set_system", {"component": "fuel_pump", "value": "ON"})
PUMP_READ = ("get_system", {"component": "fuel_pump"})
Fly = Callable[..., tuple[Record, list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def fly(check: Callable[..., str | None]) -> Fly:
    """Return a function that flies messages under a harness and returns record and last history."""

    def flown(harness: str, *messages: dict[str, Any]) -> tuple[Record, list[dict[str, Any]]]:
        scripted = ScriptedPolicy(messages)
        seen: list[dict[str, Any]] = []

        def policy(history: Any, tools: Any) -> Any:
            assert check(history) is None
            seen[:] = json.loads(json.dumps(history))
            return scripted(history, tools)

        done = Model("m", harness=harness).fly(policy, TASK)
        record = record_of(done.episode, trial=0, policy="m", policy_seed=0, suite="core", pilot=done.pilot)
        return record, seen

    return flown


def names(record: Record) -> list[list[str]]:
    return [[call["name"] for call in turn] for turn in record["turns"]]


def marks(record: Record) -> list[list[int]]:
    return [turn["harness_calls"] for turn in record["pilot"]["turns"]]


def plans(history: list[dict[str, Any]]) -> list[str]:
    """Return the plans that were shown, each from its heading on."""
    told = [m["content"] for m in history if m["role"] != "assistant" and "HARNESS plan" in m["content"]]
    return [content[content.index("HARNESS plan") :] for content in told]


# None.


def test_without_a_harness_no_byte_is_added() -> None:
    said = calling([PUMP, SUBMIT], "TODO: pump")
    conversation = Conversation(role_prompt(), briefing(TASK))
    calls = conversation.hear(said)
    replies = [call.reply for call in Episode(TASK).turn(calls)]
    conversation.answer(replies)
    assert calls == [PUMP, SUBMIT]
    assert [m["content"] for m in conversation.messages] == [
        role_prompt(),
        briefing(TASK),
        "TODO: pump",
        *replies,
    ]
    assert conversation.turns[0]["harness_calls"] == []


# Plan.


def test_the_plan_is_shown_before_every_turn_but_the_first(fly: Fly) -> None:
    _, history = fly("plan", calling([READ]), calling([LIST]), {"content": "Hm."}, calling([SUBMIT]))
    spoken = [i for i, message in enumerate(history) if message["role"] == "assistant"]
    assert all("HARNESS plan" in history[i - 1]["content"] for i in spoken[1:])
    assert len(plans(history)) == 3


def test_the_plan_holds_the_models_own_steps_what_was_set_and_what_was_read(fly: Fly) -> None:
    _, history = fly(
        "plan",
        calling([READ, PUMP], "I think.\n- TODO: pump on\n  TODO: magnetos\nDONE: speed\nTodo: not this"),
        calling([PUMP_READ], "DONE: pump on"),
        calling([SUBMIT]),
    )
    first, second = (plan.split("\n")[1:] for plan in plans(history))
    assert first == [
        "outstanding: pump on; magnetos", "done: speed", "set: fuel_pump ON", "readings: rpm 0 (old)",
    ]  # fmt: skip
    assert second == [
        "outstanding: magnetos", "done: pump on; speed", "set: fuel_pump ON",
        'readings: rpm 0 (old); fuel_pump "ON"',
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["1. TODO: pump", "- [ ] TODO: pump", "**TODO:** pump", "### TODO: pump **"])
def test_a_step_is_heard_in_any_list(line: str) -> None:
    plan = Plan()
    plan.hear(f"Well.\n{line}\nSo.")
    assert plan.open_steps() == ["pump"]


def test_the_plan_stays_bounded_whatever_a_model_writes() -> None:
    plan = Plan()
    for number in range(500):
        plan.hear(f"TODO: {number} {'x' * 5000}")
        plan.see("set_system", {"ok": True, "component": f"c{number}", "set": 1})
    assert len(plan.steps) == len(plan.shown().split("\n")[3].split("; ")) == 60
    assert len(plan.shown()) < 20_000


def test_a_rejected_call_is_not_part_of_the_plan() -> None:
    plan = Plan()
    plan.see("set_system", {"ok": False, "component": "x", "set": 1})
    plan.see("get_system", {"error": {}})
    assert (plan.sets, plan.readings) == ([], {})


@pytest.mark.parametrize("reply", ["not JSON", "[]", "", '{"ok":'])
def test_a_reply_that_cannot_be_read_is_not_part_of_the_plan(reply: str) -> None:
    conversation = Conversation("role", "briefing", harness="plan")
    conversation.hear(calling([READ]))
    conversation.answer([reply])
    assert conversation.messages[-1]["content"].endswith("readings: -")


# Read-back.


def test_every_write_is_read_back_and_the_reading_is_told_with_the_reply(fly: Fly) -> None:
    record, history = fly("readback", calling([LIST]), calling([PUMP, READ, PUMP]), calling([SUBMIT]))
    assert names(record)[1] == ["set_system", "get_system", "get_system", "set_system", "get_system"]
    assert marks(record) == [[], [1, 4], []]
    told = [m["content"].split("\n") for m in history if m["role"] == "tool"][1:]
    assert [len(lines) for lines in told] == [2, 1, 2]
    assert json.loads(told[0][1])["value"] == "ON"


def test_readings_of_a_harness_count_as_calls_and_cost_no_turn(fly: Fly) -> None:
    messages = calling([LIST]), calling([PUMP]), calling([SUBMIT])
    counts = [fly(harness, *messages)[0]["metrics"] for harness in ("none", "readback")]
    assert [(count["turns"], count["calls"]) for count in counts] == [(3, 3), (3, 4)]


def test_readings_of_a_harness_are_told_apart_in_the_trajectory(fly: Fly) -> None:
    record, _ = fly("readback", calling([LIST]), calling([PUMP]), calling([SUBMIT]))
    assert [event.by_harness for event in trajectory(record).events] == [False, False, True, False]


@pytest.mark.parametrize("writes", [15, 16, 17, 31, 32, 40])
def test_a_harness_never_pushes_a_models_call_over_the_limit(fly: Fly, writes: int) -> None:
    record, _ = fly("readback", calling([LIST]), calling([PUMP] * writes), calling([SUBMIT]))
    turn, made = record["turns"][1], marks(record)[1]
    assert len(made) == max(0, min(writes, 32 - writes))
    assert len(turn) == writes + len(made)
    assert record["metrics"]["writes"] == min(writes, 32)


@pytest.mark.parametrize("name", ["fuel_pump", "FUEL_PUMP", " fuel_pump "])
def test_a_write_is_read_back_however_its_name_is_written(fly: Fly, name: str) -> None:
    write = ("set_system", {"component": name, "value": "ON"})
    record, _ = fly("readback", calling([PUMP_READ]), calling([write]), calling([SUBMIT]))
    assert names(record)[1] == ["set_system", "get_system"]
    assert record["turns"][1][1]["arguments"] == {"component": "fuel_pump"}


def test_a_write_to_what_no_reply_has_named_is_read_back_too(fly: Fly) -> None:
    record, _ = fly("readback", calling([PUMP]), calling([SUBMIT]))
    assert names(record) == [["set_system", "get_system"], ["submit"]]


@pytest.mark.parametrize("component", [None, 7, ["fuel_pump"]], ids=str)
def test_a_write_that_names_nothing_is_not_read_back(fly: Fly, component: Any) -> None:
    write = ("set_system", {"component": component, "value": "ON"})
    record, _ = fly("readback", calling([write]), calling([SUBMIT]))
    assert marks(record) == [[], []]
    assert record["metrics"]["selection_misses"] == 1


# Audit.


def test_the_first_submit_is_held_back_once_and_told_what_is_open(fly: Fly) -> None:
    record, history = fly(
        "audit", calling([READ, PUMP], "TODO: magnetos"), calling([SUBMIT]), calling([SUBMIT])
    )
    assert names(record) == [["get_system", "set_system"], [], ["submit"]]
    assert ["submit_blocked" in turn["notes"] for turn in record["pilot"]["turns"]] == [False, True, False]
    assert json.loads(history[-1]["content"])["error"] == {
        "code": "harness_audit",
        "message": "not submitted yet: look at what is open, then call submit again",
        "legal": {
            "outstanding": ["magnetos"],
            "planned_steps": 1,
            "read_before_the_last_change": ["rpm"],
        },
    }


def test_a_held_submit_costs_its_turn_and_is_no_call(fly: Fly) -> None:
    record, _ = fly("audit", calling([SUBMIT]), calling([SUBMIT]))
    assert (record["metrics"]["turns"], record["metrics"]["calls"], record["end"]) == (2, 1, "submitted")


def test_two_submits_in_one_reply_are_held_back_together(fly: Fly) -> None:
    record, _ = fly("audit", calling([SUBMIT, READ, SUBMIT]), calling([SUBMIT]))
    assert names(record) == [["get_system"], ["submit"]]
    assert record["pilot"]["turns"][0]["notes"].count("submit_blocked") == 1


def test_a_submit_in_the_last_turn_is_not_held_back(fly: Fly) -> None:
    record, _ = fly("audit", *[calling([READ])] * 47, calling([SUBMIT]))
    assert (record["metrics"]["turns"], record["end"]) == (48, "submitted")


def test_a_submit_in_the_last_turn_but_one_is_held_back(fly: Fly) -> None:
    record, _ = fly("audit", *[calling([READ])] * 46, calling([SUBMIT]), calling([SUBMIT]))
    assert (record["metrics"]["turns"], record["end"]) == (48, "submitted")
    assert record["pilot"]["turns"][46]["notes"].count("submit_blocked") == 1


# What a harness knows.


def test_a_model_is_told_of_its_harness_and_of_no_other() -> None:
    for harness, parts in HARNESSES.items():
        system = Conversation("role", "briefing", harness=harness).messages[0]["content"]
        assert ("TODO:" in system) == bool(parts & {"plan", "audit"})
        assert ("first call of submit" in system) == ("audit" in parts)


def test_harness_and_conversation_import_nothing_that_knows_the_task() -> None:
    for path in (Path(module.__file__), Path(inspect.getfile(Conversation))):
        found = {
            (node.module, name.name)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("acoe_gym.cockpit")
            for name in node.names
        }
        assert found <= {
            ("acoe_gym.cockpit.episode", "MAX_CALLS_PER_TURN"),
            ("acoe_gym.cockpit.episode", "MAX_TURNS"),
            ("acoe_gym.cockpit.procedure", "ToolCall"),
            ("acoe_gym.cockpit.tools", "openai_tools"),
        }


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_harness_needs_nothing_but_messages_and_replies(harness: str) -> None:
    messages = [
        calling([LIST, READ], "TODO: a"),
        calling([PUMP], "DONE: a"),
        calling([SUBMIT]),
        calling([SUBMIT]),
    ]
    episode = Episode(TASK)
    first = Conversation("role", "briefing", harness=harness)
    replies: list[list[str]] = []
    for message in messages:
        replies.append([call.reply for call in episode.turn(first.hear(message))])
        first.answer(replies[-1])
        if episode.end:
            break
    # Nothing but messages and replies: no task, no template, no episode is there at all.
    second = Conversation("role", "briefing", harness=harness)
    for message, told in zip(messages, replies, strict=False):
        second.hear(message)
        second.answer(told)
    assert second.messages == first.messages


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_harness_stands_in_the_record_and_in_the_run(
    server: Server, tmp_path: Path, harness: str
) -> None:
    (record,) = server.fly(tmp_path, harness=harness)
    assert record["pilot"]["harness"] == harness
    assert json.loads((tmp_path / "run.json").read_text())["settings"]["harness"] == harness
    assert server.complaints == []
    assert (tmp_path / FILE).exists()
