"""Flight readings under faults, the runway, and what the crew feels and hears."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

Sets = Mapping[str, object]
DEAD = {"{x}.engine.running": False, "{x}_mixture": 0}
ROLL = {"airborne": False, "ground.roll": True, "gear.at": "DOWN", "landing_gear": "DOWN"}
CLOSED = {"left_throttle": "IDLE", "right_throttle": "IDLE"}


@pytest.mark.parametrize(
    ("sets", "reads"),
    [
        ({}, 90),
        ({"ice.pitot": True}, 0),
        ({"ice.pitot": True, "pitot_heat": "ON"}, 90),
        ({"ice.pitot": True, "pitot_heat": "ON", "circuit_breakers": "OUT"}, 0),
        ({"fault.static_port": True}, 80),
        ({"fault.static_port": True, "alternate_static": "ON"}, 92),
        ({"airborne": False}, 0),
        (ROLL, 90),
    ],
)
def test_airspeed_indicator(bench: Bench, sets: Sets, reads: int) -> None:
    assert bench.read(bench.write(bench.state(sets), {"target_airspeed": 90}), "ias") == reads


@pytest.mark.parametrize(
    ("sets", "stops"),
    [
        ({**CLOSED, "brakes": "APPLIED"}, True),
        ({**CLOSED, "brakes": "MAX"}, True),
        (CLOSED, False),
        ({"left_throttle": "IDLE", "brakes": "MAX"}, False),
        ({"right_throttle": "IDLE", "brakes": "MAX"}, False),
    ],
)
@pytest.mark.parametrize("short", [False, True])
def test_both_throttles_and_the_brakes_end_the_roll_on_a_long_runway(
    bench: Bench, sets: Sets, stops: bool, short: bool
) -> None:
    now = bench.write(bench.state({**ROLL, "runway.short": short, "target_airspeed": 60}), sets)
    assert bench.read(now, "ias") == (60 if not stops else 30 if short else 0)


def test_blocked_static_port_holds_altitude_until_the_alternate_source(bench: Bench) -> None:
    now = bench.state({"fault.static_port": True, "altitude.ft": 3000, "left_mixture": 0})
    assert [bench.read(now, name) for name in ("altitude", "vertical_speed")] == [4500, 0]
    bench.write(now, {"alternate_static": "ON"})
    assert [bench.read(now, name) for name in ("altitude", "vertical_speed")] == [3000, -110]


def test_altimeter_follows_its_setting(bench: Bench) -> None:
    assert bench.read(bench.write(bench.state(), {"altimeter_setting": 30.02}), "altitude") == 4600


@pytest.mark.parametrize(
    ("sets", "fpm"),
    [
        ({}, 0),
        ({"climbing": True}, 1300),
        ({**DEAD, "altitude.ft": 0}, 10),
        ({**DEAD, "altitude.ft": 0, "{x}.prop.feathered": True}, 210),
        ({**DEAD, "altitude.ft": 5000, "{x}.prop.feathered": True}, 10),
        ({**DEAD, "altitude.ft": 0, "flaps": "10"}, -90),
        ({**DEAD, "altitude.ft": 0, "flaps": "25"}, -230),
        ({**DEAD, "altitude.ft": 0, "flaps": "40"}, -265),
        ({**DEAD, "altitude.ft": 0, "landing_gear": "DOWN"}, -240),
        ({"{x}_mixture": 0, "{o}_mixture": 0}, -900),
        ({"airborne": False}, 0),
    ],
)
def test_climb_on_two_engines_one_and_none(sided: Bench, sets: Sets, fpm: int) -> None:
    assert sided.read(sided.state(sets), "vertical_speed") == fpm


def test_nose_yaws_to_the_dead_engine_and_the_ball_goes_to_the_good_one(sided: Bench) -> None:
    now = sided.state(DEAD)
    assert sided.lit(now, "crew_report") == {sided.put("YAW {X}"), "RUDDER FORCE"}
    assert sided.read(now, "slip_ball") == sided.put("{O}")
    assert sided.lit(sided.write(now, {"rudder_trim": sided.put("{O}")}), "crew_report") == {
        sided.put("YAW {X}")
    }


@pytest.mark.parametrize(("speed", "rolls"), [(56, False), (55, True)])
def test_airplane_rolls_to_the_dead_engine_below_56_knots(sided: Bench, speed: int, rolls: bool) -> None:
    now = sided.write(sided.state(DEAD), {"target_airspeed": speed})
    assert (sided.put("ROLL {X}") in sided.lit(now, "crew_report")) is rolls


def test_no_yaw_without_power_or_without_speed(sided: Bench) -> None:
    yaw = sided.put("YAW {X}")
    assert yaw in sided.lit(sided.state({**DEAD, **ROLL}), "crew_report")
    assert yaw not in sided.lit(sided.state({**DEAD, "airborne": False}), "crew_report")
    assert yaw not in sided.lit(sided.state({**DEAD, "{o}_mixture": 0}), "crew_report")


@pytest.mark.parametrize(
    ("speed", "flaps", "warns"), [(61, "0", True), (62, "0", False), (60, "25", False), (59, "40", True)]
)
def test_stall_warning(bench: Bench, speed: int, flaps: str, warns: bool) -> None:
    now = bench.write(bench.state(), {"target_airspeed": speed, "flaps": flaps})
    assert (bench.read(now, "stall_warning") == "SOUNDING") is warns
    assert bench.read(bench.write(now, {"circuit_breakers": "OUT"}), "stall_warning") == "SILENT"


def test_one_vacuum_pump_carries_the_gyros_and_a_red_button_tells_the_other(sided: Bench) -> None:
    now = sided.state({"{x}.fault.vacuum": True})
    assert [sided.read(now, name) for name in ("suction", "{x}_suction_button", "{o}_suction_button")] == [
        *(5, "RED", "IN")
    ]
    assert sided.read(now, "heading") == 90


@pytest.mark.parametrize(("speed", "button"), [(50, "IN"), (49, "RED")])
def test_vacuum_pump_needs_500_rpm(sided: Bench, speed: int, button: str) -> None:
    now = sided.state({**DEAD, **ROLL, "target_airspeed": speed})
    assert (sided.read(now, "{x}_rpm"), sided.read(now, "{x}_suction_button")) == (10 * speed, button)


def test_vacuum_gyros_and_electric_turn_indicator_fail_apart(bench: Bench) -> None:
    no_suction = bench.state({"left.fault.vacuum": True, "right.fault.vacuum": True})
    assert bench.dark(no_suction) == {"attitude", "heading"}
    no_power = bench.dark(bench.state({"circuit_breakers": "OUT"}))
    assert "turn_indicator" in no_power
    assert not no_power & {"attitude", "heading", "compass"}


def test_turning_back_shows_on_every_attitude_instrument(bench: Bench) -> None:
    now = bench.write(bench.state(), {"flight_path": "TURN BACK"})
    names = ("attitude", "standby_attitude", "turn_indicator", "heading", "compass")
    assert [bench.read(now, name) for name in names] == ["BANKED", "BANKED", "TURNING", 270, 270]


HEATER = {"cabin_heat": "HEATER", "heater_air_intake": "OPEN"}


@pytest.mark.parametrize(
    ("line", "sets", "felt"),
    [
        ("WARM AIR", HEATER, True),
        ("WARM AIR", {**HEATER, "heater_air_intake": "CLOSED"}, False),
        ("WARM AIR", {**HEATER, "cabin_heat": "FAN"}, False),
        ("WARM AIR", {**HEATER, "cabin_temp": 49}, False),
        ("WARM AIR", {**HEATER, "fault.heater": True}, False),
        ("WARM AIR", {**HEATER, "circuit_breakers": "OUT"}, False),
        ("WINDSHIELD FOGGED", {"windshield.fog": True, **HEATER}, True),
        ("WINDSHIELD FOGGED", {"windshield.fog": True, "defrost": "ON"}, True),
        ("WINDSHIELD FOGGED", {"windshield.fog": True, **HEATER, "defrost": "ON"}, False),
        ("CONTROL FORCE", {"pitch_trim": "NOSE UP"}, True),
        ("RUDDER FORCE", {"rudder_trim": "LEFT"}, True),
        ("RUDDER FORCE", {"rudder_trim": "LEFT", "airborne": False}, False),
        ("WIND NOISE", {"storm_window": "OPEN"}, True),
        ("WIND NOISE", {"door_side_latch": "OPEN"}, True),
        ("WIND NOISE", {"door_top_latch": "OPEN"}, True),
        ("WIND NOISE", {"emergency_exit": "OPEN"}, True),
        ("WIND NOISE", {"emergency_exit": "OPEN", "airborne": False}, False),
    ],
)
def test_crew_senses(bench: Bench, line: str, sets: Sets, felt: bool) -> None:
    assert (line in bench.lit(bench.state(sets), "crew_report")) is felt
