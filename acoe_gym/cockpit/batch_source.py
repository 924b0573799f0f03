"""The functions of a batch program, written from its parts with `BatchEmitter` and compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from acoe_gym.cockpit.batch_columns import Reading
from acoe_gym.cockpit.batch_emit import FALSE, BatchEmitter
from acoe_gym.cockpit.batch_parts import Parts
from acoe_gym.cockpit.expressions import Compare, Literal, Name, Node
from acoe_gym.cockpit.fold import fold
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.relevance import Law
from acoe_gym.cockpit.scope import derived
from acoe_gym.errors import SpecError

# Marks and violations are bits of one word.
WORD = 64


class Request(NamedTuple):
    """What a write asks for that violates a constraint while a condition holds.

    Attributes:
        settings: control -> condition on the value asked for, judged once per table of writes.
        asked: a condition on the value that looks at the state too, of one control.
    """

    constraint: int
    settings: Mapping[str, Node]
    asked: Node | None
    condition: Node


def requests(parts: Parts) -> tuple[Request, ...]:
    """Return what violates: one entry per trigger, and one per setting of it that looks at the state."""
    found: list[Request] = []
    for number, guards in enumerate(parts.constraints):
        for guard in guards:
            late = {name: tree for name, tree in guard.settings.items() if any(_stored(tree))}
            early = {name: tree for name, tree in guard.settings.items() if name not in late}
            if early:
                found.append(Request(number, early, None, guard.condition))
            always = Literal(value=True)
            found += [Request(number, {n: always}, tree, guard.condition) for n, tree in late.items()]
    return tuple(found)


def _stored(tree: Node) -> Iterator[Node]:
    """Yield the variables in a tree."""
    return (part for part in derived(tree) if isinstance(part, Name))


class BatchCompiler:
    """Compiles the functions of one batch program. In all of them ``c`` is `Columns.rows`.

    Attributes:
        requests: what violates, in the order of the bits of `Moves.asked`.
        events_due: event rules, in the order of the lowest bits of `Moves.due`.
        momentary: controls that spring back, in the order of the bits above those.

    Raises:
        SpecError: there are more of them than a word has bits.
    """

    def __init__(self, parts: Parts, where: str) -> None:
        self.parts = parts
        self.requests = requests(parts)
        self.events_due = [rule for rule in parts.rules if rule.on is not None]
        self.momentary = tuple(parts.momentary)
        self._levels = [rule for rule in parts.rules if rule.on is None]
        self._assigned = frozenset(name for rule in parts.rules for name in rule.targets)
        self._due_width = len(self.events_due) + len(self.momentary)
        widest = max(len(parts.constraints), len(self.requests), self._due_width)
        if widest > WORD:
            expected = f"at most {WORD} constraints, settings of constraints or events"
            raise SpecError(f"{where}: expected {expected}, got {widest}")

    def function(self, arguments: str, write: Callable[[BatchEmitter], str]) -> Any:
        """Compile one function; ``write`` emits its lines and returns the source of its result."""
        emitter = BatchEmitter(self.parts.domains, self._assigned)
        return _compiled(arguments, emitter, write(emitter))

    def on_rows(self, arguments: str, write: Callable[[BatchEmitter], str]) -> Callable[..., Any]:
        """Compile a function for few of the rows, ``(c, rows, …)``: the rest has one entry per such row.

        Only the columns that it looks at are gathered, and those that it assigns are written back.
        """
        emitter = BatchEmitter(self.parts.domains, self._assigned)
        result = write(emitter)
        function = _compiled(f"c, {arguments}", emitter, result)
        used, assigned = sorted(emitter.used), sorted(emitter.assigned_slots)

        def run(columns: list[Any], rows: NDArray[np.intp], *rest: Any) -> Any:
            part: list[Any] = [None] * len(columns)
            for slot in used:
                part[slot] = columns[slot].take(rows)
            found = function(part, *rest)
            for slot in assigned:
                columns[slot][rows] = part[slot]
            return found

        return run

    def judge(self, emitter: BatchEmitter) -> str:
        """Write ``(c, asked, v)`` -> constraints that a request violates, on the state before it."""
        hits: dict[int, str] = {}
        for number, request in enumerate(self.requests):
            asks = _marked(emitter, "asked", number, len(self.requests))
            hit = emitter.both(asks, emitter.condition(request.condition))
            if request.asked is not None:
                hit = emitter.both(hit, emitter.condition(request.asked))
            hits[request.constraint] = emitter.either(hits.get(request.constraint, FALSE), hit)
        return _bits(emitter, hits)

    def never(self, emitter: BatchEmitter) -> str:
        """Write ``(c)`` -> constraints whose *never* holds."""
        found: dict[int, str] = {}
        for number, guards in enumerate(self.parts.constraints):
            for guard in guards:
                if not guard.settings:
                    holds = emitter.condition(guard.condition)
                    found[number] = emitter.either(found.get(number, FALSE), holds)
        return _bits(emitter, found)

    def events(self, emitter: BatchEmitter) -> str:
        """Write ``(c, due)``: event rules; in place."""
        for number, rule in enumerate(self.events_due):
            self._apply(emitter, rule, _marked(emitter, "due", number, self._due_width))
        return "None"

    def spring(self, emitter: BatchEmitter) -> str:
        """Write ``(c, due)``: momentary controls go back; in place."""
        for number, control in enumerate(self.momentary, len(self.events_due)):
            written = _marked(emitter, "due", number, self._due_width)
            for asked, rests in self.parts.momentary[control]:
                there = Compare(Name(control), (("==", Literal(asked)),))
                where = emitter.both(written, emitter.condition(there))
                emitter.assign([control], [Literal(rests)], where)
        return "None"

    def settle(self, emitter: BatchEmitter) -> str:
        """Write ``(c, changed)``: one pass over the level rules in the marked rows; in place."""
        for rule in self._levels:
            self._apply(emitter, rule, "changed")
        return "None"

    def _apply(self, emitter: BatchEmitter, rule: Law, rows: str) -> None:
        where = emitter.both(rows, emitter.condition(rule.trees[0]))
        if where != FALSE:
            emitter.assign(rule.targets, rule.trees[1:], where)

    def goals(self, emitter: BatchEmitter) -> str:
        """Write ``(c)`` -> whether each goal holds: shape (goals, N)."""
        rows = [emitter.row(emitter.condition(goal)) for goal in self.parts.goals]
        return f"np.stack([{', '.join(rows)}])" if rows else "np.zeros((0, c[0].size), np.bool_)"

    def reading(self, emitter: BatchEmitter, program: Program, name: str) -> str:
        """Write ``(c)`` -> the `Reading` of a component."""
        names, component = program.template.names, program.template.world.components[name]

        def row(tree: Node, dtype: Any) -> str:
            return emitter.row(emitter.value(fold(tree, names, {}), dtype))

        powered = names.powered(name)
        lit = row(Literal(value=True) if powered is None else powered, np.bool_)
        if component.lines:
            trees = [names.line(name, text) for text in names.line_texts(name)]
            return f"Reading({lit}, np.stack([{', '.join(row(tree, np.bool_) for tree in trees)}]))"
        if component.value is None:
            return f"Reading({lit}, c[{program.slots[name]}].copy())"
        return f"Reading({lit}, {row(names.tree(name), np.int8 if component.positions else np.float64)})"


def _compiled(arguments: str, emitter: BatchEmitter, result: str) -> Any:
    body = "\n".join(f"    {line}" for line in (*emitter.lines, f"return {result}"))
    namespace: dict[str, Any] = {"np": np, "Reading": Reading, **emitter.constants}
    # The text comes from checked trees only: columns are list indices, literals are names of constants.
    exec(f"def function({arguments}):\n{body}", namespace)  # noqa: S102
    return namespace["function"]


def _word_type(width: int) -> Any:
    """Return the smallest unsigned type of that many bits."""
    return next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if width <= np.iinfo(kind).bits)


def word_of(marks: Sequence[Any], length: int) -> NDArray[Any]:
    """Return one word per write, with one bit per list of marks."""
    word = np.zeros(length, _word_type(len(marks)))
    for bit, marked in enumerate(marks):
        word |= np.asarray(marked, word.dtype) << word.dtype.type(bit)
    return word


def _marked(emitter: BatchEmitter, word: str, bit: int, width: int) -> str:
    """Return the operand that tells in which rows a bit of a word is set."""
    kind = _word_type(width)
    masked = emitter.line(f"np.bitwise_and({word}, {emitter.constant(1 << bit, kind)})")
    return emitter.line(f"np.not_equal({masked}, {emitter.constant(0, kind)})")


def _bits(emitter: BatchEmitter, found: Mapping[int, str]) -> str:
    """Return the source of one word per row, with the bits of the conditions that hold."""
    found = {bit: holds for bit, holds in found.items() if holds != FALSE}
    if not found:
        return "np.uint64(0)"
    kind = _word_type(max(found) + 1)
    parts = [f"np.multiply({holds}, {emitter.constant(1 << bit, kind)})" for bit, holds in found.items()]
    return f"np.asarray({' | '.join(parts)}, np.uint64)"
