"""The same task and the same calls give the same bytes everywhere: semantics section 6."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Outcome
from acoe_gym.cockpit.episode import MAX_CALLS_PER_TURN, Episode, play
from acoe_gym.cockpit.task import Task

Solve = Callable[..., Episode]
TASKS = library.task_ids()
STOPPED = "c172s/engine_restart/stopped_prop_left_tank"

# Played in another process: everything that a score depends on, in the order in which it is listed.
ELSEWHERE = """
import json
from acoe_gym.cockpit import library, protocol, tools
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.procedure import follow

def solved(task):
    episode, turns = Episode(task), follow(task)
    calls = next(turns)
    while True:
        replies = [json.loads(call.reply) for call in episode.turn(calls)]
        if episode.end is not None:
            return episode
        calls = turns.send(replies)

tasks = [library.task(name) for name in library.task_ids()]
print(json.dumps({
    "tasks": [task.id for task in tasks],
    "hashes": [solved(task).hash() for task in tasks],
    "task hashes": [task.hash for task in tasks],
    "trees": [protocol.hash_tree(task) for task in tasks],
    "tools": list(tools.TOOLS),
    "schemas": tools.json_schemas(),
    "list": Episode(tasks[0]).one("list_systems", {}).reply,
    "near miss": Episode(tasks[0]).one("get_system", {"component": "avionics"}).reply,
}))
"""
UNTOUCHED = """
import random
import numpy
states = random.getstate(), str(numpy.random.get_state())
import acoe_gym
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import play
for name in library.task_ids():
    calls = [("set_system", {"component": "mixture", "value": 100}), ("get_metar", {"station": "KPAO"})]
    play(library.task(name), [calls] * 50)
assert states == (random.getstate(), str(numpy.random.get_state()))
"""


def python(source: str, hash_seed: int) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    run = subprocess.run(
        [sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def calls_of(episode: Episode) -> list[tuple[str, object]]:
    return [(call.tool, json.loads(call.arguments)) for call in episode.log]


@pytest.fixture(scope="module")
def references(solve: Solve) -> dict[str, Episode]:
    return {name: solve(library.task(name)) for name in TASKS}


def test_another_process_with_any_hash_seed_gives_the_same_bytes(solve: Solve) -> None:
    first, *others = [python(ELSEWHERE, seed) for seed in (0, 1, 12345)]
    assert others == [first, first]
    here = [solve(library.task(name)).hash() for name in TASKS]
    assert json.loads(first)["hashes"] == here
    assert json.loads(first)["tasks"] == list(TASKS)


def test_importing_and_playing_leave_the_global_generators_alone() -> None:
    python(UNTOUCHED, 0)


def test_an_episode_draws_nothing_from_the_global_generator(solve: Solve) -> None:
    before = random.getstate()
    hashes = set()
    for seed in (1, 2):
        random.seed(seed)
        state = random.getstate()
        hashes.add(solve(library.task(STOPPED)).hash())
        assert state == random.getstate()
    random.setstate(before)
    assert len(hashes) == 1


@pytest.mark.parametrize("task_id", TASKS)
@given(data=st.data())
def test_any_partition_of_the_calls_into_turns_gives_one_hash(
    references: dict[str, Episode], task_id: str, data: st.DataObject
) -> None:
    calls = calls_of(references[task_id])
    cuts = data.draw(st.sets(st.integers(1, len(calls) - 1), max_size=12))
    edges = [0, *sorted({*cuts, len(calls) // 2}), len(calls)]
    turns = [calls[a:b] for a, b in itertools.pairwise(edges)]
    assert all(len(turn) <= MAX_CALLS_PER_TURN for turn in turns)
    empty: list[list[tuple[str, object]]] = [[]] * data.draw(st.integers(0, 48 - len(turns)))
    episode = play(library.task(task_id), empty + turns)
    assert episode.hash() == references[task_id].hash()
    assert len(episode.turns) == len(empty + turns)


def test_one_call_or_a_turn_of_one_call_is_the_same_step(references: dict[str, Episode]) -> None:
    turned, stepped = Episode(library.task(STOPPED)), Episode(library.task(STOPPED))
    for call in calls_of(references[STOPPED]):
        turned.turn([call])
        stepped.one(*call)
    assert turned.snapshot() == stepped.snapshot()


def test_an_episode_does_not_depend_on_how_the_last_one_went(references: dict[str, Episode]) -> None:
    turns = [[call] for call in calls_of(references[STOPPED])]
    for steps in (3, 17):
        play(library.task(STOPPED), turns[:steps])
        assert play(library.task(STOPPED), turns).hash() == references[STOPPED].hash()


def test_spelling_leaves_no_trace_in_the_hash() -> None:
    plain, odd = Episode(library.task(STOPPED)), Episode(library.task(STOPPED))
    plain.one("set_system", {"component": "target_airspeed", "value": 68})
    odd.one("set_system", '{"value": " 6.8e1 ", "component": "TARGET_AIRSPEED"}')
    assert plain.hash() == odd.hash()


def changed(task: Task) -> list[Episode]:
    """Episodes that differ from one another in a single respect."""
    write = ("set_system", {"component": "mixture", "value": 100})
    return [
        play(task, [[("submit", {})]]),
        play(task, [[("list_systems", {}), ("submit", {})]]),
        play(task, [[write, ("submit", {})]]),
        play(task, [[("set_system", {"component": "mixture", "value": 99}), ("submit", {})]]),
        play(task, [[write, write, ("submit", {})]]),
        play(task, [[("set_system", {"component": "mixture", "value": 101}), ("submit", {})]]),
        play(task, [[("set_system", {"component": "mixture", "value": "101"}), ("submit", {})]]),
    ]


def test_whatever_happened_shows_in_the_hash() -> None:
    hashes = {episode.hash() for name in (STOPPED, TASKS[0]) for episode in changed(library.task(name))}
    assert len(hashes) == 14
    assert all(re.fullmatch(r"[0-9a-f]{64}", value) for value in hashes)


def test_a_call_that_was_not_run_leaves_no_trace_in_the_hash() -> None:
    task = library.task(STOPPED)
    plain = play(task, [[("submit", {})]])
    more = play(task, [[("submit", {}), ("set_system", {"component": "master_bat", "value": "OFF"})]])
    assert more.log[-1].outcome is Outcome.SKIPPED
    assert plain.hash() == more.hash()
