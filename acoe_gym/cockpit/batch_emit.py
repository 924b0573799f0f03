"""Trees to NumPy source: the batch compiler.

A state is a list ``c`` of columns, one array over all rows per stored variable. Trees come with definitions
inlined (`acoe_gym.cockpit.fold`); what two of them share is computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from acoe_gym.cockpit.batch_lower import lower
from acoe_gym.cockpit.domains import Domain, Range
from acoe_gym.cockpit.expressions import (
    BOOL,
    Arith,
    Asked,
    Choice,
    Compare,
    Literal,
    Logic,
    Name,
    Node,
    Not,
)
from acoe_gym.cockpit.scope import derived

UFUNCS = {
    "==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
    "+": "add", "-": "subtract", "*": "multiply", "/": "true_divide",
    "and": "logical_and", "or": "logical_or",
}  # fmt: skip

# `a and not b`, `a or not b`: one operation on booleans.
NEGATED = {"and": "greater", "or": "greater_equal"}
# The operands of conditions that are the same for every row.
TRUE, FALSE = "k_bool_True", "k_bool_False"
# What turns a flag on or off in marked rows takes one cheap operation.
IN_PLACE = {
    TRUE: "np.logical_or({column}, {where}, out={column})",
    FALSE: "np.greater({column}, {where}, out={column})",
}


class BatchEmitter:
    """Writes the lines of one function over ``c``.

    Every operation is one line ``t7 = …``. An equal operation is written again only after a variable that it
    depends on was assigned.

    Args:
        domains: the variables, in slot order.
        assigned: those of them that rules assign.

    Attributes:
        lines: the function's body so far.
        constants: name -> zero-dimensional array, for the function's namespace; NumPy takes those faster
            than Python's numbers.
        used, assigned_slots: the columns that the function looks at or assigns, and those that it assigns.
    """

    def __init__(self, domains: Mapping[str, Domain], assigned: frozenset[str]) -> None:
        self.lines: list[str] = []
        self.constants = {TRUE: np.array(True), FALSE: np.array(False)}
        self.used: set[int] = set()
        self.assigned_slots: set[int] = set()
        self._domains = domains
        self._assigned = assigned
        self._names = tuple(domains)
        self._slots = {name: slot for slot, name in enumerate(domains)}
        self._flags = frozenset(name for name, domain in domains.items() if domain.type == BOOL)
        self._known: dict[str, str] = {}
        self._reads: dict[str, frozenset[str]] = {}

    def condition(self, tree: Node) -> str:
        """Return the operand of a condition, `TRUE` or `FALSE` if it is the same for every row."""
        return self._operand(lower(tree, self._flags), np.bool_)

    def value(self, tree: Node, dtype: Any) -> str:
        """Return the operand of a tree whose value is stored as that type."""
        return self._operand(lower(tree, self._flags), dtype)

    def row(self, operand: str) -> str:
        """Return the source of an array of one entry per row that is no view of a column."""
        return f"np.full(c[0].shape, {operand})" if operand.startswith("k_") else f"{operand}.copy()"

    def line(self, source: str, *operands: str) -> str:
        """Return the name that holds ``source``, an operation on other operands."""
        if source not in self._known:
            name = self._known[source] = f"t{len(self._reads)}"
            self._reads[name] = frozenset[str]().union(*(self._depends(o) for o in operands))
            self.lines.append(f"{name} = {source}")
        return self._known[source]

    def constant(self, value: float, dtype: Any) -> str:
        """Return the name of a number as a zero-dimensional array."""
        array = np.array(value, dtype)
        name = f"k_{array.dtype}_{value!r}".replace(".", "_").replace("-", "m").replace("+", "p")
        self.constants[name] = array
        return name

    def both(self, left: str, right: str) -> str:
        """Return the operand of ``left and right``."""
        if FALSE in (left, right):
            return FALSE
        return right if left == TRUE else left if right == TRUE else self._call("logical_and", left, right)

    def either(self, left: str, right: str) -> str:
        """Return the operand of ``left or right``."""
        if TRUE in (left, right):
            return TRUE
        return right if left == FALSE else left if right == FALSE else self._call("logical_or", left, right)

    def assign(self, targets: Iterable[str], trees: Iterable[Node], where: str) -> None:
        """Write the assignment of all right sides at once, in the rows that ``where`` marks."""
        names = list(targets)
        sources = [self.value(tree, dtype_of(self._domains[n])) for n, tree in zip(names, trees, strict=True)]
        if len(names) > 1:
            # A bare column must not change before the assignments after it have read it.
            sources = [self._copied(source) if source.startswith("c[") else source for source in sources]
        for name, source in zip(names, sources, strict=True):
            column = self._column(name)
            self.assigned_slots.add(self._slots[name])
            quick = IN_PLACE.get(source, "np.putmask({column}, {where}, {source})")
            self.lines.append(quick.format(column=column, where=where, source=source))
        self.wrote(names)

    def _copied(self, column: str) -> str:
        name = f"t{len(self._reads)}"
        self._reads[name] = frozenset()
        self.lines.append(f"{name} = {column}.copy()")
        return name

    def wrote(self, variables: Iterable[str]) -> None:
        """Forget what depends on variables that may just have changed."""
        changed = frozenset(variables)
        self._known = {s: name for s, name in self._known.items() if not self._reads[name] & changed}

    def _depends(self, operand: str) -> frozenset[str]:
        if operand.startswith("c["):
            return frozenset([self._names[int(operand[2:-1])]])
        return self._reads.get(operand, frozenset())

    def _operand(self, node: Node, dtype: Any) -> str:
        match node:
            case Literal(value):
                return self.constant(value, np.bool_ if isinstance(value, bool) else dtype)
            case Asked():
                return "v"
            case Name(name):
                return self._column(name)
            case Compare(first, ((op, second),)):
                kind = self._dtype(first, second)
                return self._call(UFUNCS[op], self._operand(first, kind), self._operand(second, kind))
            case Arith(op, left, right):
                return self._call(UFUNCS[op], self._operand(left, dtype), self._operand(right, dtype))
            case Logic(op, items):
                return self._joined(op, items)
            case Not(item):
                return self._call("logical_not", self._operand(item, dtype))
            case Choice(condition, yes, no):
                parts = [self._operand(part, dtype) for part in (condition, yes, no)]
                return self._call("where", *parts)
        raise AssertionError(f"expected a lowered tree, got {node}")

    def _joined(self, op: str, items: Sequence[Node]) -> str:
        # What rules assign comes last, so that the part before it is computed once for all of them.
        ordered = sorted(items, key=lambda item: (self._varies(item), isinstance(item, Not)))
        result = self._operand(ordered[0], np.bool_)
        for item in ordered[1:]:
            if isinstance(item, Not):
                result = self._call(NEGATED[op], result, self._operand(item.item, np.bool_))
            else:
                result = self._call(UFUNCS[op], result, self._operand(item, np.bool_))
        return result

    def _varies(self, node: Node) -> bool:
        return any(isinstance(part, Name) and part.id in self._assigned for part in derived(node))

    def _column(self, name: str) -> str:
        self.used.add(self._slots[name])
        return f"c[{self._slots[name]}]"

    def _call(self, function: str, *operands: str) -> str:
        return self.line(f"np.{function}({', '.join(operands)})", *operands)

    def _dtype(self, *sides: Node) -> Any:
        """Return the type in which two sides are compared: that of a stored variable among them."""
        stored = [self._domains[side.id] for side in sides if isinstance(side, Name)]
        return dtype_of(stored[0]) if stored else np.float64


def dtype_of(domain: Domain) -> Any:
    """Return the type of a variable's column."""
    if isinstance(domain, Range):
        return np.float64
    return np.bool_ if domain.type == BOOL else np.int8
