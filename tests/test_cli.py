from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import acoe_gym
from acoe_gym.benchmark.records import FILE
from acoe_gym.cli import main
from acoe_gym.cockpit import library, manifest
from acoe_gym.cockpit.tools import NAMES, openai_tools
from acoe_gym.version import __version__

TASK = "c172s/engine_restart/stopped_prop_left_tank"
ROOT = Path(acoe_gym.__file__).parents[1]
PUMP = Path(__file__).parent / "worlds"
COMMANDS = (
    "list", "show", "run", "demo", "replay", "generate", "export", "validate", "prove", "tools", "manifest",
    "explain", "new", "tasks", "retry", "regrade", "doctor", "metrics", "compare", "failures", "report",
    "play",
)  # fmt: skip

Capture = pytest.CaptureFixture[str]


def said(capsys: Capture, *argv: str, code: int = 0) -> str:
    """Run a command that must end with this code and leave standard error empty; return what it says."""
    assert main(argv) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.isascii()
    return captured.out


# What it says.


def test_list_names_aircraft_templates_tasks_and_environments(capsys: Capture) -> None:
    words = said(capsys, "list").split()
    assert {"ACOE-v0", "ACOE-C172S-v0", "ACOE-C172S-EngineRestart-Flat-v0", *library.task_ids()} <= set(words)


def test_list_as_json_is_strict(capsys: Capture) -> None:
    (world,) = json.loads(said(capsys, "list", "c172s/engine_restart", "--json"))
    assert [template["id"] for template in world["templates"]] == ["c172s/engine_restart"]


def test_show_keeps_the_answers_back_unless_asked(capsys: Capture) -> None:
    assert "keep_power" not in said(capsys, "show", TASK)
    spoiled = said(capsys, "show", TASK, "--spoilers")
    assert "keep_power" in spoiled
    assert "c172s.restart.6 [" in spoiled


def test_show_as_json_holds_what_the_pilot_is_told(capsys: Capture) -> None:
    shown = json.loads(said(capsys, "show", TASK, "--json"))
    assert shown["opening"].startswith("You are the pilot monitoring")
    assert "spoilers" not in shown
    assert "goals" in json.loads(said(capsys, "show", TASK, "--json", "--spoilers"))["spoilers"]


def test_show_knows_generated_variants(capsys: Capture) -> None:
    assert "c172s/engine_restart/generated/3" in said(capsys, "show", "c172s/engine_restart/generated/3")


def test_run_prints_success_with_safety(capsys: Capture) -> None:
    out = said(capsys, "run", "--policy", "reference", "--task", TASK)
    assert "SR                             1.000" in out
    assert "SCR                            1.000" in out
    assert "unsafe" in out


def test_run_as_json_holds_the_summary(capsys: Capture) -> None:
    argv = ("run", "--policy", "generic", "--template", "c172s/engine_restart", "--trials", "2", "--json")
    summary = json.loads(said(capsys, *argv))
    assert (summary["tasks"], summary["episodes"]) == (8, 16)
    assert summary["sr"]["value"] == 0.25
    assert summary["scr"]["value"] == 1.0


def test_json_of_a_run_holds_the_unsafe_share_beside_every_success_rate(capsys: Capture) -> None:
    told = json.loads(said(capsys, "run", "--policy", "whole-list", "--task", TASK, "--json"))
    assert (told["sr"]["value"], told["scr"]["value"], told["unsafe"]) == (1.0, 1.0, 0.0)
    assert all({"sr", "scr", "unsafe"} <= set(row) for row in (*told["templates"], *told["rows"]))


def test_run_of_generated_variants_takes_consecutive_seeds(capsys: Capture) -> None:
    argv = ("run", "--policy", "reference", "--suite", "generated", "--trials", "3", "--seed", "9", "--json")
    summary = json.loads(said(capsys, *argv, "--template", "c172s/engine_restart"))
    assert [row["name"].rpartition("/")[2] for row in summary["rows"]] == ["10", "11", "9"]
    assert summary["sr"]["value"] == 1.0


def test_demo_prints_one_row_per_policy_and_its_records_replay(tmp_path: Path, capsys: Capture) -> None:
    rows = {
        line.split()[0]: line.split()
        for line in said(capsys, "demo", "--out", str(tmp_path)).splitlines()
        if line
    }
    assert rows["reference"][:3] == ["reference", str(len(library.task_ids())), "1.000"]
    assert rows["noop"][2] == rows["read-only"][2] == "0.000"
    assert float(rows["generic"][2]) <= 0.30
    assert float(rows["random"][2]) <= 0.01
    assert said(capsys, "demo", "--out", str(tmp_path), "--json")
    replayed = said(capsys, "replay", str(tmp_path)).splitlines()
    assert len(replayed) == 7
    assert all(line.endswith(" byte-identical, 0 unreadable") for line in replayed)


