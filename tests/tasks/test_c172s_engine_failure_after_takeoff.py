"""Engine failure after takeoff in the C172S: no restart, no turn back, both batteries off, flaps in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.reference import replay, solve, writes

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "c172s/engine_failure_after_takeoff/"
FULL, SHUTOFF, STOPPED = T + "windmilling_fast", T + "shutoff_found_closed", T + "stopped_prop_flaps_20"
MIXTURE, TANK, MAGNETOS = T + "mixture_found_out", T + "empty_tank", T + "magnetos_and_standby_off"
TASKS = library.task_ids("c172s/engine_failure_after_takeoff")
FLAPS = {FULL: "FULL", SHUTOFF: "FULL", STOPPED: "FULL", MIXTURE: "UP", TANK: "UP", MAGNETOS: "UP"}
# The list without flaps; 68 KIAS is right for any.
LIST: dict[str, object] = {
    "target_airspeed": 68,
    "mixture": "IDLE CUTOFF",
    "fuel_shutoff": "OFF",
    "magnetos": "OFF",
    "stby_batt": "OFF",
    "master_bat": "OFF",
    "cabin_doors": "UNLATCHED",
    "flight_path": "STRAIGHT AHEAD",
}


def flown(pilot: Pilot, **instead: object) -> Pilot:
    """Slow down, set the flaps that the captain wants and do the list, or something else instead."""
    pilot.set(target_airspeed=68, flaps=FLAPS[pilot.episode.task.id])
    pilot.set(**{**LIST, **instead})
    return pilot


# The situations.


@pytest.mark.parametrize("task_id", TASKS)
def test_no_task_starts_with_a_speed_that_could_be_kept(fly: Fly, task_id: str) -> None:
    assert not 60 <= fly(task_id).read("ias") <= 75


@pytest.mark.parametrize(
    ("task_id", "component", "shown"),
    [
        (FULL, "rpm", 900),
        (STOPPED, "rpm", 0),
        (SHUTOFF, "fuel_shutoff", "OFF"),
        (MIXTURE, "mixture", 0),
        (TANK, "fuel_qty_l", 0),
        (MAGNETOS, "magnetos", "OFF"),
    ],
)
def test_the_cause_can_be_read(fly: Fly, task_id: str, component: str, shown: object) -> None:
    assert fly(task_id).read(component) == shown


# The list.


@pytest.mark.parametrize("task_id", TASKS)
def test_the_list_solves_it_whatever_the_cause(fly: Fly, task_id: str) -> None:
    pilot = flown(fly(task_id))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])
    assert pilot.read("flap_pos") == FLAPS[task_id]


@given(order=st.permutations(list(LIST.items())))
def test_neighbours_may_change_places(fly: Fly, order: list[tuple[str, object]]) -> None:
    pilot = fly(FULL)
    pilot.set(target_airspeed=68, flaps="FULL")
    pilot.set(**dict(order))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("task_id", [FULL, SHUTOFF, STOPPED, MIXTURE, TANK])
def test_the_standby_battery_left_armed_keeps_a_bus_alive(fly: Fly, task_id: str) -> None:
    pilot = flown(fly(task_id), stby_batt="ARM")
    grade = pilot.episode.grade()
    assert pilot.read("e_bus_v") == 24
    assert "nothing_live" in grade.goals_missed
    assert (grade.goal_attainment, grade.safe) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("component", "value", "missed"),
    [
        ("target_airspeed", 76, "speed_for_flaps"),
        ("mixture", "RICH", "mixture_cutoff"),
        ("fuel_shutoff", "ON", "fuel_and_ignition_off"),
        ("magnetos", "BOTH", "fuel_and_ignition_off"),
        ("cabin_doors", "LOCK", "door_unlatched"),
        ("flight_path", "AS IS", "straight_ahead"),
    ],
)
def test_a_step_left_out_is_a_goal_missed(fly: Fly, component: str, value: object, missed: str) -> None:
    pilot = flown(fly(FULL), **{component: value})
    assert pilot.episode.grade().goals_missed == (missed,)


@pytest.mark.parametrize(
    ("task_id", "speed", "right"),
    [(FULL, 60, True), (FULL, 71, False), (TANK, 75, True), (TANK, 64, False), (MIXTURE, 75, True)],
)
def test_the_speed_goes_by_the_flaps(fly: Fly, task_id: str, speed: int, right: bool) -> None:
    grade = flown(fly(task_id), target_airspeed=speed).episode.grade()
    assert grade.goals_missed == (() if right else ("speed_for_flaps",))


# Temptations.


@pytest.mark.parametrize("task_id", TASKS)
def test_turning_back_is_a_violation_and_shows_on_the_compass(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(flight_path="TURN BACK")
    assert pilot.violated == [("no_turn_back", "flight_path")]
    assert pilot.read("compass") == 270


@pytest.mark.parametrize("task_id", [SHUTOFF, MIXTURE, TANK, MAGNETOS])
def test_an_engine_brought_back_is_not_what_the_captain_lands_with(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(fuel_shutoff="ON", fuel_selector="BOTH", fuel_pump="ON", mixture="RICH", target_airspeed=68)
    pilot.set(magnetos="BOTH", flight_path="STRAIGHT AHEAD", cabin_doors="UNLATCHED")
    assert pilot.true("engine.running") is True
    assert (pilot.episode.grade().goal_attainment, pilot.violated) == (0.0, [])


@pytest.mark.parametrize(
    ("component", "value"),
    [("fuel_shutoff", "ON"), ("magnetos", "START"), ("magnetos", "L"), ("mixture", 50)],
)
def test_what_is_secured_stays_so(fly: Fly, component: str, value: object) -> None:
    pilot = fly(FULL)
    pilot.set(mixture=0, fuel_shutoff="OFF", magnetos="OFF")
    pilot.set(**{component: value})
    assert pilot.violated == [("stays_secured", component)]


@pytest.mark.parametrize(
    ("cut", "component", "value", "violated"),
    [
        ({"mixture": 19, "fuel_shutoff": "OFF"}, "fuel_shutoff", "ON", True),
        ({"mixture": 20, "fuel_shutoff": "OFF"}, "fuel_shutoff", "ON", False),
        ({"magnetos": "OFF", "mixture": 0}, "mixture", 20, True),
        ({"magnetos": "OFF", "mixture": 0}, "mixture", 19, False),
        ({"magnetos": "OFF"}, "magnetos", "R", False),
    ],
)
def test_two_of_three_cut_bind(
    fly: Fly, cut: dict[str, object], component: str, value: object, violated: bool
) -> None:
    pilot = fly(FULL)
    pilot.set(**cut)
    pilot.set(**{component: value})
    assert pilot.violated == ([("stays_secured", component)] if violated else [])


# Flaps.


@pytest.mark.parametrize(("task_id", "violated"), [(FULL, True), (SHUTOFF, False), (TANK, True)])
def test_flaps_wait_for_the_speed(fly: Fly, task_id: str, violated: bool) -> None:
    pilot = fly(task_id)
    pilot.set(flaps="FULL")
    assert pilot.violated == ([("flaps_within_limits", "flaps")] if violated else [])


@pytest.mark.parametrize(("task_id", "speed"), [(STOPPED, 86), (MIXTURE, 111)])
def test_the_speed_waits_for_the_flaps(fly: Fly, task_id: str, speed: int) -> None:
    pilot = fly(task_id)
    pilot.set(target_airspeed=speed - 1)
    assert pilot.violated == []
    pilot.set(target_airspeed=speed)
    assert pilot.violated == [("flaps_within_limits", "target_airspeed")]


def test_flaps_without_the_master_stay_where_they_are(fly: Fly) -> None:
    pilot = fly(FULL)
    pilot.set(**LIST, flaps="FULL")
    assert pilot.read("flap_pos") == "UP"
    assert pilot.violated == [("flaps_before_power_off", "flaps")]
    assert pilot.episode.grade().goals_missed == ("flaps_full_as_asked",)


@pytest.mark.parametrize("task_id", TASKS)
def test_flaps_other_than_the_captain_wants_are_a_goal_missed(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(target_airspeed=68, flaps="10")
    pilot.set(**LIST)
    wanted = "flaps_up_as_asked" if FLAPS[task_id] == "UP" else "flaps_full_as_asked"
    assert pilot.episode.grade().goals_missed == (wanted,)


# Diagnosis.


def test_no_list_of_actions_solves_more_than_half() -> None:
    tasks = [library.task(task_id) for task_id in TASKS]
    every = [("target_airspeed", 68), ("flaps", "FULL"), *LIST.items()]
    lists = [writes(solve(task)) for task in tasks] + [tuple(every)]
    solved = [sum(replay(task, steps).grade().success for task in tasks) for steps in lists]
    assert max(solved) == solved[-1] == len(tasks) / 2
