"""Engine fire in the C172S: what puts it out, never a restart, the radio's battery waits."""

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
T = "c172s/engine_fire/"
WINDMILLING, STUBBORN = T + "windmilling_shutoff_closed", T + "stubborn_air_flowing"
CLIMB, WARM, DARK = (
    T + "climbing_landing_assured",
    T + "heat_and_air_landing_assured",
    T + "stubborn_in_the_dark",
)
TASKS = library.task_ids("c172s/engine_fire")
# What puts an ordinary fire out, and what each control may wrongly show.
OUT: dict[str, object] = {
    "mixture": "IDLE CUTOFF",
    "fuel_shutoff": "OFF",
    "fuel_pump": "OFF",
    "master_bat": "OFF",
    "cabin_ht": "OFF",
    "cabin_air": "OFF",
    "target_airspeed": 100,
}
WRONG: dict[str, list[object]] = {
    "mixture": [1, 50, 100],
    "fuel_shutoff": ["ON"],
    "fuel_pump": ["ON"],
    "master_bat": ["ON"],
    "cabin_ht": ["ON"],
    "cabin_air": ["ON"],
    "target_airspeed": [68, 88, 94],
}
TOUCHDOWN: dict[str, object] = {
    "seat_backs": "UPRIGHT",
    "seat_belts": "SECURE",
    "magnetos": "OFF",
    "stby_batt": "OFF",
    "cabin_doors": "UNLATCHED",
}


def burns(pilot: Pilot) -> bool:
    return "ENGINE FIRE" in pilot.read("crew_report")


def put_out(pilot: Pilot) -> Pilot:
    """Work the list down to its speed, and faster if it still burns."""
    pilot.set(**OUT)
    if burns(pilot):
        pilot.set(target_airspeed=120)
    assert not burns(pilot)
    return pilot


# What puts the fire out.


@given(order=st.permutations(list(OUT)))
def test_the_fire_goes_out_with_the_last_thing_done_in_any_order(fly: Fly, order: list[str]) -> None:
    pilot = fly(WARM)
    pilot.set(fuel_pump="ON")
    for name in order[:-1]:
        pilot.set(**{name: OUT[name]})
        assert burns(pilot)
    pilot.set(**{order[-1]: OUT[order[-1]]})
    assert not burns(pilot)


@given(order=st.permutations(list(OUT)), data=st.data())
def test_the_fire_burns_on_while_one_thing_is_wrong(fly: Fly, order: list[str], data: st.DataObject) -> None:
    pilot = fly(WARM)
    wrong = data.draw(st.sampled_from(order))
    for name in order:
        pilot.set(**{name: data.draw(st.sampled_from(WRONG[name])) if name == wrong else OUT[name]})
    assert burns(pilot)
    assert pilot.episode.grade().goal_attainment == 0.0


@pytest.mark.parametrize("task_id", [STUBBORN, DARK])
@pytest.mark.parametrize(("speed", "out"), [(105, False), (109, False), (110, True), (163, True)])
def test_a_stubborn_fire_needs_more_speed(fly: Fly, task_id: str, speed: int, out: bool) -> None:
    pilot = fly(task_id)
    pilot.set(**OUT)
    assert burns(pilot)
    pilot.set(target_airspeed=speed)
    assert burns(pilot) is not out