def test_tools_are_printed_in_three_forms(capsys: Capture) -> None:
    assert json.loads(said(capsys, "tools", "--format", "openai")) == openai_tools()
    assert list(json.loads(said(capsys, "tools", "--format", "json-schema"))) == list(NAMES)
    assert said(capsys, "tools", "--format", "markdown").startswith("# The 12 tools\n")


def test_the_version_is_told(capsys: Capture) -> None:
    assert said(capsys, "--version") == f"acoe_gym {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(capsys: Capture, command: str) -> None:
    out = said(capsys, command, "--help")
    assert f"example:\n  acoe {command}" in out
    assert command in said(capsys, "--help")


# What it finds.


def test_replay_finds_a_tampered_record_and_a_corrupt_line(tmp_path: Path, capsys: Capture) -> None:
    said(capsys, "run", "--policy", "submit", "--task", TASK, "--out", str(tmp_path))
    record = json.loads((tmp_path / FILE).read_text(encoding="ascii"))
    record["grade"]["success"] = 1.0
    (tmp_path / FILE).write_text(json.dumps(record) + "\n{]\n", encoding="ascii")
    out = said(capsys, "replay", str(tmp_path / FILE), code=1)
    assert "1 episodes replayed, 0 byte-identical, 1 unreadable" in out
    assert "line 2: expected one record of JSON" in out
    assert f"{TASK} trial 0: grade: was " in out


def test_manifest_differences_are_findings(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "check", list)
    assert "agrees" in said(capsys, "manifest", "--check")
    monkeypatch.setattr(manifest, "check", lambda: ["task x: another hash"])
    assert said(capsys, "manifest", "--check", code=1) == "task x: another hash\n"


# What it refuses, in one line and without a traceback.


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["run", "--policy", "refrence"], 2, "nearest: reference"),
        (["run", "--policy", "noop", "--task", TASK + "s"], 2, f"nearest: {TASK}"),
        (["run", "--policy", "noop", "--template", "c172s/fire"], 2, "expected a template"),
        (["run", "--policy", "noop", "--suite", "generated", "--task", TASK], 2, "use --template"),
        (["run", "--policy", "noop", "--task", TASK, "--out", os.devnull], 1, "expected a folder"),
        (["show", "../../etc"], 2, "expected a task id, got '../../etc'"),
        (["show", "c172s/\u00e9"], 2, "got 'c172s/\u00e9'"),
        (["show", "c172s/\x1b[2J\u202e"], 2, "got 'c172s/\\x1b[2J\\u202e'"),
        (
            ["show", "c172s/engine_restart"],
            2,
            f"got the template 'c172s/engine_restart'; its tasks: {TASK}, ",
        ),
        (["list", "c172"], 2, "nearest: c172s"),
        (["replay", "nothing.jsonl"], 1, "No such file"),
    ],
)
def test_errors_are_one_line(capsys: Capture, argv: list[str], code: int, message: str) -> None:
    assert main(argv) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("acoe: ")
    assert captured.err.count("\n") == 1
    assert captured.err.rstrip("\n").isprintable()
    assert message in captured.err


@pytest.mark.parametrize(
    "argv",
    [
        [], ["fly"], ["show"], ["run"], ["run", "--policy", "noop", "--trials", "0"], ["tools"],
        ["tools", "--format", "yaml"], ["manifest"], ["run", "--policy", "noop", "--suite", "best"],
        ["run", "--policy", "noop", "--seed", "x"], ["demo"], ["manifest", "--check", "--write"],
        ["generate", "--split", "trian"], ["export"], ["export", "--format", "csv", "--out", "x"],
    ],
)  # fmt: skip
def test_what_is_not_understood_is_answered_with_the_usage(capsys: Capture, argv: list[str]) -> None:
    assert main(argv) == 2
    assert "usage: acoe" in capsys.readouterr().err


def test_a_folder_that_holds_another_run_is_refused(tmp_path: Path, capsys: Capture) -> None:
    said(capsys, "run", "--policy", "submit", "--task", TASK, "--out", str(tmp_path))
    assert main(["run", "--policy", "noop", "--task", TASK, "--out", str(tmp_path)]) == 1
    assert "policy: submit there, noop here" in capsys.readouterr().err


