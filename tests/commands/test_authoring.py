from __future__ import annotations

from pathlib import Path

import pytest

import acoe_gym
from acoe_gym.cli import main

DOCS = Path(acoe_gym.__file__).parents[1] / "docs"
Capture = pytest.CaptureFixture[str]


def test_new_names_what_it_wrote_and_refuses_to_overwrite(tmp_path: Path, capsys: Capture) -> None:
    assert main(["new", "balloon/relight", "--out", str(tmp_path)]) == 0
    written = [line.removeprefix("wrote ") for line in capsys.readouterr().out.splitlines()]
    assert written == [str(tmp_path / "balloon" / f"{name}.toml") for name in ("world", "facts", "relight")]
    assert main(["new", "balloon/relight", "--out", str(tmp_path)]) == 1
    assert "nothing is overwritten" in capsys.readouterr().err


def test_new_without_a_folder_begins_an_aircraft_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "balloon/relight"]) == 0
    assert (tmp_path / "balloon" / "relight.toml").is_file()


def test_tasks_prints_the_page_of_the_docs(capsys: Capture) -> None:
    assert main(["tasks", "--format", "markdown"]) == 0
    assert capsys.readouterr().out == (DOCS / "tasks.md").read_text(encoding="utf-8")


def test_tasks_needs_to_know_what_to_do(capsys: Capture) -> None:
    assert main(["tasks"]) == 2
    assert "--search" in capsys.readouterr().err


def test_explain_of_an_unknown_task_names_the_nearest(capsys: Capture) -> None:
    assert main(["explain", "c172s/engine_restart/engine_pump_fail"]) == 2
    assert "nearest: c172s/engine_restart/engine_pump_failed" in capsys.readouterr().err
