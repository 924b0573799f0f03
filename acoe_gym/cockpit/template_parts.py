"""The entries of a template's tables, as frozen data; `acoe_gym.cockpit.templates` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import Node


@dataclass(frozen=True)
class Goal:
    """A condition on the final state; ``applies`` is judged once, on the initial state."""

    id: str
    that: Node
    primary: bool
    applies: Node
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Trigger:
    """What violates a constraint: a request while a condition holds, or entering a state.

    Attributes:
        settings: control -> condition on the value asked for; one such request is enough.
        condition: what must hold for the request to be a violation; with ``never``, the state itself.
    """

    settings: tuple[tuple[str, Node], ...]
    condition: Node
    never: bool = False


@dataclass(frozen=True)
class Constraint:
    """A hard safety constraint: any trigger violates it."""

    id: str
    triggers: tuple[Trigger, ...]
    applies: Node
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Basis:
    """Facts for traps: why a safe write may lose success for good.

    Attributes:
        settings: control -> the values that the facts are about; an empty tuple stands for any.
    """

    settings: tuple[tuple[str, tuple[Value, ...]], ...]
    facts: tuple[str, ...]

    def covers(self, name: str, value: Value) -> bool:
        """Return whether the facts are about a write."""
        return any(name == control and (not values or value in values) for control, values in self.settings)


@dataclass(frozen=True)
class Step:
    """One step of the handbook's list, as a policy over tool replies.

    Attributes:
        when: condition over what the pilot reads and was told; None means always.
        sets: control and plain value, or ``$name`` for a value taken from a reply.
        reads: components to look at.
        ask: informational tool and its arguments.
        take: name -> pattern over the reply's text; the pattern's groups are joined with a point.
        probe: a diagnostic write that the handbook prescribes; the task may be solvable without it.
    """

    when: Node | None
    sets: tuple[tuple[str, object], ...]
    reads: tuple[str, ...]
    ask: tuple[str, Mapping[str, object]] | None
    take: tuple[tuple[str, str], ...]
    probe: bool
    facts: tuple[str, ...]


@dataclass(frozen=True)
class TaskSpec:
    """One instance: what differs from the template."""

    id: str
    sets: tuple[tuple[str, object], ...]
    briefing: str
    decisions: tuple[str, ...]
    information: str
    relevant_tools: tuple[str, ...] | None
    short_because: str | None


@dataclass(frozen=True)
class Case:
    """One family of generated variants: fixed values, values to draw, and what a draw must satisfy."""

    sets: tuple[tuple[str, object], ...]
    vary: tuple[tuple[str, tuple[object, ...]], ...]
    require: Node
    briefings: tuple[str, ...]
    decisions: tuple[tuple[str, ...], ...]
    information: tuple[str, ...]
