"""A run that is killed: the same command afterwards loses no finished episode and flies none twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import acoe_gym
from acoe_gym.benchmark.records import FILE, Record, read_records
from acoe_gym.benchmark.runs import read_run, tokens_of
from acoe_gym.cli import main
from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.llm.conftest import Server

ROOT = Path(acoe_gym.__file__).parents[1]
# Of templates with briefings of their own, so that the endpoint can tell the tasks apart.
TASKS = library.task_ids()[::12]
READS = 2
Key = tuple[str, int]

# Kills itself the N-th time that a moment comes.
KILLED = """
import os, signal, sys
from acoe_gym.benchmark import records, runner
from acoe_gym.cli import main

moment, left = sys.argv[1], int(sys.argv[2])

def due(now):
    global left
    left -= now == moment
    return now == moment and left < 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

append, recorded = runner.append, runner._recorded

def replied(*arguments):
    if due("after the reply"):
        die()
    return recorded(*arguments)

def appended(path, record):
    if due("before the append"):
        die()
    if due("half a line"):
        with path.open("ab") as file:
            file.write(records.canonical(record).encode()[:700])
        die()
    append(path, record)

runner.append, runner._recorded = appended, replied
sys.exit(main(sys.argv[3:]))
"""


def words(server: Server, out: Path, tasks: tuple[str, ...], trials: int, threads: int) -> list[str]:
    named = [word for task in tasks for word in ("--task", task)]
    return [
        "run", "--model", "m", "--base-url", server.url, "--out", str(out),
        "--trials", str(trials), "--concurrency", str(threads), *named,
    ]  # fmt: skip


def begin(argv: list[str], code: str = "", *before: str) -> subprocess.Popen[bytes]:
    """Start a run in a process of its own."""
    code = code or "import sys; from acoe_gym.cli import main; sys.exit(main(sys.argv[1:]))"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *before, *argv],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def flights(server: Server) -> None:
    """Have every episode read a few times and submit."""
    server.flies(*[[("get_system", {"component": "rpm"})]] * READS)


def kept(out: Path) -> dict[Key, Record]:
    """Return the finished episodes on the disk."""
    path = out / FILE
    return {(r["task"], r["trial"]): r for r in read_records(path).records} if path.exists() else {}


def openings(server: Server, key: str) -> int:
    """Return how many episodes the holder of a key began."""
    pairs = zip(server.asked, server.headers, strict=True)
    return sum(len(asked["messages"]) == 2 and key in headers["authorization"] for asked, headers in pairs)


def holds_after(server: Server, out: Path, argv: list[str], planned: int) -> int:
    """Go on after a kill, and check that nothing was lost and nothing was flown twice."""
    before, key = kept(out), f"key after {out.name}"
    # Requests of the killed process may still come in; a key of its own tells the second one's apart.
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ACOE_API_KEY", key)
        assert main(argv) == 0
    found = read_run(out)
    assert (found.missing, found.problems, len(found.records)) == ((), (), planned)
    assert {key: record for key, record in kept(out).items() if key in before} == before
    assert openings(server, key) == planned - len(before)
    assert len((out / FILE).read_bytes().splitlines()) == planned
    assert sum(tokens_of(record).total or 0 for record in found.records) == planned * (READS + 1) * 110
    assert sum(record["metrics"]["turns"] for record in found.records) == planned * (READS + 1)
    return len(before)


@pytest.mark.parametrize(
    ("moment", "left", "threads"),
    [("after the reply", 0, 1), ("before the append", 3, 4), ("half a line", 2, 4)],
)
def test_a_run_killed_between_reply_and_disk_goes_on(
    server: Server, tmp_path: Path, moment: str, left: int, threads: int
) -> None:
    flights(server)
    argv = words(server, tmp_path, TASKS, 1, threads)
    assert begin(argv, KILLED, moment, str(left)).wait(60) == -signal.SIGKILL
    assert holds_after(server, tmp_path, argv, len(TASKS)) == left


def killed_when(server: Server, argv: list[str], requests: int) -> None:
    """Kill a run as soon as it has asked so many times, wherever it stands."""
    process = begin(argv)
    sent = len(server.asked)
    while len(server.asked) - sent < requests and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    assert process.wait(30) == -signal.SIGKILL


@pytest.mark.parametrize("point", range(5))
def test_a_run_killed_anywhere_goes_on(server: Server, tmp_path: Path, point: int) -> None:
    flights(server)
    argv = words(server, tmp_path, TASKS, 1, 3)
    killed_when(server, argv, random.Random(point).randrange(1, len(TASKS) * (READS + 1)))
    holds_after(server, tmp_path, argv, len(TASKS))


def asking(server: Server, argv: list[str]) -> subprocess.Popen[bytes]:
    """Start a run and return it when it has made its first request."""
    sent, process = len(server.asked), begin(argv)
    while len(server.asked) == sent and process.poll() is None:
        time.sleep(0.002)
    return process


def killed_after(server: Server, argv: list[str], seconds: float) -> bool:
    """Kill a run some time after its first request; tell whether it was still at work."""
    process = asking(server, argv)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    return process.wait(30) == -signal.SIGKILL


@pytest.mark.slow
def test_the_whole_evaluation_killed_at_20_points_goes_on(server: Server, tmp_path: Path) -> None:
    """All 73 tasks, three trials; the points are drawn over the wall time of a run that nobody kills."""
    flights(server)
    quick, latency = server.answer, random.Random(1)
    server.answer = lambda asked: server.reply(quick(asked), hang=latency.uniform(0.02, 0.08))
    tasks, trials = library.task_ids(), 3
    planned = len(tasks) * trials
    process = asking(server, words(server, tmp_path / "whole", tasks, trials, 8))
    start = time.monotonic()
    assert process.wait(120) == 0
    took = time.monotonic() - start
    whole, drawn, found = kept(tmp_path / "whole"), random.Random(20), []
    for point in range(20):
        out, seconds = tmp_path / str(point), drawn.uniform(0.0, took)
        argv = words(server, out, tasks, trials, 8)
        killed = killed_after(server, argv, seconds)
        finished = holds_after(server, out, argv, planned)
        print(f"{seconds:.2f} of {took:.2f} s: {finished} of {planned} finished")  # noqa: T201 - pytest -s
        assert killed or finished == planned
        assert kept(out) == whole
        found.append(finished)
    assert len(set(found)) >= 15  # the kills met the run in different places


def test_a_disk_that_is_full_ends_the_run_and_loses_no_record(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flights(server)
    argv = words(server, tmp_path, TASKS, 1, 1)
    fsync, left = os.fsync, [6]

    def full(number: int) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return fsync(number)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert main(argv) == 1
    assert "expected to write a record, got No space left on device" in capsys.readouterr().err
    assert holds_after(server, tmp_path, argv, len(TASKS)) >= 2
