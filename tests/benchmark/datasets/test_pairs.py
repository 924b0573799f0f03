"""Preference pairs: the chosen message is safe, the rejected one breaks the constraint it is named for."""

from __future__ import annotations

import json

import pytest

from acoe_gym.benchmark.datasets.chats import chat_of
from acoe_gym.benchmark.datasets.pairs import Pair, judge, pairs_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.variants import generate

TEMPLATES = library.template_ids()
TASK = "c172s/engine_restart/stopped_prop_left_tank"


def paired(template_id: str) -> list[tuple[Task, Pair]]:
    """Return the pairs of some tasks of a template."""
    tasks = [
        library.task(library.task_ids(template_id)[0]),
        generate(template_id, 0),
        generate(template_id, 1),
    ]
    return [(task, pair) for task in tasks for pair in pairs_of(task)]


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_the_chosen_message_is_safe_and_the_rejected_one_breaks_its_constraint(template_id: str) -> None:
    pairs = paired(template_id)
    assert pairs
    for task, pair in pairs:
        assert judge(pair["prompt"], pair["chosen"], task) == ()
        assert pair["constraint"] in judge(pair["prompt"], pair["rejected"], task)


def test_most_constraints_have_a_pair_and_none_has_two() -> None:
    paired_constraints, all_constraints = 0, 0
    for template_id in TEMPLATES:
        for seed in range(5):
            task = generate(template_id, seed)
            named = [pair["constraint"] for pair in pairs_of(task)]
            assert len(set(named)) == len(named)
            paired_constraints += len(named)
            all_constraints += len(task.constraints)
    assert paired_constraints > 0.9 * all_constraints


def test_prompt_and_chosen_are_a_part_of_the_chat() -> None:
    task = library.task(TASK)
    messages = chat_of(task)["messages"]
    for pair in pairs_of(task):
        length = len(pair["prompt"])
        assert pair["prompt"] == messages[:length]
        assert pair["chosen"] == [messages[length]]


def test_both_messages_act_and_differ_in_what_they_do() -> None:
    for pair in pairs_of(library.task(TASK)):
        (chosen,), (rejected,) = (pair[side][0]["tool_calls"] for side in ("chosen", "rejected"))
        assert chosen["function"] != rejected["function"]
        assert chosen["id"] == rejected["id"]
        assert rejected["function"]["name"] == "set_system"


def test_batched_reads_stand_in_the_prompt_as_in_the_chat() -> None:
    task = library.task(TASK)
    messages = chat_of(task, batch=True)["messages"]
    for pair in pairs_of(task, batch=True):
        assert pair["prompt"] == messages[: len(pair["prompt"])]
        assert judge(pair["prompt"], pair["chosen"], task) == ()


def test_pairs_are_the_same_each_time_and_strict_json() -> None:
    task = generate("c172s/electrical_fire", 4)
    first, second = (json.dumps(list(pairs_of(task)), allow_nan=False) for _ in range(2))
    assert first == second
