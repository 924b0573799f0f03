"""Calls written into the text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acoe_gym.cockpit.tools import NAMES
from acoe_gym.wrappers.llm.asked import Said
from acoe_gym.wrappers.llm.text_calls import RESPONSE, find_calls, instructions, responses

READ = '{"name": "get_system", "arguments": {"component": "rpm"}}'


def found(text: str) -> Said:
    said = Said(text, "", [])
    find_calls(said, text)
    return said


def calls(text: str) -> list[tuple[Any, Any]]:
    return [(asked.name, asked.arguments) for asked in found(text).calls]


def test_the_prompt_names_every_tool_and_shows_the_form() -> None:
    form, *tools = instructions().split("\n")
    assert [json.loads(tool)["name"] for tool in tools] == list(NAMES)
    assert "<tool_call>" in form


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{READ}</tool_call>",
        f"I read it.\n<tool_call>\n{READ}\n</tool_call>\nDone.",
        f"<tool_call>{READ}",
        f'<think><tool_call>{{"name": "submit"}}</tool_call></think><tool_call>{READ}</tool_call>',
        f"no opening tag <tool_call>{{}}</tool_call></think><tool_call>{READ}</tool_call>",
        f"<tool_call>{READ.replace('arguments', 'parameters')}</tool_call>",
        "<tool_call>"
        + json.dumps({"name": "get_system", "arguments": '{"component": "rpm"}'})
        + "</tool_call>",
    ],
)
def test_a_call_is_found(text: str) -> None:
    assert calls(text) == [("get_system", {"component": "rpm"})]


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"<think>or <tool_call>{READ}</tool_call>",
        READ,
        "submit()",
        "```json\n" + READ + "\n```",
        "</tool_call>",
        "<tool_response>{}</tool_response>",
    ],
)
def test_nothing_else_is_a_call(text: str) -> None:
    assert calls(text) == []


@pytest.mark.parametrize("inner", ["", "submit", "{", "[]", "7", "null", '"submit"', READ + "x"])
def test_what_is_no_object_is_a_call_that_the_cockpit_rejects(inner: str) -> None:
    said = found(f"<tool_call>{inner}</tool_call>")
    assert [asked.name for asked in said.calls] == [""]
    assert said.notes == (["malformed_arguments"] if inner else [])


@pytest.mark.parametrize(
    ("table", "arguments", "notes"),
    [
        ('{"name": "t", "arguments": "{\\"a\\": "}', '{"a": ', ["malformed_arguments"]),
        ('{"name": "t", "arguments": "{}\\"\\""}', {}, ["repaired_arguments"]),
        ('{"name": "t", "arguments": {}}""', {}, ["repaired_arguments"]),
        ('{"name": "t", "arguments": null}', {}, []),
        ('{"name": "t", "arguments": [1]}', [1], []),
    ],
)
def test_odd_arguments_are_noted(table: str, arguments: Any, notes: list[str]) -> None:
    said = found(f"<tool_call>{table}</tool_call>")
    assert ([asked.arguments for asked in said.calls], said.notes) == ([arguments], notes)


def test_calls_come_in_the_order_of_the_text_and_not_too_many() -> None:
    said = found("".join(f'<tool_call>{{"name": "t{i}"}}</tool_call>' for i in range(70)))
    assert [asked.name for asked in said.calls] == [f"t{i}" for i in range(64)]
    assert said.notes == ["too_many_calls_dropped"]


def test_replies_are_told_one_by_one_and_can_be_told_apart() -> None:
    replies = ['{"ok":true}', '{"ok":false}\n{"ok":true}']
    assert RESPONSE.findall(responses(replies)) == replies
