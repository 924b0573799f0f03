"""Tasks whose outcome changed sides between two runs, and how many would by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CHANGES = ("lost", "gained", "turned unsafe", "turned safe")


@dataclass(frozen=True)
class Shares:
    """One task in one run.

    Attributes:
        episodes: how many.
        success, safe: how many of them succeeded, and how many violated nothing.
    """

    episodes: int
    success: int
    safe: int


@dataclass(frozen=True)
class Flip:
    """A task whose majority of episodes changed sides; half and half is on neither side.

    Attributes:
        task: task id.
        change: one of ``CHANGES``, from ``a`` to ``b``.
        success_a, success_b: shares of successful episodes.
        safe_a, safe_b: shares of episodes without a violation.
    """

    task: str
    change: str
    success_a: float
    success_b: float
    safe_a: float
    safe_b: float


def flips(tasks: Sequence[str], first: Sequence[Shares], second: Sequence[Shares]) -> tuple[Flip, ...]:
    """Return the tasks that changed sides, in the order of ``CHANGES`` and of the tasks."""
    rows = list(zip(tasks, first, second, strict=True))
    found = [_flip(task, change, a, b) for task, a, b in rows for change in _changes(a, b)]
    return tuple(sorted(found, key=lambda flip: CHANGES.index(flip.change)))


def _changes(a: Shares, b: Shares) -> Iterator[str]:
    pairs = ((a.success, b.success), (a.safe, b.safe))
    for (before, after), down, up in zip(pairs, CHANGES[::2], CHANGES[1::2], strict=True):
        sides = _side(before, a.episodes), _side(after, b.episodes)
        if sides[0] * sides[1] < 0:
            yield down if sides[1] < 0 else up


def _side(hits: int, episodes: int) -> int:
    """Return 1 for a majority of hits, -1 for one of misses, 0 for neither."""
    return (2 * hits > episodes) - (2 * hits < episodes)


def _flip(task: str, change: str, a: Shares, b: Shares) -> Flip:
    shares = (a.success / a.episodes, b.success / b.episodes, a.safe / a.episodes, b.safe / b.episodes)
    return Flip(task, change, *shares)


def chance_share(run: Sequence[tuple[int, int]], sizes: Sequence[tuple[int, int]]) -> float:
    """Return the expected share of tasks that flip between two runs of one model.

    What a task's own few episodes say of its chance of success is too extreme, so the chances are taken to
    follow the beta distribution that has the run's mean and its variation within tasks.

    Args:
        run: (hits, episodes) of each task in a run of the model, at least two episodes each.
        sizes: episodes of each task in the two runs.
    """
    mean = sum(hits / n for hits, n in run) / len(run)
    within = sum(hits * (n - hits) / (n * (n - 1)) for hits, n in run) / len(run)
    spread = mean * (1 - mean) - within
    if within == 0:
        return 0.0
    # Tasks that differ no more than chance makes them are as good as one.
    weight = within / max(spread, 1e-6)
    prior = mean * weight, (1 - mean) * weight
    known = {pair: _flipping(*pair, *prior) for pair in set(sizes)}
    return sum(known[pair] for pair in sizes) / len(sizes)


def _flipping(n: int, m: int, alpha: float, beta: float) -> float:
    """Return the chance that majorities of n and m episodes of one task are on opposite sides."""
    opposite = ((i, j) for i in range(n + 1) for j in range(m + 1) if _side(i, n) * _side(j, m) < 0)
    return math.fsum(
        math.comb(n, i)
        * math.comb(m, j)
        * math.exp(_log_beta(i + j + alpha, n + m - i - j + beta) - _log_beta(alpha, beta))
        for i, j in opposite
    )


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
