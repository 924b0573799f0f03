"""Drawing from a template's ``[[generator]]``: one combination of its values at a time, settled and judged.

`acoe_gym.cockpit.variants` makes tasks of what is drawn.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeVar

from acoe_gym.cockpit import library
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import Line, Literal, Name, Node
from acoe_gym.cockpit.program import Program, State
from acoe_gym.cockpit.scope import derived, reads
from acoe_gym.cockpit.task import applying, settle
from acoe_gym.cockpit.templates import Case, TaskSpec, Template

T = TypeVar("T")
Projection = tuple[tuple[object, ...], tuple[object, ...]]


@dataclass(frozen=True)
class Drawer:
    """What all draws from one template share."""

    program: Program
    where: str
    cases: tuple[tuple[Case, Callable[[Sequence[Value]], bool]], ...]
    slots: tuple[int, ...]
    shown: tuple[str, ...]
    core: frozenset[Projection]

    def draw(self, rng: random.Random, task_id: str) -> TaskSpec | None:
        """Return one draw, or None if it may not be used."""
        case, required = _pick(rng, self.cases)
        sets = dict(case.sets)
        sets.update((name, _pick(rng, values)) for name, values in case.vary)
        briefing, decisions = _pick(rng, case.briefings), _pick(rng, case.decisions)
        information = _pick(rng, case.information)
        state = self._usable(sets, decisions, required)
        if state is None:
            return None
        return TaskSpec(task_id, self._texts(state), briefing, decisions, information, None, None)

    def every(self) -> Iterator[TaskSpec]:
        """Yield every usable combination of values and decisions; the texts beside it do not count."""
        for case, required in self.cases:
            names = [name for name, _ in case.vary]
            for decisions, values in product(dict.fromkeys(case.decisions), product(*_different(case))):
                sets = {**dict(case.sets), **dict(zip(names, values, strict=True))}
                state = self._usable(sets, decisions, required)
                if state is not None:
                    texts = self._texts(state), case.briefings[0], decisions, case.information[0]
                    yield TaskSpec(f"{self.program.template.id}/generated", *texts, None, None)

    def space(self) -> int:
        """Return how many combinations there are, usable or not."""
        return sum(len(set(case.decisions)) * math.prod(map(len, _different(case))) for case, _ in self.cases)

    def project(self, state: Sequence[Value]) -> Projection:
        """Return what counts in an initial state; see `acoe_gym.cockpit.variants.projection`."""
        values = tuple(state[slot] for slot in self.slots)
        return values, tuple(self.program.readers[name](state) for name in self.shown)

    def _usable(
        self, sets: dict[str, object], decisions: tuple[str, ...], required: Callable[[Sequence[Value]], bool]
    ) -> State | None:
        state = self._settled(sets, decisions)
        if state is None or not required(state) or self._solved(state) or self.project(state) in self.core:
            return None
        return state

    def _settled(self, sets: dict[str, object], decisions: tuple[str, ...]) -> State | None:
        template = self.program.template
        values = dict(template.normal)
        values.update((name, template.domains[name].parse(raw)) for name, raw in sets.items())
        values.update((f"decision.{name}", True) for name in decisions)
        state = [values[name] for name in self.program.variables]
        return state if settle(self.program, state) else None

    def _solved(self, state: State) -> bool:
        goals, _ = applying(self.program, state)
        return all(self.program.goals[i](state) for i in goals)

    def _texts(self, state: State) -> tuple[tuple[str, object], ...]:
        """Return the state as a task's ``set``: every variable that differs from the template's start."""
        template = self.program.template
        pairs = zip(self.program.variables, state, strict=True)
        return tuple(
            (name, template.domains[name].show(value))
            for name, value in pairs
            if value != template.normal[name] and not name.startswith("decision.")
        )


@cache
def drawer_of(program: Program) -> Drawer:
    """Return the drawer of a program's template."""
    template = program.template
    where = f"{template.world.id}/{template.path.name} [[generator]]"
    cases = tuple((case, program.condition(case.require)) for case in template.generator)
    slots = tuple(program.slots[name] for name in _influential(program))
    bare = Drawer(program, where, cases, slots, _looked_at(template), frozenset())
    core = frozenset(bare.project(library.task(task_id).initial) for task_id in template.tasks)
    return Drawer(program, where, cases, slots, bare.shown, core)


def _influential(program: Program) -> tuple[str, ...]:
    """Return the stored variables that goals and constraints depend on, through rules of any number."""
    template, names = program.template, program.template.names
    trees: list[Node] = [tree for goal in template.goals for tree in (goal.that, goal.applies)]
    for constraint in template.constraints:
        trees += [constraint.applies, *(trigger.condition for trigger in constraint.triggers)]
        trees += [asked for trigger in constraint.triggers for _, asked in trigger.settings]
    found: set[str] = set().union(*(reads(tree, names) for tree in trees))
    # What else the procedure reads, it reads as its pilot sees it; a decision is told as it stands.
    found |= {name for name in _named(template) if name.startswith("decision.")}
    while True:
        behind = [rule for rule in program.rules if found & {name for name, _ in rule.sets}]
        more: set[str] = {rule.on[0] for rule in behind if rule.on is not None}
        more = more.union(*(reads(tree, names) for rule in behind for tree in rule.trees))
        if more <= found:
            return tuple(name for name in program.variables if name in found)
        found |= more


def _looked_at(template: Template) -> tuple[str, ...]:
    """Return the components that the procedure reads or sets."""
    looked = _named(template)
    for step in template.procedure:
        looked += [*step.reads, *(name for name, _ in step.sets)]
    return tuple(name for name in dict.fromkeys(looked) if name in template.world.components)


def _named(template: Template) -> list[str]:
    """Return what the conditions of the procedure name."""
    parts = [part for step in template.procedure for part in derived(step.when or Literal(value=True))]
    return [
        part.component if isinstance(part, Line) else part.id
        for part in parts
        if isinstance(part, Line | Name)
    ]


def _different(case: Case) -> list[list[object]]:
    """Return the values of each varied variable; one that is listed twice is drawn more often, no more."""
    return [list(dict.fromkeys(values)) for _, values in case.vary]


def _pick(rng: random.Random, pool: Sequence[T]) -> T:
    # Of all its methods, random() alone is promised to stay the same across Python versions.
    return pool[int(rng.random() * len(pool))]
