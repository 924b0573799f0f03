"""The leaderboard, the outcomes and how sure the scores are, as static HTML that needs no script."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acoe_gym.benchmark.report.charts import bar, whiskers
from acoe_gym.benchmark.report.data import Report, best
from acoe_gym.benchmark.report.markup import Html, el, join, num, right, table, td, th
from acoe_gym.benchmark.report.parts import (
    DASH,
    OUTCOMES,
    figure_of,
    percent,
    run_head,
    said,
    section,
)
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.cockpit.metrics import FEWEST_TEMPLATES, Interval, Score, Summary
from acoe_gym.cockpit.text import counted

HEAD = (
    ("SR", "success rate: share of episodes with all goals met and no violation; higher is better"),
    ("SGO", "safety-gated outcome: share of goals met, 0 where unsafe; higher is better"),
    ("SCR", "safety compliance rate: share of episodes without a violation; higher is better"),
    ("Unsafe", "share of episodes with at least one violation, 1 - SCR; lower is better"),
    ("IAR", "ineffective-action rate: share of writes that did nothing; lower is better"),
    ("Parameters", "total / active, as stated with the run"),
    ("Turns", "mean per episode"),
    ("Calls", "mean per episode"),
    ("Tokens (k)", "thousands, mean per episode; tokenizers differ"),
)
SCORES = 5  # of them are scores


def leaderboard(report: Report) -> Html:
    """Return the table of scores, in groups, the best SR, SGO, SCR and IAR of each group in bold."""
    groups = [(name, runs, best(runs)) for name, runs in report.groups()]
    bodies = [_group(*group) for group in groups]
    head = [th("Run"), *(right(name, title) for name, title in HEAD)]
    caption = "Leaderboard: scores per run, within each group whole runs of all tasks first, then by SR"
    any_bold = any(value is not None for _, _, top in groups for value in top)
    bold = "Bold: best SR, SGO, SCR and IAR of a group, among whole runs of all tasks. " if any_bold else ""
    rest = "Every task weighs the same. Read SR together with SCR and the unsafe share."
    parts = (table(caption, head, bodies, "board"), said(f"{bold}{rest}"), _glossary())
    return section("leaderboard", "Leaderboard", *parts)


def _glossary() -> Html:
    """Return what the columns of scores mean, for a screen that has no place to hover."""
    words = [part for name, meaning in HEAD[:SCORES] for part in (el("dt", name), el("dd", meaning))]
    return el("dl", join(words), class_="glossary")


def _group(name: str, runs: Sequence[ShownRun], top: Sequence[float | None]) -> Html:
    title = el("tr", el("th", name, colspan=len(HEAD) + 1, scope="rowgroup"), class_="group")
    return el("tbody", title, *(_row(run, top) for run in runs))


PICKS: tuple[Callable[[Summary], Score], ...] = (lambda s: s.sr, lambda s: s.sgo, lambda s: s.scr)


def _row(run: ShownRun, group_top: Sequence[float | None]) -> Html:
    if run.summary is None:
        words = "no score while episodes are missing"
        return el("tr", run_head(run), el("td", words, colspan=len(HEAD), class_="refused"))
    summary = run.summary
    top = group_top if run.is_peer else [None] * len(group_top)
    scores = [_best(pick(summary).value, top[i]) for i, pick in enumerate(PICKS)]
    tokens = None if run.cost.total is None else run.cost.total / 1000
    known = run.cost.told
    partly = f"known for {known} of {counted(len(run.results), 'episode')}"
    return el(
        "tr",
        run_head(run),
        *scores,
        num(f"{summary.unsafe:.3f}"),
        _best(summary.iar.value, top[3]),
        td(el("span", run.parameters, class_="col"), "right"),
        num(f"{summary.turns:.1f}"),
        num(f"{summary.calls:.1f}"),
        num(figure_of(tokens, ".1f"), None if known in (0, len(run.results)) else partly),
    )


def _best(value: float | None, top: float | None) -> Html:
    text = figure_of(value)
    bold = value is not None and top is not None and round(value, 3) == top
    return num(el("strong", text) if bold else text)


# Outcomes and intervals.

TOO_FEW = f"{DASH} too few procedures"


def outcomes(report: Report) -> Html:
    """Return how the episodes of each run ended."""
    rows = [el("tr", run_head(run), td(_outcome_bar(s)), *_outcome_cells(s)) for run, s in report.scored]
    # A phone has room for the symbols alone; the legend stands above.
    heads = [right(_outcome_head(symbol, words)) for symbol, words in OUTCOMES.values()]
    shown = table("Outcome composition: shares of episodes", [th("Run"), th("Shares"), *heads], rows, "bars")
    lead = "An unsafe episode broke a hard safety constraint at least once, whatever else it achieved."
    return section("outcomes", "Outcome composition", _legend(), shown, said(lead))


def _outcome_head(symbol: str, words: str) -> Html:
    return el("span", symbol, el("span", f" {words}", class_="words"), class_="nowrap")


def _legend() -> Html:
    items = [
        el("li", el("span", symbol, class_=f"key {name}", aria_hidden="true"), f" {words}")
        for name, (symbol, words) in OUTCOMES.items()
    ]
    return el("ul", *items, class_="legend")


def _outcome_bar(s: Summary) -> Html:
    shares = (("success", s.sr.value), ("safe_incomplete", s.safe_incomplete), ("unsafe", s.unsafe))
    return bar(shares, ", ".join(f"{OUTCOMES[name][1]} {percent(share)}" for name, share in shares))


def _outcome_cells(s: Summary) -> list[Html]:
    return [num(percent(share)) for share in (s.sr.value, s.safe_incomplete, s.unsafe)]


def intervals(report: Report) -> Html:
    """Return SR, SGO and SCR with both of their intervals."""
    rows = [
        el("tr", _first(run, i), *_interval_cells(s, *measure))
        for run, s in report.scored
        for i, measure in enumerate(_measures(s))
    ]
    heads = [*map(th, ("Run", "Metric", "From 0 to 1, a line at each quarter"))]
    heads += map(right, ("Value", "Same tasks again", "Other procedures"))
    return section(
        "intervals",
        "How sure the scores are",
        table("Scores with their 95 % intervals", heads, rows, "bars sure"),
        said(
            "Thick line: the same tasks flown again (trials; needs two trials of each task). Thin line: "
            f"other procedures of the same kind (bootstrap over {FEWEST_TEMPLATES} templates or more). "
            "To compare runs: acoe compare. An interval without width says that no two episodes or "
            "procedures differed, not that none would."
        ),
    )


def _first(run: ShownRun, row: int) -> Html | None:
    return run_head(run, rows=3) if row == 0 else None


def _measures(s: Summary) -> list[tuple[str, Score, str | None]]:
    return [("SR", s.sr, None), ("SGO", s.sgo, None), ("SCR", s.scr, f" unsafe {s.unsafe:.3f}")]


def _interval_cells(s: Summary, name: str, score: Score, beside: str | None) -> list[Html]:
    safety = f"; SCR {s.scr.value:.3f}, unsafe {s.unsafe:.3f}" if score is s.sr else ""
    others = TOO_FEW if score.procedures is None else _range(score.procedures)
    ranges = f"trials {_range(score.trials)}, procedures {others}"
    label = f"{name} {score.value:.3f}, {ranges}{safety}"
    drawn = whiskers(score, name.lower(), label)
    told = el("span", name, None if beside is None else el("small", beside))
    texts = (f"{score.value:.3f}", _range(score.trials), others)
    return [td(told, "nowrap"), td(drawn), *map(num, texts)]


def _range(interval: Interval | None) -> str:
    return DASH if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"
