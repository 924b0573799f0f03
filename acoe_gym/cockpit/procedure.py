"""A template's ``[[procedure]]`` as a policy over tool replies: it reads what its conditions name, then acts.

It knows what a pilot knows: the list, the briefing and what the tools answer. It never looks at the state.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from typing import Any

from acoe_gym.cockpit.expressions import Choice, Compare, Line, Literal, Logic, Member, Name, Node, Not
from acoe_gym.cockpit.fold import ARITH, COMPARE
from acoe_gym.cockpit.scope import derived
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.templates import Step

ToolCall = tuple[str, dict[str, Any]]
Reply = dict[str, Any]
# A policy yields the calls of a turn and is sent the replies, parsed, in order.
Turns = Generator[list[ToolCall], list[Reply], None]


class Unreadable(Exception):
    """A condition needs a reading that is dark."""


def follow(task: Task, *, whole: bool = False) -> Turns:
    """Yield the turns of the handbook's list, one call a turn, and submit.

    Args:
        task: the task; its decisions were told in the briefing.
        whole: write every step of the list, whether the control already stands there or not.
    """
    taken: dict[str, str] = {}
    # A control that no rule moves stands where it was last seen or put; the others are looked at again.
    moved = {name for rule in task.program.rules for name, _ in rule.sets}
    stands: dict[str, object] = {}
    for step in task.program.template.procedure:
        for name in step.reads:
            yield [("get_system", {"component": name})]
        if step.when is not None and not (yield from _holds(task, step.when)):
            continue
        if step.ask is not None:
            reply = (yield [(step.ask[0], dict(step.ask[1]))])[0]
            taken.update(_take(step, reply))
        for name, raw in step.sets:
            value = taken.get(raw[1:]) if isinstance(raw, str) and raw.startswith("$") else raw
            if not whole and name not in stands:
                stands[name] = (yield [("get_system", {"component": name})])[0].get("value")
            if whole or _differs(task, name, stands[name], value):
                yield [("set_system", {"component": name, "value": value})]
                stands[name] = value
            if name in moved or task.program.template.world.components[name].momentary:
                stands.pop(name, None)
    yield [("submit", {})]


def probes(task: Task) -> frozenset[str]:
    """Return the controls that the list moves to diagnose; the task may be solvable without those writes."""
    return frozenset(name for step in task.program.template.procedure if step.probe for name, _ in step.sets)


def _take(step: Step, reply: Reply) -> dict[str, str]:
    text = str(reply.get("raw", reply))
    found = {name: re.search(pattern, text) for name, pattern in step.take}
    return {name: ".".join(match.groups()) for name, match in found.items() if match}


def _differs(task: Task, name: str, stands: object, value: object) -> bool:
    """Tell whether a control has to be moved; one that cannot be read is moved."""
    domain = task.program.template.domains[name]
    return stands is None or domain.parse(stands) != domain.parse(value)


def _holds(task: Task, when: Node) -> Generator[list[ToolCall], list[Reply], bool]:
    """Read what a condition names and judge it; a condition over a dark reading does not hold."""
    readings: dict[str, object] = {}
    for part in derived(when):
        name = part.id if isinstance(part, Name) else part.component if isinstance(part, Line) else ""
        if name.startswith("decision."):
            readings[name] = name.partition(".")[2] in task.decisions
        elif name not in readings:
            reply = (yield [("get_system", {"component": name})])[0]
            readings[name] = _stored(task, name, reply.get("value"))
    try:
        return bool(evaluate(when, readings))
    except Unreadable:
        return False


def _stored(task: Task, name: str, value: object) -> object:
    """Return a reply's value as conditions see it: positions as their index."""
    component = task.program.template.world.components[name]
    positions = component.domain or component.positions
    return positions.parse(value) if positions is not None and value is not None else value


def evaluate(node: Node, readings: Mapping[str, object]) -> Any:
    """Evaluate a condition over readings.

    Raises:
        Unreadable: a reading is None.
    """
    match node:
        case Literal(value):
            return value
        case Name(name):
            if readings[name] is None:
                raise Unreadable(name)
            return readings[name]
        case Line(component, text):
            return text in evaluate(Name(component), readings)
        case Not(item):
            return not evaluate(item, readings)
        case Logic(op, items):
            parts = (evaluate(item, readings) for item in items)
            return all(parts) if op == "and" else any(parts)
        case Member(item, choices):
            return evaluate(item, readings) in [choice.value for choice in choices]
        case Choice(condition, yes, no):
            return evaluate(yes if evaluate(condition, readings) else no, readings)
        case Compare(first, rest):
            values = [evaluate(part, readings) for part in (first, *(part for _, part in rest))]
            return all(COMPARE[op](a, b) for a, (op, _), b in zip(values, rest, values[1:], strict=False))
    return ARITH[node.op](evaluate(node.left, readings), evaluate(node.right, readings))  # type: ignore[union-attr]


def needs_information(task: Task) -> bool:
    """Tell whether the list takes a value from an informational tool in this task."""
    for step in task.program.template.procedure:
        if step.ask is not None and step.take and _told(task, step.when):
            return True
    return False


def _told(task: Task, when: Node | None) -> bool:
    """Tell whether a condition may hold in a task, its decisions being known and every reading open."""
    return when is None or True in _possible(when, task.decisions)


def _possible(node: Node, decisions: tuple[str, ...]) -> frozenset[bool]:
    """Return the values that a condition can take."""
    match node:
        case Literal(value):
            return frozenset({bool(value)})
        case Name(name) if name.startswith("decision."):
            return frozenset({name.partition(".")[2] in decisions})
        case Not(item):
            return frozenset(not value for value in _possible(item, decisions))
        case Logic(op, items):
            decisive = op == "or"
            parts = [_possible(item, decisions) for item in items]
            settled = {decisive} if any(decisive in part for part in parts) else set()
            return frozenset(
                settled | ({not decisive} if all((not decisive) in part for part in parts) else set())
            )
    return frozenset({True, False})
