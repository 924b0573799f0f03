"""Engine fire in the PA-44: six memory items, cowl flap OPEN, the other engine let alone."""

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
T = "pa44/engine_fire/"
CRUISE, CLIMB, CROSSFEED = T + "left_in_cruise", T + "right_in_climb", T + "right_on_crossfeed"
SHUT_DOWN, ROUGH = T + "left_shut_down_already", T + "right_other_engine_rough"
IDLING = T + "left_other_engine_idling"
TASKS = library.task_ids("pa44/engine_fire")
ALTIMETER = {ROUGH: 29.94, IDLING: 30.28}
# The memory items.
ITEMS: dict[str, object] = {
    "fuel_selector": "OFF",
    "throttle": "IDLE",
    "propeller": "FEATHER",
    "mixture": "IDLE CUTOFF",
    "fuel_pump": "OFF",
    "cowl_flap": "OPEN",
}


def side(task_id: str) -> str:
    return task_id.removeprefix(T).partition("_")[0]


def other(task_id: str) -> str:
    return "right" if side(task_id) == "left" else "left"


def burns(pilot: Pilot) -> bool:
    return any("ENGINE FIRE" in line for line in pilot.read("crew_report"))


def items(task_id: str, *without: str) -> dict[str, object]:
    """Return the memory items on the burning engine, some left out."""
    return {f"{side(task_id)}_{name}": value for name, value in ITEMS.items() if name not in without}


def put_out(pilot: Pilot) -> Pilot:
    task_id = pilot.episode.task.id
    pilot.set(**items(task_id), altimeter_setting=ALTIMETER.get(task_id, 29.92))
    return pilot


# The situations.


@pytest.mark.parametrize("task_id", TASKS)
def test_the_crew_sees_which_engine_burns(fly: Fly, task_id: str) -> None:
    report = fly(task_id).read("crew_report")
    assert f"ENGINE FIRE {side(task_id).upper()}" in report
    assert f"ENGINE FIRE {other(task_id).upper()}" not in report


def test_the_yaw_may_be_to_the_engine_that_does_not_burn(fly: Fly) -> None:
    report = fly(IDLING).read("crew_report")
    assert {"ENGINE FIRE LEFT", "YAW RIGHT"} <= set(report)


def test_the_other_engine_may_shake_and_still_pull(fly: Fly) -> None:
    pilot = fly(ROUGH)
    assert {"ENGINE FIRE RIGHT", "VIBRATION LEFT"} <= set(pilot.read("crew_report"))
    assert pilot.read("left_rpm") == 2400


def test_a_normal_securing_has_not_put_it_out(fly: Fly) -> None:
    pilot = fly(SHUT_DOWN)
    assert (pilot.read("left_rpm"), pilot.read("left_cowl_flap")) == (0, "CLOSED")
    assert burns(pilot)


@pytest.mark.parametrize("task_id", list(ALTIMETER))
def test_the_altimeter_setting_is_auburns(fly: Fly, task_id: str) -> None:
    report = json.loads(fly(task_id).call("get_metar", station="KAUN").reply)["raw"]
    assert f" A{ALTIMETER[task_id] * 100:.0f}" in report


# The list.


@pytest.mark.parametrize("task_id", TASKS)
def test_the_memory_items_put_it_out(fly: Fly, task_id: str) -> None:
    pilot = put_out(fly(task_id))
    assert not burns(pilot)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@given(order=st.permutations(list(ITEMS)))
def test_their_order_is_free(fly: Fly, order: list[str]) -> None:
    pilot = fly(CRUISE)
    pilot.set(**{f"left_{name}": ITEMS[name] for name in order})
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("missing", [name for name in ITEMS if name != "fuel_pump"])
def test_it_burns_on_without_one_of_them(fly: Fly, missing: str) -> None:
    pilot = fly(CRUISE)
    pilot.set(**items(CRUISE, missing))
    assert burns(pilot)
    assert (pilot.episode.grade().goal_attainment, pilot.violated) == (0.0, [])


@pytest.mark.parametrize("task_id", [CLIMB, SHUT_DOWN])
def test_it_burns_on_with_the_electric_pump_on(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(**items(task_id, "fuel_pump"))
    assert burns(pilot)


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("cabin_heat", "OFF"),
        ("left_alternator", "OFF"),
        ("left_magneto_left", "OFF"),
        ("target_airspeed", 88),
        ("right_fuel_selector", "X-FEED"),
        ("right_throttle", 100),
        ("landing_light", "ON"),
    ],
)
def test_what_no_seen_source_asks_for_is_free(fly: Fly, control: str, value: object) -> None:
    pilot = fly(CRUISE)
    pilot.set(**{control: value})
    assert (put_out(pilot).episode.grade().success, pilot.violated) == (1.0, [])


