"""``acoe failures``: why the failed episodes of a run failed, counted and one by one."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from acoe_gym.benchmark.comparison.comparable import require_episodes
from acoe_gym.benchmark.failures import MODES, FailureMode, counts, failure_modes
from acoe_gym.benchmark.replay import UNKNOWN, current, known
from acoe_gym.benchmark.runs import Run, read_run
from acoe_gym.errors import RecordError

Modes = Mapping[tuple[str, int], FailureMode]
WIDTH = 98


def add_failures_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``acoe failures``."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument(
        "--allow-partial", action="store_true", help="look at the run although episodes are missing"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def failures_lines(args: argparse.Namespace) -> Iterator[str]:
    """Yield the table of modes, then the failed episodes of each task.

    Raises:
        RecordError: there is no run in the folder, it lacks episodes, or its tasks have changed since.
    """
    run = read_run(args.run)
    require_episodes(run, partial=args.allow_partial)
    other = next((record for record in run.records if not current(record)), None)
    if other is not None and not known(other["task"]):
        raise RecordError(f"{run.folder}: {other['task']} is {UNKNOWN}")
    if other is not None:
        raise RecordError(
            f"{run.folder}: expected episodes of the tasks as they stand, got another version of "
            f"{other['task']}; use the version of the package that flew it"
        )
    modes = failure_modes(run.records)
    if args.json:
        yield json.dumps(_as_json(run, modes), indent=1, allow_nan=False)
        return
    unsafe = sum(record["grade"]["safe"] == 0.0 for record in run.records)
    yield f"{run.name}: {len(modes)} of {len(run.records)} episodes failed, {unsafe} of them unsafe"
    if modes:
        yield from ("", *_table(modes), *_episodes(modes))


def _as_json(run: Run, modes: Modes) -> dict[str, object]:
    return {
        "run": run.name,
        "episodes": len(run.records),
        "failed": len(modes),
        "counts": counts(modes.values()),
        "modes": [{"task": task, "trial": trial, **asdict(mode)} for (task, trial), mode in modes.items()],
    }


def _table(modes: Modes) -> Iterator[str]:
    yield f"{'failure mode':<36}{'episodes':>8}{'share':>8}"
    counted = counts(modes.values())
    for name, title in MODES:
        yield f"{title:<36}{counted[name]:>8}{counted[name] / len(modes):>8.1%}"


def _episodes(modes: Modes) -> Iterator[str]:
    for task in dict.fromkeys(task for task, _ in modes):
        yield from ("", task)
        for (_, trial), mode in ((key, mode) for key, mode in modes.items() if key[0] == task):
            calls = ", ".join(f"{turn}.{number}" for turn, number in mode.calls)
            shown = f"; calls {calls}" if calls else ""
            yield from textwrap.wrap(
                f"trial {trial}: {mode.mode}: {mode.why}{shown}",
                WIDTH, initial_indent="  ", subsequent_indent="      ",
            )  # fmt: skip
