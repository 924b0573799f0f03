"""What a report shows, gathered from runs; every score comes from `acoe_gym.cockpit.metrics.aggregate`."""

from __future__ import annotations

import math
from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acoe_gym.benchmark.comparison import comparable
from acoe_gym.benchmark.failures import failure_modes
from acoe_gym.benchmark.failures.hearing import Inquest
from acoe_gym.benchmark.replay import current
from acoe_gym.benchmark.report.notes import notes
from acoe_gym.benchmark.report.shown import GROUPS, ShownRun, clean
from acoe_gym.benchmark.report.versions import require_comparable
from acoe_gym.benchmark.runs import Run, read_run
from acoe_gym.benchmark.tokens import token_use
from acoe_gym.cockpit.metrics import Row, Summary, aggregate


@dataclass(frozen=True)
class Report:
    """Everything that is shown.

    Attributes:
        title: heading of the page.
        runs: in the order of the leaderboard: by group, whole runs of all tasks first, then by SR.
        tasks: every task of any run, from the least to the most often solved.
        notes: what the reader must know before comparing numbers.
    """

    title: str
    runs: tuple[ShownRun, ...]
    tasks: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def scored(self) -> tuple[tuple[ShownRun, Summary], ...]:
        """The runs that have scores."""
        return tuple((run, run.summary) for run in self.runs if run.summary is not None)

    def groups(self) -> list[tuple[str, list[ShownRun]]]:
        """Return the groups that have runs, with their runs."""
        parts = [(name, [run for run in self.runs if run.group == name]) for name in GROUPS]
        return [(name, runs) for name, runs in parts if runs]


def best(runs: Sequence[ShownRun]) -> tuple[float | None, ...]:
    """Return the best SR, SGO, SCR and IAR of some runs, rounded as they are shown.

    Only whole runs over all tasks of the report are looked at, and none is best unless there are two.
    """
    scores = [compared(run.summary) for run in runs if run.summary is not None and run.is_peer]
    if len(scores) < 2:
        return (None,) * 4
    columns = [[value for value in column if value is not None] for column in zip(*scores, strict=True)]
    picks = zip((max, max, max, min), columns, strict=True)
    return tuple(pick(column, default=None) for pick, column in picks)


def compared(s: Summary) -> tuple[float | None, ...]:
    """Return SR, SGO, SCR and IAR as they are shown."""
    values = (s.sr.value, s.sgo.value, s.scr.value, s.iar.value)
    return tuple(None if value is None else round(value, 3) for value in values)


def gather(folders: Sequence[Path], title: str, *, allow_partial: bool = False) -> Report:
    """Read runs and return what to show of them.

    Args:
        folders: the runs' folders.
        title: heading of the page.
        allow_partial: give scores of runs with missing episodes too, marked as partial.

    Raises:
        RecordError: a folder holds no run, holds a broken line, or runs belong to different versions of the
            benchmark.
    """
    runs = [read_run(folder) for folder in folders]
    require_comparable(runs)
    # Most of the work on a failed episode is on its task; all runs share it.
    inquests: dict[str, Inquest] = {}
    all_tasks = len({task for run in runs for task in run.configuration["tasks"]})
    listed = [
        _shown(run, name, all_tasks, inquests, allow_partial=allow_partial)
        for run, name in zip(runs, _names(runs), strict=True)
    ]
    return Report(clean(title), tuple(sorted(listed, key=_rank)), _tasks(listed), notes(listed))


def _names(runs: Sequence[Run]) -> list[str]:
    """Return a name per run; those that only an unprintable character told apart are told by number."""
    names = [clean(name) for name in comparable.names(runs)]
    return [n if names.count(n) == 1 else f"{n} #{names[: i + 1].count(n)}" for i, n in enumerate(names)]


def _shown(
    run: Run, name: str, all_tasks: int, inquests: MutableMapping[str, Inquest], *, allow_partial: bool
) -> ShownRun:
    results = tuple(run.results())
    scored = bool(results) and (allow_partial or not run.missing)
    return ShownRun(
        name=name,
        run=run,
        results=results,
        summary=aggregate(results) if scored else None,
        cost=token_use(run),
        modes=failure_modes([record for record in run.records if current(record)], inquests),
        all_tasks=all_tasks,
    )


def _rank(shown: ShownRun) -> tuple[int, bool, int, float, str]:
    state = ("whole", "partial", "refused").index(shown.status)
    success = shown.summary.sr.value if shown.summary else 0.0
    return GROUPS.index(shown.group), not shown.is_peer, state, -success, shown.name


def _tasks(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    """Order the tasks by the mean over the scored runs of the share of episodes that solved them."""
    shares: dict[str, list[float]] = {task: [] for run in runs for task in run.run.configuration["tasks"]}
    for row in _rows(runs):
        shares[row.name].append(row.sr)
    return tuple(sorted(shares, key=lambda task: (_mean(shares[task]), task)))


def _rows(runs: Iterable[ShownRun]) -> Iterable[Row]:
    return (row for run in runs if run.summary for row in run.summary.rows)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
