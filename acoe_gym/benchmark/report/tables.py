"""The numbers of a report as plain rows, and those rows as CSV, JSON and Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.report.data import Report
from acoe_gym.benchmark.report.shown import ShownRun, clean, infrastructure
from acoe_gym.benchmark.runs import tokens_of
from acoe_gym.benchmark.tokens import price
from acoe_gym.cockpit.metrics import Score, Summary
from acoe_gym.cockpit.scoreboard import summary_json as metrics_json
from acoe_gym.errors import MissingExtra
from acoe_gym.version import __version__

Plain = str | int | float | None
PlainRow = dict[str, Plain]
SCORES = (
    "sr", "sgo", "scr", "unsafe", "safe_incomplete", "iar", "iar_pooled", "without_writes", "tool_selection",
    *(f"{score}_{kind}_{end}" for score in ("sr", "sgo", "scr") for kind in ("trials", "procedures")
      for end in ("low", "high")),
    "turns", "calls", "calls_per_turn", "mixed",
)  # fmt: skip
# What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def model_rows(report: Report) -> list[PlainRow]:
    """Return one row per run; a refused run has no scores."""
    return [_model_row(run) for run in report.runs]


def _model_row(run: ShownRun) -> PlainRow:
    scores: Mapping[str, Plain] = {} if run.summary is None else _scores(run.summary)
    return {
        "run": run.name,
        "group": run.group,
        "status": run.status,
        "episodes": len(run.run.records),
        "planned": run.planned,
        "tasks": len(run.run.configuration["tasks"]),
        "infrastructure_errors": len(run.run.errors),
        **{name: scores.get(name) for name in SCORES},
        "parameters": run.parameters,
        "tokens": run.cost.total,
        "tokens_known_episodes": run.cost.told,
        "money": run.cost.cost,
        "policy": clean(str(run.run.configuration.get("policy", ""))),
        **{name: run.setting(name) for name in ("model", "harness", "protocol")},
    }


def _scores(summary: Summary) -> dict[str, Plain]:
    scores = {"sr": summary.sr, "sgo": summary.sgo, "scr": summary.scr}
    return {
        **{name: score.value for name, score in scores.items()},
        **{key: value for name, score in scores.items() for key, value in _ends(name, score)},
        "unsafe": summary.unsafe,
        "safe_incomplete": summary.safe_incomplete,
        "iar": summary.iar.value,
        "iar_pooled": summary.iar.pooled,
        "without_writes": summary.without_writes,
        "tool_selection": summary.tool_selection.value,
        "turns": summary.turns,
        "calls": summary.calls,
        "calls_per_turn": summary.calls_per_turn,
        "mixed": summary.mixed,
    }


def _ends(name: str, score: Score) -> Iterator[tuple[str, float | None]]:
    for kind, interval in (("trials", score.trials), ("procedures", score.procedures)):
        yield f"{name}_{kind}_low", None if interval is None else interval.low
        yield f"{name}_{kind}_high", None if interval is None else interval.high


def episode_rows(report: Report) -> list[PlainRow]:
    """Return one row per finished episode, run by run in the order of the leaderboard."""
    return [row for run in report.runs for row in _episode_rows(run)]


def _episode_rows(run: ShownRun) -> Iterator[PlainRow]:
    for record, result in zip(run.run.records, run.results, strict=True):
        used, mode = tokens_of(record), run.modes.get((result.task, result.trial))
        yield {
            "run": run.name,
            "task": result.task,
            "template": result.template,
            "trial": result.trial,
            "outcome": result.outcome,
            "success": result.success,
            "goal_attainment": result.goal_attainment,
            "safe": result.safe,
            "sgo": result.sgo,
            "violations": result.violations,
            "turns": result.turns,
            "calls": result.calls,
            "writes": result.writes,
            "ineffective_writes": result.ineffective_writes,
            "end": result.end,
            "goals_missed": " ".join(result.goals_missed),
            "constraints_violated": " ".join(result.constraints_violated),
            "failure_mode": None if mode is None else mode.mode,
            "failure_why": None if mode is None else clean(mode.why),
            "tokens_prompt": used.prompt,
            "tokens_completion": used.completion,
            "tokens_total": used.total,
            "money": price(record, run.run.about),
            "seconds": run.run.seconds.get((result.task, result.trial)),
        }


def summary_json(report: Report) -> str:
    """Return everything that the page's tables are made of as one JSON object."""
    body = {
        "title": report.title,
        "package": __version__,
        "notes": list(report.notes),
        "tasks_hardest_first": list(report.tasks),
        "runs": [
            {
                **row,
                "summary": None if run.summary is None else metrics_json(run.summary),
                "missing": [list(place) for place in run.run.missing],
                "infrastructure": [{"error": text, "attempts": n} for text, n in infrastructure(run)],
                "about": {key: _finite(value) for key, value in run.run.about.items()},
                "configuration": {k: v for k, v in run.run.configuration.items() if k != "tasks"},
            }
            for run, row in zip(report.runs, model_rows(report), strict=True)
        ],
    }
    return json.dumps(body, indent=1, sort_keys=True, allow_nan=False) + "\n"


def _finite(value: object) -> object:
    """Return a value as strict JSON can carry it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_text(rows: Sequence[PlainRow]) -> str:
    """Return rows as CSV with a heading; what is not known is an empty cell.

    A text that a spreadsheet would take for a formula, because it starts with ``=``, ``+``, ``-``, ``@``, a
    tab or a carriage return, gets an apostrophe in front; numbers stay as they are.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _no_formula(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _no_formula(value: Plain) -> Plain:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def write_tables(report: Report, out: Path) -> list[Path]:
    """Write ``models`` and ``episodes`` as CSV, and ``summary.json``, and return the files."""
    texts = {
        "models.csv": csv_text(model_rows(report)),
        "episodes.csv": csv_text(episode_rows(report)),
        "summary.json": summary_json(report),
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="")
    return [out / name for name in texts]


def write_parquet(report: Report, out: Path) -> list[Path]:
    """Write ``models`` and ``episodes`` as Parquet and return the files.

    Raises:
        MissingExtra: PyArrow is not installed.
    """
    pa, parquet = _arrow()
    written = []
    for name, rows in (("models", model_rows(report)), ("episodes", episode_rows(report))):
        path = out / f"{name}.parquet"
        parquet.write_table(pa.table(_columns(rows)), str(path))
        written.append(path)
    return written


def _columns(rows: Sequence[PlainRow]) -> dict[str, list[Plain]]:
    names = list(rows[0]) if rows else []
    return {name: [row[name] for row in rows] for name in names}


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - the optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra(f'{error}; install it with: pip install "acoe_gym[report]"') from None
    return pa, parquet
