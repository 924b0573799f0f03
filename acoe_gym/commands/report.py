"""The command ``acoe report``: runs as one page, figures and tables."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from acoe_gym.benchmark.report.data import Report, gather
from acoe_gym.benchmark.report.figures import check_figures, write_figures
from acoe_gym.benchmark.report.page import page
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.benchmark.report.tables import write_parquet, write_tables
from acoe_gym.errors import MissingExtra, RecordError

PAGE = "report.html"


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``acoe report``."""
    parser.add_argument("run", nargs="+", type=Path, metavar="RUN", help="folder of a run")
    parser.add_argument(
        "--out", type=Path, default=Path("report"), metavar="DIR", help="write there, default report"
    )
    parser.add_argument("--title", default="Cockpit benchmark report", help="heading of the page")
    parser.add_argument(
        "--allow-partial", action="store_true", help="score runs with missing episodes, marked as partial"
    )
    parser.add_argument(
        "--no-figures", action="store_true", help="write no PNG and SVG figures, which need the extra report"
    )


def report_command(args: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Do what ``acoe report`` asks for and return the exit code: 1 if a run got no score.

    Raises:
        MissingExtra: figures are asked for and Matplotlib is not installed; nothing is written then.
        RecordError: a run cannot be read, runs must not be compared, or the folder cannot be written to.
    """
    if not args.no_figures:
        check_figures()
    report = gather(args.run, args.title, allow_partial=args.allow_partial)
    for line in (*report.notes, *_written(report, args.out, figures=not args.no_figures)):
        say(line)
    refused = [run for run in report.runs if run.summary is None]
    if refused:
        say(_refusal(refused))
    return 1 if refused else 0


def _written(report: Report, out: Path, *, figures: bool) -> Iterator[str]:
    """Write everything and yield what was written."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        text = page(report).encode()
        (out / PAGE).write_bytes(text)
        written = write_tables(report, out)
    except OSError as error:
        raise RecordError(f"{out}: expected a folder to write to, got {error.strerror}") from None
    yield f"page: {out / PAGE} ({len(text) / 1e6:.1f} MB)"
    yield f"tables: {', '.join(path.name for path in written)}"
    try:
        yield f"parquet: {', '.join(path.name for path in write_parquet(report, out))}"
    except MissingExtra as error:
        yield f"parquet: left out, {error}"
    if figures:
        paths = write_figures(report, out)
        yield f"figures: {len(paths)} files in {out / 'figures'}"


def _refusal(refused: Sequence[ShownRun]) -> str:
    told = ", ".join(f"{run.name} ({run.flown})" for run in refused)
    retry = "; ".join(f"acoe retry {shlex.quote(str(run.run.folder))}" for run in refused)
    partly = any(run.run.records for run in refused)
    score = ", or score what is there with --allow-partial" if partly else ", or leave it out"
    return f"no score for {told}: fly what is missing with {retry}{score}"
