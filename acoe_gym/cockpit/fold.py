"""Constant folding and the cone of influence of one task: what its grade can depend on, and nothing else.

The task's hash is taken over this cone and its texts, so that a change elsewhere in the world leaves the
hash, and with it the comparability of scores, as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import Arith, Choice, Compare, Line, Literal, Logic, Member, Name, Node, Not
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.scope import Names, reads

COMPARE = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
ARITH = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


def constants(program: Program, initial: Iterable[Value]) -> dict[str, Value]:
    """Return the variables that no call can change: neither settable nor written by a rule."""
    written = {name for rule in program.rules for name, _ in rule.sets}
    fixed = set(program.variables) - written - set(program.template.world.controls)
    return {name: value for name, value in zip(program.variables, initial, strict=True) if name in fixed}


def fold(node: Node, names: Names, known: Mapping[str, Value]) -> Node:
    """Return the tree with definitions inlined, known variables replaced and constant parts evaluated."""

    def go(part: Node) -> Node:
        return fold(part, names, known)

    match node:
        case Name(name) if names.is_stored(name):
            return Literal(known[name]) if name in known else node
        case Name(name):
            return go(names.tree(name))
        case Line(component, text):
            return go(names.line(component, text))
        case Not(item):
            inner = go(item)
            return Literal(not inner.value) if isinstance(inner, Literal) else Not(inner)
        case Member(item, choices):
            inner = go(item)
            return Literal(inner in choices) if isinstance(inner, Literal) else Member(inner, choices)
        case Arith(op, left, right):
            return _arith(op, go(left), go(right))
        case Choice(condition, yes, no):
            test = go(condition)
            return (
                go(yes if test.value else no) if isinstance(test, Literal) else Choice(test, go(yes), go(no))
            )
        case Logic(op, items):
            return _logic(op, [go(item) for item in items])
        case Compare(first, rest):
            return _compare(go(first), tuple((op, go(part)) for op, part in rest))
    return node


def _arith(op: str, left: Node, right: Node) -> Node:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(ARITH[op](left.value, right.value))
    return Arith(op, left, right)


def _logic(op: str, items: list[Node]) -> Node:
    decisive = op == "or"
    if any(isinstance(item, Literal) and bool(item.value) == decisive for item in items):
        return Literal(decisive)
    open_items = tuple(item for item in items if not isinstance(item, Literal))
    if not open_items:
        return Literal(not decisive)
    return open_items[0] if len(open_items) == 1 else Logic(op, open_items)


def _compare(first: Node, rest: tuple[tuple[str, Node], ...]) -> Node:
    parts = (first, *(part for _, part in rest))
    values = [part.value for part in parts if isinstance(part, Literal)]
    if len(values) < len(parts):
        return Compare(first, rest)
    return Literal(all(COMPARE[op](a, b) for a, (op, _), b in zip(values, rest, values[1:], strict=False)))


def cone(program: Program, initial: Iterable[Value], roots: Iterable[Node]) -> dict[str, object]:
    """Return what the roots can depend on, as JSON-able texts.

    These are the folded roots, the rules that can matter to them, and the initial values of the variables
    that all of them read.

    Args:
        program: the template's program.
        initial: the task's initial state.
        roots: goal and constraint conditions that apply.
    """
    initial = tuple(initial)
    names, known = program.template.names, constants(program, initial)
    folded = [fold(root, names, known) for root in roots]
    rules = {rule.id: [fold(tree, names, known) for tree in rule.trees] for rule in program.rules}
    seen: set[str] = set().union(*(reads(tree, names) for tree in folded)) if folded else set()
    used: dict[str, object] = {}
    while True:
        more = [
            r
            for r in program.rules
            if r.id not in used and rules[r.id][0] != Literal(False) and seen & {n for n, _ in r.sets}
        ]
        if not more:
            break
        for rule in more:
            used[rule.id] = [
                repr(rule.on),
                [name for name, _ in rule.sets],
                [repr(tree) for tree in rules[rule.id]],
            ]
            seen |= set().union(*(reads(tree, names) for tree in rules[rule.id]))
            seen |= {rule.on[0]} if rule.on else set()
    values = {name: value for name, value in zip(program.variables, initial, strict=True) if name in seen}
    return {"roots": [repr(tree) for tree in folded], "rules": used, "values": values}
