"""Which task an episode plays: named by the user, else drawn by the environment's seeded generator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acoe_gym.cockpit import library, variants
from acoe_gym.cockpit.procedure import needs_information
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import UnknownName, nearest

SUITES = ("core", "generated")


class TaskChoice:
    """Draws tasks of some templates.

    Args:
        scope: a template id (``c172s/engine_restart``), an aircraft id, or an empty text for everything.
        task: a core task that every episode plays, or None to draw.
        suite: ``core`` for the frozen tasks, ``generated`` for variants.
        split: ``train``, ``validation`` or ``test``: draw variants of this split alone.
        difficulty: ``easy``, ``medium`` or ``hard``: draw variants of this difficulty alone.
        readings_only: leave out tasks whose captain asks for a value that only an informational tool gives.
    """

    def __init__(
        self,
        scope: str,
        task: str | None,
        suite: str,
        split: str | None = None,
        difficulty: str | None = None,
        *,
        readings_only: bool = False,
    ) -> None:
        if suite not in SUITES:
            hint = nearest(str(suite), SUITES, 1)
            raise UnknownName(f"expected suite to be one of {', '.join(SUITES)}, got {suite!r}{hint}")
        variants.check_choice(split, difficulty)
        if suite != "generated" and (split, difficulty) != (None, None):
            raise UnknownName(f"expected suite='generated' with a split or difficulty, got suite={suite!r}")
        self.scope = scope
        self.suite = suite
        self.split = split
        self.difficulty = difficulty
        self.readings_only = readings_only
        self.templates = (
            (library.template(scope).id,) if "/" in scope else library.template_ids(scope or None)
        )
        # A curriculum goes on where one of several templates has no tasks of a difficulty.
        self._drawn = self.templates if difficulty is None else self._with(difficulty)
        self.fixed = None if task is None else self.named(task)
        self._ids: tuple[str, ...] | None = None

    def _with(self, difficulty: str) -> tuple[str, ...]:
        found = tuple(t for t in self.templates if difficulty in variants.difficulties(t))
        if not found:
            known = ", ".join(variants.difficulties(self.templates[0]))
            raise UnknownName(f"expected a difficulty of {self.scope} ({known}), got {difficulty!r}")
        return found

    @property
    def aircraft(self) -> tuple[str, ...]:
        """Ids of the aircraft that episodes may play."""
        return tuple(dict.fromkeys(template.partition("/")[0] for template in self.templates))

    def named(self, task_id: str) -> Task:
        """Return a task by its id, a generated one included.

        Raises:
            UnknownName: no such task, or one outside this environment's scope.
        """
        template = next((t for t in self.templates if str(task_id).startswith(f"{t}/")), None)
        if template is None:
            known = [i for t in self.templates for i in library.task_ids(t)]
            hint = nearest(str(task_id), known)
            raise UnknownName(f"expected a task of {self.scope or 'any template'}, got {task_id!r}{hint}")
        name = task_id[len(template) + 1 :]
        if name.startswith("generated/") and name[10:].isdecimal():
            return variants.generate(template, int(name[10:]))
        return library.task(task_id)

    def pick(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> Task:
        """Return the next episode's task: ``options["task"]``, else the one fixed at make, else a draw."""
        wanted = (options or {}).get("task")
        if wanted is not None:
            return self.named(wanted)
        if self.fixed is not None:
            return self.fixed
        if self.suite == "generated":
            return self._variant(rng)
        return library.task(self._draw(rng, self._core_ids()))

    def _core_ids(self) -> tuple[str, ...]:
        if self._ids is None:
            ids = tuple(i for t in self.templates for i in library.task_ids(t))
            if self.readings_only:
                ids = tuple(i for i in ids if not needs_information(library.task(i)))
            self._ids = ids
        return self._ids

    def _variant(self, rng: np.random.Generator) -> Task:
        template = self._draw(rng, self._drawn)
        while True:
            task = variants.generate(template, int(rng.integers(2**31)), self.split, self.difficulty)
            if not (self.readings_only and needs_information(task)):
                return task

    @staticmethod
    def _draw(rng: np.random.Generator, items: tuple[str, ...]) -> str:
        return items[int(rng.integers(len(items)))]
