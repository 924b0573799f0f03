"""The command ``acoe doctor`` against good and bad endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.cli import main

if TYPE_CHECKING:
    from tests.llm.conftest import Server

READ = ("get_system", {"component": "rpm"})
Capture = pytest.CaptureFixture[str]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def diagnosis(server: Server, capsys: Capture, code: int, *more: str) -> dict[str, str]:
    """Return what the doctor finds: what -> mark and words."""
    assert main(["doctor", "--model", "m", "--base-url", server.url, *more]) == code
    out = capsys.readouterr().out
    return {line[6:38].strip(): f"{line[:4].strip()} {line[38:]}".strip() for line in out.splitlines()}


# What a server counts of a second request that holds the long reply to the first.
MORE = {"prompt_tokens": 700, "completion_tokens": 10, "total_tokens": 710}


def test_doctor_finds_a_good_endpoint_good(server: Server, capsys: Capture) -> None:
    server.queue = [server.says(READ, READ, finish="tool_calls"), server.says(READ, number=1, usage=MORE)]
    assert diagnosis(server, capsys, 0) == {
        "answers": "ok as served",
        "calls a tool": "ok get_system, get_system",
        "arguments are an object": "ok {'component': 'rpm'}",
        "calls have ids": "yes",
        "finish_reason": "tool_calls; nothing is decided by it",
        "counts tokens": "prompt 100, completion 10, cached unknown, total 110",
        "takes a history with replies": "ok yes",
        "replies reach the model": "ok 600 more prompt tokens after a reply of 1,637 characters",
        "several calls in one reply": "yes",
    }


def test_doctor_finds_out_that_replies_do_not_reach_the_model(server: Server, capsys: Capture) -> None:
    server.queue = [server.says(READ), server.says(READ, READ, number=1)]
    told = diagnosis(server, capsys, 1)["replies reach the model"]
    assert told.startswith("FAIL 0 more prompt tokens")
    assert told.endswith("the server's chat template leaves them out")


def test_doctor_tells_of_an_endpoint_that_does_not_answer(server: Server, capsys: Capture) -> None:
    server.answer = lambda _: server.error(401, "wrong key")
    assert diagnosis(server, capsys, 1) == {"answers": "FAIL m: HTTP 401: wrong key"}


def test_doctor_recommends_the_text_protocol_where_no_call_comes(server: Server, capsys: Capture) -> None:
    server.answer = lambda _: server.says(text="I call get_system.", usage=None)
    found = diagnosis(server, capsys, 1)
    assert found["calls a tool"].startswith("FAIL none came")
    assert found["calls a tool"].endswith("--protocol text")
    assert found["counts tokens"] == "no: tokens will be unknown"


def test_doctor_tells_of_broken_arguments_and_ids(server: Server, capsys: Capture) -> None:
    body = server.says(("get_system", '{"component": '))
    body["choices"][0]["message"]["tool_calls"][0]["id"] = ""
    server.queue = [body]
    found = diagnosis(server, capsys, 1)
    assert found["arguments are an object"].startswith("FAIL")
    assert found["calls have ids"] == "missing or unusable: new ones are given"
    assert "malformed_arguments" in found["notes"]


def wants_reasoning(server: Server, asked: Any) -> Any:
    spoken = [m for m in asked["messages"] if m["role"] == "assistant"]
    if any("reasoning_content" not in m for m in spoken):
        return server.error(400, "reasoning_content is missing")
    body = server.says(READ, number=len(spoken), usage=None)
    body["choices"][0]["message"]["reasoning_content"] = "hm"
    return body


def test_doctor_finds_out_whether_further_fields_must_be_sent_back(server: Server, capsys: Capture) -> None:
    server.known = None
    server.answer = lambda asked: wants_reasoning(server, asked)
    found = diagnosis(server, capsys, 0)
    assert found["further fields"] == "reasoning_content; dropped, unless --echo names them"
    assert found["takes a history with replies"] == "ok only with all its fields: add --echo all"


def test_doctor_sends_no_further_field_where_none_is_wanted(server: Server, capsys: Capture) -> None:
    body = server.says(READ)
    body["choices"][0]["message"]["reasoning_content"] = "hm"
    server.queue = [body, server.says(READ, READ, number=1, usage=MORE)]
    assert diagnosis(server, capsys, 0)["takes a history with replies"] == "ok yes"
    assert server.complaints == []


def test_doctor_tells_of_a_history_that_is_refused(server: Server, capsys: Capture) -> None:
    server.queue = [server.says(READ), server.error(400, "no tool role"), server.error(400, "no null")]
    assert diagnosis(server, capsys, 1)["takes a history with replies"] == "FAIL m: HTTP 400: no tool role"


def test_doctor_finds_out_that_an_empty_content_must_be_null(server: Server, capsys: Capture) -> None:
    def answer(asked: Any) -> Any:
        empty = any(m["role"] == "assistant" and m["content"] == "" for m in asked["messages"])
        return server.error(400, "text is empty") if empty else server.says(READ, READ, usage=None)

    server.answer = answer
    found = diagnosis(server, capsys, 0)["takes a history with replies"]
    assert found == "ok only with null content: add --null-content"


def test_doctor_finds_out_that_fields_of_calls_must_be_sent_back(server: Server, capsys: Capture) -> None:
    server.known = None

    def answer(asked: Any) -> Any:
        spoken = [m for m in asked["messages"] if m["role"] == "assistant"]
        if any("extra_content" not in call for message in spoken for call in message["tool_calls"]):
            return server.error(400, "missing a thought_signature")
        body = server.says(READ, number=len(spoken), usage=MORE if spoken else USAGE)
        body["choices"][0]["message"]["tool_calls"][0]["extra_content"] = {"signature": "s"}
        return body

    server.answer = answer
    found = diagnosis(server, capsys, 0)
    assert found["further fields"] == "extra_content; dropped, unless --echo names them"
    assert found["takes a history with replies"] == "ok only with all its fields: add --echo all"
