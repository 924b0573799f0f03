"""The best single action list: what can be solved without looking at the aircraft.

A list that solves most tasks of a template, or a good part of all, would show that they need no diagnosis.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acoe_gym.cockpit import library
from acoe_gym.cockpit.batch import BatchProgram
from acoe_gym.cockpit.batch_columns import Move
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.reference import Write, solve, writes
from acoe_gym.cockpit.task import Task

# The share of its tasks that a template's list may solve, and that of all tasks for the list over all.
HALF, ALL = 0.5, 0.3
ROUNDS = 150
LISTS = 128
LONGEST = 60
# Lists that the next round's are made from.
PARENTS = 8
# A list's moves, as indices into the pool.
Plan = tuple[int, ...]


@dataclass(frozen=True)
class ActionList:
    """The best list that was found.

    Attributes:
        scope: a template, an aircraft, or ``all``.
        writes: the list.
        solved: ids of the tasks that it solves.
        tasks: how many tasks were tried.
        tried: how many lists were tried.
        most: the share of the tasks that it may solve.
    """

    scope: str
    writes: tuple[Write, ...]
    solved: tuple[str, ...]
    tasks: int
    tried: int
    most: float = HALF

    @property
    def ok(self) -> bool:
        """Whether it solves no larger share of the tasks than it may."""
        return len(self.solved) <= self.most * self.tasks

    def lines(self) -> list[str]:
        """Return the result as text."""
        found = f"the best of {self.tried:,} action lists solves {len(self.solved)} of {self.tasks} tasks"
        names = ", ".join(task.removeprefix(f"{self.scope}/") for task in self.solved)
        return [
            f"{self.scope}: {found}{'' if self.ok else f': FAILED, expected at most {self.most:.0%}'}",
            f"  solved     {names or 'none'}",
            f"  list       {', '.join(f'{name} {value}' for name, value in self.writes)}",
        ]


def best_list(template_id: str) -> ActionList:
    """Return the best list for the core tasks of a template."""
    return best_action_list(template_id, _tasks(template_id))


def best_list_over_all(lists: Sequence[ActionList], rounds: int = ROUNDS) -> ActionList:
    """Return the best list for the tasks of all templates: the best of each aircraft, one after the other.

    A write to a component that is not on board is rejected and changes nothing. Where two aircraft have one
    of that name the lists would disturb each other; each is counted on its own aircraft all the same, which
    can only flatter the list.

    Args:
        lists: the best list of each template; the search starts from these joined in every order, too.
        rounds: of the search of each aircraft.
    """
    found: list[ActionList] = []
    for aircraft in dict.fromkeys(one.scope.partition("/")[0] for one in lists):
        own = [one for one in lists if one.scope.startswith(f"{aircraft}/")]
        tasks = [task for one in own for task in _tasks(one.scope)]
        orders = [order for count in range(len(own)) for order in itertools.permutations(own, count + 1)]
        first = [tuple(write for one in order for write in one.writes) for order in orders]
        found.append(best_action_list(aircraft, tasks, rounds, first))
    return ActionList(
        scope="all",
        writes=tuple(write for one in found for write in one.writes),
        solved=tuple(task_id for one in found for task_id in one.solved),
        tasks=sum(one.tasks for one in found),
        tried=sum(one.tried for one in found),
        most=ALL,
    )


def _tasks(template_id: str) -> list[Task]:
    return [library.task(task_id) for task_id in library.task_ids(template_id)]


def best_action_list(
    scope: str, tasks: Sequence[Task], rounds: int = ROUNDS, first: Sequence[Sequence[Write]] = ()
) -> ActionList:
    """Search the list of writes that solves most of some tasks of one aircraft.

    The references, one after the other in many orders, are the first lists; then the best are varied: a write
    is added, left out, exchanged or moved, or two lists are joined. Seeded by the scope.

    Args:
        scope: what the tasks are of, for the result.
        tasks: the tasks.
        rounds: how often `LISTS` lists are made.
        first: more lists to start from.
    """
    domains = tasks[0].program.template.domains
    lists = [
        [(name, domains[name].parse(raw)) for name, raw in steps]
        for steps in (*first, *(writes(solve(task)) for task in tasks))
    ]
    pool = tuple(dict.fromkeys(move for moves in lists for move in moves))
    places = {move: place for place, move in enumerate(pool)}
    known: list[Plan] = [tuple(places[move] for move in moves) for moves in lists]
    rng = random.Random(scope)  # noqa: S311 - play, not a secret
    judge = _Judge(tasks, pool)
    joined = [_union(rng.sample(known, len(known))) for _ in range(LISTS)]
    scores = judge.scores([*known, *joined])
    tried = len(scores)
    for _ in range(rounds):
        best = sorted(scores, key=lambda plan: scores[plan], reverse=True)[:PARENTS]
        made = [_varied(rng, rng.choice(best), rng.choice(best), len(pool)) for _ in range(LISTS)]
        new = [plan for plan in dict.fromkeys(made) if plan not in scores]
        scores = {**{plan: scores[plan] for plan in best}, **judge.scores(new)}
        tried += len(new)
    plan = judge.shortened(max(scores, key=lambda plan: scores[plan]))
    solved = judge.solved([plan])[0][:, 0]
    return ActionList(
        scope=scope,
        writes=tuple((name, domains[name].show(value)) for name, value in (pool[i] for i in plan)),
        solved=tuple(task.id for task, good in zip(tasks, solved, strict=True) if good),
        tasks=len(tasks),
        tried=tried,
    )


class _Judge:
    """Plays lists on all tasks at once, template by template; tasks of one template stand together."""

    def __init__(self, tasks: Sequence[Task], pool: Sequence[Move]) -> None:
        groups: dict[Program, list[Task]] = {}
        for task in tasks:
            groups.setdefault(task.program, []).append(task)
        self._stages = [_Stage(program, group, pool) for program, group in groups.items()]

    def solved(self, plans: Sequence[Plan]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Return success, and goals met where no constraint was violated, both of shape (tasks, plans)."""
        successes, met = zip(*(stage.solved(plans) for stage in self._stages), strict=True)
        return np.concatenate(successes), np.concatenate(met)

    def scores(self, plans: Sequence[Plan]) -> dict[Plan, tuple[int, int]]:
        """Return the number of tasks solved and of goals met safely, by plan."""
        if not plans:
            return {}
        success, met = (result.sum(axis=0).tolist() for result in self.solved(plans))
        return dict(zip(plans, zip(success, met, strict=True), strict=True))

    def shortened(self, plan: Plan) -> Plan:
        """Return a plan that solves as many tasks and from which no move can be left out."""
        while plan:
            rest = [_without(plan, place) for place in range(len(plan))]
            scores = self.scores([plan, *rest])
            shorter = next((p for p in rest if scores[p][0] >= scores[plan][0]), None)
            if shorter is None:
                break
            plan = shorter
        return plan


