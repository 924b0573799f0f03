"""The scripted endpoint refuses what strict servers refuse; else the other tests would prove little."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

Check = Callable[..., str | None]


def history() -> list[dict[str, Any]]:
    """Return a sound history of two turns."""
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "get_system", "arguments": '{"component": "rpm"}'},
    }
    other = {**copy.deepcopy(call), "id": "b"}
    return [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "", "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "a", "content": "{}"},
        {"role": "tool", "tool_call_id": "b", "content": "{}"},
        {"role": "assistant", "content": "hm"},
        {"role": "user", "content": "go on"},
    ]


def test_a_sound_history_is_taken_up_to_every_point_where_a_model_speaks(check: Check) -> None:
    assert [check(history()[:length]) is None for length in range(1, 8)] == [
        False, True, False, False, True, False, True,
    ]  # fmt: skip


def change(path: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Return a function that sets a part of a history, named by a path; ``...`` takes it away."""

    def apply(messages: list[dict[str, Any]]) -> None:
        *parts, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place: Any = messages
        for part in parts:
            place = place[part]
        if value is ...:
            del place[last]
        else:
            place[last] = value

    return apply


FAULTS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "no system": change("0", ...),
    "two systems": lambda messages: messages.insert(1, messages[0]),
    "two users": lambda messages: messages.insert(1, messages[1]),
    "two assistants": lambda messages: messages.insert(5, messages[5]),
    "unknown role": change("1.role", "developer"),
    "a call without a reply": change("4", ...),
    "a reply twice": lambda messages: messages.insert(4, messages[4]),
    "replies in another order": lambda messages: messages.insert(3, messages.pop(4)),
    "a reply to no call": change("3.tool_call_id", "z"),
    "a reply without an id": change("3.tool_call_id", ...),
    "an id twice": change("2.tool_calls.1.id", "a"),
    "calls without a content": change("2.content", ...),
    "an empty id": change("2.tool_calls.0.id", ""),
    "an id that is no text": change("2.tool_calls.0.id", 7),
    "no calls in a list": change("2.tool_calls", []),
    "a name with a point": change("2.tool_calls.0.function.name", "functions.get_system"),
    "a long name": change("2.tool_calls.0.function.name", "x" * 65),
    "cut arguments": change("2.tool_calls.0.function.arguments", '{"a": '),
    "arguments in a list": change("2.tool_calls.0.function.arguments", "[1]"),
    "arguments as an object": change("2.tool_calls.0.function.arguments", {"a": 1}),
    "no type": change("2.tool_calls.0.type", ...),
    "a field of a call": change("2.tool_calls.0.index", 0),
    "an empty assistant": change("5.content", ""),
    "an assistant of null": change("5.content", None),
    "an assistant without content": change("5.content", ...),
    "an empty user": change("6.content", " "),
    "an unknown field": change("5.reasoning_content", "hm"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_complained_of(check: Check, fault: Callable[[list[dict[str, Any]]], Any]) -> None:
    messages = history()
    fault(messages)
    assert check(messages) is not None


@pytest.mark.parametrize("known", [None, ["reasoning_content"]])
def test_further_fields_pass_where_the_server_knows_them(check: Check, known: Any) -> None:
    messages = history()
    messages[5]["reasoning_content"] = "hm"
    assert check(messages, known) is None
