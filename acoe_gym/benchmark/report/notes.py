"""What a reader must know before numbers are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acoe_gym.benchmark.replay import UNKNOWN, current, known
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.cockpit.text import counted


def notes(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    """Return what must be said of some runs, one by one and together."""
    return (*(note for run in runs for note in _of(run)), *_together(runs))


def _of(run: ShownRun) -> Iterator[str]:
    if run.status == "refused":
        yield f"{run.name}: {run.coverage}. A run with missing episodes gets no score."
    if run.status == "partial":
        yield f"{run.name}: {run.coverage}. Its scores are over the finished episodes only."
    yield from _not_current(run)
    if run.run.errors:
        attempts = counted(len(run.run.errors), "attempt")
        yield f"{run.name}: {attempts} ended by the infrastructure; not in any score."


def _not_current(run: ShownRun) -> Iterator[str]:
    """Yield how many episodes cannot be played again here, and why."""
    other = [record["task"] for record in run.run.records if not current(record)]
    unknown = [task for task in other if not known(task)]
    lacking = f"{run.name}: no failure mode and no replies of"
    if unknown:
        yield f"{lacking} {counted(len(unknown), 'episode')}: {unknown[0]} is {UNKNOWN}."
    if len(other) > len(unknown):
        told = counted(len(other) - len(unknown), "episode")
        yield f"{lacking} {told}: recorded with another version of the task."


def _together(runs: Sequence[ShownRun]) -> Iterator[str]:
    few = ", ".join(f"{run.name} only {run.scope}" for run in runs if not run.covers_all)
    if few:
        yield f"The runs cover different tasks: {few}. Compare their scores task by task, not as a whole."
    if len({run.run.configuration["trials"] for run in runs}) > 1:
        yield "The runs have different numbers of trials: the scores of those with fewer vary more."
