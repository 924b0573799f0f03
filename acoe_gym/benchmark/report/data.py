"""What a report shows, gathered from runs; every score comes from `acoe_gym.cockpit.metrics.aggregate`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from acoe_gym.benchmark.comparison.comparable import require_one_protocol
from acoe_gym.benchmark.failures import FailureMode, failure_modes
from acoe_gym.benchmark.failures.hearing import Inquest
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.replay import current
from acoe_gym.benchmark.runs import Run, read_run
from acoe_gym.benchmark.tokens import TokenUse, token_use
from acoe_gym.cockpit.metrics import EpisodeResult, Row, Summary, aggregate
from acoe_gym.errors import RecordError

# The groups of a leaderboard by ``about.open_weights``, in the order in which they are shown.
GROUPS: dict[bool | None, str] = {
    False: "API-only models",
    True: "Open-weight models",
    None: "Other runs (weights not stated)",
}
Place = tuple[str, int]  # task id, trial


@dataclass(frozen=True)
class ShownRun:
    """One run as the report shows it.

    Attributes:
        name: unique among the runs of the report.
        run: what its folder holds.
        results: what its finished episodes come to.
        summary: its scores; None where they are refused because episodes are missing.
        cost: tokens and money.
        modes: (task id, trial) -> how that episode failed.
    """

    name: str
    run: Run
    results: tuple[EpisodeResult, ...]
    summary: Summary | None
    cost: TokenUse
    modes: Mapping[Place, FailureMode]

    @property
    def planned(self) -> int:
        """Episodes that the run was to have."""
        return len(self.run.records) + len(self.run.missing)

    @property
    def status(self) -> str:
        """``whole``, ``partial`` or ``refused``."""
        if self.summary is None:
            return "refused"
        return "partial" if self.run.missing else "whole"

    @property
    def coverage(self) -> str:
        """How many of its episodes a run has, in words; a whole run's are named too."""
        share = f"{len(self.run.records)} of {self.planned} episodes"
        return share if self.status == "whole" else f"{share}; {self.status}"

    @property
    def group(self) -> str:
        """Heading under which the leaderboard lists the run."""
        stated = self.run.about.get("open_weights")
        return GROUPS[stated if isinstance(stated, bool) else None]

    @property
    def parameters(self) -> str:
        """Number of parameters as stated, or a dash."""
        return clean(str(self.run.about.get("parameters") or "\N{EN DASH}"))

    @cached_property
    def by_task(self) -> dict[str, list[EpisodeResult]]:
        """Task id -> the run's episodes of it."""
        found: dict[str, list[EpisodeResult]] = {}
        for result in self.results:
            found.setdefault(result.task, []).append(result)
        return found

    def setting(self, name: str) -> str:
        """Return one of a model's settings, such as ``harness``, as text; empty where there is none."""
        settings = self.run.configuration.get("settings")
        value = settings.get(name) if isinstance(settings, Mapping) else None
        return "" if value is None else clean(str(value))


@dataclass(frozen=True)
class Report:
    """Everything that is shown.

    Attributes:
        title: heading of the page.
        runs: in the order of the leaderboard: by group, whole runs first, then by SR.
        tasks: every task of any run, from the most to the least often solved.
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

    def best(self, runs: Sequence[ShownRun]) -> tuple[float | None, ...]:
        """Return the best SR, SGO, SCR and IAR of some runs, rounded as they are shown.

        Only whole runs are looked at, and none is best where the report's whole runs cover different tasks.
        """
        whole = [run for run, _ in self.scored if run.status == "whole"]
        if len({frozenset(run.by_task) for run in whole}) > 1:
            return (None,) * 4
        scores = [compared(run.summary) for run in runs if run.summary is not None and run.status == "whole"]
        columns = [[value for value in column if value is not None] for column in zip(*scores, strict=True)]
        picks = zip((max, max, max, min), columns or [[]] * 4, strict=True)
        return tuple(pick(column, default=None) for pick, column in picks)

    def groups(self) -> list[tuple[str, list[ShownRun]]]:
        """Return the groups that have runs, with their runs."""
        parts = [(name, [run for run in self.runs if run.group == name]) for name in GROUPS.values()]
        return [(name, runs) for name, runs in parts if runs]


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
    for run in runs:
        if run.problems:
            raise RecordError(run.problems[0])
    results_of([record for run in runs for record in run.records])  # refuses what must not be compared
    require_one_protocol(runs)
    # Most of the work on a failed episode is on its task; all runs share it.
    inquests: dict[str, Inquest] = {}
    named = zip(runs, _names(runs), strict=True)
    listed = [_shown(run, name, inquests, allow_partial=allow_partial) for run, name in named]
    return Report(clean(title), tuple(sorted(listed, key=_rank)), _tasks(listed), _notes(listed))


def clean(text: str) -> str:
    """Return a text without what no file format can carry: control characters and halves of characters."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in whole)


