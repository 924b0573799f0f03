"""Two runs over the same tasks: what differs, by how much, and whether chance alone would do it.

How to read it is told in ``docs/comparing.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from acoe_gym.benchmark.comparison.comparable import (
    by_task,
    names,
    require_episodes,
    require_one_version,
    shared_tasks,
)
from acoe_gym.benchmark.comparison.flips import Flip, Shares, chance_share, flips
from acoe_gym.benchmark.comparison.resampling import (
    Array,
    deal,
    dice,
    group_draws,
    mean,
    ratios,
    trial_draws,
)
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.runs import Run, tokens_of
from acoe_gym.cockpit.metrics import FEWEST_TEMPLATES, Interval, percentiles
from acoe_gym.cockpit.results import EpisodeResult

# Sums of floats that should be equal differ in the last digits.
TINY = 1e-9


@dataclass(frozen=True)
class Metric:
    """One thing that is compared.

    Attributes:
        name: as shown and as named on the command line.
        higher_is_better: which way is worse.
        share: whether it lies between 0 and 1.
        counts: (hits, of all) of one episode; of all is 0 where the episode says nothing.
    """

    name: str
    higher_is_better: bool
    share: bool
    counts: Callable[[EpisodeResult], tuple[float, float]]


TOKENS = "tokens"
METRICS = {
    metric.name: metric
    for metric in (
        Metric("SR", True, True, lambda r: (r.success, 1)),
        Metric("SGO", True, True, lambda r: (r.sgo, 1)),
        Metric("SCR", True, True, lambda r: (r.safe, 1)),
        Metric("unsafe", False, True, lambda r: (1.0 - r.safe, 1)),
        Metric("IAR", False, True, lambda r: (r.ineffective_writes, r.writes)),
        Metric("tools", True, True, lambda r: (r.selection_calls - r.selection_misses, r.selection_calls)),
        Metric("turns", False, False, lambda r: (r.turns, 1)),
        Metric("calls", False, False, lambda r: (r.calls, 1)),
        # Tokens stand in the record, not in what the episode comes to.
        Metric(TOKENS, False, False, lambda _: (0, 0)),
    )
}
NAMES = tuple(METRICS)
SR, SCR = NAMES.index("SR"), NAMES.index("SCR")


@dataclass(frozen=True)
class Difference:
    """One metric of two runs; each figure is None where it does not exist.

    Attributes:
        metric: a key of ``METRICS``.
        tasks: tasks that the figures rest on: those with a value in both runs.
        a, b: means over these tasks of the values within the task.
        difference: ``b - a``.
        trials: 95 % interval for the same tasks flown again; None unless each has two episodes in both runs.
        procedures: 95 % interval for other procedures; None unless there are five templates.
        noise: what nineteen in twenty differences do not exceed where each task's episodes are dealt anew to
            the two runs: what would be seen if both were of one model.
    """

    metric: str
    tasks: int
    a: float | None
    b: float | None
    difference: float | None
    trials: Interval | None
    procedures: Interval | None
    noise: float | None

    @property
    def beyond_noise(self) -> bool:
        """Whether chance alone would show a difference of this size in fewer than one of twenty pairs."""
        return (
            self.difference is not None
            and self.noise is not None
            and abs(self.difference) > self.noise + TINY
        )

    def worse(self, margin: float = 0.0) -> bool:
        """Tell whether ``b`` is worse by more than a margin, its whole ``trials`` interval agreeing."""
        if self.trials is None:
            return False
        if METRICS[self.metric].higher_is_better:
            return self.trials.high < -margin - TINY
        return self.trials.low > margin + TINY


@dataclass(frozen=True)
class Comparison:
    """Two runs, ``a`` the one that stands and ``b`` the one that is held against it.

    Attributes:
        a, b: names of the runs.
        tasks: tasks that both flew.
        episodes: episodes of these tasks, of each run.
        missing: episodes that each run lacks.
        errors: attempts of each run that the infrastructure ended.
        differences: one per metric, in the order of ``METRICS``.
        flips: tasks that changed sides.
        chance_flips: expected share of tasks that are lost or gained, and that turn unsafe or safe, between
            two runs of one model (mean over both); None unless each task has two episodes in both runs.
        verdict: what it comes to.
    """

    a: str
    b: str
    tasks: int
    episodes: tuple[int, int]
    missing: tuple[int, int]
    errors: tuple[int, int]
    differences: tuple[Difference, ...]
    flips: tuple[Flip, ...]
    chance_flips: tuple[float, float] | None
    verdict: str

    def of(self, metric: str) -> Difference:
        """Return the difference in one metric."""
        return self.differences[NAMES.index(metric)]


def compare(a: Run, b: Run, seed: int = 0, *, common: bool = False, partial: bool = False) -> Comparison:
    """Compare two runs, task by task; the order of their records does not matter.

    Args:
        a: the run that stands.
        b: the run that is held against it; every difference is ``b - a``.
        seed: of the resampling.
        common: leave out tasks that only one of them was to fly.
        partial: put up with missing episodes.

    Raises:
        RecordError: versions or tasks differ, or episodes are missing.
    """
    require_episodes(a, partial=partial)
    require_episodes(b, partial=partial)
    require_one_version(a, b)
    tasks = shared_tasks(a, b, common=common)
    first, second = (_counts(run, tasks) for run in (a, b))
    templates = {record["task"]: record["template"] for record in a.records}
    differences = _differences(first, second, [templates[task] for task in tasks], seed)
    shares = _shares(first), _shares(second)
    repeated = min(map(len, [*first, *second])) > 1
    named = names([a, b])
    return Comparison(
        a=named[0],
        b=named[1],
        tasks=len(tasks),
        episodes=(sum(map(len, first)), sum(map(len, second))),
        missing=(len(a.missing), len(b.missing)),
        errors=(len(a.errors), len(b.errors)),
        differences=differences,
        flips=flips(tasks, *shares),
        chance_flips=_chance_flips(*shares) if repeated else None,
        verdict=_verdict(named[1], differences),
    )


def _counts(run: Run, tasks: Sequence[str]) -> list[Array]:
    """Return per task the (episodes, metrics, 2) counts; tokens count only where every episode tells them."""
    records = by_task(run)
    used = {task: [tokens_of(record).total for record in records[task]] for task in tasks}
    told = all(count is not None for counts in used.values() for count in counts)
    found = []
    for task in tasks:
        rows = [[metric.counts(r) for metric in METRICS.values()] for r in results_of(records[task])]
        if told:
            for row, count in zip(rows, used[task], strict=True):
                row[NAMES.index(TOKENS)] = (count or 0, 1)
        found.append(np.array(rows, dtype=np.float64))
    return found


def _values(tasks: Sequence[Array]) -> Array:
    """Return (tasks, metrics) values."""
    return np.stack([ratios(counts) for counts in tasks])


def _differences(
    first: Sequence[Array], second: Sequence[Array], templates: Sequence[str], seed: int
) -> tuple[Difference, ...]:
    a, b = _values(first), _values(second)
    paired = b - a
    counted = ~np.isnan(paired)
    change = mean(paired)
    floor = deal(first, second, counted, dice(seed, "deal"))
    trials = procedures = None
    if min(map(len, [*first, *second])) > 1:
        again = [trial_draws(side, counted, dice(seed, name)) for side, name in ((first, "a"), (second, "b"))]
        trials = change + again[1] - again[0]
    groups = [paired[[t == template for t in templates]] for template in dict.fromkeys(templates)]
    if len(groups) >= FEWEST_TEMPLATES:
        procedures = change + group_draws(groups, dice(seed, "procedures"))
    return tuple(
        Difference(
            metric=name,
            tasks=int(counted[:, i].sum()),
            a=_known(mean(np.where(counted, a, np.nan))[i]),
            b=_known(mean(np.where(counted, b, np.nan))[i]),
            difference=_known(change[i]),
            trials=_interval(trials, i),
            procedures=_interval(procedures, i),
            noise=_known(floor[i]),
        )
        for i, name in enumerate(NAMES)
    )


def _known(value: float) -> float | None:
    """Return a plain float, None for NaN."""
    return None if np.isnan(value) else float(value)


def _interval(draws: Array | None, metric: int) -> Interval | None:
    """Return the interval of one metric; that of a share ends where shares can differ no more."""
    if draws is None or np.isnan(draws[:, metric]).any():
        return None
    drawn = draws[:, metric]
    return percentiles((np.clip(drawn, -1.0, 1.0) if METRICS[NAMES[metric]].share else drawn).tolist())


def _shares(tasks: Sequence[Array]) -> list[Shares]:
    return [Shares(len(task), *(int(task[:, metric, 0].sum()) for metric in (SR, SCR))) for task in tasks]


def _chance_flips(first: Sequence[Shares], second: Sequence[Shares]) -> tuple[float, float]:
    sizes = [(a.episodes, b.episodes) for a, b in zip(first, second, strict=True)]
    success = [
        chance_share([(task.success, task.episodes) for task in run], sizes) for run in (first, second)
    ]
    safe = [chance_share([(task.safe, task.episodes) for task in run], sizes) for run in (first, second)]
    return sum(success) / 2, sum(safe) / 2


def _verdict(name: str, differences: Sequence[Difference]) -> str:
    """Return a sentence on success and safety together."""
    told = [differences[i] for i in (SR, SCR)]
    shown = "; ".join(map(_told, told))
    unsafe = f"unsafe share {differences[NAMES.index('unsafe')].difference or 0.0:+.3f}"
    if not any(difference.beyond_noise for difference in told):
        return f"{name}: no difference beyond noise ({shown}; {unsafe})"
    words = [
        f"{'higher' if (d.difference or 0.0) > 0 else 'lower'} {d.metric}" for d in told if d.beyond_noise
    ]
    return f"{name}: {' and '.join(words)}, beyond noise ({shown}; {unsafe})"


def _told(d: Difference) -> str:
    noise = "unknown" if d.noise is None else f"{d.noise:.3f}"
    return f"{d.metric} {d.difference or 0.0:+.3f}, noise floor {noise}"
