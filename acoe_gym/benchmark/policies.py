"""Built-in policies, from the expert to the one that does nothing.

A policy is a function of a task and a random generator that returns a generator of turns: it yields the calls
of a turn, possibly none, and is sent their replies, parsed, in order. One that returns before it has
submitted stays silent to the end of the budget.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from acoe_gym.benchmark.generic.pilot import generic_pilot
from acoe_gym.cockpit.episode import MAX_TURNS
from acoe_gym.cockpit.information.airports import known_stations
from acoe_gym.cockpit.procedure import ToolCall, Turns, follow
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.tools import INFORMATIONAL, TOOLS
from acoe_gym.errors import UnknownName, nearest

Policy = Callable[[Task, random.Random], Turns]
T = TypeVar("T")

READS_PER_TURN = 4
# Arguments of the informational tools that ask for no station.
FIXED: dict[str, dict[str, Any]] = {
    "get_performance": {"chart": "climb", "pressure_altitude_ft": 4000},
    "lookup_regulation": {"query": "fuel reserves"},
}


def policy(name: str) -> Policy:
    """Return a built-in policy.

    Raises:
        UnknownName: there is none of that name; the message names the nearest.
    """
    if name not in POLICIES:
        raise UnknownName(
            f"expected a policy of {', '.join(POLICIES)}, got {name!r}{nearest(name, POLICIES)}"
        )
    return POLICIES[name]


def reference(task: Task, rng: random.Random) -> Turns:  # noqa: ARG001 - every policy is called alike
    """Follow the handbook's list: read what its conditions name, move what does not stand right yet."""
    return follow(task)


def whole_list(task: Task, rng: random.Random) -> Turns:  # noqa: ARG001
    """Follow the handbook's list and make every write of it, needed or not."""
    return follow(task, whole=True)


def noop(task: Task, rng: random.Random) -> Turns:  # noqa: ARG001
    """Never call a tool."""
    while True:
        yield []


def submit(task: Task, rng: random.Random) -> Turns:  # noqa: ARG001
    """Submit at once."""
    yield [("submit", {})]


def read_only(task: Task, rng: random.Random) -> Turns:  # noqa: ARG001
    """List the systems, read every component, submit."""
    yield [("list_systems", {})]
    reads = _reads(task)
    for first in range(0, len(reads), READS_PER_TURN):
        yield reads[first : first + READS_PER_TURN]
    yield [("submit", {})]


def uniform(task: Task, rng: random.Random) -> Turns:
    """Make one random legal call a turn: 80 % writes, 16 % reads, 2 % informational, 2 % submit.

    The last turn of the budget submits.

    Components are drawn uniformly, then their legal values (the set points of ranges).
    """
    reads, writes = _reads(task), _writes(task)
    for _ in range(MAX_TURNS - 1):
        kind = rng.random()
        if kind < 0.80:
            yield [_pick(rng, _pick(rng, writes))]
        elif kind < 0.96:
            yield [_pick(rng, reads)]
        elif kind < 0.98:
            yield [_question(rng)]
        else:
            yield [("submit", {})]
    yield [("submit", {})]


def _reads(task: Task) -> list[ToolCall]:
    return [("get_system", {"component": name}) for name in task.program.template.world.components]


def _writes(task: Task) -> list[list[ToolCall]]:
    """Return every legal write, grouped by control."""
    return [
        [
            ("set_system", {"component": c.id, "value": c.domain.show(value)})
            for value in c.domain.commandable()
        ]
        for c in task.program.template.world.components.values()
        if c.domain
    ]


def _question(rng: random.Random) -> ToolCall:
    name = _pick(rng, INFORMATIONAL)
    if "station" in TOOLS[name].required:
        return name, {"station": _pick(rng, known_stations())}
    return name, dict(FIXED.get(name, {}))


def _pick(rng: random.Random, pool: Sequence[T]) -> T:
    # Of all its methods, random() alone is promised to stay the same across Python versions.
    return pool[int(rng.random() * len(pool))]


POLICIES: dict[str, Policy] = {
    "reference": reference,
    "whole-list": whole_list,
    "generic": generic_pilot,
    "random": uniform,
    "read-only": read_only,
    "submit": submit,
    "noop": noop,
}
