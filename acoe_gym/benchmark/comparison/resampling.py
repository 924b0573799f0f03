"""Counts of episodes as arrays, drawn again and dealt again: the intervals and the noise of a comparison.

An episode counts, for every metric, as a pair (hits, of all); a metric of a task is the ratio of the two sums
over its episodes, and a plain mean is the ratio with ``of all`` = 1. A ratio that does not exist is NaN, and
its task is left out of the mean of that metric.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from acoe_gym.cockpit.metrics import RESAMPLES, stretch

Array = npt.NDArray[np.float64]
# Cuts one in twenty off the large end.
FLOOR_CUT = RESAMPLES // 20


def dice(seed: int, kind: str) -> np.random.Generator:
    """Return a generator of its own for each purpose."""
    return np.random.default_rng(list(f"{seed}/{kind}".encode("ascii")))


def ratios(counts: Array) -> Array:
    """Return (metrics,) ratios of an (episodes, metrics, 2) array of counts."""
    return _divided(counts.sum(axis=0))


def _divided(sums: Array) -> Array:
    hits, of_all = sums[..., 0], sums[..., 1]
    found: Array = np.divide(hits, of_all, out=np.full(hits.shape, np.nan), where=of_all > 0)
    return found


def mean(values: Array) -> Array:
    """Return the means over tasks of (tasks, metrics) values, NaN where no task has one."""
    return _divided(np.stack([np.nansum(values, axis=0), np.sum(~np.isnan(values), axis=0)], axis=-1))


def trial_draws(tasks: Sequence[Array], counted: npt.NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """Return (RESAMPLES, metrics) deviations of the mean when each task is flown again.

    Args:
        tasks: (episodes, metrics, 2) counts, at least two episodes each.
        counted: (tasks, metrics) whether the task belongs to the mean.
        rng: where the draws come from.
    """
    total = np.zeros((RESAMPLES, counted.shape[1]))
    for counts, used in zip(tasks, counted, strict=True):
        n = len(counts)
        drawn = _divided(counts[rng.integers(n, size=(RESAMPLES, n))].sum(axis=1))
        total += np.where(used, np.nan_to_num(drawn - ratios(counts)), 0.0) * stretch(n)
    found: Array = total / np.maximum(counted.sum(axis=0), 1)
    return found


def group_draws(groups: Sequence[Array], rng: np.random.Generator) -> Array:
    """Return (RESAMPLES, metrics) deviations of the mean when whole groups of tasks are drawn again.

    Args:
        groups: (tasks, metrics) values of each group, at least two groups.
        rng: where the draws come from.
    """
    sums = np.stack([np.nansum(group, axis=0) for group in groups])
    sizes = np.stack([np.sum(~np.isnan(group), axis=0) for group in groups]).astype(np.float64)
    pairs = np.stack([sums, sizes], axis=-1)
    chosen = rng.integers(len(groups), size=(RESAMPLES, len(groups)))
    drawn = _divided(pairs[chosen].sum(axis=1))
    return np.nan_to_num(drawn - _divided(pairs.sum(axis=0))) * stretch(len(groups))


def deal(
    first: Sequence[Array],
    second: Sequence[Array],
    counted: npt.NDArray[np.bool_],
    rng: np.random.Generator,
) -> Array:
    """Deal the episodes of each task anew to two runs of the same sizes, and see how far these differ.

    Args:
        first: per task (episodes, metrics, 2) counts of one run.
        second: the same of the other, over the same tasks.
        counted: (tasks, metrics) whether the task belongs to the mean.
        rng: where the deals come from.

    Returns:
        (metrics,) what nineteen in twenty of these differences do not exceed; NaN where there are none.
    """
    total, tasks = (np.zeros((RESAMPLES, counted.shape[1])) for _ in range(2))
    for a, b, used in zip(first, second, counted, strict=True):
        pool = np.concatenate([a, b])
        dealt = pool[np.argsort(rng.random((RESAMPLES, len(pool))), axis=1)]
        change = _divided(dealt[:, len(a) :].sum(axis=1)) - _divided(dealt[:, : len(a)].sum(axis=1))
        kept = used & ~np.isnan(change)
        total += np.where(kept, change, 0.0)
        tasks += kept
    sizes = np.sort(np.abs(total / np.maximum(tasks, 1)), axis=0)
    return np.where(counted.any(axis=0), sizes[-1 - FLOOR_CUT], np.nan)
