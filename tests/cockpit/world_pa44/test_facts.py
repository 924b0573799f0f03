"""The facts ledger is complete where templates build on it, and honest about what was not seen."""

from __future__ import annotations

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.facts import load_facts

FACTS = load_facts(library.world("pa44").folder / "facts.toml")


@pytest.mark.parametrize(
    ("steps", "count", "not_seen"),
    [
        ("securing", 10, ()),
        ("reject", 9, ()),
        ("takeoff_b1", 4, ()),
        ("takeoff_b2", 11, (10, 11)),
        ("climb", 7, ()),
        ("flight", 11, ()),
        ("oei_landing", 12, (11, 12)),
        ("fire", 9, (7, 8, 9)),
        ("overspeed", 5, (5,)),
        ("gear", 7, (1, 3, 6, 7)),
        ("k", 20, (9, 16)),
    ],
)
def test_every_step_is_there_and_gradable_only_if_seen(
    steps: str, count: int, not_seen: tuple[int, ...]
) -> None:
    stem = f"pa44.{steps}" if steps == "k" else f"pa44.{steps}."
    assert [n for n in range(1, count + 1) if not FACTS[f"{stem}{n}"].gradable] == list(not_seen)
    assert f"{stem}{count + 1}" not in FACTS


def test_only_one_page_of_the_handbook_was_seen() -> None:
    ours = [f for f in FACTS.values() if f.confidence != "paper"]
    assert {f.page for f in ours} == {"3-24", "not seen"}
    assert all("1" in f.sources for f in ours if f.page == "3-24")


def test_what_was_seen_names_its_source() -> None:
    assert all(f.sources for f in FACTS.values() if f.confidence in ("V", "paper"))


def test_our_decisions_name_none() -> None:
    assert all(f.confidence == "D" and not f.sources for f in FACTS.values() if ".design." in f.id)


def test_statements_are_ascii_sentences() -> None:
    assert all(f.statement.isascii() and f.statement.endswith(".") for f in FACTS.values())
