"""The shortest safe solution of a task: A* over the part of the state that its grade depends on."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.reference import Write
from acoe_gym.cockpit.relevance import Relevance
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import AcoeError

State = tuple[Value, ...]
Move = tuple[str, Value]


@dataclass(frozen=True)
class Solution:
    """A safe solution with the fewest writes.

    Attributes:
        writes: control and value as the pilot writes it, in order.
        states: how many states were looked at.
    """

    writes: tuple[Write, ...]
    states: int


class SearchStopped(AcoeError):
    """A search that found more states than it was allowed to; whether there is a solution is open."""


def shortest(task: Task, limit: int | None = None) -> Solution | None:
    """Return a shortest solution without a write that violates a constraint, or None if there is none.

    Raises:
        SearchStopped: more states than ``limit`` were found before a solution was.
    """
    relevance = Relevance(task)
    moves, states = _Search(task, relevance).run(limit)
    if moves is None:
        return None
    show = {name: task.program.template.domains[name].show for name in task.program.variables}
    steps = [*moves, *relevance.apart().items()]
    return Solution(tuple((name, show[name](value)) for name, value in steps), states)


class _Search:
    """A* with the number of goals that still take a write of their own as the lower bound."""

    def __init__(self, task: Task, relevance: Relevance) -> None:
        program = task.program
        self._id = task.id
        self._start = task.initial
        self._mask = task.constraint_mask
        self._needs = relevance.needs()
        self._solved = [program.condition(goal) for goal in relevance.joined]
        self._slots = [program.slots[name] for name in relevance.names]
        self._moves = [
            (name, program.slots[name], program.writers[name], values)
            for name, values in relevance.candidates().items()
        ]

    def run(self, limit: int | None) -> tuple[list[Move] | None, int]:
        """Return the moves of a shortest path (None if there is none) and the number of states looked at."""
        order = count()  # among equals the oldest goes first, and states are never compared
        start = self._key(self._start)
        depths: dict[State, int] = {start: 0}
        came: dict[State, tuple[State, Move]] = {}
        heap = [(self._bound(self._start), 0, next(order), self._start)]
        while heap:
            _, depth, _, state = heapq.heappop(heap)
            depth, key = -depth, self._key(state)
            if depths[key] < depth:
                continue
            if all(met(state) for met in self._solved):
                return _path(came, key), len(depths)
            if limit is not None and len(depths) > limit:
                raise SearchStopped(f"{self._id}: expected a solution among {limit:,} states, got none")
            for move, after in self._next(state):
                found = self._key(after)
                if depths.get(found, depth + 2) > depth + 1:
                    depths[found] = depth + 1
                    came[found] = key, move
                    heapq.heappush(heap, (depth + 1 + self._bound(after), -depth - 1, next(order), after))
        return None, len(depths)

    def _key(self, state: State) -> State:
        return tuple([state[slot] for slot in self._slots])

    def _bound(self, state: State) -> int:
        return sum(not met(state) for met in self._needs)

    def _next(self, state: State) -> Iterator[tuple[Move, State]]:
        """Yield every safe write and the state after it."""
        for name, slot, write, values in self._moves:
            for value in values:
                if state[slot] != value:
                    after = list(state)
                    if not write(after, value) & self._mask:
                        yield (name, value), tuple(after)


def _path(came: dict[State, tuple[State, Move]], key: State) -> list[Move]:
    moves: list[Move] = []
    while key in came:
        key, move = came[key]
        moves.append(move)
    return moves[::-1]
