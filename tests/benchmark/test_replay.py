from __future__ import annotations

import copy

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import POLICIES
from acoe_gym.benchmark.records import Record, record_of
from acoe_gym.benchmark.replay import current, replay
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.suites import generated_ids
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import play


@pytest.fixture
def record() -> Record:
    """Return a record that a test may change."""
    (flown,) = run(Plan("generic", (library.task_ids()[0],)))
    return copy.deepcopy(flown)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_replays_to_the_same_bytes(policy: str) -> None:
    for flown in run(Plan(policy, library.task_ids())):
        assert replay(flown).differences == ()


def test_generated_tasks_replay_to_the_same_bytes() -> None:
    tasks = generated_ids(library.template_ids("c172s"), seed=5, count=2)
    for flown in run(Plan("reference", tasks, suite="generated")):
        assert replay(flown).identical
        assert flown["grade"]["success"] == 1.0


def test_whatever_a_model_may_send_replays_to_the_same_bytes() -> None:
    odd: list[tuple[object, object]] = [
        (None, None), ("", ""), ("fly", "{]"), ("set_system", '{"component": "mixture", "value": "rich"}'),
        ("set_system", {"component": "mixture", "value": float("nan")}), ("get_system", [1]), (7, {1: 2}),
        ("get_system", {"component": "\xe9" * 3000}), *[("list_systems", {})] * 40,
        ("set_system", {"component": "mixture", "value": 10**400}),
    ]  # fmt: skip
    episode = play(library.task(library.task_ids()[0]), [odd, [], [("submit", {}), ("submit", {})]])
    flown = record_of(episode, trial=0, policy="odd", policy_seed=0, suite="core")
    assert replay(flown).differences == ()


def test_another_value_is_found_at_its_call(record: Record) -> None:
    written = next(
        (number, call)
        for number, turn in enumerate(record["turns"], 1)
        for call in turn
        if call["name"] == "set_system"
    )
    written[1]["arguments"]["value"] = "ON"
    differences = replay(record).differences
    assert differences[0] == f"turn {written[0]} call 1 (set_system): another reply"
    assert any(text.startswith("hash: was ") for text in differences)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hash", "0" * 64),
        ("end", "truncated"),
        ("violations", []),
        ("grade", {"success": 1.0, "goal_attainment": 1.0, "safe": 1.0, "goals_met": [], "goals_missed": []}),
    ],
)
def test_a_forged_result_is_found(record: Record, key: str, value: object) -> None:
    record[key] = value
    (difference,) = replay(record).differences
    assert difference.startswith(f"{key}: was ")


def test_a_forged_count_is_found(record: Record) -> None:
    record["metrics"]["ineffective_writes"] += 1
    (difference,) = replay(record).differences
    assert difference.startswith("metrics: was ")


def test_another_tree_entry_is_named(record: Record) -> None:
    record["tree"]["regulations"] = "f" * 64
    (difference,) = replay(record).differences
    assert difference.startswith("tree: regulations was ffffffffffff, is ")


def test_a_tree_entry_that_the_record_lacks_is_named(record: Record) -> None:
    del record["tree"]["regulations"]
    (difference,) = replay(record).differences
    assert difference.startswith("tree: regulations was None, is ")


def test_turns_after_the_end_are_found(record: Record) -> None:
    record["turns"].append(record["turns"][-1])
    made = len(record["turns"]) - 1
    assert replay(record).differences == (f"turns: {made + 1} were recorded, {made} could be played",)


def test_turns_that_do_not_end_the_episode_are_found(record: Record) -> None:
    record["turns"].pop()
    assert replay(record).differences == ("end: the recorded turns do not end the episode",)


def test_a_record_of_a_task_that_is_not_here_is_not_current(record: Record) -> None:
    assert current(record)
    assert not current({**record, "task": "c172s/engine_restart/nowhere"})


def test_a_task_that_is_not_here_is_a_difference(record: Record) -> None:
    record["task"] = "c172s/engine_restart/nowhere"
    (difference,) = replay(record).differences
    assert difference.startswith("task: expected a task id, got 'c172s/engine_restart/nowhere'")
