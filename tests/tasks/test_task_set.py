"""What must hold for the 73 tasks as a set."""

from __future__ import annotations

from collections import defaultdict

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.procedure import needs_information

TASKS = [library.task(task_id) for task_id in library.task_ids()]


def test_there_are_73_tasks_in_12_templates_of_two_aircraft() -> None:
    assert (len(TASKS), len(library.template_ids()), library.aircraft()) == (73, 12, ("c172s", "pa44"))


def test_at_most_a_third_of_the_goals_are_met_at_the_start_on_average() -> None:
    shares = [sum(t.program.goals[i](t.initial) for i in t.goals) / len(t.goals) for t in TASKS]
    assert sum(shares) / len(shares) <= 1 / 3


@pytest.mark.parametrize("template_id", library.template_ids())
def test_every_goal_is_unmet_at_the_start_of_some_task(template_id: str) -> None:
    tasks = [library.task(task_id) for task_id in library.task_ids(template_id)]
    goals = {i for task in tasks for i in task.goals}
    assert goals == {i for t in tasks for i in t.goals if not t.program.goals[i](t.initial)}
    assert len(goals) == len(library.template(template_id).goals)


@pytest.mark.parametrize("template_id", library.template_ids())
def test_at_least_half_of_the_tasks_share_their_briefing_with_a_sibling(template_id: str) -> None:
    by_text = defaultdict(list)
    for spec in library.template(template_id).tasks.values():
        by_text[spec.briefing].append(spec.id)
    shared = sum(len(ids) for ids in by_text.values() if len(ids) > 1)
    assert shared >= len(library.task_ids(template_id)) / 2


@pytest.mark.parametrize("aircraft", library.aircraft())
def test_a_briefing_is_shared_verbatim_by_several_templates_of_an_aircraft(aircraft: str) -> None:
    texts = [
        text for t in library.template_ids(aircraft) for text in set(library.template(t).briefings.values())
    ]
    assert max(texts.count(text) for text in texts) >= 4


def test_at_least_ten_tasks_need_a_value_that_only_an_informational_tool_gives() -> None:
    assert sum(needs_information(task) for task in TASKS) >= 10
