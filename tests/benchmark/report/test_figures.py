from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acoe_gym.benchmark.report.data import gather
from acoe_gym.benchmark.report.figures import FIGURES, check_figures, write_figures
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
