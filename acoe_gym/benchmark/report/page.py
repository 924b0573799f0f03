"""The page: one file of HTML with everything in it, which asks nothing of any network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from acoe_gym.benchmark.progress import shown
from acoe_gym.benchmark.report import published, section_effort, section_scores, section_tasks
from acoe_gym.benchmark.report.data import Report
from acoe_gym.benchmark.report.failure_words import MODES
from acoe_gym.benchmark.report.markup import Html, el, join
from acoe_gym.benchmark.report.parts import OUTCOMES
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.benchmark.report.traces import Lexicon, Things, trace, words
from acoe_gym.benchmark.runs import tokens_of
from acoe_gym.cockpit.text import counted
from acoe_gym.version import __version__

# Bytes of a page; what models said is cut until it fits.
MOST = 9_500_000
LIMITS = (4000, 1000, 500, 250, 100, 0)
# Short name of a section -> the function that returns it.
SCORED = {
    "Outcomes": section_scores.outcomes,
    "Intervals": section_scores.intervals,
    "Safety": section_tasks.broken,
    "Tasks": section_tasks.heat_map,
    "Failures": section_tasks.failures,
    "Behaviour": section_effort.behaviour,
    "Calls": section_effort.pace,
    "Cost": section_effort.cost,
}


def page(report: Report, most: int = MOST) -> str:
    """Return the report as HTML.

    Args:
        report: what to show.
        most: bytes that the page may have; longer texts of models are cut, and marked as cut.
    """
    lexicon = Lexicon()
    bodies = [_traces(run, lexicon) for run in report.runs]
    fixed = [_blob("lexicon", lexicon.body()), *(_blob(f"run-{i}", b) for i, b in enumerate(bodies))]
    data = [_json("index", _index(report)), *fixed]
    frame = _frame(report, Html(""))
    room = most - len(frame.encode()) - sum(map(len, data))
    return _frame(report, join([*data, *_texts(report.runs, room)]))


def _frame(report: Report, data: Html) -> str:
    style, script, numbers = _asset("page.css"), _asset("page.js"), _sections(report)
    parts = {
        "policy": _policy(style, script),
        "title": el("title", report.title),
        "heading": el("h1", report.title),
        "lead": _lead(report),
        "nav": _nav(numbers),
        "notes": _notes(report),
        "sections": join(list(numbers.values())),
        "version": Html(__version__),
        "style": Html(style),
        "script": Html(script),
        "data": data,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))


@cache
def _asset(name: str) -> str:
    path = resources.files("acoe_gym.benchmark.report") / name
    return path.read_text(encoding="utf-8")


def _policy(style: str, script: str) -> Html:
    """Return the policy that lets the page run its own style and script and fetch nothing."""
    rules = (
        "default-src 'none'",
        f"style-src '{_hash(style)}'",
        f"script-src '{_hash(script)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    # Quotes inside the attribute stay as they are: the hashes hold no double quote.
    return Html(f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">')


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# Static parts.


def _lead(report: Report) -> Html:
    episodes = sum(len(run.run.records) for run in report.runs)
    aircraft = sorted({task.partition("/")[0] for task in report.tasks})
    counts = (
        counted(len(report.runs), "run"), counted(episodes, "episode"), counted(len(report.tasks), "task"),
        f"aircraft {', '.join(aircraft)}",
    )  # fmt: skip
    warning = "Not for flight: cockpit, figures and procedures are simplified."
    return join([el("p", ", ".join(counts), class_="lead"), el("p", warning, class_="lead")])


def _notes(report: Report) -> Html:
    if not report.notes:
        return Html("")
    items = [el("li", note) for note in report.notes]
    return el("div", el("h2", "Before you compare"), el("ul", *items), class_="notes", role="note")


def _nav(shown_sections: Mapping[str, Html]) -> Html:
    links = [el("a", name, href=f"#{name.lower()}") for name in (*shown_sections, "Episodes")]
    return el("nav", *links, aria_label="Sections", class_="sections")


def _sections(report: Report) -> dict[str, Html]:
    """Return the sections of numbers by their short names, which are their ids in lower case."""
    found = {"Leaderboard": section_scores.leaderboard(report)}
    if report.scored:
        found.update((name, part(report)) for name, part in SCORED.items())
    errors = section_effort.errors(report)
    return {**found, **({} if errors is None else {"Errors": errors}), "Paper": published.published()}


# Data for the script.


def _index(report: Report) -> dict[str, Any]:
    """Return what the list of episodes shows, with tasks, modes and constraints numbered."""
    places = {task: i for i, task in enumerate(report.tasks)}
    things = Things()
    return {
        "runs": [[run.name, run.manner, list(run.marks)] for run in report.runs],
        "tasks": list(report.tasks),
        "modes": MODES,
        "outcomes": OUTCOMES,
        "episodes": [row for i, run in enumerate(report.runs) for row in _rows(i, run, places, things)],
        "things": things.values,
    }


def _rows(number: int, run: ShownRun, places: dict[str, int], things: Things) -> Iterator[list[Any]]:
    outcomes, modes = list(OUTCOMES), list(MODES)
    for record, result in zip(run.run.records, run.results, strict=True):
        mode = run.modes.get((result.task, result.trial))
        failed = None if mode is None else [modes.index(mode.mode), mode.why, [list(c) for c in mode.calls]]
        facts = (list(result.constraints_violated) or None, list(result.goals_missed) or None, failed)
        broken, missed, why = map(things.place, facts)
        yield [
            number,
            places[result.task],
            result.trial,
            outcomes.index(result.outcome),
            result.turns,
            result.calls,
            tokens_of(record).total,
            broken,
            missed,
            int(result.end == "truncated"),
            why,
        ]


def _traces(run: ShownRun, lexicon: Lexicon) -> dict[str, Any]:
    things = Things()
    records = shown(run.run.records, f"trajectories of {run.name}")
    episodes = {f"{r['task']}/{r['trial']}": trace(r, things, lexicon) for r in records}
    return {"episodes": episodes, "things": things.values}


def _texts(runs: Sequence[ShownRun], room: int) -> list[Html]:
    """Return what the models said, cut until it fits into the room."""
    blobs: list[Html] = []
    for limit in LIMITS:
        blobs = [_blob(f"text-{i}", _said(run, limit)) for i, run in enumerate(runs)]
        if sum(map(len, blobs)) <= room:
            break
    return blobs


def _said(run: ShownRun, limit: int) -> dict[str, Any]:
    things = Things()
    told = [r for r in run.run.records if r.get("pilot", {}).get("turns")]
    episodes = {f"{r['task']}/{r['trial']}": words(r, limit, things.place) for r in told}
    return {"episodes": episodes, "things": things.values}


def _blob(name: str, body: object) -> Html:
    """Return JSON, compressed; the page unpacks it when it is asked for."""
    # Level 9 takes three times as long for 3 % fewer bytes.
    packed = gzip.compress(json.dumps(body, separators=(",", ":")).encode(), 6, mtime=0)
    text = base64.b64encode(packed).decode()
    return Html(f'<script type="text/plain" id="{name}">{text}</script>')


def _json(name: str, body: object) -> Html:
    text = json.dumps(body, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Html(f'<script type="application/json" id="{name}">{text}</script>')
