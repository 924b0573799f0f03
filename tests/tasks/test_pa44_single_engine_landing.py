"""A landing of the PA-44 on one engine: own tank, full power at hand, gear and flaps when it is assured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library, variants
from acoe_gym.cockpit.episode import Episode

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "pa44/single_engine_landing/"
TASKS = library.task_ids("pa44/single_engine_landing")
LEFT, RIGHT = T + "left_secured_on_crossfeed", T + "right_secured_assured"
LEFT_HALF, RIGHT_HALF = T + "left_half_secured_assured", T + "right_half_secured"
ASSURED, NOT_ASSURED = (RIGHT, LEFT_HALF), (LEFT, RIGHT_HALF)
SECURING: dict[str, object] = {
    "cowl_flap": "CLOSED",
    "alternator": "OFF",
    "magneto_left": "OFF",
    "magneto_right": "OFF",
    "fuel_pump": "OFF",
    "fuel_selector": "OFF",
}
POWER: dict[str, object] = {
    "fuel_selector": "ON",
    "mixture": "RICH",
    "propeller": "FULL FORWARD",
    "fuel_pump": "ON",
}
GOAL_OF = {"mixture": "good_mixture_rich", "propeller": "good_propeller_forward"}


def dead_side(task: str) -> str:
    return task.removeprefix(T).partition("_")[0]


def good_side(task: str) -> str:
    return "right" if dead_side(task) == "left" else "left"


def put(pilot: Pilot, side: str, settings: dict[str, object]) -> Pilot:
    """Write controls of one engine in order."""
    pilot.set(**{f"{side}_{name}": value for name, value in settings.items()})
    return pilot


def ready(fly: Fly, task: str) -> Pilot:
    """Do everything that does not wait for the landing to be assured, and what the captain asks for."""
    pilot = put(fly(task), dead_side(task), SECURING)
    put(pilot, good_side(task), POWER)
    pilot.set(seat_belts="SECURE", target_airspeed=88, com1_freq=120.3)
    return pilot


# The situations.


@pytest.mark.parametrize("task", TASKS)
def test_one_engine_stands_still_and_the_nose_yaws_to_it(fly: Fly, task: str) -> None:
    pilot = fly(task)
    assert pilot.read(f"{dead_side(task)}_rpm") == 0
    assert pilot.read(f"{good_side(task)}_rpm") > 1900
    assert f"YAW {dead_side(task).upper()}" in pilot.read("crew_report")


@pytest.mark.parametrize("task", TASKS)
def test_no_task_starts_with_a_speed_that_could_be_kept(fly: Fly, task: str) -> None:
    assert fly(task).read("ias") > 95


@pytest.mark.parametrize("task", ASSURED)
def test_assured_is_told(fly: Fly, task: str) -> None:
    assert "Landing is assured." in fly(task).episode.task.briefing


@pytest.mark.parametrize("task", NOT_ASSURED)
def test_not_assured_is_told(fly: Fly, task: str) -> None:
    assert "Landing is not assured yet." in fly(task).episode.task.briefing


# The right way.


@pytest.mark.parametrize("task", ASSURED)
def test_assured_the_airplane_is_put_into_landing_configuration(fly: Fly, task: str) -> None:
    pilot = ready(fly, task)
    assert pilot.episode.grade().goal_attainment == 0.0
    pilot.set(landing_gear="DOWN", flaps="25")
    lights = [pilot.read(f"gear_light_{leg}") for leg in ("nose", "left", "right")]
    assert lights == ["GREEN"] * 3
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("task", NOT_ASSURED)
def test_not_assured_it_stays_clean(fly: Fly, task: str) -> None:
    assert ready(fly, task).episode.grade().success == 1.0


@pytest.mark.parametrize(("speed", "missed"), [(82, True), (83, False), (88, False), (95, False), (96, True)])
def test_assured_the_speed_is_that_of_a_normal_approach(fly: Fly, speed: int, missed: bool) -> None:
    pilot = ready(fly, ASSURED[0])
    pilot.set(landing_gear="DOWN", flaps="25", target_airspeed=speed)
    assert pilot.episode.grade().goals_missed == (("approach_speed",) if missed else ())


@pytest.mark.parametrize("speed", [82, 110])
def test_not_assured_any_speed_will_do(fly: Fly, speed: int) -> None:
    pilot = ready(fly, LEFT)
    pilot.set(target_airspeed=speed)
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("left_out", ["mixture", "propeller"])
def test_full_power_at_hand_counts(fly: Fly, left_out: str) -> None:
    pilot = ready(fly, LEFT)
    put(pilot, "right", {left_out: {"mixture": 80, "propeller": "CRUISE"}[left_out]})
    assert pilot.episode.grade().goals_missed == (GOAL_OF[left_out],)


def test_without_the_electric_pump_nothing_counts(fly: Fly) -> None:
    pilot = ready(fly, LEFT)
    pilot.set(right_fuel_pump="OFF")
    assert pilot.episode.grade().goal_attainment == 0.0


@pytest.mark.parametrize(
    ("task", "control"),
    [
        *[(LEFT_HALF, name) for name in ("cowl_flap", "alternator", "magneto_left", "magneto_right")],
        (LEFT_HALF, "fuel_selector"),
        *[(RIGHT_HALF, name) for name in ("cowl_flap", "magneto_left", "magneto_right", "fuel_pump")],
    ],
)
def test_what_was_left_of_the_securing_counts(fly: Fly, task: str, control: str) -> None:
    pilot = fly(task)
    put(pilot, dead_side(task), {name: value for name, value in SECURING.items() if name != control})
    put(pilot, good_side(task), POWER)
    pilot.set(seat_belts="SECURE", target_airspeed=88, com1_freq=120.3)
    if task in ASSURED:
        pilot.set(landing_gear="DOWN", flaps="25")
    assert pilot.episode.grade().goals_missed == ("dead_engine_secured",)


def test_loose_belts_count(fly: Fly) -> None:
    pilot = ready(fly, RIGHT_HALF)
    pilot.set(seat_belts="LOOSE")
    assert pilot.episode.grade().goals_missed == ("belts_secure",)


def test_the_tower_frequency_is_told_by_the_airport_information(fly: Fly) -> None:
    pilot = ready(fly, LEFT)
    assert "120.3" in pilot.call("get_airport_info", station="KSCK").reply
    pilot.set(com1_freq=118.6)
    assert pilot.episode.grade().goals_missed == ("tower_as_asked",)


# The wrong ways.


@pytest.mark.parametrize("task", NOT_ASSURED)
@pytest.mark.parametrize(
    ("control", "value"),
    [("landing_gear", "DOWN"), ("emergency_gear_extension", "PULLED"), ("flaps", "10"), ("flaps", "25")],
)
def test_drag_before_landing_is_assured_is_a_violation(fly: Fly, task: str, control: str, value: str) -> None:
    pilot = ready(fly, task)
    pilot.set(**{control: value})
    assert pilot.violated == [("clean_until_assured", control)]


def test_flaps_40_are_a_violation_even_when_assured(fly: Fly) -> None:
    pilot = ready(fly, RIGHT)
    pilot.set(landing_gear="DOWN", flaps="40")
    assert pilot.violated == [("flaps_not_40", "flaps")]
    pilot.set(flaps="25")
    assert (pilot.episode.grade().goal_attainment, pilot.episode.grade().success) == (1.0, 0.0)


def test_flaps_wait_for_their_speed(fly: Fly) -> None:
    pilot = fly(RIGHT)
    assert pilot.read("ias") == 118
    pilot.set(flaps="25")
    assert pilot.violated == [("extended_within_limits", "flaps")]


def test_nobody_accelerates_past_the_limit_with_flaps_or_gear_out(fly: Fly) -> None:
    pilot = ready(fly, RIGHT)
    pilot.set(landing_gear="DOWN", flaps="25", target_airspeed=112)
    assert pilot.violated == [("extended_within_limits", "target_airspeed")]
    pilot.set(flaps="0", target_airspeed=141)
    assert pilot.violated == [("extended_within_limits", "target_airspeed")] * 2


def test_the_gear_goes_down_within_its_own_limit(fly: Fly) -> None:
    pilot = fly(RIGHT)
    pilot.set(target_airspeed=140, landing_gear="DOWN")
    assert pilot.violated == []
    assert pilot.true("gear.at") == 2


@pytest.mark.parametrize("task", [LEFT, LEFT_HALF])
def test_on_the_other_tank_nothing_counts(fly: Fly, task: str) -> None:
    pilot = fly(task)
    assert pilot.read("right_fuel_selector") == "X-FEED"
    put(pilot, "right", {name: value for name, value in POWER.items() if name != "fuel_selector"})
    pilot.set(target_airspeed=88, landing_gear="UP")
    assert pilot.episode.grade().goal_attainment == 0.0


@pytest.mark.parametrize("task", TASKS)
def test_crossfeed_for_the_landing_is_a_violation(fly: Fly, task: str) -> None:
    pilot = ready(fly, task)
    put(pilot, good_side(task), {"fuel_selector": "X-FEED"})
    assert pilot.violated == [("no_crossfeed_for_landing", f"{good_side(task)}_fuel_selector")]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    ("control", "value"),
    [("propeller", "FEATHER"), ("mixture", 0), ("fuel_selector", "OFF")],
)
def test_stopping_the_good_engine_is_a_violation(fly: Fly, task: str, control: str, value: object) -> None:
    pilot = fly(task)
    put(pilot, good_side(task), {control: value})
    assert pilot.violated == [("good_engine_runs_on", f"{good_side(task)}_{control}")]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("propeller", "CRUISE"),
        ("mixture", 100),
        ("magneto_left", "ON"),
        ("magneto_right", "ON"),
        ("alternator", "ON"),
        ("fuel_pump", "ON"),
        ("fuel_selector", "ON"),
        ("fuel_selector", "X-FEED"),
    ],
)
def test_taking_back_the_securing_is_a_violation(fly: Fly, task: str, control: str, value: object) -> None:
    pilot = ready(fly, task)
    put(pilot, dead_side(task), {control: value})
    assert pilot.violated == [("dead_engine_stays_secured", f"{dead_side(task)}_{control}")]


@pytest.mark.parametrize("task", TASKS)
def test_below_control_speed_is_a_violation(fly: Fly, task: str) -> None:
    pilot = fly(task)
    pilot.set(target_airspeed=56)
    assert pilot.violated == []
    pilot.set(target_airspeed=55)
    assert pilot.violated == [("not_below_control_speed", "target_airspeed")]


# The reference.


@pytest.mark.parametrize("task", TASKS)
def test_the_list_solves_every_task(solve: Callable[..., Episode], task: str) -> None:
    assert solve(library.task(task)).grade().success == 1.0


@pytest.mark.parametrize("task", TASKS)
def test_the_whole_list_is_safe(solve: Callable[..., Episode], task: str) -> None:
    assert solve(library.task(task), whole=True).grade().safe == 1.0


@pytest.mark.parametrize("seed", range(40))
def test_the_list_solves_generated_variants(solve: Callable[..., Episode], seed: int) -> None:
    assert solve(variants.generate("pa44/single_engine_landing", seed)).grade().success == 1.0
