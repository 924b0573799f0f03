"""Which tasks a dataset is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acoe_gym.cockpit import library
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.variants import generate


@dataclass(frozen=True)
class Selection:
    """Tasks, in a fixed order.

    Attributes:
        suite: ``generated`` for variants, ``core`` for the benchmark's own tasks.
        templates: template ids.
        count: variants per template, of the seeds from ``seed`` on; core tasks are taken all.
        split, difficulty: of the variants, or None for any.
    """

    suite: str
    templates: tuple[str, ...]
    count: int = 1
    seed: int = 0
    split: str | None = None
    difficulty: str | None = None

    def tasks(self) -> Iterator[Task]:
        """Yield the tasks."""
        for _, task in self.seeded():
            yield task

    def seeded(self) -> Iterator[tuple[int | None, Task]]:
        """Yield (seed, task); the seed is the one that was asked for, None for core tasks."""
        for template_id in self.templates:
            if self.suite == "core":
                for task_id in library.task_ids(template_id):
                    yield None, library.task(task_id)
            else:
                for seed in range(self.seed, self.seed + self.count):
                    yield seed, generate(template_id, seed, self.split, self.difficulty)
