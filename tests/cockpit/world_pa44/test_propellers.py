"""Governing, feathering with its threshold, and overspeed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

Sets = Mapping[str, object]
DEAD = {"{x}.engine.running": False, "{x}_mixture": 0}
FEATHER = {"{x}_propeller": "FEATHER"}
OVERSPEED = {"{x}.fault.governor": True}


@pytest.mark.parametrize(
    ("lever", "throttle", "rpm"),
    [
        ("FULL FORWARD", 100, 2700),
        ("CRUISE", 100, 2400),
        ("CRUISE", 65, 2400),
        ("FULL DECREASE", 65, 2000),
        ("CRUISE", 0, 2200),
        ("FULL DECREASE", 0, 2000),
    ],
)
def test_governor_holds_the_rpm_of_the_lever_at_most(
    sided: Bench, lever: str, throttle: int, rpm: int
) -> None:
    now = sided.write(sided.state(), {"{x}_propeller": lever, "{x}_throttle": throttle})
    assert (sided.read(now, "{x}_rpm"), sided.read(now, "{o}_rpm")) == (rpm, 2400)


@pytest.mark.parametrize(("throttle", "rpm"), [(0, 700), (100, 2700)])
def test_standing_engine_turns_by_its_throttle(sided: Bench, throttle: int, rpm: int) -> None:
    takeoff = {"airborne": False, "{x}_propeller": "FULL FORWARD", "{x}_throttle": throttle}
    assert sided.read(sided.state(takeoff), "{x}_rpm") == rpm


@pytest.mark.parametrize(("speed", "rpm"), [(120, 2200), (88, 1880), (56, 1560)])
def test_dead_engine_windmills_with_the_airspeed(sided: Bench, speed: int, rpm: int) -> None:
    now = sided.write(sided.state(DEAD), {"target_airspeed": speed})
    assert (sided.read(now, "{x}_rpm"), sided.read(now, "{x}_oil_pressure")) == (rpm, 40)


def test_dead_engine_on_the_ground_stands(sided: Bench) -> None:
    now = sided.state({**DEAD, "airborne": False})
    assert (sided.read(now, "{x}_rpm"), sided.read(now, "{x}_oil_pressure")) == (0, 0)


def test_feathered_propeller_stands_still(sided: Bench) -> None:
    now = sided.write(
        sided.state({**DEAD, "altitude.ft": 1000, "{o}_throttle": 100}), {"target_airspeed": 88}
    )
    sinking = sided.read(now, "vertical_speed")
    sided.write(now, FEATHER)
    assert [sided.read(now, name) for name in ("{x}_rpm", "{x}_oil_pressure")] == [0, 0]
    assert sided.read(now, "vertical_speed") == sinking + 200


@pytest.mark.parametrize(("friction", "rpm", "feathered"), [(930, 950, True), (940, 940, False)])
def test_feathering_needs_950_rpm(sided: Bench, friction: int, rpm: int, feathered: bool) -> None:
    now = sided.write(sided.state({**DEAD, "{x}.friction": friction}), {"target_airspeed": 88})
    assert sided.read(now, "{x}_rpm") == rpm
    sided.write(now, FEATHER)
    assert sided.holds(now, "{x}.prop.feathered") is feathered


def test_slowing_down_can_take_a_failing_engine_below_950_and_speed_brings_it_back(sided: Bench) -> None:
    now = sided.state({**DEAD, "{x}.friction": 900, "target_airspeed": 88})
    assert sided.read(now, "{x}_rpm") == 980
    sided.write(now, {"target_airspeed": 82, **FEATHER})
    assert (sided.read(now, "{x}_rpm"), sided.holds(now, "{x}.prop.feathered")) == (920, False)
    sided.write(now, {"target_airspeed": 88})
    assert sided.holds(now, "{x}.prop.feathered")


def test_rules_and_gauge_agree_on_950_rpm(sided: Bench) -> None:
    rng = random.Random(950)
    speeds, throttles, frictions = range(40, 203), range(101), range(0, 1001, 10)
    for _ in range(3000):
        sets = {"target_airspeed": rng.choice(speeds), "{x}_throttle": rng.choice(throttles)}
        flags = (
            "airborne",
            "ground.roll",
            "{x}.engine.running",
            "{x}.fault.governor",
            "{x}.governor.partial",
        )
        now = sided.state(
            {**sets, "{x}.friction": rng.choice(frictions), **{f: rng.random() < 0.5 for f in flags}}
        )
        assert sided.holds(now, "{x}.rpm.feathers") is (sided.read(now, "{x}_rpm") >= 950)


def test_feathering_works_without_oil_pressure(sided: Bench) -> None:
    assert sided.holds(sided.write(sided.state({"{x}.fault.oil": True}), FEATHER), "{x}.prop.feathered")


def test_feathering_stops_a_running_engine(sided: Bench) -> None:
    now = sided.write(sided.state(), FEATHER)
    assert not sided.holds(now, "{x}.engine.running")
    assert sided.holds(now, "{o}.engine.running")


def test_propeller_does_not_feather_on_the_ground_at_idle(sided: Bench) -> None:
    now = sided.write(sided.state({"airborne": False, "{x}_throttle": 0}), FEATHER)
    assert sided.holds(now, "{x}.engine.running and not {x}.prop.feathered")
    sided.write(now, {"{x}_throttle": 13})
    assert sided.holds(now, "{x}.prop.feathered")


@pytest.mark.parametrize("lever", ["FULL DECREASE", "CRUISE", "FULL FORWARD"])
def test_feathered_propeller_stays_feathered(sided: Bench, lever: str) -> None:
    now = sided.write(sided.write(sided.state(DEAD), FEATHER), {"{x}_propeller": lever})
    sided.write(now, {"{x}_mixture": "RICH", "{x}_fuel_pump": "ON", "{x}_carb_heat": "ON"})
    sided.write(now, {"{x}_starter": "ENGAGE"})
    assert (sided.read(now, "{x}_rpm"), sided.holds(now, "{x}.engine.running")) == (0, False)


@pytest.mark.parametrize(
    ("speed", "throttle", "rpm"),
    [(120, 65, 2885), (120, 0, 2560), (130, 0, 2690), (140, 0, 2820), (100, 0, 2300), (110, 65, 2755)],
)
def test_failed_governor_leaves_rpm_to_throttle_and_airspeed(
    sided: Bench, speed: int, throttle: int, rpm: int
) -> None:
    now = sided.write(sided.state(OVERSPEED), {"target_airspeed": speed, "{x}_throttle": throttle})
    assert sided.read(now, "{x}_rpm") == rpm
    assert ("SHRILL SOUND" in sided.lit(now, "crew_report")) is (rpm > 2700)


@pytest.mark.parametrize(
    ("partial", "lever", "rpm"),
    [
        (False, "FULL DECREASE", 2885),
        (True, "FULL DECREASE", 2585),
        (True, "CRUISE", 2735),
        (True, "FULL FORWARD", 2885),
    ],
)
def test_lever_moves_the_rpm_only_while_it_has_some_hold(
    sided: Bench, partial: bool, lever: str, rpm: int
) -> None:
    now = sided.state({**OVERSPEED, "{x}.governor.partial": partial, "{x}_propeller": "FULL FORWARD"})
    assert sided.read(sided.write(now, {"{x}_propeller": lever}), "{x}_rpm") == rpm


def test_overspeed_is_bounded(sided: Bench) -> None:
    now = sided.write(sided.state(OVERSPEED), {"{x}_throttle": "FULL", "target_airspeed": 202})
    assert sided.read(now, "{x}_rpm") == 3400


@pytest.mark.parametrize(("oil_lost", "psi"), [(False, 75), (True, 10)])
def test_oil_pressure_tells_the_two_overspeeds_apart(sided: Bench, oil_lost: bool, psi: int) -> None:
    assert sided.read(sided.state({**OVERSPEED, "{x}.fault.oil": oil_lost}), "{x}_oil_pressure") == psi


def test_overspeeding_propeller_can_be_feathered(sided: Bench) -> None:
    assert sided.read(sided.write(sided.state(OVERSPEED), FEATHER), "{x}_rpm") == 0
