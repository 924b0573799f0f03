"""Every state that safe writes can reach in a task, found breadth first in the batch program.

The states are those of the task's cone (`acoe_gym.cockpit.relevance`), one whole number each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acoe_gym.cockpit.batch import BatchProgram
from acoe_gym.cockpit.batch_columns import Bools, Columns, Move
from acoe_gym.cockpit.batch_parts import Parts, needed
from acoe_gym.cockpit.domains import Domain, Range, Value
from acoe_gym.cockpit.expressions import Arith, Choice, Literal, Name, Node
from acoe_gym.cockpit.relevance import Relevance
from acoe_gym.errors import SpecError

MAX_STATES = 2_000_000
# Rows of one batch: large enough for NumPy, small enough for the caches.
ROWS = 8192
NOWHERE = -1
Ids = NDArray[np.int32]
Keys = NDArray[np.uint64]


class Exploration:
    """The graph of safe writes, explored from the start; a state's number is its place in the arrays.

    Args:
        relevance: the task's cone.
        limit: how many states are kept; the layer that passes it is the last.
        ignored: index of a constraint that may be violated here.
        only: the controls that are written; all of the cone by default.

    Attributes:
        moves: the writes that are tried from every state.
        complete: whether every reachable state was found and expanded.
        depth: shape (states,): fewest writes from the start.
        met: shape (states,): whether all goals hold that are not set apart.
        after: shape (expanded states, moves): the state that a write leads to, -1 if it violates a
            constraint or leaves the cone as it is.
        expanded: how many of the states, the first ones, were expanded.
    """

    def __init__(
        self,
        relevance: Relevance,
        limit: int = MAX_STATES,
        ignored: int | None = None,
        only: Iterable[str] | None = None,
    ) -> None:
        program = relevance.task.program
        candidates = relevance.candidates()
        if only is not None:
            candidates = {name: candidates[name] for name in candidates if name in only}
        self.moves: tuple[Move, ...] = tuple(
            (n, value) for n, values in candidates.items() for value in values
        )
        parts = needed(relevance)
        self._batch = BatchProgram(program, parts)
        self._table = self._batch.moves(self.moves)
        # Only constraints that apply have triggers, so every other bit counts.
        self._counts = np.uint64(~(0 if ignored is None else 1 << ignored) & (2**64 - 1))
        start = [relevance.task.initial[program.slots[name]] for name in parts.domains]
        self._codes = _Codes(
            parts.domains, values_of(parts, dict(zip(parts.domains, start, strict=True)), candidates)
        )
        self._explore(self._batch.initial([start]), limit)

    def _explore(self, start: Columns, limit: int) -> None:
        layer = self._codes.keys(start)
        keys, known = layer, np.zeros(1, np.int32)  # sorted, and the state of each
        depths, came, met, after = [np.zeros(1, np.int32)], [np.full((1, 2), NOWHERE, np.int32)], [], []
        first, count = 0, 1
        while layer.size and count <= limit:
            met.append(self._met(layer))
            reached = self._reached(layer)
            found, at = np.unique(reached, return_index=True)
            new = (found != self._codes.none) & ~_among(found, keys)
            layer, at = found[new], at[new]
            parents = np.stack([first + at // len(self.moves), at % len(self.moves)], axis=1)
            came.append(parents.astype(np.int32))
            first, count = count, count + layer.size
            depths.append(np.full(layer.size, len(depths), np.int32))
            merged = np.concatenate([keys, layer])
            order = np.argsort(merged, kind="stable")
            keys, known = (
                merged[order],
                np.concatenate([known, np.arange(first, count, dtype=np.int32)])[order],
            )
            after.append(_lookup(reached, keys, known, self._codes.none))
        self.complete = not layer.size
        met.append(self._met(layer))
        self.depth, self.met = np.concatenate(depths), np.concatenate(met)
        self._came = np.concatenate(came)
        self.after: Ids = np.concatenate(after)
        self.expanded = len(self.after)

    def _met(self, layer: Keys) -> Bools:
        parts = [self._batch.goals(columns).all(axis=0) for columns, _ in self._chunks(layer)]
        return np.concatenate([np.zeros(0, np.bool_), *parts])

    def _chunks(self, layer: Keys) -> Iterator[tuple[Columns, Keys]]:
        size = max(1, ROWS // max(1, len(self.moves)))
        for begin in range(0, layer.size, size):
            part = layer[begin : begin + size]
            yield self._batch.columns(self._codes.values(part)), part

    def _reached(self, layer: Keys) -> Keys:
        """Return the key after each write from each state, ``none`` for a write that does not count."""
        count = len(self.moves)
        rows = [np.zeros((0, count), np.uint64)]
        for columns, part in self._chunks(layer):
            states = self._batch.pick(columns, np.repeat(np.arange(part.size), count))
            violated = self._batch.write(states, self._table, np.tile(np.arange(count), part.size))
            keys = self._codes.keys(states)
            keys[(violated & self._counts != 0) | (keys == np.repeat(part, count))] = self._codes.none
            rows.append(keys.reshape(-1, count))
        return np.concatenate(rows)

    def path(self, state: int) -> tuple[Move, ...]:
        """Return the writes of a shortest way from the start."""
        moves: list[Move] = []
        while state:
            state, move = (int(number) for number in self._came[state])
            moves.append(self.moves[move])
        return tuple(moves[::-1])

    def alive(self) -> Bools:
        """Return from which states success can still be reached safely; only for complete explorations."""
        # The last entry stands for "nowhere".
        alive = np.append(self.met, False)
        waiting = np.flatnonzero(~self.met)
        while waiting.size:
            reaching = alive[self.after[waiting]].any(axis=1)
            if not reaching.any():
                break
            alive[waiting[reaching]] = True
            waiting = waiting[~reaching]
        return alive[:-1]


class _Codes:
    """Numbers states: each variable is a digit, its values are those that it can take."""

    def __init__(self, domains: Mapping[str, Domain], values: Mapping[str, Sequence[Value]]) -> None:
        sizes = [len(values[name]) for name in domains]
        if math.prod(sizes) >= 2**64 - 1:
            expected = "a cone of less than 2**64 combinations of values"
            raise SpecError(f"expected {expected}, got variables of {sizes} values")
        self._tables = [np.array(values[name], np.float64) for name in domains]
        self._ranged = [isinstance(domain, Range) for domain in domains.values()]
        self._strides = [np.uint64(math.prod(sizes[i + 1 :])) for i in range(len(sizes))]
        self.none = np.uint64(2**64 - 1)

    def keys(self, columns: Columns) -> Keys:
        """Return the number of each state."""
        keys = np.zeros(columns.small.shape[1], np.uint64)
        for column, table, ranged, stride in zip(
            columns.rows, self._tables, self._ranged, self._strides, strict=True
        ):
            digits = np.searchsorted(table, column) if ranged else column
            keys += digits.astype(np.uint64) * stride
        return keys

    def values(self, keys: Keys) -> NDArray[np.float64]:
        """Return the states of some numbers: one row per variable."""
        rows = []
        for table, stride in zip(self._tables, self._strides, strict=True):
            rows.append(table[(keys // stride).astype(np.intp)])
            keys = keys % stride
        return np.array(rows).reshape(len(rows), keys.size)


def values_of(
    parts: Parts, start: Mapping[str, Value], candidates: Mapping[str, Sequence[Value]]
) -> dict[str, tuple[Value, ...]]:
    """Return what each variable can be, sorted: its start, what is asked for, and what rules assign."""
    found = {name: {start[name], *candidates.get(name, ())} for name in parts.domains}
    for name, domain in parts.domains.items():
        if not isinstance(domain, Range):
            found[name] = set(domain.choices())
    springs = [(n, Literal(rests)) for n, moves in parts.momentary.items() for _, rests in moves]
    sets = [pair for rule in parts.rules for pair in zip(rule.targets, rule.trees[1:], strict=True)]
    while True:
        before = sum(map(len, found.values()))
        for name, tree in (*sets, *springs):
            if name in found:
                found[name] |= set(_leaves(tree, found, parts.domains[name]))
        if sum(map(len, found.values())) == before:
            return {name: tuple(sorted(values)) for name, values in found.items()}


def _leaves(tree: Node, found: Mapping[str, Iterable[Value]], domain: Domain) -> Iterator[Value]:
    match tree:
        case Literal(value):
            yield value
        case Name(name):
            yield from found[name]
        case Choice(_, yes, no):
            yield from _leaves(yes, found, domain)
            yield from _leaves(no, found, domain)
        case Arith() if isinstance(domain, Range):
            yield from (domain.on_grid(n) for n in range(round((domain.high - domain.low) / domain.step) + 1))


def _among(some: Keys, known: Keys) -> Bools:
    at = np.searchsorted(known, some)
    found: Bools = known[np.minimum(at, known.size - 1)] == some
    return found


def _lookup(reached: Keys, keys: Keys, states: Ids, none: np.uint64) -> Ids:
    at = np.minimum(np.searchsorted(keys, reached), keys.size - 1)
    found: Ids = np.where(reached == none, np.int32(NOWHERE), states[at])
    return found
