"""Annunciators light at their triggers and not before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.cockpit.world_c172s.conftest import Bench

Sets = Mapping[str, object]
WINDMILLING = {"engine.running": False}
STOPPED = {"engine.running": False, "prop.stopped": True}
# (line, nearest state in which it is dark, state in which it is lit)
TRIGGERS: list[tuple[str, Sets, Sets]] = [
    ("OIL PRESSURE", WINDMILLING, STOPPED),
    ("OIL PRESSURE", {}, {"fault.oil_pressure": True}),
    ("LOW VOLTS", {}, {"master_alt": "OFF"}),
    ("LOW VOLTS", {}, {"master_alt": "OFF", "master_bat": "OFF"}),
    ("LOW VOLTS", {}, WINDMILLING),
    ("HIGH VOLTS", {"fault.overvoltage": True, "master_alt": "OFF"}, {"fault.overvoltage": True}),
    ("CO LVL HIGH", {}, {"co.high": True}),
    ("LOW FUEL L", {"tank.left": 5}, {"tank.left": 4.5}),
    ("LOW FUEL R", {"tank.right": 5}, {"tank.right": 4.5}),
    ("LOW VACUUM", WINDMILLING, STOPPED),
    ("LOW VACUUM", {}, {"fault.vacuum_pump": True}),
    ("STBY BATT", {"master_alt": "OFF"}, {"master_alt": "OFF", "master_bat": "OFF"}),
]


@pytest.mark.parametrize(("line", "off", "on"), TRIGGERS)
def test_annunciator_lights_at_its_trigger(bench: Bench, line: str, off: Sets, on: Sets) -> None:
    assert line not in bench.lit(bench.state(off))
    assert line in bench.lit(bench.state(on))


def test_every_annunciator_has_a_trigger_here() -> None:
    assert {line for line, _, _ in TRIGGERS} == {
        text for text, _ in library.world("c172s").components["cas"].lines
    }


def test_stopped_engine_on_battery_lights_what_the_handbook_expects(bench: Bench) -> None:
    assert bench.lit(bench.state(STOPPED)) == ("OIL PRESSURE", "LOW VOLTS", "LOW VACUUM")


@pytest.mark.parametrize(
    ("sets", "reading", "line", "beyond"),
    [
        ({"fault.oil_pressure": True}, "oil_pres", "OIL PRESSURE", lambda psi: psi <= 20),
        ({"fault.vacuum_pump": True}, "vac", "LOW VACUUM", lambda inhg: inhg < 3.5),
        ({"fault.overvoltage": True}, "m_bus_v", "HIGH VOLTS", lambda volts: volts > 32),
        ({"fault.alternator": True}, "m_bus_v", "LOW VOLTS", lambda volts: volts < 24.5),
    ],
)
def test_gauge_agrees_with_its_annunciator(
    bench: Bench, sets: Sets, reading: str, line: str, beyond: object
) -> None:
    assert callable(beyond)
    now = bench.state(sets)
    assert (bench.lit(now), beyond(bench.read(now, reading))) == ((line,), True)
    assert not beyond(bench.read(bench.state(), reading))


def test_softkey_silences_the_tone_until_the_next_warning(bench: Bench) -> None:
    now = bench.write(bench.state(), {"master_alt": "OFF"})
    assert bench.lit(now, "crew_report") == ("WARNING TONE",)
    bench.write(now, {"warning_softkey": "PRESS"})
    assert (bench.lit(now, "crew_report"), bench.lit(now)) == ((), ("LOW VOLTS",))
    bench.write(now, {"master_alt": "ON"})
    bench.write(now, {"master_alt": "OFF"})
    assert bench.lit(now, "crew_report") == ("WARNING TONE",)
