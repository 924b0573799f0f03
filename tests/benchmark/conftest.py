"""Runs made up by hand: a letter an episode, S success, F safe but incomplete, U unsafe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.runs import Run

GRADES = {"S": (1.0, 1.0, 1.0), "F": (0.0, 0.5, 1.0), "U": (0.0, 1.0, 0.0)}
TREE = {"task": "t0", "template": "p0", "world": "w0", "package": "1.0"}


def record(task: str, trial: int, outcome: str, **changes: Any) -> dict[str, Any]:
    """Return a record; ``changes`` replace its metrics, ``tree`` its hash tree, ``usage`` adds tokens."""
    success, attained, safe = GRADES[outcome]
    counts = {
        "turns": 4, "calls": 8, "writes": 4, "ineffective_writes": 1, "violating_writes": 0,
        "selection_calls": 7, "selection_misses": 0,
    }  # fmt: skip
    counts.update({key: value for key, value in changes.items() if key in counts})
    usage = changes.get("usage")
    made = {
        "record_version": 1,
        "task": task,
        "template": task.rpartition("/generated/")[0] or task.rpartition("/")[0],
        "suite": "core",
        "trial": trial,
        "policy": "made",
        "policy_seed": 0,
        "turns": [[]],
        "end": "submitted",
        "hash": "",
        "grade": {
            "success": success, "goal_attainment": attained, "safe": safe,
            "goals_met": [], "goals_missed": [],
        },
        "violations": [] if safe else [{"constraint": "hot", "turn": 1, "call": 1, "component": "x"}],
        "metrics": counts,
        "tree": {**TREE, "task": f"t/{task}", **changes.get("tree", {})},
    }  # fmt: skip
    return made if usage is None else {**made, "pilot": {"turns": [{"usage": usage}]}}


def made_run(
    outcomes: Mapping[str, str],
    name: str = "made",
    changes: Mapping[tuple[str, int], Mapping[str, Any]] | None = None,
    *,
    missing: Sequence[tuple[str, int]] = (),
    errors: int = 0,
    about: Mapping[str, Any] | None = None,
    everywhere: Mapping[str, Any] | None = None,
    **configuration: Any,
) -> Run:
    """Return a run of one letter per episode.

    Args:
        outcomes: task id -> its episodes, such as ``"SFU"``.
        name: of the run.
        changes: (task, trial) -> what is different in that record.
        missing: episodes that the run lacks.
        errors: how many attempts the infrastructure ended.
        about: prices and the like.
        everywhere: what is different in every record.
        configuration: what is different in the configuration.
    """
    episodes = [
        (task, trial, letter) for task, letters in outcomes.items() for trial, letter in enumerate(letters)
    ]
    records = [
        record(task, trial, letter, **{**(everywhere or {}), **(changes or {}).get((task, trial), {})})
        for task, trial, letter in episodes
        if (task, trial) not in missing
    ]
    return Run(
        folder=Path(name),
        configuration={
            "policy": name, "suite": "core", "tasks": list(outcomes), "package": "1.0", **configuration,
        },
        about=about or {},
        records=tuple(records),
        missing=tuple(missing),
        errors=tuple({"task": "x", "trial": 0, "error": "timeout"} for _ in range(errors)),
        seconds={},
        problems=(),
    )  # fmt: skip


@pytest.fixture(scope="session")
def made() -> Callable[..., Run]:
    """Return the maker of runs."""
    return made_run
