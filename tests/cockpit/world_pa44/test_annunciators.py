"""Annunciators light at their triggers and not before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

Sets = Mapping[str, object]
# (line, nearest state in which it is dark, state in which it is lit)
TRIGGERS: list[tuple[str, Sets, Sets]] = [
    ("ALT {X}", {"{o}_alternator": "OFF"}, {"{x}_alternator": "OFF"}),
    ("ALT {X}", {"{x}.engine.running": False, "{x}_mixture": 0}, {"{x}_propeller": "FEATHER"}),
    ("LO BUS", {"{x}_alternator": "OFF"}, {"{x}_alternator": "OFF", "{o}_alternator": "OFF"}),
    ("VAC", {"{x}.fault.vacuum": True}, {"{x}.fault.vacuum": True, "{o}.fault.vacuum": True}),
    ("VAC", {"{x}.fault.vacuum": True}, {"{x}.fault.vacuum": True, "{o}_propeller": "FEATHER"}),
    ("OIL {X}", {"{o}.fault.oil": True}, {"{x}.fault.oil": True}),
    ("OIL {X}", {"{x}.engine.running": False, "{x}_mixture": 0}, {"{x}_propeller": "FEATHER"}),
    ("GEAR UNSAFE", {"gear_pump_cb": "OUT"}, {"gear_pump_cb": "OUT", "landing_gear": "DOWN"}),
    ("GEAR UNSAFE", {"flaps": "10"}, {"flaps": "25"}),
    ("HTR OVER TEMP", {"cabin_heat": "HEATER", "heater_air_intake": "OPEN"}, {"fault.heater": True}),
]


@pytest.mark.parametrize(("line", "off", "on"), TRIGGERS)
def test_annunciator_lights_at_its_trigger(sided: Bench, line: str, off: Sets, on: Sets) -> None:
    assert sided.put(line) not in sided.lit(sided.state(off))
    assert sided.put(line) in sided.lit(sided.state(on))


def test_every_annunciator_has_a_trigger_here() -> None:
    lines = {text for text, _ in library.world("pa44").components["annunciators"].lines}
    marks = [("LEFT", "RIGHT"), ("RIGHT", "LEFT")]
    assert lines == {line.format(X=x, O=o) for line, _, _ in TRIGGERS for x, o in marks}


def test_secured_engine_lights_alternator_and_oil(sided: Bench) -> None:
    now = sided.write(sided.state(), {"{x}_throttle": "IDLE", "{x}_propeller": "FEATHER"})
    assert sided.lit(now) == {sided.put("ALT {X}"), sided.put("OIL {X}")}


@pytest.mark.parametrize(
    ("sets", "reading", "line", "beyond"),
    [
        ({"{x}.fault.oil": True}, "{x}_oil_pressure", "OIL {X}", 25),
        ({"left.fault.vacuum": True, "right.fault.vacuum": True}, "suction", "VAC", 4.5),
        ({"left_alternator": "OFF", "right_alternator": "OFF"}, "bus_voltage", "LO BUS", 12.5),
        ({"{x}.fault.alternator": True}, "{x}_ammeter", "ALT {X}", 1),
    ],
)
def test_gauge_agrees_with_its_annunciator(
    sided: Bench, sets: Sets, reading: str, line: str, beyond: float
) -> None:
    now = sided.state(sets)
    assert sided.put(line) in sided.lit(now)
    assert sided.read(now, reading) < beyond < sided.read(sided.state(), reading)