def _names(runs: Sequence[Run]) -> list[str]:
    """Return a name per run; runs of one name are told apart by number."""
    names = [clean(run.name) for run in runs]
    taken: set[str] = set()
    for index, name in enumerate(names):
        number, unique = 2, name
        while unique in taken:
            number, unique = number + 1, f"{name} ({number})"
        taken.add(unique)
        names[index] = unique
    return names


def _shown(run: Run, name: str, inquests: MutableMapping[str, Inquest], *, allow_partial: bool) -> ShownRun:
    results = tuple(run.results())
    scored = bool(results) and (allow_partial or not run.missing)
    return ShownRun(
        name=name,
        run=run,
        results=results,
        summary=aggregate(results) if scored else None,
        cost=token_use(run),
        modes=failure_modes([record for record in run.records if current(record)], inquests),
    )


def _rank(shown: ShownRun) -> tuple[int, int, float, str]:
    group = list(GROUPS.values()).index(shown.group)
    state = ("whole", "partial", "refused").index(shown.status)
    return group, state, -shown.summary.sr.value if shown.summary else 0.0, shown.name


def _tasks(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    """Order the tasks by the mean over the scored runs of the share of episodes that solved them."""
    shares: dict[str, list[float]] = {task: [] for run in runs for task in run.run.configuration["tasks"]}
    for row in _rows(runs):
        shares[row.name].append(row.sr)
    return tuple(sorted(shares, key=lambda task: (-_mean(shares[task]), task)))


def _rows(runs: Iterable[ShownRun]) -> Iterable[Row]:
    return (row for run in runs if run.summary for row in run.summary.rows)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def _notes(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    notes = []
    for run in runs:
        if run.status == "refused":
            notes.append(f"{run.name}: {run.coverage}. A run with missing episodes gets no score.")
        if run.status == "partial":
            notes.append(f"{run.name}: {run.coverage}. Its scores are over the finished episodes only.")
        stale = sum(not current(record) for record in run.run.records)
        if stale:
            notes.append(
                f"{run.name}: {stale} episodes were recorded with another version of their task; "
                "they have no failure mode, and their replies are not shown."
            )
        if run.run.errors:
            attempts = f"{len(run.run.errors)} {'attempt' if len(run.run.errors) == 1 else 'attempts'}"
            notes.append(f"{run.name}: {attempts} ended by the infrastructure; they are in no score.")
    if len({frozenset(run.run.configuration["tasks"]) for run in runs}) > 1:
        notes.append("The runs cover different tasks: compare their scores task by task, not as a whole.")
    if len({run.run.configuration["trials"] for run in runs}) > 1:
        notes.append("The runs have different numbers of trials: the scores of those with fewer vary more.")
    return tuple(notes)


def infrastructure(run: ShownRun) -> list[tuple[str, int]]:
    """Return the errors of the infrastructure by their text, most frequent first."""
    texts = Counter(clean(str(error.get("error", "")))[:200] for error in run.run.errors)
    return sorted(texts.items(), key=lambda item: (-item[1], item[0]))
