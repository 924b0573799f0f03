from __future__ import annotations

from typing import Any

import pytest

from acoe_gym.benchmark.records import Record, record_of
from acoe_gym.benchmark.tool_use import KindRow, ToolRow, tool_use
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import play
from acoe_gym.cockpit.tools import NAMES
from acoe_gym.errors import RecordError

TASK = "c172s/engine_restart/stopped_prop_left_tank"
CALLS: list[list[tuple[object, object]]] = [
    [("list_systems", {}), ("get_system", {"component": "rpm"})],
    [("set_system", {"component": "fuel_pump", "value": "ON"}), ("set_system", {"component": "fuel_pump"})],
    [("get_metar", {"station": "KPAO"}), ("fly", {})],
    [("get_system", {"component": "nothing"}), ("submit", {}), ("list_systems", {})],
]


def flown(turns: list[list[tuple[object, object]]], **more: Any) -> Record:
    record = record_of(play(library.task(TASK), turns), trial=0, policy="p", policy_seed=0, suite="core")
    return {**record, **more}


def test_calls_divide_over_the_tools_and_those_not_run_count_nowhere() -> None:
    used = tool_use([flown(CALLS)])
    rows = {row.tool: row for row in used.tools}
    assert tuple(rows) == (*NAMES, "unknown")
    assert used.calls == 8
    assert rows["list_systems"] == ToolRow("list_systems", "cockpit reads", 1, 1 / 8, 0.0, 1, 0)
    assert rows["get_system"] == ToolRow("get_system", "cockpit reads", 2, 2 / 8, 0.5, 0, 0)
    assert rows["set_system"] == ToolRow("set_system", "writes", 2, 2 / 8, 0.5, 0, 0)
    assert rows["unknown"] == ToolRow("unknown", "unknown", 1, 1 / 8, 1.0, 0, 0)
    assert rows["get_taf"] == ToolRow("get_taf", "informational", 0, 0.0, None, 0, 0)
    assert used.kinds == (
        KindRow("cockpit reads", 3, 3 / 8),
        KindRow("writes", 2, 2 / 8),
        KindRow("informational", 1, 1 / 8),
        KindRow("submit", 1, 1 / 8),
        KindRow("unknown", 1, 1 / 8),
    )


def test_a_write_that_changed_nothing_was_not_rejected() -> None:
    used = tool_use([flown([[("set_system", {"component": "fuel_pump", "value": "OFF"}), ("submit", {})]])])
    assert [row.rejected for row in used.tools if row.tool == "set_system"] == [0.0]


def test_the_first_call_is_counted_once_an_episode() -> None:
    used = tool_use([flown(CALLS), flown(CALLS[1:]), flown([[] for _ in range(48)])])
    first = {row.tool: row.first for row in used.tools if row.first}
    assert first == {"list_systems": 1, "set_system": 1}
    assert (used.episodes, used.without_calls) == (3, 1)


def test_calls_that_a_harness_made_are_counted_apart() -> None:
    said = [{"harness_calls": [1]}, {}, {"harness_calls": []}, {"harness_calls": [0]}]
    used = tool_use([flown(CALLS, pilot={"turns": said})])
    assert {row.tool: row.by_harness for row in used.tools if row.by_harness} == {"get_system": 2}


def test_an_episode_that_comes_out_differently_is_refused() -> None:
    with pytest.raises(RecordError, match=r"trial 0: expected trajectory 000000000000, got .*`acoe replay`"):
        tool_use([flown(CALLS, hash="0" * 64)])


def test_no_records_have_no_calls() -> None:
    used = tool_use([])
    assert (used.calls, {row.share for row in used.tools}) == (0, {0.0})
