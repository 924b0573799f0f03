from __future__ import annotations

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.evidence import TaskEvidence
from acoe_gym.commands.siblings import Difference, differences, plain

RESTART = "c172s/engine_restart"


def between(one: str, other: str) -> list[Difference]:
    return list(differences(*(TaskEvidence(library.task(one)), [TaskEvidence(library.task(other))])))


def test_a_task_that_needs_the_same_writes_is_no_difference() -> None:
    assert between(f"{RESTART}/engine_pump_failed", f"{RESTART}/engine_pump_failed") == []


def test_the_reading_at_the_start_tells_two_tasks_apart() -> None:
    (found,) = between(f"{RESTART}/engine_pump_failed", f"{RESTART}/windmilling_mixture_cutoff")
    assert (found.told, found.after) == (False, ())
    assert ("mixture", 80, 0) in found.readings


def test_where_the_start_looks_alike_the_probe_tells() -> None:
    (found,) = between("c172s/low_voltage/field_open_reset_works", "c172s/low_voltage/field_opens_again")
    assert found.after[-1] == ("master_alt", "ON")
    assert ("cas", [], ["LOW VOLTS"]) in found.readings


def test_another_briefing_is_named() -> None:
    (found,) = between(f"{RESTART}/engine_pump_failed", f"{RESTART}/stopped_prop_left_tank")
    assert found.told


@pytest.mark.parametrize("template_id", library.template_ids())
def test_every_sibling_that_needs_other_writes_can_be_told_apart(template_id: str) -> None:
    group = [TaskEvidence(library.task(task_id)) for task_id in library.task_ids(template_id)]
    for one in group:
        for found in differences(one, group):
            assert found.told or found.answers or found.readings


@pytest.mark.parametrize(
    ("value", "text"),
    [([], "no line"), (["A", "B"], "A + B"), (True, "true"), (3.0, "3"), (124.05, "124.05"), ("OFF", "OFF")],
)
def test_values_in_plain_text(value: object, text: str) -> None:
    assert plain(value) == text
