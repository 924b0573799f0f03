"""The best single action list of a template: what can be solved without looking at the aircraft.

A list that solves most tasks of a template would show that they need no diagnosis.
"""

from __future__ import annotations

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
        template: id.
        writes: the list.
        solved: ids of the tasks that it solves.
        tasks: how many tasks were tried.
        tried: how many lists were tried.
    """

    template: str
    writes: tuple[Write, ...]
    solved: tuple[str, ...]
    tasks: int
    tried: int

    @property
    def ok(self) -> bool:
        """Whether it solves at most half of the tasks."""
        return 2 * len(self.solved) <= self.tasks

    def lines(self) -> list[str]:
        """Return the result as text."""
        found = f"the best of {self.tried:,} action lists solves {len(self.solved)} of {self.tasks} tasks"
        names = ", ".join(task.rpartition("/")[2] for task in self.solved)
        return [
            f"{self.template}: {found}{'' if self.ok else ': FAILED, expected at most half'}",
            f"  solved     {names or 'none'}",
            f"  list       {', '.join(f'{name} {value}' for name, value in self.writes)}",
        ]


def best_list(template_id: str) -> ActionList:
    """Return the best list for the core tasks of a template."""
    tasks = [library.task(task_id) for task_id in library.task_ids(template_id)]
    return best_action_list(library.program(template_id), tasks)


def best_action_list(program: Program, tasks: Sequence[Task], rounds: int = ROUNDS) -> ActionList:
    """Search the list of writes that solves most of a template's tasks.

    The references, one after the other in many orders, are the first lists; then the best are varied: a write
    is added, left out, exchanged or moved, or two lists are joined. Seeded by the template's id.

    Args:
        program: the template.
        tasks: tasks of it.
        rounds: how often `LISTS` lists are made.
    """
    parse = {name: domain.parse for name, domain in program.template.domains.items()}
    references = [[(n, parse[n](raw)) for n, raw in writes(solve(task))] for task in tasks]
    pool = tuple(dict.fromkeys(move for moves in references for move in moves))
    known: list[Plan] = [tuple(pool.index(move) for move in moves) for moves in references]
    rng = random.Random(program.template.id)  # noqa: S311 - play, not a secret
    judge = _Judge(program, tasks, pool)
    first = [*known, *(_union(rng.sample(known, len(known))) for _ in range(LISTS))]
    scores = judge.scores(first)
    tried = len(scores)
    for _ in range(rounds):
        best = sorted(scores, key=lambda plan: scores[plan], reverse=True)[:PARENTS]
        made = [_varied(rng, rng.choice(best), rng.choice(best), len(pool)) for _ in range(LISTS)]
        new = [plan for plan in dict.fromkeys(made) if plan not in scores]
        scores = {**{plan: scores[plan] for plan in best}, **judge.scores(new)}
        tried += len(new)
    plan = judge.shortened(max(scores, key=lambda plan: scores[plan]))
    solved = judge.solved([plan])[0][:, 0]
    shown = {name: domain.show for name, domain in program.template.domains.items()}
    return ActionList(
        template=program.template.id,
        writes=tuple((name, shown[name](value)) for name, value in (pool[i] for i in plan)),
        solved=tuple(task.id for task, good in zip(tasks, solved, strict=True) if good),
        tasks=len(tasks),
        tried=tried,
    )


class _Judge:
    """Plays lists on all tasks at once."""

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
