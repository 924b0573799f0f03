from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY, read_json
from acoe_gym.cockpit.proof import Proof, prove
from acoe_gym.cockpit.reference import replay, solve, writes
from acoe_gym.cockpit.search import shortest
from acoe_gym.cockpit.task import Task
from acoe_gym.commands import proof_file
from acoe_gym.commands.proof_file import FILE, LIMIT, find, known, own_task_ids, search, stale
from acoe_gym.errors import SpecError

PUMP = "pump/priming/full"
TRAPPED = "c172s/electrical_fire/power_needed_breaker_out"
OWN = own_task_ids()
# Nothing shorter than the reference is found here, and none is ruled out.
OPEN = ("c172s/low_voltage/landing_certain_at_night", "pa44/engine_failure/left_broken")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the file in another folder, for two tasks alone."""
    monkeypatch.setattr(proof_file, "specs_root", lambda: tmp_path)
    monkeypatch.setattr(proof_file, "own_task_ids", lambda: (TRAPPED, PUMP))
    return tmp_path / FILE


def test_the_file_is_current() -> None:
    assert stale() == [], "run `acoe tasks --search` and `make docs`"


def test_the_file_carries_the_canary() -> None:
    assert read_json(FILE)["canary"] == CANARY


def test_every_task_is_proven_but_for_those_that_are_known_to_be_open() -> None:
    verdicts = {task_id: known(library.task(task_id)).verdict for task_id in OWN}
    assert verdicts == {task_id: "open" if task_id in OPEN else "proven" for task_id in OWN}


@pytest.mark.parametrize("task_id", OWN)
def test_every_solution_solves_its_task_safely(task_id: str) -> None:
    task = library.task(task_id)
    assert replay(task, known(task).writes).grade().success == 1.0


@pytest.mark.parametrize("task_id", OWN)
def test_no_solution_is_longer_than_the_reference(task_id: str) -> None:
    task = library.task(task_id)
    entry = known(task)
    assert len(entry.writes) <= entry.reference == len(writes(solve(task)))


@pytest.mark.parametrize("task_id", OWN)
def test_no_trap_violates_a_constraint(task_id: str) -> None:
    task = library.task(task_id)
    for trap in known(task).traps:
        episode = replay(task, trap.writes)
        assert episode.violations == 0
        assert episode.grade().success == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("task_id", OWN)
def test_a_new_search_comes_to_the_same(task_id: str) -> None:
    assert find(library.task(task_id)) == known(library.task(task_id))


@pytest.mark.slow
@pytest.mark.parametrize("task_id", [task_id for task_id in OWN if task_id not in OPEN])
def test_another_search_finds_no_other_length(task_id: str) -> None:
    found = shortest(library.task(task_id))
    assert found is not None
    assert len(found.writes) == len(known(library.task(task_id)).writes)


@pytest.mark.parametrize("template_id", library.template_ids())
def test_every_basis_is_about_a_trap_of_a_core_task(template_id: str) -> None:
    template = library.template(template_id)
    traps = [trap.writes[-1] for t in template.tasks for trap in known(library.task(t)).traps]
    asked = [(name, template.domains[name].parse(value)) for name, value in traps]
    idle = [n for n, b in enumerate(template.traps, 1) if not any(b.covers(*write) for write in asked)]
    assert idle == [], f"{template_id} [[traps]]: these tables are about no trap"


def test_a_search_that_is_stopped_leaves_the_reference_as_a_bound(
    pump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acoe_gym.cockpit.proof.LIMIT", 1)
    task = library.task(PUMP)
    entry = find(task, limit=1)
    assert (entry.proven, entry.verdict, entry.writes) == (False, "open", writes(solve(task)))
    assert entry.told() == f"at most {len(entry.writes)} writes (open: the search was stopped)"


def test_search_finds_what_is_missing_and_nothing_twice(pump: Path, elsewhere: Path) -> None:
    assert len(stale()) == 2
    assert [line.partition(",")[0] for line in search()][1] == f"searched {PUMP}: proven"
    assert stale() == []
    text = elsewhere.read_text(encoding="utf-8")
    assert list(search()) == [f"wrote {elsewhere}"]
    assert elsewhere.read_text(encoding="utf-8") == text


def test_what_is_read_is_what_was_found(pump: Path, elsewhere: Path) -> None:
    list(search())
    assert known(library.task(TRAPPED)) == find(library.task(TRAPPED))


def test_a_proof_of_another_hash_is_stale_and_refused(pump: Path, elsewhere: Path) -> None:
    list(search())
    task = library.task(PUMP)
    text = elsewhere.read_text(encoding="utf-8")
    elsewhere.write_text(text.replace(task.hash, "0" * 64), encoding="utf-8")
    assert stale() == [PUMP]
    with pytest.raises(SpecError, match=r"got that of another hash .*; run `acoe tasks --search`"):
        known(task)


def test_a_proof_whose_trap_rests_on_other_facts_is_stale(pump: Path, elsewhere: Path) -> None:
    list(search())
    text = elsewhere.read_text(encoding="utf-8")
    elsewhere.write_text(text.replace("c172s.fire_elec.no_reset", "c172s.fire_elec.10"), encoding="utf-8")
    assert stale() == [TRAPPED]


def test_a_task_that_is_gone_is_stale(pump: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list(search())
    monkeypatch.setattr(proof_file, "own_task_ids", lambda: (TRAPPED,))
    assert stale() == [PUMP]
    assert list(search()) == [f"wrote {elsewhere}"]
    assert stale() == []


def test_a_task_that_is_not_in_the_file_is_refused(pump: Path) -> None:
    with pytest.raises(SpecError, match=f"{PUMP}: expected a proof, got none"):
        known(library.task(PUMP))


def test_a_task_that_fails_is_kept_and_named(
    pump: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(task: Task, limit: int) -> Proof:
        assert limit == LIMIT
        return replace(prove(task, limit), problems=("expected better",))

    monkeypatch.setattr(proof_file, "prove", failing)
    with pytest.raises(SpecError, match=f"{TRAPPED}, {PUMP} FAILED; `acoe prove TASK` says why"):
        list(search())
    assert stale() == []
