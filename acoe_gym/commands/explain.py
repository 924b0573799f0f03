"""The command ``acoe explain``: how one task is graded and what each step of its reference does."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from acoe_gym.cockpit import library
from acoe_gym.cockpit.evidence import TaskEvidence
from acoe_gym.cockpit.program import State
from acoe_gym.cockpit.reference import Write
from acoe_gym.cockpit.relevance import fixed
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.template_parts import Step
from acoe_gym.cockpit.wording import Wording, definitions
from acoe_gym.commands.siblings import Difference, differences, plain, probes_in, shown

WIDTH = 98


def explain_page(task: Task) -> str:
    """Return the explanation as text of at most 100 columns."""
    one = TaskEvidence(task)
    wording = Wording(task.program.template.names, fixed(task))
    lines = [
        *_head(task),
        *_goals(task, wording),
        *_constraints(one, wording),
        *_words(task, wording),
        *_reference(one),
        *_siblings(one),
    ]
    return "\n".join(lines)


def _head(task: Task) -> Iterator[str]:
    template = task.program.template
    yield from _wrapped(f"{task.id}: {template.title}", "")
    goals, constraints = _counted(task.goals, "goal"), _counted(task.constraints, "constraint")
    counts = f"{goals}, judged on the state at the end; {constraints}"
    known = "What never changes in this task is left out of the conditions below."
    rule = "judged on every write. Success takes all goals and no violation"
    yield from _wrapped(f"{counts}, {rule}. {known}", "  ")


def _counted(items: Sequence[object], word: str) -> str:
    return f"{len(items)} {word}{'' if len(items) == 1 else 's'}"


# Goals and constraints.


def _goals(task: Task, wording: Wording) -> Iterator[str]:
    yield from ("", "Goals")
    for goal in map(task.goal, task.goals):
        yield from _wrapped(f"{goal.id}{' (primary)' if goal.primary else ''}", "  ")
        met = task.program.condition(goal.that)(task.initial)
        already = "; met at the start" if met else ""
        yield from _wrapped(f"true at the end: {wording.condition(goal.that)}{already}", "      ")
        yield from _facts(task, goal.facts)


def _constraints(one: TaskEvidence, wording: Wording) -> Iterator[str]:
    yield from ("", "Constraints")
    for index in one.task.constraints:
        constraint = one.task.constraint(index)
        yield f"  {constraint.id}"
        for phrase in wording.constraint(constraint):
            yield from _wrapped(f"violated by {phrase}", "      ")
        if index in one.survey.crossings:
            yield from _wrapped(f"for example: {_example(one.survey.crossings[index], one.path)}", "      ")
        yield from _facts(one.task, constraint.facts)


def _example(steps: Sequence[Write], path: Sequence[Write]) -> str:
    """Tell writes whose last one violates a constraint, the beginning of the reference in short."""
    *before, last = steps
    if not before:
        return f"{_told(last)} at the start"
    if tuple(before) == tuple(path[: len(before)]):
        return f"{_told(last)} after step {len(before)} of the reference"
    return f"{_told(last)} after {', '.join(map(_told, before))}"


def _words(task: Task, wording: Wording) -> Iterator[str]:
    """Yield the definitions that stand in the conditions above."""
    goals = [wording.narrowed(goal.that) for goal in map(task.goal, task.goals)]
    triggers = [t for i in task.constraints for t in task.constraint(i).triggers]
    template = task.program.template
    names = definitions(template, [*goals, *(wording.narrowed(t.condition) for t in triggers)])
    if names:
        yield from ("", "Words")
    for name in names:
        yield from _wrapped(f"{name}: {wording.condition(template.names.tree(name))}", "  ")


def _facts(task: Task, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        fact = task.program.template.facts[name]
        yield from _wrapped(f"{name} ({fact.confidence}, page {fact.page}): {fact.statement}", "      ")


# The reference.


def _reference(one: TaskEvidence) -> Iterator[str]:
    probing = probes_in(one.task, one.path)
    yield from ("", f"Reference: {len(one.path)} writes in {len(one.reference.turns)} turns of one call")
    yield "  (a write without facts goes on with the step before it)"
    shown_step: Step | None = None
    for number, (write, step) in enumerate(zip(one.path, steps_of(one), strict=True), 1):
        probe = ", to diagnose" if write in probing else ""
        before, after = one.states[number - 1], one.states[number]
        yield from _wrapped(f"{number}. {_told(write)}{probe}", "  ")
        yield from _wrapped(f"changes {_changes(one, write, before, after)}", "      ")
        if step is not None and step is not shown_step:
            yield from _facts(one.task, step.facts)
        shown_step = step


def steps_of(one: TaskEvidence) -> list[Step | None]:
    """Return the step of the list that each write of the reference belongs to.

    Steps come in order; of several that ask for the same write it is the first whose condition holds.
    """
    program = one.program
    found: list[Step | None] = []
    todo = list(program.template.procedure)
    for write, state in zip(one.path, one.states, strict=False):
        asking = [step for step in todo if _asks(one, step, write)]
        due = [s for s in asking if s.when is None or program.condition(s.when)(state)]
        step = next(iter([*due, *asking]), None)
        found.append(step)
        todo = todo if step is None else todo[todo.index(step) :]
    return found


def _asks(one: TaskEvidence, step: Step, write: Write) -> bool:
    name, value = write
    parse = one.program.template.domains[name].parse
    wanted = [raw for control, raw in step.sets if control == name]
    return any((isinstance(raw, str) and raw.startswith("$")) or parse(raw) == parse(value) for raw in wanted)


def _changes(one: TaskEvidence, write: Write, before: State, after: State) -> str:
    """Tell what other components show after a write."""
    readers = one.program.readers
    rows = [(name, read(before), read(after)) for name, read in readers.items() if name != write[0]]
    show = [
        f"{name} {plain(shown(one.program, name, a))} -> {plain(shown(one.program, name, b))}"
        for name, a, b in rows
        if a != b
    ]
    return "; ".join(show) or "no other reading"


# Siblings.


def _siblings(one: TaskEvidence) -> Iterator[str]:
    yield from ("", "Told apart from its siblings that need other writes")
    others = library.task_ids(one.program.template.id)
    group = [TaskEvidence(library.task(name)) for name in others if name != one.id]
    found = list(differences(one, group))
    if not found:
        yield "  there is none"
    for difference in found:
        yield from _wrapped(f"{difference.sibling.rpartition('/')[2]}: {_difference(difference)}", "  ")


def _difference(difference: Difference) -> str:
    parts = ["the captain tells otherwise"] if difference.told else []
    parts += [f"{tool} answers otherwise" for tool in difference.answers]
    rows = [f"{name} {plain(here)}, there {plain(there)}" for name, here, there in difference.readings]
    if rows:
        after = f"after {', '.join(map(_told, difference.after))}: " if difference.after else ""
        parts.append(f"{after}{'; '.join(rows)}{f'; {difference.others} more' if difference.others else ''}")
    return "; ".join(parts)


def _told(write: Write) -> str:
    return f"{write[0]} {plain(write[1])}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")
