from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import pytest

from acoe_gym.benchmark.failures import MODES
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import FILE
from acoe_gym.benchmark.runner import run
from acoe_gym.commands.failures import add_failures_options, failures_lines
from acoe_gym.errors import RecordError

TASKS = ("c172s/forced_landing/assured_call_belts_loose", "pa44/engine_fire/right_in_climb")


def lines(*words: str) -> list[str]:
    parser = argparse.ArgumentParser()
    add_failures_options(parser)
    return list(failures_lines(parser.parse_args(words)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("run") / "generic"
    run(Plan("generic", TASKS, 2), path)
    return str(path)


def test_the_table_counts_every_mode_and_its_share_of_the_failed_episodes(folder: str) -> None:
    shown = lines(folder)
    assert shown[0] == "generic: 4 of 4 episodes failed, 2 of them unsafe"
    assert [line.split()[-2:] for line in shown[3:8]] == [
        ["2", "50.0%"], ["2", "50.0%"], ["0", "0.0%"], ["0", "0.0%"], ["0", "0.0%"],
    ]  # fmt: skip
    assert [line[:36].rstrip() for line in shown[3:8]] == [title for _, title in MODES]


def test_each_task_lists_its_episodes_with_mode_reason_and_calls(folder: str) -> None:
    shown = lines(folder)
    first = shown.index(TASKS[0])
    assert shown[first + 1].startswith("  trial 0: missing_critical_step: never stby_batt OFF; missed ")
    assert " ".join(" ".join(shown[first + 1 : first + 3]).split()).endswith("; calls 13.1")
    assert shown.index(TASKS[1]) > first
    trials = [line.split(":")[0] for line in shown if line.startswith("  trial ")]
    assert trials == ["  trial 0", "  trial 1"] * 2
    assert all(len(line) <= 98 and line.isascii() for line in shown)


def test_json_holds_counts_and_every_failed_episode(folder: str) -> None:
    found = json.loads("\n".join(lines(folder, "--json")))
    assert (found["run"], found["episodes"], found["failed"]) == ("generic", 4, 4)
    assert list(found["counts"]) == [name for name, _ in MODES]
    assert [(row["task"], row["trial"]) for row in found["modes"]] == [(t, n) for t in TASKS for n in (0, 1)]
    assert set(found["modes"][0]) == {"task", "trial", "mode", "why", "calls"}


def test_json_counts_the_episodes_that_did_not_fail_too(tmp_path: Path) -> None:
    run(Plan("reference", TASKS), tmp_path / "run")
    found = json.loads("\n".join(lines(str(tmp_path / "run"), "--json")))
    assert (found["episodes"], found["failed"], found["modes"]) == (2, 0, [])


def test_a_run_without_failures_is_one_line(tmp_path: Path) -> None:
    run(Plan("reference", TASKS), tmp_path / "run")
    assert lines(str(tmp_path / "run")) == ["reference: 0 of 2 episodes failed, 0 of them unsafe"]


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="expected a run's folder"):
        lines(str(tmp_path))


def test_a_run_that_lacks_episodes_is_looked_at_only_on_request(folder: str, tmp_path: Path) -> None:
    short = Path(shutil.copytree(folder, tmp_path / "short"))
    (short / FILE).write_text("".join((short / FILE).read_text().splitlines(keepends=True)[:3]))
    with pytest.raises(RecordError, match="expected 4 episodes, got 3"):
        lines(str(short))
    assert lines(str(short), "--allow-partial")[0].startswith("generic: 3 of 3 episodes failed")


def test_episodes_of_another_version_of_a_task_are_not_explained_by_this_one(
    folder: str, tmp_path: Path
) -> None:
    old = Path(shutil.copytree(folder, tmp_path / "old"))
    records = [json.loads(line) for line in (old / FILE).read_text().splitlines()]
    for record in records:
        record["tree"]["task"] = "0" * 64
    (old / FILE).write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(RecordError, match="got another version of"):
        lines(str(old))
