"""Calls written into the text, for models and servers without function calling; off unless asked for.

The form is the one that many open models were trained on: a JSON object between tags. Only such an object is
a call; nothing else in a text is ever run.
"""

from __future__ import annotations

import json
import re
from typing import Any

from acoe_gym.cockpit.tools import openai_tools
from acoe_gym.wrappers.llm.asked import Asked, Said, read_arguments
from acoe_gym.wrappers.llm.chat import protocol

RESPONSE = re.compile(r"<tool_response>(.*?)</tool_response>", re.DOTALL)
CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)


def instructions() -> str:
    """Return what is added to the role prompt: the form of a call, and the tools."""
    tools = [tool["function"] for tool in openai_tools()]
    return "\n".join([protocol()["text_protocol"], *(json.dumps(tool) for tool in tools)])


def find_calls(found: Said, content: str) -> None:
    """Add the calls that stand in a text to what was said; those of its thoughts, if it shows them, are none.

    Args:
        found: the message, without calls.
        content: its text, not cut.
    """
    said_aloud = content.rpartition("</think>")[2].partition("<think>")[0]
    for number, match in enumerate(CALL.finditer(said_aloud), 1):
        if number > int(protocol()["max_calls_per_reply"]):
            found.note("too_many_calls_dropped")
            return
        found.calls.append(_call(match[1].strip(), f"text{number:05d}", found))


def _call(text: str, number: str, found: Said) -> Asked:
    table, note = read_arguments(text)
    if not isinstance(table, dict):
        found.note("malformed_arguments")
        return Asked(number, "", text)
    arguments: Any = table.get("arguments", table.get("parameters", {}))
    if isinstance(arguments, str):
        arguments, note = read_arguments(arguments)
    if note in ("malformed_arguments", "repaired_arguments"):
        found.note(note)
    return Asked(number, table.get("name", ""), {} if arguments is None else arguments)


def responses(replies: list[str]) -> str:
    """Return the replies of a turn as the text of one message."""
    return "\n".join(f"<tool_response>{reply}</tool_response>" for reply in replies)
