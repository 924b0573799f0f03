"""Generated variants: tasks drawn without end from a template's ``[[generator]]``, apart from its core tasks.

A draw is settled like a cockpit that was left alone, satisfies its case's ``require``, is not solved at the
start, never equals a core task in anything that matters to the grade or to the procedure, and is solved by
the reference within the budget. The same seed gives the same task in every process.

Splits and difficulties choose among variants: a split by a hash of what counts in the task, so that no
exercise is in two of them; a difficulty by how many writes the reference makes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

from acoe_gym.cockpit import library
from acoe_gym.cockpit.drawing import Drawer, Projection, drawer_of
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.reference import solve, writes
from acoe_gym.cockpit.task import Task, build_task, digest
from acoe_gym.errors import SpecError, UnknownName, nearest

# Percent of all exercises.
SPLITS = {"train": 80, "validation": 10, "test": 10}
DIFFICULTIES = ("easy", "medium", "hard")
MAX_DRAWS = 1000
# A ladder is measured on the variants of the seeds from 0 on.
LADDER_VARIANTS = 300


class Ladder(NamedTuple):
    """A template's difficulties: the most writes that still count as ``easy`` and as ``medium``."""

    easy: int
    medium: int

    def rung(self, write_count: int) -> str:
        """Return the difficulty of a task whose reference makes so many changing writes."""
        return DIFFICULTIES[(write_count > self.easy) + (write_count > self.medium)]


@dataclass(frozen=True)
class Count:
    """How many exercises a template's generator gives.

    Attributes:
        draws: variants drawn, or with ``exact`` combinations tried.
        distinct: exercises among them that differ in what counts; with ``exact`` all that there are.
        space: combinations of the listed values, an upper bound of ``distinct``; many are not usable.
        exact: whether the space was small enough to be tried as a whole.
        splits, difficulties: how the distinct ones divide.
        ladder: the template's difficulties.
    """

    template: str
    draws: int
    distinct: int
    space: int
    exact: bool
    splits: Mapping[str, int]
    difficulties: Mapping[str, int]
    ladder: Ladder


def generate(template_id: str, seed: int, split: str | None = None, difficulty: str | None = None) -> Task:
    """Return one variant of a template.

    Args:
        template_id: such as ``c172s/engine_restart``.
        seed: any integer. The task id ends with it; where the variant of the seed does not fit split and
            difficulty, further seeds follow from it, and the id ends with the first that fits, so that an id
            alone names a task.
        split: a name of `SPLITS`, or None for any.
        difficulty: a name of `DIFFICULTIES`, or None for any.

    Raises:
        UnknownName: there is no template, split or difficulty of that name.
        SpecError: the template has no generator or not that difficulty, or none of `MAX_DRAWS` draws was
            usable.
    """
    check_choice(split, difficulty)
    drawer = drawer_of(library.program(template_id))
    if difficulty is not None and difficulty not in difficulties(template_id):
        found = ", ".join(difficulties(template_id))
        raise SpecError(f"{drawer.where}: expected a difficulty that it has ({found}), got {difficulty!r}")
    dice = random.Random(f"{template_id}/{seed}/redraw")  # noqa: S311 - a draw of tasks, not a secret
    last = seed
    for _ in range(MAX_DRAWS):
        task = _variant(drawer, last)
        if split in (None, split_of(task)) and (difficulty is None or difficulty == difficulty_of(task)):
            return task
        last = int(dice.random() * 2**40)
    wanted = " ".join(filter(None, (difficulty, split)))
    raise SpecError(
        f"{drawer.where}: expected a {wanted} variant, got none in {MAX_DRAWS} from seed {seed} on"
    )


def check_choice(split: str | None, difficulty: str | None) -> None:
    """Raise UnknownName, with the nearest name, unless both are None or known."""
    for what, name, known in (("split", split, tuple(SPLITS)), ("difficulty", difficulty, DIFFICULTIES)):
        if name is not None and name not in known:
            hint = nearest(str(name), known, 1)
            raise UnknownName(f"expected {what} to be one of {', '.join(known)}, got {name!r}{hint}")


