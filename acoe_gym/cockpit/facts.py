"""The facts ledger of an aircraft: what its goals, constraints and steps rest on, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from acoe_gym.cockpit.data import load_toml
from acoe_gym.cockpit.tables import check_keys, check_known, flatten, take, take_list
from acoe_gym.errors import SpecError

CONFIDENCES = ("V", "R", "D", "paper")
# What may carry a goal or a hard constraint: seen in a source, or stated by the paper.
GRADABLE = ("V", "paper")


@dataclass(frozen=True)
class Fact:
    """One statement in our words.

    Attributes:
        confidence: V seen in a source, R recalled, D derived, paper stated by the paper.
        page: the handbook's page, or "not seen".
        disputed: sources differ; both readings are accepted, so it may not carry a grade.
    """

    id: str
    statement: str
    confidence: str
    edition: str
    page: str
    sources: tuple[str, ...] = ()
    disputed: bool = False

    @property
    def gradable(self) -> bool:
        """Whether a goal or hard constraint may rest on it."""
        return self.confidence in GRADABLE and not self.disputed


@cache
def load_facts(path: Path) -> dict[str, Fact]:
    """Read a ``facts.toml``; an absent file is an empty ledger."""
    if not path.exists():
        return {}
    where = f"{path.parent.name}/{path.name}"
    ledger: dict[str, Fact] = {}
    for name, row in flatten(take(load_toml(path), "facts", dict, where), where, "statement").items():
        place = f"{where} [facts] {name}"
        if not isinstance(row, dict):
            raise SpecError(f"{place}: expected a table with a statement, got {row!r}")
        check_keys(row, ("statement", "confidence", "edition", "page", "sources", "disputed"), place)
        confidence = take(row, "confidence", str, place)
        if confidence not in CONFIDENCES:
            raise SpecError(
                f"{place}: expected confidence to be one of {', '.join(CONFIDENCES)}, got {confidence!r}"
            )
        texts = [take(row, key, str, place) for key in ("statement", "edition", "page")]
        sources, disputed = take_list(row, "sources", str, place), take(row, "disputed", bool, place, False)
        ledger[name] = Fact(name, texts[0], confidence, texts[1], texts[2], sources, disputed)
    return ledger


def cited(ids: tuple[str, ...], ledger: dict[str, Fact], where: str, *, graded: bool) -> tuple[str, ...]:
    """Check the facts that a goal, constraint or step cites.

    Args:
        ids: the cited ids.
        ledger: the aircraft's facts.
        where: file, table and key, for messages.
        graded: whether the citing entry is a goal or hard constraint, which needs at least one V or paper
            fact and no other kind.

    Returns:
        The ids.

    Raises:
        SpecError: no fact, an unknown one, or one that may not carry a grade.
    """
    if not ids:
        raise SpecError(f'{where}: expected facts = ["…"], got none')
    for name in ids:
        check_known(name, ledger, "ids of facts.toml", where)
        fact = ledger[name]
        if graded and not fact.gradable:
            mark = "disputed" if fact.disputed else f"confidence {fact.confidence}"
            expected = "facts of confidence V or paper under a goal or hard constraint"
            raise SpecError(f"{where}: expected {expected}, got {name!r} ({mark})")
    return ids
