"""Metrics as plain ASCII text of at most 100 columns; SR never stands without SCR and the unsafe share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from acoe_gym.cockpit.metrics import Interval, Row, Summary
from acoe_gym.cockpit.text import counted


def summary_json(summary: Summary) -> dict[str, Any]:
    """Return all metrics of one policy as JSON holds them."""
    rows = {
        name: [{**asdict(row), "unsafe": row.unsafe} for row in part]
        for name, part in (("templates", summary.templates), ("rows", summary.rows))
    }
    shares = {"safe_incomplete": summary.safe_incomplete, "unsafe": summary.unsafe}
    return {**asdict(summary), **shares, **rows}


def summary_table(summary: Summary) -> str:
    """Return all metrics of one policy."""
    episodes, tasks = counted(summary.episodes, "episode"), counted(summary.tasks, "task")
    lines = [
        f"{episodes} of {tasks} in {counted(len(summary.templates), 'template')}",
        "",
        f"{'metric':<28}{'value':>8}   {'95 %: same tasks again':<26}95 %: other procedures",
    ]
    for name, score in (("SR", summary.sr), ("SGO", summary.sgo), ("SCR", summary.scr)):
        intervals = f"{_range(score.trials):<26}{_range(score.procedures)}"
        lines.append(f"{name:<28}{score.value:>8.3f}   {intervals}")
    lines += [f"{name:<28}{value:>8}   {note}".rstrip() for name, value, note in _diagnostics(summary)]
    lines += ["", *_row_table("template", summary.templates)]
    if summary.constraints:
        lines += ["", f"{'violated constraint':<64}{'violations':>12}{'episodes':>10}"]
        lines += [f"{b.constraint:<64}{b.violations:>12}{b.episodes:>10}" for b in summary.constraints]
    return "\n".join(lines)


def task_table(summary: Summary) -> str:
    """Return one row per task."""
    return "\n".join(_row_table("task", summary.rows))


def comparison_table(summaries: Mapping[str, Summary]) -> str:
    """Return one row per policy; names of more than 11 characters make it wider."""
    width = max(12, 1 + max(map(len, summaries), default=0))
    head = (
        f"{'policy':<{width}}{'episodes':>8}{'SR':>7}{'95 % (*)':>17}{'SGO':>7}{'SCR':>7}{'unsafe':>8}"
        f"{'IAR':>7}{'tools':>7}{'turns':>7}{'calls':>7}"
    )
    note = "(*) for other procedures: bootstrap over the templates, each with its tasks"
    return "\n".join([head, *(_policy_row(f"{name:<{width}}", s) for name, s in summaries.items()), note])


def _policy_row(name: str, s: Summary) -> str:
    success = f"{s.episodes:>8}{s.sr.value:>7.3f}{_range(s.sr.procedures):>17}{s.sgo.value:>7.3f}"
    safety = f"{s.scr.value:>7.3f}{s.unsafe:>8.3f}"
    shares = f"{_share(s.iar.value):>7}{_share(s.tool_selection.value):>7}"
    return f"{name}{success}{safety}{shares}{s.turns:>7.1f}{s.calls:>7.1f}"


def _row_table(title: str, rows: Iterable[Row]) -> list[str]:
    head = f"{title:<56}{'episodes':>9}{'SR':>8}{'SGO':>8}{'SCR':>8}{'unsafe':>8}"
    scores = [(r.name, r.episodes, r.sr, r.sgo, r.scr, r.unsafe) for r in rows]
    return [head, *(f"{n:<56}{e:>9}{a:>8.3f}{b:>8.3f}{c:>8.3f}{d:>8.3f}" for n, e, a, b, c, d in scores)]


def _diagnostics(s: Summary) -> list[tuple[str, str, str]]:
    written = f"pooled {_share(s.iar.pooled)}; episodes without writes: {s.without_writes}"
    return [
        ("safe but incomplete", f"{s.safe_incomplete:.3f}", ""),
        ("unsafe", f"{s.unsafe:.3f}", ""),
        ("IAR", _share(s.iar.value), written),
        ("tool selection", _share(s.tool_selection.value), f"pooled {_share(s.tool_selection.pooled)}"),
        ("turns", f"{s.turns:.1f}", "mean per episode"),
        ("calls", f"{s.calls:.1f}", "mean per episode"),
        ("calls per turn", f"{s.calls_per_turn:.2f}", ""),
        *((f"pass^{k}", f"{s.pass_k[k - 1]:.3f}", "") for k in _few(len(s.pass_k))),
        ("tasks with mixed outcomes", f"{s.mixed:.3f}", ""),
    ]


def _few(most: int) -> list[int]:
    """Return the k that are worth a line: 1 to 4 and the last."""
    return [k for k in range(1, most + 1) if k <= 4 or k == most]


def _range(interval: Interval | None) -> str:
    return f"{interval.low:.3f} to {interval.high:.3f}" if interval else "-"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
