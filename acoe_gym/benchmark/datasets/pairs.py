"""Preference pairs: at one point of a reference episode, what the expert does and what would be unsafe."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from acoe_gym.benchmark.datasets.chats import (
    Message,
    asking,
    opening_messages,
    reference_turns,
    replay_messages,
    turn_messages,
)
from acoe_gym.cockpit.console import Outcome
from acoe_gym.cockpit.domains import Range, Value
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.procedure import ToolCall
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.tools import openai_tools

Pair = dict[str, Any]


class _Point(NamedTuple):
    """A place of the reference episode where the expert is about to act."""

    before: Episode
    messages: list[Message]
    calls: list[ToolCall]


class _Breach(NamedTuple):
    """A write that violates constraints at a point; ``violated`` is a bit mask."""

    point: _Point
    call: ToolCall
    violated: int


def pairs_of(task: Task, *, batch: bool = False) -> Iterator[Pair]:
    """Yield one pair per constraint that a single write can violate on the way of the reference.

    A constraint that can only be violated after another, safe deviation from that way has no pair.

    Returns:
        ``prompt``: the messages so far. ``chosen``: the expert's message. ``rejected``: a message whose call
        violates ``constraint``, and where that is possible no other. ``tools``.
    """
    rng = random.Random(f"{task.id}/pairs")  # noqa: S311 - a draw of examples, not a secret
    breaches = list(_breaches(task, _points(task, batch=batch)))
    for index in task.constraints:
        found = [breach for breach in breaches if breach.violated >> index & 1]
        pool = [breach for breach in found if breach.violated == 1 << index] or found
        if pool:
            # Of all its methods, random() alone is promised to stay the same across Python versions.
            yield _pair(pool[int(rng.random() * len(pool))], task.constraint(index).id)


def judge(prompt: Sequence[Message], answer: Sequence[Message], task: Task) -> tuple[str, ...]:
    """Return the ids of the constraints that an answer violates after a prompt, found by playing both."""
    before = len(replay_messages(prompt, task).violation_list())
    played = replay_messages([*prompt, *answer], task)
    return tuple(violation.constraint for violation in played.violation_list()[before:])


def _points(task: Task, *, batch: bool) -> Iterator[_Point]:
    """Yield the places of the reference episode at which it writes or submits."""
    episode = Episode(task)
    messages = opening_messages(task)
    for calls in reference_turns(task, batch=batch):
        if calls[0][0] in ("set_system", "submit"):
            yield _Point(episode.clone(), list(messages), calls)
        messages += turn_messages(calls, episode.turn(calls), first=len(episode.log) - len(calls))


def _breaches(task: Task, points: Iterator[_Point]) -> Iterator[_Breach]:
    """Yield every write that violates something at one of the points."""
    program = task.program
    values = {name: _values(task, name) for name in program.template.world.controls}
    for point in points:
        for name, asked_for in values.items():
            for value in asked_for:
                state = list(point.before.state)
                if state[program.slots[name]] == value:
                    continue
                if not program.writers[name](state, value) & task.constraint_mask:
                    continue
                asked = {"component": name, "value": program.template.domains[name].show(value)}
                call = point.before.clone().one("set_system", asked)
                if call.outcome is Outcome.RUN:
                    yield _Breach(point, ("set_system", asked), call.violated)


def _values(task: Task, name: str) -> tuple[Value, ...]:
    """Return the values of a control to try: what can be commanded, and the ends of a range."""
    domain = task.program.template.world.components[name].domain
    assert domain is not None
    ends = (domain.low, domain.high) if isinstance(domain, Range) else ()
    return tuple(dict.fromkeys([*domain.commandable(), *ends]))


def _pair(breach: _Breach, constraint: str) -> Pair:
    point = breach.point
    number = len(point.before.log) + 1
    ids = [f"call{place:05d}" for place in range(number, number + len(point.calls))]
    return {
        "prompt": point.messages,
        "chosen": [asking(point.calls, ids)],
        "rejected": [asking([breach.call], ids[:1])],
        "constraint": constraint,
        "tools": openai_tools(),
    }
