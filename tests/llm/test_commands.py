"""The commands of an evaluation: run, retry, regrade."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import acoe_gym
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import FILE
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.runs import CONFIGURATION, ERRORS, read_run
from acoe_gym.cli import main
from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.llm.conftest import Server

TASKS = library.task_ids()[:3]
TASK = "c172s/engine_restart/stopped_prop_left_tank"
ROOT = Path(acoe_gym.__file__).parents[1]
READ = ("get_system", {"component": "rpm"})
Capture = pytest.CaptureFixture[str]


def words(server: Server, out: Path, *more: str, tasks: tuple[str, ...] = TASKS) -> list[str]:
    """Return the command line of a run."""
    named = [word for task in tasks for word in ("--task", task)]
    return [
        "run",
        "--model",
        "m",
        "--base-url",
        server.url,
        "--trials",
        "1",
        "--out",
        str(out),
        *named,
        *more,
    ]


def said(capsys: Capture, *argv: str, code: int = 0) -> tuple[str, str]:
    """Run a command that must end with this code; return what it says on either stream."""
    assert main(argv) == code
    captured = capsys.readouterr()
    return captured.out, captured.err


# Run.


def test_run_prints_metrics_and_writes_the_run(server: Server, tmp_path: Path, capsys: Capture) -> None:
    out, err = said(capsys, *words(server, tmp_path, "--label", "M 8B", "--open-weights", "yes"))
    assert out.startswith("model m, suite core, seed 0\n")
    assert f"records: {tmp_path / FILE}" in out
    assert err == ""
    assert read_run(tmp_path).about == {"label": "M 8B", "open_weights": True}


def test_run_refuses_metrics_of_a_part_and_names_what_to_do(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    server.queue = [server.error(400, "odd"), server.says(("submit", {})), server.says(("submit", {}))]
    server.answer = lambda _: server.error(400, "odd")
    argv = words(server, tmp_path, "--concurrency", "1")
    out, err = said(capsys, *argv, code=1)
    assert out == (
        f"no metrics: 1 of 3 episodes are missing; their errors stand in {tmp_path / ERRORS}. "
        "Run the same command again to fly them, or add --allow-partial\n"
    )
    assert err == f"acoe: {TASKS[0]} trial 0: m: HTTP 400: odd\n" * 2
    out, _ = said(capsys, *argv, "--allow-partial", code=1)
    assert "PARTIAL: 1 of 3 episodes are missing" in out
    out, _ = said(capsys, *argv, "--allow-partial", "--json", code=1)
    assert json.loads(out)["missing"] == 1
    server.answer = lambda _: server.says(("submit", {}))
    out, _ = said(capsys, *argv)
    assert "missing" not in out


def test_run_that_flew_nothing_prints_no_metrics(server: Server, tmp_path: Path, capsys: Capture) -> None:
    server.answer = lambda _: server.error(400, "odd")
    out, _ = said(capsys, *words(server, tmp_path, "--allow-partial"), code=1)
    assert out == (
        f"no metrics: 3 of 3 episodes are missing; their errors stand in {tmp_path / ERRORS}. "
        "Run the same command again to fly them\n"
    )


def test_a_budget_ends_a_run_whose_endpoint_counts_no_tokens(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    server.answer = lambda _: server.says(("submit", {}), usage=None)
    out, _ = said(capsys, *words(server, tmp_path, "--concurrency", "1", "--max-tokens", "9"), code=1)
    assert "The run stopped: the endpoint counts no tokens: leave --max-tokens out, and run" in out
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (("--max-tokens", "1"), "110 tokens are used: raise"),
        (("--max-cost", "0.01", "--price-in", "100", "--price-out", "100"), "0.011 is spent: raise"),
    ],
)
def test_run_stops_at_its_budget_and_says_so(
    server: Server, tmp_path: Path, capsys: Capture, budget: tuple[str, ...], told: str
) -> None:
    out, _ = said(capsys, *words(server, tmp_path, "--concurrency", "1", *budget), code=1)
    assert out == (
        f"no metrics: 2 of 3 episodes are missing. The run stopped: {told} {budget[0]}, "
        "and run the same command again to fly them, or add --allow-partial\n"
    )
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--max-cost", "1"), "--max-cost needs --price-in and --price-out"),
        (("--extra-body", "[]"), "--extra-body expects a JSON object"),
        (("--param", "temperature"), "expected K=V, such as temperature=0, got 'temperature'"),
        (("--smoke",), "--smoke chooses tasks itself"),
    ],
)
def test_run_refuses_options_that_do_not_go_together(
    server: Server, tmp_path: Path, capsys: Capture, more: tuple[str, ...], told: str
) -> None:
    _, err = said(capsys, *words(server, tmp_path, *more), code=2)
    assert told in err
    assert server.asked == []


@pytest.mark.parametrize(
    ("more", "folder"),
    [
        ((), "org-m-smoke"),
        (("--harness", "full", "--protocol", "text"), "org-m-full-text-smoke"),
        (("--label", "../../../up"), "org-m-smoke"),
    ],
)
def test_the_default_folder_is_named_for_the_model_and_no_path_of_it(
    server: Server, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...], folder: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    server.answer = lambda _: server.says(("submit", {}), text='<tool_call>{"name": "submit"}</tool_call>')
    out, _ = said(capsys, "run", "--model", "org/m", "--base-url", server.url, "--smoke", *more)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [folder]
    assert f"records: {Path('runs', folder, 'episodes.jsonl')}" in out
    assert "counted in 2 of 2 episodes" in out


def test_estimate_asks_no_endpoint(server: Server, tmp_path: Path, capsys: Capture) -> None:
    out, _ = said(capsys, *words(server, tmp_path / "x", "--estimate", "--price-in", "1", "--price-out", "5"))
    assert "3 episodes" in out
    assert "cost" in out
    assert server.asked == []
    assert not (tmp_path / "x").exists()


def test_smoke_flies_one_task_of_each_aircraft(server: Server, tmp_path: Path, capsys: Capture) -> None:
    argv = ["run", "--model", "m", "--base-url", server.url, "--out", str(tmp_path), "--smoke"]
    said(capsys, *argv)
    assert [task.partition("/")[0] for task in read_run(tmp_path).configuration["tasks"]] == ["c172s", "pa44"]


@pytest.mark.parametrize(("status", "told"), [(401, "wrong key"), (404, "no model m")])
def test_a_fatal_error_is_one_clear_line(
    server: Server, tmp_path: Path, capsys: Capture, status: int, told: str
) -> None:
    server.answer = lambda _: server.error(status, told)
    out, err = said(capsys, *words(server, tmp_path, "--concurrency", "1"), code=1)
    assert out == ""
    assert err.splitlines()[-1] == f"acoe: m: HTTP {status}: {told}"
    assert len(server.asked) == 1


def test_the_same_command_goes_on_after_a_fatal_error(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    server.queue = [server.says(("submit", {})), server.error(401)]
    argv = words(server, tmp_path, "--concurrency", "1")
    said(capsys, *argv, code=1)
    said(capsys, *argv)
    assert len(server.asked) == 2 + 2


@pytest.mark.parametrize(
    "option",
    [
        ("--smoke",), ("--estimate",), ("--harness", "full"), ("--max-tokens", "9"), ("--param", "a=1"),
        ("--base-url", "http://h/v1"), ("--concurrency", "2"), ("--label", "x"), ("--null-content",),
    ],
)  # fmt: skip
def test_an_option_of_a_model_is_refused_with_a_built_in_policy(
    capsys: Capture, option: tuple[str, ...]
) -> None:
    _, err = said(capsys, "run", "--policy", "noop", "--task", TASK, *option, code=2)
    assert err == f"acoe: {option[0]} is for a model; leave it out with --policy\n"


# Retry.


def test_retry_flies_what_is_missing_as_the_run_was_flown(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    server.queue = [server.error(400)] * 2
    options = "--param", "temperature=0", "--harness", "plan", "--echo", "x", "--concurrency", "1"
    said(capsys, *words(server, tmp_path, *options, tasks=(TASK,)), code=1)
    out, _ = said(capsys, "retry", str(tmp_path))
    assert out == f"{tmp_path}: flew 1, 1 of 1 are there\n"
    assert server.asked[-1]["temperature"] == 0
    assert read_run(tmp_path).records[0]["pilot"]["harness"] == "plan"
    out, _ = said(capsys, "retry", str(tmp_path))
    assert out == f"{tmp_path}: all 1 episodes are there\n"


def test_retry_that_fails_again_says_so(server: Server, tmp_path: Path, capsys: Capture) -> None:
    server.answer = lambda _: server.error(400)
    said(capsys, *words(server, tmp_path), code=1)
    out, _ = said(capsys, "retry", str(tmp_path), code=1)
    assert out.startswith("no metrics: 3 of 3 episodes are missing")


def test_retry_takes_an_address_whose_secret_was_not_stored(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    secret = f"{server.url}?key=abc"
    server.queue = [server.error(400)] * 6
    argv = words(server, tmp_path)
    argv[argv.index(server.url)] = secret
    said(capsys, *argv, code=1)
    sent = len(server.asked)
    _, err = said(capsys, "retry", str(tmp_path), code=2)
    assert err.endswith("a part of the address " + server.url + "?... is not kept; give it with --base-url\n")
    assert len(server.asked) == sent
    said(capsys, "retry", str(tmp_path), "--base-url", secret)
    assert server.paths[-1].endswith("?key=abc")


def test_retry_keeps_to_a_budget_at_the_prices_of_the_run(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    prices = "--price-in", "100", "--price-out", "100"
    said(capsys, *words(server, tmp_path, "--concurrency", "1", "--max-cost", "0.01", *prices), code=1)
    out, _ = said(capsys, "retry", str(tmp_path), "--concurrency", "1", "--max-cost", "0.02", code=1)
    assert "1 of 3 episodes are missing. The run stopped: 0.022 is spent: raise --max-cost" in out
    assert "--allow-partial" not in out
    out, _ = said(capsys, "retry", str(tmp_path), "--max-tokens", "330")
    assert "flew 1, 3 of 3 are there" in out


def test_retry_without_prices_takes_no_limit_of_money(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    server.queue = [server.error(400)] * 2
    said(capsys, *words(server, tmp_path, tasks=(TASK,)), code=1)
    _, err = said(capsys, "retry", str(tmp_path), "--max-cost", "1", code=2)
    assert "--max-cost needs a run that was begun with --price-in and --price-out" in err


@pytest.mark.parametrize("change", [{"new": 1}, {"echo": None}, {"echo": ...}], ids=str)
def test_retry_of_settings_that_are_none_of_a_model_is_one_line(
    server: Server, tmp_path: Path, capsys: Capture, change: dict[str, Any]
) -> None:
    server.queue = [server.error(400)] * 2
    said(capsys, *words(server, tmp_path, tasks=(TASK,)), code=1)
    whole = json.loads((tmp_path / CONFIGURATION).read_text())
    whole["settings"] = {k: v for k, v in {**whole["settings"], **change}.items() if v is not ...}
    (tmp_path / CONFIGURATION).write_text(json.dumps(whole))
    _, err = said(capsys, "retry", str(tmp_path), code=1)
    assert "expected the settings of a model, got " in err


def test_a_partial_headline_tells_why_the_run_stopped(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    more = "--concurrency", "1", "--max-tokens", "1", "--allow-partial"
    out, _ = said(capsys, *words(server, tmp_path, *more), code=1)
    assert "PARTIAL: 2 of 3 episodes are missing; the run stopped: 110 tokens are used" in out


def test_retry_of_a_built_in_policy_needs_no_model(tmp_path: Path, capsys: Capture) -> None:
    run(Plan("noop", TASKS), tmp_path)
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(lines[0])
    out, _ = said(capsys, "retry", str(tmp_path))
    assert "flew 2, 3 of 3 are there" in out


def test_retry_without_a_run_is_an_error(tmp_path: Path, capsys: Capture) -> None:
    _, err = said(capsys, "retry", str(tmp_path), code=1)
    assert "expected a run's folder with run.json" in err


# Regrade.


def test_regrade_by_an_unchanged_package_changes_nothing(
    server: Server, tmp_path: Path, capsys: Capture
) -> None:
    server.flies([READ])
    records = server.fly(tmp_path / "run", tasks=TASKS)
    out, _ = said(capsys, "regrade", str(tmp_path / "run"), "--out", str(tmp_path / "new"))
    assert out.startswith(f"{tmp_path / 'run'}: 3 episodes, 0 with another grade, 0 with other replies\n")
    again = read_run(tmp_path / "new")
    assert list(again.records) == records
    assert again.about == {"regraded": True}


def test_regrade_shows_a_tampered_record(server: Server, tmp_path: Path, capsys: Capture) -> None:
    server.fly(tmp_path, tasks=TASKS)
    lines = (tmp_path / FILE).read_text().splitlines()
    record = json.loads(lines[1])
    record["grade"] |= {"success": 1.0, "goal_attainment": 1.0, "goals_missed": []}
    lines[1] = json.dumps(record)
    (tmp_path / FILE).write_text("\n".join(lines) + "\n")
    out, _ = said(capsys, "regrade", str(tmp_path))
    assert "3 episodes, 1 with another grade, 0 with other replies" in out
    assert f"{record['task']} trial 0" in out
    assert "success 1" in out


def test_regrade_shows_replies_that_differ(server: Server, tmp_path: Path, capsys: Capture) -> None:
    server.flies([READ])
    server.fly(tmp_path, tasks=TASKS[:1])
    record = json.loads((tmp_path / FILE).read_text())
    record["turns"][0][0]["reply"] = "0" * 12
    (tmp_path / FILE).write_text(json.dumps(record) + "\n")
    out, _ = said(capsys, "regrade", str(tmp_path))
    assert "1 episodes, 0 with another grade, 1 with other replies" in out


def test_regrade_writes_into_no_old_run(server: Server, tmp_path: Path, capsys: Capture) -> None:
    server.fly(tmp_path, tasks=TASKS)
    before = (tmp_path / FILE).read_bytes()
    _, err = said(capsys, "regrade", str(tmp_path), "--out", str(tmp_path), code=1)
    assert "expected a new folder" in err
    assert (tmp_path / FILE).read_bytes() == before


# In a process of its own.


@pytest.fixture
def start(server: Server) -> Iterator[Any]:
    """Give a function that starts a command."""
    begun: list[subprocess.Popen[str]] = []

    def started(*argv: str) -> subprocess.Popen[str]:
        code = "import sys; from acoe_gym.cli import main; sys.exit(main(sys.argv[1:]))"
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        begun.append(
            subprocess.Popen(
                [sys.executable, "-c", code, *argv], env=env, stdout=pipe, stderr=pipe, text=True
            )
        )
        return begun[-1]

    yield started
    for process in begun:
        process.kill()
        process.communicate()


def wait_for(condition: Any, seconds: float = 30.0) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


@pytest.mark.parametrize("concurrency", ["1", "3"])
def test_an_interrupt_ends_a_run_at_once_though_a_request_hangs(
    server: Server, tmp_path: Path, start: Any, concurrency: str
) -> None:
    server.queue = [server.says(("submit", {}))]
    server.answer = lambda _: server.reply({}, hang=60)
    process = start(*words(server, tmp_path, "--concurrency", concurrency))
    wait_for(
        lambda: len(server.asked) >= 2 and (tmp_path / FILE).exists() and (tmp_path / FILE).stat().st_size
    )
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert time.monotonic() - begun < 10  # the request hangs for 60
    assert (process.returncode, err) == (130, "acoe: stopped; finished episodes are kept\n")
    assert len(read_run(tmp_path).records) == 1


def test_two_processes_do_not_fly_one_run_and_tell_no_key(
    server: Server, tmp_path: Path, start: Any, capsys: Capture
) -> None:
    server.answer = lambda _: server.reply({}, hang=60)
    first = start(*words(server, tmp_path))
    wait_for(lambda: server.asked)
    out, err = said(capsys, *words(server, tmp_path), code=1)
    assert out == ""
    assert "another process is writing this run" in err
    server.answer = lambda _: server.error(401, f"bad key {server.key}")
    server.over.set()
    out, err = first.communicate(timeout=30)
    assert first.returncode == 1
    assert "bad key ***" in err
    assert server.key not in out + err + "".join(path.read_text() for path in tmp_path.iterdir())
    assert (tmp_path / CONFIGURATION).exists()
