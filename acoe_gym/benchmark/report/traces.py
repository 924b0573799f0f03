"""Every episode's trajectory as compact JSON: texts, replies and readings are stored once and numbered.

What a page needs to show an episode is split in two: what belongs to its task (`Lexicon`), and what happened
(`trace`). Readings are stored as what changed with a call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.replay import known
from acoe_gym.benchmark.trajectory import Event, trajectory
from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.facts import Fact
from acoe_gym.cockpit.relevance import fixed
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.text import compact
from acoe_gym.cockpit.wording import Wording
from acoe_gym.errors import SpecError, UnknownName

OUTCOMES = ("run", "unchanged", "rejected", "skipped")
CUT = " ... (cut; whole in the run's episodes.jsonl)"


class Things:
    """Values of JSON, each stored once; place 0 holds None."""

    def __init__(self) -> None:
        self.values: list[Any] = [None]
        self._places: dict[str, int] = {"null": 0}

    def place(self, value: Any) -> int:
        """Return the number of a value."""
        text = compact(value)
        if text not in self._places:
            self._places[text] = len(self.values)
            self.values.append(value)
        return self._places[text]


class Lexicon:
    """What the tasks of a report say: goals, constraints, facts, panels and starting readings."""

    def __init__(self) -> None:
        self.tasks: dict[str, dict[str, Any]] = {}
        self.facts: dict[str, list[str]] = {}
        self.panels: dict[str, list[list[str]]] = {}

    def add(self, task: Task) -> None:
        """Describe a task, once."""
        if task.id not in self.tasks:
            self._panel(task)
            self.tasks[task.id] = self._described(task)

    def body(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {"tasks": self.tasks, "facts": self.facts, "panels": self.panels}

    def _described(self, task: Task) -> dict[str, Any]:
        wording = Wording(task.program.template.names, fixed(task))
        goals, constraints = map(task.goal, task.goals), map(task.constraint, task.constraints)
        return {
            "aircraft": task.program.template.world.id,
            "briefing": task.briefing,
            "start": list(_readings(task).values()),
            "goals": {
                goal.id: [goal.primary, wording.condition(goal.that), self._cited(task, goal.facts)]
                for goal in goals
            },
            "constraints": {
                rule.id: [wording.constraint(rule), self._cited(task, rule.facts)] for rule in constraints
            },
        }

    def _cited(self, task: Task, names: tuple[str, ...]) -> list[str]:
        for name in names:
            fact = task.program.template.facts[name]
            self.facts[name] = [fact.statement, _source(fact)]
        return list(names)

    def _panel(self, task: Task) -> None:
        world = task.program.template.world
        rows = [[c.id, c.label, c.panel, c.unit] for c in world.components.values()]
        self.panels.setdefault(world.id, rows)


def _source(fact: Fact) -> str:
    """Return how sure a fact is and where it stands; the paper is named once."""
    if fact.confidence == "paper":
        return f"paper, {fact.page.removeprefix('paper, ')}"
    return f"confidence {fact.confidence}, page {fact.page}"


def _readings(task: Task) -> dict[str, object]:
    """Return what every component shows at the start, None where it is dark."""
    console = console_of(task.program)
    found = ((name, read(task.initial)) for name, read in console.program.readers.items())
    return {name: None if value is None else console.show(name, value) for name, value in found}


def trace(record: Record, things: Things, lexicon: Lexicon) -> dict[str, Any]:
    """Return what happened in an episode.

    An episode that does not play again as it was recorded, because its task has changed since or is not known
    here, is told by its calls alone; ``stale`` says which.
    """
    played = None
    with contextlib.suppress(UnknownName, SpecError):
        played = trajectory(record)
    if played is None or played.episode.hash() != record["hash"]:
        why = "version" if known(record["task"]) else "unknown"
        return {"stale": why, "turns": _recorded(record, things)}
    lexicon.add(played.task)
    turns: list[list[list[Any]]] = [[] for _ in record["turns"]]
    for event in played.events:
        turns[event.turn - 1].append(_call(event, things))
    return {"met": list(played.met_at_start), "turns": turns}


def _call(event: Event, things: Things) -> list[Any]:
    after = {name: shown for name, (_, shown) in event.changed.items()}
    return _short(
        [
            things.place(event.tool),
            things.place(event.arguments),
            things.place(event.reply),
            OUTCOMES.index(event.outcome),
            things.place(after) if after else 0,
            things.place(list(event.violations)) if event.violations else 0,
            things.place(list(event.gained)) if event.gained else 0,
            things.place(list(event.lost)) if event.lost else 0,
            int(event.by_harness),
        ]
    )


def _recorded(record: Record, things: Things) -> list[list[list[Any]]]:
    broken: dict[tuple[int, int], list[str]] = {}
    for violation in record["violations"]:
        broken.setdefault((violation["turn"], violation["call"]), []).append(violation["constraint"])
    return [
        [_told(call, broken.get((turn, number)), things) for number, call in enumerate(calls, 1)]
        for turn, calls in enumerate(record["turns"], 1)
    ]


def _told(call: Mapping[str, Any], broken: list[str] | None, things: Things) -> list[Any]:
    return _short(
        [things.place(call["name"]), things.place(call["arguments"]), 0, 0, 0, things.place(broken)]
    )


def _short(row: list[Any]) -> list[Any]:
    """Leave out the zeros at the end."""
    while row and row[-1] == 0:
        row.pop()
    return row


def words(record: Record, limit: int, place: Callable[[Any], int]) -> list[list[Any]]:
    """Return what a model said, a row per turn: text, reasoning, notes and tokens.

    Args:
        record: an episode.
        limit: characters of a text that are kept.
        place: numbers a value.
    """
    said = record.get("pilot", {}).get("turns", ())
    return [_short([place(_cut(turn, "text", limit)), place(_cut(turn, "reasoning", limit)),
                    place(list(turn.get("notes") or ()) or None), place(_used(turn))])
            for turn in said]  # fmt: skip


def _cut(turn: Mapping[str, Any], key: str, limit: int) -> str | None:
    text = str(turn.get(key) or "")
    if not text:
        return None
    return text if len(text) <= limit else text[:limit] + CUT


def _used(turn: Mapping[str, Any]) -> list[int | None] | None:
    usage = turn.get("usage") or {}
    return [usage.get("prompt"), usage.get("completion")] if usage.get("total") is not None else None
