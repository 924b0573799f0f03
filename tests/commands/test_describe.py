from __future__ import annotations

import re

import pytest

from acoe_gym.cockpit import library
from acoe_gym.commands.describe import catalogue, spoilers, told
from acoe_gym.commands.pages import list_page, show_page
from acoe_gym.errors import UnknownName


def test_catalogue_names_every_core_task_once() -> None:
    tasks = [task for world in catalogue() for template in world["templates"] for task in template["tasks"]]
    assert tasks == list(library.task_ids())


def test_catalogue_of_a_template_holds_it_alone() -> None:
    (world,) = catalogue("c172s/engine_restart")
    (template,) = world["templates"]
    assert template["env_ids"] == ["ACOE-C172S-EngineRestart-v0", "ACOE-C172S-EngineRestart-Flat-v0"]


def test_catalogue_of_an_unknown_name_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"got 'c172'; nearest: c172s"):
        catalogue("c172")


@pytest.mark.parametrize("task_id", library.task_ids())
def test_what_is_told_gives_no_answer_away(task_id: str) -> None:
    task = library.task(task_id)
    # The first line names the task; names are for people and may tell.
    page = show_page(told(task)).partition("\n")[2]
    template = task.program.template
    answers = [goal.id for goal in template.goals] + [c.id for c in template.constraints]
    hidden = [name for name in task.program.variables if "." in name]
    words = set(re.findall(r"[\w.]+", page))
    assert words.isdisjoint([*answers, *hidden])


@pytest.mark.parametrize("task_id", library.task_ids())
def test_spoilers_hold_the_goals_and_constraints_that_apply_with_their_facts(task_id: str) -> None:
    task = library.task(task_id)
    answers = spoilers(task)
    assert [row["id"] for row in answers["goals"]] == [task.goal(i).id for i in task.goals]
    assert [row["id"] for row in answers["constraints"]] == [task.constraint(i).id for i in task.constraints]
    cited = {name for goal in map(task.goal, task.goals) for name in goal.facts}
    assert cited <= set(answers["facts"])


@pytest.mark.parametrize("task_id", library.task_ids())
def test_pages_are_at_most_100_columns_wide(task_id: str) -> None:
    task = library.task(task_id)
    for page in (show_page(told(task), spoilers(task)), list_page(catalogue())):
        assert max(map(len, page.splitlines())) <= 100