class _Stage:
    """Plays lists on tasks of one template."""

    def __init__(self, program: Program, tasks: Sequence[Task], pool: Sequence[Move]) -> None:
        self._batch = BatchProgram(program)
        self._tasks = tasks
        self._table = self._batch.moves([*pool, None])
        self._none = len(pool)
        self._masks = np.array([task.constraint_mask for task in tasks], np.uint64)[:, None]
        applies = np.zeros((len(program.template.goals), len(tasks), 1), np.bool_)
        for number, task in enumerate(tasks):
            applies[list(task.goals), number] = True
        self._apart = ~applies

    def solved(self, plans: Sequence[Plan]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Return success, and goals met where no constraint was violated, both of shape (tasks, plans)."""
        shape = len(self._tasks), len(plans)
        columns = self._batch.initial([task.initial for task in self._tasks for _ in plans])
        violated = np.zeros(shape, np.uint64)
        longest = max(map(len, plans))
        steps = np.array([[*plan, *[self._none] * (longest - len(plan))] for plan in plans], np.intp)
        for step in steps.reshape(len(plans), longest).T:
            chosen = np.tile(step, len(self._tasks))
            violated |= self._batch.write(columns, self._table, chosen).reshape(shape)
        safe = violated & self._masks == 0
        met = self._batch.goals(columns).reshape(-1, *shape)
        return (met | self._apart).all(axis=0) & safe, (met & ~self._apart).sum(axis=0) * safe


def _without(plan: Plan, place: int) -> Plan:
    return plan[:place] + plan[place + 1 :]


def _union(plans: Sequence[Plan]) -> Plan:
    """Return the moves of plans one after the other, each once."""
    return tuple(dict.fromkeys(move for plan in plans for move in plan))[:LONGEST]


def _varied(rng: random.Random, plan: Plan, other: Plan, pool: int) -> Plan:
    """Return a plan changed once to three times, or joined to another."""
    if rng.random() < 0.1:
        return (plan + other)[:LONGEST]
    moves = list(plan)
    for _ in range(rng.randint(1, 3)):
        place, move = rng.randrange(len(moves) + 1), rng.randrange(pool)
        kind = rng.choice(("add", "drop", "exchange", "move"))
        if kind == "add" or not moves:
            moves.insert(place, move)
        elif kind == "drop":
            moves.pop(min(place, len(moves) - 1))
        elif kind == "exchange":
            moves[min(place, len(moves) - 1)] = move
        else:
            moves.insert(place, moves.pop(rng.randrange(len(moves))))
    return tuple(moves[:LONGEST])
