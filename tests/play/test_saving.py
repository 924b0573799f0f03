from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import FILE, read_records
from acoe_gym.benchmark.replay import replay
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.runs import CONFIGURATION, read_run, tokens_of
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit import library
from acoe_gym.errors import RecordError
from acoe_gym.play.saving import check, free_folder, human_record, save
from acoe_gym.play.session import Session

FIRST, SECOND = library.task_ids("c172s/engine_restart")[:2]
VARIANT = "c172s/engine_restart/generated/3"


def flown(task_id: str) -> Session:
    session = Session(task_of(task_id))
    session.read("rpm", "fuel_selector")
    session.write("mixture", "rich")
    session.submit()
    return session


def saved(folder: Path, *tasks: str) -> None:
    for task_id in tasks:
        save(human_record(flown(task_id).episode), folder)


def test_a_record_is_read_back_and_replays_to_the_same_bytes(tmp_path: Path) -> None:
    saved(tmp_path, FIRST, SECOND)
    records, problems = read_records(tmp_path / FILE)
    assert problems == []
    assert [replay(record).differences for record in records] == [(), ()]


def test_the_record_has_a_silent_pilot(tmp_path: Path) -> None:
    record = human_record(flown(FIRST).episode)
    assert record["policy"] == "human"
    assert [turn["text"] for turn in record["pilot"]["turns"]] == ["", "", ""]
    assert tokens_of(record).total is None


def test_the_folder_is_a_run_without_missing_episodes(tmp_path: Path) -> None:
    saved(tmp_path, FIRST, SECOND)
    found = read_run(tmp_path)
    assert (found.name, found.missing, found.problems) == ("human", (), ())
    assert [result.task for result in found.results()] == [FIRST, SECOND]


def test_two_who_end_at_once_are_both_kept(tmp_path: Path) -> None:
    records = [human_record(flown(task_id).episode) for task_id in library.task_ids()[:8]]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda record: save(record, tmp_path), records))
    found = read_run(tmp_path)
    assert (len(found.records), found.missing) == (8, ())


def test_a_folder_that_cannot_be_written_is_refused_before_the_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda place, _: place != tmp_path)
    with pytest.raises(RecordError, match="expected a folder to write records to, got none that can be"):
        check(tmp_path / "runs" / "human-1", FIRST)


def test_equal_play_writes_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        saved(tmp_path / name, FIRST, SECOND)
    for file in (FILE, CONFIGURATION):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_generated_variant_has_its_suite(tmp_path: Path) -> None:
    saved(tmp_path, VARIANT)
    assert read_run(tmp_path).records[0]["suite"] == "generated"


def test_what_is_said_of_the_run_is_kept(tmp_path: Path) -> None:
    saved(tmp_path, FIRST)
    path = tmp_path / CONFIGURATION
    path.write_text(json.dumps({**json.loads(path.read_text()), "about": {"label": "first pilot"}}))
    saved(tmp_path, SECOND)
    assert read_run(tmp_path).name == "first pilot"


def test_a_task_is_played_once_in_a_folder(tmp_path: Path) -> None:
    saved(tmp_path, FIRST)
    with pytest.raises(RecordError, match=r"holds .* already"):
        check(tmp_path, FIRST)


def test_the_suites_are_not_mixed(tmp_path: Path) -> None:
    saved(tmp_path, FIRST)
    with pytest.raises(RecordError, match="suite: expected 'generated', got 'core'"):
        check(tmp_path, VARIANT)


@pytest.mark.parametrize(("key", "value"), [("package", "0.0"), ("record_version", 0)])
def test_a_run_of_another_version_is_left_alone(tmp_path: Path, key: str, value: object) -> None:
    saved(tmp_path, FIRST)
    path = tmp_path / CONFIGURATION
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(RecordError, match=rf"\({key}: expected .*, got {value!r}\)"):
        check(tmp_path, SECOND)


def test_a_run_with_a_broken_line_is_left_alone(tmp_path: Path) -> None:
    saved(tmp_path, FIRST)
    with (tmp_path / FILE).open("a") as file:
        file.write("{]\n")
    with pytest.raises(RecordError, match="line 2: expected one record of JSON"):
        check(tmp_path, SECOND)


def test_a_half_written_last_line_is_mended_before_the_next_record(tmp_path: Path) -> None:
    saved(tmp_path, FIRST)
    with (tmp_path / FILE).open("a") as file:
        file.write('{"half')
    saved(tmp_path, SECOND)
    records, problems = read_records(tmp_path / FILE)
    assert ([record["task"] for record in records], problems) == ([FIRST, SECOND], [])


def test_another_policys_run_is_left_alone(tmp_path: Path) -> None:
    run(Plan("submit", (FIRST,)), tmp_path)
    with pytest.raises(RecordError, match="policy: expected 'human', got 'submit'"):
        check(tmp_path, SECOND)


def test_records_without_their_configuration_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("")
    with pytest.raises(RecordError, match=r"expected run\.json beside"):
        check(tmp_path, FIRST)


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="expected a folder"):
        saved(tmp_path / "file", FIRST)


def test_the_first_free_number_is_taken(tmp_path: Path) -> None:
    assert free_folder(tmp_path).name == "human-1"
    (tmp_path / "human-1").mkdir()
    assert free_folder(tmp_path).name == "human-2"
