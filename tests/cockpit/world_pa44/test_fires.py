"""Fires go out when all that their lists ask for is done, and nothing else helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

ENGINE = {"{x}.fire": True, "{x}_fuel_pump": "ON", "{x}_cowl_flap": "HALF"}
SECURED = {
    "{x}_fuel_selector": "OFF",
    "{x}_throttle": "IDLE",
    "{x}_propeller": "FEATHER",
    "{x}_mixture": "IDLE CUTOFF",
    "{x}_fuel_pump": "OFF",
    "{x}_cowl_flap": "OPEN",
}
ELECTRICAL = {"fire.electrical": True, "cabin_vents": "OPEN", "cabin_heat": "HEATER"}
PUT_OUT = {
    "battery_master": "OFF",
    "left_alternator": "OFF",
    "right_alternator": "OFF",
    "avionics_master": "OFF",
    "cabin_vents": "CLOSED",
    "cabin_heat": "OFF",
    "fire_extinguisher": "DISCHARGED",
}


def without(sets: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in sets.items() if key != name}


def burns(bench: Bench, now: list[bool | int | float]) -> bool:
    return bench.put("ENGINE FIRE {X}") in bench.lit(now, "crew_report")


@pytest.mark.parametrize("last", SECURED)
def test_engine_fire_goes_out_with_the_last_step(sided: Bench, last: str) -> None:
    now = sided.write(sided.state(ENGINE), without(SECURED, last))
    assert burns(sided, now)
    assert not burns(sided, sided.write(now, {last: SECURED[last]}))


@pytest.mark.parametrize("lever", ["CLOSED", "HALF"])
def test_engine_fire_burns_on_behind_a_cowl_flap_that_is_not_open(sided: Bench, lever: str) -> None:
    assert burns(sided, sided.write(sided.state(ENGINE), {**SECURED, "{x}_cowl_flap": lever}))


@pytest.mark.parametrize(("throttle", "burning"), [(5, False), (6, True)])
def test_engine_fire_burns_on_with_an_open_throttle(sided: Bench, throttle: int, burning: bool) -> None:
    assert burns(sided, sided.write(sided.state(ENGINE), {**SECURED, "{x}_throttle": throttle})) is burning


def test_securing_the_wrong_engine_does_not_help(sided: Bench) -> None:
    wrong = {name.replace("{x}", "{o}"): value for name, value in SECURED.items()}
    now = sided.write(sided.state(ENGINE), wrong)
    assert burns(sided, now)
    assert sided.holds(now, "{x}.engine.running and not {o}.engine.running")


def test_burning_engine_runs_until_its_fuel_is_off(sided: Bench) -> None:
    now = sided.state(ENGINE)
    assert sided.holds(now, "{x}.engine.running")
    assert not sided.holds(sided.write(now, {"{x}_fuel_selector": "OFF"}), "{x}.engine.running")


def test_engine_that_slows_below_950_rpm_cannot_be_secured_in_a_fire(sided: Bench) -> None:
    slow = {"{x}.friction": 900, "target_airspeed": 82}
    assert burns(sided, sided.write(sided.state({**ENGINE, **slow}), SECURED))
    assert not burns(sided, sided.write(sided.state({**ENGINE, **slow}), {"target_airspeed": 88, **SECURED}))


def test_engine_fire_stays_out(sided: Bench) -> None:
    now = sided.write(sided.state(ENGINE), SECURED)
    sided.write(now, {"{x}_fuel_selector": "ON", "{x}_cowl_flap": "CLOSED", "{x}_fuel_pump": "ON"})
    assert not burns(sided, now)


def test_fire_heats_the_cylinders(sided: Bench) -> None:
    assert sided.read(sided.state(ENGINE), "{x}_cht") == sided.read(sided.state(), "{x}_cht") - 20 + 90


@pytest.mark.parametrize("last", PUT_OUT)
def test_electrical_fire_goes_out_with_the_last_step(bench: Bench, last: str) -> None:
    now = bench.write(bench.state(ELECTRICAL), without(PUT_OUT, last))
    assert "ELECTRICAL FIRE" in bench.lit(now, "crew_report")
    bench.write(now, {last: PUT_OUT[last]})
    assert bench.lit(now, "crew_report") == {"SMOKE IN CABIN"}


def test_smoke_leaves_through_open_vents_and_the_fire_stays_out(bench: Bench) -> None:
    now = bench.write(bench.state(ELECTRICAL), PUT_OUT)
    bench.write(now, {"cabin_vents": "OPEN", "battery_master": "ON", "left_alternator": "ON"})
    assert bench.lit(now, "crew_report") == set()


def test_extinguisher_serves_once(bench: Bench) -> None:
    assert bench.world.domains["fire_extinguisher"].legal() == ["DISCHARGED"]
