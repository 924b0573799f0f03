"""The facts ledger is complete where templates build on it, and honest about what was not seen."""

from __future__ import annotations

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.facts import load_facts

FACTS = load_facts(library.world("c172s").folder / "facts.toml")


@pytest.mark.parametrize(
    ("steps", "count"), [("efato", 9), ("restart", 7), ("forced", 12), ("fire_elec", 14)]
)
def test_lists_that_the_paper_names_have_every_step_seen(steps: str, count: int) -> None:
    numbered = [f"c172s.{steps}.{n}" for n in range(1, count + 1)]
    assert all(FACTS[name].gradable for name in numbered)
    assert f"c172s.{steps}.{count + 1}" not in FACTS


def test_no_page_is_invented() -> None:
    assert all(
        f.page == "not seen" for f in FACTS.values() if f.id.startswith("c172s.design.") or not f.sources
    )


def test_what_was_seen_names_its_source() -> None:
    assert all(f.sources for f in FACTS.values() if f.confidence in ("V", "paper"))


def test_statements_are_ascii_sentences() -> None:
    assert all(f.statement.isascii() and f.statement.endswith(".") for f in FACTS.values())
