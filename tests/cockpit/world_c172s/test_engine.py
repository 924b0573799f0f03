"""What keeps the engine running, what relights it, and what leaves it alone."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from acoe_gym.cockpit.program import State
    from tests.cockpit.world_c172s.conftest import Bench

Sets = Mapping[str, object]
WORLD = library.world("c172s")
OUT_OF_PLACE = {
    "fuel_shutoff": "OFF",
    "fuel_selector": "LEFT",
    "fuel_pump": "OFF",
    "mixture": 80,
    "magnetos": "R",
    "target_airspeed": 62,
}
RESTART = {
    "fuel_shutoff": "ON",
    "fuel_selector": "BOTH",
    "fuel_pump": "ON",
    "mixture": 90,
    "magnetos": "BOTH",
    "target_airspeed": 68,
}
MASTER_OFF = {"master_bat": "OFF", "master_alt": "OFF"}
START = {"magnetos": "START"}
RUNNING, WINDMILLING, STOPPED = [True, 2300, 70], [False, 900, 30], [False, 0, 0]


def failed(bench: Bench, *, stopped: bool, extra: Sets | None = None) -> State:
    """Return a dead engine with everything that the restart list looks at out of place."""
    return bench.state({"engine.running": False, "prop.stopped": stopped, **OUT_OF_PLACE, **(extra or {})})


def restarted(bench: Bench) -> State:
    now = bench.write(failed(bench, stopped=True), RESTART)
    return bench.write(bench.write(now, START), {"fuel_pump": "OFF"})


def engine(bench: Bench, now: State) -> list[object]:
    """Return the truth, and RPM and oil pressure, which tell running, windmilling and stopped apart."""
    return [bench.holds(now, "engine.running"), *(bench.read(now, name) for name in ("rpm", "oil_pres"))]


def test_normal_engine_shows_cruise_figures(bench: Bench) -> None:
    readings = [bench.read(bench.state(), name) for name in ("rpm", "oil_pres", "fflow", "m_bus_v", "vac")]
    assert readings == [2300, 70, 9, 28, 5]


@pytest.mark.parametrize(
    "order", [pytest.param(p, id="-".join(p)) for p in list(permutations(RESTART))[::37]]
)
def test_windmilling_engine_relights_with_the_last_of_six_conditions(
    bench: Bench, order: tuple[str, ...]
) -> None:
    now = failed(bench, stopped=False)
    for name in order:
        assert engine(bench, now) == WINDMILLING
        bench.write(now, {name: RESTART[name]})
    assert engine(bench, now) == RUNNING


def test_start_brings_a_stopped_propeller_to_life_and_springs_back(bench: Bench) -> None:
    now = bench.write(failed(bench, stopped=True), RESTART)
    assert engine(bench, now) == STOPPED
    bench.write(now, START)
    assert (engine(bench, now), bench.read(now, "magnetos")) == (RUNNING, "BOTH")


@pytest.mark.parametrize("missing", [name for name in RESTART if name != "magnetos"])
def test_start_does_nothing_while_a_condition_is_missing(bench: Bench, missing: str) -> None:
    now = bench.write(failed(bench, stopped=True), {n: v for n, v in RESTART.items() if n != missing})
    bench.write(now, START)
    assert (engine(bench, now), bench.read(now, "magnetos")) == (STOPPED, "BOTH")
    bench.write(now, {missing: RESTART[missing]})
    assert engine(bench, now) == STOPPED
    bench.write(now, START)
    assert engine(bench, now) == RUNNING


@pytest.mark.parametrize(
    "fault",
    [
        {"fault.engine": True},
        {"fire.engine": True},
        {"fault.magneto_left": True, "fault.magneto_right": True},
        {"tank.left": 0, "tank.right": 0},
        {"airborne": False, "ground.roll": True},
        {"cb_elec1_fuel_pump": "OUT"},
        MASTER_OFF,
    ],
)
@pytest.mark.parametrize("stopped", [False, True])
def test_no_restart_against_a_fault_or_without_power(bench: Bench, fault: Sets, stopped: bool) -> None:
    now = failed(bench, stopped=stopped, extra=fault)
    pushed = {n: v for n, v in RESTART.items() if n not in fault}
    bench.write(bench.write(now, pushed), START)
    assert not bench.holds(now, "engine.running")


def test_warn_breaker_disables_the_starter_and_not_a_windmilling_restart(bench: Bench) -> None:
    stopped, turning = (failed(bench, stopped=s, extra={"cb_xfeed_warn": "OUT"}) for s in (True, False))
    bench.write(bench.write(stopped, RESTART), START)
    assert engine(bench, stopped) == STOPPED
    assert engine(bench, bench.write(turning, RESTART)) == RUNNING


@pytest.mark.parametrize(
    ("name", "value", "runs"),
    [
        ("target_airspeed", 62, False),
        ("target_airspeed", 63, True),
        ("target_airspeed", 73, True),
        ("target_airspeed", 74, False),
        ("mixture", 89, False),
        ("mixture", 90, True),
    ],
)
def test_bands_of_a_restart(bench: Bench, name: str, value: int, runs: bool) -> None:
    now = bench.write(failed(bench, stopped=False), {**RESTART, name: value})
    assert bench.holds(now, "engine.running") is runs


@pytest.mark.parametrize(
    "sets", [{"fuel_shutoff": "OFF"}, {"mixture": "IDLE CUTOFF"}, {"mixture": 19}, {"magnetos": "OFF"}]
)
def test_restarted_engine_stops_again_and_windmills(bench: Bench, sets: Sets) -> None:
    now = restarted(bench)
    assert engine(bench, now) == RUNNING
    assert engine(bench, bench.write(now, sets)) == WINDMILLING


@pytest.mark.parametrize(
    ("fault", "sets", "runs"),
    [
        ({}, {**MASTER_OFF, "stby_batt": "OFF", "avionics_bus1": "OFF", "avionics_bus2": "OFF"}, True),
        ({}, {"mixture": 20}, True),
        ({}, {"fuel_shutoff": "OFF"}, False),
        ({"tank.left": 0}, {"fuel_selector": "LEFT"}, False),
        ({"tank.left": 0}, {"fuel_selector": "RIGHT"}, True),
        ({"fault.magneto_left": True}, {"magnetos": "L"}, False),
        ({"fault.magneto_left": True}, {"magnetos": "R"}, True),
        ({"fault.engine_pump": True, "fuel_pump": "ON"}, {"fuel_pump": "OFF"}, False),
        ({"fault.engine_pump": True, "fuel_pump": "ON"}, MASTER_OFF, False),
        ({"fault.engine_pump": True, "fuel_pump": "ON"}, {"master_alt": "OFF"}, True),
    ],
)
def test_running_engine_needs_fuel_and_spark_only(bench: Bench, fault: Sets, sets: Sets, runs: bool) -> None:
    now = bench.state(fault)
    assert bench.holds(now, "engine.running")
    assert bench.holds(bench.write(now, sets), "engine.running") is runs


@pytest.mark.parametrize("fault", [{"fault.engine": True}, {"prop.stopped": True, "fuel_pump": "ON"}])
def test_broken_or_stopped_engine_cannot_be_running(bench: Bench, fault: Sets) -> None:
    assert not bench.holds(bench.state({"engine.running": True, **fault}), "engine.running")


def test_fuel_flow_tells_a_failed_engine_pump(bench: Bench) -> None:
    now = bench.write(failed(bench, stopped=False, extra={"fault.engine_pump": True}), {"fuel_shutoff": "ON"})
    assert bench.read(now, "fflow") == 0
    assert bench.read(bench.write(now, {"fuel_pump": "ON"}), "fflow") == 3


@pytest.mark.parametrize(("magnetos", "rough"), [("BOTH", True), ("L", False), ("R", False)])
def test_failed_magneto_is_felt_until_the_good_one_is_alone(bench: Bench, magnetos: str, rough: bool) -> None:
    now = bench.write(bench.state({"fault.magneto_left": True}), {"magnetos": magnetos})
    assert ("ENGINE ROUGH" in bench.lit(now, "crew_report")) is rough


PART_IN_IT = (
    "fuel_",
    "mixture",
    "magnetos",
    "target_airspeed",
    "master_bat",
    "cb_elec1_fuel_pump",
    "cb_xfeed_warn",
)


@given(data=st.data())
def test_other_controls_neither_stop_nor_start_the_engine(bench: Bench, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([c for c in WORLD.controls if not c.startswith(PART_IN_IT)]))
    value = data.draw(st.sampled_from(WORLD.domains[name].choices()))
    for now in (bench.state(), failed(bench, stopped=False), failed(bench, stopped=True)):
        before = [bench.holds(now, "engine.running"), bench.holds(now, "prop.stopped")]
        bench.put(now, name, value)
        assert [bench.holds(now, "engine.running"), bench.holds(now, "prop.stopped")] == before
