"""The panel as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.envs.calls import flat_table
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.envs.flat_env import FlatCockpitEnv
from acoe_gym.envs.rendering import NAME, WIDTH, _columns

TASK = "c172s/engine_restart/stopped_prop_left_tank"
WORLD = library.world("c172s")
FACES: dict[str, Callable[..., Any]] = {"text": CockpitEnv, "flat": FlatCockpitEnv}


@pytest.fixture
def env() -> CockpitEnv:
    env = CockpitEnv("c172s/engine_restart", task=TASK, render_mode="ansi")
    env.reset(seed=0)
    return env


def drawn(env: CockpitEnv) -> str:
    panel = env.render()
    assert panel is not None
    return panel


def put(env: CockpitEnv, component: str, value: object) -> None:
    observation, *_ = env.step({"name": "set_system", "arguments": {"component": component, "value": value}})
    assert json.loads(observation)["ok"]


def panels(text: str) -> dict[str, str]:
    """Return what stands under each panel's heading."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines()[1:]:
        if line.startswith("--- "):
            rows = found.setdefault(line.strip("- "), [])
        else:
            rows.append(line)
    return {name: "\n".join(rows) for name, rows in found.items()}


def marked(text: str) -> list[str]:
    """Return the names of the cells that are marked as changed."""
    cells = [part for line in text.splitlines() for part in (line[:50], line[50:])]
    return [cell[1:25].strip() for cell in cells if cell.startswith("*")]


def test_every_component_stands_under_its_panel_with_its_reading_and_unit(env: CockpitEnv) -> None:
    text = panels(drawn(env))
    for component in WORLD.components.values():
        if component.lines:
            continue
        observation, *_ = env.step({"name": "get_system", "arguments": {"component": component.id}})
        env.reset()
        value = json.loads(observation)["value"]
        reading = (
            f"{'dark' if value is None else value} {component.unit if value is not None else ''}".strip()
        )
        block = text[component.panel.replace("_", " ").upper()]
        labels = [c.label for c in WORLD.components.values() if c.panel == component.panel]
        name = component.label if labels.count(component.label) == 1 else component.id
        assert f" {name:<24} {reading}" in block


def test_the_heading_tells_the_aircraft_and_the_turn(env: CockpitEnv) -> None:
    env.step(None)
    assert drawn(env).startswith("Cessna 172S NAV III (G1000)   turn 1 of 48\n")


def test_lit_lines_stand_in_brackets(env: CockpitEnv) -> None:
    flight = panels(drawn(env))["FLIGHT"]
    assert "[OIL PRESSURE] [LOW VOLTS]" in flight
    assert "HIGH VOLTS" not in flight
    assert "CREW REPORT              [WARNING TONE]" in panels(drawn(env))["CREW"]


def test_a_list_without_a_line_is_a_dash() -> None:
    env = CockpitEnv(
        "c172s/engine_restart", task="c172s/engine_restart/engine_pump_failed", render_mode="ansi"
    )
    env.reset()
    put(env, "warning_softkey", "PRESS")
    assert "CREW REPORT              -" in panels(drawn(env))["CREW"]


def test_instruments_are_dark_without_power(env: CockpitEnv) -> None:
    put(env, "stby_batt", "OFF")
    put(env, "master_bat", "OFF")
    text = panels(drawn(env))
    for label in ("RPM", "OIL PRES", "FFLOW"):
        assert f"{label:<24} dark" in text["ENGINE"]
    assert f"{'CAS':<24} dark" in text["FLIGHT"]
    assert f"{'STBY AIRSPEED':<24} 62 KIAS" in text["FLIGHT"]
    assert f"{'MASTER BAT':<24} OFF" in text["ELECTRICAL"]


def test_the_first_drawing_marks_nothing_and_the_next_what_changed_since(env: CockpitEnv) -> None:
    assert marked(drawn(env)) == []
    put(env, "seat_belts", "LOOSE")
    assert marked(drawn(env)) == ["SEAT BELTS"]
    assert marked(drawn(env)) == []


def test_what_changes_with_a_write_is_marked_too(env: CockpitEnv) -> None:
    drawn(env)
    put(env, "stby_batt", "OFF")
    put(env, "master_bat", "OFF")
    names = marked(drawn(env))
    assert {"MASTER BAT", "STBY BATT", "RPM", "CAS"} <= set(names)
    assert "STBY AIRSPEED" not in names


def lit(lines: int) -> str:
    return " ".join(["[LOW VOLTS]"] * lines)


@pytest.mark.parametrize("face", FACES.values(), ids=FACES)
def test_a_reset_forgets_the_last_drawing(face: Callable[..., Any]) -> None:
    env = face("c172s/engine_restart", task=TASK, render_mode="ansi")
    env.reset()
    write = ("set_system", {"component": "seat_belts", "value": "LOOSE"})
    env.step(
        np.int64(env.row_of(write))
        if face is FlatCockpitEnv
        else dict(zip(("name", "arguments"), write, strict=True))
    )
    env.render()
    env.reset()
    assert marked(env.render()) == []


@given(st.lists(st.tuples(st.integers(0, 70).map("A".__mul__) | st.integers(0, 40).map(lit), st.booleans())))
def test_cells_of_any_length_fit_the_width_in_their_order(readings: list[tuple[str, bool]]) -> None:
    cells = [(f" {number:<{NAME}} {text}", wide) for number, (text, wide) in enumerate(readings)]
    lines = _columns(cells)
    assert all(len(line) <= WIDTH for line in lines)
    assert "".join("".join(lines).split()) == "".join("".join(text for text, _ in cells).split())


def test_drawing_changes_nothing(env: CockpitEnv) -> None:
    before = env.get_state()
    drawn(env)
    assert env.get_state() == before


@pytest.mark.parametrize("face", FACES.values(), ids=FACES)
@pytest.mark.parametrize("template", library.template_ids())
def test_no_drawing_is_wider_than_100_columns_or_names_what_is_hidden(
    template: str, face: Callable[..., Any]
) -> None:
    env = face(template, render_mode="ansi", suite="generated")
    world = library.template(template).world
    table = flat_table(world.id)
    # Some words of the panel and hidden names without a dot are the same plain word.
    hidden = {name for name in set(library.template(template).domains) - set(world.components) if "." in name}
    rng = np.random.default_rng(1)
    for seed in range(3):
        env.reset(seed=seed)
        for row in rng.choice([r for r in range(len(table)) if table[r][0] != "submit"], size=40):
            env.step({"name": table[row][0], "arguments": table[row][1]} if face is CockpitEnv else row)
            text = env.render()
            assert text.isascii()
            assert max(map(len, text.splitlines())) <= 100
            assert not any(name in text for name in hidden)


@pytest.mark.parametrize("face", FACES.values(), ids=FACES)
def test_nothing_is_drawn_unless_asked_for(face: Callable[..., Any]) -> None:
    env = face("c172s/engine_restart")
    env.reset()
    assert env.render() is None


def test_both_faces_draw_the_same(env: CockpitEnv) -> None:
    flat = FlatCockpitEnv("c172s/engine_restart", task=TASK, render_mode="ansi")
    flat.reset(seed=0)
    assert flat.render() == drawn(env)
