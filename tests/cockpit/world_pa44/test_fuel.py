"""Selectors, crossfeed, pumps and what the pressure gauge makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cockpit.world_pa44.conftest import Bench

Sets = Mapping[str, object]


@pytest.mark.parametrize(
    ("selector", "own", "others", "running"),
    [
        ("ON", 10, 0, True),
        ("ON", 0, 10, False),
        ("X-FEED", 0, 10, True),
        ("X-FEED", 10, 0, False),
        ("OFF", 10, 10, False),
    ],
)
def test_each_selector_draws_from_its_own_tank_or_the_other_one(
    sided: Bench, selector: str, own: float, others: float, running: bool
) -> None:
    now = sided.state({"{x}.tank": own, "{o}.tank": others, "{x}_fuel_selector": selector})
    assert sided.holds(now, "{x}.engine.running") is running
    assert (sided.read(now, "{x}_fuel_pressure") > 0) is running
    assert sided.read(now, "{x}_fuel_quantity") == own


def test_both_engines_can_live_on_one_tank(sided: Bench) -> None:
    now = sided.write(sided.state({"{o}.tank": 0.5, "{x}_fuel_selector": "X-FEED"}), {"{x}_fuel_pump": "ON"})
    assert sided.holds(now, "left.engine.running and right.engine.running")


def test_crossed_selectors_run_both_engines(bench: Bench) -> None:
    now = bench.write(bench.state(), {"left_fuel_selector": "X-FEED", "right_fuel_selector": "X-FEED"})
    assert bench.holds(now, "left.engine.running and right.engine.running")


@pytest.mark.parametrize(
    ("sets", "psi"),
    [
        ({}, 4),
        ({"{x}_fuel_pump": "ON"}, 5),
        ({"{x}.fault.engine_pump": True}, 0),
        ({"{x}.fault.engine_pump": True, "{x}_fuel_pump": "ON"}, 5),
        ({"{x}.fault.fuel_line": True, "{x}_fuel_pump": "ON"}, 0),
        ({"{x}.engine.running": False, "{x}_mixture": 0}, 4),
        ({"{x}.engine.running": False, "{x}.prop.feathered": True}, 0),
        ({"{x}_fuel_selector": "OFF", "{x}_fuel_pump": "ON"}, 0),
    ],
)
def test_fuel_pressure(sided: Bench, sets: Sets, psi: float) -> None:
    now = sided.state(sets)
    assert (sided.read(now, "{x}_fuel_pressure"), sided.read(now, "{o}_fuel_pressure")) == (psi, 4)