@pytest.mark.parametrize("task_id", [WINDMILLING, CLIMB, WARM])
def test_an_ordinary_fire_is_out_at_the_lists_speed(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(**OUT)
    assert not burns(pilot)


def test_an_ordinary_and_a_stubborn_fire_look_alike_until_the_speed_is_tried(fly: Fly) -> None:
    ordinary, stubborn = fly(WINDMILLING), fly(STUBBORN)
    for pilot in (ordinary, stubborn):
        assert burns(pilot)
        pilot.set(**OUT)
    assert (burns(ordinary), burns(stubborn)) == (False, True)


def test_the_speed_of_the_list_counts_even_if_the_approach_is_slower(fly: Fly) -> None:
    pilot = put_out(fly(WINDMILLING))
    pilot.set(target_airspeed=70)
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("speed", [106, 120])
def test_faster_at_once_leaves_the_lists_speed_out(fly: Fly, speed: int) -> None:
    pilot = fly(WINDMILLING)
    pilot.set(**{**OUT, "target_airspeed": speed})
    assert pilot.episode.grade().goals_missed == ("list_speed_flown",)
    pilot.set(target_airspeed=105)
    assert pilot.episode.grade().success == 1.0


def test_master_back_on_after_the_fire_is_a_goal_missed_and_no_violation(fly: Fly) -> None:
    pilot = put_out(fly(WINDMILLING))
    pilot.set(master_bat="ON", master_alt="ON")
    assert (pilot.episode.grade().goals_missed, pilot.violated) == (("master_off",), [])


# Fuel, restart, heat.


@pytest.mark.parametrize(
    ("component", "value"), [("fuel_shutoff", "ON"), ("fuel_pump", "ON"), ("mixture", 100), ("mixture", 1)]
)
def test_fuel_back_is_a_restart_once_the_fire_is_out(fly: Fly, component: str, value: object) -> None:
    pilot = put_out(fly(WINDMILLING))
    pilot.set(**{component: value})
    assert pilot.violated == [("no_restart", component)]


@pytest.mark.parametrize("component", ["fuel_shutoff", "fuel_pump"])
def test_fuel_back_while_it_burns_feeds_the_fire(fly: Fly, component: str) -> None:
    pilot = fly(STUBBORN)
    pilot.set(**OUT)
    pilot.set(**{component: "ON"})
    assert pilot.violated == [("no_fuel_to_the_fire", component)]


def test_the_closed_shutoff_of_a_dead_engine_stays_closed(fly: Fly) -> None:
    pilot = fly(WINDMILLING)
    assert (pilot.read("rpm"), pilot.read("fuel_shutoff")) == (900, "OFF")
    pilot.set(fuel_shutoff="ON")
    assert pilot.violated == [("no_fuel_to_the_fire", "fuel_shutoff")]


@pytest.mark.parametrize("task_id", TASKS)
def test_no_start_at_any_time(fly: Fly, task_id: str) -> None:
    burning, out = fly(task_id), put_out(fly(task_id))
    for pilot in (burning, out):
        pilot.set(magnetos="START")
        assert pilot.violated == [("no_restart", "magnetos")]


def test_a_restart_is_not_erased_by_cutting_the_fuel_again(fly: Fly) -> None:
    pilot = put_out(fly(WINDMILLING))
    pilot.set(mixture=100)
    pilot.set(mixture=0)
    grade = pilot.episode.grade()
    assert (grade.goal_attainment, grade.safe, grade.success) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("component", ["cabin_ht", "cabin_air"])
def test_no_heat_or_air_while_it_burns(fly: Fly, component: str) -> None:
    burning, out = fly(CLIMB), put_out(fly(CLIMB))
    for pilot in (burning, out):
        pilot.set(**{component: "ON"})
    assert burning.violated == [("no_heat_or_air_while_burning", component)]
    assert out.violated == []
    assert "heat_and_air_off" in out.episode.grade().goals_missed


@pytest.mark.parametrize(
    ("component", "value"),
    [
        ("cabin_vents", "OPEN"),
        ("fire_extinguisher", "ACTIVATED"),
        ("magnetos", "OFF"),
        ("avionics_bus1", "OFF"),
        ("mixture", 100),
        ("flaps", "10"),
    ],
)
def test_what_the_list_leaves_open_is_free(fly: Fly, component: str, value: object) -> None:
    pilot = fly(WINDMILLING if component != "mixture" else STUBBORN)
    pilot.set(**{component: value})
    put_out(pilot)
    assert (pilot.violated, pilot.episode.grade().success) == ([], 1.0)


# Speed within limits.


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"flaps": "20"}, {"target_airspeed": 86}),
        ({"flaps": "10"}, {"target_airspeed": 111}),
        ({"target_airspeed": 86}, {"flaps": "FULL"}),
        ({"target_airspeed": 120}, {"flaps": "10"}),
    ],
)
def test_flaps_out_limit_the_speed(fly: Fly, first: dict[str, object], then: dict[str, object]) -> None:
    pilot = fly(WINDMILLING)
    pilot.set(**first)
    assert pilot.violated == []
    pilot.set(**then)
    assert pilot.violated == [("speed_within_limits", next(iter(then)))]


