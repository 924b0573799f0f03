"""What search proves: the shortest solution is the shortest, planted faults are found, limits are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from acoe_gym.cli import main
from acoe_gym.cockpit import library
from acoe_gym.cockpit.batch import BatchProgram
from acoe_gym.cockpit.exploration import Exploration
from acoe_gym.cockpit.proof import Proof, facts_of, prove
from acoe_gym.cockpit.reference import replay
from acoe_gym.cockpit.relevance import Relevance
from acoe_gym.cockpit.search import shortest
from acoe_gym.cockpit.task import Task

TASKS = library.task_ids("c172s/engine_restart")


@cache
def proof_of(task_id: str) -> Proof:
    """Return the proof of a core task, which several tests look at."""
    return prove(library.task(task_id))


@pytest.mark.parametrize("task_id", TASKS)
def test_the_two_searches_agree_on_the_shortest_length(task_id: str) -> None:
    solution, other = proof_of(task_id).solution, shortest(library.task(task_id))
    assert solution is not None
    assert other is not None
    assert len(solution) == len(other.writes)


@pytest.mark.parametrize("task_id", TASKS)
def test_the_solution_is_safe_and_succeeds(task_id: str) -> None:
    solution = proof_of(task_id).solution
    assert solution is not None
    episode = replay(library.task(task_id), solution)
    assert episode.grade().success == 1.0


@pytest.mark.parametrize("task_id", TASKS)
def test_the_restart_has_neither_a_problem_nor_a_trap(task_id: str) -> None:
    proof = proof_of(task_id)
    assert proof.ok
    assert proof.traps == ()
    assert proof.searches[0].complete


def test_a_probe_that_is_undone_is_set_aside() -> None:
    proof = proof_of("c172s/engine_restart/engine_pump_failed")
    assert proof.solution is not None
    assert (len(proof.reference), proof.probing, len(proof.solution)) == (5, 2, 3)


def rollouts(task: Task, rows: int, seed: int) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """Play random writes one short of the claimed minimum; return that minimum and the rows that succeeded.

    The writes are those of the cone and of the solution: others cannot help.
    """
    solution = prove(task).solution
    assert solution is not None
    parse = task.program.template.domains
    drawn = [(n, v) for n, values in Relevance(task).candidates().items() for v in values]
    drawn += [(n, parse[n].parse(raw)) for n, raw in solution]
    batch = BatchProgram(task.program)
    table, columns = batch.moves(drawn), batch.initial([task.initial] * rows)
    rng = np.random.default_rng(seed)
    safe, succeeded = np.ones(rows, np.bool_), np.zeros(rows, np.bool_)
    for _ in range(len(solution) - 1):
        violated = batch.write(columns, table, rng.integers(0, len(drawn), rows))
        safe &= violated & np.uint64(task.constraint_mask) == 0
        succeeded |= safe & batch.goals(columns)[list(task.goals)].all(axis=0)
    return len(solution), np.flatnonzero(succeeded)


@pytest.mark.parametrize("task_id", TASKS)
def test_random_writes_never_beat_the_claimed_minimum(task_id: str) -> None:
    assert rollouts(library.task(task_id), 12_500, 1)[1].size == 0


@pytest.mark.slow
@pytest.mark.parametrize("task_id", TASKS)
def test_a_million_rollouts_never_beat_the_claimed_minimum(task_id: str) -> None:
    assert rollouts(library.task(task_id), 125_000, 2)[1].size == 0


# Planted faults, on the pump.


def test_the_pump_is_proven(pump_with: Callable[..., Task]) -> None:
    proof = prove(pump_with())
    assert proof.ok
    assert proof.solution is not None
    assert len(proof.solution) == len(proof.reference) == 5


def test_a_solution_that_is_shorter_than_the_reference_claims_is_found(
    pump_with: Callable[..., Task],
) -> None:
    detour = 'set = { speed = 20, fuse = "IN" }\nfacts = ["valve"]\n\n[[procedure]]\nset = { speed = 50 }'
    more = 'set = { west_valve = "OPEN", drain = "HALF" }\nfacts = ["start"]\n\n[[procedure]]\n'
    proof = prove(
        pump_with(
            ("set = { speed = 50 }", detour),
            ('[[procedure]]\nset = { drain = "SHUT" }', f'[[procedure]]\n{more}set = {{ drain = "SHUT" }}'),
        )
    )
    assert proof.solution is not None
    assert len(proof.solution) == 5
    assert proof.problems == (
        "expected the reference within 1 write of the shortest solution, got 8 against 5",
    )


def test_an_unavoidable_constraint_is_named(pump_with: Callable[..., Task]) -> None:
    change = ('setting = { power = ["OFF"] }\nwhile = "running"', 'setting = { power = ["ON"] }')
    proof = prove(pump_with(change))
    assert proof.solution is None
    assert proof.unavoidable == ("keep_power",)
    assert not proof.ok
    assert "keep_power cannot be avoided" in proof.problems[0]


def test_two_constraints_that_each_bar_the_way_are_not_blamed_alone(pump_with: Callable[..., Task]) -> None:
    first = ('setting = { power = ["OFF"] }\nwhile = "running"', 'setting = { power = ["ON"] }')
    second = ('never = "hot"', 'setting = { drain = ["SHUT"] }')
    proof = prove(pump_with(first, second))
    assert proof.unavoidable == ()
    assert "nor without one constraint" in proof.problems[0]


# Running dry breaks the motor instead of making it hot: no constraint says so, and nothing repairs it.
BREAKS = ("set = { hot = true }", 'set = { "fault.motor" = true, running = false }')
GOAL = '[[goals]]\nid = "running"'


def with_basis(controls: str) -> tuple[str, str]:
    """Name a basis for traps that any write to some controls closes."""
    return GOAL, f'[[traps]]\nset = {controls}\nfacts = ["valve"]\n\n{GOAL}'


def test_a_trap_is_printed_with_its_last_write_and_its_facts(pump_with: Callable[..., Task]) -> None:
    task = pump_with(BREAKS, with_basis('{ speed = "*", start = ["PUSH"], "*_valve" = ["SHUT"] }'))
    proof = prove(task)
    assert proof.verdict == "proven"
    assert {trap.writes[-1][0] for trap in proof.traps} == {"speed", "start", "east_valve", "west_valve"}
    assert 0 < proof.lost < proof.searches[0].states
    for trap in proof.traps:
        episode = replay(task, trap.writes)
        assert episode.violations == 0
        assert episode.state[task.program.slots["fault.motor"]] is True
        assert trap.facts == ("valve",)
        assert f"then {trap.writes[-1][0]} {trap.writes[-1][1]} (valve)" in "\n".join(proof.lines())


def test_a_trap_without_a_basis_fails_the_task(pump_with: Callable[..., Task]) -> None:
    proof = prove(pump_with(BREAKS, with_basis('{ speed = "*", start = ["PUSH"], "*_valve" = ["OPEN"] }')))
    assert proof.verdict == "FAILED"
    assert proof.problems == (
        "expected a handbook basis for west_valve SHUT in [[traps]], got none",
        "expected a handbook basis for east_valve SHUT in [[traps]], got none",
    )
    assert "then east_valve SHUT (no basis)" in "\n".join(proof.lines())


def test_the_first_basis_that_is_about_a_write_gives_the_facts(pump_with: Callable[..., Task]) -> None:
    second = '[[traps]]\nset = { "*" = "*" }\nfacts = ["power"]\n\n'
    head, table = with_basis("{ speed = [100] }")
    template = pump_with((head, table.replace(GOAL, second + GOAL))).program.template
    assert facts_of(template, ("speed", "FULL")) == ("valve",)
    assert facts_of(template, ("speed", 50)) == ("power",)


def test_a_search_that_stops_says_how_far_it_went() -> None:
    proof = prove(library.task(TASKS[0]), limit=200)
    assert [search.complete for search in proof.searches] == [False, False]
    assert proof.searches[0].states > 200
    assert "there are more" in "\n".join(proof.lines())
    assert "not decided" in "\n".join(proof.lines())
    solution = proof_of(TASKS[0]).solution
    assert proof.solution is not None
    assert solution is not None
    assert len(proof.solution) == len(solution)


def test_a_solution_deeper_than_the_search_is_found_where_the_reference_succeeds() -> None:
    proof = prove(library.task(TASKS[0]), limit=1)
    assert proof.searches[0].depth == 1
    assert proof.solution is not None
    assert len(proof.solution) == 6


def test_no_constraint_is_blamed_by_a_search_that_stopped(pump_with: Callable[..., Task]) -> None:
    change = ('setting = { power = ["OFF"] }\nwhile = "running"', 'setting = { power = ["ON"] }')
    proof = prove(pump_with(change), limit=1)
    assert proof.unavoidable == ()
    assert "expected a safe solution, got none: none of up to 1 writes" in proof.problems


def test_a_search_of_fewer_controls_decides_what_the_whole_cone_is_too_large_for() -> None:
    proof = prove(library.task(TASKS[0]), limit=1000)
    assert [search.complete for search in proof.searches] == [False, True]
    assert "cb_xfeed_alt_field" not in proof.searches[1].controls
    assert proof.traps == ()


def test_depth_counts_the_writes_of_the_path(pump_with: Callable[..., Task]) -> None:
    graph = Exploration(Relevance(pump_with()))
    assert [len(graph.path(state)) for state in range(len(graph.depth))] == graph.depth.tolist()


# The command.


def test_the_command_proves_a_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", TASKS[0]]) == 0
    assert capsys.readouterr().out.startswith(f"{TASKS[0]}: proven\n")


def test_the_command_prints_one_json_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--json", "c172s/engine_restart"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["task"] for row in rows] == list(TASKS)
    assert all(row["ok"] for row in rows)


def test_json_carries_the_facts_of_traps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--json", "c172s/electrical_fire/power_needed_breaker_out"]) == 0
    (trap,) = json.loads(capsys.readouterr().out)["traps"]
    assert trap == {"writes": [["cb_ess_stdby_batt", "OUT"]], "facts": ["c172s.fire_elec.no_reset"]}


def test_the_command_knows_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "c172s/nothing"]) == 2
    assert "expected a task id" in capsys.readouterr().err


def test_a_search_that_stopped_is_open_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acoe_gym.cockpit.proof.LIMIT", 10)
    proof = prove(library.task("c172s/engine_restart/stopped_prop_left_tank"), limit=10)
    assert (proof.verdict, proof.problems, proof.solution) == ("open", (), None)
    assert "  shortest   open: the search stopped; at most the reference's 6" in proof.lines()
