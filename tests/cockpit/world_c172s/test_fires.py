"""Fires go out when all that their lists ask for is done; smoke and gas leave with fresh air."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cockpit.world_c172s.conftest import Bench

ELECTRICAL = {"fire.electrical": True, "cabin_vents": "OPEN", "cabin_ht": "ON", "cabin_air": "ON"}
PUT_OUT = {
    "stby_batt": "OFF",
    "master_bat": "OFF",
    "cabin_vents": "CLOSED",
    "cabin_ht": "OFF",
    "cabin_air": "OFF",
    "fire_extinguisher": "ACTIVATED",
}
ENGINE = {"fire.engine": True, "fuel_pump": "ON", "cabin_ht": "ON", "cabin_air": "ON", "target_airspeed": 75}
CUT_OFF = {
    "mixture": 0,
    "fuel_shutoff": "OFF",
    "fuel_pump": "OFF",
    "master_bat": "OFF",
    "cabin_ht": "OFF",
    "cabin_air": "OFF",
    "target_airspeed": 100,
}


def without(sets: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in sets.items() if key != name}


def test_electrical_fire_fills_the_cabin_with_smoke(bench: Bench) -> None:
    assert bench.lit(bench.state(ELECTRICAL), "crew_report") == ("ELECTRICAL FIRE", "SMOKE IN CABIN")


@pytest.mark.parametrize("last", PUT_OUT)
def test_electrical_fire_goes_out_with_the_last_step(bench: Bench, last: str) -> None:
    now = bench.write(bench.state(ELECTRICAL), without(PUT_OUT, last))
    assert bench.holds(now, "fire.electrical")
    bench.write(now, {last: PUT_OUT[last]})
    assert bench.lit(now, "crew_report") == ("SMOKE IN CABIN",)


def test_smoke_leaves_through_open_vents_and_the_fire_stays_out(bench: Bench) -> None:
    now = bench.write(bench.state(ELECTRICAL), PUT_OUT)
    power = {"master_bat": "ON", "master_alt": "ON", "stby_batt": "ARM"}
    bench.write(now, {"cabin_vents": "OPEN", "cabin_ht": "ON", "cabin_air": "ON", **power})
    assert bench.lit(now, "crew_report") == ()


def test_without_an_extinguisher_aboard_none_is_needed(bench: Bench) -> None:
    now = bench.state({**ELECTRICAL, "extinguisher.aboard": False})
    assert bench.read(now, "extinguisher_gauge") == "NONE"
    bench.write(now, without(PUT_OUT, "fire_extinguisher"))
    assert not bench.holds(now, "fire.electrical")


def test_extinguisher_serves_once(bench: Bench) -> None:
    now = bench.state()
    assert bench.read(now, "extinguisher_gauge") == "GREEN"
    assert bench.read(bench.write(now, {"fire_extinguisher": "ACTIVATED"}), "extinguisher_gauge") == "EMPTY"
    assert bench.world.domains["fire_extinguisher"].legal() == ["ACTIVATED"]


@pytest.mark.parametrize("last", CUT_OFF)
def test_engine_fire_goes_out_with_the_last_step(bench: Bench, last: str) -> None:
    now = bench.write(bench.state(ENGINE), without(CUT_OFF, last))
    assert "ENGINE FIRE" in bench.lit(now, "crew_report")
    assert "ENGINE FIRE" not in bench.lit(bench.write(now, {last: CUT_OFF[last]}), "crew_report")


@pytest.mark.parametrize("left_on", ["master_bat", "master_alt"])
def test_half_a_master_keeps_the_engine_fire_burning(bench: Bench, left_on: str) -> None:
    halves = {"master_bat": "OFF", "master_alt": "OFF", left_on: "ON"}
    now = bench.write(bench.state({**ENGINE, **halves}), without(CUT_OFF, "master_bat"))
    assert bench.holds(now, "fire.engine")


@pytest.mark.parametrize(("speed", "burns"), [(100, True), (109, True), (110, False)])
def test_stubborn_engine_fire_needs_more_speed(bench: Bench, speed: int, burns: bool) -> None:
    now = bench.write(bench.state({**ENGINE, "fire.engine_needs_more_speed": True}), CUT_OFF)
    bench.write(now, {"target_airspeed": speed})
    assert ("ENGINE FIRE" in bench.lit(now, "crew_report")) is burns


@pytest.mark.parametrize("last", ["cabin_ht", "cabin_air", "cabin_vents"])
def test_carbon_monoxide_clears_with_heat_off_and_fresh_air(bench: Bench, last: str) -> None:
    steps = {"cabin_ht": "OFF", "cabin_air": "ON", "cabin_vents": "OPEN"}
    now = bench.write(bench.state({"co.high": True, "cabin_ht": "ON"}), without(steps, last))
    assert "CO LVL HIGH" in bench.lit(now)
    assert "CO LVL HIGH" not in bench.lit(bench.write(now, {last: steps[last]}))
