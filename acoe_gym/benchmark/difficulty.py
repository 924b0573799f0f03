"""How hard tasks are, over several models, and whether models find the same tasks hard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from acoe_gym.cockpit.results import EpisodeResult

HARD, EASY = 0.25, 0.75


@dataclass(frozen=True)
class TaskDifficulty:
    """One task: means over models of the shares of successful and of safe episodes."""

    task: str
    success: float
    safe: float


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of two models' success per task; None where one is the same everywhere."""

    a: str
    b: str
    rho: float | None


@dataclass(frozen=True)
class Difficulty:
    """The tasks that all models flew.

    Attributes:
        models: names of the models.
        tasks: one row per task, hardest first, then by id.
        success, safe: means of the rows.
        lowest, highest: range of the rows' success.
        hard, easy: tasks with success <= 0.25, and > 0.75.
        never, always: tasks that no episode solved, and that every episode solved.
        mixed: share of (model, task) whose episodes were not all successes and not all failures.
        correlations: one per pair of models.
        mean_correlation: over the pairs that have one.
    """

    models: tuple[str, ...]
    tasks: tuple[TaskDifficulty, ...]
    success: float
    safe: float
    lowest: float
    highest: float
    hard: int
    easy: int
    never: int
    always: int
    mixed: float
    correlations: tuple[Correlation, ...]
    mean_correlation: float | None


def difficulty(models: Mapping[str, Sequence[EpisodeResult]]) -> Difficulty:
    """Return how hard the tasks are that every model flew; a model weighs the same however often it flew.

    Args:
        models: name -> episodes, in any order.

    Raises:
        ValueError: there is no task that all models flew.
    """
    flown = {name: _by_task(results) for name, results in models.items()}
    shared = sorted(set.intersection(*map(set, flown.values()))) if flown else []
    if not shared:
        raise ValueError("expected a task that every model flew, got none")
    success = {n: [_share([r.success for r in tasks[t]]) for t in shared] for n, tasks in flown.items()}
    safe = {n: [_share([r.safe for r in tasks[t]]) for t in shared] for n, tasks in flown.items()}
    solved, kept = (np.mean(list(shares.values()), axis=0) for shares in (success, safe))
    rows = [TaskDifficulty(*row) for row in zip(shared, solved.tolist(), kept.tolist(), strict=True)]
    pairs = tuple(Correlation(a, b, spearman(success[a], success[b])) for a, b in combinations(success, 2))
    defined = [pair.rho for pair in pairs if pair.rho is not None]
    return Difficulty(
        models=tuple(models),
        tasks=tuple(sorted(rows, key=lambda row: (row.success, row.task))),
        success=float(solved.mean()),
        safe=float(kept.mean()),
        lowest=float(solved.min()),
        highest=float(solved.max()),
        hard=int((solved <= HARD).sum()),
        easy=int((solved > EASY).sum()),
        never=int((solved == 0).sum()),
        always=sum(all(shares[i] == 1 for shares in success.values()) for i in range(len(shared))),
        mixed=_share([0 < share < 1 for shares in success.values() for share in shares]),
        correlations=pairs,
        mean_correlation=_share(defined) if defined else None,
    )


def _by_task(results: Sequence[EpisodeResult]) -> dict[str, list[EpisodeResult]]:
    found: dict[str, list[EpisodeResult]] = {}
    for result in results:
        found.setdefault(result.task, []).append(result)
    return found


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return the rank correlation; ties share their mean rank; None where one side is constant."""
    one, two = (_ranks(values) for values in (a, b))
    one, two = one - one.mean(), two - two.mean()
    scale = float(np.sqrt((one @ one) * (two @ two)))
    return float(np.clip(one @ two / scale, -1.0, 1.0)) if scale else None


def _ranks(values: Sequence[float]) -> npt.NDArray[np.float64]:
    _, places, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middles: npt.NDArray[np.float64] = last - (counts - 1) / 2
    return middles[places]
