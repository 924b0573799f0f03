"""``acoe generate`` and ``acoe export``: their options, and what they write and say."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.datasets.export import CANARY_LINE, FORMATS, export, write_lines
from acoe_gym.benchmark.datasets.offline import FACES
from acoe_gym.benchmark.datasets.selection import Selection
from acoe_gym.benchmark.suites import SUITES
from acoe_gym.cockpit import library
from acoe_gym.cockpit.text import compact
from acoe_gym.cockpit.variants import DIFFICULTIES, SPLITS, Count, count, difficulty_of, split_of
from acoe_gym.commands.arguments import default_templates, positive
from acoe_gym.commands.describe import start
from acoe_gym.errors import UnknownName

VARIANTS, DRAWS = 10, 20_000
CORE_WARNING = (
    "warning: core tasks are the benchmark; what is trained on this file cannot be evaluated on them any more"
)
HEAD = ("template", "draws", "distinct", "space", *SPLITS, *DIFFICULTIES)
NOTES = """
draws: seeds tried; "all": every combination, where there are no more than that. distinct: how many exercises
differ in what goals, rules, constraints and the procedure read; none is a core task, and the reference solves
each. space: combinations of the listed values, an upper bound. The other columns divide the distinct ones;
in parentheses, how many writes the reference makes at that difficulty."""


def add_generate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``acoe generate``."""
    _add_selection(parser)
    parser.add_argument("--split", choices=tuple(SPLITS), help="variants of this split alone")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there; standard output by default")
    parser.add_argument(
        "--counts", action="store_true",
        help=f"draw {DRAWS} variants per template, or --count N, and print how many differ",
    )  # fmt: skip


def add_export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``acoe export``."""
    parser.add_argument(
        "--format", choices=FORMATS, required=True,
        help="openai-chat: reference episodes as chats; pairs: chosen and rejected messages; jsonl: safe and "
        "unsafe trajectories labelled by step; minari: an offline dataset of one template",
    )  # fmt: skip
    parser.add_argument("--suite", choices=SUITES, default="generated", help="default generated")
    _add_selection(parser)
    parser.add_argument(
        "--split", choices=tuple(SPLITS), help="variants of this split alone; train by default"
    )
    parser.add_argument("--batch", action="store_true", help="put consecutive reads into one message")
    parser.add_argument("--face", choices=FACES, default="flat", help="with minari; default flat")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="PATH", help="a file; with minari the datasets' folder"
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--template", action="append", default=[], metavar="ID",
        help="variants of this template (repeatable); without it of all templates",
    )  # fmt: skip
    parser.add_argument(
        "--count", type=positive, metavar="N", help=f"variants per template, default {VARIANTS}"
    )
    parser.add_argument("--difficulty", choices=DIFFICULTIES, help="variants of this difficulty alone")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the first seed, default 0")


def generate_lines(args: argparse.Namespace) -> Iterator[str]:
    """Do what ``acoe generate`` asks for and yield what it says."""
    if args.counts:
        yield counts_page([count(template_id, args.count or DRAWS) for template_id in _templates(args)])
        return
    selection = _selection(args, "generated", args.split)
    if args.out is None:
        yield CANARY_LINE
        yield from map(compact, variant_rows(selection))
        return
    write_lines(args.out, map(compact, variant_rows(selection)), canary=True)
    yield f"wrote {len(selection.templates) * selection.count} variants to {args.out}"


def export_lines(args: argparse.Namespace) -> Iterator[str]:
    """Do what ``acoe export`` asks for and yield what it says."""
    if args.suite == "core" and (args.count, args.split, args.difficulty) != (None, None, None):
        raise UnknownName("expected --suite generated with --count, --split or --difficulty, got core")
    split = (args.split or "train") if args.suite == "generated" else None
    selection = _selection(args, args.suite, split)
    written = export(args.format, selection, args.out, batch=args.batch, face=args.face)
    yield f"wrote {written.rows} rows of {written.tasks} tasks to {written.path}"
    if written.left_out:
        yield f"left out {written.left_out} tasks whose calls are not in the finite action space"
    yield f"described in {written.meta}"


def _templates(args: argparse.Namespace) -> tuple[str, ...]:
    return tuple(library.template(name).id for name in args.template) or default_templates(args.specs)


def _selection(args: argparse.Namespace, suite: str, split: str | None) -> Selection:
    return Selection(suite, _templates(args), args.count or VARIANTS, args.seed, split, args.difficulty)


def variant_rows(selection: Selection) -> Iterator[dict[str, Any]]:
    """Yield one row per variant; ``seed`` is the one that was asked for, ``id`` alone names the task."""
    for seed, task in selection.seeded():
        yield {
            "id": task.id,
            "seed": seed,
            "split": split_of(task),
            "difficulty": difficulty_of(task),
            "briefing": task.briefing,
            "start": start(task),
            "hash": task.hash,
        }


def counts_page(counts: Sequence[Count]) -> str:
    """Return a table of counts, a row per template."""
    rows = [HEAD, *map(_row, counts)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(lines) + f"\n{NOTES}"


def _row(counted: Count) -> tuple[str, ...]:
    easy, medium = counted.ladder
    bands = (f"(to {easy})", f"(to {medium})", f"(over {medium})")
    rungs = [f"{n} {band}" for n, band in zip(counted.difficulties.values(), bands, strict=True)]
    draws = "all" if counted.exact else str(counted.draws)
    numbers = (counted.distinct, counted.space, *counted.splits.values())
    return (counted.template.ljust(34), draws, *map(str, numbers), *rungs)
