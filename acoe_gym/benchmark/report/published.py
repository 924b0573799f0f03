"""The paper's own figures, in a table of their own: another task set, never mixed or compared with a run."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from acoe_gym.benchmark.report.markup import Html, el, num, right, row_head, table, td, th
from acoe_gym.benchmark.report.parts import said, section

METRICS = {
    "SR": ("SR", ".3f"),
    "SGO": ("SGO", ".3f"),
    "SCR": ("SCR", ".3f"),
    "unsafe": ("Unsafe", ".3f"),
    "IAR": ("IAR", ".3f"),
    "calls_per_turn": ("Calls per turn", ".1f"),
    "tokens": ("Tokens (k)", ".1f"),
}
ABSENT = "not stated"


def paper_figures() -> dict[str, Any]:
    """Return the figures that the paper's text states, each with its section."""
    path = resources.files("acoe_gym.benchmark.report") / "paper_figures.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def published() -> Html:
    """Return the paper's figures as a section."""
    figures = paper_figures()
    heads = [
        th("Model, as named in the paper"),
        *(right(name) for name, _ in METRICS.values()),
        th("Sections"),
    ]
    rows = [_model(model) for model in figures["models"]]
    overall = [
        el("tr", row_head(row["what"]), num(row["value"]), td(row["section"])) for row in figures["overall"]
    ]
    return section(
        "paper",
        "Published figures of the paper (another task set)",
        el("p", el("strong", "Not comparable with the tables above. "), figures["note"], class_="apart"),
        said(f"{figures['source']}. What its text does not state is left open."),
        table("Published per model, in the paper's order of SR as far as stated", heads, rows, "quoted"),
        table(
            "Published over all 12 models", [th("What"), right("Figure"), th("Section")], overall, "quoted"
        ),
    )


def _model(model: dict[str, Any]) -> Html:
    known = {figure["metric"]: figure for figure in model["figures"]}
    cells = []
    for metric, (_, form) in METRICS.items():
        if metric in known:
            cells.append(num(format(known[metric]["value"], form), f"section {known[metric]['section']}"))
        else:
            cells.append(td(ABSENT, "absent"))
    sections = ", ".join(sorted({figure["section"] for figure in model["figures"]}))
    return el("tr", row_head(model["name"]), *cells, td(sections))
