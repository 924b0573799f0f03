from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.tools import INFORMATIONAL, TOOLS
from acoe_gym.play.session import Session
from acoe_gym.play.words import exchange_lines

TASK = "c172s/engine_restart/windmilling_mixture_cutoff"
Told = Callable[..., list[str]]


@pytest.fixture
def told() -> Told:
    session = Session(library.task(TASK))

    def call(tool: str, *, raw: bool = False, **arguments: Any) -> list[str]:
        return exchange_lines(session.ask(tool, arguments), session.components, raw=raw)

    return call


def test_a_reading_names_label_id_value_and_unit(told: Told) -> None:
    assert told("get_system", component="fuel_qty_l") == ["FUEL QTY L (fuel_qty_l): 20 gal"]


def test_a_write_tells_what_was_set(told: Told) -> None:
    assert told("set_system", component="mixture", value="rich") == [
        "set MIXTURE (mixture) to 100: done, set to 100 %"
    ]


def test_a_rejection_is_told_in_the_cockpits_own_words(told: Told) -> None:
    (line,) = told("set_system", component="mixture", value="120")
    assert line.endswith("not done: expected 0 to 100 % in steps of 1 or IDLE CUTOFF, RICH, got '120'")


def test_an_unknown_component_is_told_as_it_was_asked_for(told: Told) -> None:
    (line,) = told("get_system", component="mixtur")
    assert line == "mixtur: not done: there is no component 'mixtur'; nearest: mixture"


def test_json_stands_below_the_words_when_asked_for(told: Told) -> None:
    lines = told("get_system", raw=True, component="fuel_pump")
    assert lines[1:] == [
        '  > get_system {"component":"fuel_pump"}',
        '  < {"ok":true,"component":"fuel_pump","value":"OFF"}',
    ]


def test_a_report_of_one_text_is_that_text(told: Told) -> None:
    assert told("get_metar", station="KLVK") == [
        "get_metar (station KLVK): KLVK 232253Z AUTO 25009KT 10SM CLR 41/08 A2979 RMK AO2 T04110083"
    ]


def test_rows_are_told_one_a_line(told: Told) -> None:
    lines = told("get_winds_aloft", station="KLVK")
    assert lines[:2] == ["get_winds_aloft (station KLVK):", "  rows:"]
    assert lines[2].startswith("    - altitude_ft 3000, direction_deg ")


@pytest.mark.parametrize("tool", INFORMATIONAL)
def test_every_tool_is_told_without_json(told: Told, tool: str) -> None:
    given = {"station": "KLVK", "chart": "climb", "query": "fuel reserves", "pressure_altitude_ft": 4000}
    arguments = {key: given[key] for key in TOOLS[tool].parameters if key in given}
    lines = told(tool, **arguments)
    assert lines
    assert not any(mark in line for line in lines for mark in ('":', "{", "[]"))
