from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit import library
from acoe_gym.commands.report import add_report_options, report_command
from acoe_gym.errors import MissingExtra, RecordError


def reported(*words: object) -> tuple[list[str], int]:
    """Return what the command says, and its exit code."""
    parser = argparse.ArgumentParser()
    add_report_options(parser)
    told: list[str] = []
    code = report_command(parser.parse_args([str(word) for word in words]), told.append)
    return told, code


def lines(*words: object) -> list[str]:
    return reported(*words)[0]


def lose(folder: Path, episodes: int) -> None:
    """Take the last episodes out of a run."""
    path = folder / "episodes.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-episodes]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run(Plan("submit", library.task_ids()[:2], trials=2), tmp_path / "run")
    return tmp_path / "run"


def test_it_writes_the_page_and_the_tables_and_says_where(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = lines(folder, "--out", out, "--title", "Ours", "--no-figures")
    size = (out / "report.html").stat().st_size / 1e6
    assert told[0] == f"page: {out / 'report.html'} ({size:.1f} MB)"
    assert told[1] == "tables: models.csv, episodes.csv, summary.json"
    assert "<h1>Ours</h1>" in (out / "report.html").read_text(encoding="utf-8")
    assert not (out / "figures").exists()


def test_it_says_what_the_reader_must_know(folder: Path, tmp_path: Path) -> None:
    lose(folder, 1)
    told = lines(folder, "--out", tmp_path / "out", "--no-figures")
    assert told[0] == "submit: 3 of 4 episodes; refused. A run with missing episodes gets no score."
    told = lines(folder, "--out", tmp_path / "out", "--no-figures", "--allow-partial")
    assert told[0].startswith("submit: 3 of 4 episodes; partial.")


def test_without_matplotlib_nothing_is_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="--no-figures"):
        lines(folder, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_pyarrow_parquet_is_left_out_and_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    told = lines(folder, "--out", tmp_path / "out", "--no-figures")
    assert told[-1].startswith("parquet: left out, ")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"expected a run's folder with run\.json"):
        lines(tmp_path, "--out", tmp_path / "out", "--no-figures")


def test_a_place_that_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(RecordError, match="expected a folder to write to"):
        lines(folder, "--out", tmp_path / "file", "--no-figures")


def test_whole_runs_exit_with_0(folder: Path, tmp_path: Path) -> None:
    assert reported(folder, "--out", tmp_path / "out", "--no-figures")[1] == 0


def test_a_refused_run_exits_with_1_and_is_told_in_one_line_what_to_do(folder: Path, tmp_path: Path) -> None:
    lose(folder, 1)
    told, code = reported(folder, "--out", tmp_path / "out", "--no-figures")
    assert code == 1
    assert told[-1] == (
        f"no score for submit (3 of 4 episodes): fly what is missing with acoe retry {folder}, "
        "or score what is there with --allow-partial"
    )
    assert (tmp_path / "out" / "report.html").exists()


def test_one_refused_run_among_scored_ones_exits_with_1(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    run(Plan("noop", library.task_ids()[:2], trials=2), other)
    lose(other, 2)
    told, code = reported(folder, other, "--out", tmp_path / "out", "--no-figures")
    assert code == 1
    assert told[-1].startswith(
        f"no score for noop (2 of 4 episodes): fly what is missing with acoe retry {other}"
    )


def test_what_is_there_of_one_refused_run_can_be_scored_though_another_has_nothing(
    folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    run(Plan("noop", library.task_ids()[:2], trials=2), other)
    lose(folder, 1)
    lose(other, 4)
    told = lines(folder, other, "--out", tmp_path / "out", "--no-figures")
    assert told[-1].endswith(", or score what is there with --allow-partial")


def test_a_partial_run_that_may_be_scored_exits_with_0(folder: Path, tmp_path: Path) -> None:
    lose(folder, 1)
    assert reported(folder, "--out", tmp_path / "out", "--no-figures", "--allow-partial")[1] == 0


def test_a_run_without_any_episode_is_not_told_to_be_scored_in_part(folder: Path, tmp_path: Path) -> None:
    lose(folder, 4)
    told, code = reported(folder, "--out", tmp_path / "out", "--no-figures", "--allow-partial")
    assert (code, told[-1].endswith(", or leave it out")) == (1, True)
