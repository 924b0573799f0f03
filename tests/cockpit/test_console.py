"""One call: replies, rejections, the one policy for values in every tool. Semantics section 2."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Console, Outcome, console_of
from acoe_gym.cockpit.episode import LONGEST_REPLY, Episode
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.tools import INFORMATIONAL, NAMES, TOOLS

if TYPE_CHECKING:
    from tests.conftest import Pilot

pytestmark = pytest.mark.usefixtures("pump")
Fly = Callable[[str], "Pilot"]
STOPPED = "c172s/engine_restart/stopped_prop_left_tank"
HALF = "pump/priming/half"
BURNING = "c172s/electrical_fire/standby_armed"


# The shape of every reply.

anything: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.binary(max_size=4)
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=4,
)
arguments = st.one_of(
    anything,
    st.fixed_dictionaries({"component": anything}),
    st.fixed_dictionaries(
        {"component": st.sampled_from(["throttle", "cas", "flaps", "hot"]), "value": anything}
    ),
    st.dictionaries(
        st.sampled_from(["station", "chart", "query", "altitude_ft", "fuel_gal"]), anything, max_size=3
    ),
)


@given(st.sampled_from([*NAMES, "set_switch", ""]) | anything, arguments)
def test_any_call_is_answered_by_one_line_of_strict_ascii_json(tool: object, asked: object) -> None:
    call = Episode(library.task(STOPPED)).one(tool, asked)
    reply = json.loads(call.reply, parse_constant=pytest.fail)
    assert call.reply.isascii()
    assert "\n" not in call.reply
    assert len(call.reply) <= LONGEST_REPLY
    assert reply["ok"] is (call.outcome is not Outcome.REJECTED)
    if not reply["ok"]:
        assert set(reply["error"]) == {"code", "message", "legal"}


@given(st.sampled_from(NAMES) | anything, arguments)
def test_what_is_recorded_replays_to_the_same_call(tool: object, asked: object) -> None:
    task = library.task(STOPPED)
    call = Episode(task).one(tool, asked)
    again = Episode(task).one(call.tool, json.loads(call.arguments))
    assert again == call


@given(st.sampled_from([name for name in NAMES if name != "set_system"]), arguments)
def test_only_set_system_changes_the_state(tool: str, asked: object) -> None:
    episode = Episode(library.task(STOPPED))
    episode.one(tool, asked)
    assert tuple(episode.state) == episode.task.initial


def test_a_reading_has_its_unit_and_a_dark_one_has_no_value(fly: Fly) -> None:
    pilot = fly(HALF)
    assert pilot.call("get_system", component="flow").reply == (
        '{"ok":true,"component":"flow","status":"unpowered","value":null}'
    )
    pilot.set(power="ON")
    assert pilot.call("get_system", component="flow").reply == (
        '{"ok":true,"component":"flow","value":0,"unit":"l/s"}'
    )
    assert (
        pilot.call("get_system", component="drain").reply == '{"ok":true,"component":"drain","value":"OPEN"}'
    )
    assert pilot.call("get_system", component="alarms").reply == '{"ok":true,"component":"alarms","value":[]}'


def test_instruments_are_rounded_to_their_decimals(fly: Fly) -> None:
    pilot = fly(HALF)
    pilot.set(drain="SHUT", power="ON", east_valve="OPEN", start="PUSH", speed=35)
    assert (pilot.read("pressure"), pilot.read("flow")) == (3.45, 3.5)


def test_list_systems_tells_every_component_and_no_value(fly: Fly) -> None:
    assert json.loads(fly(HALF).call("list_systems").reply) == {
        "ok": True,
        "aircraft": "Pump station",
        "instruments": {
            "flow": "FLOW [l/s]",
            "pressure": "PRESSURE [bar]",
            "alarms": "ALARMS",
            "operator": "OPERATOR",
        },
        "controls": {
            "east_valve": "EAST VALVE: SHUT|OPEN",
            "west_valve": "WEST VALVE: SHUT|OPEN",
            "drain": "DRAIN: SHUT|HALF|OPEN",
            "power": "POWER: OFF|ON",
            "start": "START: REST|PUSH",
            "speed": "SPEED: 0..100/5 [%]|FULL",
        },
        "breakers IN|OUT": {"fuse": "FUSE: IN"},
    }


def test_list_systems_is_the_same_in_every_task_of_an_aircraft() -> None:
    replies = {
        Episode(library.task(name)).one("list_systems", {}).reply
        for t in library.template_ids("c172s")
        for name in library.task_ids(t)
    }
    assert len(replies) == 1
    assert len(replies.pop()) <= 6000


# Names.


def hidden_names(task_id: str) -> list[str]:
    """Everything that expressions may name and a pilot may not."""
    template = library.task(task_id).program.template
    return [name for name in template.names.names() if name not in template.world.components]


def without_name(error: dict[str, Any], name: str) -> tuple[str, str, Any]:
    message = str(error["message"]).partition("; nearest: ")[0].replace(repr(name), "NAME")
    return error["code"], message, error["legal"]


@pytest.mark.parametrize("task_id", [HALF, STOPPED, BURNING])
def test_hidden_names_are_answered_like_names_that_do_not_exist(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    for tool, value in (("get_system", {}), ("set_system", {"value": True}), ("set_system", {"value": 3})):
        unknown = without_name(pilot.error(tool, component="warp_drive", **value), "warp_drive")
        assert unknown == ("unknown_component", "there is no component NAME", "an id given by list_systems")
        for name in hidden_names(task_id):
            assert without_name(pilot.error(tool, component=name, **value), name) == unknown


@pytest.mark.parametrize("task_id", [HALF, STOPPED, BURNING])
def test_a_suggestion_never_names_what_is_hidden(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    hidden = hidden_names(task_id)
    for name in [*hidden, *(name[:-1] for name in hidden), *(f"{name}x" for name in hidden)]:
        message = str(pilot.error("get_system", component=name)["message"])
        suggested = re.split(", ", message.partition("; nearest: ")[2]) if "nearest" in message else []
        assert set(suggested) <= set(pilot.episode.task.program.template.world.components)


def test_a_near_miss_is_told_the_nearest_component(fly: Fly) -> None:
    message = fly(HALF).error("set_system", component="presure", value=1)["message"]
    assert message == "there is no component 'presure'; nearest: pressure, power"


def test_ids_match_without_regard_to_case_and_blanks(fly: Fly) -> None:
    pilot = fly(HALF)
    assert pilot.call("get_system", component=" Drain\n") == pilot.call("get_system", component="drain")
    assert pilot.call("set_system", component="DRAIN", value="half").reply == (
        '{"ok":true,"component":"drain","set":"HALF"}'
    )


# Bad calls: a clear message and no change.

SPEED = "expected 0 to 100 % in steps of 5 or FULL, got"
DRAIN = "expected one of SHUT, HALF, OPEN, got"


@pytest.mark.parametrize(
    ("component", "value", "code", "message"),
    [
        ("flow", 3, "read_only", "flow can be read but not set"),
        ("alarms", "HOT", "read_only", "alarms can be read but not set"),
        ("fuse", "OUT", "not_settable", "fuse can be set to IN only, got 'OUT'"),
        ("drain", "AJAR", "illegal_value", f"{DRAIN} 'AJAR'"),
        ("drain", "HALFF", "illegal_value", f"{DRAIN} 'HALFF'; nearest: HALF"),
        ("drain", "\u00b0\u2603", "illegal_value", f"{DRAIN} '\\xb0\\u2603'"),
        ("drain", "x" * 5000, "illegal_value", f"{DRAIN} 'xxxxxxxx"),
        ("speed", 105, "out_of_range", f"{SPEED} 105"),
        ("speed", 52, "off_step", "expected a multiple of 5 from 0, got 52; neighbours: 50, 55"),
        ("speed", float("nan"), "illegal_value", f"{SPEED} nan"),
        ("speed", 1e309, "illegal_value", f"{SPEED} inf"),
        ("speed", True, "illegal_value", f"{SPEED} True"),
        ("speed", None, "illegal_value", f"{SPEED} None"),
        ("x" * 5000, 1, "unknown_component", "there is no component 'xxxxxxxx"),
        ("\u00b0", 1, "unknown_component", "there is no component '\\xb0'"),
        (7, 1, "bad_argument", "component expects a text, got 7"),
    ],
)
def test_a_bad_write_is_explained_and_changes_nothing(
    fly: Fly, component: object, value: object, code: str, message: str
) -> None:
    error = fly(HALF).error("set_system", component=component, value=value)
    assert error["code"] == code
    assert error["message"].startswith(message)
    assert error["legal"]


@pytest.mark.parametrize(
    ("tool", "asked", "code", "message"),
    [
        ("set_system", {"component": "drain"}, "missing_argument", "set_system expects the argument value"),
        ("set_system", {"value": 1}, "missing_argument", "set_system expects the argument component"),
        ("set_system", {"valeu": 1}, "unknown_argument", "set_system expects component, value, got 'valeu'"),
        ("get_system", {"component": None}, "bad_argument", "component expects a text, got None"),
        ("get_system", {"component": ["a"]}, "bad_argument", "component expects a text, got ['a']"),
        (
            "get_system",
            {"component": "drain", "why": 1},
            "unknown_argument",
            "get_system expects component, got",
        ),
        ("list_systems", {"panel": 1}, "unknown_argument", "list_systems expects no arguments, got 'panel'"),
        ("submit", {"confirm": True}, "unknown_argument", "submit expects no arguments, got 'confirm'"),
        ("get_metar", {}, "missing_argument", "get_metar expects the argument station"),
        ("set_switch", {}, "unknown_tool", "there is no tool 'set_switch'; nearest: set_system"),
        (
            "functions.get_system",
            {},
            "unknown_tool",
            "there is no tool 'functions.get_system'; nearest: get_system",
        ),
        ("", {}, "unknown_tool", "there is no tool ''"),
        (None, {}, "unknown_tool", "there is no tool 'null'"),
        ("get_system", '{"component": "dra', "bad_json", "arguments expect one JSON object, got '{"),
        ("get_system", '["drain"]', "bad_json", "arguments expect a JSON object, got ['drain']"),
        ("get_system", '"drain"', "bad_json", "arguments expect a JSON object, got 'drain'"),
        ("set_system", '{"value": NaN}', "bad_json", "arguments expect one JSON object, got "),
        ("set_system", "[" * 3000, "bad_json", "arguments expect one JSON object, got '[[[["),
        ("get_system", 7, "bad_json", "arguments expect a JSON object, got 7"),
        ("get_system", ["drain"], "bad_json", "arguments expect a JSON object, got ['drain']"),
        ("get_system", b"{}", "bad_json", "arguments expect a JSON object, got <bytes>"),
        ("get_system", None, "missing_argument", "get_system expects the argument component"),
        ("get_system", " ", "missing_argument", "get_system expects the argument component"),
    ],
)
def test_a_bad_call_is_explained_and_changes_nothing(
    tool: object, asked: object, code: str, message: str
) -> None:
    episode = Episode(library.task(HALF))
    call = episode.one(tool, asked)
    error = json.loads(call.reply)["error"]
    assert (error["code"], call.outcome, call.violated) == (code, Outcome.REJECTED, 0)
    assert error["message"].startswith(message)
    assert error["legal"]
    assert len(call.reply) < 1000
    assert (episode.end, tuple(episode.state)) == (None, episode.task.initial)


def test_arguments_may_be_the_text_of_an_object(fly: Fly) -> None:
    text, plain = fly(HALF), fly(HALF)
    for tool, asked in (
        ("set_system", {"component": "speed", "value": "50"}),
        ("get_system", {"component": "speed"}),
    ):
        assert text.episode.one(tool, json.dumps(asked)) == plain.episode.one(tool, asked)
    assert text.episode.one("list_systems", "") == plain.episode.one("list_systems", {})


def test_no_value_is_ever_run_as_code(tmp_path: Path) -> None:
    marker = tmp_path / "pwned"
    text = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    episode = Episode(library.task(STOPPED), max_turns=1000)
    for tool in (name for name in NAMES if name != "submit"):
        names = [*TOOLS[tool].parameters, text]
        episode.one(tool, dict.fromkeys(names[:-1], text))
        episode.one(tool, dict.fromkeys(names, text))
        episode.one(tool, text)
    for component in episode.task.program.template.world.controls:
        episode.one("set_system", {"component": component, "value": text})
    assert not marker.exists()
    assert tuple(episode.state) == episode.task.initial


# What was asked before leaves no trace in an answer.

oddities = st.sampled_from(
    [
        5,
        5.0,
        "5",
        True,
        np.int64(5),
        np.float64(5),
        np.bool_(True),
        np.str_("5"),
        Decimal(5),
        Fraction(5),
        0,
        -0.0,
        False,
        "FULL",
        "full",
        1,
        1.0,
        "OPEN",
        "open ",
    ]
)
written = st.tuples(st.sampled_from(["speed", "drain", "start"]), oddities)


@given(st.lists(written, max_size=12), written)
def test_an_answer_does_not_depend_on_what_other_episodes_asked(
    others: list[tuple[str, object]], last: tuple[str, object]
) -> None:
    task = library.task(HALF)
    used, fresh = (Console(Program(task.program.template)) for _ in range(2))
    for name, value in others:
        used.run(list(task.initial), "set_system", {"component": name, "value": value}, task)
    asked = {"component": last[0], "value": last[1]}
    replies = [console.run(list(task.initial), "set_system", asked, task) for console in (used, fresh)]
    assert replies[0] == replies[1]


def test_all_episodes_of_a_template_share_one_console() -> None:
    first, second = (library.task(name) for name in library.task_ids("pump/priming"))
    assert console_of(first.program) is console_of(second.program)


# Replies keep silent about goals, constraints and violations.


def test_a_violating_write_is_answered_like_any_other(fly: Fly) -> None:
    safe, unsafe = fly(HALF), fly(HALF)
    unsafe.set(drain="SHUT", power="ON", start="PUSH")
    safe.set(power="ON")
    (bad,), (good,) = unsafe.set(power="OFF"), safe.set(power="OFF")
    assert (bad.violated.bit_count(), good.violated) == (1, 0)
    assert (bad.reply, bad.arguments, bad.outcome) == (good.reply, good.arguments, good.outcome)


def test_submit_tells_no_grade(fly: Fly) -> None:
    assert fly(HALF).call("submit").reply == '{"ok":true,"submitted":true}'


def test_there_are_twelve_tools_and_eight_of_them_inform() -> None:
    assert (len(NAMES), len(INFORMATIONAL)) == (12, 8)
    assert [name for name, tool in TOOLS.items() if tool.writes] == ["set_system"]
