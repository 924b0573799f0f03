"""Chats: in the form that trainers read, true to the cockpit, and nothing done on unseen knowledge."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest

from acoe_gym.benchmark.datasets.chats import chat_of, replay_chat, replay_messages
from acoe_gym.cockpit import library
from acoe_gym.cockpit.expressions import Line, Name
from acoe_gym.cockpit.procedure import follow
from acoe_gym.cockpit.protocol import briefing, role_prompt
from acoe_gym.cockpit.scope import derived
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.tools import openai_tools
from acoe_gym.cockpit.variants import generate
from acoe_gym.errors import RecordError

TEMPLATES = library.template_ids()
TASK = "c172s/engine_restart/stopped_prop_left_tank"


def tasks_of(template_id: str) -> list[Task]:
    """Return the core tasks of a template and some variants."""
    core = [library.task(task_id) for task_id in library.task_ids(template_id)]
    return [*core, *(generate(template_id, seed) for seed in range(10))]


def calls_in(chat: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return every call of a chat."""
    asked = [call["function"] for message in chat["messages"] for call in message.get("tool_calls", ())]
    return [(function["name"], json.loads(function["arguments"])) for function in asked]


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("template_id", TEMPLATES)
def test_every_chat_replays_to_success(template_id: str, batch: bool) -> None:
    for task in tasks_of(template_id):
        episode = replay_chat(chat_of(task, batch=batch), task)
        assert (episode.end, episode.grade().success, episode.violations) == ("submitted", 1.0, 0), task.id


def test_a_chat_opens_with_what_the_pilot_is_told_and_carries_the_tools() -> None:
    task = library.task(TASK)
    chat = chat_of(task)
    assert set(chat) == {"messages", "tools"}
    assert chat["tools"] == openai_tools()
    assert chat["messages"][:2] == [
        {"role": "system", "content": role_prompt()},
        {"role": "user", "content": briefing(task)},
    ]


def test_a_turn_is_one_call_and_its_reply_and_the_last_submits() -> None:
    messages = chat_of(library.task(TASK))["messages"][2:]
    assert [message["role"] for message in messages] == ["assistant", "tool"] * (len(messages) // 2)
    assert all(len(message["tool_calls"]) == 1 for message in messages[::2])
    assert messages[-2]["tool_calls"][0]["function"] == {"name": "submit", "arguments": "{}"}
    assert json.loads(messages[-1]["content"]) == {"ok": True, "submitted": True}


@pytest.mark.parametrize("batch", [False, True])
def test_replies_answer_their_calls_under_ids_that_strict_templates_take(batch: bool) -> None:
    messages = chat_of(library.task(TASK), batch=batch)["messages"]
    asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert asked == answered
    assert len(set(asked)) == len(asked)
    assert all(len(call_id) == 9 and call_id.isalnum() for call_id in asked)


def test_a_batch_puts_consecutive_reads_into_one_turn_and_nothing_else() -> None:
    for template_id in TEMPLATES:
        task = generate(template_id, 0)
        single, batched = chat_of(task), chat_of(task, batch=True)
        assert calls_in(batched) == calls_in(single)
        turns = [message["tool_calls"] for message in batched["messages"] if "tool_calls" in message]
        reads = [{call["function"]["name"] for call in turn} - {"set_system", "submit"} for turn in turns]
        assert all(len(turn) == 1 for turn, read in zip(turns, reads, strict=True) if not read)
        assert not any(first and second for first, second in pairwise(reads))


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_what_a_branch_hangs_on_is_read_before_the_write(template_id: str) -> None:
    steps = library.template(template_id).procedure
    for task in tasks_of(template_id):
        calls = calls_in(chat_of(task))
        for step in steps:
            parts = [] if step.when is None else list(derived(step.when))
            named = {
                p.id if isinstance(p, Name) else p.component for p in parts if isinstance(p, Name | Line)
            }
            needed = {name for name in named if not name.startswith("decision.")}
            only_here = [n for n, _ in step.sets if sum(n in dict(other.sets) for other in steps) == 1]
            for control in only_here:
                wrote = [
                    n
                    for n, (tool, a) in enumerate(calls)
                    if tool == "set_system" and a["component"] == control
                ]
                read = (
                    {a["component"] for tool, a in calls[: wrote[0]] if tool == "get_system"}
                    if wrote
                    else needed
                )
                assert needed <= read, (task.id, control)


def test_the_calls_follow_from_the_replies_in_the_chat_alone() -> None:
    task = library.task(TASK)
    messages = chat_of(task)["messages"][2:]
    turns = follow(task)
    calls = next(turns)
    for asked, reply in zip(messages[::2], messages[1::2], strict=True):
        function = asked["tool_calls"][0]["function"]
        assert calls == [(function["name"], json.loads(function["arguments"]))]
        if function["name"] != "submit":
            calls = turns.send([json.loads(reply["content"])])


def test_no_task_id_is_in_a_chat() -> None:
    for template_id in TEMPLATES:
        text = json.dumps(chat_of(generate(template_id, 1)))
        assert template_id not in text
        assert "generated" not in text


def test_a_chat_with_another_reply_is_found() -> None:
    task = library.task(TASK)
    chat = copy.deepcopy(chat_of(task))
    chat["messages"][3]["content"] = '{"ok":true}'
    with pytest.raises(RecordError, match=r'message 2: expected the reply \{"ok":true\}, got '):
        replay_chat(chat, task)


def test_a_chat_of_another_task_is_found() -> None:
    chat = chat_of(library.task(TASK))
    with pytest.raises(RecordError, match="opens with this task's prompt and briefing"):
        replay_chat(chat, generate("c172s/electrical_fire", 0))


def test_a_part_of_a_chat_can_be_replayed() -> None:
    task = library.task(TASK)
    episode = replay_messages(chat_of(task)["messages"][:6], task)
    assert (len(episode.log), episode.end) == (2, None)
