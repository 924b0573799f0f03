"""The JSON Schemas of the specification files: what ships passes, planted faults do not."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import acoe_gym
from acoe_gym.cockpit import templates, world
from acoe_gym.cockpit.data import load_toml
from acoe_gym.cockpit.tools import INFORMATIONAL

ROOT = Path(acoe_gym.__file__).parents[1]
SPECS = ROOT / "acoe_gym" / "task_specs"
KINDS = ("world", "template", "facts", "information")


def schema(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "docs" / "schema" / f"{kind}.schema.json").read_text("utf-8"))
    return found


def kind_of(path: Path) -> str:
    if path.parent.name == "sets":
        return "information"
    return path.stem if path.stem in ("world", "facts") else "template"


SHIPPED = sorted(
    path
    for folder in (SPECS, ROOT / "tests" / "worlds")
    for path in folder.rglob("*.toml")
    if path.stem != "loading"
)
VALIDATORS = {kind: Draft202012Validator(schema(kind)) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_one_of_draft_2020_12(kind: str) -> None:
    assert schema(kind)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_shipped_file_passes(path: Path) -> None:
    VALIDATORS[kind_of(path)].validate(load_toml(path))


def test_the_files_of_the_tutorial_pass(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "writing_a_task.md").read_text(encoding="utf-8")
    files = re.findall(r"```toml\n# (\S+)\n(.*?)```", page, re.DOTALL)
    assert len(files) == 3
    for name, text in files:
        path = tmp_path / Path(name).name
        path.write_text(text, encoding="utf-8")
        VALIDATORS[kind_of(path)].validate(load_toml(path))


def test_schemas_know_the_keys_that_the_loaders_know() -> None:
    template, aircraft = schema("template"), schema("world")
    assert set(template["properties"]) == set(templates.KEYS)
    assert set(template["$defs"]["task"]["properties"]) == set(templates.TASK_KEYS)
    assert set(aircraft["properties"]) == set(world.KEYS)
    control = [part["properties"] for part in aircraft["$defs"]["component"]["anyOf"][:2]]
    assert set(control[0]) | set(control[1]) == {"label", "powered", "momentary", *world.DOMAIN_KEYS}
    assert tuple(template["properties"]["relevant_tools"]["items"]["enum"]) == tuple(INFORMATIONAL)


RESTART = load_toml(SPECS / "c172s" / "engine_restart.toml")
CESSNA = load_toml(SPECS / "c172s" / "world.toml")
FIRE = load_toml(SPECS / "c172s" / "electrical_fire.toml")
LEDGER = load_toml(SPECS / "c172s" / "facts.toml")
DAY = load_toml(SPECS / "information" / "sets" / "kpao_day.toml")
FACT = "c172s.restart.1"
MASTER = ("panel", "electrical", "master_bat")


@pytest.mark.parametrize(
    ("kind", "table", "path", "value"),
    [
        ("template", RESTART, ("goal",), []),
        ("template", RESTART, ("title",), 7),
        ("template", RESTART, ("title",), None),
        ("template", RESTART, ("relevant_tools",), ["get_weather"]),
        ("template", RESTART, ("goals",), []),
        ("template", RESTART, ("goals", 0, "facts"), []),
        ("template", RESTART, ("goals", 0, "primary"), "yes"),
        ("template", RESTART, ("goals", 0, "applys"), "true"),
        ("template", RESTART, ("constraints", 0, "never"), "engine.running"),
        ("template", RESTART, ("constraints", 0, "setting"), None),
        ("template", RESTART, ("constraints", 0, "setting"), {}),
        ("template", RESTART, ("constraints", 1, "while"), "true"),
        ("template", RESTART, ("constraints", 1, "any"), []),
        ("template", FIRE, ("traps", 0, "facts"), None),
        ("template", FIRE, ("traps", 0, "set"), {}),
        ("template", FIRE, ("traps", 0, "set", "cb_ess_stdby_batt"), "OUT"),
        ("template", FIRE, ("traps", 0, "setting"), {"cb_ess_stdby_batt": ["OUT"]}),
        ("template", RESTART, ("procedure", 0, "facts"), None),
        ("template", RESTART, ("procedure", 0, "arguments"), {}),
        ("template", RESTART, ("tasks", 0, "id"), "Not A Name"),
        ("template", RESTART, ("tasks", 0, "briefing"), None),
        ("template", RESTART, ("tasks", 0, "set", "magnetos"), ["R"]),
        ("template", RESTART, ("decisions", "altimeter", "maybe"), "Perhaps."),
        ("template", RESTART, ("generator", 0, "vary", "throttle"), []),
        ("world", CESSNA, (*MASTER, "normal"), None),
        ("world", CESSNA, (*MASTER, "positions"), ["ON"]),
        ("world", CESSNA, (*MASTER, "step"), 1),
        ("world", CESSNA, ("panel", "electrical", "Master"), {"label": "M", "value": "1"}),
        ("world", CESSNA, ("sides",), ["left"]),
        ("world", CESSNA, ("rules", 0, "set"), {}),
        ("world", CESSNA, ("rules", 0, "if"), "true"),
        ("world", CESSNA, ("inert", "seat_belts"), True),
        ("facts", LEDGER, ("facts", FACT, "confidence"), "sure"),
        ("facts", LEDGER, ("facts", FACT, "page"), None),
        ("facts", LEDGER, ("facts", FACT, "source"), "S1"),
        ("information", DAY, ("loading",), None),
        ("information", DAY, ("loading", "fuel_gal"), -1),
        ("information", DAY, ("metar", "kpao"), "KPAO 141847Z"),
        ("information", DAY, ("winds", "KPAO", 0, "direction_deg"), 0),
    ],
)  # fmt: skip
def test_a_planted_fault_fails(
    kind: str, table: dict[str, Any], path: tuple[Any, ...], value: object
) -> None:
    broken = copy.deepcopy(table)
    *way, last = path
    inside: Any = broken
    for key in way:
        inside = inside[key]
    if value is None:
        del inside[last]
    else:
        inside[last] = value
    assert not VALIDATORS[kind].is_valid(broken)