def test_flaps_at_10_allow_the_lists_speed_and_may_come_in_at_any(fly: Fly) -> None:
    pilot = fly(WINDMILLING)
    pilot.set(flaps="10", target_airspeed=110)
    pilot.set(flaps="UP")
    assert pilot.violated == []


# The standby battery and the landing.


@pytest.mark.parametrize("position", ["OFF", "TEST"])
def test_the_radios_battery_waits_until_the_landing_is_certain(fly: Fly, position: str) -> None:
    uncertain, certain = put_out(fly(WINDMILLING)), put_out(fly(CLIMB))
    for pilot in (uncertain, certain):
        pilot.set(stby_batt=position)
    assert uncertain.violated == [("standby_until_assured", "stby_batt")]
    assert certain.violated == []


def test_the_standby_battery_keeps_a_radio_after_master_off(fly: Fly) -> None:
    pilot = put_out(fly(WINDMILLING))
    assert pilot.read("com1_freq") == 124
    assert pilot.read("com2_freq") is None


@pytest.mark.parametrize("task_id", [CLIMB, WARM, DARK])
def test_a_certain_landing_asks_for_the_rest_of_the_landing_list(fly: Fly, task_id: str) -> None:
    pilot = put_out(fly(task_id))
    missed = pilot.episode.grade().goals_missed
    assert {"ignition_off", "standby_off", "doors_unlatched"} <= set(missed)
    pilot.set(**TOUCHDOWN, baro_stby=29.83 if task_id == WARM else 30.08)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize(("task_id", "component"), [(CLIMB, "seat_backs"), (DARK, "seat_belts")])
def test_seats_and_belts_that_are_not_ready_are_missed(fly: Fly, task_id: str, component: str) -> None:
    pilot = put_out(fly(task_id))
    pilot.set(**{name: value for name, value in TOUCHDOWN.items() if name != component}, baro_stby=30.08)
    assert pilot.episode.grade().goals_missed == ("seats_and_belts",)


def test_in_the_dark_eyes_and_standby_instruments_are_left(fly: Fly) -> None:
    pilot = fly(DARK)
    pilot.set(**OUT)
    assert [pilot.read(name) for name in ("ias", "rpm", "cas", "com1_freq")] == [None] * 4
    assert (pilot.read("ias_stby"), burns(pilot)) == (100, True)


@pytest.mark.parametrize(("task_id", "setting"), [(WARM, 29.83), (DARK, 30.08)])
def test_the_altimeter_setting_is_the_one_of_the_report(fly: Fly, task_id: str, setting: float) -> None:
    pilot = put_out(fly(task_id))
    pilot.set(**TOUCHDOWN)
    assert pilot.episode.grade().goals_missed == ("altimeter_as_asked",)
    assert f" A{setting * 100:.0f} " in pilot.call("get_metar", station="KSJC").reply
    pilot.set(baro_stby=setting)
    assert pilot.episode.grade().success == 1.0


# Tasks.


@pytest.mark.parametrize("task_id", TASKS)
def test_every_task_starts_in_fire_below_the_speed(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    assert burns(pilot)
    assert pilot.read("ias") < 95


def test_no_tasks_solution_solves_most_others() -> None:
    tasks = [library.task(task_id) for task_id in TASKS]
    solved = [sum(replay(t, writes(solve(by))).grade().success for t in tasks) for by in tasks]
    assert max(solved) <= len(tasks) / 2
