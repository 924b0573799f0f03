"""Propeller overspeed in the PA-44: cured and left running, or without oil and power; one engine only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library, variants
from acoe_gym.cockpit.reference import replay, solve, writes

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "pa44/propeller_overspeed/"
DEAD, HOLDS, OIL = T + "left_lever_dead", T + "right_lever_holds_a_little", T + "left_oil_lost"
POWER, WANTED = T + "right_power_needed", T + "right_oil_lost_power_wanted"
TASKS = library.task_ids("pa44/propeller_overspeed")
CURABLE = (DEAD, HOLDS, POWER)
ALTIMETER = {POWER: 30.05, WANTED: 29.91}
SIDES = {DEAD: ("left", "right"), OIL: ("left", "right")}


def sides(task_id: str) -> tuple[str, str]:
    """Return the bad side and the good one."""
    return SIDES.get(task_id, ("right", "left"))


def listed(task_id: str) -> dict[str, object]:
    """Return the list for a task, and what its captain asks for."""
    bad, _ = sides(task_id)
    return {
        f"{bad}_throttle": 30 if task_id == POWER else 0,
        f"{bad}_propeller": "FULL DECREASE",
        "target_airspeed": 100,
        "altimeter_setting": ALTIMETER.get(task_id, 29.92),
    }


def cured(pilot: Pilot) -> Pilot:
    pilot.set(**listed(pilot.episode.task.id))
    return pilot


# The situations.


@pytest.mark.parametrize("task_id", TASKS)
def test_one_propeller_runs_away_and_a_sound_tells_it(fly: Fly, task_id: str) -> None:
    pilot, (bad, good) = fly(task_id), sides(task_id)
    assert pilot.read(f"{bad}_rpm") > 2700 >= pilot.read(f"{good}_rpm")
    assert pilot.read("crew_report") == ["SHRILL SOUND"]


@pytest.mark.parametrize("task_id", TASKS)
def test_only_lost_oil_shows_below_the_red_line(fly: Fly, task_id: str) -> None:
    pilot, (bad, good) = fly(task_id), sides(task_id)
    assert pilot.read(f"{good}_oil_pressure") >= 25
    assert (pilot.read(f"{bad}_oil_pressure") < 25) == (task_id in (OIL, WANTED))
    assert (f"OIL {bad.upper()}" in pilot.read("annunciators")) == (task_id in (OIL, WANTED))


@pytest.mark.parametrize("task_id", TASKS)
def test_the_most_flown_so_far_is_what_is_flown_at_the_start(fly: Fly, task_id: str) -> None:
    pilot, (bad, _) = fly(task_id), sides(task_id)
    assert pilot.true("throttle.most") == pilot.read(f"{bad}_throttle")
    assert pilot.true("airspeed.most") == pilot.read("ias")


# The list.


@given(task_id=st.sampled_from(TASKS), data=st.data())
def test_the_list_succeeds_in_any_order(fly: Fly, task_id: str, data: st.DataObject) -> None:
    pilot = fly(task_id)
    for name, value in data.draw(st.permutations(list(listed(task_id).items()))):
        pilot.set(**{name: value})
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])
    assert pilot.read("crew_report") in ([], [f"YAW {sides(task_id)[0].upper()}", "RUDDER FORCE"])


@pytest.mark.parametrize("task_id", TASKS)
def test_the_list_on_the_wrong_side_violates_and_cures_nothing(fly: Fly, task_id: str) -> None:
    pilot, (bad, good) = fly(task_id), sides(task_id)
    pilot.set(**{f"{good}_throttle": 0, f"{good}_propeller": "FULL DECREASE"})
    assert [name for name, _ in pilot.violated] == ["good_engine_untouched"] * 2
    assert pilot.read(f"{bad}_rpm") > 2700


@pytest.mark.parametrize(("left_out", "missed"), [(0, "throttle_retarded"), (1, "lever_decreased")])
def test_each_lever_of_the_list_is_a_goal(fly: Fly, left_out: int, missed: str) -> None:
    pilot = fly(HOLDS)
    done = list(listed(HOLDS).items())
    del done[left_out]
    pilot.set(**dict(done))
    assert pilot.episode.grade().goals_missed == (missed,)


def test_at_the_old_speed_a_dead_lever_leaves_the_rpm_too_high(fly: Fly) -> None:
    pilot = fly(DEAD)
    pilot.set(left_throttle="IDLE", left_propeller="FULL DECREASE")
    assert pilot.read("left_rpm") > 2700
    assert pilot.episode.grade().goal_attainment == 0.0


def test_at_the_old_speed_a_lever_that_holds_cures_the_rpm_and_the_speed_is_a_goal_missed(fly: Fly) -> None:
    pilot = fly(HOLDS)
    pilot.set(right_throttle="IDLE", right_propeller="FULL DECREASE")
    assert pilot.read("right_rpm") <= 2700
    assert pilot.episode.grade().goals_missed == ("airspeed_reduced",)


@pytest.mark.parametrize("speed", [56, 88, 120, 130])
def test_how_far_the_speed_comes_back_is_free(fly: Fly, speed: int) -> None:
    pilot = fly(DEAD)
    pilot.set(**{**listed(DEAD), "target_airspeed": speed})
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("speed", [55, 134])
def test_below_control_speed_or_hardly_slower_is_not_reduced(fly: Fly, speed: int) -> None:
    pilot = fly(HOLDS)
    pilot.set(**{**listed(HOLDS), "target_airspeed": speed})
    assert pilot.episode.grade().goals_missed == ("airspeed_reduced",)


def test_once_it_is_cured_the_lever_may_be_set_where_it_holds(fly: Fly) -> None:
    pilot = cured(fly(HOLDS))
    pilot.set(right_propeller="CRUISE")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_once_it_is_cured_power_may_come_back_within_the_limit(fly: Fly) -> None:
    pilot = cured(fly(DEAD))
    pilot.set(left_throttle=50)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_power_that_drives_it_over_the_limit_again_is_not_cured(fly: Fly) -> None:
    pilot = cured(fly(POWER))
    pilot.set(target_airspeed=130, right_throttle=74)
    assert "rpm_restored" in pilot.episode.grade().goals_missed


# While the RPM is above the limit.


@pytest.mark.parametrize(
    ("component", "value", "constraint"),
    [
        ("left_throttle", 76, "throttle_not_advanced"),
        ("left_propeller", "FULL FORWARD", "lever_not_forward"),
        ("target_airspeed", 139, "not_faster"),
    ],
)
def test_nothing_may_drive_the_rpm_further_up(
    fly: Fly, component: str, value: object, constraint: str
) -> None:
    over, within = fly(DEAD), cured(fly(DEAD))
    for pilot in (over, within):
        pilot.set(**{component: value})
    assert over.violated == [(constraint, component)]
    assert within.violated == []


def test_what_was_raised_and_taken_back_stays_a_violation(fly: Fly) -> None:
    pilot = fly(DEAD)
    pilot.set(target_airspeed=150)
    grade = cured(pilot).episode.grade()
    assert (grade.goal_attainment, grade.safe, grade.success) == (1.0, 0.0, 0.0)


# Shutting down.


def test_the_papers_episode_a_restored_engine_is_feathered(fly: Fly) -> None:
    pilot = cured(fly(HOLDS))
    pilot.set(right_propeller="FEATHER", right_mixture=0, right_fuel_selector="OFF")
    assert pilot.violated == [("no_shutdown_when_restored", "right_propeller")]
    assert pilot.episode.grade().goal_attainment == 0.0


@pytest.mark.parametrize("task_id", CURABLE)
@pytest.mark.parametrize(
    ("control", "value"),
    [("mixture", 0), ("fuel_selector", "OFF"), ("magneto_left", "OFF"), ("magneto_right", "OFF")],
)
def test_a_restored_engine_is_left_running(fly: Fly, task_id: str, control: str, value: object) -> None:
    pilot, (bad, _) = cured(fly(task_id)), sides(task_id)
    pilot.set(**{f"{bad}_{control}": value})
    assert pilot.violated == [("no_shutdown_when_restored", f"{bad}_{control}")]


def test_feathering_before_trying_the_list_loses_the_engine(fly: Fly) -> None:
    pilot = fly(DEAD)
    pilot.set(left_propeller="FEATHER", left_throttle=0, left_mixture=0, target_airspeed=100)
    grade = pilot.episode.grade()
    assert (grade.goal_attainment, grade.safe) == (0.0, 1.0)


# Without oil.


def test_without_oil_minimal_power_and_securing_are_both_right(fly: Fly) -> None:
    idle, secured = cured(fly(OIL)), fly(OIL)
    secured.set(
        left_throttle="IDLE", left_propeller="FEATHER", left_mixture="IDLE CUTOFF", left_cowl_flap="CLOSED"
    )
    secured.set(
        left_alternator="OFF", left_magneto_left="OFF", left_magneto_right="OFF", left_fuel_selector="OFF"
    )
    for pilot in (idle, secured):
        assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])
    assert secured.read("left_rpm") == 0


def test_a_feathered_engine_without_oil_is_not_secured_with_its_mixture_open(fly: Fly) -> None:
    pilot = fly(OIL)
    pilot.set(left_throttle="IDLE", left_propeller="FEATHER")
    assert pilot.episode.grade().goals_missed == ("airspeed_reduced",)


def test_without_oil_the_captain_gets_no_power(fly: Fly) -> None:
    pilot = fly(WANTED)
    pilot.set(**{**listed(WANTED), "right_throttle": 30})
    assert pilot.episode.grade().goals_missed == ("no_power_without_oil",)
    pilot.set(right_throttle=0)
    assert pilot.episode.grade().success == 1.0


def test_without_oil_closed_throttle_stays_closed_whatever_the_rpm(fly: Fly) -> None:
    pilot = cured(fly(WANTED))
    pilot.set(right_throttle=30)
    assert pilot.read("right_rpm") <= 2700
    assert pilot.violated == [("throttle_not_advanced", "right_throttle")]


def test_with_oil_the_captain_gets_the_power_asked_for(fly: Fly) -> None:
    pilot = fly(POWER)
    pilot.set(**{**listed(POWER), "right_throttle": 29})
    assert pilot.episode.grade().goals_missed == ("power_as_asked",)
    pilot.set(right_throttle=30)
    assert pilot.episode.grade().success == 1.0


# The good engine.


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("throttle", 29),
        ("propeller", "FULL DECREASE"),
        ("propeller", "FEATHER"),
        ("mixture", 19),
        ("fuel_selector", "OFF"),
        ("magneto_left", "OFF"),
    ],
)
def test_the_good_engine_is_left_alone(fly: Fly, task_id: str, control: str, value: object) -> None:
    pilot, (_, good) = fly(task_id), sides(task_id)
    pilot.set(**{f"{good}_{control}": value})
    assert pilot.violated == [("good_engine_untouched", f"{good}_{control}")]


def test_the_good_engine_may_give_more(fly: Fly) -> None:
    pilot = cured(fly(DEAD))
    pilot.set(right_mixture="RICH", right_propeller="FULL FORWARD", right_throttle="FULL")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


# Told apart, and beside the core.


def test_the_captains_wish_alone_does_not_tell_whether_the_engine_is_fit(fly: Fly) -> None:
    fit, unfit = fly(POWER), fly(WANTED)
    assert fit.episode.task.briefing == unfit.episode.task.briefing
    assert fit.read("right_oil_pressure") != unfit.read("right_oil_pressure")


@pytest.mark.parametrize("task_id", TASKS)
def test_no_reference_solves_more_than_two_tasks(task_id: str) -> None:
    steps = writes(solve(library.task(task_id)))
    assert sum(replay(library.task(other), steps).grade().success for other in TASKS) <= 2


def test_the_whole_list_written_out_solves_500_variants() -> None:
    drawn = (variants.generate("pa44/propeller_overspeed", seed) for seed in range(500))
    assert [task.id for task in drawn if solve(task, whole=True).grade().success != 1.0] == []
