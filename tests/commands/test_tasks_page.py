from __future__ import annotations

import re
from pathlib import Path

import pytest

import acoe_gym
from acoe_gym.cockpit import library
from acoe_gym.commands.solutions import own_task_ids
from acoe_gym.commands.tasks_page import definitions, tasks_page

PAGE = Path(acoe_gym.__file__).parents[1] / "docs" / "tasks.md"


@pytest.fixture(scope="module")
def page() -> str:
    return tasks_page()


def test_the_page_in_docs_is_the_generated_one(page: str) -> None:
    assert PAGE.read_text(encoding="utf-8") == page, "run `make docs`"


def test_the_page_says_at_once_that_it_spoils(page: str) -> None:
    assert "It spoils" in page.partition("\n\n")[2].partition("\n\n")[0]


def test_every_task_has_its_place_in_file_order(page: str) -> None:
    assert tuple(re.findall(r"^### (\S+)$", page, re.MULTILINE)) == own_task_ids()


def test_the_sum_of_constraints_is_told_beside_the_papers(page: str) -> None:
    constraints = sum(len(library.task(task_id).constraints) for task_id in own_task_ids())
    assert f"**Constraints, summed over tasks: {constraints}**" in page
    assert "The paper counts 259" in page
    assert f"| **all** |  |  | **{len(own_task_ids())}** | **{constraints}** |" in page


def test_every_cited_fact_stands_there_with_its_page(page: str) -> None:
    for template in map(library.template, library.template_ids("c172s")):
        for goal in template.goals:
            for fact in map(template.facts.__getitem__, goal.facts):
                short = fact.id.removeprefix("c172s.")
                assert f"- {short} ({fact.confidence}, page {fact.page}): {fact.statement}" in page


def test_the_page_is_ascii_and_shows_no_tree(page: str) -> None:
    assert page.isascii()
    assert "Literal(" not in page
    assert "Name(" not in page


def test_definitions_follow_the_templates_own_words_only() -> None:
    template = library.template("pa44/rejected_takeoff")
    found = definitions(template, [goal.that for goal in template.goals if goal.id == "full_power"])
    # climbs, what it is made of here, and the aircraft's words that the goal does not name are left alone.
    assert {"climbs", "one.feathered", "left.at_full", "right.at_full"} <= set(found)
    assert not {name for name in found if name in template.world.define}
