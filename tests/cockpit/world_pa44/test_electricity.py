"""Two alternators, a battery and the few breakers of which something is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

Sets = Mapping[str, object]
WORLD = library.world("pa44")
AVIONICS = {"com1_freq", "com2_freq", "nav1_freq", "com_mic", "xpdr_code"}
SYSTEMS = AVIONICS | {
    c.id for c in WORLD.components.values() if c.powered and c.powered.startswith("bus.systems")
}
ALTERNATORS_OFF = {"left_alternator": "OFF", "right_alternator": "OFF"}
ALL_OFF = {**ALTERNATORS_OFF, "battery_master": "OFF"}


@pytest.mark.parametrize(
    ("sets", "volts", "dark"),
    [
        pytest.param({}, 14, set(), id="normal"),
        pytest.param({"left_alternator": "OFF"}, 14, set(), id="one alternator"),
        pytest.param({"battery_master": "OFF"}, 14, set(), id="alternators alone"),
        pytest.param({"right_alternator": "OFF", "battery_master": "OFF"}, 14, set(), id="left alone"),
        pytest.param(ALTERNATORS_OFF, 12, set(), id="battery alone"),
        pytest.param(ALL_OFF, 0, SYSTEMS, id="all off"),
        pytest.param({**ALTERNATORS_OFF, "fault.battery": True}, 0, SYSTEMS, id="flat battery"),
        pytest.param({**ALTERNATORS_OFF, "battery_cb": "OUT"}, 0, SYSTEMS, id="battery breaker out"),
        pytest.param({"circuit_breakers": "OUT"}, 14, SYSTEMS, id="other breakers out"),
        pytest.param({"avionics_master": "OFF"}, 14, AVIONICS, id="radios off"),
        pytest.param({"gear_pump_cb": "OUT"}, 14, set(), id="gear pump breaker out"),
    ],
)
def test_what_is_lost_with_each_source(bench: Bench, sets: Sets, volts: float, dark: set[str]) -> None:
    now = bench.state(sets)
    assert (bench.read(now, "bus_voltage"), bench.dark(now)) == (volts, dark)


@pytest.mark.parametrize(
    "cause",
    [
        {"{x}_alternator": "OFF"},
        {"{x}_alternator_cb": "OUT"},
        {"{x}.fault.alternator": True},
        {"{x}.alternator.tripped": True},
        {"{x}.engine.running": False, "{x}.prop.feathered": True},
    ],
)
def test_dead_alternator_reads_zero_and_the_other_takes_the_load(sided: Bench, cause: Sets) -> None:
    shared, alone = sided.read(sided.state(), "{o}_ammeter"), sided.state(cause)
    assert (sided.read(alone, "{x}_ammeter"), sided.read(alone, "{o}_ammeter")) == (0, 2 * shared)
    assert sided.put("ALT {X}") in sided.lit(alone)
    assert sided.put("ALT {O}") not in sided.lit(alone)


def test_windmilling_engine_still_turns_its_alternator(sided: Bench) -> None:
    now = sided.state({"{x}.engine.running": False, "{x}_mixture": 0})
    assert sided.read(now, "{x}_ammeter") > 0


@pytest.mark.parametrize(("broken", "back"), [(False, True), (True, False)])
def test_off_and_on_resets_a_tripped_alternator_unless_it_is_broken(
    sided: Bench, broken: bool, back: bool
) -> None:
    now = sided.state({"{x}.alternator.tripped": True, "{x}.fault.alternator": broken})
    sided.write(now, {"{x}_alternator": "OFF"})
    assert sided.read(now, "{x}_ammeter") == 0
    sided.write(now, {"{x}_alternator": "ON"})
    assert (sided.read(now, "{x}_ammeter") > 0) is back


def test_breaker_does_not_reset_a_tripped_alternator(sided: Bench) -> None:
    now = sided.write(sided.state({"{x}.alternator.tripped": True}), {"{x}_alternator_cb": "OUT"})
    sided.write(now, {"{x}_alternator_cb": "IN"})
    assert sided.read(now, "{x}_ammeter") == 0


@pytest.mark.parametrize(
    ("sets", "amperes"),
    [
        ({}, 42),
        ({"avionics_master": "OFF"}, 32),
        ({"left_fuel_pump": "ON", "right_fuel_pump": "ON"}, 52),
        ({"cabin_heat": "FAN", "heater_air_intake": "OPEN"}, 52),
        ({"cabin_heat": "FAN"}, 42),
        ({"pitot_heat": "ON"}, 54),
        ({"landing_light": "ON", "nav_lights": "ON", "panel_lights": "ON"}, 56),
        ({"strobe": "OFF"}, 38),
        ({"circuit_breakers": "OUT"}, 4),
    ],
)
def test_ammeters_share_the_load(bench: Bench, sets: Sets, amperes: float) -> None:
    now = bench.state(sets)
    assert bench.read(now, "left_ammeter") + bench.read(now, "right_ammeter") == amperes


def test_full_load_is_more_than_one_alternator_may_carry(bench: Bench) -> None:
    everything = {
        **dict.fromkeys(("left_fuel_pump", "right_fuel_pump", "pitot_heat", "landing_light"), "ON"),
        "cabin_heat": "HEATER",
        "heater_air_intake": "OPEN",
        "left_alternator": "OFF",
    }
    assert bench.read(bench.state(everything), "right_ammeter") > 60


def test_engines_run_on_without_electricity(bench: Bench) -> None:
    now = bench.write(bench.state(), ALL_OFF)
    assert bench.holds(now, "left.engine.running and right.engine.running")
    mechanical = [
        bench.read(now, name) for name in ("left_rpm", "right_manifold_pressure", "left_egt", "suction")
    ]
    assert mechanical == [2400, 20.7, 1350, 5]


def test_standby_attitude_has_a_source_of_its_own(bench: Bench) -> None:
    now = bench.write(bench.state(ALL_OFF), {"standby_attitude_power": "STBY"})
    assert bench.read(now, "standby_attitude") == "WINGS LEVEL"
