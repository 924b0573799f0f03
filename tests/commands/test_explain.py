from __future__ import annotations

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.evidence import TaskEvidence
from acoe_gym.cockpit.reference import replay
from acoe_gym.commands.explain import explain_page, steps_of

FAILED = "c172s/engine_restart/engine_pump_failed"


@pytest.fixture(scope="module")
def page() -> str:
    return explain_page(library.task(FAILED))


def flat(page: str) -> str:
    return " ".join(page.split())


def test_goals_and_constraints_that_apply_stand_there_with_their_facts(page: str) -> None:
    task = library.task(FAILED)
    goals = [(goal.id, goal.facts) for goal in map(task.goal, task.goals)]
    constraints = [(c.id, c.facts) for c in map(task.constraint, task.constraints)]
    for name, facts in [*goals, *constraints]:
        assert f"\n  {name}" in page
        for fact in map(task.program.template.facts.__getitem__, facts):
            assert f"{fact.id} ({fact.confidence}, page {fact.page})" in page
    assert "pump_off\n" not in page


def test_each_write_is_told_with_its_step_and_what_it_changes(page: str) -> None:
    text = flat(page)
    assert "4. fuel_pump OFF, to diagnose changes" in text
    assert "rpm 2300 -> 900; fflow 11 -> 0" in text
    assert "5. fuel_pump ON changes" in text


def test_an_example_violates_its_constraint(page: str) -> None:
    assert "for example: fuel_pump OFF after step 2 of the reference" in flat(page)
    task = library.task(FAILED)
    one = TaskEvidence(task)
    episode = replay(task, [*one.path[:2], ("fuel_pump", "OFF")])
    assert [v.constraint for v in episode.violation_list()] == ["pump_on_until_running"]


def test_siblings_are_told_apart(page: str) -> None:
    assert "windmilling_mixture_cutoff: mixture 80, there 0" in page


def test_equal_writes_belong_to_the_step_whose_condition_holds() -> None:
    steps = steps_of(TaskEvidence(library.task(FAILED)))
    assert [step.facts[0] for step in steps if step is not None] == [
        "c172s.restart.1",
        "c172s.restart.4",
        "c172s.restart.5",
        "c172s.restart.7",
        "c172s.restart.note_c",
    ]


@pytest.mark.parametrize("template_id", library.template_ids())
def test_every_write_of_a_reference_belongs_to_a_step(template_id: str) -> None:
    for task_id in library.task_ids(template_id):
        one = TaskEvidence(library.task(task_id))
        assert all(step is not None for step in steps_of(one))


@pytest.mark.parametrize("template_id", library.template_ids())
def test_pages_are_at_most_100_columns_wide_and_ascii(template_id: str) -> None:
    page = explain_page(library.task(library.task_ids(template_id)[-1]))
    assert max(map(len, page.splitlines())) <= 100
    assert page.isascii()


@pytest.mark.slow
@pytest.mark.parametrize("task_id", library.task_ids())
def test_every_constraint_of_every_task_has_an_example(task_id: str) -> None:
    assert explain_page(library.task(task_id)).count("for example: ") == len(
        library.task(task_id).constraints
    )
