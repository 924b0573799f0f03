"""What every pilot is told, and the hash tree: it covers all that a reply or a grade can depend on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.protocol import hash_tree, opening, role_prompt
from acoe_gym.cockpit.task import Task

PumpWith = Callable[..., Task]
CHANGES = [
    # old text, new text, entries of the tree that differ
    ("1 + speed * 0.07", "2 + speed * 0.07", {"world"}),
    (', momentary = { PUSH = "REST" } }', " }", {"world"}),
    ('label = "DRAIN"', 'label = "SUMP"', {"world"}),
    ('that = "flow.now >= 5"', 'that = "flow.now >= 4"', {"template", "task"}),
    (
        'when = "live and not fault.motor and drain == SHUT"',
        'when = "live and drain == SHUT"',
        {"world"},
    ),
    ("The tanks are low.", "The tanks are dry.", {"template", "task"}),
    ('id = "half"\nset = { drain = "OPEN" }', 'id = "half"\nset = { drain = "HALF" }', {"task"}),
    ('vary = { drain = ["HALF", "OPEN"]', 'vary = { drain = ["HALF"]', set()),
    ('set = { power = "ON" }\nfacts = ["start"]', 'set = { power = "ON" }\nfacts = ["valve"]', set()),
    ('env = "Pump"', 'env = "Pump" # a comment', set()),
]


@pytest.mark.parametrize(("old", "new", "expected"), CHANGES, ids=[new for _, new, _ in CHANGES])
def test_a_change_shows_in_the_entries_it_matters_to(
    pump: Path, pump_with: PumpWith, old: str, new: str, expected: set[str]
) -> None:
    before, after = hash_tree(library.task("pump/priming/half")), hash_tree(pump_with((old, new)))
    assert {key for key in before if before[key] != after[key]} == expected


@pytest.mark.parametrize("name", ["metar", "taf", "notams", "winds", "loading"])
def test_every_part_of_the_frozen_information_is_hashed(name: str) -> None:
    task = library.task("c172s/engine_restart/engine_pump_failed")
    changed: dict[str, Any] = {name: {"KAAA": "other"}}
    other = replace(task, information=replace(task.information, **changed))
    before, after = hash_tree(task), hash_tree(other)
    assert {key for key in before if before[key] != after[key]} == {"information"}


def test_the_opening_is_the_role_prompt_the_aircraft_and_the_captains_words() -> None:
    task = library.task("c172s/engine_restart/engine_pump_failed")
    told = opening(task)
    assert told.startswith(role_prompt())
    assert told.endswith(f"AIRCRAFT: Cessna 172S NAV III (G1000)\nCAPTAIN: {task.briefing}")


def test_the_role_prompt_is_the_same_for_every_task() -> None:
    told = {opening(library.task(task_id)).partition("AIRCRAFT:")[0] for task_id in library.task_ids()}
    assert len(told) == 1
