"""The figures of a report as PNG and SVG, drawn with Matplotlib: equal reports are equal files.

Wherever a figure names SR it names SCR and the unsafe share beside it. A run that is not whole, or of fewer
tasks than others, is marked.
"""

from __future__ import annotations

import importlib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.report.data import Report, best, compared
from acoe_gym.benchmark.report.failure_words import MODES
from acoe_gym.benchmark.report.parts import DASH, figure_of
from acoe_gym.benchmark.report.shown import BETWEEN, ShownRun
from acoe_gym.cockpit.metrics import Summary
from acoe_gym.errors import MissingExtra

# Colours after Okabe and Ito; hatches say the same without colour.
BLUE, SKY, VERMILION, ORANGE, GREEN, GREY = "#0072B2", "#8ECBEE", "#D55E00", "#E69F00", "#009E73", "#8A949E"
OUTCOMES = (("success", BLUE, ""), ("safe but incomplete", SKY, ".."), ("unsafe", VERMILION, "//"))
MODE_STYLES = ((ORANGE, ""), (VERMILION, "//"), (BLUE, ".."), (GREEN, "\\\\"), (GREY, "xx"))
SETTINGS = {
    "svg.hashsalt": "acoe_gym", "svg.fonttype": "none", "font.size": 9, "hatch.linewidth": 0.5,
    "hatch.color": "white", "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 150,
    "savefig.dpi": 150, "savefig.bbox": "tight", "legend.frameon": False,
}  # fmt: skip
UNSAFE_SIGN = "\N{BLACK UP-POINTING TRIANGLE}"
HEAT_WORDS = (
    "Hardest task first (mean success over the runs).\n"
    "2/3: two of three episodes succeeded; the darker, the more. "
    f"{UNSAFE_SIGN}1: one was unsafe. {DASH}: none flown"
)
# Vermilion, dark enough to be read as text.
RED = "#A84300"
# Share of successes above which a cell is too dark for black text.
DARK = 0.55
Scored = Sequence[tuple[ShownRun, Summary]]


def check_figures() -> None:
    """Raise MissingExtra unless Matplotlib is installed."""
    _matplotlib()


def write_figures(report: Report, out: Path) -> list[Path]:
    """Write every figure as PNG and SVG below ``figures`` and return the files.

    Args:
        report: what to draw; runs without scores are in no figure.
        out: folder of the report.

    Raises:
        MissingExtra: Matplotlib is not installed.
    """
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    if not report.scored:
        return []
    written: list[Path] = []
    with _drawing() as plt:
        for name, draw in FIGURES.items():
            figure = draw(plt, report)
            for kind in ("png", "svg"):
                path = folder / f"{name}.{kind}"
                figure.savefig(path, metadata={"Date": None} if kind == "svg" else None)
                written.append(path)
            plt.close(figure)
    return written


def _matplotlib() -> Any:
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ImportError as error:
        how = 'install it with: pip install "acoe_gym[report]", or leave the figures out with --no-figures'
        raise MissingExtra(f"{error}; {how}") from None
    return matplotlib


@contextmanager
def _drawing() -> Iterator[Any]:
    """Give pyplot without a screen, and put its settings back."""
    matplotlib = _matplotlib()
    before = matplotlib.get_backend()
    plt = importlib.import_module("matplotlib.pyplot")
    plt.switch_backend("agg")
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # names may hold any script
        yield plt
    plt.switch_backend(before)


def _plain(text: str) -> str:
    """Keep Matplotlib from reading a dollar sign as mathematics."""
    return text.replace("$", r"\$")


def _cut(text: str, width: int) -> str:
    """Shorten a text in its middle: both ends may be what tells it from another."""
    kept = (width - 3) // 2
    return text if len(text) <= width else f"{text[:kept]}...{text[-kept:]}"


def _name(run: ShownRun, between: str = BETWEEN) -> str:
    """Return a run's name and what must stand with it; a long name is cut, the rest is not."""
    rest = BETWEEN.join(part for part in (run.manner, *run.marks) if part)
    name = _cut(run.name, 34)
    return _plain(f"{name}{between}{rest}" if rest else name)


def _with_safety(run: ShownRun, s: Summary, between: str = "\n") -> str:
    scores = f"SR {s.sr.value:.3f}, SCR {s.scr.value:.3f}, unsafe {s.unsafe:.3f}"
    return f"{_name(run, between)}\n{scores}"


def _rows(plt: Any, scored: Scored, title: str, each: float = 0.55) -> tuple[Any, Any]:
    """Return a figure with one horizontal row per run, the first on top."""
    figure, axes = plt.subplots(figsize=(7.5, 1.2 + each * len(scored)))
    axes.set_yticks(range(len(scored)), [_with_safety(run, s) for run, s in scored])
    axes.set_ylim(len(scored) - 0.4, -0.6)
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
    return figure, axes


