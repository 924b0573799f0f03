"""What the sections of the page share: headings, names of runs, symbols of outcomes."""

from __future__ import annotations

from urllib.parse import quote

from acoe_gym.benchmark.report.markup import Html, el
from acoe_gym.benchmark.report.shown import ShownRun

DASH = "\N{EN DASH}"
# Outcome -> (symbol, words); colours are never the only difference.
OUTCOMES = {
    "success": ("\N{CHECK MARK}", "success"),
    "safe_incomplete": ("\N{WHITE CIRCLE}", "safe but incomplete"),
    "unsafe": ("\N{BLACK UP-POINTING TRIANGLE}", "unsafe"),
}


def section(name: str, title: str, *parts: Html | None) -> Html:
    """Return a section that the navigation can point to."""
    return el(
        "section", el("h2", title, id=f"{name}-title"), *parts, id=name, aria_labelledby=f"{name}-title"
    )


def said(*parts: str | Html) -> Html:
    """Return a paragraph of explanation."""
    return el("p", *parts, class_="said")


def figure_of(value: float | None, form: str = ".3f") -> str:
    """Return a number, or a dash where there is none."""
    return DASH if value is None else format(value, form)


def percent(value: float) -> str:
    """Return a share in percent with one decimal."""
    return f"{100 * value:.1f} %"


def breakable(text: str) -> Html:
    """Return an id that may be broken at its underscores."""
    return Html(str(el("span", text)).replace("_", "_<wbr>"))


def run_link(run: ShownRun) -> Html:
    """Return the name of a run, which leads to its episodes."""
    return el("a", run.name, href=f"#/{quote(run.name, safe='')}", class_="run")


def run_head(run: ShownRun, rows: int | None = None) -> Html:
    """Return the heading of a run's row, or rows, with what must stand wherever its scores stand."""
    manner = el("small", run.manner) if run.manner else None
    marks = (el("span", mark, class_="mark") for mark in run.marks)
    return el("th", el("span", run_link(run), manner, *marks, class_="named"), scope="row", rowspan=rows)


def run_column(run: ShownRun, *more: str) -> Html:
    """Return what stands above a run's column: its name and, small, all else that must be told."""
    told = "; ".join(part for part in (run.manner, *more, *run.marks) if part)
    return el("span", el("b", run.name), el("small", told) if told else None, class_="col")
