"""Landing without power in the C172S: both batteries off, not before the landing is assured, radios first."""

from __future__ import annotations

import json
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
T = "c172s/forced_landing/"
CALL, ON_STANDBY = T + "assured_call_belts_loose", T + "assured_call_on_standby_battery"
OPEN, OPEN_CODE = T + "not_assured_seats_and_belts", T + "not_assured_ignition_off"
CODE, DARK = T + "assured_code_flaps_out", T + "assured_code_transponder_dark"
TASKS = library.task_ids("c172s/forced_landing")
# The list without its last part, which waits until the landing is assured. 68 KIAS is right for any flaps.
READY: dict[str, object] = {
    "seat_backs": "UPRIGHT",
    "seat_belts": "SECURE",
    "target_airspeed": 68,
    "mixture": "IDLE CUTOFF",
    "fuel_shutoff": "OFF",
    "magnetos": "OFF",
}
DOWN: dict[str, object] = {"stby_batt": "OFF", "master_bat": "OFF", "cabin_doors": "UNLATCHED"}
ALTIMETER = {OPEN_CODE: 29.94, CODE: 30.28, DARK: 29.68}


def asked(pilot: Pilot) -> Pilot:
    """Do what the captain asks for, whether asked or not, while the radios live."""
    altimeter = ALTIMETER.get(pilot.episode.task.id, 29.92)
    pilot.set(avionics_bus2="ON", com1_freq=121.5, xpdr_code=7700, baro_stby=altimeter)
    return pilot


def ready(pilot: Pilot) -> Pilot:
    asked(pilot).set(**READY)
    return pilot


# The situations.


@pytest.mark.parametrize("task_id", TASKS)
def test_no_task_starts_with_a_speed_that_could_be_kept(fly: Fly, task_id: str) -> None:
    assert not 60 <= fly(task_id).read("ias_stby") <= 75


@pytest.mark.parametrize("task_id", TASKS)
def test_nothing_brings_the_engine_back(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(master_bat="ON", fuel_shutoff="ON", fuel_pump="ON", mixture="RICH", target_airspeed=68)
    pilot.set(magnetos="START")
    assert pilot.true("engine.running") is False


def test_with_the_master_off_the_standby_battery_alone_keeps_a_bus_alive(fly: Fly) -> None:
    pilot = fly(ON_STANDBY)
    assert (pilot.read("m_bus_v"), pilot.read("e_bus_v")) == (0, 24)
    assert "STBY BATT" in pilot.read("cas")


def test_the_transponder_is_dark_for_want_of_its_bus(fly: Fly) -> None:
    pilot = fly(DARK)
    assert pilot.read("xpdr_code") is None
    pilot.set(avionics_bus2="ON")
    assert pilot.read("xpdr_code") == 1200


# The list.


@pytest.mark.parametrize("task_id", [CALL, ON_STANDBY, CODE, DARK])
def test_an_assured_landing_ends_in_the_dark(fly: Fly, task_id: str) -> None:
    pilot = ready(fly(task_id))
    pilot.set(**DOWN)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])
    assert pilot.read("ias") is None


@pytest.mark.parametrize("task_id", [OPEN, OPEN_CODE])
def test_a_landing_not_yet_assured_keeps_its_power(fly: Fly, task_id: str) -> None:
    pilot = ready(fly(task_id))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])
    assert pilot.read("ias") == 68


@given(order=st.permutations([*READY.items(), *DOWN.items()]))
def test_neighbours_may_change_places(fly: Fly, order: list[tuple[str, object]]) -> None:
    pilot = asked(fly(CALL))
    pilot.set(**dict(order))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("task_id", [CALL, ON_STANDBY, CODE, DARK])
def test_the_standby_battery_left_armed_is_the_landing_lost(fly: Fly, task_id: str) -> None:
    pilot = ready(fly(task_id))
    pilot.set(**{name: value for name, value in DOWN.items() if name != "stby_batt"})
    grade = pilot.episode.grade()
    assert grade.goals_missed == ("nothing_live", "batteries_off")
    assert (grade.goal_attainment, grade.safe) == (0.0, 1.0)
    assert pilot.read("e_bus_v") == 24


def test_a_pulled_breaker_is_no_battery_switched_off(fly: Fly) -> None:
    pilot = ready(fly(CALL))
    pilot.set(master_bat="OFF", cb_ess_stdby_batt="OUT", cabin_doors="UNLATCHED")
    assert pilot.episode.grade().goals_missed == ("batteries_off",)


@pytest.mark.parametrize(
    ("component", "value", "missed"),
    [
        ("seat_backs", "RECLINED", "seats_and_belts"),
        ("seat_belts", "LOOSE", "seats_and_belts"),
        ("cabin_doors", "CLOSE", "doors_unlatched"),
        ("target_airspeed", 64, "speed_for_flaps"),
        ("target_airspeed", 76, "speed_for_flaps"),
    ],
)
def test_a_step_undone_is_a_goal_missed(fly: Fly, component: str, value: object, missed: str) -> None:
    pilot = ready(fly(CALL))
    pilot.set(**DOWN)
    pilot.set(**{component: value})
    assert pilot.episode.grade().goals_missed == (missed,)


@pytest.mark.parametrize(
    ("task_id", "speed", "right"),
    [(CALL, 65, True), (CALL, 64, False), (CODE, 60, True), (CODE, 59, False), (CODE, 71, False)],
)
def test_the_speed_goes_by_the_flaps(fly: Fly, task_id: str, speed: int, right: bool) -> None:
    pilot = ready(fly(task_id))
    pilot.set(target_airspeed=speed)
    assert ("speed_for_flaps" not in pilot.episode.grade().goals_missed) is right


