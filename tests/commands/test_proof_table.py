from __future__ import annotations

from dataclasses import replace

from acoe_gym.cockpit.proof import Searched, Trap
from acoe_gym.commands.proof_file import Known
from acoe_gym.commands.proof_table import COLUMNS, introduction, proof_row

WHOLE = Searched(1234, True, 9)
STOPPED = Searched(65_000, False, 4)
NARROW = Searched(320, True, 6, ("flaps", "mixture"), "reference")
TRAP = Trap((("flaps", "UP"), ("mixture", 0)), ("c172s.one", "paper.two"))
PROVEN = Known("0", "proven", 12, 33, 1, (WHOLE,), True, (("flaps", "UP"),) * 4, 6, 2, 0, ())
OPEN = replace(PROVEN, verdict="open", proven=False, searches=(STOPPED, NARROW), probing=0)


def cells(entry: Known) -> dict[str, object]:
    return dict(zip(COLUMNS, proof_row(entry, "c172s."), strict=True))


def test_a_row_tells_what_was_found() -> None:
    assert cells(PROVEN) == {
        "cone": 12,
        "writes tried": 33,
        "states searched": "1,234, all",
        "shortest": 4,
        "reference": "6 (2 to diagnose)",
        "traps": "none",
        "verdict": "proven",
    }


def test_a_search_that_stopped_is_told_with_what_was_searched_instead() -> None:
    row = cells(OPEN)
    assert row["states searched"] == "65,000, stopped at depth 4; then 320, all of 2 controls (reference)"
    assert (row["shortest"], row["reference"]) == ("at most 4", "6")
    assert (row["traps"], row["verdict"]) == ("not looked for", "open")


def test_traps_are_counted_and_their_facts_named_once() -> None:
    assert cells(replace(PROVEN, traps=(TRAP, TRAP)))["traps"] == "2 (one, paper.two)"
    assert cells(replace(PROVEN, traps=(replace(TRAP, facts=()),)))["traps"] == "1 (no basis)"


def test_traps_are_not_decided_where_no_search_was_complete() -> None:
    entry = replace(PROVEN, searches=(STOPPED, replace(NARROW, complete=False)))
    assert cells(entry)["traps"] == "not decided"
    assert "320 of 2 controls (reference), stopped at depth 6" in str(cells(entry)["states searched"])


def test_the_introduction_counts_what_is_incomplete() -> None:
    undecided = replace(PROVEN, searches=(STOPPED, replace(NARROW, complete=False)))
    text = introduction([PROVEN, PROVEN, OPEN, undecided])
    assert "**2 of 4** cones were searched whole" in text
    assert "In the other 2 the search stopped" in text
    assert "**Open: 1**" in text
    assert " ".join(text.split()).count("In 1 even that was too large") == 1
