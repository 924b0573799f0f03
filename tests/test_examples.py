"""The examples that need no extra run as they are printed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import acoe_gym

ROOT = Path(acoe_gym.__file__).parents[1]


def run(example: str, folder: Path, *argv: str) -> str:
    """Run an example from another folder, as somebody who downloaded it would."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / example, *argv],
        cwd=folder, env=environment, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


def test_quickstart_prints_the_briefing_three_readings_and_the_grade(tmp_path: Path) -> None:
    lines = run("quickstart.py", tmp_path).splitlines()
    assert lines[0].startswith("You are the pilot monitoring")
    assert any(line.startswith("CAPTAIN: ") for line in lines)
    assert [line.split(",")[1] for line in lines[-4:-1]] == [
        f'"component":"{name}"' for name in ("rpm", "fuel_selector", "fuel_qty_l")
    ]
    assert lines[-1] == "reward 0.0, success 0.0, goals 0.0, safe 1.0"


def test_the_policy_written_by_hand_solves_its_procedure_and_prints_the_table(tmp_path: Path) -> None:
    lines = run("custom_policy.py", tmp_path).splitlines()
    assert lines[0] == f"{len(acoe_gym.task_ids('c172s/engine_restart'))} episodes of 8 tasks in 1 template"
    scores = {line.split()[0]: line.split()[1] for line in lines if line.split()[:1] in (["SR"], ["SCR"])}
    assert scores == {"SR": "1.000", "SCR": "1.000"}


def test_the_fine_tuning_example_writes_fifty_chats_and_shows_one(tmp_path: Path) -> None:
    lines = run("sft_dataset.py", tmp_path, "chats.jsonl").splitlines()
    assert [line.split(":")[0].strip() for line in lines[:3]] == ["system", "user", "assistant"]
    assert lines[-2] == '     tool: {"ok":true,"submitted":true}'
    assert lines[-1].startswith("50 chats in chats.jsonl")
    assert len((tmp_path / "chats.jsonl").read_text(encoding="ascii").splitlines()) == 50
