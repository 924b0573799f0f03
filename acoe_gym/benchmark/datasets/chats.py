"""Reference episodes as chats, in the form of OpenAI's chat completions: for supervised fine-tuning.

A chat holds what a model sees (the frozen role prompt, the briefing, the replies) and what an expert calls.
The expert reads what its list's conditions name before it acts on them, so nothing is done on knowledge that
is not in the chat.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from acoe_gym.cockpit.console import Call
from acoe_gym.cockpit.episode import MAX_CALLS_PER_TURN, Episode
from acoe_gym.cockpit.procedure import ToolCall
from acoe_gym.cockpit.protocol import briefing, role_prompt
from acoe_gym.cockpit.reference import solve
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.tools import TOOLS, openai_tools
from acoe_gym.errors import RecordError

Message = dict[str, Any]
Chat = dict[str, Any]


def chat_of(task: Task, *, batch: bool = False) -> Chat:
    """Return the reference episode of a task.

    Args:
        task: the task.
        batch: put consecutive reads into one assistant message, instead of one call a message.

    Returns:
        ``messages`` and ``tools``. Arguments are JSON texts, call ids nine letters and digits, which is what
        the strictest chat templates take. The last message is the reply to ``submit``.
    """
    episode = Episode(task)
    messages = opening_messages(task)
    for calls in reference_turns(task, batch=batch):
        messages += turn_messages(calls, episode.turn(calls), first=len(episode.log) - len(calls))
    return {"messages": messages, "tools": openai_tools()}


def opening_messages(task: Task) -> list[Message]:
    """Return what a pilot is told before the first call: role prompt and briefing."""
    return [{"role": "system", "content": role_prompt()}, {"role": "user", "content": briefing(task)}]


def reference_turns(task: Task, *, batch: bool = False) -> list[list[ToolCall]]:
    """Return the calls of the reference episode, one a turn; ``batch`` puts consecutive reads into one."""
    turns: list[list[ToolCall]] = []
    for call in solve(task).log:
        together = batch and turns and _is_read(call.tool) and _is_read(turns[-1][-1][0])
        if together and len(turns[-1]) < MAX_CALLS_PER_TURN:
            turns[-1].append((call.tool, json.loads(call.arguments)))
        else:
            turns.append([(call.tool, json.loads(call.arguments))])
    return turns


def _is_read(tool: str) -> bool:
    return tool != "submit" and not TOOLS[tool].writes


def turn_messages(calls: Sequence[ToolCall], played: Sequence[Call], first: int) -> list[Message]:
    """Return a turn as messages: the assistant's, and a reply per call.

    Args:
        calls: the calls as they are asked for.
        played: what became of them.
        first: how many calls came before; ids count on from there.
    """
    ids = [f"call{first + place:05d}" for place in range(1, len(calls) + 1)]
    replies = [
        {"role": "tool", "tool_call_id": call_id, "name": call.tool, "content": call.reply}
        for call_id, call in zip(ids, played, strict=True)
    ]
    return [asking(calls, ids), *replies]


def asking(calls: Sequence[ToolCall], ids: Sequence[str]) -> Message:
    """Return the assistant's message of a turn."""
    tool_calls = [
        {"id": call_id, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        for call_id, (tool, arguments) in zip(ids, calls, strict=True)
    ]
    return {"role": "assistant", "content": "", "tool_calls": tool_calls}


def replay_chat(chat: Chat, task: Task) -> Episode:
    """Play a chat's calls on its task and return the episode.

    Raises:
        RecordError: the chat opens with another prompt, or a reply comes out other than it stands there.
    """
    messages: list[Message] = chat["messages"]
    if messages[:2] != opening_messages(task):
        raise RecordError(f"{task.id}: expected a chat that opens with this task's prompt and briefing")
    return replay_messages(messages, task)


def replay_messages(messages: Sequence[Message], task: Task) -> Episode:
    """Play the calls of the assistant's messages and return the episode, which need not have ended.

    Raises:
        RecordError: a reply comes out other than it stands in the messages.
    """
    episode = Episode(task)
    for number, message, replies in _turns(messages):
        functions = [call["function"] for call in message["tool_calls"]]
        played = episode.turn([(f["name"], f["arguments"]) for f in functions])
        for call, reply in zip(played, replies, strict=False):
            if call.reply != reply["content"]:
                was, now = f"{reply['content']:.80}", f"{call.reply:.80}"
                raise RecordError(f"{task.id} message {number}: expected the reply {was}, got {now}")
    return episode


def _turns(messages: Sequence[Message]) -> Iterator[tuple[int, Message, list[Message]]]:
    """Yield (place in the chat, assistant message, the replies that follow it)."""
    for number, message in enumerate(messages):
        if message["role"] == "assistant":
            count = len(message["tool_calls"])
            following = messages[number + 1 : number + 1 + count]
            yield number, message, [m for m in following if m["role"] == "tool"]
