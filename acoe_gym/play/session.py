"""An episode as a person plays it: what was called, and what the person can know from the replies.

The faces (`acoe_gym.play.plain`, `acoe_gym.play.app`) show what stands here and nothing of the state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from acoe_gym.cockpit.console import Call, Outcome, console_of
from acoe_gym.cockpit.episode import MAX_CALLS_PER_TURN, Episode
from acoe_gym.cockpit.procedure import ToolCall
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.world import Component

UNKNOWN = "?"
DARK = "dark"
NO_LINES = "nothing shown"
# The tools whose replies are about one component.
ABOUT_ONE = ("get_system", "set_system")


@dataclass(frozen=True)
class Known:
    """What a person knows of one component.

    Attributes:
        shown: the value in words.
        turn: the turn that it comes from.
        was_set: whether the person set it rather than read it.
        old: whether a control was set since, after which it may show something else.
    """

    shown: str
    turn: int
    was_set: bool = False
    old: bool = False

    def __str__(self) -> str:
        marks = [word for word, holds in (("set", self.was_set), ("old", self.old)) if holds]
        return f"{self.shown} ({', '.join(marks)})" if marks else self.shown


@dataclass(frozen=True)
class Exchange:
    """One turn: its number from 1, and its calls with their replies."""

    turn: int
    calls: tuple[Call, ...]


class Session:
    """A task under way.

    Attributes:
        task: the task.
        episode: its episode; a face never looks at its state.
        known: component id -> what was read or set last; a component that is missing was not asked for.
        exchanges: the turns so far.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.episode = Episode(task)
        self.known: dict[str, Known] = {}
        self.exchanges: list[Exchange] = []
        self.components: Mapping[str, Component] = task.program.template.world.components
        self._legal = _legal(task)

    @property
    def over(self) -> bool:
        """Whether the episode has ended, by submit or with the last turn."""
        return self.episode.end is not None

    @property
    def clock(self) -> str:
        """The turn that comes next, and how many there are."""
        most = self.episode.max_turns
        return f"turn {min(len(self.exchanges) + 1, most)} of {most}"

    def turn(self, calls: Sequence[ToolCall]) -> Exchange:
        """Play one turn.

        Args:
            calls: (tool, arguments) of each call.

        Raises:
            EpisodeOver: the episode has ended.
        """
        number = len(self.exchanges) + 1
        exchange = Exchange(number, tuple(self.episode.turn(calls)))
        self.exchanges.append(exchange)
        for call in exchange.calls:
            self._learn(call, number)
        return exchange

    def read(self, *names: str) -> Exchange:
        """Read components in one turn, as many as a turn can hold."""
        return self.turn([("get_system", {"component": name}) for name in names[:MAX_CALLS_PER_TURN]])

    def write(self, name: str, value: str) -> Exchange:
        """Set a control to what was typed."""
        return self.turn([("set_system", {"component": name, "value": value})])

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> Exchange:
        """Call any tool."""
        return self.turn([(tool, dict(arguments))])

    def submit(self) -> Exchange:
        """End the task."""
        return self.turn([("submit", {})])

    # The panel.

    def reading(self, name: str) -> str:
        """Return what a person knows of a component, in words."""
        return str(self.known.get(name, UNKNOWN))

    def legal(self, name: str) -> str:
        """Return how list_systems tells of a component: label, then positions or range."""
        return self._legal[name]

    def groups(self, search: str = "") -> dict[str, list[Component]]:
        """Return the components by panel, in the order of the cockpit.

        Args:
            search: only components that hold every one of these words in id, label or panel.
        """
        words = search.casefold().split()
        found: dict[str, list[Component]] = {}
        for c in self.components.values():
            text = f"{c.id} {c.label} {group_name(c.panel)}".casefold()
            if all(word in text for word in words):
                found.setdefault(c.panel, []).append(c)
        return found

    def _learn(self, call: Call, turn: int) -> None:
        """Take from a reply what a person can take from it."""
        if call.outcome in (Outcome.REJECTED, Outcome.SKIPPED) or call.tool not in ABOUT_ONE:
            return
        reply = json.loads(call.reply)
        name = reply["component"]
        if call.tool == "set_system":
            # Replies do not tell a write that changed nothing, so the marks must not tell it either.
            self.known = {key: replace(known, old=True) for key, known in self.known.items()}
            shown = _value(reply["set"], self.components[name].unit)
        else:
            shown = _value(reply["value"], reply.get("unit", ""))
        self.known[name] = Known(shown, turn, was_set=call.tool == "set_system")


def group_name(panel: str) -> str:
    """Return a panel's name as its heading shows it."""
    return panel.replace("_", " ").upper()


def _value(value: object, unit: str) -> str:
    if value is None:
        return DARK
    if isinstance(value, list):
        return ", ".join(map(str, value)) or NO_LINES
    return f"{value} {unit}".rstrip()


def _legal(task: Task) -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, part in console_of(task.program).systems().items():
        if isinstance(part, dict):
            # Breakers share their positions, which stand in the name of their kind.
            shared = kind.partition(" ")[2]
            found |= {
                name: f"{text}: {shared}" if shared and ":" not in text else str(text)
                for name, text in part.items()
            }
    return found
