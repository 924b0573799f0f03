"""What is told while a run flies."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from acoe_gym.benchmark import progress
from acoe_gym.benchmark.progress import Ticker
from acoe_gym.cockpit import library
from acoe_gym.errors import InfrastructureError

if TYPE_CHECKING:
    from tests.llm.conftest import Server

TASKS = library.task_ids()[:4]
Capture = pytest.CaptureFixture[str]


def test_a_line_tells_the_success_rate_only_beside_safety_and_unsafe_share(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(progress, "QUIET_S", -1.0)
    server.fly(tasks=TASKS, progress=Ticker(prices=(1.0, 1.0)))
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == "acoe: m 0/4"
    assert len(rest) == 4
    for number, line in enumerate(rest, 1):
        told = rf"acoe: m {number}/4, SR 0\.000, SCR 1\.000, unsafe 0\.000 so far, "
        told += rf"{number * 110} tokens, cost 0\.00"
        assert re.fullmatch(told + (", 0:00 left" if number < 4 else ""), line)


def test_unsafe_episodes_are_told(server: Server) -> None:
    ticker = Ticker()
    task = "c172s/engine_restart/stopped_prop_left_tank"
    server.flies([("set_system", {"component": "master_bat", "value": "OFF"})])
    server.queue = [server.says(("submit", {}))]
    server.fly(tasks=(task,), trials=4, progress=ticker)
    assert "SR 0.000, SCR 0.250, unsafe 0.750 so far" in ticker.line()


def test_nothing_is_told_within_the_quiet_time(server: Server, capsys: Capture) -> None:
    server.fly(tasks=TASKS, progress=Ticker())
    assert capsys.readouterr().err == ""


def test_an_error_is_told_at_once(server: Server, capsys: Capture) -> None:
    ticker = Ticker()
    server.queue = [server.error(400, "odd")]
    server.fly(tasks=TASKS, attempts=2, progress=ticker)
    assert capsys.readouterr().err == f"acoe: {TASKS[0]} trial 0: m: HTTP 400: odd\n"
    assert "4/4" in ticker.line()
    assert "1 errors" in ticker.line()


def test_what_ends_a_run_is_not_told_by_every_thread(server: Server, capsys: Capture) -> None:
    server.answer = lambda _: server.error(401, "wrong key")
    with pytest.raises(InfrastructureError):
        server.fly(tasks=TASKS, threads=4, progress=Ticker())
    assert capsys.readouterr().err == ""


def test_episodes_of_an_earlier_start_are_done_and_not_timed(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fly(tmp_path, tasks=TASKS)
    lines = (tmp_path / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "episodes.jsonl").write_bytes(b"".join(lines[:3]))
    ticker = Ticker()
    seen: list[str] = []
    monkeypatch.setattr(ticker, "_tell", lambda: seen.append(ticker.line()))
    server.fly(tmp_path, tasks=TASKS, progress=ticker)
    assert seen[0] == "3/4, SR 0.000, SCR 1.000, unsafe 0.000 so far, 330 tokens"
    assert seen[-1].startswith("4/4")


def test_a_bar_is_taken_away_whatever_ends_the_run(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ticker = Ticker()
    server.answer = lambda _: server.error(401)
    with pytest.raises(InfrastructureError):
        server.fly(progress=ticker)
    assert ticker._bar is not None
    assert ticker._bar[0].finished is False
    assert not ticker._bar[0].live.is_started
