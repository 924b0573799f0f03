"""The command ``acoe compare``: two runs held against each other, or core tasks against unseen variants."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from acoe_gym.benchmark.comparison.flips import CHANGES, Flip
from acoe_gym.benchmark.comparison.paired import METRICS, Comparison, Difference, compare
from acoe_gym.benchmark.comparison.probe import Gap, Probe, TemplateGap, is_probe, probe
from acoe_gym.benchmark.runs import Run, read_run
from acoe_gym.cockpit.metrics import Interval
from acoe_gym.cockpit.text import counted
from acoe_gym.commands.arguments import fraction
from acoe_gym.errors import RecordError, UnknownName, nearest

GATED = ("SR", "SCR")

# What sets a model's episodes apart besides the model.
SETUP = ("harness", "protocol", "params", "extra_body", "echo", "null_content")


def add_compare_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "run", nargs=2, type=Path, metavar="RUN", help="folder of a run; the first one stands"
    )
    parser.add_argument(
        "--common-tasks", action="store_true", help="leave out tasks that only one of them was to fly"
    )
    parser.add_argument(
        "--suite-probe", action="store_true",
        help="core tasks against generated variants of their templates, as a probe for contamination; chosen "
        "by itself where one run is of core tasks and the other of variants",
    )  # fmt: skip
    parser.add_argument(
        "--fail-if-worse", nargs="*", type=metric_name, metavar="METRIC",
        help=f"exit with 1 where the second run is worse in one of these, default {' and '.join(GATED)}, and "
        f"the whole interval for the same tasks flown again says so; any of {', '.join(METRICS)}",
    )  # fmt: skip
    parser.add_argument(
        "--margin",
        type=fraction,
        default=0.0,
        metavar="X",
        help="put up with so much, in the metric's own unit",
    )
    parser.add_argument("--allow-partial", action="store_true", help="compare although episodes are missing")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the resampling, default 0")
    parser.add_argument("--json", action="store_true", help="print JSON")


def metric_name(text: str) -> str:
    """Return a metric's name, whatever its case.

    Raises:
        argparse.ArgumentTypeError: there is none of that name.
    """
    found = {name.casefold(): name for name in METRICS}.get(text.casefold())
    if found is None:
        hint = nearest(text, METRICS)
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(METRICS)}, got {text!r}{hint}")
    return found


def compare_result(args: argparse.Namespace) -> tuple[list[str], int]:
    """Do what ``acoe compare`` asks for.

    Returns:
        The lines to print and the exit code: 1 where ``--fail-if-worse`` found the second run worse.

    Raises:
        RecordError: a run cannot be read, the two cannot be compared, or there is nothing to judge by.
        UnknownName: options that do not go together.
    """
    a, b = (read_run(path) for path in args.run)
    if args.suite_probe or is_probe(a, b):
        if args.fail_if_worse is not None:
            raise UnknownName(
                "expected --fail-if-worse with two runs over the same tasks, got core and generated"
            )
        found = probe(a, b, args.seed, partial=args.allow_partial)
        return (_json(asdict(found)) if args.json else list(_probe_lines(found, (a, b)))), 0
    compared = compare(a, b, args.seed, common=args.common_tasks, partial=args.allow_partial)
    gated = None if args.fail_if_worse is None else args.fail_if_worse or GATED
    worse = worse_in(compared, gated or (), args.margin)
    if args.json:
        return _json({**asdict(compared), "worse": None if gated is None else worse}), int(bool(worse))
    lines = list(_lines(compared, (a, b)))
    if gated is not None:
        lines += ["", _gate_line(gated, worse, args.margin)]
    return lines, int(bool(worse))


def worse_in(compared: Comparison, metrics: Iterable[str], by: float) -> list[str]:
    """Return the metrics in which the second run is worse by more than a margin.

    Raises:
        RecordError: a metric has no interval to judge by.
    """
    judged = [compared.of(name) for name in metrics]
    for difference in judged:
        if difference.trials is None:
            known = (
                "no such figure in every episode"
                if difference.difference is None
                else "one episode of a task"
            )
            raise RecordError(
                f"expected an interval to judge {difference.metric} by, got {known}; it takes at least two "
                "episodes of each task in both runs: fly them with --trials 2 or more"
            )
    return [difference.metric for difference in judged if difference.worse(by)]


def _gate_line(gated: Iterable[str], worse: list[str], by: float) -> str:
    rule = f"{', '.join(gated)}; margin {by:g}"
    return f"gate ({rule}): {'failed, worse in ' + ', '.join(worse) if worse else 'passed'}"


def _json(value: object) -> list[str]:
    return json.dumps(value, indent=1, allow_nan=False).splitlines()


# Two runs.


def _lines(c: Comparison, runs: tuple[Run, Run]) -> Iterator[str]:
    sides = zip("ab", (c.a, c.b), runs, c.episodes, strict=True)
    for letter, name, run, episodes in sides:
        yield f"{letter}: {name}, {counted(episodes, 'episode')}{_state(run)}"
    yield counted(c.tasks, "task")
    yield from _apart(*runs)
    yield ""
    yield (
        f"{'metric':<8}{'a':>10}{'b':>10}{'b - a':>11}  {'95 %: same tasks again':<24}"
        f"{'95 %: other procedures':<24}{'noise':>9}"
    )
    yield from map(_row, c.differences)
    yield from (
        f"{d.metric}: over the {d.tasks} tasks in which both runs have such calls"
        for d in c.differences
        if 0 < d.tasks < c.tasks
    )
    yield "noise: runs of one model would differ by more in one of twenty pairs; * more than that"
    yield ""
    yield from _flip_lines(c)
    yield ""
    yield from textwrap.wrap(c.verdict, 100)


def _apart(a: Run, b: Run) -> Iterator[str]:
    """Yield how two runs of models were set up differently."""
    one, two = (run.configuration.get("settings") or {} for run in (a, b))
    names = [name for name in SETUP if name in one and name in two and one[name] != two[name]]
    if names:
        yield "set up differently: " + "; ".join(f"{name} {one[name]}, {two[name]}" for name in names)


def _state(run: Run) -> str:
    """Return what is wrong with a run, for the end of a line."""
    counts = (
        (len(run.missing), "missing"),
        (len(run.errors), "infrastructure errors"),
        (len(run.problems), "unreadable lines"),
    )
    return "".join(f", {count} {what}" for count, what in counts if count)


def _row(d: Difference) -> str:
    if d.difference is None:
        return f"{d.metric:<8}{'-':>10}{'-':>10}{'-':>11}"
    places = 3 if METRICS[d.metric].share else 1
    values = f"{d.a:>10.{places}f}{d.b:>10.{places}f}{d.difference:>+11.{places}f}"
    mark = "*" if d.beyond_noise else " "
    spread = f"{_range(d.trials, places):<24}{_range(d.procedures, places):<24}"
    return f"{d.metric:<8}{values}{mark} {spread}{d.noise:>8.{places}f}".rstrip()


def _range(interval: Interval | None, places: int = 3) -> str:
    return f"{interval.low:+.{places}f} to {interval.high:+.{places}f}" if interval else "-"


def _flip_lines(c: Comparison) -> Iterator[str]:
    counts = {change: sum(f.change == change for f in c.flips) for change in CHANGES}
    yield "tasks that flipped: " + ", ".join(f"{count} {change}" for change, count in counts.items())
    if c.chance_flips is not None:
        success, safe = (share * c.tasks for share in c.chance_flips)
        yield f"by chance alone: {success:.1f} lost or gained, {safe:.1f} turned unsafe or safe"
    if c.flips:
        yield f"{'change':<14}{'SR a -> b':>14}{'SCR a -> b':>14}{'unsafe a -> b':>15}  task"
        yield from map(_flip_row, c.flips)


def _flip_row(f: Flip) -> str:
    pairs = (f.success_a, f.success_b), (f.safe_a, f.safe_b), (1 - f.safe_a, 1 - f.safe_b)
    cells = [f"{a:.2f} -> {b:.2f}" for a, b in pairs]
    return f"{f.change:<14}{cells[0]:>14}{cells[1]:>14}{cells[2]:>15}  {f.task}"


# Core against variants.


def _probe_lines(p: Probe, runs: tuple[Run, ...]) -> Iterator[str]:
    yield f"core: {p.core}; fresh: {p.fresh}; {len(p.templates)} templates in both"
    for run in runs:
        if _state(run):
            yield f"{run.folder}{_state(run)}"
    if p.left_out:
        yield f"left out, in one run alone: {', '.join(p.left_out)}"
    if not p.one_pilot:
        yield "warning: the runs do not say that they are of one model; what differs may be the model"
    yield ""
    yield (
        f"{'metric':<8}{'core':>8}{'fresh':>8}{'core - fresh':>14}  {'95 %: other tasks':<24}"
        "95 %: other procedures"
    )
    yield from map(_gap_row, p.gaps)
    yield ""
    yield f"{'template':<40}{'tasks':>9}{'SR':>16}{'SCR':>16}{'unsafe':>16}"
    yield from map(_template_row, p.templates)
    yield ""
    yield from textwrap.wrap(p.verdict, 100)
    yield "A gap is no proof: variants may be harder. `acoe run --policy generic` over both says how much."


def _gap_row(g: Gap) -> str:
    values = f"{g.core:>8.3f}{g.fresh:>8.3f}{g.difference:>+14.3f}"
    return f"{g.metric:<8}{values}  {_range(g.tasks):<24}{_range(g.procedures)}"


def _template_row(t: TemplateGap) -> str:
    pairs = t.sr, t.scr, (1 - t.scr[0], 1 - t.scr[1])
    cells = "".join(f"{f'{core:.3f} / {fresh:.3f}':>16}" for core, fresh in pairs)
    return f"{t.template:<40}{f'{t.tasks[0]} / {t.tasks[1]}':>9}{cells}"
