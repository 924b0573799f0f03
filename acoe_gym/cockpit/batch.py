"""A template compiled to NumPy over a structure of arrays: the batch program.

It does to every one of N states what the scalar `Program` does to one, and gives the same states, violations
and goals. The order of one write is that of ``docs/semantics.md`` section 2. Nothing here knows Gymnasium.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acoe_gym.cockpit.batch_columns import Bools, Columns, Move, Moves, Reading
from acoe_gym.cockpit.batch_emit import BatchEmitter, dtype_of
from acoe_gym.cockpit.batch_parts import Parts, whole
from acoe_gym.cockpit.batch_source import BatchCompiler, Request, word_of
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.program import Program


class BatchProgram:
    """The batch form of a template, or of the part of it that one task depends on.

    Args:
        program: the compiled template.
        parts: what to compile; the whole template by default.

    Attributes:
        variables: stored variables in slot order.
        settle: applies the level rules once to the rows that a mask marks: ``settle(columns.rows, mask)``.
    """

    def __init__(self, program: Program, parts: Parts | None = None) -> None:
        self.program = program
        self.parts = parts or whole(program)
        self.variables = tuple(self.parts.domains)
        self._kinds = [dtype_of(domain) for domain in self.parts.domains.values()]
        numbers = [name for name, kind in zip(self.variables, self._kinds, strict=True) if kind is np.float64]
        self._number_rows = {name: row for row, name in enumerate(numbers)}
        self._small_rows = {
            name: row for row, name in enumerate(n for n in self.variables if n not in self._number_rows)
        }
        self._compiler = compiler = BatchCompiler(self.parts, program.template.id)
        self._asks_value = any(request.asked is not None for request in compiler.requests)
        self._judge = compiler.on_rows("asked, v", compiler.judge)
        self._never = compiler.function("c", compiler.never)
        self._fire = compiler.on_rows("due", compiler.events)
        self._spring = compiler.on_rows("due", compiler.spring)
        self.settle: Callable[[list[Any], Bools], None] = compiler.function("c, changed", compiler.settle)
        self._goals = compiler.function("c", compiler.goals)
        self._readers: dict[str, Callable[[list[Any]], Reading]] = {}

    # States.

    def initial(self, states: Sequence[Sequence[Value]]) -> Columns:
        """Return states of this program's variables as columns."""
        return self.columns(np.asarray(states, np.float64).reshape(len(states), len(self.variables)).T)

    def columns(self, table: NDArray[Any]) -> Columns:
        """Return a table of one row per variable and one column per state as columns."""
        count = table.shape[1]
        small = np.zeros((len(self._small_rows) + 1, count), np.int8)
        numbers = np.zeros((len(self._number_rows), count))
        for name, values in zip(self.variables, table, strict=True):
            if name in self._number_rows:
                numbers[self._number_rows[name]] = values
            else:
                small[self._small_rows[name]] = values
        return Columns(small, numbers, self._kinds)

    def states(self, columns: Columns) -> list[tuple[Value, ...]]:
        """Return columns as states: booleans, indices of positions, and numbers as float."""
        return list(zip(*(row.tolist() for row in columns.rows), strict=True))

    def pick(self, columns: Columns, rows: NDArray[np.intp]) -> Columns:
        """Return copies of some states; a state may be picked several times."""
        return Columns(columns.small.take(rows, axis=1), columns.numbers.take(rows, axis=1), self._kinds)

    # One write.

    def moves(self, moves: Iterable[Move | None]) -> Moves:
        """Return a table of writes to choose from.

        Args:
            moves: controls and stored values that can be asked for; None for rows that make no write.
        """
        found = tuple(moves)
        names = [move and move[0] for move in found]
        ranged = [name in self._number_rows for name in names]
        values = [move[1] if move else 0 for move in found]
        nothing = len(self._small_rows)
        rows = [
            nothing if not name or is_number else self._small_rows[name]
            for name, is_number in zip(names, ranged, strict=True)
        ]
        named, number = np.array([name or "" for name in names]), np.array(values, np.float64)
        return Moves(
            moves=found,
            row=np.array(rows, np.intp),
            small=np.where(ranged, 0, number).astype(np.int8),
            number_row=np.array([self._number_rows.get(name or "", 0) for name in names], np.intp),
            number=number,
            is_number=np.array(ranged, np.bool_),
            asked=word_of([self._asks(r, named, number) for r in self._compiler.requests], len(found)),
            due=word_of(self._due(found), len(found)),
        )

    def _asks(self, request: Request, names: NDArray[Any], values: NDArray[np.float64]) -> Bools:
        """Return for each write of a table whether it may be what a trigger is about."""
        found = np.zeros(len(names), np.bool_)
        for name, tree in request.settings.items():
            holds = self._compiler.function("v", partial(BatchEmitter.condition, tree=tree))
            found |= (names == name) & holds(values)
        return found

    def _due(self, moves: Sequence[Move | None]) -> list[list[bool]]:
        asked = [move or ("", 0) for move in moves]
        events = [rule.on for rule in self._compiler.events_due if rule.on is not None]
        return [
            *([name == control and value in values for name, value in asked] for control, values in events),
            *([name == control for name, _ in asked] for control in self._compiler.momentary),
        ]

    def write(self, columns: Columns, moves: Moves, chosen: NDArray[np.intp]) -> NDArray[np.uint64]:
        """Make one write per row, in place.

        Args:
            columns: the states.
            moves: what can be chosen.
            chosen: shape (N,), an index into ``moves`` per row.

        Returns:
            Shape (N,): the violated constraints as a bit mask over those of the template. A row whose write
            changes nothing is not judged, and nothing follows from it.
        """
        rows, count = columns.rows, columns.small.shape[1]
        flat, value = columns.small.reshape(-1), moves.small.take(chosen)
        at = moves.row.take(chosen)
        at *= count
        at += columns.order
        changed = flat.take(at) != value
        ranged = np.flatnonzero(moves.is_number.take(chosen))
        if ranged.size:
            choice = chosen.take(ranged)
            numbers, number = columns.numbers.reshape(-1), moves.number.take(choice)
            number_at = moves.number_row.take(choice) * count + ranged
            changed[ranged] = numbers.take(number_at) != number
        violated = self._violated(columns, moves, chosen, changed)
        before = self._never(rows)
        flat[at] = value
        if ranged.size:
            numbers[number_at] = number
        due = moves.due.take(chosen) * changed
        few = np.flatnonzero(due)
        due = due.take(few)
        self._fire(rows, few, due)
        self.settle(rows, changed)
        self._spring(rows, few, due)
        violated |= self._never(rows) & ~before
        return violated

    def _violated(
        self, columns: Columns, moves: Moves, chosen: NDArray[np.intp], changed: Bools
    ) -> NDArray[np.uint64]:
        """Return what requests violate; only rows that ask for what a constraint is about are judged."""
        violated = np.zeros(len(chosen), np.uint64)
        asked = moves.asked.take(chosen) * changed
        few = np.flatnonzero(asked)
        values = moves.number.take(chosen.take(few)) if self._asks_value else None
        violated[few] = self._judge(columns.rows, few, asked.take(few), values)
        return violated

    # What a state means.

    def goals(self, columns: Columns) -> Bools:
        """Return whether each goal holds: shape (goals, N)."""
        result: Bools = self._goals(columns.rows)
        return result

    def read(self, columns: Columns, component: str) -> Reading:
        """Return what a component shows in every row; only for programs of a whole template."""
        if component not in self._readers:
            self._readers[component] = self._compiler.function(
                "c", lambda emitter: self._compiler.reading(emitter, self.program, component)
            )
        return self._readers[component](columns.rows)
