"""What happened in a recorded episode, call by call: replies, readings that changed, violations, goals.

A record holds calls; everything else follows from the task, so it is played again rather than stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.console import Call, Console, Outcome, console_of
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.program import Reading, State
from acoe_gym.cockpit.task import Task


@dataclass(frozen=True)
class Event:
    """One call of an episode, with what it did.

    Attributes:
        turn, number: place of the call, both from 1.
        tool: name, as asked for.
        arguments: as recorded; normally an object.
        reply: the parsed reply.
        outcome: ``run``, ``unchanged``, ``rejected`` or ``skipped``.
        changed: component -> (reading before, reading after), as a pilot would see them; dark is None.
        violations: ids of the constraints that the call violated.
        gained, lost: ids of the goals that turned true, and false, with the call.
        by_harness: whether a harness made the call, and not the model.
    """

    turn: int
    number: int
    tool: str
    arguments: object
    reply: dict[str, object]
    outcome: str
    changed: dict[str, tuple[object, object]]
    violations: tuple[str, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    by_harness: bool


@dataclass(frozen=True)
class Trajectory:
    """A whole episode.

    Attributes:
        task: the task.
        met_at_start: ids of the goals that were true before the first call.
        events: the calls, in order.
        episode: the episode as played again.
    """

    task: Task
    met_at_start: tuple[str, ...]
    events: tuple[Event, ...]
    episode: Episode


def trajectory(record: Record) -> Trajectory:
    """Play a record again and return what each call did.

    Args:
        record: a record as `acoe_gym.benchmark.records.read_records` returns it.

    Raises:
        UnknownName: its task does not exist here.
    """
    task = task_of(record["task"])
    turns = [[(call["name"], call["arguments"]) for call in turn] for turn in record["turns"]]
    says = record.get("pilot", {}).get("turns", [])
    marks = [frozenset(said.get("harness_calls", ())) for said in says]
    return trajectory_of(task, turns, [*marks, *[frozenset()] * (len(turns) - len(marks))])


def trajectory_of(
    task: Task, turns: Sequence[Sequence[tuple[object, object]]], harness: Sequence[frozenset[int]] = ()
) -> Trajectory:
    """Play turns and return what each call did.

    Args:
        task: the task.
        turns: (tool, arguments) of every call.
        harness: per turn the places, from 0, of the calls that a harness made.
    """
    episode = Episode(task)
    start = _goals(task, episode.state)
    marks = [*harness, *[frozenset[int]()] * (len(turns) - len(harness))]
    events = [
        event
        for calls, places in zip(turns, marks, strict=True)
        if episode.end is None
        for event in _turn(episode, calls, places)
    ]
    return Trajectory(task, tuple(name for name, met in start.items() if met), tuple(events), episode)


def _turn(
    episode: Episode, calls: Sequence[tuple[object, object]], places: frozenset[int]
) -> Iterator[Event]:
    """Play one turn; a twin plays its calls one by one, which comes to the same."""
    twin, turn = episode.clone(), len(episode.turns) + 1
    twin.max_turns = len(episode.turns) + len(calls) + 2
    for number, played in enumerate(episode.turn(calls), 1):
        before = list(twin.state)
        if played.outcome is not Outcome.SKIPPED:
            twin.one(played.tool, json.loads(played.arguments))
        gained, lost = _turned(episode.task, before, twin.state)
        yield Event(
            turn=turn,
            number=number,
            tool=played.tool,
            arguments=json.loads(played.arguments),
            reply=json.loads(played.reply),
            outcome=played.outcome.name.lower(),
            changed=_changed(episode.task, before, twin.state),
            violations=_violated(episode, played),
            gained=gained,
            lost=lost,
            by_harness=number - 1 in places,
        )


def _violated(episode: Episode, call: Call) -> tuple[str, ...]:
    return tuple(episode.violated_ids(call)) if call.violated else ()


def _turned(task: Task, before: State, after: State) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the goals that turned true, and those that turned false; most calls change nothing."""
    if after == before:
        return (), ()
    was, now = _goals(task, before), _goals(task, after)
    return tuple(g for g in now if now[g] and not was[g]), tuple(g for g in now if was[g] and not now[g])


def _goals(task: Task, state: State) -> dict[str, bool]:
    program = task.program
    return {program.template.goals[i].id: bool(program.goals[i](state)) for i in task.goals}


def _changed(task: Task, before: State, after: State) -> dict[str, tuple[object, object]]:
    """Return component -> (reading before, reading after) where the two differ as a pilot would see them."""
    if after == before:
        return {}
    console = console_of(task.program)
    raw = ((name, read(before), read(after)) for name, read in console.program.readers.items())
    seen = ((name, _seen(console, name, a), _seen(console, name, b)) for name, a, b in raw if a != b)
    return {name: (a, b) for name, a, b in seen if a != b}


def _seen(console: Console, name: str, value: Reading) -> object:
    return None if value is None else console.show(name, value)
