"""A task ready to be played: a program, one settled initial state and the texts that go with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from acoe_gym.cockpit.data import load_toml
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import Node
from acoe_gym.cockpit.fold import cone
from acoe_gym.cockpit.information.sets import (
    InformationSet,
    information_ids,
    load_information,
    parse_information,
)
from acoe_gym.cockpit.program import Program, State
from acoe_gym.cockpit.templates import Constraint, Goal, TaskSpec
from acoe_gym.cockpit.text import canonical
from acoe_gym.cockpit.world import plain_value
from acoe_gym.errors import SpecError, nearest

# Rules settle in one or two passes; what has not settled after these swings for ever.
MAX_PASSES = 4


@dataclass(frozen=True, eq=False)
class Task:
    """One task.

    Attributes:
        id: ``aircraft/template/name``; for people and records, never shown to a model.
        initial: the settled initial state, one value per variable of the program.
        briefing: what the captain says, decisions included.
        decisions: the captain's decisions.
        information: the frozen weather and load.
        goals, constraints: indices of those that apply.
        constraint_mask: the same constraints as a bit mask over the template's.
        relevant_tools: informational tools that count as well chosen.
    """

    id: str
    program: Program
    initial: tuple[Value, ...]
    briefing: str
    decisions: tuple[str, ...]
    information: InformationSet
    goals: tuple[int, ...]
    constraints: tuple[int, ...]
    constraint_mask: int
    relevant_tools: tuple[str, ...]
    short_because: str | None

    def __deepcopy__(self, memo: dict[int, object]) -> Task:
        return self  # frozen

    def goal(self, index: int) -> Goal:
        """Return a goal of the template."""
        return self.program.template.goals[index]

    def constraint(self, index: int) -> Constraint:
        """Return a constraint of the template."""
        return self.program.template.constraints[index]

    # Only when asked for: folding takes longer than all the rest of a task, and training never needs it.
    @cached_property
    def hash(self) -> str:
        """SHA-256 over the folded cone and the texts."""
        goals = [self.goal(i) for i in self.goals]
        constraints = [self.constraint(i) for i in self.constraints]
        body = {
            "cone": cone(self.program, self.initial, self.roots()),
            "briefing": self.briefing,
            "information": self.information.id,
            "relevant": self.relevant_tools,
            "goals": [g.id for g in goals],
            "primary": [g.id for g in goals if g.primary],
            "constraints": [[c.id, [[n for n, _ in t.settings] for t in c.triggers]] for c in constraints],
        }
        return digest(body)

    def roots(self) -> list[Node]:
        """Return every condition that the grade looks at: of the goals and constraints that apply."""
        triggers = [trigger for i in self.constraints for trigger in self.constraint(i).triggers]
        nodes = [node for t in triggers for node in (t.condition, *(asked for _, asked in t.settings))]
        return [*(self.goal(i).that for i in self.goals), *nodes]


def build_task(program: Program, spec: TaskSpec, where: str | None = None) -> Task:
    """Check a task's initial state and return the task.

    Raises:
        SpecError: the initial state is not settled (the message holds the difference to paste), or nothing
            applies.
    """
    template = program.template
    where = where or f"{template.world.id}/{template.path.name} [[tasks]] {spec.id.rpartition('/')[2]}"
    values = dict(template.normal)
    values.update(
        (name, plain_value(template.domains[name], raw, f"{where} set {name}")) for name, raw in spec.sets
    )
    values.update((f"decision.{name}", True) for name in spec.decisions)
    initial = [values[name] for name in program.variables]
    _check_momentary(program, values, where)
    _check_settled(program, initial, where)
    goals, constraints = applying(program, initial)
    if not constraints or not any(template.goals[i].primary for i in goals):
        found = f"goals {goals}, constraints {constraints}"
        raise SpecError(f"{where}: expected a primary goal and a constraint that apply, got {found}")
    if all(program.goals[i](initial) for i in goals):
        raise SpecError(f"{where}: expected a goal that is not met at the start, got all of them met")
    briefing = _briefing(program, spec)
    information = _information(program, spec.information, where)
    relevant = template.relevant_tools if spec.relevant_tools is None else spec.relevant_tools
    mask = sum(1 << i for i in constraints)
    return Task(
        id=spec.id,
        program=program,
        initial=tuple(initial),
        briefing=briefing,
        decisions=spec.decisions,
        information=information,
        goals=goals,
        constraints=constraints,
        constraint_mask=mask,
        relevant_tools=relevant,
        short_because=spec.short_because,
    )


def settle(program: Program, state: State) -> bool:
    """Let the level rules act on a state, in place, until nothing is pending.

    Returns:
        Whether the state has settled; rules that undo each other never do.
    """
    for _ in range(MAX_PASSES):
        if not program.pending(state):
            return True
        program.settle(state)
    return False


def applying(program: Program, initial: Sequence[Value]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the indices of the goals and of the constraints that apply to an initial state."""
    goals, constraints = _applies(program)
    return (
        tuple(i for i, applies in enumerate(goals) if applies(initial)),
        tuple(i for i, applies in enumerate(constraints) if applies(initial)),
    )


Conditions = tuple[Callable[[Sequence[Value]], bool], ...]


@cache
def _applies(program: Program) -> tuple[Conditions, Conditions]:
    """Compile once per program what is judged once per task."""
    template = program.template
    return (
        tuple(program.condition(goal.applies) for goal in template.goals),
        tuple(program.condition(constraint.applies) for constraint in template.constraints),
    )


def _briefing(program: Program, spec: TaskSpec) -> str:
    """Return the captain's words, then the fixed sentence of every decision.

    A decision that was taken is told by its ``yes``, one that was not by its ``no``, if it has one.
    """
    template = program.template
    sentences = [
        row["yes"] if name in spec.decisions else row.get("no", "")
        for name, row in template.decisions.items()
    ]
    return " ".join([template.briefings[spec.briefing].strip(), *filter(None, sentences)])


def _information(program: Program, name: str, where: str) -> InformationSet:
    """Return the information set of a task; no name is an empty set.

    The package's own sets come first, then those beside the aircraft's folder.
    """
    if not name:
        return InformationSet("", {}, {}, {}, {}, {})
    if name in information_ids():
        return load_information(name)
    path = program.template.world.folder.parent / "information" / "sets" / f"{name}.toml"
    if not path.is_file():
        known = information_ids()
        hint = nearest(name, known)
        raise SpecError(f"{where}: expected an information set of {', '.join(known)}, got {name!r}{hint}")
    return parse_information(load_toml(path), path.name)


def _check_momentary(program: Program, values: Mapping[str, Value], where: str) -> None:
    """Raise SpecError for a control that would rest where it springs back from."""
    for component in program.template.world.components.values():
        for asked, rests in component.momentary:
            if component.domain and values[component.id] == asked:
                got, back = component.domain.show(asked), component.domain.show(rests)
                raise SpecError(
                    f"{where} {component.id}: expected a position of rest such as {back}, got {got}"
                )


def _check_settled(program: Program, initial: list[Value], where: str) -> None:
    pending = program.pending(initial)
    if pending:
        shown = {name: program.template.domains[name].show(wanted) for _, name, _, wanted in pending}
        rules = ", ".join(dict.fromkeys(rule for rule, *_ in pending))
        pasted = ", ".join(f'"{name}" = {json.dumps(value)}' for name, value in shown.items())
        change = f"rule {rules} would change it; set: {{ {pasted} }}"
        raise SpecError(f"{where}: expected a settled initial state, but {change}")


def digest(value: object) -> str:
    """Return the SHA-256 of canonical JSON as hex."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()