def _stacked(axes: Any, rows: Sequence[Sequence[float]], styles: Sequence[tuple[str, str]]) -> list[Any]:
    left = [0.0] * len(rows)
    drawn = []
    for part, (colour, hatch) in enumerate(styles):
        widths = [row[part] for row in rows]
        drawn.append(axes.barh(range(len(rows)), widths, 0.6, left=left, color=colour, hatch=hatch,
                               edgecolor="white"))  # fmt: skip
        left = [a + b for a, b in zip(left, widths, strict=True)]
    return drawn


def _legend(axes: Any, drawn: Sequence[Any], names: Sequence[str], columns: int) -> None:
    """Put a legend half an inch below the axes, whatever their height."""
    below = -0.5 / axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted()).height
    axes.legend(
        drawn, names, loc="upper center", bbox_to_anchor=(0.4, below), ncols=columns, handleheight=1.2
    )


def leaderboard(plt: Any, report: Report) -> Any:
    """Draw the leaderboard as a table, group by group, the best of each group in bold."""
    heads = ["", "SR", "SGO", "SCR", "Unsafe", "IAR", "Parameters", "Turns", "Calls", "Tokens (k)"]
    rows: list[tuple[list[str], frozenset[int]]] = []
    for name, runs in report.groups():
        scored = [run for run in runs if run.summary is not None]
        if scored:
            rows.append(([name] + [""] * 9, frozenset({0})))
            rows += [_board_row(run, best(runs)) for run in scored]
    longest = max(len(cells[0]) for cells, _ in rows)
    figure, axes = plt.subplots(figsize=(10.5, 0.6 + 0.28 * len(rows)))
    axes.axis("off")
    grid = axes.table(
        [cells for cells, _ in rows], colLabels=heads, loc="center", cellLoc="right", edges="horizontal",
        colWidths=[max(0.44, 0.0095 * longest), *[0.065] * 5, 0.1, 0.06, 0.06, 0.09],
    )  # fmt: skip
    grid.auto_set_font_size(False)
    grid.scale(1, 1.35)
    for (row, column), cell in grid.get_celld().items():
        cell.set_edgecolor("#C5CDD4")
        if column == 0:
            cell.set_text_props(ha="left")
        if row == 0 or column in rows[row - 1][1]:
            cell.set_text_props(fontweight="bold")
    return figure


def _board_row(run: ShownRun, group_top: Sequence[float | None]) -> tuple[list[str], frozenset[int]]:
    s = run.summary
    assert s is not None
    tokens = None if run.cost.total is None else run.cost.total / 1000
    scores = (s.sr.value, s.sgo.value, s.scr.value, s.unsafe, s.iar.value)
    cells = [
        f"   {_name(run)}",
        *(figure_of(value) for value in scores),
        _plain(_cut(run.parameters, 14)),
        f"{s.turns:.1f}",
        f"{s.calls:.1f}",
        figure_of(tokens, ".1f"),
    ]
    pairs = zip((1, 2, 3, 5), compared(s), group_top, strict=True) if run.is_peer else ()
    return cells, frozenset(column for column, value, top in pairs if value is not None and value == top)


def outcomes(plt: Any, report: Report) -> Any:
    """Draw the shares of outcomes."""
    figure, axes = _rows(plt, report.scored, "Outcome composition")
    rows = [(s.sr.value, s.safe_incomplete, s.unsafe) for _, s in report.scored]
    drawn = _stacked(axes, rows, [(colour, hatch) for _, colour, hatch in OUTCOMES])
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of episodes")
    _legend(axes, drawn, [name for name, _, _ in OUTCOMES], 3)
    return figure


def heat_map(plt: Any, report: Report) -> Any:
    """Draw successes per task and run, the hardest task on top; triangles count unsafe episodes."""
    scored, tasks = report.scored, report.tasks
    shares = [[_share(run, task) for run, _ in scored] for task in tasks]
    figure, axes = plt.subplots(figsize=(max(1.4, 0.68 * len(scored)), 1 + 0.2 * len(tasks)))
    colours = importlib.import_module("matplotlib.colors").LinearSegmentedColormap.from_list(
        "blue", ["#EEF5FA", BLUE]
    )
    axes.pcolormesh(shares, cmap=colours, vmin=0, vmax=1, edgecolors="white", linewidth=0.8)
    axes.invert_yaxis()
    for row, task in enumerate(tasks):
        for column, (run, _) in enumerate(scored):
            _cell(axes, (column + 0.5, row + 0.5), run, task)
    names = [_with_safety(run, s, BETWEEN) for run, s in scored]
    places = [column + 0.5 for column in range(len(scored))]
    axes.set_xticks(places, names, rotation=45, ha="left", va="center", rotation_mode="anchor")
    axes.set_yticks([row + 0.5 for row in range(len(tasks))], tasks)
    axes.tick_params(top=False, labeltop=True, bottom=False, labelbottom=False, left=False, pad=8)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(HEAT_WORDS, loc="right")
    return figure


