"""Which runs one report may show; a refusal names the folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations

from acoe_gym.benchmark.comparison.comparable import require_one_protocol, require_one_version
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.runs import Run
from acoe_gym.errors import RecordError


def require_comparable(runs: Sequence[Run]) -> None:
    """Check that runs may stand on one page.

    Raises:
        RecordError: a run holds a broken line, or runs belong to different versions of the benchmark or were
            told different things.
    """
    for run in runs:
        if run.problems:
            raise RecordError(run.problems[0])
    require_one_protocol(runs)
    try:
        results_of([record for run in runs for record in run.records])
    except RecordError:
        _name_the_culprits(runs)
        raise


def _name_the_culprits(runs: Sequence[Run]) -> None:
    """Raise RecordError for the first run, or pair of runs, that mixes versions."""
    for run in runs:
        with _naming(run):
            run.results()
    for a, b in combinations(runs, 2):
        with _naming(a, b):
            require_one_version(a, b)
            results_of([*a.records, *b.records])  # differences outside the tasks that both have


@contextmanager
def _naming(*runs: Run) -> Iterator[None]:
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{' and '.join(str(run.folder) for run in runs)}: {error}") from None
