"""What a message asks for, however broken it is."""

from __future__ import annotations

from typing import Any

import pytest

from acoe_gym.wrappers.llm.asked import TOO_LONG, read_arguments, said, text_of
from acoe_gym.wrappers.llm.chat import protocol


def call(name: Any = "submit", arguments: Any = "{}", number: Any = "c1") -> dict[str, Any]:
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("raw", "value", "note"),
    [
        ('{"a": 1}', {"a": 1}, None),
        (' {"a": 1}\n', {"a": 1}, None),
        ("", {}, None),
        ("  ", {}, None),
        (None, {}, None),
        ('{}""', {}, "repaired_arguments"),
        ("{'a': 1}", "{'a': 1}", "malformed_arguments"),
        ('{"a": 1}"', {"a": 1}, "repaired_arguments"),
        ("{\"a\": 1} ''", {"a": 1}, "repaired_arguments"),
        ('{"a": 1}{"b": 2}', '{"a": 1}{"b": 2}', "malformed_arguments"),
        ('{"a": 1}}', '{"a": 1}}', "malformed_arguments"),
        ('{"a": ', '{"a": ', "malformed_arguments"),
        ('{"a": NaN}', '{"a": NaN}', "malformed_arguments"),
        ("[1]", "[1]", "malformed_arguments"),
        ("7", "7", "malformed_arguments"),
        ({"a": 1}, {"a": 1}, "arguments_not_text"),
        ([1], [1], "malformed_arguments"),
        (7, 7, "malformed_arguments"),
        ("[" * 19_000, "[" * 19_000, "malformed_arguments"),
        ("[" * 100_000, TOO_LONG, "malformed_arguments"),
        ('{"a": "' + "x" * 20_000 + '"}', TOO_LONG, "malformed_arguments"),
        ({"a": "x" * 20_000}, TOO_LONG, "malformed_arguments"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_arguments_are_an_object_or_what_came(raw: Any, value: Any, note: str | None) -> None:
    assert read_arguments(raw) == (value, note)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", "a"),
        (None, ""),
        (7, ""),
        ([{"type": "text", "text": "a"}, "b", {"type": "image"}, {"text": 1}, None], "ab"),
        ({"text": "a"}, ""),
    ],
    ids=str,
)
def test_a_content_is_read_in_every_form(content: Any, text: str) -> None:
    assert text_of(content) == text


@pytest.mark.parametrize("content", [" ", "\n\n", "\t \u00a0"])
def test_blanks_are_no_text(content: str) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "submit", "arguments": "{}"}}
    assert said({"content": content}, set()).message()["content"] == protocol()["empty"]
    assert said({"content": content, "tool_calls": [call]}, set()).message()["content"] == ""


def test_arguments_that_no_request_can_hold_are_empty_in_the_history() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "submit", "arguments": '{"a": "\\ud800"}'}}
    (asked,) = said({"tool_calls": [call]}, set()).message()["tool_calls"]
    assert asked["function"]["arguments"] == "{}"


@pytest.mark.parametrize("length", [19_999, 20_000, 20_001, 90_000])
def test_a_long_text_is_cut_visibly(length: int) -> None:
    text = said({"content": "x" * length}, set()).text
    assert len(text) == min(length, protocol()["max_text"])
    assert text.endswith(" [... cut]") == (length > protocol()["max_text"])


def test_text_that_no_request_can_hold_is_replaced() -> None:
    assert said({"content": "a\ud800b"}, set()).message()["content"] == "a?b"


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(name: str) -> None:
    found = said({"content": "a", name: "b"}, set())
    assert (found.text, found.reasoning) == ("a", "b")
    assert found.message() == {"role": "assistant", "content": "a"}


def test_an_empty_message_stands_in_the_history_with_a_text() -> None:
    assert said({}, set()).message() == {"role": "assistant", "content": protocol()["empty"]}


