"""The tables of calls: complete, fixed, and the same in both directions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Outcome
from acoe_gym.cockpit.domains import Positions, Range
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.text import canonical
from acoe_gym.cockpit.tools import NAMES, TOOLS
from acoe_gym.envs.calls import CallCodec, flat_table, informational_calls, set_points
from acoe_gym.errors import UnknownName

TASK = "c172s/engine_restart/stopped_prop_left_tank"
CODEC = CallCodec(("c172s",))
WORLD = library.world("c172s")


def every_code() -> list[dict[str, int]]:
    """Return one code per call of the structured table, numbers that a tool ignores left at 0."""
    codes = [code(tool) for tool in ("list_systems", "submit")]
    for place, name in enumerate(CODEC.components):
        points = set_points(WORLD.components[name]) if name in WORLD.controls else ()
        codes += [code("get_system", component=place)]
        codes += [code("set_system", component=place, value=number) for number in range(len(points))]
    for tool, offers in informational_calls("c172s").items():
        codes += [code(tool, argument=number) for number in range(len(offers))]
    return codes


def code(tool: str, **numbers: int) -> dict[str, int]:
    return {**dict.fromkeys(CODEC.sizes, 0), "tool": NAMES.index(tool), **numbers}


def test_every_code_decodes_to_a_call_that_encodes_to_it() -> None:
    for each in every_code():
        name, arguments = CODEC.decode(each)
        assert CODEC.encode({"name": name, "arguments": arguments}) == each


@given(st.fixed_dictionaries({key: st.integers(0, size - 1) for key, size in CODEC.sizes.items()}))
def test_every_point_of_the_action_space_is_a_call_of_a_code(point: dict[str, int]) -> None:
    name, arguments = CODEC.decode(point)
    if name == "set_system" and arguments["component"] not in WORLD.controls:
        assert arguments["value"] == "ON"  # asking to set an instrument is a call, which the cockpit rejects
    else:
        assert CODEC.decode(CODEC.encode({"name": name, "arguments": arguments})) == (name, arguments)


def test_numbers_a_tool_does_not_use_are_ignored_and_the_others_wrap_around() -> None:
    place = CODEC.components.index("fuel_selector")
    read = CODEC.decode(code("get_system", component=place, value=9, argument=9))
    assert read == ("get_system", {"component": "fuel_selector"})
    assert CODEC.decode(code("set_system", component=place, value=4))[1]["value"] == "RIGHT"


def test_every_reading_and_every_writable_value_has_a_code() -> None:
    calls = {canonical([*CODEC.decode(each)]) for each in every_code()}
    for tool, arguments in flat_table("c172s"):
        assert canonical([tool, arguments]) in calls


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("get_systm", {}, "nearest: get_system"),
        ("get_system", {"component": "rpn"}, "expected a component of .* nearest: rpm"),
        ("get_system", {}, "expected a component of .* got None"),
        ("get_system", {"component": "rpm", "unit": "psi"}, r'expected the arguments {"component":"rpm"}'),
        ("set_system", {"component": "rpm", "value": 0}, "expected a control of"),
        ("set_system", {"value": 0}, "expected a control of .* got None"),
        ("set_system", {"component": "mixtur", "value": 0}, "nearest: mixture"),
        (
            "set_system",
            {"component": "mixture"},
            "expected a set point of mixture of 0, 50, 80, 100, got None",
        ),
        ("set_system", {"component": "mixture", "value": 33}, "of mixture of 0, 50, 80, 100, got 33"),
        ("set_system", {"component": "fuel_selector", "value": "LEFTT"}, "nearest: LEFT"),
        ("get_metar", {"station": "KPAQ"}, "nearest: .*KPAO"),
        ("get_metar", {}, "expected an offered argument of get_metar"),
        ("submit", {"now": True}, "expected the arguments {} of submit"),
        (None, {}, "expected a tool of"),
    ],
    ids=str,
)
def test_a_call_that_has_no_code_is_refused_naming_what_has(name: Any, arguments: Any, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        CODEC.encode({"name": name, "arguments": arguments})


def test_arguments_may_be_left_out_where_a_tool_takes_none() -> None:
    assert CODEC.encode({"name": "submit"}) == CODEC.encode({"name": "submit", "arguments": None})


# The flat table.


def test_flat_rows_differ_and_are_plain_json() -> None:
    rows = [canonical([tool, arguments]) for tool, arguments in flat_table("c172s")]
    assert len(set(rows)) == len(rows)
    assert [json.loads(row) for row in rows] == [[tool, arguments] for tool, arguments in flat_table("c172s")]


def test_every_flat_row_is_a_call_that_the_cockpit_accepts() -> None:
    for tool, arguments in flat_table("c172s"):
        call = Episode(library.task(TASK)).one(tool, arguments)
        informational = TOOLS[tool].kind == "informational"  # there may be no report of a station
        assert informational or call.outcome < Outcome.REJECTED


def test_the_flat_table_holds_every_reading_every_position_and_every_set_point() -> None:
    table = flat_table("c172s")
    for component in WORLD.components.values():
        assert ("get_system", {"component": component.id}) in table
        values = [a["value"] for tool, a in table if tool == "set_system" and a["component"] == component.id]
        if isinstance(component.domain, Positions):
            assert values == list(component.domain.settable or component.domain.names)
        elif isinstance(component.domain, Range):
            assert values == [component.domain.show(point) for point in component.domain.choices()]
        else:
            assert values == []


def test_the_flat_table_is_small_enough_for_masked_policies() -> None:
    assert len(flat_table("c172s")) <= 500


@pytest.mark.parametrize("template", library.template_ids())
def test_the_flat_table_holds_what_every_procedure_writes(template: str) -> None:
    table, world = flat_table(template.partition("/")[0]), library.template(template).world
    for step in library.template(template).procedure:
        for component, value in step.sets:
            if not str(value).startswith("$"):
                domain = world.domains[component]
                shown = domain.show(domain.parse(value))
                assert ("set_system", {"component": component, "value": shown}) in table
