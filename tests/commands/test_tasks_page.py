from __future__ import annotations

import re
from pathlib import Path

import pytest

import acoe_gym
from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import specs_root
from acoe_gym.cockpit.wording import definitions
from acoe_gym.commands import proof_file
from acoe_gym.commands.proof_file import FILE, known, own_task_ids, stale
from acoe_gym.commands.tasks_page import tasks_page
from acoe_gym.errors import SpecError

PAGE = Path(acoe_gym.__file__).parents[1] / "docs" / "tasks.md"


@pytest.fixture(scope="module")
def page() -> str:
    return tasks_page()


def test_the_proofs_on_the_page_are_of_these_tasks() -> None:
    assert stale() == [], "run `acoe tasks --search` and `make docs`"


def test_a_proof_of_another_task_makes_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (specs_root() / FILE).read_text(encoding="utf-8")
    own = own_task_ids()
    old = library.task(own[-1]).hash
    (tmp_path / FILE).write_text(text.replace(old, "0" * 64), encoding="utf-8")
    monkeypatch.setattr(proof_file, "specs_root", lambda: tmp_path)
    monkeypatch.setattr("acoe_gym.commands.tasks_page.own_task_ids", lambda: own)
    with pytest.raises(SpecError, match="run `acoe tasks --search`"):
        tasks_page()


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


def test_every_task_has_a_row_of_its_proof(page: str) -> None:
    proofs = page.partition("## Proofs")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \[(\S+)\]\(#\S+\) \|.* (proven|open) \|$", proofs, re.MULTILINE)
    assert rows == [(task_id, known(library.task(task_id)).verdict) for task_id in own_task_ids()]


def test_a_task_has_a_line_of_traps_only_where_there_are_any(page: str) -> None:
    for section in page.split("\n### ")[1:]:
        task_id, _, text = section.partition("\n")
        assert ("- **Traps**:" in text) == bool(known(library.task(task_id)).traps)


def test_traps_stand_with_the_way_into_them_and_their_facts(page: str) -> None:
    assert "\n- **Traps**:\n  - at once; then `cb_ess_stdby_batt` OUT (fire_elec.no_reset)\n" in page


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
