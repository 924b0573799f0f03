"""How far a procedure is from done, judged by true values: the potential behind ``reward="progress"``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import Literal
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.task import Task

Condition = Callable[[Sequence[Value]], bool]
# A condition and the writes that stand under it: slot, component and value.
Entry = tuple[Condition, tuple[tuple[int, str, Value], ...]]


def remaining_writes(task: Task, state: Sequence[Value]) -> int:
    """Return the fewest changing writes with which the list, taken up at any step, still meets the goals.

    A list may undo an early step later on (the pump goes on for the restart and off once the engine runs),
    and may move a control only to find out whether it can stay there; taken up behind such steps it asks for
    nothing that is done already. Where no step leads to the goals, the writes of the whole list count.
    """
    entries = _entries(task.program)
    counts = [_follow(task, state, entries[first:]) for first in range(len(entries))]
    return min((count for count, met in counts if met), default=counts[0][0])


def _follow(task: Task, state: Sequence[Value], entries: Sequence[Entry]) -> tuple[int, bool]:
    """Make the writes of some steps; return how many changed something and whether the goals are met then."""
    program, now, count = task.program, list(state), 0
    for condition, writes in entries:
        if condition(now):
            for slot, name, value in writes:
                if now[slot] != value:
                    program.writers[name](now, value)
                    count += 1
    return count, all(program.goals[goal](now) for goal in task.goals)


@cache
def _entries(program: Program) -> tuple[Entry, ...]:
    """Return the steps of a list that write values known beforehand; the others depend on a reply."""
    template = program.template
    return tuple(
        (
            program.condition(Literal(value=True) if step.when is None else step.when),
            tuple(
                (program.slots[name], name, template.domains[name].parse(raw))
                for name, raw in step.sets
                if not (isinstance(raw, str) and raw.startswith("$"))
            ),
        )
        for step in template.procedure
        if step.sets
    )
