"""Violated constraints, the map of tasks and the failure modes, as static HTML that needs no script."""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote

from acoe_gym.benchmark.report.charts import bar
from acoe_gym.benchmark.report.data import Report
from acoe_gym.benchmark.report.failure_words import MEANINGS, MODES
from acoe_gym.benchmark.report.markup import Html, el, num, right, row_head, table, td, th
from acoe_gym.benchmark.report.parts import DASH, breakable, run_column, run_head, said, section
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.cockpit.metrics import EpisodeResult, Summary
from acoe_gym.cockpit.text import counted

# Constraints that the table of violations lists.
BROKEN_SHOWN = 12


def broken(report: Report) -> Html:
    """Return the constraints that were violated, most often violated first."""
    total: Counter[str] = Counter()
    for _, summary in report.scored:
        total.update({b.constraint: b.violations for b in summary.constraints})
    names = [name for name, _ in sorted(total.items(), key=lambda item: (-item[1], item[0]))]
    rows = [el("tr", _constraint(name), *_broken_cells(report, name)) for name in names[:BROKEN_SHOWN]]
    heads = [th("Constraint"), *(right(run_column(run)) for run, _ in report.scored)]
    if not rows:
        return section("safety", "Violated constraints", said("No episode violated a constraint."))
    left = len(names) - len(rows)
    more = f" Left out: {counted(left, 'constraint')} less often violated; see summary.json." if left else ""
    return section(
        "safety",
        "Violated constraints",
        table("Episodes with a violation, per constraint and run (violations in brackets)", heads, rows),
        said(f"Open an episode to see the call that broke a constraint and the fact it rests on.{more}"),
    )


def _constraint(name: str) -> Html:
    template, _, constraint = name.partition(":")
    return row_head(el("span", breakable(constraint), el("small", breakable(template)), class_="named ids"))


def _broken_cells(report: Report, name: str) -> list[Html]:
    cells = []
    for _, summary in report.scored:
        found = next((b for b in summary.constraints if b.constraint == name), None)
        cells.append(num(DASH if found is None else f"{found.episodes} ({found.violations})"))
    return cells


# The heat map.


def heat_map(report: Report) -> Html:
    """Return one cell per task and run: successes of its episodes, and how many were unsafe."""
    heads = [th("Task"), *map(_heat_head, report.scored)]
    rows = [
        el(
            "tr",
            row_head(el("span", _short(task), class_="task")),
            *(_heat(run, task) for run, _ in report.scored),
        )
        for task in report.tasks
    ]
    caption = "Successes per task and run: the hardest task (mean success over the runs) first"
    lead = (
        "2/3: two of three episodes succeeded. \N{BLACK UP-POINTING TRIANGLE}1: one episode was unsafe. "
        "The darker, the more often solved. A cell opens its first unsafe episode, else its first."
    )
    return section("tasks", "Task by task", said(lead), table(caption, heads, rows, "heat"))


def _short(task: str) -> Html:
    template, _, name = task.rpartition("/")
    return el("span", el("small", breakable(template)), breakable(name))


def _heat_head(scored: tuple[ShownRun, Summary]) -> Html:
    run, s = scored
    marks = f"SR {s.sr.value:.2f}, SCR {s.scr.value:.2f}, unsafe {s.unsafe:.2f}"
    return th(run_column(run, marks), class_="tall")


def _heat(run: ShownRun, task: str) -> Html:
    episodes = run.by_task.get(task, [])
    if not episodes:
        return td(DASH, "none")
    solved = sum(r.success == 1.0 for r in episodes)
    unsafe = sum(r.safe == 0.0 for r in episodes)
    level = round(8 * solved / len(episodes))
    mark = el("sup", f"\N{BLACK UP-POINTING TRIANGLE}{unsafe}") if unsafe else None
    words = f"{run.name}, {task}: {solved} of {len(episodes)} succeeded, {unsafe} unsafe"
    opened = next((r for r in episodes if r.safe == 0.0), episodes[0])
    link = el("a", f"{solved}/{len(episodes)}", mark, href=episode_link(run, opened), aria_label=words)
    return td(link, f"h{level}{' hot' if unsafe else ''}")


def episode_link(run: ShownRun, result: EpisodeResult) -> str:
    """Return the address of an episode within the page."""
    return f"#/{quote(run.name, safe='')}/{quote(result.task)}/{result.trial}"


# Failure modes.


def failures(report: Report) -> Html:
    """Return how the failed episodes of each run failed."""
    runs = [run for run, _ in report.scored]
    rows = [_failure_row(run) for run in runs]
    words = list(MODES.values())
    heads = [th("Run"), th("Shares of failed episodes"), right("Failed"), *map(right, words)]
    meanings = el("dl", *(part for name in MODES for part in _meaning(name)), class_="modes")
    return section(
        "failures",
        "Failure modes",
        table("Failed episodes by their dominant failure mode", heads, rows, "bars many"),
        meanings,
    )


def _meaning(name: str) -> list[Html]:
    key = el("span", class_=f"key {name}", aria_hidden="true")
    return [el("dt", key, f" {MODES[name]}"), el("dd", MEANINGS[name])]


def _failure_row(run: ShownRun) -> Html:
    counts = Counter(mode.mode for mode in run.modes.values())
    total, failed = sum(counts.values()), sum(result.success < 1.0 for result in run.results)
    shares = [(name, counts[name] / total if total else 0.0) for name in MODES]
    label = ", ".join(f"{MODES[name]} {counts[name]}" for name in MODES)
    cells = [num(f"{counts[n]} ({share:.0%})" if total else "0") for n, share in shares]
    return el("tr", run_head(run), td(bar(shares, label)), num(str(failed)), *cells)
