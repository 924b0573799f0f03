"""Gear extension in the PA-44: slow before the knob, no way back in transit, a horn that wants no gear."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library, variants
from acoe_gym.cockpit.reference import replay, solve, writes

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "pa44/gear_extension/"
DEAD, HALF_WAY, FELL = T + "pump_dead", T + "pump_stopped_half_way", T + "legs_fell_without_pressure"
HORN, BREAKER = T + "horn_in_descent", T + "breaker_out_lights_dark"
TASKS = library.task_ids("pa44/gear_extension")
LANDING = (DEAD, HALF_WAY, FELL, BREAKER)
ALTIMETER = {HALF_WAY: 30.08, FELL: 29.97, BREAKER: 29.85}
LIGHTS = ("gear_light_nose", "gear_light_left", "gear_light_right")


def extend(pilot: Pilot) -> Pilot:
    """Fly the emergency extension and set the altimeter, asked or not."""
    pilot.set(target_airspeed=100, landing_gear="DOWN", emergency_gear_extension="PULLED")
    pilot.set(altimeter_setting=ALTIMETER.get(pilot.episode.task.id, 29.92))
    return pilot


# The situations.


def test_a_dead_pump_shows_only_once_the_selector_is_moved(fly: Fly) -> None:
    pilot = fly(DEAD)
    assert (pilot.read("annunciators"), pilot.read("crew_report")) == ([], [])
    pilot.set(target_airspeed=120, landing_gear="DOWN")
    assert pilot.read("annunciators") == ["GEAR UNSAFE"]
    assert pilot.read("crew_report") == []


@pytest.mark.parametrize("task_id", [HALF_WAY, FELL])
def test_legs_in_transit_rumble_and_show_no_green(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    assert pilot.read("crew_report") == ["RUMBLE UNDER FLOOR"]
    assert pilot.read("annunciators") == ["GEAR UNSAFE"]
    assert {pilot.read(light) for light in LIGHTS} == {"DARK"}


def test_the_horn_sounds_in_the_descent_with_the_legs_up(fly: Fly) -> None:
    pilot = fly(HORN)
    assert pilot.read("gear_warning_horn") == "SOUNDING"
    assert pilot.read("annunciators") == ["GEAR UNSAFE"]
    assert pilot.read("crew_report") == []


# Extension.


@pytest.mark.parametrize("task_id", LANDING)
def test_slow_select_and_pull_brings_the_gear_down(fly: Fly, task_id: str) -> None:
    pilot = extend(fly(task_id))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])
    assert "GEAR UNSAFE" not in pilot.read("annunciators")


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize("speed", [101, 130])
def test_the_knob_is_not_for_more_than_100(fly: Fly, task_id: str, speed: int) -> None:
    pilot = fly(task_id)
    pilot.set(target_airspeed=speed, emergency_gear_extension="PULLED")
    assert pilot.violated == [("knob_not_above_100", "emergency_gear_extension")]


def test_pulled_too_fast_the_legs_hang_until_the_airplane_is_slow(fly: Fly) -> None:
    pilot = fly(DEAD)
    pilot.set(emergency_gear_extension="PULLED")
    assert pilot.read("crew_report") == ["RUMBLE UNDER FLOOR"]
    assert pilot.read("gear_light_nose") == "DARK"
    pilot.set(target_airspeed=100)
    assert pilot.read("gear_light_nose") == "GREEN"


def test_legs_without_pressure_lock_at_100_without_the_knob(fly: Fly) -> None:
    pilot = fly(FELL)
    pilot.set(target_airspeed=101)
    assert pilot.episode.grade().goal_attainment == 0.0
    pilot.set(target_airspeed=100)
    assert {pilot.read(light) for light in LIGHTS} == {"GREEN"}
    assert "no_warning_left" in pilot.episode.grade().goals_missed
    pilot.set(landing_gear="DOWN", altimeter_setting=29.97)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_legs_that_stopped_half_way_need_the_knob(fly: Fly) -> None:
    pilot = fly(HALF_WAY)
    pilot.set(target_airspeed=100)
    assert pilot.episode.grade().goal_attainment == 0.0
    pilot.set(emergency_gear_extension="PULLED")
    assert {pilot.read(light) for light in LIGHTS} == {"GREEN"}


def test_the_breaker_pushed_in_is_as_good_as_the_knob(fly: Fly) -> None:
    pilot = fly(BREAKER)
    pilot.set(target_airspeed=140, gear_pump_cb="IN", landing_gear="DOWN", altimeter_setting=29.85)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_dark_lights_over_a_locked_gear_are_explained_by_dimmer_and_bulb(fly: Fly) -> None:
    pilot = extend(fly(BREAKER))
    assert {pilot.read(light) for light in LIGHTS} == {"DARK"}
    pilot.set(nav_lights="OFF")
    assert [pilot.read(light) for light in LIGHTS] == ["GREEN", "DARK", "GREEN"]
    assert pilot.episode.grade().success == 1.0


def test_at_night_the_dimmed_lights_are_seen(fly: Fly) -> None:
    pilot = extend(fly(HALF_WAY))
    assert pilot.read("nav_lights") == "ON"
    assert {pilot.read(light) for light in LIGHTS} == {"GREEN"}


@pytest.mark.parametrize("task_id", LANDING)
def test_what_becomes_of_the_knob_is_free(fly: Fly, task_id: str) -> None:
    pilot = extend(fly(task_id))
    pilot.set(emergency_gear_extension="STOWED")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


# Reversal and speeds.


@pytest.mark.parametrize("task_id", [HALF_WAY, FELL])
def test_recycling_legs_in_transit_is_a_reversal(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(target_airspeed=105, landing_gear="DOWN")
    assert pilot.violated == []
    pilot.set(landing_gear="UP")
    assert pilot.violated == [("not_reversed_in_transit", "landing_gear")]


def test_recycling_legs_that_are_still_up_is_free(fly: Fly) -> None:
    pilot = fly(DEAD)
    pilot.set(target_airspeed=130, landing_gear="DOWN")
    pilot.set(landing_gear="UP")
    assert extend(pilot).violated == []


@pytest.mark.parametrize("task_id", [DEAD, BREAKER])
def test_the_gear_is_not_selected_above_140(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(landing_gear="DOWN")
    assert pilot.violated == [("gear_speeds", "landing_gear")]


@pytest.mark.parametrize(("speed", "violated"), [(109, []), (110, [("gear_speeds", "landing_gear")])])
def test_the_gear_is_not_retracted_above_109(fly: Fly, speed: int, violated: list[tuple[str, str]]) -> None:
    pilot = extend(fly(FELL))
    pilot.set(target_airspeed=speed, landing_gear="UP")
    assert pilot.violated == violated


@pytest.mark.parametrize(("speed", "violated"), [(140, []), (141, [("gear_speeds", "target_airspeed")])])
def test_with_the_gear_out_140_is_the_limit(fly: Fly, speed: int, violated: list[tuple[str, str]]) -> None:
    pilot = extend(fly(DEAD))
    pilot.set(target_airspeed=speed)
    assert pilot.violated == violated


# The horn that asks for no gear.


def test_flaps_up_and_power_up_silence_the_horn(fly: Fly) -> None:
    pilot = fly(HORN)
    pilot.set(flaps="0", left_throttle=65, right_throttle=65)
    assert pilot.read("gear_warning_horn") == "SILENT"
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("left_out", ["flaps", "left_throttle", "right_throttle"])
def test_one_cause_left_keeps_it_sounding(fly: Fly, left_out: str) -> None:
    pilot = fly(HORN)
    done = {"flaps": "0", "left_throttle": 65, "right_throttle": 65}
    pilot.set(**{name: value for name, value in done.items() if name != left_out})
    assert pilot.read("gear_warning_horn") == "SOUNDING"
    assert pilot.episode.grade().goal_attainment == 0.0


def test_gear_is_no_cure_for_a_captain_who_flies_on_clean(fly: Fly) -> None:
    pilot = extend(fly(HORN))
    assert pilot.read("gear_warning_horn") == "SILENT"
    assert (pilot.episode.grade().goal_attainment, pilot.violated) == (0.0, [])


def test_a_horn_without_power_is_not_silenced(fly: Fly) -> None:
    pilot = fly(HORN)
    pilot.set(flaps="0", circuit_breakers="OUT")
    assert pilot.read("gear_warning_horn") == "SILENT"
    assert pilot.episode.grade().goal_attainment == 0.0


# Told apart, and beside the core.


@pytest.mark.parametrize("task_id", TASKS)
def test_no_reference_solves_more_than_two_tasks(task_id: str) -> None:
    steps = writes(solve(library.task(task_id)))
    assert sum(replay(library.task(other), steps).grade().success for other in TASKS) <= 2


def test_the_altimeter_is_that_of_the_field(fly: Fly) -> None:
    for task_id, setting in ALTIMETER.items():
        pilot = fly(task_id)
        shown = f"A{setting * 100:.0f}"
        assert shown in pilot.call("get_metar", station="KSJC").reply


def test_the_whole_list_written_out_solves_500_variants() -> None:
    drawn = (variants.generate("pa44/gear_extension", seed) for seed in range(500))
    assert [task.id for task in drawn if solve(task, whole=True).grade().success != 1.0] == []
