"""Suites: the core tasks, and generated variants of templates. A task id tells where its task comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acoe_gym.cockpit import library
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.variants import generate
from acoe_gym.errors import UnknownName

SUITES = ("core", "generated")


def generated_ids(template_ids: Iterable[str], seed: int, count: int) -> tuple[str, ...]:
    """Return the ids of ``count`` variants per template, of consecutive seeds."""
    return tuple(f"{t}/generated/{s}" for t in template_ids for s in range(seed, seed + count))


def task_of(task_id: str) -> Task:
    """Return a core task or a generated variant by its id.

    Raises:
        UnknownName: there is none of that id.
    """
    template_id, _, number = task_id.rpartition("/generated/")
    if not template_id:
        return library.task(task_id)
    if re.fullmatch("-?[0-9]{1,18}", number) is None:
        raise UnknownName(f"expected TEMPLATE/generated/SEED with a whole number, got {task_id!r}")
    return generate(template_id, int(number))