def _cell(axes: Any, place: tuple[float, float], run: ShownRun, task: str) -> None:
    """Write how many episodes of a task were solved and, beside it, how many were unsafe."""
    episodes = run.by_task.get(task, ())
    solved, unsafe = sum(r.success == 1.0 for r in episodes), sum(r.safe == 0.0 for r in episodes)
    colour = "white" if episodes and solved / len(episodes) > DARK else "black"
    text = f"{solved}/{len(episodes)}" if episodes else DASH
    x = place[0] - (0.06 if unsafe else 0)
    axes.text(x, place[1], text, color=colour, ha="right" if unsafe else "center", va="center")
    if unsafe:
        axes.text(x + 0.08, place[1], f"{UNSAFE_SIGN}{unsafe}", color=RED, fontweight="bold", va="center",
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # fmt: skip


def _share(run: ShownRun, task: str) -> float:
    episodes = run.by_task.get(task, ())
    return sum(r.success for r in episodes) / len(episodes) if episodes else float("nan")


def failures(plt: Any, report: Report) -> Any:
    """Draw how failed episodes failed."""
    figure, axes = _rows(plt, report.scored, "Failed episodes by failure mode")
    counts = [Counter(mode.mode for mode in run.modes.values()) for run, _ in report.scored]
    drawn = _stacked(axes, [[found[name] for name in MODES] for found in counts], MODE_STYLES)
    axes.set_xlabel("episodes")
    _legend(axes, drawn, list(MODES.values()), 3)
    return figure


def iar_sr(plt: Any, report: Report) -> Any:
    """Draw IAR against SR; every point is named with SCR and unsafe share."""
    known = [(run, s, s.iar.value) for run, s in report.scored if s.iar.value is not None]
    figure, axes = plt.subplots(figsize=(8, 4.5))
    for number, (run, s, iar) in enumerate(known, 1):
        axes.scatter(
            [iar],
            [s.sr.value],
            s=(40 + 900 * s.unsafe) if s.unsafe else 0,
            facecolors="none",
            edgecolors=VERMILION,
        )
        scores = f"IAR {iar:.3f}, SR {s.sr.value:.3f}, SCR {s.scr.value:.3f}, unsafe {s.unsafe:.3f}"
        axes.scatter([iar], [s.sr.value], s=22, color=BLUE, label=f"{number}  {_name(run)}: {scores}")
        across, up = ((1, 1), (-1, 1), (1, -1), (-1, -1))[number % 4]  # else neighbours hide each other's
        axes.annotate(
            str(number), (iar, s.sr.value), xytext=(10 * across, 9 * up), textcoords="offset points",
            ha="center", va="center", fontweight="bold",
        )  # fmt: skip
    axes.set(xlabel="IAR (lower is better)", ylabel="SR (ring: unsafe share)")
    most = max((iar for _, _, iar in known), default=0.0)
    axes.set(xlim=(-0.03 * (most or 1.0), 1.15 * (most or 1.0)), ylim=(-0.06, 1.06))  # rings stay whole
    axes.grid(color="#E3E8EC", linewidth=0.6)
    axes.set_title("Ineffective actions against success; rings grow with the unsafe share", loc="left",
                   fontsize=10, fontweight="bold")  # fmt: skip
    if known:
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.13), fontsize=8, handletextpad=0.2)
    return figure


def calls_per_turn(plt: Any, report: Report) -> Any:
    """Draw calls per turn."""
    values = [s.calls_per_turn for _, s in report.scored]
    return _measured(plt, report.scored, values, "{:.2f}", "Calls per turn (ratio of the two means)")


def cost(plt: Any, report: Report) -> Any:
    """Draw tokens per episode, and write money beside them where it is known."""
    tokens = [None if run.cost.total is None else run.cost.total / 1000 for run, _ in report.scored]
    money = [run.cost.cost for run, _ in report.scored]
    notes = ["" if value is None else f", {value:.4f} in money" for value in money]
    title = "Tokens per episode (thousands; tokenizers differ), and money where prices are known"
    return _measured(plt, report.scored, tokens, "{:.1f} k", title, notes)


def _measured(
    plt: Any,
    scored: Scored,
    values: Sequence[float | None],
    form: str,
    title: str,
    notes: Sequence[str] | None = None,
) -> Any:
    figure, axes = _rows(plt, scored, title)
    axes.barh(range(len(scored)), [value or 0.0 for value in values], 0.5, color=BLUE)
    for row, (value, note) in enumerate(zip(values, notes or [""] * len(values), strict=True)):
        text = f"{'not known' if value is None else form.format(value)}{note}"
        axes.annotate(text, (value or 0.0, row), xytext=(4, 0), textcoords="offset points", va="center")
    if not any(values):
        axes.set_xticks([])
    axes.set_xlim(0, (1.4 if notes else 1.15) * max([value or 0.0 for value in values] + [0.1]))
    return figure


FIGURES: dict[str, Callable[[Any, Report], Any]] = {
    "leaderboard": leaderboard,
    "outcomes": outcomes,
    "heat_map": heat_map,
    "failure_modes": failures,
    "iar_sr": iar_sr,
    "calls_per_turn": calls_per_turn,
    "cost": cost,
}
