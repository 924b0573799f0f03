"""Engine restart in the C172S: the paper's Fig. 2(b), what an engine needs, and what the list must not do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]
T = "c172s/engine_restart/"
STOPPED = T + "stopped_prop_left_tank"
WINDMILLING = T + "windmilling_magnetos_off"
TASKS = library.task_ids("c172s/engine_restart")
# What an engine needs to come back, and what each control may wrongly show. A stopped one needs START too.
NEEDED: dict[str, object] = {
    "target_airspeed": 68,
    "fuel_shutoff": "ON",
    "fuel_selector": "BOTH",
    "fuel_pump": "ON",
    "mixture": "RICH",
}
WRONG: dict[str, list[object]] = {
    "target_airspeed": [50, 62, 74, 100],
    "fuel_shutoff": ["OFF"],
    "fuel_selector": ["LEFT", "RIGHT"],
    "fuel_pump": ["OFF"],
    "mixture": [0, 50, 89],
}


def indications(pilot: Pilot) -> tuple[int, int]:
    return pilot.read("rpm"), pilot.read("oil_pres")


def restarted(pilot: Pilot) -> Pilot:
    """Do what the list says up to the running engine."""
    pilot.set(**NEEDED)
    pilot.set(magnetos="START" if pilot.read("rpm") == 0 else "BOTH")
    assert pilot.true("engine.running") is True
    return pilot


# Fig. 2(b).


def test_fig_2b_shows_what_the_paper_shows(fly: Fly) -> None:
    pilot = fly(STOPPED)
    shown = {name: pilot.read(name) for name in ("ias", "rpm", "oil_pres", "fuel_selector", "magnetos")}
    assert shown == {"ias": 62, "rpm": 0, "oil_pres": 0, "fuel_selector": "LEFT", "magnetos": "R"}
    assert pilot.read("cas")[0] == "OIL PRESSURE"


def test_fig_2b_is_solved_by_the_list(fly: Fly) -> None:
    pilot = fly(STOPPED)
    pilot.set(target_airspeed=68, fuel_selector="BOTH", fuel_pump="ON", mixture="RICH", magnetos="START")
    assert indications(pilot) == (2300, 70)
    assert pilot.read("magnetos") == "BOTH"
    pilot.set(fuel_pump="OFF")
    pilot.call("submit")
    assert pilot.episode.grade().success == 1.0


def test_fig_2b_start_does_nothing_outside_the_speed_band(fly: Fly) -> None:
    pilot = fly(STOPPED)
    pilot.set(fuel_selector="BOTH", fuel_pump="ON", mixture="RICH", magnetos="START")
    assert indications(pilot) == (0, 0)
    pilot.set(target_airspeed=68, magnetos="START")
    assert indications(pilot) == (2300, 70)


def test_fig_2b_the_pump_goes_off_after_the_start(fly: Fly) -> None:
    pilot = restarted(fly(STOPPED))
    assert pilot.episode.grade().goals_missed == ("pump_off",)
    pilot.set(fuel_pump="OFF")
    assert pilot.true("engine.running") is True
    assert pilot.episode.grade().success == 1.0


def test_fig_2b_power_removed_before_the_restart_is_a_violation_for_good(fly: Fly) -> None:
    pilot = fly(STOPPED)
    pilot.set(master_bat="OFF")
    assert pilot.violated == [("keep_power", "master_bat")]
    pilot.set(master_bat="ON", master_alt="ON")
    restarted(pilot).set(fuel_pump="OFF")
    pilot.call("submit")
    grade = pilot.episode.grade()
    assert (grade.goal_attainment, grade.safe, grade.success) == (1.0, 0.0, 0.0)
    assert pilot.violated == [("keep_power", "master_bat")]


# What the engine needs.


@given(order=st.permutations(list(NEEDED)), data=st.data())
def test_a_stopped_engine_stays_stopped_while_one_thing_is_wrong(
    fly: Fly, order: list[str], data: st.DataObject
) -> None:
    pilot = fly(STOPPED)
    wrong = data.draw(st.sampled_from(order))
    for name in order:
        pilot.set(**{name: data.draw(st.sampled_from(WRONG[name])) if name == wrong else NEEDED[name]})
    pilot.set(magnetos="START")
    assert indications(pilot) == (0, 0)
    pilot.set(**{wrong: NEEDED[wrong]}, magnetos="START")
    assert indications(pilot) == (2300, 70)


@given(order=st.permutations(["target_airspeed", "fuel_selector", "fuel_pump", "mixture"]), data=st.data())
def test_a_stopped_engine_stays_stopped_while_one_thing_is_left_out(
    fly: Fly, order: list[str], data: st.DataObject
) -> None:
    pilot = fly(STOPPED)
    left_out = data.draw(st.sampled_from([*order, "magnetos"]))
    for name in order:
        if name != left_out:
            pilot.set(**{name: NEEDED[name]})
    if left_out != "magnetos":
        pilot.set(magnetos="START")
    assert indications(pilot) == (0, 0)
    assert pilot.episode.grade().goal_attainment == 0.0


@given(order=st.permutations(list(NEEDED)), early=st.integers(0, 3))
def test_start_pressed_too_early_does_nothing(fly: Fly, order: list[str], early: int) -> None:
    pilot = fly(STOPPED)
    pilot.set(fuel_shutoff="OFF")  # so that each of the five is wrong until it is set
    for number, name in enumerate(order):
        if number == early:
            pilot.set(magnetos="START")
        pilot.set(**{name: NEEDED[name]})
        assert indications(pilot) == (0, 0)
    pilot.set(magnetos="START")
    assert indications(pilot) == (2300, 70)


@pytest.mark.parametrize("position", ["OFF", "R", "L", "BOTH"])
def test_no_magneto_position_but_start_turns_a_stopped_propeller(fly: Fly, position: str) -> None:
    pilot = fly(STOPPED)
    pilot.set(**NEEDED, magnetos=position)
    assert indications(pilot) == (0, 0)


@given(order=st.permutations([*NEEDED, "magnetos"]))
def test_a_windmilling_engine_restarts_the_moment_the_last_thing_is_right(fly: Fly, order: list[str]) -> None:
    pilot = fly(WINDMILLING)
    pilot.set(fuel_shutoff="OFF")
    needed = {**NEEDED, "magnetos": "BOTH"}
    for name in order[:-1]:
        pilot.set(**{name: needed[name]})
        assert indications(pilot) == (900, 30)
    pilot.set(**{order[-1]: needed[order[-1]]})
    assert indications(pilot) == (2300, 70)


@pytest.mark.parametrize("speed", [62, 74])
def test_the_speed_band_is_68_plus_or_minus_5(fly: Fly, speed: int) -> None:
    pilot = fly(WINDMILLING)
    pilot.set(fuel_selector="BOTH", fuel_pump="ON", mixture="RICH", magnetos="BOTH", target_airspeed=speed)
    assert pilot.true("engine.running") is False
    pilot.set(target_airspeed=63 if speed == 62 else 73)
    assert pilot.true("engine.running") is True


@pytest.mark.parametrize(
    ("component", "value"), [("fuel_shutoff", "OFF"), ("mixture", "IDLE CUTOFF"), ("magnetos", "OFF")]
)
@pytest.mark.parametrize("task_id", [STOPPED, WINDMILLING])
def test_a_running_engine_stops_without_fuel_or_ignition(
    fly: Fly, task_id: str, component: str, value: str
) -> None:
    pilot = restarted(fly(task_id))
    pilot.set(fuel_pump="OFF", **{component: value})
    assert indications(pilot) == (900, 30)
    pilot.call("submit")
    assert (pilot.episode.grade().success, pilot.episode.grade().goal_attainment) == (0.0, 0.0)


@pytest.mark.parametrize("component", ["master_bat", "master_alt", "avionics_bus1"])
def test_a_running_engine_needs_no_electricity(fly: Fly, component: str) -> None:
    pilot = restarted(fly(STOPPED))
    pilot.set(fuel_pump="OFF", **{component: "OFF"})
    assert pilot.true("engine.running") is True
    assert pilot.violated == []


def without_a_part() -> list[str]:
    """Controls that neither the list nor a constraint names."""
    template = library.template("c172s/engine_restart")
    named = {name for step in template.procedure for name, _ in step.sets}
    named |= {name for c in template.constraints for t in c.triggers for name, _ in t.settings}
    return [name for name in template.world.controls if name not in named]


@given(data=st.data())
def test_controls_without_a_part_in_the_procedure_do_not_affect_it(fly: Fly, data: st.DataObject) -> None:
    plain, busy = fly(STOPPED), fly(STOPPED)
    domains = plain.episode.task.program.template.domains
    for name, value in {**NEEDED, "magnetos": "START"}.items():
        other = data.draw(st.sampled_from(without_a_part()))
        domain = domains[other]
        busy.set(**{other: domain.show(data.draw(st.sampled_from(domain.commandable())))})  # type: ignore[union-attr]
        for pilot in (plain, busy):
            pilot.set(**{name: value})
        assert plain.true("engine.running") is busy.true("engine.running")
    busy.set(fuel_pump="OFF")
    assert (busy.episode.grade().success, busy.violated) == (1.0, [])


# The engine-driven pump has failed.


@pytest.mark.parametrize("name", ["engine_pump_failed", "engine_pump_failed_stopped_prop"])
def test_with_a_failed_engine_pump_the_engine_lives_on_the_electric_one(fly: Fly, name: str) -> None:
    pilot = restarted(fly(T + name))
    assert pilot.episode.grade().success == 1.0
    pilot.set(fuel_pump="OFF")
    assert pilot.read("fflow") == 0
    assert pilot.true("engine.running") is False
    pilot.set(fuel_pump="ON")
    assert pilot.read("fflow") > 0
    assert pilot.true("engine.running") is True
    pilot.call("submit")
    assert pilot.episode.grade().success == 1.0


def test_with_a_good_engine_pump_fuel_flows_without_the_electric_one(fly: Fly) -> None:
    pilot = restarted(fly(STOPPED))
    pilot.set(fuel_pump="OFF")
    assert pilot.read("fflow") > 0


# What the list must not do.


@pytest.mark.parametrize(
    ("task_id", "constraint", "component", "value"),
    [
        (STOPPED, "keep_power", "master_bat", "OFF"),
        (STOPPED, "keep_power", "stby_batt", "OFF"),
        (STOPPED, "keep_power", "avionics_bus1", "OFF"),
        (STOPPED, "keep_power", "avionics_bus2", "OFF"),
        (STOPPED, "keep_fuel_and_ignition", "fuel_shutoff", "OFF"),
        (STOPPED, "keep_fuel_and_ignition", "mixture", 19),
        (STOPPED, "keep_fuel_and_ignition", "mixture", "IDLE CUTOFF"),
        (STOPPED, "keep_fuel_and_ignition", "magnetos", "OFF"),
        (T + "stopped_prop_empty_tank", "keep_fuel_and_ignition", "fuel_selector", "RIGHT"),
        (T + "windmilling_shutoff_closed", "no_start_while_turning", "magnetos", "START"),
    ],
)
def test_an_unsafe_request_before_the_restart_is_a_violation(
    fly: Fly, task_id: str, constraint: str, component: str, value: object
) -> None:
    pilot = fly(task_id)
    if pilot.read(component) == value:
        pilot.set(fuel_selector="LEFT")
    pilot.set(**{component: value})
    assert pilot.violated == [(constraint, component)]


@pytest.mark.parametrize(
    ("component", "value"),
    [("mixture", 20), ("fuel_selector", "RIGHT"), ("magnetos", "L"), ("throttle", 0), ("master_alt", "OFF")],
)
def test_a_harmless_request_is_none(fly: Fly, component: str, value: object) -> None:
    pilot = fly(STOPPED)
    pilot.set(**{component: value})
    assert pilot.violated == []


def test_the_pump_stays_on_until_the_engine_runs(fly: Fly) -> None:
    pilot = fly(STOPPED)
    pilot.set(fuel_pump="ON")
    pilot.set(fuel_pump="OFF")
    assert pilot.violated == [("pump_on_until_running", "fuel_pump")]


def test_start_is_for_a_propeller_that_stands(fly: Fly) -> None:
    turning, stopped = fly(WINDMILLING), fly(STOPPED)
    for pilot in (turning, stopped):
        pilot.set(magnetos="START")
    assert turning.violated == [("no_start_while_turning", "magnetos")]
    assert stopped.violated == []


# What the pilot can see.


def test_a_stopped_propeller_and_a_windmilling_one_read_differently(fly: Fly) -> None:
    assert {name: indications(fly(name)) for name in (STOPPED, WINDMILLING)} == {
        STOPPED: (0, 0),
        WINDMILLING: (900, 30),
    }


def test_the_captains_altimeter_is_the_one_of_the_report(fly: Fly) -> None:
    pilot = restarted(fly(T + "windmilling_shutoff_closed"))
    pilot.set(fuel_pump="OFF")
    assert pilot.episode.grade().goals_missed == ("altimeter_as_asked",)
    pilot.set(baro_pfd=29.87)
    assert pilot.episode.grade().success == 1.0


@pytest.mark.parametrize("task_id", TASKS)
def test_no_task_starts_with_the_airspeed_in_the_band(fly: Fly, task_id: str) -> None:
    assert not 63 <= fly(task_id).read("ias") <= 73
