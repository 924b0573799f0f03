"""The panel as a whole: its size, its symmetry, that controls matter, and that no write unsettles a state."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Console
from acoe_gym.cockpit.domains import Range, Value
from acoe_gym.cockpit.text import compact

if TYPE_CHECKING:
    from acoe_gym.cockpit.program import State
    from tests.cockpit.world_pa44.conftest import Bench

WORLD = library.world("pa44")


def test_about_100_components_stand_in_cockpit_order() -> None:
    assert 95 <= len(WORLD.components) <= 135
    assert list(dict.fromkeys(c.panel for c in WORLD.components.values())) == [
        *("flight", "engine", "fuel", "electrical", "circuit_breakers", "vacuum", "flight_controls"),
        *("lights", "avionics", "cabin", "crew", "captain"),
    ]


def test_list_of_systems_stays_short(bench: Bench) -> None:
    assert len(compact({"ok": True, **Console(bench.program).systems()})) <= 5120


def test_normal_state_is_settled_and_quiet(bench: Bench) -> None:
    now = bench.state()
    assert now == [WORLD.normal[name] for name in bench.program.variables]
    assert (bench.lit(now), bench.lit(now, "crew_report"), bench.dark(now)) == (set(), set(), set())


def test_labels_are_ascii_and_short() -> None:
    assert all(c.label.isascii() and len(c.label) <= 24 for c in WORLD.components.values())


def test_captains_controls_say_so() -> None:
    labels = [c.label for c in WORLD.components.values() if c.panel == "captain"]
    assert all(label.startswith("CAPTAIN: ") for label in labels)


def test_each_engine_has_the_same_controls_and_gauges() -> None:
    left, right = (
        [name.removeprefix(side) for name in WORLD.components if name.startswith(side)]
        for side in ("left_", "right_")
    )
    assert left == right
    assert len(left) == 23


def mirror(name: str) -> str:
    """Return a variable's counterpart on the other side."""
    marks = {"left_": "right_", "right_": "left_", "left.": "right.", "right.": "left."}
    for mark, other in marks.items():
        if name.startswith(mark):
            return other + name.removeprefix(mark)
    return {"fault.bulb_left": "fault.bulb_right", "fault.bulb_right": "fault.bulb_left"}.get(name, name)


def test_mirrored_states_read_mirrored(bench: Bench) -> None:
    rng = random.Random(44)
    counterparts = {"gear_light_left": "gear_light_right", "gear_light_right": "gear_light_left"}
    sideless = {"slip_ball", "crew_report", "annunciators", "rudder_trim"}
    for _ in range(300):
        now = draw_state(rng, bench)
        slots = bench.program.slots
        mirrored = [now[slots[mirror(name)]] for name in bench.program.variables]
        there, here = bench.readings(mirrored), bench.readings(now)
        for name in here.keys() - sideless:
            assert here[name] == there[counterparts.get(name, mirror(name))], name


def draw_value(rng: random.Random, name: str) -> Value:
    domain = WORLD.domains[name]
    if isinstance(domain, Range) and not domain.octal:
        return domain.on_grid(rng.randint(0, round((domain.high - domain.low) / domain.step)))
    return rng.choice(domain.choices())


def draw_state(rng: random.Random, bench: Bench) -> State:
    """Return a settled state in which some share of all variables is not normal."""
    share = rng.choice((0.05, 0.2, 0.5, 1.0))
    drawable = [
        n for n in bench.program.variables if n not in WORLD.components or not WORLD.components[n].momentary
    ]
    drawn = {name: draw_value(rng, name) for name in drawable if rng.random() < share}
    now = [drawn.get(name, WORLD.normal[name]) for name in bench.program.variables]
    bench.program.settle(now)
    return now


def draw_write(rng: random.Random, name: str) -> Value:
    settable = getattr(WORLD.domains[name], "settable", ())
    return WORLD.domains[name].parse(rng.choice(settable)) if settable else draw_value(rng, name)


@pytest.mark.parametrize("writes", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_random_writes_from_1000_random_states_stay_legal_and_settled(bench: Bench, writes: int) -> None:
    rng = random.Random(180)
    for _ in range(1000):
        now = draw_state(rng, bench)
        assert bench.program.pending(now) == []
        for name in rng.choices(WORLD.controls, k=writes):
            before, value = list(now), draw_write(rng, name)
            bench.store(now, name, value)
            assert bench.program.pending(now) == [], (name, value)
            changed = [i for i, (a, b) in enumerate(zip(before, now, strict=True)) if a != b]
            legal = [WORLD.domains[bench.program.variables[i]].holds(now[i]) for i in changed]
            assert all(legal), (name, value)


# What random states hardly ever are: a roll with throttles closed, stopped engines, fog, a fire nearly out.
POWER_OFF = dict.fromkeys(("battery_master", "left_alternator", "right_alternator", "avionics_master"), "OFF")
PREPARED: list[dict[str, object]] = [
    {"airborne": False, "ground.roll": True, "left_throttle": 0, "right_throttle": 0},
    {"airborne": False, "left.engine.running": False, "right.engine.running": False},
    {"windshield.fog": True, "cabin_heat": "HEATER", "heater_air_intake": "OPEN"},
    {"fire.electrical": True, **POWER_OFF},
]


@pytest.fixture(scope="module")
def sampled(bench: Bench) -> list[State]:
    rng = random.Random(10)
    return [bench.state(sets) for sets in PREPARED] + [draw_state(rng, bench) for _ in range(400)]


def effects(bench: Bench, name: str, states: list[State]) -> set[str]:
    """Return the other readings that a write of a control changes in the first state where it does."""
    for now in states:
        before = bench.readings(now)
        for value in WORLD.domains[name].choices():
            after = list(now)
            bench.store(after, name, value)
            shown = bench.readings(after)
            changed = {other for other in shown if other != name and shown[other] != before[other]}
            if changed:
                return changed
    return set()


@pytest.mark.parametrize("name", [c for c in WORLD.controls if c not in WORLD.inert])
def test_control_changes_a_reading_other_than_its_own(bench: Bench, sampled: list[State], name: str) -> None:
    assert effects(bench, name, sampled)


@pytest.mark.parametrize("name", WORLD.inert)
def test_inert_control_changes_nothing_else(bench: Bench, sampled: list[State], name: str) -> None:
    assert effects(bench, name, sampled[:100]) == set()
    assert WORLD.inert[name]


def test_at_most_15_percent_of_the_controls_are_inert() -> None:
    assert len(WORLD.inert) <= 0.15 * len(WORLD.controls)
