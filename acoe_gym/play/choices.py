"""Which task is played: named, chosen from numbers that tell nothing, or drawn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import UnknownName

SEEDS = 10**6


@dataclass(frozen=True)
class Procedure:
    """A template as a picker shows it, with the ids of its tasks in file order."""

    id: str
    aircraft: str
    title: str
    tasks: tuple[str, ...]

    def names(self, *, spoilers: bool) -> list[str]:
        """Return what to call the tasks: their ids name situations, so by default only numbers."""
        if spoilers:
            return list(self.tasks)
        return [f"task {number} of {len(self.tasks)}" for number in range(1, len(self.tasks) + 1)]


def procedures(template_ids: Sequence[str] = ()) -> list[Procedure]:
    """Return the procedures to choose from: those named, or all of every aircraft.

    Raises:
        UnknownName: there is no template of that id.
    """
    templates = [library.template(name) for name in template_ids or library.template_ids()]
    return [Procedure(t.id, t.world.name, t.title, tuple(t.tasks)) for t in templates]


def headings(found: Sequence[Procedure]) -> dict[int, str]:
    """Return place -> aircraft, for every procedure that is the first of its aircraft."""
    before = ["", *(procedure.aircraft for procedure in found)]
    return {n: p.aircraft for n, p in enumerate(found) if p.aircraft != before[n]}


def random_seed() -> int:
    """Return a seed that differs from play to play; what was drawn from it stands in the record."""
    return random.SystemRandom().randrange(SEEDS)


def drawn(template_ids: Sequence[str], seed: int) -> Task:
    """Return a core task drawn with a seed, of some templates or of all.

    Raises:
        UnknownName: there is no template of that id.
    """
    tasks = [task_id for procedure in procedures(template_ids) for task_id in procedure.tasks]
    dice = random.Random(seed)  # noqa: S311 - which task, not a secret
    return task_of(tasks[int(dice.random() * len(tasks))])


def generated(template_id: str | None, seed: int) -> Task:
    """Return a generated variant.

    Raises:
        UnknownName: no template was named, or there is none of that id.
    """
    if template_id is None:
        raise UnknownName("expected --template ID with --suite generated, got none")
    return task_of(f"{library.template(template_id).id}/generated/{seed}")
