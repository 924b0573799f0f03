from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import (
    FILE,
    KINDS,
    Record,
    append,
    mend,
    read_records,
    record_of,
    results_of,
)
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import play
from acoe_gym.cockpit.metrics import result_of
from acoe_gym.cockpit.text import canonical
from acoe_gym.errors import RecordError

TASKS = library.task_ids()[:3]
TEMPLATES = ("c172s/engine_restart", "pa44/gear_extension")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return run(Plan("random", TASKS))


@pytest.fixture
def path(tmp_path: Path, records: list[Record]) -> Path:
    for record in records:
        append(tmp_path / FILE, record)
    return tmp_path / FILE


def test_records_come_back_as_they_were_written(path: Path, records: list[Record]) -> None:
    assert read_records(path) == (records, [])


def test_a_line_is_strict_ascii_json_with_sorted_keys_and_no_clock_or_path(path: Path) -> None:
    for line in path.read_text(encoding="ascii").splitlines():
        record = json.loads(line)
        assert line == canonical(record)
        assert set(record) == {*KINDS, "record_version"}


def test_a_record_holds_the_metrics_of_its_episode() -> None:
    turns: list[list[tuple[object, object]]] = [
        [("set_system", {"component": "master_bat", "value": "OFF"}), ("set_system", {})],
        [("submit", {})],
    ]
    episode = play(library.task("c172s/engine_restart/stopped_prop_left_tank"), turns)
    record = record_of(episode, trial=2, policy="hand", policy_seed=0, suite="core")
    assert results_of([json.loads(canonical(record))]) == [result_of(episode, trial=2)]
    assert record["violations"] == [
        {"constraint": "keep_power", "turn": 1, "call": 1, "component": "master_bat"}
    ]


def test_arguments_are_recorded_as_accepted_or_as_asked_for() -> None:
    asked: list[dict[str, Any]] = [
        {"component": " MIXTURE ", "value": "rich"},
        {"component": "mixture", "value": "x"},
    ]
    calls = [*(("set_system", arguments) for arguments in asked), ("submit", {})]
    episode = play(library.task(TASKS[0]), [calls])
    record = record_of(episode, trial=0, policy="hand", policy_seed=0, suite="core")
    assert [call["arguments"] for call in record["turns"][0][:2]] == [
        {"component": "mixture", "value": 100},
        {"component": "mixture", "value": "x"},
    ]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"{]", "expected one record of JSON"),
        (b"\xff", "expected one record of JSON"),
        (b"[" * 100_000, "expected one record of JSON"),
        (b"[]", "expected a record, got list"),
        (b'{"record_version":2}', "expected record_version 1, got 2"),
        (b'{"record_version":1,"task":5}', "expected task of kind str, got 5"),
        (b'{"record_version":NaN}', "NaN, which is not JSON"),
    ],
)
def test_a_corrupt_line_is_reported_with_its_number_and_costs_only_its_episode(
    path: Path, records: list[Record], broken: bytes, message: str
) -> None:
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], broken, lines[2], b""]))
    found, problems = read_records(path)
    assert found == [records[0], records[2]]
    (problem,) = problems
    assert f"{path} line 2: " in str(problem)
    assert message in str(problem)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"grade": {"success": None}}, "grade"),
        ({"metrics": {"turns": "3"}}, "metrics"),
        ({"tree": {"tools": 3}}, "tree"),
        ({"end": "crashed"}, "end"),
        ({"turns": [[{"name": "submit", "arguments": {}}]]}, "turn"),
        ({"turns": [[], []], "pilot": {"turns": [{"text": ""}]}}, "pilot"),
    ],
)
def test_a_broken_part_is_named(path: Path, records: list[Record], change: dict[str, Any], part: str) -> None:
    record = copy.deepcopy(records[0])
    for key, value in change.items():
        record[key] = {**record.get(key, {}), **value} if isinstance(value, dict) else value
    path.write_text(canonical(record) + "\n", encoding="ascii")
    (problem,) = read_records(path).problems
    assert f"expected a sound record, got a broken {part}" in str(problem)


def test_an_episode_that_was_cut_off_is_a_sound_record(path: Path, records: list[Record]) -> None:
    path.write_text(canonical({**records[0], "end": "truncated"}) + "\n", encoding="ascii")
    assert read_records(path).problems == []


def test_a_part_that_is_missing_inside_is_reported(path: Path, records: list[Record]) -> None:
    record = copy.deepcopy(records[0])
    del record["metrics"]["calls"]
    path.write_text(canonical(record) + "\n", encoding="ascii")
    (problem,) = read_records(path).problems
    assert "line 1: expected a whole record, got KeyError: 'calls'" in str(problem)


def test_an_episode_that_stands_there_twice_is_reported(path: Path, records: list[Record]) -> None:
    append(path, records[0])
    found, problems = read_records(path)
    assert found == records
    assert "line 4: expected each episode once, got it twice" in str(problems[0])


@pytest.mark.parametrize("kept", [1, 200, -2])
def test_a_half_written_last_line_is_passed_over_and_mended(
    path: Path, records: list[Record], kept: int
) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
    assert read_records(path) == (records[:2], [])
    mend(path)
    assert path.read_bytes() == b"".join(lines[:2])


def test_a_last_line_that_lacks_only_its_end_is_kept(path: Path, records: list[Record]) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert read_records(path) == (records, [])
    mend(path)
    assert path.read_bytes() == whole


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="expected a file of records, got No such file"):
        read_records(tmp_path / "nothing.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_failed_write_is_an_error(records: list[Record]) -> None:
    with pytest.raises(RecordError, match="expected to write a record, got No space left"):
        append(Path("/dev/full"), records[0])


@pytest.mark.parametrize(
    ("entry", "other"),
    [
        ("tools", 1),
        ("package", 1),
        ("world", 1),
        ("charts", 1),
        ("template", 1),
        ("task", 0),
        ("information", 0),
    ],
)
def test_records_of_different_versions_are_not_averaged(
    records: list[Record], entry: str, other: int
) -> None:
    changed = copy.deepcopy(records[other])
    changed["trial"] = 1
    changed["tree"][entry] = "0" * 64
    with pytest.raises(
        RecordError, match=f"expected {entry} .* got 000000000000; records of different versions"
    ):
        results_of([records[0], changed])


def test_tasks_of_one_version_differ_in_task_and_information_only(records: list[Record]) -> None:
    assert len(results_of(records)) == len(TASKS)
    assert len({record["tree"]["task"] for record in records}) == len(TASKS)


def test_episodes_of_both_aircraft_are_averaged_though_their_worlds_and_charts_differ() -> None:
    flown = run(Plan("submit", tuple(library.task_ids(world)[0] for world in TEMPLATES)))
    assert flown[0]["tree"]["charts"] != flown[1]["tree"]["charts"]
    assert len(results_of(flown)) == 2
