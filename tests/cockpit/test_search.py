"""Shortest safe solutions: as short as brute force finds, safe, and nothing that matters is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.firing import set_points
from acoe_gym.cockpit.reference import replay, solve, writes
from acoe_gym.cockpit.relevance import Relevance, fixed
from acoe_gym.cockpit.search import Solution, shortest
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.variants import generate

# The searches of the other templates take minutes in all; docs/tasks.md holds their solutions.
QUICK = [*library.task_ids("c172s/engine_restart"), *library.task_ids("c172s/electrical_fire")]
# These two pass a million states before a solution is found.
OPEN = ("c172s/low_voltage/landing_certain_at_night", "pa44/engine_failure/left_broken")
TASKS = [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow])
    for name in library.task_ids()
    if name not in OPEN
]


@cache
def solution_of(task_id: str) -> Solution:
    """Return the solution of a core task, which several tests look at."""
    solution = shortest(library.task(task_id), 1_000_000)
    assert solution is not None
    return solution


def brute_force(task: Task, most: int) -> int | None:
    """Return the fewest safe writes to success, all states and set points tried; None beyond ``most``."""
    program = task.program
    moves = [(n, program.slots[n], v) for n, values in set_points(program).items() for v in values]
    layer: set[tuple[Value, ...]] = {task.initial}
    seen = set(layer)
    for depth in range(most + 1):
        if any(all(program.goals[i](state) for i in task.goals) for state in layer):
            return depth
        following = set()
        for state in layer:
            for name, slot, value in moves:
                after = list(state)
                if state[slot] != value and not program.writers[name](after, value) & task.constraint_mask:
                    following.add(tuple(after))
        layer = following - seen
        seen |= layer
    return None


@pytest.mark.parametrize("task_id", TASKS)
def test_the_solution_is_safe_and_succeeds(task_id: str) -> None:
    episode = replay(library.task(task_id), solution_of(task_id).writes)
    assert episode.grade().success == 1.0
    assert episode.violations == 0


@pytest.mark.parametrize("task_id", TASKS)
def test_every_task_takes_at_least_three_writes(task_id: str) -> None:
    least = 2 if library.task(task_id).short_because else 3
    assert len(solution_of(task_id).writes) >= least


@pytest.mark.parametrize("task_id", TASKS)
def test_the_reference_is_within_one_write_of_the_shortest_but_for_its_probe(task_id: str) -> None:
    probing = 2 if "engine_pump_failed" in task_id else 0
    surplus = len(writes(solve(library.task(task_id)))) - len(solution_of(task_id).writes)
    assert 0 <= surplus <= 1 + probing


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_finds_nothing_shorter_on_the_pump(seed: int, pump: Path) -> None:
    assert pump.is_dir()
    task = generate("pump/priming", seed)
    solution = shortest(task)
    assert solution is not None
    assert brute_force(task, 6) == len(solution.writes)


@pytest.mark.parametrize("task_id", ["pump/priming/half", "pump/priming/full"])
def test_brute_force_agrees_where_a_constraint_forbids_the_shortest_way(task_id: str, pump: Path) -> None:
    assert pump.is_dir()
    task = library.task(task_id)
    state = list(task.initial)
    state[task.program.slots["power"]], state[task.program.slots["speed"]] = 1, 100
    # With the speed up already, starting before a valve is open would run dry: never_hot forbids that order.
    task = replace(task, initial=tuple(state))
    solution = shortest(task)
    assert solution is not None
    assert brute_force(task, 6) == len(solution.writes)


def test_a_planted_short_cut_is_found(pump: Path) -> None:
    assert pump.is_dir()
    task = library.task("pump/priming/half")
    state = list(task.initial)
    for name in ("power", "east_valve"):
        state[task.program.slots[name]] = 1
    solution = shortest(replace(task, initial=tuple(state)))
    assert solution is not None
    assert {name for name, _ in solution.writes} == {"drain", "start", "speed"}


def test_a_task_without_a_safe_solution_has_none(pump: Path) -> None:
    assert pump.is_dir()
    task = library.task("pump/priming/half")
    state = list(task.initial)
    state[task.program.slots["fault.motor"]] = True
    assert shortest(replace(task, initial=tuple(state))) is None


@pytest.mark.parametrize(
    "task_id",
    [pytest.param(name, marks=[pytest.mark.slow] if "electrical_fire" in name else []) for name in QUICK],
)
def test_all_set_points_and_no_lower_bound_give_nothing_shorter(
    task_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    length = len(solution_of(task_id).writes)
    task = library.task(task_id)
    points, near = set_points(task.program), Relevance(task).candidates()
    every = {name: tuple(dict.fromkeys([*points[name], *values])) for name, values in near.items()}
    monkeypatch.setattr(Relevance, "candidates", lambda _: every)
    monkeypatch.setattr(Relevance, "needs", lambda _: ())
    solution = shortest(task)
    assert solution is not None
    assert len(solution.writes) == length


def test_a_goal_on_a_position_that_cannot_be_asked_for_has_no_solution(
    pump_with: Callable[..., Task],
) -> None:
    wanted = '[[goals]]\nid = "fuse"\nthat = "fuse == OUT"\nfacts = ["start"]\n\n[[goals]]\nid = "flowing"'
    assert shortest(pump_with(('[[goals]]\nid = "flowing"', wanted))) is None


def test_a_request_that_is_judged_by_another_control_keeps_that_control_in_sight(
    pump_with: Callable[..., Task],
) -> None:
    # The pump may be started through the west valve only.
    guard = 'setting = { start = "value == PUSH and west_valve == SHUT" }\nfacts = ["power"]'
    task = pump_with(('setting = { power = ["OFF"] }\nwhile = "running"\nfacts = ["power"]', guard))
    solution = shortest(task)
    assert solution is not None
    assert ("west_valve", "OPEN") in solution.writes
    assert brute_force(task, 6) == len(solution.writes)


def test_goals_that_nothing_else_looks_at_are_set_apart() -> None:
    task = library.task("c172s/electrical_fire/everything_on")
    lights = {"light_beacon", "light_land", "light_taxi", "light_nav", "light_strobe"}
    assert set(Relevance(task).apart()) == {*lights, "pitot_heat", "cabin_pwr_12v"}


def test_a_goal_on_a_control_that_a_constraint_guards_is_not_set_apart() -> None:
    assert "fuel_pump" not in Relevance(library.task("c172s/electrical_fire/everything_on")).apart()


def test_values_that_no_condition_tells_apart_count_once() -> None:
    relevance = Relevance(library.task("c172s/engine_restart/windmilling_mixture_cutoff"))
    mixture = relevance.candidates()["mixture"]
    assert len(mixture) == 3
    assert [any(low <= v <= high for v in mixture) for low, high in ((0, 19), (20, 89), (90, 100))] == [
        True
    ] * 3


def test_a_hidden_variable_that_rules_only_keep_is_fixed() -> None:
    known = fixed(library.task("c172s/engine_restart/windmilling_empty_tank"))
    # Rules end a fire and free a stopped propeller; where there is neither, neither can come.
    assert known["fire.engine"] is False
    assert known["prop.stopped"] is False
    assert "engine.running" not in known