def split_of(task: Task) -> str:
    """Return the split of a task; tasks that are the same exercise are in the same one."""
    values, shown = projection(task)
    key = [task.program.template.id, [*map(_comparable, values)], [*map(_comparable, shown)]]
    percent = int(digest(key)[:12], 16) % 100
    return next(name for name, end in _split_ends() if percent < end)


def difficulty_of(task: Task) -> str:
    """Return the difficulty of a task, by the number of changing writes of its reference."""
    return _ladder(task.program).rung(len(writes(solve(task))))


def ladder(template_id: str) -> Ladder:
    """Return where a template's difficulties end, so that each holds as near a third of it as can be.

    Measured on `LADDER_VARIANTS` variants. A template whose references make two numbers of writes only has
    no ``medium``; one number is ``easy``.
    """
    return _ladder(library.program(template_id))


def difficulties(template_id: str) -> tuple[str, ...]:
    """Return the difficulties that a template has, the easiest first."""
    program = library.program(template_id)
    found = {_ladder(program).rung(length) for length in _lengths(program)}
    return tuple(name for name in DIFFICULTIES if name in found)


def count(template_id: str, draws: int = 20_000) -> Count:
    """Count the distinct exercises among the variants of ``draws`` seeds.

    A space of at most so many combinations is tried as a whole instead.
    """
    drawer = drawer_of(library.program(template_id))
    space = drawer.space()
    exact = space <= draws
    tasks = _every(drawer) if exact else (_variant(drawer, seed) for seed in range(draws))
    found: dict[Projection, Task] = {}
    for task in tasks:
        found.setdefault(projection(task), task)
    splits = Counter(map(split_of, found.values()))
    rungs = Counter(map(difficulty_of, found.values()))
    return Count(
        template=template_id,
        draws=space if exact else draws,
        distinct=len(found),
        space=space,
        exact=exact,
        splits={name: splits[name] for name in SPLITS},
        difficulties={name: rungs[name] for name in DIFFICULTIES},
        ladder=ladder(template_id),
    )


def _variant(drawer: Drawer, seed: int) -> Task:
    """Return the variant of a seed: the first draw from it that may be used."""
    if not drawer.cases:
        raise SpecError(f"{drawer.where}: expected at least one case to draw from, got none")
    template_id = drawer.program.template.id
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


def _every(drawer: Drawer) -> Iterator[Task]:
    """Yield a task per combination that may be used."""
    for spec in drawer.every():
        task = build_task(drawer.program, spec)
        if reference_solves(task):
            yield task


def _split_ends() -> Iterator[tuple[str, int]]:
    end = 0
    for name, share in SPLITS.items():
        end += share
        yield name, end


def _comparable(value: object) -> object:
    """Return values that are equal in Python as equal JSON: 3, 3.0 and, as a flag, True."""
    return float(value) if isinstance(value, int | float) else value


@cache
def _lengths(program: Program) -> Counter[int]:
    """Return how many variants have references of how many writes."""
    drawer = drawer_of(program)
    return Counter(len(writes(solve(_variant(drawer, seed)))) for seed in range(LADDER_VARIANTS))


@cache
def _ladder(program: Program) -> Ladder:
    lengths = _lengths(program)
    found = sorted(lengths)
    if len(found) < len(DIFFICULTIES):
        return Ladder(found[0], found[0])

    def largest(ends: tuple[int, ...]) -> int:
        rungs: Counter[str] = Counter()
        for length, times in lengths.items():
            rungs[Ladder(*ends).rung(length)] += times
        return max(rungs.values())

    return Ladder(*min(combinations(found[:-1], 2), key=largest))


def reference_solves(task: Task) -> bool:
    """Tell whether the procedure submits within the budget with all goals met and nothing violated."""
    episode = solve(task)
    return episode.end == "submitted" and episode.grade().success == 1.0


def projection(task: Task) -> Projection:
    """Return what counts in a task: two tasks of a template with equal projections are the same exercise.

    That is every stored variable which goals, constraints or the rules behind them depend on, and what the
    components that the procedure looks at show at the start.
    """
    return drawer_of(task.program).project(task.initial)
