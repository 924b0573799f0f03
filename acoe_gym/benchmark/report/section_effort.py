"""Ineffective actions, calls, cost and infrastructure errors, as static HTML that needs no script."""

from __future__ import annotations

from acoe_gym.benchmark.report.charts import Point, bar, scatter
from acoe_gym.benchmark.report.data import Report
from acoe_gym.benchmark.report.markup import Html, el, num, right, table, td, th
from acoe_gym.benchmark.report.parts import DASH, figure_of, run_head, said, section
from acoe_gym.benchmark.report.shown import ShownRun, infrastructure
from acoe_gym.cockpit.metrics import Summary


def behaviour(report: Report) -> Html:
    """Return IAR against SR, with the figures of every point."""
    points, rows = [], []
    for number, (run, s) in enumerate(report.scored, 1):
        safety = f"SCR {s.scr.value:.3f}, unsafe {s.unsafe:.3f}"
        if s.iar.value is not None:
            label = f"{run.label}: IAR {s.iar.value:.3f}, SR {s.sr.value:.3f}, {safety}"
            points.append(Point(s.iar.value, s.sr.value, number, s.unsafe, label))
        values = (s.iar.value, s.sr.value, s.scr.value, s.unsafe, s.iar.pooled)
        rows.append(el("tr", td(str(number)), run_head(run), *(num(figure_of(v)) for v in values),
                       num(str(s.without_writes))))  # fmt: skip
    names = ("IAR", "SR", "SCR", "Unsafe", "IAR pooled", "Without writes")
    heads = [th("No."), th("Run"), *map(right, names)]
    shown = el(
        "div",
        el("figure", scatter(points, "IAR (lower is better)", "SR")),
        table("IAR beside SR, SCR and the unsafe share", heads, rows),
        class_="pair",
    )
    lead = "The ring around a point grows with the unsafe share. IAR says nothing of episodes without writes."
    return section("behaviour", "Ineffective actions against success", shown, said(lead))


def pace(report: Report) -> Html:
    """Return calls per turn and the other diagnostics."""
    most = max((s.calls_per_turn for _, s in report.scored), default=1.0)
    rows = [el("tr", run_head(run), *_pace_cells(run, s, most)) for run, s in report.scored]
    names = (
        "Calls per turn",
        "Turns",
        "Calls",
        "Tool selection",
        "Cut off",
        "Mixed tasks",
        "pass^k",
    )
    lead = (
        "Cut off: episodes that used up their turns without submitting. Mixed tasks: share of tasks that a "
        "run both solved and failed. pass^k: chance that k episodes of a task, drawn at random, all succeed."
    )
    shown = table(
        "Calls per turn and other diagnostics", [th("Run"), th(""), *map(right, names)], rows, "bars many"
    )
    return section("calls", "Calls per turn", shown, said(lead))


def _pace_cells(run: ShownRun, s: Summary, most: float) -> list[Html]:
    cut = sum(result.end == "truncated" for result in run.results)
    few = [k for k in range(2, len(s.pass_k) + 1) if k <= 4 or k == len(s.pass_k)]
    passes = ", ".join(f"{k}: {s.pass_k[k - 1]:.3f}" for k in few) or DASH
    texts = (f"{s.calls_per_turn:.2f}", f"{s.turns:.1f}", f"{s.calls:.1f}", figure_of(s.tool_selection.value),
             f"{cut}", f"{s.mixed:.3f}", passes)  # fmt: skip
    return [td(bar([("plain", s.calls_per_turn / most)], f"{texts[0]} calls per turn")), *map(num, texts)]


def cost(report: Report) -> Html:
    """Return tokens per episode, and money where prices are known."""
    most = max((run.cost.total or 0.0 for run, _ in report.scored), default=0.0)
    if not most:
        return section("cost", "Cost", said("No run states its tokens."))
    rows = [el("tr", run_head(run), *_cost_cells(run, most)) for run, _ in report.scored]
    names = ("Tokens (k) per episode", "Episodes with known tokens", "Money per episode")
    lead = (
        "Tokenizers differ, so tokens describe what a run used and do not rank models. Money is in the "
        "currency of the prices stated with a run, per million tokens, without a discount for cached tokens. "
        "Neither is told where the tokens of an episode are not known."
    )
    return section(
        "cost",
        "Cost",
        table("Cost per episode", [th("Run"), th(""), *map(right, names)], rows, "bars"),
        said(lead),
    )


def _cost_cells(run: ShownRun, most: float) -> list[Html]:
    tokens = run.cost.total
    if tokens is None:
        return [td(""), *[num(x) for x in (DASH, f"{run.cost.told} of {len(run.results)}", DASH)]]
    texts = (
        f"{tokens / 1000:.1f}",
        f"{run.cost.told} of {len(run.results)}",
        figure_of(run.cost.cost, ".4f"),
    )
    return [td(bar([("plain", tokens / most)], f"{texts[0]} thousand tokens")), *map(num, texts)]


def errors(report: Report) -> Html | None:
    """Return the attempts that the infrastructure ended, or None where there are none."""
    rows = [
        el("tr", run_head(run), td(text), num(str(count)))
        for run in report.runs
        for text, count in infrastructure(run)
    ]
    if not rows:
        return None
    heads = [th("Run"), th("Error"), right("Attempts")]
    lead = "These attempts are in no score; their episodes were flown again or are missing."
    shown = table("Attempts that the infrastructure ended", heads, rows)
    return section("errors", "Infrastructure errors", said(lead), shown)
