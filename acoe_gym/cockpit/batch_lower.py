"""Trees made cheap for arrays, where both sides of a choice cost time: comparisons move into choices."""

from __future__ import annotations

from collections.abc import Iterable

from acoe_gym.cockpit.expressions import Arith, Choice, Compare, Literal, Logic, Member, Name, Node, Not
from acoe_gym.cockpit.fold import COMPARE

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
YES = Literal(value=True)


def lower(node: Node, flags: frozenset[str]) -> Node:
    """Return an equal tree that is cheap on arrays: single comparisons, no choice between conditions.

    A comparison moves into the arms of a choice, where most of them are decided: ``(28 if a else 0) > 20``
    becomes ``a``.

    Args:
        node: the tree; definitions are inlined.
        flags: names of the stored variables that are conditions themselves.
    """

    def go(part: Node) -> Node:
        return lower(part, flags)

    match node:
        case Compare(first, rest):
            operands = [go(part) for part in (first, *(part for _, part in rest))]
            ops = [op for op, _ in rest]
            links = [_compare(*link, flags) for link in zip(operands, ops, operands[1:], strict=False)]
            return _logic("and", links)
        case Member(item, choices):
            inner = go(item)
            return _logic("or", [_compare(inner, "==", choice, flags) for choice in choices])
        case Logic(op, items):
            return _logic(op, [go(item) for item in items])
        case Not(item):
            return _not(go(item))
        case Arith(op, left, right):
            return Arith(op, go(left), go(right))
        case Choice(condition, yes, no):
            return _choice(go(condition), go(yes), go(no), flags)
    return node


def _compare(left: Node, op: str, right: Node, flags: frozenset[str]) -> Node:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(COMPARE[op](left.value, right.value))
    # Two choices would multiply their arms.
    if isinstance(left, Choice) and isinstance(right, Literal | Name):
        arms = [_compare(arm, op, right, flags) for arm in (left.yes, left.no)]
        return _choice(left.condition, arms[0], arms[1], flags)
    if isinstance(right, Choice) and isinstance(left, Literal | Name):
        arms = [_compare(left, op, arm, flags) for arm in (right.yes, right.no)]
        return _choice(right.condition, arms[0], arms[1], flags)
    return Compare(left, ((op, right),))


def _choice(condition: Node, yes: Node, no: Node, flags: frozenset[str]) -> Node:
    if isinstance(condition, Literal):
        return yes if condition.value else no
    if yes == no:
        return yes
    if not (_is_condition(yes, flags) and _is_condition(no, flags)):
        return Choice(condition, yes, no)
    if yes == YES:
        return _logic("or", [condition, no])
    if no == YES:
        return _logic("or", [_not(condition), yes])
    return _logic("or", [_logic("and", [condition, yes]), _logic("and", [_not(condition), no])])


def _is_condition(node: Node, flags: frozenset[str]) -> bool:
    if isinstance(node, Literal):
        return isinstance(node.value, bool)
    return isinstance(node, Compare | Logic | Not) or (isinstance(node, Name) and node.id in flags)


def _logic(op: str, items: Iterable[Node]) -> Node:
    decisive = op == "or"
    kept: list[Node] = []
    for item in items:
        if isinstance(item, Literal):
            if bool(item.value) == decisive:
                return Literal(decisive)
        else:
            parts = item.items if isinstance(item, Logic) and item.op == op else (item,)
            kept += [part for part in parts if part not in kept]
    if any(_not(item) in kept for item in kept):
        return Literal(decisive)
    if len(kept) > 1:
        return Logic(op, tuple(kept))
    return kept[0] if kept else Literal(not decisive)


def _not(item: Node) -> Node:
    match item:
        case Literal(value):
            return Literal(not value)
        case Not(inner):
            return inner
        case Compare(first, ((op, second),)):
            return Compare(first, ((OPPOSITE[op], second),))
    return Not(item)
