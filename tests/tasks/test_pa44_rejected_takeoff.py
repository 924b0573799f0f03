"""Engine failure during takeoff in the PA-44: stop on a runway long or short, or go on with the gear away."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.reference import replay, solve, writes
from acoe_gym.cockpit.variants import generate

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "pa44/rejected_takeoff/"
SLOW, FAST, LIFTED = T + "slow_left_dead", T + "fast_right_dead_lever_up", T + "lifted_off_left_dead"
SLOW_SHORT, LIFTED_SHORT = T + "slow_right_dead_runway_short", T + "lifted_off_right_dead_runway_short"
ABORT, GO = T + "abort_ordered_left_oil", T + "gear_in_transit_left_dead"
TASKS = library.task_ids("pa44/rejected_takeoff")
ENOUGH, SHORT = [SLOW, FAST, LIFTED], [SLOW_SHORT, ABORT, LIFTED_SHORT]
CLOSED: dict[str, object] = {"left_throttle": "IDLE", "right_throttle": "IDLE"}
STOP: dict[str, object] = {**CLOSED, "landing_gear": "DOWN", "flight_path": "STRAIGHT AHEAD"}
SHUTDOWN: dict[str, object] = {
    "left_mixture": "IDLE CUTOFF",
    "right_mixture": "IDLE CUTOFF",
    "left_fuel_selector": "OFF",
    "right_fuel_selector": "OFF",
    "left_magneto_left": "OFF",
    "left_magneto_right": "OFF",
    "right_magneto_left": "OFF",
    "right_magneto_right": "OFF",
    "battery_master": "OFF",
}
# What the continued takeoff wants of the right engine, of the airplane, and of the dead left engine.
FULL: dict[str, object] = {
    "right_mixture": "RICH",
    "right_propeller": "FULL FORWARD",
    "right_fuel_pump": "ON",
}
CLEAN: dict[str, object] = {"flaps": "0", "target_airspeed": 88}
SECURED: dict[str, object] = {
    "left_throttle": "IDLE",
    "left_propeller": "FEATHER",
    "left_mixture": "IDLE CUTOFF",
}


def stop(pilot: Pilot, brakes: str = "APPLIED") -> Pilot:
    pilot.set(**STOP, brakes=brakes, com1_freq=121.9)
    return pilot


# The situations.


@pytest.mark.parametrize("task_id", TASKS)
def test_no_start_is_near_the_speed_that_divides_the_lists(fly: Fly, task_id: str) -> None:
    assert abs(fly(task_id).read("ias") - 75) > 3


@pytest.mark.parametrize("task_id", [task_id for task_id in TASKS if task_id != ABORT])
def test_the_nose_yaws_to_the_dead_engine(fly: Fly, task_id: str) -> None:
    dead = "LEFT" if "left_dead" in task_id else "RIGHT"
    assert f"YAW {dead}" in fly(task_id).read("crew_report")


def test_both_engines_pull_when_the_captain_aborts(fly: Fly) -> None:
    pilot = fly(ABORT)
    assert pilot.read("crew_report") == ["WHEELS ON THE RUNWAY"]
    assert (pilot.read("left_oil_pressure"), pilot.read("annunciators")) == (10, ["OIL LEFT"])


@pytest.mark.parametrize(("task_id", "lifted"), [(SLOW, False), (FAST, False), (LIFTED, True), (GO, True)])
def test_the_crew_feels_whether_the_wheels_roll(fly: Fly, task_id: str, lifted: bool) -> None:
    felt = "WHEELS OFF THE GROUND" if lifted else "WHEELS ON THE RUNWAY"
    assert [line for line in fly(task_id).read("crew_report") if "WHEELS" in line] == [felt]


def test_the_horn_tells_of_the_lever_selected_up_on_the_runway(fly: Fly) -> None:
    pilot = fly(FAST)
    assert (pilot.read("gear_warning_horn"), pilot.read("gear_light_nose")) == ("SOUNDING", "GREEN")
    pilot.set(landing_gear="DOWN")
    assert pilot.read("gear_warning_horn") == "SILENT"


def test_on_one_engine_with_all_its_drag_it_sinks(fly: Fly) -> None:
    assert fly(GO).read("vertical_speed") < 0


def test_the_frequency_is_renos(fly: Fly) -> None:
    reply = json.loads(fly(SLOW).call("get_airport_info", station="KRNO").reply)
    assert reply["frequencies"]["GND"] == 121.9


# Reject, the runway long enough.


@pytest.mark.parametrize("brakes", ["APPLIED", "MAX"])
@pytest.mark.parametrize("task_id", ENOUGH)
def test_throttles_and_brakes_stop_it(fly: Fly, task_id: str, brakes: str) -> None:
    pilot = stop(fly(task_id), brakes)
    assert pilot.read("ias") == 0
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("missing", ["left_throttle", "right_throttle"])
def test_it_rolls_on_with_one_throttle_open(fly: Fly, missing: str) -> None:
    pilot = fly(SLOW)
    pilot.set(brakes="MAX", **{name: value for name, value in STOP.items() if name != missing})
    assert pilot.read("ias") == 58
    assert pilot.episode.grade().goal_attainment == 0.0


@given(order=st.permutations([*STOP.items(), ("com1_freq", 121.9)]))
def test_before_the_brakes_any_order_will_do(fly: Fly, order: list[tuple[str, object]]) -> None:
    pilot = fly(FAST)
    pilot.set(**dict(order), brakes="APPLIED")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("missing", ["flight_path", "left_throttle", "right_throttle"])
def test_it_does_not_land_by_itself(fly: Fly, missing: str) -> None:
    pilot = fly(LIFTED)
    pilot.set(**{name: value for name, value in STOP.items() if name != missing}, brakes="APPLIED")
    assert "WHEELS OFF THE GROUND" in pilot.read("crew_report")
    assert pilot.episode.grade().goal_attainment == 0.0


def test_the_gear_lever_is_verified(fly: Fly) -> None:
    pilot = fly(FAST)
    pilot.set(**CLOSED, brakes="APPLIED", com1_freq=121.9)
    assert pilot.episode.grade().goals_missed == ("gear_selected_down",)


@pytest.mark.parametrize("task_id", ENOUGH)
def test_a_needless_shutdown_leaves_nothing_to_taxi_with(fly: Fly, task_id: str) -> None:
    pilot = stop(fly(task_id))
    pilot.set(**SHUTDOWN)
    assert pilot.episode.grade().goals_missed == ("nothing_cut_needlessly",)
    assert pilot.violated == []


def test_the_dead_engine_may_be_shut_down_on_the_stand(fly: Fly) -> None:
    pilot = stop(fly(SLOW))
    pilot.set(**{name: value for name, value in SHUTDOWN.items() if name.startswith("left")})
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


# Reject, the runway too short.


@pytest.mark.parametrize("task_id", SHORT)
def test_on_a_short_runway_everything_goes(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(**STOP, brakes="MAX", **SHUTDOWN)
    assert pilot.read("bus_voltage") == 0
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@given(order=st.permutations([*SHUTDOWN.items(), ("brakes", "MAX")]))
def test_the_shutdown_has_no_order(fly: Fly, order: list[tuple[str, object]]) -> None:
    pilot = fly(SLOW_SHORT)
    pilot.set(**CLOSED, **dict(order))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_alternators_are_free(fly: Fly) -> None:
    pilot = fly(SLOW_SHORT)
    pilot.set(**STOP, brakes="MAX", **SHUTDOWN, left_alternator="OFF", right_alternator="OFF")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize(
    ("left_out", "missed"),
    [
        ("left_mixture", ("mixtures_cut",)),
        ("right_fuel_selector", ("selectors_off",)),
        ("left_magneto_right", ("ignition_off",)),
    ],
)
def test_each_part_of_the_shutdown_counts(fly: Fly, left_out: str, missed: tuple[str, ...]) -> None:
    pilot = fly(SLOW_SHORT)
    pilot.set(**STOP, brakes="MAX", **{name: value for name, value in SHUTDOWN.items() if name != left_out})
    assert pilot.episode.grade().goals_missed == missed


def test_with_the_battery_on_nothing_is_secured(fly: Fly) -> None:
    pilot = fly(ABORT)
    pilot.set(
        **STOP, brakes="MAX", **{name: value for name, value in SHUTDOWN.items() if "battery" not in name}
    )
    grade = pilot.episode.grade()
    assert "secured_for_the_overrun" in grade.goals_missed
    assert (grade.goal_attainment, grade.safe) == (0.0, 1.0)


def test_braking_as_for_a_long_runway_is_not_enough(fly: Fly) -> None:
    pilot = fly(SLOW_SHORT)
    pilot.set(**STOP, brakes="APPLIED", **SHUTDOWN)
    assert pilot.episode.grade().goals_missed == ("braked_hard",)


@pytest.mark.parametrize("task_id", SHORT)
def test_stopping_alone_is_not_enough(fly: Fly, task_id: str) -> None:
    pilot = stop(fly(task_id), "MAX")
    assert pilot.read("ias") > 0
    assert pilot.episode.grade().goal_attainment == 0.0


def test_going_on_against_the_abort_fails(fly: Fly) -> None:
    pilot = fly(ABORT)
    pilot.set(left_throttle="IDLE", left_propeller="FEATHER", landing_gear="UP", target_airspeed=88)
    assert pilot.violated == [("no_feathering", "left_propeller"), ("gear_not_up", "landing_gear")]
    assert pilot.episode.grade().goal_attainment == 0.0


# What a reject forbids.


@pytest.mark.parametrize(
    ("component", "value"),
    [
        ("brakes", "APPLIED"),
        ("brakes", "MAX"),
        ("left_mixture", 0),
        ("right_fuel_selector", "OFF"),
        ("left_magneto_left", "OFF"),
        ("battery_master", "OFF"),
    ],
)
@pytest.mark.parametrize("throttle", ["left_throttle", "right_throttle"])
def test_one_throttle_is_not_closed_alone(fly: Fly, throttle: str, component: str, value: object) -> None:
    pilot = fly(SLOW)
    pilot.set(**{throttle: 0, component: value})
    assert pilot.violated == [("throttles_together", component)]


def test_brakes_before_throttles_are_no_error(fly: Fly) -> None:
    pilot = fly(SLOW)
    pilot.set(brakes="APPLIED", **CLOSED, com1_freq=121.9)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("task_id", [SLOW, SLOW_SHORT, ABORT, LIFTED])
@pytest.mark.parametrize("throttle", ["left_throttle", "right_throttle"])
def test_power_does_not_come_back(fly: Fly, task_id: str, throttle: str) -> None:
    pilot = fly(task_id)
    pilot.set(**CLOSED)
    pilot.set(**{throttle: 100})
    assert pilot.violated == [("no_power_back", throttle)]


def test_once_it_stands_power_is_a_goal_missed_only(fly: Fly) -> None:
    pilot = stop(fly(SLOW))
    pilot.set(right_throttle=20)
    assert pilot.violated == []
    assert "stopped" in pilot.episode.grade().goals_missed


@pytest.mark.parametrize("propeller", ["left_propeller", "right_propeller"])
@pytest.mark.parametrize("task_id", [SLOW, ABORT, LIFTED_SHORT])
def test_no_propeller_is_feathered_on_the_roll(fly: Fly, task_id: str, propeller: str) -> None:
    pilot = fly(task_id)
    pilot.set(**{propeller: "FEATHER"})
    assert pilot.violated == [("no_feathering", propeller)]


@pytest.mark.parametrize("task_id", [SLOW, ABORT, LIFTED])
def test_the_gear_is_not_selected_up(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(landing_gear="UP")
    assert pilot.violated == [("gear_not_up", "landing_gear")]


@pytest.mark.parametrize("task_id", [LIFTED, LIFTED_SHORT, GO])
def test_off_the_ground_there_is_no_turning_back(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(flight_path="TURN BACK")
    assert pilot.violated == [("straight_ahead", "flight_path")]


# Continue, the gear in transit.


def test_the_continued_takeoff_climbs_on_one_engine(fly: Fly) -> None:
    pilot = fly(GO)
    pilot.set(**FULL, **CLEAN, **SECURED)
    assert pilot.read("vertical_speed") > 100
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@given(order=st.permutations([*FULL.items(), *CLEAN.items()]))
def test_neighbours_may_change_places(fly: Fly, order: list[tuple[str, object]]) -> None:
    pilot = fly(GO)
    pilot.set(**SECURED, **dict(order))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize(
    ("left_out", "missed"),
    [
        ("right_mixture", ("full_power",)),
        ("right_propeller", ("full_power",)),
        ("right_fuel_pump", ("fuel_on",)),
        ("flaps", ("clean",)),
        ("target_airspeed", ("best_climb_speed",)),
        ("left_mixture", ("dead_engine_cut",)),
    ],
)
def test_each_step_left_out_is_a_goal_missed(fly: Fly, left_out: str, missed: tuple[str, ...]) -> None:
    pilot = fly(GO)
    steps = {**FULL, **CLEAN, **SECURED}
    pilot.set(**{name: value for name, value in steps.items() if name != left_out})
    assert pilot.episode.grade().goals_missed == missed


def test_a_windmilling_propeller_is_the_climb_lost(fly: Fly) -> None:
    pilot = fly(GO)
    pilot.set(**FULL, **CLEAN, left_throttle=0, left_mixture=0)
    assert pilot.read("vertical_speed") < 0
    assert pilot.episode.grade().goal_attainment == 0.0


@pytest.mark.parametrize(
    "more",
    [
        {"left_cowl_flap": "CLOSED", "left_alternator": "OFF"},
        {"left_magneto_left": "OFF", "left_magneto_right": "OFF", "left_fuel_pump": "OFF"},
        {"left_fuel_selector": "OFF", "rudder_trim": "RIGHT"},
        {"gear_pump_cb": "OUT"},
    ],
)
def test_the_rest_of_the_securing_is_free(fly: Fly, more: dict[str, object]) -> None:
    pilot = fly(GO)
    pilot.set(**FULL, **CLEAN, **SECURED, **more)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize(
    ("component", "value"),
    [
        ("right_throttle", 0),
        ("right_mixture", 0),
        ("right_fuel_selector", "OFF"),
    ],
)
def test_the_good_engine_pulls_on(fly: Fly, component: str, value: object) -> None:
    pilot = fly(GO)
    pilot.set(**{component: value})
    assert pilot.violated == [("good_engine_pulls_on", component)]


def test_the_wrong_propeller_breaks_two_rules(fly: Fly) -> None:
    pilot = fly(GO)
    pilot.set(right_propeller="FEATHER")
    assert sorted(name for name, _ in pilot.violated) == ["good_engine_pulls_on", "verify_before_feathering"]


def test_the_throttle_verifies_before_the_propeller(fly: Fly) -> None:
    pilot = fly(GO)
    pilot.set(left_propeller="FEATHER")
    assert pilot.violated == [("verify_before_feathering", "left_propeller")]


@pytest.mark.parametrize(
    ("component", "value"), [("landing_gear", "DOWN"), ("emergency_gear_extension", "PULLED")]
)
def test_the_red_light_is_no_reason_to_put_the_gear_down(fly: Fly, component: str, value: str) -> None:
    pilot = fly(GO)
    assert "GEAR UNSAFE" in pilot.read("annunciators")
    pilot.set(**{component: value})
    assert pilot.violated == [("gear_stays_up", component)]


@pytest.mark.parametrize(("flaps", "violated"), [("0", False), ("25", True), ("40", True)])
def test_flaps_go_in_not_out(fly: Fly, flaps: str, violated: bool) -> None:
    pilot = fly(GO)
    pilot.set(flaps=flaps)
    assert pilot.violated == ([("flaps_stay_in", "flaps")] if violated else [])


@pytest.mark.parametrize(("speed", "violated"), [(56, False), (55, True)])
def test_not_below_the_minimum_control_speed(fly: Fly, speed: int, violated: bool) -> None:
    pilot = fly(GO)
    pilot.set(target_airspeed=speed)
    assert pilot.violated == ([("above_vmca", "target_airspeed")] if violated else [])


# Diagnosis and variants.


def test_no_list_of_actions_solves_more_than_half() -> None:
    tasks = [library.task(task_id) for task_id in TASKS]
    everything = {**STOP, "brakes": "MAX", "com1_freq": 121.9, **SHUTDOWN}
    long = {**STOP, "brakes": "MAX", "com1_freq": 121.9}
    lists = [writes(solve(task)) for task in tasks] + [tuple(everything.items()), tuple(long.items())]
    solved = [sum(replay(task, steps).grade().success for task in tasks) for steps in lists]
    assert max(solved) <= len(tasks) / 2


def test_variants_are_solved_by_the_whole_list_at_no_cost() -> None:
    variants = (generate("pa44/rejected_takeoff", seed) for seed in range(500))
    assert [task.id for task in variants if solve(task, whole=True).grade().success != 1.0] == []
