"""What keeps an engine running, what relights it, and what leaves it alone."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

Sets = Mapping[str, object]
WORLD = library.world("pa44")
DEAD = {"{x}.engine.running": False}
CHECKS = {"{x}_fuel_pump": "ON", "{x}_mixture": "RICH"}
NO_POWER = {"battery_master": "OFF", "left_alternator": "OFF", "right_alternator": "OFF"}
ON_GROUND = {"airborne": False, **DEAD}


def runs(bench: Bench, now: list[bool | int | float]) -> bool:
    return bench.holds(now, "{x}.engine.running")


def test_cruise_figures(sided: Bench) -> None:
    gauges = ("rpm", "manifold_pressure", "oil_pressure", "oil_temp", "cht", "egt", "fuel_pressure")
    readings = [sided.read(sided.state(), f"{{x}}_{name}") for name in gauges]
    assert readings == [2400, 20.7, 75, 185, 390, 1350, 4]


# (what is wrong, the write that cures it)
CURABLE: list[tuple[Sets, Sets]] = [
    ({"{x}_fuel_selector": "OFF"}, {"{x}_fuel_selector": "ON"}),
    ({"{x}.tank": 0}, {"{x}_fuel_selector": "X-FEED"}),
    ({"{x}_mixture": 0}, {"{x}_mixture": "RICH"}),
    ({"{x}.fault.engine_pump": True}, {"{x}_fuel_pump": "ON"}),
    ({"{x}.fault.carb_ice": True}, {"{x}_carb_heat": "ON"}),
    ({"{x}_magneto_left": "OFF", "{x}_magneto_right": "OFF"}, {"{x}_magneto_left": "ON"}),
]


@pytest.mark.parametrize(("cause", "cure"), CURABLE)
def test_engine_dies_of_each_cause_alone_and_relights_after_checks_and_cure(
    sided: Bench, cause: Sets, cure: Sets
) -> None:
    now = sided.state(cause)
    assert not runs(sided, now)
    sided.write(now, {name: value for name, value in CHECKS.items() if name not in cure})
    assert not runs(sided, now)
    assert runs(sided, sided.write(now, cure))
    assert sided.holds(now, "{o}.engine.running")


@pytest.mark.parametrize("order", list(permutations(CHECKS)))
def test_windmilling_engine_relights_with_the_last_check(sided: Bench, order: tuple[str, ...]) -> None:
    now = sided.state(DEAD)
    for name in order:
        assert not runs(sided, now)
        sided.write(now, {name: CHECKS[name]})
    assert runs(sided, now)


@pytest.mark.parametrize("undone", [{"{x}_fuel_pump": "OFF"}, {"{x}_mixture": 80}])
def test_relit_engine_keeps_running_when_a_check_is_undone(sided: Bench, undone: Sets) -> None:
    assert runs(sided, sided.write(sided.write(sided.state(DEAD), CHECKS), undone))


@pytest.mark.parametrize(
    "fault",
    [
        {"{x}.fault.engine": True},
        {"{x}.prop.feathered": True},
        {"{x}.fault.fuel_line": True},
        {"{x}.tank": 0},
        {"{x}_magneto_left": "OFF", "{x}_magneto_right": "OFF"},
        {"{x}.fault.carb_ice": True},
        {"{x}_propeller": "FEATHER", "{x}.friction": 1000, "target_airspeed": 88},
        {"{x}.friction": 710},
        {"target_airspeed": 69},
        {"airborne": False, "ground.roll": True},
        {"circuit_breakers": "OUT"},
        NO_POWER,
    ],
)
def test_no_relight_against_a_fault(sided: Bench, fault: Sets) -> None:
    now = sided.write(sided.state({**DEAD, **fault}), {**CHECKS, "{x}_starter": "ENGAGE"})
    assert not runs(sided, now)


@pytest.mark.parametrize(
    ("name", "value", "relit"),
    [
        ("target_airspeed", 70, True),
        ("target_airspeed", 202, True),
        ("{x}_mixture", 90, True),
        ("{x}_mixture", 89, False),
        ("{x}_propeller", "FULL DECREASE", True),
    ],
)
def test_bounds_of_a_relight(sided: Bench, name: str, value: object, relit: bool) -> None:
    assert runs(sided, sided.write(sided.state(DEAD), {**CHECKS, name: value})) is relit


@pytest.mark.parametrize(("friction", "relit"), [(700, True), (710, False)])
def test_failing_engine_with_too_much_friction_does_not_relight(
    sided: Bench, friction: int, relit: bool
) -> None:
    assert runs(sided, sided.write(sided.state({**DEAD, "{x}.friction": friction}), CHECKS)) is relit


@pytest.mark.parametrize(
    ("fault", "sets", "running"),
    [
        ({}, {"{x}_mixture": 20}, True),
        ({}, {"{x}_mixture": 19}, False),
        ({}, {"{x}_fuel_selector": "OFF"}, False),
        ({}, {"{x}_magneto_left": "OFF"}, True),
        ({"{x}.fault.magneto_left": True}, {"{x}_magneto_right": "OFF"}, True),
        ({"{x}.fault.magneto_left": True}, {"{x}_magneto_left": "OFF"}, True),
        ({"{x}_magneto_left": "OFF"}, {"{x}_magneto_right": "OFF"}, False),
        ({"{x}.fault.engine_pump": True, "{x}_fuel_pump": "ON"}, {"{x}_fuel_pump": "OFF"}, False),
        ({"{x}.fault.engine_pump": True, "{x}_fuel_pump": "ON"}, {"circuit_breakers": "OUT"}, False),
        ({"{x}.fault.engine_pump": True, "{x}_fuel_pump": "ON"}, {"battery_master": "OFF"}, True),
        ({"{x}.fault.carb_ice": True, "{x}_carb_heat": "ON"}, {"{x}_carb_heat": "OFF"}, False),
        ({"{x}.fault.oil": True}, {"{x}_throttle": 100}, True),
    ],
)
def test_running_engine_needs_fuel_spark_and_air(
    sided: Bench, fault: Sets, sets: Sets, running: bool
) -> None:
    now = sided.state(fault)
    assert runs(sided, now)
    assert runs(sided, sided.write(now, sets)) is running
    assert sided.holds(now, "{o}.engine.running")


@pytest.mark.parametrize(("airborne", "running"), [(True, True), (False, False)])
def test_engine_on_its_electric_pump_needs_the_battery_on_the_ground_only(
    sided: Bench, airborne: bool, running: bool
) -> None:
    now = sided.state({"airborne": airborne, "{x}.fault.engine_pump": True, "{x}_fuel_pump": "ON"})
    assert runs(sided, now)
    assert runs(sided, sided.write(now, {"battery_master": "OFF"})) is running
    assert (sided.read(now, "bus_voltage") > 0) is running


@pytest.mark.parametrize(
    ("sets", "starts"),
    [
        ({}, True),
        ({"{x}_fuel_selector": "OFF"}, False),
        ({"{x}_mixture": 0}, False),
        ({"{x}_magneto_left": "OFF", "{x}_magneto_right": "OFF"}, False),
        ({"{x}_propeller": "FEATHER"}, False),
        ({"{x}.prop.feathered": True}, False),
        ({"{x}.fault.engine": True}, False),
        ({**NO_POWER, "{o}.engine.running": False}, False),
    ],
)
def test_starter_on_the_ground(sided: Bench, sets: Sets, starts: bool) -> None:
    now = sided.write(sided.state({**ON_GROUND, **sets}), {"{x}_starter": "ENGAGE"})
    assert (runs(sided, now), sided.read(now, "{x}_starter")) == (starts, "OFF")


def test_starter_does_not_start_a_windmilling_engine(sided: Bench) -> None:
    assert not runs(sided, sided.write(sided.state(DEAD), {"{x}_starter": "ENGAGE"}))


@pytest.mark.parametrize(("throttle", "pulls"), [(29, False), (30, True)])
def test_engine_pulls_from_30_percent(sided: Bench, throttle: int, pulls: bool) -> None:
    now = sided.write(sided.state(), {"{x}_throttle": throttle})
    assert sided.holds(now, "{x}.thrust") is pulls
    assert (sided.put("YAW {X}") in sided.lit(now, "crew_report")) is not pulls


def test_verifying_by_throttle_tells_the_dead_engine_from_the_good_one(sided: Bench) -> None:
    now = sided.state({**DEAD, "{x}_mixture": 0})
    felt = sided.lit(now, "crew_report")
    assert sided.put("YAW {X}") in felt
    dead = sided.write(list(now), {"{x}_throttle": "IDLE"})
    assert sided.lit(dead, "crew_report") == felt
    good = sided.write(list(now), {"{o}_throttle": "IDLE"})
    assert sided.lit(good, "crew_report") == set()


def test_manifold_pressure_of_a_dead_engine_is_ambient(sided: Bench) -> None:
    now = sided.write(sided.state({**DEAD, "altitude.ft": 3000}), {"{x}_throttle": "IDLE"})
    assert sided.read(now, "{x}_manifold_pressure") == 26.9


@pytest.mark.parametrize(("lever", "cht"), [("CLOSED", 390), ("HALF", 370), ("OPEN", 350)])
def test_cowl_flap_cools_the_cylinders(sided: Bench, lever: str, cht: int) -> None:
    assert sided.read(sided.write(sided.state(), {"{x}_cowl_flap": lever}), "{x}_cht") == cht


@pytest.mark.parametrize(("left", "right", "rough"), [("ON", "ON", True), ("OFF", "ON", False)])
def test_failed_magneto_is_felt_until_it_is_off(sided: Bench, left: str, right: str, rough: bool) -> None:
    switches = {"{x}_magneto_left": left, "{x}_magneto_right": right}
    now = sided.write(sided.state({"{x}.fault.magneto_left": True}), switches)
    assert (sided.put("VIBRATION {X}") in sided.lit(now, "crew_report")) is rough


def test_lost_oil_pressure_shows_in_pressure_and_temperature(sided: Bench) -> None:
    now = sided.state({"{x}.fault.oil": True})
    assert [sided.read(now, f"{{x}}_oil_{gauge}") for gauge in ("pressure", "temp")] == [10, 255]


@pytest.mark.parametrize(
    ("sets", "temperatures"),
    [
        ({}, [185, 390, 1350]),
        ({"{x}_mixture": 100}, [185, 390, 1310]),
        ({"{x}_magneto_right": "OFF"}, [185, 390, 1410]),
        ({"{x}_mixture": 0}, [150, 260, 200]),
        ({"{x}_propeller": "FEATHER"}, [100, 180, 200]),
    ],
)
def test_temperatures_tell_running_windmilling_and_feathered_apart(
    sided: Bench, sets: Sets, temperatures: list[int]
) -> None:
    now = sided.state(sets)
    assert [sided.read(now, f"{{x}}_{gauge}") for gauge in ("oil_temp", "cht", "egt")] == temperatures


PART_IN_IT = ("_propeller", "_mixture", "_carb_heat", "_magneto", "_fuel", "_starter")
SHARED_PART = ("battery_", "circuit_breakers", "target_airspeed", "left_alternator", "right_alternator")


@given(data=st.data())
def test_other_controls_neither_stop_nor_start_an_engine(bench: Bench, data: st.DataObject) -> None:
    others = [c for c in WORLD.controls if not any(part in c for part in PART_IN_IT + SHARED_PART)]
    name = data.draw(st.sampled_from(others))
    value = data.draw(st.sampled_from(WORLD.domains[name].choices()))
    for sets in ({}, DEAD, {**DEAD, "{x}.prop.feathered": True}):
        now = bench.state(sets)
        before = [bench.holds(now, f"{{{side}}}.engine.running") for side in "xo"]
        bench.store(now, name, value)
        assert [bench.holds(now, f"{{{side}}}.engine.running") for side in "xo"] == before
