"""What validation looks at: each task surveyed once along its reference trajectory and by random play.

Everything is found by trying, with generators seeded by ids: the same specifications give the same evidence.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.firing import Move, provoke, run, set_points
from acoe_gym.cockpit.program import Program, State
from acoe_gym.cockpit.reference import Write, solve, writes
from acoe_gym.cockpit.relevance import Relevance
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.templates import Template
from acoe_gym.cockpit.world import World

WALKS = 20
WALK_LENGTH = 40


@dataclass
class Survey:
    """What trying every write along the reference, and random play, has shown.

    Attributes:
        crossings: index of a constraint -> one trajectory that violates it.
        violated: bit masks of violated constraints, one per tried write.
        failed: indices of goals that were false in some state.
    """

    crossings: dict[int, tuple[Write, ...]] = field(default_factory=dict)
    violated: list[int] = field(default_factory=list)
    failed: set[int] = field(default_factory=set)


class TaskEvidence:
    """One task and what was found out about it."""

    def __init__(self, task: Task) -> None:
        self.id = task.id
        self.task = task
        self.program = task.program

    @cached_property
    def reference(self) -> Episode:
        """The procedure, played."""
        return solve(self.task)

    @cached_property
    def path(self) -> tuple[Write, ...]:
        """The changing writes of the reference."""
        return writes(self.reference)

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The initial state and the state after each write of the reference."""
        return tuple(states_along(self.task, self.path))

    @cached_property
    def points(self) -> dict[str, tuple[Value, ...]]:
        """Control -> its set points, and a value of each class that the task's conditions tell apart."""
        near = Relevance(self.task).candidates()
        return {
            name: tuple(dict.fromkeys([*values, *near.get(name, ())]))
            for name, values in set_points(self.program).items()
        }

    @cached_property
    def survey(self) -> Survey:
        """Every write of every control from every state of the reference, and random play."""
        survey = Survey()
        for depth, state in enumerate(self.states):
            self._note(survey, state)
            for name, values in self.points.items():
                for value in values:
                    self._try(survey, self.path[:depth], list(state), (name, value))
        for walk in self._walks():
            state = list(self.task.initial)
            past: list[Write] = []
            for move in walk:
                self._try(survey, past, state, move)
                past.append(self._shown(move))
        return survey

    def _try(self, survey: Survey, past: Sequence[Write], state: State, move: Move) -> None:
        """Make one write, in place, and note what it shows; a write that changes nothing shows nothing."""
        name, value = move
        if state[self.program.slots[name]] == value:
            return
        violated = self.program.writers[name](state, value) & self.task.constraint_mask
        survey.violated.append(violated)
        self._note(survey, state)
        for index in self.task.constraints:
            if violated >> index & 1:
                survey.crossings.setdefault(index, (*past, self._shown(move)))

    def _note(self, survey: Survey, state: State) -> None:
        survey.failed.update(i for i in self.task.goals if not self.program.goals[i](state))

    def _shown(self, move: Move) -> Write:
        name, value = move
        return name, self.program.template.domains[name].show(value)

    def _walks(self) -> Iterator[list[Move]]:
        rng = random.Random(self.task.id)  # noqa: S311 - play, not a secret
        for _ in range(WALKS):
            yield random_moves(rng, self.points, WALK_LENGTH)

    @cached_property
    def fired(self) -> frozenset[str]:
        """Ids of the rules that fired in the reference, in the violating trajectories and in random play."""
        played = [self.path, *self.survey.crossings.values()]
        parse = {name: domain.parse for name, domain in self.program.template.domains.items()}
        walks = [[(name, parse[name](raw)) for name, raw in steps] for steps in played]
        return frozenset().union(*(run(self.program, self.task.initial, w) for w in (*walks, *self._walks())))


def violations(task: Task) -> dict[str, tuple[Write, ...]]:
    """Return constraint id -> writes from the initial state, the last of which violates it."""
    survey = TaskEvidence(task).survey
    return {task.constraint(i).id: steps for i, steps in sorted(survey.crossings.items())}


class TemplateEvidence:
    """One template with those of its tasks that are looked at."""

    def __init__(self, program: Program, tasks: Sequence[TaskEvidence]) -> None:
        self.program = program
        self.template: Template = program.template
        self.tasks = tuple(tasks)

    @cached_property
    def fired(self) -> frozenset[str]:
        """Ids of the rules that fire in some task."""
        return frozenset().union(*(task.fired for task in self.tasks))


class AircraftEvidence:
    """One aircraft with those of its templates that are looked at."""

    def __init__(self, templates: Sequence[TemplateEvidence]) -> None:
        self.world: World = templates[0].template.world
        self.templates = tuple(templates)

    @cached_property
    def fired(self) -> frozenset[str]:
        """Ids of the rules that fire in some task."""
        return frozenset().union(*(template.fired for template in self.templates))

    def provoked(self, rule_id: str) -> str | None:
        """Return how a rule that fires in no task can be made to fire, as `firing.provoke` does."""
        return provoke(self.templates[0].program, rule_id, f"{self.world.id}/{rule_id}")


class Evidence:
    """Tasks, by template and by aircraft."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tuple(TaskEvidence(task) for task in tasks)
        by_program: dict[Program, list[TaskEvidence]] = {}
        for task in self.tasks:
            by_program.setdefault(task.program, []).append(task)
        self.templates = tuple(TemplateEvidence(program, found) for program, found in by_program.items())
        by_world: dict[str, list[TemplateEvidence]] = {}
        for template in self.templates:
            by_world.setdefault(template.template.world.id, []).append(template)
        self.aircraft = tuple(AircraftEvidence(found) for found in by_world.values())


def states_along(task: Task, steps: Sequence[Write]) -> Iterator[State]:
    """Yield the initial state and the state after each of some writes."""
    state = list(task.initial)
    yield list(state)
    for name, value in steps:
        stored = task.program.template.domains[name].parse(value)
        if state[task.program.slots[name]] != stored:
            task.program.writers[name](state, stored)
        yield list(state)


def random_moves(rng: random.Random, points: dict[str, tuple[Value, ...]], length: int) -> list[Move]:
    """Return writes of controls drawn uniformly, values among their points."""
    controls = list(points)
    drawn = [rng.choice(controls) for _ in range(length)]
    return [(name, rng.choice(points[name])) for name in drawn]
