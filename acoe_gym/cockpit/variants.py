"""Generated variants: tasks drawn without end from a template's ``[[generator]]``, apart from its core tasks.

A draw is settled like a cockpit that was left alone, satisfies its case's ``require``, is not solved at the
start, never equals a core task in anything that matters to the grade or to the procedure, and is solved by
the reference within the budget. The same seed gives the same task in every process.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from acoe_gym.cockpit import library
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import Line, Literal, Name, Node
from acoe_gym.cockpit.program import Program, State
from acoe_gym.cockpit.reference import solve
from acoe_gym.cockpit.scope import derived, reads
from acoe_gym.cockpit.task import Task, applying, build_task, settle
from acoe_gym.cockpit.templates import Case, TaskSpec, Template
from acoe_gym.errors import SpecError

MAX_DRAWS = 1000
T = TypeVar("T")
Projection = tuple[object, ...]


def generate(template_id: str, seed: int) -> Task:
    """Return one variant of a template.

    Args:
        template_id: such as ``c172s/engine_restart``.
        seed: any integer; the task id ends with it.

    Raises:
        UnknownName: there is no template of that id.
        SpecError: the template has no generator, or none of `MAX_DRAWS` draws was usable.
    """
    drawer = _drawer(library.program(template_id))
    if not drawer.cases:
        raise SpecError(f"{drawer.where}: expected at least one case to draw from, got none")
    # Random hashes a text by itself: neighbouring seeds share nothing and PYTHONHASHSEED plays no part.
    rng = random.Random(f"{template_id}/{seed}")  # noqa: S311 - a draw of tasks, not a secret
    for _ in range(MAX_DRAWS):
        spec = drawer.draw(rng, f"{template_id}/generated/{seed}")
        if spec is None:
            continue
        task = build_task(drawer.program, spec)
        if reference_solves(task):
            return task
    raise SpecError(
        f"{drawer.where}: expected a draw that settles, satisfies require, is unsolved, equals no core task "
        f"and is solved by the procedure, got none in {MAX_DRAWS} for seed {seed}"
    )


def reference_solves(task: Task) -> bool:
    """Tell whether the procedure submits within the budget with all goals met and nothing violated."""
    episode = solve(task)
    return episode.end == "submitted" and episode.grade().success == 1.0


def projection(task: Task) -> Projection:
    """Return what counts in a task: two tasks of a template with equal projections are the same exercise.

    That is every stored variable which goals, constraints or the rules behind them depend on, and what the
    components that the procedure looks at show at the start.
    """
    return _drawer(task.program).project(task.initial)


@dataclass(frozen=True)
class _Drawer:
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
        state = self._settled(sets, decisions)
        if state is None or not required(state) or self._solved(state) or self.project(state) in self.core:
            return None
        return TaskSpec(task_id, self._texts(state), briefing, decisions, information, None, None)

    def project(self, state: Sequence[Value]) -> Projection:
        values = tuple(state[slot] for slot in self.slots)
        return values, tuple(self.program.readers[name](state) for name in self.shown)

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
def _drawer(program: Program) -> _Drawer:
    template = program.template
    where = f"{template.world.id}/{template.path.name} [[generator]]"
    cases = tuple((case, program.condition(case.require)) for case in template.generator)
    slots = tuple(program.slots[name] for name in _influential(program))
    bare = _Drawer(program, where, cases, slots, _looked_at(template), frozenset())
    core = frozenset(bare.project(library.task(task_id).initial) for task_id in template.tasks)
    return _Drawer(program, where, cases, slots, bare.shown, core)


def _influential(program: Program) -> tuple[str, ...]:
    """Return the stored variables that goals and constraints depend on, through rules of any number."""
    template, names = program.template, program.template.names
    trees: list[Node] = [tree for goal in template.goals for tree in (goal.that, goal.applies)]
    for constraint in template.constraints:
        trees += [constraint.applies, *(trigger.condition for trigger in constraint.triggers)]
        trees += [asked for trigger in constraint.triggers for _, asked in trigger.settings]
    found: set[str] = set().union(*(reads(tree, names) for tree in trees))
    while True:
        behind = [rule for rule in program.rules if found & {name for name, _ in rule.sets}]
        more: set[str] = {rule.on[0] for rule in behind if rule.on is not None}
        more = more.union(*(reads(tree, names) for rule in behind for tree in rule.trees))
        if more <= found:
            return tuple(name for name in program.variables if name in found)
        found |= more


def _looked_at(template: Template) -> tuple[str, ...]:
    """Return the components that the procedure reads or sets."""
    looked: list[str] = []
    for step in template.procedure:
        looked += [*step.reads, *(name for name, _ in step.sets)]
        for part in derived(step.when or Literal(value=True)):
            looked += (
                [part.component] if isinstance(part, Line) else [part.id] if isinstance(part, Name) else []
            )
    return tuple(name for name in dict.fromkeys(looked) if name in template.world.components)


def _pick(rng: random.Random, pool: Sequence[T]) -> T:
    # Of all its methods, random() alone is promised to stay the same across Python versions.
    return pool[int(rng.random() * len(pool))]
