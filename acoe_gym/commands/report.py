"""The command ``acoe report``: runs as one page, figures and tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from acoe_gym.benchmark.report.data import gather
from acoe_gym.benchmark.report.figures import check_figures, write_figures
from acoe_gym.benchmark.report.page import page
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


def report_lines(args: argparse.Namespace) -> Iterator[str]:
    """Do what ``acoe report`` asks for and yield what it says."""
    if not args.no_figures:
        check_figures()
    report = gather(args.run, args.title, allow_partial=args.allow_partial)
    out: Path = args.out
    try:
        out.mkdir(parents=True, exist_ok=True)
        text = page(report).encode()
        (out / PAGE).write_bytes(text)
        written = write_tables(report, out)
    except OSError as error:
        raise RecordError(f"{out}: expected a folder to write to, got {error.strerror}") from None
    yield from report.notes
    yield f"page: {out / PAGE} ({len(text) / 1e6:.1f} MB)"
    yield f"tables: {', '.join(path.name for path in written)}"
    try:
        yield f"parquet: {', '.join(path.name for path in write_parquet(report, out))}"
    except MissingExtra as error:
        yield f"parquet: left out, {error}"
    if not args.no_figures:
        paths = write_figures(report, out)
        yield f"figures: {len(paths)} files in {out / 'figures'}"
