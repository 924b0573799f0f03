from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.report import figures
from acoe_gym.benchmark.report.data import Report, gather
from acoe_gym.benchmark.report.figures import FIGURES, check_figures, write_figures
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.errors import MissingExtra

WriteRun = Callable[..., Path]


@pytest.fixture
def drawn(three: list[Path], tmp_path: Path) -> Path:
    pytest.importorskip("matplotlib")
    write_figures(gather(three, "t"), tmp_path / "out")
    return tmp_path / "out" / "figures"


def test_every_figure_is_written_as_png_and_svg(drawn: Path) -> None:
    assert {path.name for path in drawn.iterdir()} == {
        f"{n}.{kind}" for n in FIGURES for kind in ("png", "svg")
    }


def test_equal_reports_are_equal_files(drawn: Path, three: list[Path], tmp_path: Path) -> None:
    write_figures(gather(three, "t"), tmp_path / "again")
    for path in drawn.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / "figures" / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "leaderboard"])
def test_a_figure_that_names_success_names_safety(drawn: Path, name: str) -> None:
    text = (drawn / f"{name}.svg").read_text(encoding="utf-8")
    assert "SR 0.750, SCR 0.750, unsafe 0.250" in text


def test_the_leaderboard_shows_the_known_scores(drawn: Path) -> None:
    text = (drawn / "leaderboard.svg").read_text(encoding="utf-8")
    for word in ("API-only models", "Alpha", "Unsafe", "SCR", "0.750", "0.062", "744B/40B"):
        assert f">{word}<" in text or f">   {word}<" in text, word


def test_the_map_of_tasks_counts_unsafe_episodes_with_the_hardest_task_on_top(drawn: Path) -> None:
    text = (drawn / "heat_map.svg").read_text(encoding="utf-8")
    cells = "".join(re.findall(r">(\d/\d|\N{BLACK UP-POINTING TRIANGLE}\d)<", text))
    one = "\N{BLACK UP-POINTING TRIANGLE}1"
    assert cells == f"1/2{one}0/20/2{one}2/20/21/2{one}"
    assert "Hardest task first" in text
    assert text.index(">c172s/engine_restart/windmilling_magnetos_off<") < text.index(
        ">c172s/engine_restart/stopped_prop_left_tank<"
    )


def test_the_map_of_tasks_is_written_in_letters_of_at_least_9_points(drawn: Path) -> None:
    text = (drawn / "heat_map.svg").read_text(encoding="utf-8")
    sizes = {float(size) for size in re.findall(r"font-size: ([\d.]+)px", text)}
    assert min(sizes) >= 9


