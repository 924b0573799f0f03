"""LOW VOLTS in the C172S: one reset, then loads shed, radios ready before their bus goes, no early flaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.reference import replay, solve, writes

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "c172s/low_voltage/"
WORKS, CLOUD_WORKS = T + "field_open_reset_works", T + "in_cloud_reset_works"
FAILS, CLOUD_FAILS = T + "field_opens_again", T + "in_cloud_field_opens_again"
TRIED, NIGHT = T + "reset_already_tried", T + "landing_certain_at_night"
TASKS = library.task_ids("c172s/low_voltage")
SHED = {
    "avionics_bus1": "OFF",
    "pitot_heat": "OFF",
    "light_beacon": "OFF",
    "light_taxi": "OFF",
    "light_nav": "OFF",
    "light_strobe": "OFF",
    "cabin_pwr_12v": "OFF",
}
RADIOS = {"com_mic": "COM1", "nav_audio": "NAV1"}
FREQUENCIES = {
    FAILS: {"com1_freq": 121.3, "nav1_freq": 116.8},
    TRIED: {"com1_freq": 119.8, "nav1_freq": 114.1},
    NIGHT: {"com1_freq": 121.3, "nav1_freq": 116.8},
}


def low(pilot: Pilot) -> bool:
    return "LOW VOLTS" in pilot.read("cas")


def reset(pilot: Pilot) -> Pilot:
    """Do the reset of the list, once."""
    pilot.set(master_alt="OFF", cb_xfeed_alt_field="IN")
    pilot.set(master_alt="ON")
    return pilot


def saved(pilot: Pilot) -> Pilot:
    """Save the battery after a reset that failed: everything but AVIONICS BUS 2."""
    task_id = pilot.episode.task.id
    if task_id != TRIED:
        reset(pilot)
    assert low(pilot)
    pilot.set(master_alt="OFF", **SHED, **FREQUENCIES.get(task_id, {}), **RADIOS)
    return pilot


# The reset.


@pytest.mark.parametrize("task_id", TASKS)
def test_every_task_starts_on_the_battery(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    assert low(pilot)
    assert (pilot.read("m_bus_v"), pilot.read("m_batt_a") < 0) == (24, True)


@pytest.mark.parametrize("task_id", [WORKS, CLOUD_WORKS])
def test_a_reset_that_works_shows_volts_and_charge(fly: Fly, task_id: str) -> None:
    pilot = reset(fly(task_id))
    assert not low(pilot)
    assert pilot.read("m_bus_v") >= 27.5
    assert pilot.read("m_batt_a") > 0
    assert pilot.episode.grade().goal_attainment > 0


def test_the_open_field_is_closed_with_the_alternator_off(fly: Fly) -> None:
    pilot = reset(fly(WORKS))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("task_id", [WORKS, FAILS, CLOUD_FAILS, NIGHT])
def test_the_field_is_not_closed_on_a_live_alternator_switch(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(cb_xfeed_alt_field="IN")
    assert pilot.violated == [("alternator_off_before_its_breaker", "cb_xfeed_alt_field")]


def test_alternator_off_and_on_without_its_breaker_is_no_reset_yet(fly: Fly) -> None:
    pilot = fly(FAILS)
    pilot.set(master_alt="OFF")
    pilot.set(master_alt="ON")
    reset(pilot)
    assert pilot.violated == []


@pytest.mark.parametrize("task_id", [FAILS, CLOUD_FAILS, NIGHT])
def test_a_shorted_field_opens_its_breaker_again(fly: Fly, task_id: str) -> None:
    pilot = fly(task_id)
    pilot.set(master_alt="OFF", cb_xfeed_alt_field="IN")
    assert pilot.read("cb_xfeed_alt_field") == "IN"
    pilot.set(master_alt="ON")
    assert (pilot.read("cb_xfeed_alt_field"), low(pilot)) == ("OUT", True)


def test_success_and_failure_look_alike_until_the_alternator_is_back_on(fly: Fly) -> None:
    works, fails = fly(WORKS), fly(FAILS)
    readers = works.episode.task.program.readers.values()
    for pilot in (works, fails):
        pilot.set(master_alt="OFF", cb_xfeed_alt_field="IN")
    one, other = ([read(pilot.episode.state) for read in readers] for pilot in (works, fails))
    assert one == other
    for pilot in (works, fails):
        pilot.set(master_alt="ON")
    assert (low(works), low(fails)) == (False, True)


@pytest.mark.parametrize("order", [("master_alt", "master_bat"), ("master_bat", "master_alt")])
def test_both_halves_of_master_off_and_on_are_the_reset_too(fly: Fly, order: tuple[str, str]) -> None:
    pilot = fly(WORKS)
    pilot.set(master_bat="OFF", cb_xfeed_alt_field="IN")
    pilot.set(**dict.fromkeys(order, "ON"))
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("task_id", [FAILS, CLOUD_FAILS, NIGHT])
@pytest.mark.parametrize("component", ["master_alt", "cb_xfeed_alt_field"])
def test_a_reset_that_failed_is_not_repeated(fly: Fly, task_id: str, component: str) -> None:
    pilot = reset(fly(task_id))
    pilot.set(master_alt="OFF")
    pilot.set(**{component: "ON" if component == "master_alt" else "IN"})
    assert pilot.violated == [("one_reset", component)]


@pytest.mark.parametrize(("component", "value"), [("master_alt", "ON"), ("cb_xfeed_alt_field", "IN")])
def test_the_captains_reset_was_the_one(fly: Fly, component: str, value: str) -> None:
    pilot = fly(TRIED)
    pilot.set(master_alt="OFF")
    pilot.set(**{component: value})
    assert pilot.violated == [("one_reset", component)]


def test_a_reset_that_worked_leaves_the_alternator_free(fly: Fly) -> None:
    pilot = reset(fly(WORKS))
    pilot.set(master_alt="OFF")
    assert low(pilot)
    assert pilot.episode.grade().goal_attainment == 0.0
    pilot.set(master_alt="ON")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


# Saving the battery.


def test_loads_shed_and_radios_in_use_save_the_battery(fly: Fly) -> None:
    pilot = saved(fly(FAILS))
    assert pilot.episode.grade().goal_attainment == 0.0  # AVIONICS BUS 2 draws too much to call it shed
    pilot.set(avionics_bus2="OFF")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_shedding_without_the_reset_attains_nothing(fly: Fly) -> None:
    pilot = fly(FAILS)
    pilot.set(master_alt="OFF", **SHED, **RADIOS, avionics_bus2="OFF")
    assert pilot.episode.grade().goal_attainment == 0.0


@pytest.mark.parametrize("switch", list(SHED))
def test_a_load_left_on_is_missed(fly: Fly, switch: str) -> None:
    pilot = saved(fly(FAILS))
    pilot.set(avionics_bus2="OFF")
    pilot.set(**{switch: "ON"})
    grade = pilot.episode.grade()
    assert (grade.success, grade.safe) == (0.0, 1.0)
    assert set(grade.goals_missed) & {"avionics_bus1_off", "pitot_heat_and_outlet_off", "lights_off"}


def test_an_alternator_left_on_is_missed(fly: Fly) -> None:
    pilot = reset(fly(FAILS))
    pilot.set(**SHED, **RADIOS, avionics_bus2="OFF")
    assert "alternator_off" in pilot.episode.grade().goals_missed


def test_shedding_makes_the_discharge_smaller(fly: Fly) -> None:
    pilot = reset(fly(FAILS))
    before = pilot.read("m_batt_a")
    pilot.set(master_alt="OFF", **SHED, **RADIOS, avionics_bus2="OFF")
    assert before < pilot.read("m_batt_a") < 0


@pytest.mark.parametrize("task_id", [FAILS, TRIED])
def test_flying_on_the_standby_battery_is_open_to_the_pilot(fly: Fly, task_id: str) -> None:
    pilot = saved(fly(task_id))
    pilot.set(avionics_bus2="OFF", master_bat="OFF")
    assert pilot.read("com1_freq") is not None
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


@pytest.mark.parametrize("position", ["OFF", "TEST"])
@pytest.mark.parametrize("task_id", TASKS)
def test_the_standby_battery_stays_armed(fly: Fly, task_id: str, position: str) -> None:
    pilot = fly(task_id)
    pilot.set(stby_batt=position)
    assert pilot.violated == [("standby_battery_stays", "stby_batt")]


def test_with_the_alternator_back_the_standby_battery_is_free(fly: Fly) -> None:
    pilot = reset(fly(WORKS))
    pilot.set(stby_batt="OFF")
    assert pilot.violated == []


# Radios and AVIONICS BUS 2.


@pytest.mark.parametrize("missing", list(RADIOS))
def test_com1_and_nav1_are_selected_before_their_panel_goes_dark(fly: Fly, missing: str) -> None:
    pilot = reset(fly(FAILS))
    pilot.set(**{name: value for name, value in RADIOS.items() if name != missing})
    pilot.set(avionics_bus2="OFF")
    assert pilot.violated == [("radios_before_bus2", "avionics_bus2")]


@pytest.mark.parametrize(
    ("task_id", "missing"), [(TRIED, "com1_freq"), (TRIED, "nav1_freq"), (NIGHT, "nav1_freq")]
)
def test_what_the_captain_uses_is_tuned_first(fly: Fly, task_id: str, missing: str) -> None:
    pilot = fly(task_id)
    pilot.set(**RADIOS, **{n: f for n, f in FREQUENCIES[task_id].items() if n != missing})
    pilot.set(avionics_bus2="OFF")
    assert pilot.violated == [("radios_before_bus2", "avionics_bus2")]


def test_tuned_and_selected_radios_free_the_bus(fly: Fly) -> None:
    pilot = saved(fly(TRIED))
    pilot.set(avionics_bus2="OFF")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_the_towers_frequency_is_looked_up(fly: Fly) -> None:
    pilot = fly(TRIED)
    assert "119.8" not in pilot.episode.task.briefing
    assert "119.8" in pilot.call("get_airport_info", station="KRHV").reply


def test_a_frequency_is_free_where_the_captain_named_none(fly: Fly) -> None:
    pilot = saved(fly(CLOUD_FAILS))
    pilot.set(com1_freq=121.5, baro_pfd=30)
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_in_cloud_the_bus_stays_on(fly: Fly) -> None:
    kept, switched = saved(fly(CLOUD_FAILS)), saved(fly(CLOUD_FAILS))
    switched.set(avionics_bus2="OFF")
    for pilot in (kept, switched):
        pilot.set(baro_pfd=30)
    assert (kept.episode.grade().success, kept.violated) == (1.0, [])
    assert switched.violated == [("bus2_stays_in_cloud", "avionics_bus2")]


def test_the_altimeter_setting_is_the_one_of_the_report(fly: Fly) -> None:
    pilot = reset(fly(CLOUD_WORKS))
    assert pilot.episode.grade().goals_missed == ("altimeter_as_asked",)
    assert " A3000 " in pilot.call("get_metar", station="KMRY").reply
    pilot.set(baro_pfd=30)
    assert pilot.episode.grade().success == 1.0


# Flaps and the landing.


@pytest.mark.parametrize("task_id", [task_id for task_id in TASKS if task_id != NIGHT])
@pytest.mark.parametrize("position", ["10", "20", "FULL"])
def test_no_flaps_before_the_landing_is_certain(fly: Fly, task_id: str, position: str) -> None:
    pilot = fly(task_id)
    pilot.set(flaps=position)
    assert pilot.violated == [("no_flaps_before_certain", "flaps")]


def test_flaps_for_a_certain_landing_are_set_with_power(fly: Fly) -> None:
    pilot = saved(fly(NIGHT))
    pilot.set(avionics_bus2="OFF")
    assert pilot.episode.grade().goals_missed == ("flaps_as_asked",)
    pilot.set(flaps="10")
    assert (pilot.episode.grade().success, pilot.violated) == (1.0, [])


def test_without_the_main_battery_the_flaps_stay_where_they_are(fly: Fly) -> None:
    pilot = saved(fly(NIGHT))
    pilot.set(avionics_bus2="OFF", master_bat="OFF", flaps="10")
    assert pilot.episode.grade().goals_missed == ("flaps_as_asked",)


@pytest.mark.parametrize("light", ["ON", "OFF"])
def test_the_landing_light_is_free_for_a_certain_landing(fly: Fly, light: str) -> None:
    pilot = saved(fly(NIGHT))
    pilot.set(light_land=light, avionics_bus2="OFF", flaps="10")
    assert pilot.episode.grade().success == 1.0


def test_the_landing_light_is_a_load_while_no_landing_is_certain(fly: Fly) -> None:
    pilot = saved(fly(FAILS))
    pilot.set(avionics_bus2="OFF", light_land="ON")
    assert "lights_off" in pilot.episode.grade().goals_missed


def test_no_tasks_solution_solves_most_others() -> None:
    tasks = [library.task(task_id) for task_id in TASKS]
    solved = [sum(replay(t, writes(solve(by))).grade().success for t in tasks) for by in tasks]
    assert max(solved) <= len(tasks) / 2
