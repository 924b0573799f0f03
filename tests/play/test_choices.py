from __future__ import annotations

import pytest

from acoe_gym.cockpit import library
from acoe_gym.errors import UnknownName
from acoe_gym.play.choices import drawn, generated, headings, procedures, random_seed

TEMPLATE = "c172s/engine_restart"


def test_every_task_can_be_chosen() -> None:
    found = procedures()
    assert [task for procedure in found for task in procedure.tasks] == list(library.task_ids())


def test_names_are_numbers_unless_spoilers_are_asked_for() -> None:
    (procedure,) = procedures([TEMPLATE])
    names = procedure.names(spoilers=False)
    assert names[2] == f"task 3 of {len(procedure.tasks)}"
    assert procedure.names(spoilers=True) == list(procedure.tasks)


def test_each_aircraft_heads_its_procedures_once() -> None:
    found = procedures()
    assert list(headings(found).values()) == [library.world(name).name for name in library.aircraft()]


def test_a_seed_draws_the_same_task_again_and_seeds_differ() -> None:
    tasks = [drawn((), seed).id for seed in range(8)]
    assert tasks == [drawn((), seed).id for seed in range(8)]
    assert len(set(tasks)) > 3
    assert {drawn([TEMPLATE], seed).id.rpartition("/")[0] for seed in range(8)} == {TEMPLATE}


def test_a_variant_is_named_by_its_seed() -> None:
    assert generated(TEMPLATE, 5).id == f"{TEMPLATE}/generated/5"


def test_a_variant_needs_a_template() -> None:
    with pytest.raises(UnknownName, match="expected --template ID"):
        generated(None, 0)
    with pytest.raises(UnknownName, match="nearest: c172s/engine_restart"):
        generated("c172s/engine_restrat", 0)


def test_a_drawn_seed_is_a_small_number() -> None:
    assert 0 <= random_seed() < 10**6