def test_flaps_are_the_pilots_choice(fly: Fly) -> None:
    pilot = ready(fly(CALL))
    pilot.set(flaps="FULL")
    pilot.set(**DOWN)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


# Power and radios.


@pytest.mark.parametrize(
    ("component", "value"),
    [
        ("master_bat", "OFF"),
        ("stby_batt", "OFF"),
        ("stby_batt", "TEST"),
        ("avionics_bus1", "OFF"),
        ("avionics_bus2", "OFF"),
    ],
)
def test_no_power_goes_before_the_landing_is_assured(fly: Fly, component: str, value: str) -> None:
    still_open, assured = fly(OPEN), asked(fly(CALL))
    for pilot in (still_open, assured):
        pilot.set(**{component: value})
    assert still_open.violated == [("power_until_assured", component)]
    assert assured.violated == []


def test_the_alternator_of_a_dead_engine_may_go(fly: Fly) -> None:
    pilot = fly(OPEN)
    pilot.set(master_alt="OFF")
    assert pilot.violated == []


def test_com1_lives_on_either_battery_until_both_are_off(fly: Fly) -> None:
    pilot = fly(CALL)
    pilot.set(stby_batt="OFF")
    assert pilot.violated == []
    pilot.set(master_bat="OFF")
    assert pilot.violated == [("radios_before_power_off", "master_bat")]


def test_on_the_standby_battery_its_switch_takes_the_call_away(fly: Fly) -> None:
    early, tuned = fly(ON_STANDBY), fly(ON_STANDBY)
    tuned.set(com1_freq=121.5)
    for pilot in (early, tuned):
        pilot.set(stby_batt="OFF")
    assert early.violated == [("radios_before_power_off", "stby_batt")]
    assert tuned.violated == []


def test_a_dark_com1_is_not_tuned(fly: Fly) -> None:
    pilot = fly(CALL)
    pilot.set(**READY, **DOWN, com1_freq=121.5)
    assert pilot.episode.grade().goals_missed == ("call_as_asked",)


@pytest.mark.parametrize("component", ["master_bat", "avionics_bus2"])
def test_the_code_goes_out_before_the_transponder_goes_dark(fly: Fly, component: str) -> None:
    early, sent = fly(CODE), fly(CODE)
    sent.set(xpdr_code=7700)
    for pilot in (early, sent):
        pilot.set(**{component: "OFF"})
    assert early.violated == [("radios_before_power_off", component)]
    assert sent.violated == []


def test_a_code_in_a_dark_transponder_is_seen_once_it_has_power(fly: Fly) -> None:
    pilot = fly(DARK)
    pilot.set(xpdr_code=7700)
    assert pilot.true("distress.squawked") is False
    pilot.set(avionics_bus2="ON")
    assert pilot.true("distress.squawked") is True


@pytest.mark.parametrize("task_id", list(ALTIMETER))
def test_the_altimeter_setting_is_auburns(fly: Fly, task_id: str) -> None:
    report = json.loads(fly(task_id).call("get_metar", station="KAUN").reply)["raw"]
    assert f" A{ALTIMETER[task_id] * 100:.0f}" in report


# Fuel, ignition, flaps.


@pytest.mark.parametrize(
    ("component", "value"),
    [("fuel_shutoff", "ON"), ("magnetos", "START"), ("magnetos", "BOTH"), ("mixture", 20)],
)
def test_what_is_secured_stays_so(fly: Fly, component: str, value: object) -> None:
    pilot = fly(OPEN)
    pilot.set(**READY)
    pilot.set(**{component: value})
    assert pilot.violated == [("stays_secured", component)]


def test_one_of_three_may_still_be_taken_back(fly: Fly) -> None:
    pilot = fly(OPEN)
    for component, cut, back in (
        ("fuel_shutoff", "OFF", "ON"),
        ("mixture", 0, 100),
        ("magnetos", "OFF", "BOTH"),
    ):
        pilot.set(**{component: cut})
        pilot.set(**{component: back})
    assert pilot.violated == []


@pytest.mark.parametrize(
    ("speed", "flaps", "violated"),
    [(85, "FULL", False), (86, "FULL", True), (86, "20", True), (86, "10", False), (111, "10", True)],
)
def test_flaps_within_their_speeds(fly: Fly, speed: int, flaps: str, violated: bool) -> None:
    pilot = fly(CALL)
    pilot.set(target_airspeed=speed, flaps=flaps)
    assert pilot.violated == ([("flaps_within_limits", "flaps")] if violated else [])


@pytest.mark.parametrize(("task_id", "speed"), [(CODE, 86), (OPEN, 111)])
def test_speed_within_the_flaps(fly: Fly, task_id: str, speed: int) -> None:
    pilot = fly(task_id)
    pilot.set(target_airspeed=speed - 1)
    assert pilot.violated == []
    pilot.set(target_airspeed=speed)
    assert pilot.violated == [("flaps_within_limits", "target_airspeed")]


def test_flaps_come_before_the_master_goes_off(fly: Fly) -> None:
    pilot = ready(fly(CALL))
    pilot.set(**DOWN, flaps="FULL")
    assert pilot.violated == [("flaps_before_power_off", "flaps")]
    assert pilot.read("flap_pos") == "UP"


# Diagnosis.


def test_no_list_of_actions_solves_more_than_half() -> None:
    tasks = [library.task(task_id) for task_id in TASKS]
    every = {
        "avionics_bus2": "ON",
        "com1_freq": 121.5,
        "xpdr_code": 7700,
        "baro_stby": 29.68,
        **READY,
        **DOWN,
    }
    lists = [writes(solve(task)) for task in tasks] + [tuple(every.items())]
    solved = [sum(replay(task, steps).grade().success for task in tasks) for steps in lists]
    assert max(solved) == solved[-1] == len(tasks) / 2
