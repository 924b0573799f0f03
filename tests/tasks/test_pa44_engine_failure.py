"""An engine failure in the PA-44: which side, checks that cure it, securing what stays dead, the climb."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library, variants
from acoe_gym.cockpit.episode import Episode

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "pa44/engine_failure/"
TASKS = library.task_ids("pa44/engine_failure")
CURABLE = ("left_pump_failed", "right_carburettor_iced", "left_magnetos_off", "right_mixture_cut")
DEAD = ("left_broken", "right_fuel_line_blocked")
CLIMB = ("left_broken_in_climb", "right_fuel_line_blocked_in_climb")
CHECKS: dict[str, object] = {
    "fuel_pump": "ON",
    "mixture": "RICH",
    "carb_heat": "ON",
    "magneto_left": "ON",
    "magneto_right": "ON",
}
SECURING: dict[str, object] = {
    "throttle": "IDLE",
    "propeller": "FEATHER",
    "mixture": "IDLE CUTOFF",
    "cowl_flap": "CLOSED",
    "alternator": "OFF",
    "magneto_left": "OFF",
    "magneto_right": "OFF",
    "fuel_pump": "OFF",
    "fuel_selector": "OFF",
}
GOAL_OF = {
    "throttle": "throttle_closed",
    "mixture": "mixture_cut",
    "cowl_flap": "cowl_flap_closed",
    "alternator": "alternator_off",
    "magneto_left": "magnetos_off",
    "magneto_right": "magnetos_off",
    "fuel_pump": "pump_off",
    "fuel_selector": "selector_off",
}


def side_of(task: str) -> str:
    return task.partition("_")[0]


def other(side: str) -> str:
    return "right" if side == "left" else "left"


def put(pilot: Pilot, side: str, settings: dict[str, object]) -> Pilot:
    """Write controls of one engine in order."""
    pilot.set(**{f"{side}_{name}": value for name, value in settings.items()})
    return pilot


def checked(fly: Fly, task: str) -> Pilot:
    """Fly 88 KIAS and make the checks before securing."""
    pilot = fly(T + task)
    pilot.set(target_airspeed=88)
    return put(pilot, side_of(task), CHECKS)


# What the pilot sees.


@pytest.mark.parametrize("task", [*CURABLE, *DEAD, *CLIMB])
def test_the_nose_yaws_to_the_dead_engine_and_its_manifold_pressure_misleads(fly: Fly, task: str) -> None:
    pilot, side = fly(T + task), side_of(task)
    assert f"YAW {side.upper()}" in pilot.read("crew_report")
    assert pilot.read(f"{side}_egt") < pilot.read(f"{other(side)}_egt")
    assert pilot.read(f"{side}_manifold_pressure") >= pilot.read(f"{other(side)}_manifold_pressure")


def test_low_in_the_climb_the_altitude_is_told(fly: Fly) -> None:
    for task in CLIMB:
        pilot = fly(T + task)
        assert "500 feet" in pilot.episode.task.briefing
        assert pilot.read("altitude") <= 500
    assert "height to spare" in fly(T + "left_broken").episode.task.briefing


# The checks cure four of them.


@pytest.mark.parametrize("task", CURABLE)
def test_the_checks_bring_the_engine_back(fly: Fly, task: str) -> None:
    pilot, side = checked(fly, task), side_of(task)
    assert pilot.true(f"{side}.engine.running") is True
    assert f"YAW {side.upper()}" not in pilot.read("crew_report")
    pilot.set(altimeter_setting=pilot.true("baro.actual"))  # whether asked or not
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("task", [*CURABLE, *DEAD])
def test_the_checks_bring_nothing_else_back(fly: Fly, task: str) -> None:
    pilot, side = checked(fly, task), side_of(task)
    assert pilot.true(f"{side}.engine.running") is (task in CURABLE)


@pytest.mark.parametrize("left_out", ["fuel_pump", "mixture"])
def test_the_engine_stays_dead_while_one_check_is_left_out(fly: Fly, left_out: str) -> None:
    pilot = fly(T + "left_pump_failed")
    put(pilot, "left", {name: value for name, value in CHECKS.items() if name != left_out})
    assert pilot.episode.grade().goal_attainment == 0.0
    put(pilot, "left", {left_out: CHECKS[left_out]})
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("task", CURABLE)
def test_carburettor_heat_matters_to_an_iced_carburettor_alone(fly: Fly, task: str) -> None:
    pilot, side = fly(T + task), side_of(task)
    put(pilot, side, {name: value for name, value in CHECKS.items() if name != "carb_heat"})
    assert pilot.true(f"{side}.engine.running") is (task != "right_carburettor_iced")


def test_a_failed_pump_needs_the_electric_one_to_stay_on(fly: Fly) -> None:
    pilot = checked(fly, "left_pump_failed")
    pilot.set(left_fuel_pump="OFF")
    assert pilot.true("left.engine.running") is False
    assert pilot.violated == []
    pilot.set(left_fuel_pump="ON")
    assert pilot.episode.grade().success == 1.0


def test_one_magneto_alone_is_not_both(fly: Fly) -> None:
    pilot = fly(T + "left_magnetos_off")
    put(pilot, "left", {name: value for name, value in CHECKS.items() if name != "magneto_right"})
    pilot.set(altimeter_setting=29.83)
    assert pilot.episode.grade().goals_missed == ("both_magnetos",)


@pytest.mark.parametrize(("task", "missed"), [("right_mixture_cut", ()), ("left_broken", ("airspeed_kept",))])
def test_the_speed_counts_only_on_one_engine(fly: Fly, task: str, missed: tuple[str, ...]) -> None:
    pilot, side = checked(fly, task), side_of(task)
    if task == "left_broken":
        put(pilot, side, SECURING)
    else:
        pilot.set(altimeter_setting=29.85)
    pilot.set(target_airspeed=82)
    assert (pilot.episode.grade().goals_missed, pilot.violated) == (missed, [])


@pytest.mark.parametrize("task", [*CURABLE, *DEAD])
@pytest.mark.parametrize(("control", "value"), [("propeller", "FEATHER"), ("fuel_selector", "OFF")])
def test_securing_before_the_checks_is_a_violation(fly: Fly, task: str, control: str, value: str) -> None:
    pilot, side = fly(T + task), side_of(task)
    pilot.set(target_airspeed=88)
    put(pilot, side, {"throttle": 0, control: value})
    assert pilot.violated == [("secure_only_what_stays_dead", f"{side}_{control}")]


@pytest.mark.parametrize("task", ["left_pump_failed", *DEAD])
def test_cutting_the_mixture_before_the_checks_is_a_violation(fly: Fly, task: str) -> None:
    pilot = put(fly(T + task), side_of(task), {"mixture": "IDLE CUTOFF"})
    assert pilot.violated == [("secure_only_what_stays_dead", f"{side_of(task)}_mixture")]


def test_feathering_a_curable_engine_at_once_loses_it(fly: Fly) -> None:
    pilot = fly(T + "left_pump_failed")
    pilot.set(left_throttle=0, left_propeller="FEATHER")
    assert pilot.true("left.prop.feathered") is True
    put(pilot, "left", {"propeller": "CRUISE", **CHECKS})
    assert pilot.episode.grade().goal_attainment == 0.0


@pytest.mark.parametrize("task", CURABLE)
def test_securing_the_restored_engine_is_a_violation(fly: Fly, task: str) -> None:
    pilot, side = checked(fly, task), side_of(task)
    put(pilot, side, {"throttle": 0, "propeller": "FEATHER"})
    assert pilot.violated == [("secure_only_what_stays_dead", f"{side}_propeller")]


# The others are secured.


@pytest.mark.parametrize("task", DEAD)
def test_what_stays_dead_is_secured(fly: Fly, task: str) -> None:
    pilot = put(checked(fly, task), side_of(task), SECURING)
    assert pilot.read(f"{side_of(task)}_rpm") == 0
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("left_out", list(GOAL_OF))
def test_each_item_of_the_securing_counts(fly: Fly, left_out: str) -> None:
    pilot = checked(fly, "right_fuel_line_blocked")
    put(pilot, "right", SECURING)
    before = {"throttle": 65, "mixture": 80, "cowl_flap": "OPEN"}.get(left_out, "ON")
    put(pilot, "right", {left_out: before})
    assert pilot.episode.grade().goals_missed == (GOAL_OF[left_out],)


def test_checks_made_one_after_the_other_are_checks(fly: Fly) -> None:
    pilot = fly(T + "left_broken")
    pilot.set(target_airspeed=88)
    put(pilot, "left", {"carb_heat": "ON", "fuel_pump": "ON", "mixture": 100})
    put(pilot, "left", {"carb_heat": "OFF", "fuel_pump": "OFF", **SECURING})
    assert pilot.episode.grade().success == 1.0


def test_mixture_and_selector_may_come_before_the_propeller(fly: Fly) -> None:
    pilot = checked(fly, "right_fuel_line_blocked")
    put(pilot, "right", dict(reversed(SECURING.items())) | {"throttle": 0, "propeller": "CRUISE"})
    pilot.set(right_propeller="FEATHER")
    assert pilot.violated == []
    assert pilot.episode.grade().success == 1.0


def test_feathering_before_the_throttle_is_retarded_is_a_violation(fly: Fly) -> None:
    pilot = checked(fly, "right_fuel_line_blocked")
    pilot.set(right_propeller="FEATHER", right_throttle=0)
    assert pilot.violated == [("verify_before_feathering", "right_propeller")]


@pytest.mark.parametrize("task", ["left_broken", "left_broken_in_climb"])
def test_too_slow_the_broken_engine_cannot_be_feathered(fly: Fly, task: str) -> None:
    pilot = fly(T + task)
    assert pilot.read("left_rpm") < 950
    put(pilot, "left", {**CHECKS, "throttle": 0, "propeller": "FEATHER"})
    assert pilot.true("left.prop.feathered") is False
    assert pilot.violated == [("feather_while_it_turns_fast_enough", "left_propeller")]


def test_at_88_knots_the_broken_engine_turns_fast_enough(fly: Fly) -> None:
    pilot = checked(fly, "left_broken")
    assert pilot.read("left_rpm") >= 950
    put(pilot, "left", SECURING)
    assert pilot.violated == []


# Low in the climb.


@pytest.mark.parametrize("task", CLIMB)
@pytest.mark.parametrize("checks", [{}, CHECKS], ids=["at once", "after checks"])
def test_in_the_climb_the_engine_is_secured_with_or_without_checks(
    fly: Fly, task: str, checks: dict[str, object]
) -> None:
    pilot = fly(T + task)
    pilot.set(target_airspeed=88)
    put(pilot, side_of(task), checks)
    put(pilot, side_of(task), SECURING)
    assert pilot.episode.grade().success == 1.0


def test_in_the_climb_nobody_turns_back(fly: Fly) -> None:
    pilot = fly(T + CLIMB[0])
    pilot.set(flight_path="STRAIGHT AHEAD")
    assert pilot.violated == []
    pilot.set(flight_path="TURN BACK")
    assert pilot.violated == [("no_turn_back", "flight_path")]


@pytest.mark.parametrize("task", CLIMB)
def test_in_the_climb_the_good_cowl_flap_is_not_closed(fly: Fly, task: str) -> None:
    pilot, name = fly(T + task), f"{other(side_of(task))}_cowl_flap"
    pilot.set(**{name: "HALF"})
    assert pilot.violated == []
    pilot.set(**{name: "CLOSED"})
    assert pilot.violated == [("good_cowl_flap_not_closed", name)]


# In every task.


@pytest.mark.parametrize("task", [*CURABLE, *DEAD, *CLIMB])
@pytest.mark.parametrize(
    ("control", "value"), [("propeller", "FEATHER"), ("mixture", 0), ("fuel_selector", "OFF")]
)
def test_stopping_the_good_engine_is_a_violation(fly: Fly, task: str, control: str, value: object) -> None:
    pilot, name = fly(T + task), f"{other(side_of(task))}_{control}"
    pilot.set(**{name: value})
    assert pilot.violated == [("good_engine_runs_on", name)]


def test_one_magneto_of_the_good_engine_may_be_checked(fly: Fly) -> None:
    pilot = fly(T + "left_broken")
    pilot.set(right_magneto_left="OFF")
    assert pilot.violated == []
    pilot.set(right_magneto_right="OFF")
    assert pilot.violated == [("good_engine_runs_on", "right_magneto_right")]


@pytest.mark.parametrize("task", TASKS)
def test_slower_than_any_speed_for_one_engine_is_a_violation(fly: Fly, task: str) -> None:
    pilot = fly(task)
    pilot.set(target_airspeed=82)
    assert pilot.violated == []
    pilot.set(target_airspeed=81)
    assert pilot.violated == [("keep_airspeed", "target_airspeed")]


def test_with_both_engines_running_slower_is_allowed(fly: Fly) -> None:
    pilot = checked(fly, "left_pump_failed")
    pilot.set(target_airspeed=75)
    assert pilot.violated == []


@pytest.mark.parametrize("task", TASKS)
def test_the_battery_stays_on(fly: Fly, task: str) -> None:
    pilot = fly(task)
    pilot.set(battery_master="OFF")
    assert pilot.violated == [("keep_battery", "battery_master")]


@pytest.mark.parametrize(("task", "altimeter"), [("left_magnetos_off", 29.83), ("right_mixture_cut", 29.85)])
def test_the_altimeter_is_told_by_the_weather_report(fly: Fly, task: str, altimeter: float) -> None:
    pilot = checked(fly, task)
    assert f"A{altimeter * 100:.0f}" in pilot.call("get_metar", station="KSJC").reply
    assert pilot.episode.grade().goals_missed == ("altimeter_as_asked",)
    pilot.set(altimeter_setting=altimeter)
    assert pilot.read("altitude") == pilot.true("altitude.ft")
    assert pilot.episode.grade().success == 1.0


# The reference.


@pytest.mark.parametrize("task", TASKS)
def test_the_list_solves_every_task(solve: Callable[..., Episode], task: str) -> None:
    assert solve(library.task(task)).grade().success == 1.0


@pytest.mark.parametrize("task", TASKS)
def test_the_whole_list_is_safe(solve: Callable[..., Episode], task: str) -> None:
    assert solve(library.task(task), whole=True).grade().safe == 1.0


@pytest.mark.parametrize("seed", range(40))
def test_the_list_solves_generated_variants(solve: Callable[..., Episode], seed: int) -> None:
    assert solve(variants.generate("pa44/engine_failure", seed)).grade().success == 1.0
