"""The examples that fly a model run as they are printed."""

from __future__ import annotations

import importlib.util
import os
import runpy
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import acoe_gym

ROOT = Path(acoe_gym.__file__).parents[1]
TASKS = ("c172s/engine_restart/stopped_prop_left_tank", "pa44/engine_fire/left_in_cruise")


def run(example: str, folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run an example from another folder, as somebody who downloaded it would."""
    return subprocess.run(
        [sys.executable, ROOT / "examples" / example, *argv],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, capture_output=True, text=True,
    )  # fmt: skip


def evaluated(folder: Path, server: Any, *tasks: str) -> list[str]:
    """Return the lines that the evaluation of a model behind the endpoint prints."""
    chosen = [word for task in tasks for word in ("--task", task)]
    process = run("evaluate_llm.py", folder, "--model", "m", "--base-url", server.url, *chosen)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout.splitlines()


def test_a_model_is_flown_in_a_plain_loop_over_the_chosen_tasks(tmp_path: Path, server: Any) -> None:
    server.flies([("get_system", {"component": "rpm"})], [])
    lines = evaluated(tmp_path, server, *TASKS)
    assert [line.split() for line in lines[:2]] == [[t, "success", "0", "safe", "1"] for t in TASKS]
    assert lines[3] == "2 episodes of 2 tasks in 2 templates"
    assert [server.turn(asked) for asked in server.asked] == [0, 1, 2] * 2
    assert server.complaints == []


def test_the_loop_stops_with_the_error_of_the_endpoint(tmp_path: Path, server: Any) -> None:
    server.queue = [server.error(401, "wrong key")]
    process = run("evaluate_llm.py", tmp_path, "--model", "m", "--base-url", server.url)
    assert process.returncode == 1
    assert process.stderr == "evaluate_llm: m: HTTP 401: wrong key\n"


@pytest.mark.skipif(importlib.util.find_spec("llama_cpp") is not None, reason="nothing is missing")
def test_the_local_model_says_what_to_install(tmp_path: Path) -> None:
    process = run("local_model.py", tmp_path)
    assert process.returncode == 1
    assert process.stderr.startswith("this example needs: pip install ")
    assert '"llama-cpp-python[server]"' in process.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_local_model_is_examined_and_flown_under_both_protocols(
    tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda _: server.says(("submit", {}), text="I submit.")
    names = runpy.run_path(str(ROOT / "examples" / "local_model.py"))["main"].__globals__
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setitem(names, "check_installed", lambda: None)
    monkeypatch.setitem(names, "served", lambda *_: nullcontext(server.url))
    monkeypatch.setattr(sys, "argv", ["local_model.py", "--out", str(tmp_path / "out"), "--task", TASKS[0]])
    names["main"]()
    out = capsys.readouterr().out
    assert out.count("ok    answers") == 1
    rows = [line.split() for line in out.splitlines()]
    assert [row[:3] for row in rows if row[:1] in (["tools"], ["text"])] == [
        ["tools", "1", "0.000"], ["text", "1", "0.000"],
    ]  # fmt: skip
    assert "tools: none missing, 1 turns, 100 + 10 tokens" in out
    assert "text: none missing, 48 turns, 4,800 + 480 tokens" in out
    assert server.complaints == []