def test_the_captains_altimeter_is_a_goal_of_its_own(fly: Fly) -> None:
    pilot = fly(IDLING)
    pilot.set(**items(IDLING))
    assert pilot.episode.grade().goals_missed == ("altimeter_as_asked",)


# What feeds the fire.


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("fuel_selector", "ON"),
        ("fuel_selector", "X-FEED"),
        ("fuel_pump", "ON"),
        ("mixture", "RICH"),
        ("primer", "PRIME"),
        ("starter", "ENGAGE"),
    ],
)
@pytest.mark.parametrize("task_id", [CRUISE, CLIMB])
def test_no_fuel_comes_back_to_it(fly: Fly, task_id: str, control: str, value: str) -> None:
    pilot = put_out(fly(task_id))
    pilot.set(**{f"{side(task_id)}_{control}": value})
    assert pilot.violated == [("no_fuel_to_the_fire", f"{side(task_id)}_{control}")]


def test_its_own_tank_is_no_way_out_of_crossfeed(fly: Fly) -> None:
    pilot = fly(CROSSFEED)
    pilot.set(right_fuel_selector="ON")
    assert pilot.violated == [("no_fuel_to_the_fire", "right_fuel_selector")]


def test_a_richer_mixture_on_the_way_down_is_no_fuel_back(fly: Fly) -> None:
    pilot = fly(CRUISE)
    pilot.set(left_mixture="RICH")
    assert pilot.violated == []


# The cowl flap: the opposite of a normal securing.


@pytest.mark.parametrize("task_id", [CLIMB, ROUGH])
def test_closing_the_cowl_flap_is_the_error_of_the_paper(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(**items(task_id, "cowl_flap"), right_cowl_flap="CLOSED")
    assert pilot.violated == [("cowl_flap_not_closed", "right_cowl_flap")]
    assert burns(pilot)


def test_it_stays_open_when_the_fire_is_out(fly: Fly) -> None:
    pilot = put_out(fly(CROSSFEED))
    pilot.set(right_cowl_flap="CLOSED")
    assert pilot.violated == [("cowl_flap_not_closed", "right_cowl_flap")]
    assert pilot.episode.grade().goals_missed == ("cowl_flap_open",)


def test_a_cowl_flap_half_open_is_not_open(fly: Fly) -> None:
    pilot = fly(CRUISE)
    pilot.set(**items(CRUISE, "cowl_flap"), left_cowl_flap="HALF")
    assert burns(pilot)
    assert pilot.violated == []


def test_the_cowl_flap_of_the_other_engine_is_free(fly: Fly) -> None:
    pilot = fly(CLIMB)
    pilot.set(left_cowl_flap="CLOSED")
    assert pilot.violated == []


# The other engine, and the battery.


@pytest.mark.parametrize(
    ("control", "value"),
    [("propeller", "FEATHER"), ("mixture", "IDLE CUTOFF"), ("fuel_selector", "OFF")],
)
@pytest.mark.parametrize("task_id", [CRUISE, CLIMB, IDLING])
def test_the_good_engine_is_not_shut_down(fly: Fly, task_id: str, control: str, value: str) -> None:
    pilot = fly(task_id)
    pilot.set(**{f"{other(task_id)}_{control}": value})
    assert pilot.violated == [("good_engine_runs_on", f"{other(task_id)}_{control}")]


def test_one_magneto_of_the_good_engine_may_go_but_not_both(fly: Fly) -> None:
    pilot = fly(CLIMB)
    pilot.set(left_magneto_left="OFF")
    assert pilot.violated == []
    pilot.set(left_magneto_right="OFF")
    assert pilot.violated == [("good_engine_runs_on", "left_magneto_right")]


def test_going_by_the_yaw_takes_the_wrong_engine(fly: Fly) -> None:
    pilot = fly(IDLING)
    pilot.set(right_fuel_selector="OFF", right_throttle=0, right_propeller="FEATHER", right_mixture=0)
    assert pilot.violated == [("good_engine_runs_on", "right_fuel_selector")]
    assert burns(pilot)


@pytest.mark.parametrize("task_id", TASKS)
def test_the_battery_stays_on(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(battery_master="OFF")
    assert pilot.violated == [("battery_stays_on", "battery_master")]


# Diagnosis and variants.


def test_no_reference_solves_more_than_half() -> None:
    tasks = [library.task(task_id) for task_id in TASKS]
    solved = [sum(replay(task, writes(solve(one))).grade().success for task in tasks) for one in tasks]
    assert max(solved) <= len(tasks) / 2


def test_variants_are_solved_by_the_whole_list_at_no_cost() -> None:
    variants = (generate("pa44/engine_fire", seed) for seed in range(500))
    assert [task.id for task in variants if solve(task, whole=True).grade().success != 1.0] == []