def test_more_calls_than_a_reply_may_hold_are_dropped_and_noted() -> None:
    most = protocol()["max_calls_per_reply"]
    found = said({"tool_calls": [call(number=f"c{i}") for i in range(most + 1)]}, set())
    assert (len(found.calls), found.notes) == (most, ["too_many_calls_dropped"])


@pytest.mark.parametrize(
    "entry", [None, 7, "submit", [], {}, {"function": None}, {"function": "submit"}], ids=str
)
def test_an_entry_that_is_no_call_is_one_that_the_cockpit_rejects(entry: Any) -> None:
    (asked,) = said({"tool_calls": [entry]}, set()).calls
    assert (asked.name, asked.arguments, asked.id) == (None, {}, "call00001")


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("functions.get_system", "functions_get_system"),
        ("", "unnamed"),
        (None, "unnamed"),
        ("\u00e9" * 99, "_" * 64),
    ],
)
def test_a_name_that_no_history_may_hold_is_mended_there_and_only_there(name: Any, legal: str) -> None:
    found = said({"tool_calls": [call(name)]}, set())
    assert found.calls[0].name == name
    assert found.message()["tool_calls"][0]["function"]["name"] == legal


@pytest.mark.parametrize("arguments", ["{", "[1]", [1], '{"a": 1e999}', {"a": float("nan")}], ids=str)
def test_arguments_that_no_history_may_hold_are_empty_there(arguments: Any) -> None:
    found = said({"tool_calls": [call(arguments=arguments)]}, set())
    assert found.message()["tool_calls"][0]["function"]["arguments"] == "{}"


def test_a_new_id_is_none_that_was_given_before() -> None:
    taken = {"call00002"}
    found = said({"tool_calls": [call(number=None), call(number="c1"), call(number="call00003")]}, taken)
    assert [asked.id for asked in found.calls] == ["call00003", "c1", "call00004"]
    assert found.notes == ["new_id"]


def test_further_fields_are_sent_back_only_where_named() -> None:
    message = {"role": "assistant", "content": "a", "x": 1, "y": None}
    assert said(message, set()).message() == {"role": "assistant", "content": "a"}
    assert said(message, set(), ("x",)).message() == {"role": "assistant", "content": "a", "x": 1}
    assert said(message, set(), ("all",)).message() == message


def test_further_fields_of_a_call_are_sent_back_only_where_named() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "n", "arguments": "{}"}}
    signed = {**call, "extra_content": {"google": {"thought_signature": "s"}}, "index": 0}
    message = {"role": "assistant", "content": "", "tool_calls": [signed]}
    assert said(message, set()).message()["tool_calls"] == [call]
    named = said(message, set(), ("extra_content",)).message()["tool_calls"]
    assert named == [{**call, "extra_content": signed["extra_content"]}]
    assert said(message, set(), ("all",)).message()["tool_calls"] == [signed]


def test_no_further_field_of_a_call_replaces_what_the_history_needs() -> None:
    message = {"tool_calls": [{"id": 7, "type": "odd", "function": {"name": "n"}}]}
    (call,) = said(message, set(), ("all", "id", "type", "function")).message()["tool_calls"]
    assert call == {"id": "call00001", "type": "function", "function": {"name": "n", "arguments": "{}"}}


def test_no_further_field_replaces_what_the_history_needs() -> None:
    message = {"role": "user", "content": None, "tool_calls": "x"}
    echoed = said(message, set(), ("all", "role", "content", "tool_calls")).message()
    assert echoed == {"role": "assistant", "content": protocol()["empty"]}


DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "value",
    ["\ud800", float("nan"), DEEP, {"a": "\udfff"}, "x" * 2_000_000],
    ids=["text", "nan", "deep", "key", "long"],
)
def test_a_further_field_that_no_request_can_hold_is_dropped_and_noted(value: Any) -> None:
    found = said({"content": "a", "x": value, "y": 1}, set(), ("all",))
    assert (found.echo, found.notes) == ({"y": 1}, ["echo_dropped"])
