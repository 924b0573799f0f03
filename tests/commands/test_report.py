from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit import library
from acoe_gym.commands.report import add_report_options, report_lines
from acoe_gym.errors import MissingExtra, RecordError


def lines(*words: object) -> Iterator[str]:
    parser = argparse.ArgumentParser()
    add_report_options(parser)
    return report_lines(parser.parse_args([str(word) for word in words]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run(Plan("submit", library.task_ids()[:2], trials=2), tmp_path / "run")
    return tmp_path / "run"


def test_it_writes_the_page_and_the_tables_and_says_where(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = list(lines(folder, "--out", out, "--title", "Ours", "--no-figures"))
    assert told[0].startswith(f"page: {out / 'report.html'}")
    assert told[1] == "tables: models.csv, episodes.csv, summary.json"
    assert "<h1>Ours</h1>" in (out / "report.html").read_text(encoding="utf-8")
    assert not (out / "figures").exists()


def test_it_says_what_the_reader_must_know(folder: Path, tmp_path: Path) -> None:
    path = folder / "episodes.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    told = list(lines(folder, "--out", tmp_path / "out", "--no-figures"))
    assert told[0] == "submit: 3 of 4 episodes; refused. A run with missing episodes gets no score."
    told = list(lines(folder, "--out", tmp_path / "out", "--no-figures", "--allow-partial"))
    assert told[0].startswith("submit: 3 of 4 episodes; partial.")


def test_without_matplotlib_nothing_is_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="--no-figures"):
        list(lines(folder, "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_without_pyarrow_parquet_is_left_out_and_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    told = list(lines(folder, "--out", tmp_path / "out", "--no-figures"))
    assert told[-1].startswith("parquet: left out, ")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"expected a run's folder with run\.json"):
        list(lines(tmp_path, "--out", tmp_path / "out", "--no-figures"))


def test_a_place_that_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(RecordError, match="expected a folder to write to"):
        list(lines(folder, "--out", tmp_path / "file", "--no-figures"))
