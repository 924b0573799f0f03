"""Landing gear: the pump, the emergency knob, the lights that can lie, and the horn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

Sets = Mapping[str, object]
DOWN = {"landing_gear": "DOWN"}
PULLED = {"emergency_gear_extension": "PULLED"}
SLOW = {"target_airspeed": 100}
LIGHTS = ("gear_light_nose", "gear_light_left", "gear_light_right")
NO_POWER = {"battery_master": "OFF", "left_alternator": "OFF", "right_alternator": "OFF"}


def at(bench: Bench, now: list[bool | int | float]) -> str:
    return next(place for place in ("UP", "TRANSIT", "DOWN") if bench.holds(now, f"gear.at == {place}"))


def greens(bench: Bench, now: list[bool | int | float]) -> list[bool]:
    return [bench.read(now, name) == "GREEN" for name in LIGHTS]


def test_selector_moves_the_gear_both_ways(bench: Bench) -> None:
    now = bench.write(bench.state(), DOWN)
    assert (at(bench, now), greens(bench, now), bench.lit(now)) == ("DOWN", [True] * 3, set())
    bench.write(now, {"landing_gear": "UP"})
    assert (at(bench, now), greens(bench, now), bench.lit(now)) == ("UP", [False] * 3, set())


@pytest.mark.parametrize(
    "failure", [{"fault.gear_pump": True}, {"gear_pump_cb": "OUT"}, {"fault.gear_jam": True}, NO_POWER]
)
@pytest.mark.parametrize("place", ["UP", "TRANSIT"])
def test_gear_stays_where_a_failure_leaves_it(bench: Bench, failure: Sets, place: str) -> None:
    now = bench.write(bench.state({**failure, "gear.at": place}), DOWN)
    assert (at(bench, now), greens(bench, now)) == (place, [False] * 3)
    assert failure is NO_POWER or "GEAR UNSAFE" in bench.lit(now)


def test_breaker_back_in_lets_the_gear_travel(bench: Bench) -> None:
    now = bench.write(bench.state({"gear_pump_cb": "OUT"}), DOWN)
    assert at(bench, bench.write(now, {"gear_pump_cb": "IN"})) == "DOWN"


@pytest.mark.parametrize("failure", [{}, {"fault.gear_pump": True}, {"gear_pump_cb": "OUT"}, NO_POWER])
@pytest.mark.parametrize("place", ["UP", "TRANSIT"])
@pytest.mark.parametrize(("speed", "falls_to"), [(100, "DOWN"), (101, "TRANSIT")])
def test_knob_lets_the_gear_fall_and_lock_at_100_knots_or_less(
    bench: Bench, failure: Sets, place: str, speed: int, falls_to: str
) -> None:
    now = bench.state({**failure, "gear.at": place, "landing_gear": "DOWN"})
    bench.write(now, {"target_airspeed": speed, **PULLED})
    assert at(bench, now) == ("DOWN" if failure == {} else falls_to)


def test_gear_that_hangs_after_a_fast_pull_locks_when_slower(bench: Bench) -> None:
    now = bench.write(bench.state({"fault.gear_pump": True}), {**DOWN, **PULLED})
    assert at(bench, now) == "TRANSIT"
    bench.write(now, SLOW)
    assert (at(bench, now), greens(bench, now), bench.lit(now)) == ("DOWN", [True] * 3, set())
    assert at(bench, bench.write(now, {"target_airspeed": 120})) == "DOWN"


def test_gear_does_not_come_up_while_the_knob_is_out(bench: Bench) -> None:
    now = bench.write(bench.state(), {**SLOW, **DOWN, **PULLED, "landing_gear": "UP"})
    assert (at(bench, now), "GEAR UNSAFE" in bench.lit(now)) == ("DOWN", True)


@pytest.mark.parametrize(("speed", "place"), [(120, "TRANSIT"), (100, "DOWN")])
def test_gear_falls_when_its_pressure_is_lost(bench: Bench, speed: int, place: str) -> None:
    assert at(bench, bench.state({"fault.gear_leak": True, "target_airspeed": speed})) == place


def test_jammed_gear_does_not_fall(bench: Bench) -> None:
    assert at(bench, bench.write(bench.state({"fault.gear_jam": True}), {**SLOW, **DOWN, **PULLED})) == "UP"


def test_selector_does_not_move_the_gear_on_the_ground(bench: Bench) -> None:
    now = bench.state({"airborne": False, "gear.at": "DOWN", **DOWN})
    bench.write(now, {"landing_gear": "UP"})
    assert (at(bench, now), bench.read(now, "gear_warning_horn")) == ("DOWN", "SOUNDING")


@pytest.mark.parametrize("leg", ["nose", "left", "right"])
def test_dead_bulb_darkens_one_light_and_nothing_else(bench: Bench, leg: str) -> None:
    now = bench.write(bench.state({f"fault.bulb_{leg}": True}), DOWN)
    assert [name.endswith(leg) for name in LIGHTS] == [not green for green in greens(bench, now)]
    assert bench.lit(now) == set()


@pytest.mark.parametrize(("night", "green"), [(False, False), (True, True)])
def test_navigation_lights_dim_the_gear_lights_away_by_day(bench: Bench, night: bool, green: bool) -> None:
    now = bench.write(bench.state({"night": night}), {**DOWN, "nav_lights": "ON"})
    assert (greens(bench, now), bench.lit(now)) == ([green] * 3, set())
    assert greens(bench, bench.write(now, {"nav_lights": "OFF"})) == [True] * 3


def test_without_power_no_light_shows_a_gear_that_is_down(bench: Bench) -> None:
    now = bench.write(bench.state(), {**DOWN, **NO_POWER})
    assert (at(bench, now), greens(bench, now)) == ("DOWN", [False] * 3)


@pytest.mark.parametrize(
    ("sets", "sounds"),
    [
        ({}, False),
        ({"left_throttle": 22}, True),
        ({"left_throttle": 23}, False),
        ({"right_throttle": 0}, True),
        ({"flaps": "10"}, False),
        ({"flaps": "25"}, True),
        ({"flaps": "40"}, True),
        ({**DOWN, "left_throttle": 0, "right_throttle": 0, "flaps": "40"}, False),
        ({"fault.gear_pump": True, **DOWN, "flaps": "25"}, True),
        ({"left.engine.running": False, "left_mixture": 0, "left_throttle": 0}, False),
        ({"right_throttle": 0, "circuit_breakers": "OUT"}, False),
        ({"airborne": False, "gear.at": "DOWN", "landing_gear": "UP"}, True),
        ({"airborne": False, "gear.at": "DOWN", **DOWN}, False),
    ],
)
def test_horn(bench: Bench, sets: Sets, sounds: bool) -> None:
    now = bench.state(sets)
    assert bench.read(now, "gear_warning_horn") == ("SOUNDING" if sounds else "SILENT")
    assert not sounds or "GEAR UNSAFE" in bench.lit(now)