def test_a_folder_without_records_has_nothing_to_replay(tmp_path: Path, capsys: Capture) -> None:
    assert main(["replay", str(tmp_path)]) == 1
    assert f"expected {FILE} in or below the folder" in capsys.readouterr().err


def test_an_interrupt_is_no_traceback(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(manifest, "check", interrupted)
    assert main(["manifest", "--check"]) == 130
    assert capsys.readouterr().err == "acoe: stopped\n"


def test_a_reader_that_goes_away_is_no_error_message() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-m", "acoe_gym.cli", "tools", "--format", "openai"]
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_character_that_a_stream_lacks_is_written_as_an_escape() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    argv = [sys.executable, "-m", "acoe_gym.cli", "show", "c172s/\u00e9"]
    ended = subprocess.run(argv, env=env, capture_output=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == b"acoe: expected a task id, got 'c172s/\\xe9'\n"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").touch()
    assert main(["new", "balloon/relight", "--out", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err == f"acoe: {tmp_path / 'file' / 'balloon'}: Not a directory\n"


# Specifications outside the package.


@pytest.fixture
def own() -> Iterator[str]:
    """Give a folder of specifications that is forgotten after the test."""
    yield str(PUMP)
    library.remove_root(PUMP)


def test_every_command_that_names_tasks_takes_specifications_of_ones_own(
    own: str, tmp_path: Path, capsys: Capture
) -> None:
    specs = "--specs", own
    task = "pump/priming/full"
    assert "pump/priming" in said(capsys, "list", "pump", *specs)
    assert task in said(capsys, "show", task, *specs)
    run = str(tmp_path / "run")
    said(capsys, "run", "--policy", "reference", "--task", task, "--out", run, *specs)
    for argv in (["replay", run], ["metrics", run], ["failures", run], ["regrade", run], ["retry", run]):
        assert "1 episodes" in said(capsys, *argv, *specs) or argv[0] in ("metrics", "failures")


def test_what_takes_all_tasks_takes_ones_own_alone(own: str, tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "chats.jsonl")
    assert main(["export", "--format", "openai-chat", "--suite", "core", "--out", out, "--specs", own]) == 0
    assert "rows of 2 tasks" in capsys.readouterr().out
    proofs = said(capsys, "prove", "--json", "--specs", own).splitlines()
    assert {json.loads(line)["task"].rpartition("/")[0] for line in proofs} == {"pump/priming"}


def test_the_package_is_a_command_too() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-m", "acoe_gym", "--version"]
    ended = subprocess.run(argv, env=env, capture_output=True, check=True, text=True)
    assert ended.stdout == f"acoe_gym {__version__}\n"


def test_run_with_specifications_flies_those_alone_unless_a_task_is_named(
    own: str, tmp_path: Path, capsys: Capture
) -> None:
    said(capsys, "run", "--policy", "reference", "--out", str(tmp_path), "--specs", own)
    records = [json.loads(line) for line in (tmp_path / FILE).read_text(encoding="utf-8").splitlines()]
    assert {record["template"] for record in records} == {"pump/priming"}
    assert {record["grade"]["success"] for record in records} == {1.0}


def test_validate_takes_a_folder_outside_the_package(capsys: Capture) -> None:
    try:
        code = main(["validate", str(PUMP)])
    finally:
        library.remove_root(PUMP)
    captured = capsys.readouterr()
    assert code in (0, 1)
    assert captured.err == ""
    assert "pump/priming" in captured.out


def test_validate_as_json_holds_findings_and_the_manifest(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "check", lambda: ["task x: another hash"])
    try:
        assert main(["validate", str(PUMP), "--manifest", "--json"]) == 1
    finally:
        library.remove_root(PUMP)
    report = json.loads(capsys.readouterr().out)
    assert [row["template"] for row in report["rows"]] == ["pump/priming"]
    assert report["manifest"] == ["task x: another hash"]


def test_validate_reports_a_broken_file_as_a_finding(tmp_path: Path, capsys: Capture) -> None:
    shutil.copytree(PUMP / "pump", tmp_path / "station")
    try:
        assert main(["validate", str(tmp_path)]) == 1
    finally:
        library.remove_root(tmp_path)
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "expected id = 'station' (the folder's name), got 'pump'" in captured.out


def test_validate_refuses_a_folder_without_aircraft(tmp_path: Path, capsys: Capture) -> None:
    assert main(["validate", str(tmp_path)]) == 1
    assert "expected folders with a world.toml, found none" in capsys.readouterr().err
