from __future__ import annotations

from pathlib import Path

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY, read_json
from acoe_gym.cockpit.reference import replay, solve, writes
from acoe_gym.cockpit.search import shortest
from acoe_gym.commands import solutions
from acoe_gym.commands.solutions import FILE, Known, find, own_task_ids, search, solution, stale
from acoe_gym.errors import SpecError

PUMP = "pump/priming/full"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the file in another folder, for two tasks alone."""
    monkeypatch.setattr(solutions, "specs_root", lambda: tmp_path)
    monkeypatch.setattr(solutions, "own_task_ids", lambda: ("c172s/engine_restart/engine_pump_failed", PUMP))
    return tmp_path / FILE


def test_the_file_is_current() -> None:
    assert stale() == [], "run `acoe tasks --search` and `make docs`"


def test_the_file_carries_the_canary() -> None:
    assert read_json(FILE)["canary"] == CANARY


@pytest.mark.parametrize("task_id", own_task_ids())
def test_every_solution_solves_its_task_safely(task_id: str) -> None:
    task = library.task(task_id)
    assert replay(task, solution(task).writes).grade().success == 1.0


@pytest.mark.parametrize("task_id", own_task_ids())
def test_no_solution_is_longer_than_the_reference(task_id: str) -> None:
    task = library.task(task_id)
    assert len(solution(task).writes) <= len(writes(solve(task)))


@pytest.mark.slow
@pytest.mark.parametrize("task_id", own_task_ids())
def test_a_new_search_finds_no_other_length(task_id: str) -> None:
    task = library.task(task_id)
    if solution(task).proven:
        found = shortest(task)
        assert found is not None
        assert len(found.writes) == len(solution(task).writes)


def test_a_search_that_is_stopped_leaves_the_reference_as_a_bound(pump: Path) -> None:
    task = library.task(PUMP)
    known = find(task, limit=1)
    assert known == Known(task.hash, False, 1, writes(solve(task)))
    assert known.told() == f"at most {len(known.writes)} writes (the search was stopped at 1 states)"


def test_search_finds_what_is_missing_and_nothing_twice(pump: Path, elsewhere: Path) -> None:
    assert len(stale()) == 2
    assert [line.partition(":")[0] for line in search()][1] == f"searched {PUMP}"
    assert stale() == []
    text = elsewhere.read_text(encoding="utf-8")
    assert list(search()) == [f"wrote {elsewhere}"]
    assert elsewhere.read_text(encoding="utf-8") == text


def test_a_solution_of_another_hash_is_stale_and_refused(pump: Path, elsewhere: Path) -> None:
    list(search())
    task = library.task(PUMP)
    text = elsewhere.read_text(encoding="utf-8")
    elsewhere.write_text(text.replace(task.hash, "0" * 64), encoding="utf-8")
    assert stale() == [PUMP]
    with pytest.raises(SpecError, match="got that of another hash; run `acoe tasks --search`"):
        solution(task)


def test_a_task_that_is_not_in_the_file_is_refused(pump: Path) -> None:
    with pytest.raises(SpecError, match=f"{PUMP}: expected a solution, got none"):
        solution(library.task(PUMP))
