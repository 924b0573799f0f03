"""The command ``acoe metrics``: everything that is counted of one run or several."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.comparison.comparable import names, require_episodes, require_one_version
from acoe_gym.benchmark.difficulty import Difficulty, difficulty
from acoe_gym.benchmark.runs import Run, noted, read_run
from acoe_gym.benchmark.tokens import TokenUse, token_use
from acoe_gym.benchmark.tool_use import ToolUse, tool_use
from acoe_gym.cockpit.metrics import Summary, aggregate
from acoe_gym.cockpit.scoreboard import comparison_table, summary_json, summary_table, task_table
from acoe_gym.errors import AcoeError


def add_metrics_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("run", nargs="+", type=Path, metavar="RUN", help="folder of a run")
    parser.add_argument("--tasks", action="store_true", help="a row per task too")
    parser.add_argument(
        "--allow-partial", action="store_true", help="print metrics although episodes are missing"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the intervals, default 0")
    parser.add_argument("--json", action="store_true", help="print JSON")


@dataclass(frozen=True)
class Counted:
    """What is printed of one run; ``no_tools`` says why there is no ``tools``."""

    run: Run
    summary: Summary
    tokens: TokenUse
    tools: ToolUse | None
    no_tools: str
    difficulty: Difficulty


def metrics_lines(args: argparse.Namespace) -> Iterator[str]:
    """Do what ``acoe metrics`` asks for and yield what it says.

    Raises:
        RecordError: a run cannot be read, mixes versions, or lacks episodes.
    """
    runs = [read_run(path) for path in args.run]
    for run in runs:
        require_episodes(run, partial=args.allow_partial)
    for first, second in combinations(runs, 2):
        require_one_version(first, second)
    counted = {name: _counted(run, args.seed) for name, run in zip(names(runs), runs, strict=True)}
    over_all = _over_all(counted)
    if args.json:
        told = {name: _told(c) for name, c in counted.items()}
        value = {"runs": told, "difficulty": over_all and asdict(over_all)}
        yield from json.dumps(value, indent=1, allow_nan=False).splitlines()
        return
    for name, one in counted.items():
        partial = f"; PARTIAL: {len(one.run.missing)} episodes are missing" if one.run.missing else ""
        yield f"{name} ({one.run.folder}){partial}"
        yield from _run_lines(one, tasks=args.tasks)
        yield ""
    if len(counted) > 1:
        yield from comparison_table({name: c.summary for name, c in counted.items()}).splitlines()
        yield ""
        yield from _difficulty_lines(over_all, tasks=args.tasks) if over_all else ["no task was flown by all"]


def _counted(run: Run, seed: int) -> Counted:
    results = run.results()
    tools, why = None, ""
    try:
        tools = tool_use(run.records)
    except AcoeError as error:
        why = str(error)
    return Counted(run, aggregate(results, seed), token_use(run), tools, why, difficulty({run.name: results}))


def _over_all(counted: dict[str, Counted]) -> Difficulty | None:
    """Return the difficulty over several runs, None for one run or where no task was flown by all."""
    results = {name: one.run.results() for name, one in counted.items()}
    shared = set.intersection(*({r.task for r in one} for one in results.values()))
    return difficulty(results) if len(results) > 1 and shared else None


def _told(one: Counted) -> dict[str, Any]:
    return {
        "folder": str(one.run.folder),
        "missing": len(one.run.missing),
        "errors": len(one.run.errors),
        "unreadable_lines": len(one.run.problems),
        "summary": summary_json(one.summary),
        "tokens": asdict(one.tokens),
        "tools": one.tools and asdict(one.tools),
        "difficulty": asdict(one.difficulty),
    }


def _run_lines(one: Counted, *, tasks: bool) -> Iterator[str]:
    run = one.run
    yield from summary_table(one.summary).splitlines()
    if tasks:
        yield ""
        yield from task_table(one.summary).splitlines()
    yield ""
    yield (
        f"episodes missing: {len(run.missing)}; infrastructure errors, in no metric: {len(run.errors)}; "
        f"unreadable lines: {len(run.problems)}"
    )
    if full := noted(run.records, "context_exhausted"):
        yield f"episodes in which the model's context was full: {full}"
    yield from token_lines(one.tokens)
    yield ""
    yield from _tool_lines(one.tools) if one.tools else [f"tools: not counted ({one.no_tools})"]
    yield ""
    yield from _difficulty_lines(one.difficulty, tasks=False)


def token_lines(t: TokenUse) -> Iterator[str]:
    """Yield what episodes took in tokens, and in money where prices are known."""
    means = [
        f"{name} {'-' if value is None else f'{value:,.0f}'}"
        for name, value in (("prompt", t.prompt), ("completion", t.completion), ("cached", t.cached))
    ]
    yield f"tokens per episode: {', '.join(means)}; counted in {t.told} of {t.episodes} episodes"
    if t.lost:
        yield f"tokens of attempts that the infrastructure ended, in no mean: {t.lost:,}"
    if t.cost is not None:
        yield f"cost: {t.cost:.4f} per episode, {t.total_cost:.2f} in all, cached tokens at the full price"


def _tool_lines(use: ToolUse) -> Iterator[str]:
    yield f"{'tool':<22}{'kind':<16}{'calls':>8}{'share':>8}{'rejected':>10}{'first':>8}{'by harness':>12}"
    for row in use.tools:
        rejected = "-" if row.rejected is None else f"{row.rejected:.3f}"
        numbers = f"{row.calls:>8}{row.share:>8.3f}{rejected:>10}{row.first:>8}{row.by_harness:>12}"
        yield f"{row.tool:<22}{row.kind:<16}{numbers}"
    yield "kinds: " + ", ".join(f"{row.kind} {row.share:.3f}" for row in use.kinds)
    if use.without_calls:
        yield f"episodes without any call: {use.without_calls}"


def _difficulty_lines(d: Difficulty, *, tasks: bool) -> Iterator[str]:
    over = "run" if len(d.models) == 1 else "runs"
    yield f"difficulty of {len(d.tasks)} tasks over {len(d.models)} {over}, by a task's mean success"
    yield f"  mean {d.success:.3f} with SCR {d.safe:.3f}, unsafe {1 - d.safe:.3f}"
    yield f"  range {d.lowest:.3f} to {d.highest:.3f}; <= 0.25: {d.hard}; > 0.75: {d.easy}"
    yield f"  never solved: {d.never}; always solved: {d.always}; mixed outcomes: {d.mixed:.3f} of all cases"
    for pair in d.correlations:
        yield f"  rank correlation {_rho(pair.rho)}  {pair.a}, {pair.b}"
    if len(d.correlations) > 1:
        yield f"  rank correlation {_rho(d.mean_correlation)}  mean of the pairs"
    if tasks:
        yield f"{'task, hardest first':<56}{'success':>9}{'safe':>9}{'unsafe':>9}"
        yield from (f"{t.task:<56}{t.success:>9.3f}{t.safe:>9.3f}{1 - t.safe:>9.3f}" for t in d.tasks)


def _rho(value: float | None) -> str:
    return f"{'-':>6}" if value is None else f"{value:>+6.3f}"
