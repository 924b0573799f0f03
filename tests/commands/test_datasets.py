"""The commands generate and export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.suites import task_of
from acoe_gym.cli import main
from acoe_gym.cockpit.data import CANARY
from acoe_gym.cockpit.variants import difficulty_of, split_of

TEMPLATE = "c172s/engine_restart"
Capture = pytest.CaptureFixture[str]


def said(capsys: Capture, *argv: str) -> list[str]:
    """Run a command that must succeed without a word on standard error; return its lines."""
    assert main(argv) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out.splitlines()


def rows(lines: list[str]) -> list[dict[str, Any]]:
    """Return the rows behind the canary."""
    first, *rest = [json.loads(line) for line in lines]
    assert first == {"canary": CANARY}
    return rest


def test_generate_prints_variants_whose_ids_name_them(capsys: Capture) -> None:
    argv = ("--template", TEMPLATE, "--count", "4", "--seed", "9", "--split", "test", "--difficulty", "hard")
    found = rows(said(capsys, "generate", *argv))
    assert [row["seed"] for row in found] == [9, 10, 11, 12]
    for row in found:
        task = task_of(row["id"])
        assert (row["split"], row["difficulty"]) == (split_of(task), difficulty_of(task)) == ("test", "hard")
        assert (row["hash"], row["briefing"]) == (task.hash, task.briefing)
        assert row["start"]["engine.running"] is False


def test_generate_writes_a_file(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "variants.jsonl"
    lines = said(capsys, "generate", "--template", TEMPLATE, "--count", "3", "--out", str(path))
    assert lines == [f"wrote 3 variants to {path}"]
    found = rows(path.read_text(encoding="ascii").splitlines())
    assert [row["id"] for row in found] == [f"{TEMPLATE}/generated/{seed}" for seed in range(3)]


def test_generate_counts_distinct_variants(capsys: Capture) -> None:
    head, row, *_ = said(capsys, "generate", "--counts", "--count", "50", "--template", TEMPLATE)
    assert head.split()[:4] == ["template", "draws", "distinct", "space"]
    name, draws, distinct, space, *_ = row.split()
    assert (name, draws) == (TEMPLATE, "50")
    assert 45 < int(distinct) <= 50 < int(space)


def test_export_takes_training_variants_unless_told_otherwise(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    argv = ("--format", "openai-chat", "--template", TEMPLATE, "--count", "3", "--out", str(path))
    assert said(capsys, "export", *argv)[0] == f"wrote 3 rows of 3 tasks to {path}"
    described = json.loads(Path(f"{path}.meta.json").read_text(encoding="ascii"))
    assert (described["suite"], described["split"]) == ("generated", "train")


def test_export_batches_reads_on_request(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    argv = ("--format", "openai-chat", "--template", TEMPLATE, "--count", "1", "--batch", "--out", str(path))
    said(capsys, "export", *argv)
    messages = json.loads(path.read_text(encoding="ascii"))["messages"]
    assert max(len(message.get("tool_calls", ())) for message in messages) > 1


def test_export_of_core_tasks_warns(capsys: Capture, tmp_path: Path) -> None:
    argv = ["export", "--format", "jsonl", "--suite", "core", "--template", TEMPLATE]
    assert main([*argv, "--out", str(tmp_path / "core.jsonl")]) == 0
    err = capsys.readouterr().err
    assert err.startswith("acoe: warning: core tasks are the benchmark")
    assert err.count("\n") == 1


def test_export_refuses_a_split_of_core_tasks(capsys: Capture, tmp_path: Path) -> None:
    argv = ["export", "--format", "jsonl", "--suite", "core", "--split", "test"]
    assert main([*argv, "--out", str(tmp_path / "core.jsonl")]) == 2
    assert "expected --suite generated with" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_export_names_the_nearest_template(capsys: Capture, tmp_path: Path) -> None:
    argv = ["export", "--format", "pairs", "--template", f"{TEMPLATE}s", "--out", str(tmp_path / "x")]
    assert main(argv) == 2
    assert f"nearest: {TEMPLATE}" in capsys.readouterr().err