def test_names_with_dollars_markup_and_other_scripts_are_drawn(write_run: WriteRun, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = gather([write_run("$x^2$ <b>\N{CJK UNIFIED IDEOGRAPH-98DB}", ["silent"], ["silent"])], "t")
    write_figures(report, tmp_path)
    assert "$x^2$ &lt;b&gt;" in (tmp_path / "figures" / "outcomes.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FIGURES)
def test_manner_and_fewer_tasks_stand_with_a_name_and_a_long_name_keeps_its_folder(
    write_run: WriteRun, tmp_path: Path, name: str
) -> None:
    pytest.importorskip("matplotlib")
    long = f"a-maker/{'x' * 40}"
    few = write_run(long, ["solved"], settings={"harness": "full", "protocol": "text"})
    write_figures(gather([few, write_run(long, ["solved"], ["silent"])], "t"), tmp_path)
    text = (tmp_path / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    assert "harness full \N{MIDDLE DOT} text protocol \N{MIDDLE DOT} 1 of 2 tasks" in text
    assert re.search(r"a-maker/x+\.\.\.x+ \(run-0\)", text)
    assert re.search(r"a-maker/x+\.\.\.x+ \(run-1\)", text)


@pytest.mark.parametrize(("second", "bold"), [(["solved"], True), (None, False)])
def test_a_run_of_fewer_tasks_makes_nothing_bold(
    write_run: WriteRun, tmp_path: Path, second: list[str] | None, bold: bool
) -> None:
    pytest.importorskip("matplotlib")
    folders = [write_run("a", ["solved"], second), write_run("both", ["solved"], ["solved"])]
    write_figures(gather(folders, "t"), tmp_path)
    text = (tmp_path / "figures" / "leaderboard.svg").read_text(encoding="utf-8")
    assert bool(re.search(r"font(-weight)?: 700[^>]*>\d", text)) is bold


def test_a_refused_run_is_in_no_figure(three: list[Path], write_run: WriteRun, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    holes = write_run("Holes", ["solved", None], ["solved", "solved"])
    write_figures(gather([*three, holes], "t"), tmp_path)
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "figures").glob("*.svg")]
    assert not any("Holes" in text for text in texts)


def test_without_scores_there_are_no_figures(write_run: WriteRun, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert write_figures(gather([write_run("Holes", ["solved", None], ["solved"] * 2)], "t"), tmp_path) == []


def test_without_matplotlib_the_pip_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'pip install "acoe_gym\[report\]", or leave the figures out'):
        check_figures()


# Each figure in its place: the made-up run has no two that are equal.


def axes_of(report: Report, name: str) -> Any:
    """Return the axes of one figure."""
    pytest.importorskip("matplotlib")
    with figures._drawing() as plt:
        figure = FIGURES[name](plt, report)
        plt.close(figure)
    return figure.axes[0]


@pytest.mark.parametrize(
    ("name", "widths"),
    [
        ("outcomes", [0.2, 0.7, 0.1]),
        ("failure_modes", [2, 0, 1, 0, 0]),
        ("calls_per_turn", [2.5]),
        ("cost", [5.0]),
    ],
)
def test_a_bar_is_as_long_as_its_figure(made_report: Report, name: str, widths: list[float]) -> None:
    patches = axes_of(made_report, name).patches
    assert [patch.get_width() for patch in patches] == pytest.approx(widths)


def test_the_parts_of_a_bar_follow_one_another(made_report: Report) -> None:
    assert [p.get_x() for p in axes_of(made_report, "outcomes").patches] == pytest.approx([0, 0.2, 0.9])


@pytest.mark.parametrize(("name", "words"), [("calls_per_turn", "2.50"), ("cost", "5.0 k, 0.0025 in money")])
def test_a_bar_is_told_in_words(made_report: Report, name: str, words: str) -> None:
    assert [text.get_text() for text in axes_of(made_report, name).texts] == [words]


def test_a_point_stands_at_its_rates_and_names_all_of_them(made_report: Report) -> None:
    axes = axes_of(made_report, "iar_sr")
    places = [tuple(place) for points in axes.collections for place in points.get_offsets()]
    assert places == [(0.15, 0.2)] * 2
    (words,) = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == "1  Made: IAR 0.150, SR 0.200, SCR 0.900, unsafe 0.100"


def test_the_drawn_leaderboard_has_each_figure_in_its_column(made_up: Callable[..., ShownRun]) -> None:
    cells, bold = figures._board_row(made_up(), (0.2, 0.3, None, 0.15))
    assert cells == [
        "   Made", "0.200", "0.300", "0.900", "0.100", "0.150", "\N{EN DASH}", "8.0", "20.0", "5.0",
    ]  # fmt: skip
    assert bold == {1, 2, 5}


def test_a_partial_run_is_marked_in_figures_and_never_bold(made_up: Callable[..., ShownRun]) -> None:
    cells, bold = figures._board_row(made_up(missing=[("a/t/two", 2)]), (0.2, 0.3, 0.9, 0.15))
    assert (cells[0], bold) == ("   Made \N{MIDDLE DOT} 6 of 7 episodes; partial", frozenset())


def test_tokens_that_are_not_known_are_no_nought(made_report: Report) -> None:
    (shown,) = made_report.runs
    silent = replace(shown, cost=replace(shown.cost, total=None, cost=None))
    texts = axes_of(replace(made_report, runs=(silent,)), "cost").texts
    assert [text.get_text() for text in texts] == ["not known"]
