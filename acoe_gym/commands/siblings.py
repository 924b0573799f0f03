"""What tells a task from its siblings: the tasks of its template that need other writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.evidence import TaskEvidence, states_along
from acoe_gym.cockpit.expressions import Line, Name
from acoe_gym.cockpit.procedure import probes
from acoe_gym.cockpit.program import Program, Reading, State
from acoe_gym.cockpit.reference import Write, replay
from acoe_gym.cockpit.scope import derived
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.tools import INFORMATIONAL

# So many readings are named where more differ.
NAMED = 3


@dataclass(frozen=True)
class Difference:
    """What tells a task from one sibling.

    Attributes:
        sibling: its id.
        told: whether the captain tells something else.
        answers: the informational tools of the list that answer otherwise.
        after: the writes after which readings differ; empty at the start.
        readings: component, what it shows here, and there; what the list looks at comes first.
        others: how many more components differ.
    """

    sibling: str
    told: bool
    answers: tuple[str, ...]
    after: tuple[Write, ...]
    readings: tuple[tuple[str, object, object], ...]
    others: int


def differences(one: TaskEvidence, siblings: Sequence[TaskEvidence]) -> Iterator[Difference]:
    """Yield how a task differs from each sibling that needs other writes."""
    for other in siblings:
        if other.id != one.id and _needs_other_writes(one, other):
            yield _difference(one, other)


def shown(program: Program, name: str, value: Reading) -> object:
    """Return a reading as a pilot sees it, ``dark`` where it is unpowered."""
    return "dark" if value is None else console_of(program).show(name, value)


def plain(value: object) -> str:
    """Return a reading or a specification's value as text."""
    if isinstance(value, list):
        return " + ".join(map(str, value)) or "no line"
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def looked_at(program: Program) -> tuple[str, ...]:
    """Return the components that the list looks at: those it reads, then those it moves."""
    found: list[str] = []
    for step in program.template.procedure:
        parts = () if step.when is None else derived(step.when)
        named = [p.id if isinstance(p, Name) else p.component for p in parts if isinstance(p, Name | Line)]
        found += [*step.reads, *(name for name in named if name in program.template.world.components)]
    return tuple(
        dict.fromkeys([*found, *(name for step in program.template.procedure for name, _ in step.sets)])
    )


def probes_in(task: Task, writes: Sequence[Write]) -> list[Write]:
    """Return those writes that the list makes to diagnose."""
    probing = [write for step in task.program.template.procedure if step.probe for write in step.sets]
    return [write for write in writes if write in probing]


def _needs_other_writes(one: TaskEvidence, other: TaskEvidence) -> bool:
    return not (replay(other.task, one.path).grade().success and replay(one.task, other.path).grade().success)


def _difference(one: TaskEvidence, other: TaskEvidence) -> Difference:
    probing = [n for n, (name, _) in enumerate(one.path, 1) if name in probes(one.task)]
    steps = one.path[: max(probing, default=0)]
    pairs = zip(states_along(one.task, steps), states_along(other.task, steps), strict=True)
    after, found = next(((n, rows) for n, (a, b) in enumerate(pairs) if (rows := _rows(one, a, b))), (0, []))
    return Difference(
        sibling=other.id,
        told=one.task.briefing != other.task.briefing,
        answers=tuple(name for name in INFORMATIONAL if _answers(one, name) != _answers(other, name)),
        after=steps[:after],
        readings=tuple(found[:NAMED]),
        others=max(0, len(found) - NAMED),
    )


def _rows(one: TaskEvidence, here: State, there: State) -> list[tuple[str, object, object]]:
    program = one.program
    names = dict.fromkeys([*looked_at(program), *program.template.world.components])
    values = [(name, program.readers[name](here), program.readers[name](there)) for name in names]
    return [(name, shown(program, name, a), shown(program, name, b)) for name, a, b in values if a != b]


def _answers(task: TaskEvidence, tool: str) -> list[str]:
    """Return what a tool answered in the reference; one that either task does not ask tells nothing."""
    return [call.reply for call in task.reference.log if call.tool == tool]
