"""The model's endpoint: what is sent, what is retried, what is told of a failure."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.errors import InfrastructureError, MissingExtra
from acoe_gym.wrappers.llm import llm_policy, refusals
from acoe_gym.wrappers.llm.completion import usage_of
from acoe_gym.wrappers.llm.llm_policy import LLMPolicy

if TYPE_CHECKING:
    from tests.llm.conftest import Server

HISTORY = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
SPOKEN = [*HISTORY, {"role": "assistant", "content": "a"}, {"role": "user", "content": "u"}]
TOOLS = [{"type": "function", "function": {"name": "submit", "parameters": {"type": "object"}}}]


def ask(server: Server, tools: Any = TOOLS, **how: Any) -> Any:
    """Ask once, in at most three attempts."""
    settings = {"attempts": 3, "timeout": 5.0, **how}
    return LLMPolicy("m", settings.pop("base_url", server.url), **settings)(HISTORY, tools)


def failure(server: Server, **how: Any) -> InfrastructureError:
    """Ask in vain."""
    with pytest.raises(InfrastructureError) as caught:
        ask(server, **how)
    return caught.value


# What is sent.


def test_a_request_holds_model_history_and_tools_and_nothing_that_was_not_asked_for(server: Server) -> None:
    ask(server)
    assert server.asked == [{"model": "m", "messages": HISTORY, "tools": TOOLS, "tool_choice": "auto"}]


def test_parameters_and_extra_fields_are_sent(server: Server) -> None:
    ask(server, params={"temperature": 0, "parallel_tool_calls": False}, extra_body={"top_k": 1})
    assert server.asked[0] == {
        "model": "m", "messages": HISTORY, "tools": TOOLS, "tool_choice": "auto",
        "temperature": 0, "parallel_tool_calls": False, "top_k": 1,
    }  # fmt: skip


def test_without_tools_none_are_sent(server: Server) -> None:
    ask(server, tools=[])
    assert set(server.asked[0]) == {"model", "messages"}


@pytest.mark.parametrize(
    ("keys", "sent"),
    [
        ({"ACOE_API_KEY": "a", "OPENAI_API_KEY": "o"}, "a"),
        # OpenAI's key is for OpenAI: no other endpoint gets it.
        ({"ACOE_API_KEY": "", "OPENAI_API_KEY": "o"}, "no-key"),
        ({}, "no-key"),
    ],
)
def test_the_key_comes_from_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch, keys: dict[str, str], sent: str
) -> None:
    monkeypatch.delenv("ACOE_API_KEY")
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    ask(server)
    assert server.headers[0]["authorization"] == f"Bearer {sent}"


def test_the_query_of_an_address_goes_with_every_request(server: Server) -> None:
    ask(server, base_url=f"{server.url}?api-version=7&key=x")
    assert server.paths == ["/v1/chat/completions?api-version=7&key=x"]


def test_another_endpoint_in_the_environment_is_not_asked(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert str(LLMPolicy("m")._client.base_url) == "https://api.openai.com/v1/"


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000/v1",
        "",
        "ftp://h/v1",
        "http://",
        "http://h:port/v1",
        "http://[v1.x]/v1",
        "http://h/\x01",
    ],
)
def test_an_address_that_is_none_is_refused_at_once(server: Server, address: str) -> None:
    with pytest.raises(InfrastructureError, match="such as http://localhost:8000/v1"):
        LLMPolicy("m", address)


@pytest.mark.parametrize("name", ["model", "messages", "tools", "stream"])
def test_parameters_that_are_not_the_users_are_refused(server: Server, name: str) -> None:
    with pytest.raises(InfrastructureError, match=f"{name} cannot be set") as refused:
        LLMPolicy("m", server.url, params={name: True})
    assert refused.value.fatal


def test_a_missing_package_names_the_command(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tenacity", None)
    with pytest.raises(MissingExtra, match=r'pip install "acoe_gym\[llm\]"'):
        LLMPolicy("m", server.url)


# What comes back.


def test_an_answer_is_the_message_with_how_it_came_about(server: Server) -> None:
    answer = ask(server)
    assert answer["tool_calls"][0]["function"] == {"name": "submit", "arguments": "{}"}
    assert (answer.model, answer.finish) == ("served", "stop")
    assert answer.usage == {"prompt": 100, "completion": 10, "cached": None, "total": 110}


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (None, None),
        ("many", None),
        ({}, (None, None, None, None)),
        ({"total_tokens": 7}, (None, None, None, 7)),
        ({"prompt_tokens": "100", "completion_tokens": " 10 "}, (100, 10, None, 110)),
        ({"prompt_tokens": 5, "completion_tokens": None, "total_tokens": 9}, (5, None, None, 9)),
        ({"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 99}, (5, 94, None, 99)),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 0,
                "prompt_tokens_details": {"cached_tokens": 4},
            },
            (5, 0, 4, 5),
        ),
        ({"prompt_tokens": True, "completion_tokens": -1, "total_tokens": "a"}, (None, None, None, None)),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, (None, None, None, None)),
        ({"prompt_tokens": "9" * 5000, "completion_tokens": "\u0661"}, (None, None, None, None)),
    ],
    ids=str,
)
def test_what_a_server_does_not_count_is_unknown_and_never_zero(raw: Any, told: Any) -> None:
    wanted = (
        None if told is None else dict(zip(("prompt", "completion", "cached", "total"), told, strict=True))
    )
    assert usage_of(raw) == wanted


# What may pass is tried again.


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_passing_refusal_is_tried_again(server: Server, status: int) -> None:
    server.queue = [server.error(status), server.error(status)]
    assert ask(server)["tool_calls"]
    assert len(server.asked) == 3


BODIES: dict[str, Any] = {
    "no JSON": b"<html>Bad gateway</html>",
    "half a JSON": b'{"choices": [{"mess',
    "nothing": b"",
    "a list": [],
    "no choices": {"object": "chat.completion"},
    "empty choices": {"choices": []},
    "choices null": {"choices": None},
    "message null": {"choices": [{"message": None}]},
    "choice null": {"choices": [None]},
    "too deep": b"[" * 100_000,
    "not UTF-8": b"\xff\xfe",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_body_without_a_message_is_tried_again(server: Server, body: Any) -> None:
    server.queue = [body]
    assert ask(server)["tool_calls"]
    assert len(server.asked) == 2


@pytest.mark.parametrize("how", [{"reset": True}, {"cut": 100}, {"hang": 9.0}], ids=str)
def test_a_broken_connection_is_tried_again(server: Server, how: dict[str, Any]) -> None:
    server.queue = [server.reply(server.says(("submit", {})), **how)]
    assert ask(server, timeout=0.6 if "hang" in how else 5.0)["tool_calls"]
    assert len(server.asked) == 2


def test_a_reply_that_trickles_in_is_given_up_at_the_time_limit_of_an_attempt(server: Server) -> None:
    server.queue = [server.reply(server.says(("submit", {})), trickle=0.05)]
    assert ask(server, timeout=0.5)["tool_calls"]
    assert len(server.asked) == 2


def test_a_reply_without_end_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_policy, "MOST_BYTES", 1000)
    server.answer = lambda _: server.says(text="x" * 2000)
    assert str(failure(server)).startswith("m: expected a whole reply in 5 s, got ")


def nobody() -> str:
    """Return an address at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def test_an_endpoint_that_is_not_there_is_said_so_soon_and_ends_the_run(server: Server) -> None:
    address = nobody()
    error = failure(server, base_url=address, attempts=6)
    assert error.fatal
    assert str(error).startswith(f"m: nothing answers at {address} (APIConnectionError: ")
    assert str(error).endswith("; is the server running?, after 3 attempts")


def test_an_endpoint_that_answered_before_is_waited_for(server: Server) -> None:
    policy = LLMPolicy("m", server.url, attempts=5, timeout=5.0)
    policy(HISTORY, TOOLS)
    server.close()
    policy._client.close()  # a kept connection would be reset, and not refused
    elsewhere = LLMPolicy("m", nobody())
    policy._client = elsewhere._client
    with pytest.raises(InfrastructureError, match="after 5 attempts") as caught:
        policy(HISTORY, TOOLS)
    assert not caught.value.fatal


def test_an_endpoint_that_refused_before_is_there(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = LLMPolicy("m", server.url, attempts=4, timeout=5.0)
    elsewhere = LLMPolicy("m", nobody())
    server.answer = lambda _: server.error(503, "loading")

    def gone(_: Any) -> float:
        policy._client = elsewhere._client
        return 0.0

    monkeypatch.setattr(policy, "_wait", gone)
    with pytest.raises(InfrastructureError, match="after 4 attempts") as caught:
        policy(HISTORY, TOOLS)
    assert not caught.value.fatal


def test_a_shorter_wait_does_not_shorten_what_another_thread_was_told(server: Server) -> None:
    policy = LLMPolicy("m", server.url, timeout=5.0)
    shut = time.monotonic() + 0.5

    def answer(_: Any) -> Any:
        if time.monotonic() >= shut:
            return server.says(("submit", {}))
        policy._open_at = shut
        return server.error(429, headers={"retry-after-ms": "1"})

    server.answer = answer
    policy(HISTORY, TOOLS)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "how",
    [{"cut": 100}, {"cut": 100, "status": 429}, {"headers": {"Content-Encoding": "gzip"}}],
    ids=["cut", "cut at 429", "no gzip"],
)
def test_a_refusal_that_cannot_be_read_whole_is_tried_again(server: Server, how: dict[str, Any]) -> None:
    server.queue = [server.error(how.pop("status", 502), "bad gateway", **how)]
    assert ask(server)["tool_calls"]
    assert len(server.asked) == 2


def test_a_refusal_that_trickles_in_is_read_for_a_while_and_told(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "LONGEST_S", 0.3)
    server.answer = lambda _: server.error(401, "x" * 1000, trickle=0.01)
    start = time.monotonic()
    assert "HTTP 401: {" in str(failure(server))
    assert time.monotonic() - start < 3


def test_a_refusal_without_end_is_cut(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "MOST_BYTES", 1000)
    server.answer = lambda _: server.reply(b"x" * 50_000_000, 401)
    assert len(str(failure(server))) < 400


@pytest.mark.parametrize("ask_for", ["0", "Mon, 01 Jan 2001 00:00:00 GMT", "1 Jan 99999999999 00:00:00"])
def test_a_server_that_asks_for_no_wait_is_waited_for_all_the_same(
    server: Server, monkeypatch: pytest.MonkeyPatch, ask_for: str
) -> None:
    monkeypatch.setattr(llm_policy, "FIRST_WAIT_S", 0.2)
    server.queue = [server.error(429, headers={"Retry-After": ask_for})]
    start = time.monotonic()
    ask(server)
    assert time.monotonic() - start >= 0.2


def test_a_failure_behind_the_endpoint_is_no_turn_of_the_model(server: Server) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "error"}
    broken = {"choices": [{**choice, "error": {"code": 502, "message": "provider is down"}}]}
    server.queue = [broken]
    assert ask(server)["tool_calls"]
    server.answer = lambda _: broken
    assert "provider is down" in str(failure(server))


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "Failed to call a function (tool_use_failed)"),
        (500, "error parsing tool call: raw='{\"component\": ', err=unexpected end of JSON input"),
        (500, "Failed to parse input at pos 17: <tool_call>"),
    ],
)
def test_a_call_that_the_server_could_not_read_costs_the_model_a_turn(
    server: Server, status: int, told: str
) -> None:
    server.answer = lambda _: server.error(status, told)
    answer = ask(server)
    assert (answer["content"], answer.note, answer.usage) == ("", "call_refused", None)
    assert len(server.asked) == 1


def test_a_server_that_fails_by_itself_costs_the_model_nothing(server: Server) -> None:
    server.answer = lambda _: server.error(500, "out of memory")
    assert str(failure(server)) == "m: HTTP 500: out of memory, after 3 attempts"


def test_what_never_passes_says_what_came_last_and_how_often_it_was_tried(server: Server) -> None:
    server.answer = lambda _: server.error(503, "overloaded")
    error = failure(server)
    assert str(error) == "m: HTTP 503: overloaded, after 3 attempts"
    assert not error.fatal
    assert len(server.asked) == 3


def test_an_error_in_a_body_of_status_200_is_told(server: Server) -> None:
    server.answer = lambda _: {"error": {"message": "upstream is down", "code": 502}}
    assert "upstream is down" in str(failure(server))


# How long is waited.


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry-After": "0.4"}, 0.35, 3.0),
        ({"Retry-After-Ms": "400", "Retry-After": "9"}, 0.35, 3.0),
        ({"Retry-After": "1e9"}, 0.0, 3.0),
        ({"Retry-After": "nan"}, 0.0, 3.0),
        ({"Retry-After": "-5"}, 0.0, 3.0),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0.0, 3.0),
    ],
    ids=str,
)
def test_a_server_is_asked_again_when_it_wants(
    server: Server, headers: dict[str, str], least: float, most: float
) -> None:
    policy = LLMPolicy("m", server.url, attempts=2)
    policy(HISTORY, TOOLS)  # connections are open and code is loaded
    server.queue = [server.error(429, headers=headers)]
    start = time.monotonic()
    policy(HISTORY, TOOLS)
    assert least <= time.monotonic() - start < most


def test_no_server_makes_a_run_wait_for_hours(server: Server) -> None:
    policy = LLMPolicy("m", server.url, attempts=2)
    policy._longest = 0.2
    server.queue = [server.error(429, headers={"Retry-After": "7200"})]
    start = time.monotonic()
    policy(HISTORY, TOOLS)
    assert 0.15 <= time.monotonic() - start < 3


def test_waits_double_up_to_a_limit(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_policy, "LONGEST_STEP_S", 0.03)
    waits: list[float] = []
    policy = LLMPolicy("m", server.url, attempts=5)
    wait = policy._wait

    def noted(state: Any) -> float:
        waits.append(wait(state))
        return waits[-1]

    monkeypatch.setattr(policy, "_wait", noted)
    server.answer = lambda _: server.error(500)
    with pytest.raises(InfrastructureError):
        policy(HISTORY, TOOLS)
    assert waits[:4] == [0.01, 0.02, 0.03, 0.03]


def test_all_threads_wait_when_one_is_told_to(server: Server) -> None:
    policy = LLMPolicy("m", server.url, attempts=1)
    server.queue = [server.error(429, headers={"Retry-After": "0.4"})]
    with pytest.raises(InfrastructureError):
        policy(HISTORY, TOOLS)
    start = time.monotonic()
    policy(HISTORY, TOOLS)
    assert time.monotonic() - start >= 0.35


def test_a_host_that_does_not_answer_is_not_waited_for_as_long_as_a_model(server: Server) -> None:
    timeout: Any = LLMPolicy("m", server.url)._client.timeout
    assert (timeout.connect, timeout.read) == (10, 600)


# What will not pass.


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_what_every_request_would_meet_is_fatal_at_once(server: Server, status: int) -> None:
    server.answer = lambda _: server.error(status, "no such thing")
    error = failure(server)
    assert str(error) == f"m: HTTP {status}: no such thing"
    assert error.fatal
    assert len(server.asked) == 1


def test_an_address_that_ends_too_early_is_suspected(server: Server) -> None:
    server.answer = lambda _: server.error(404, "Not Found")
    told = str(failure(server, base_url=f"http://{server.address}"))
    assert told == f"m: HTTP 404: Not Found; http://{server.address} was asked: most addresses end in /v1"


def test_who_gave_no_key_is_told_where_it_is_looked_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ACOE_API_KEY")
    server.answer = lambda _: server.error(401, "no auth")
    assert str(failure(server)) == "m: HTTP 401: no auth; ACOE_API_KEY holds no key"


def test_openai_is_not_asked_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACOE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(
        InfrastructureError, match="expected a key of OpenAI in ACOE_API_KEY or OPENAI_API_KEY"
    ):
        LLMPolicy("m")


def test_an_empty_account_is_fatal_though_it_comes_as_429(server: Server) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    server.answer = lambda _: server.reply(body, 429)
    assert failure(server).fatal
    assert len(server.asked) == 1


def test_without_an_address_the_key_of_openai_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACOE_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "o")
    assert LLMPolicy("m")._client.api_key == "o"


def test_an_opening_that_is_too_long_is_a_matter_of_settings(server: Server) -> None:
    body = {"error": {"message": "maximum context length", "code": "context_length_exceeded"}}
    server.answer = lambda _: server.reply(body, 400)
    error = failure(server)
    assert str(error) == "m: HTTP 400: maximum context length (context_length_exceeded)"
    assert not error.fatal
    assert len(server.asked) == 1


def test_an_unknown_parameter_is_fatal_and_named(server: Server) -> None:
    error = failure(server, params={"temprature": 0})
    assert "temprature" in str(error)
    assert "go into --extra-body" in str(error)
    assert error.fatal
    assert server.asked == []


@pytest.mark.parametrize("body", [b"plain words", b"", [], {"error": "words"}, {"detail": "words"}], ids=str)
def test_a_refusal_of_any_form_is_told_in_one_line(server: Server, body: Any) -> None:
    server.answer = lambda _: server.reply(body, 401)
    assert str(failure(server)).startswith("m: HTTP 401: ")


def test_a_key_that_a_server_repeats_is_told_to_nobody(server: Server) -> None:
    key = server.key
    server.answer = lambda _: server.error(401, f"Incorrect API key provided: {key}")
    assert str(failure(server)) == "m: HTTP 401: Incorrect API key provided: ***"
    server.answer = lambda _: f"key {key} is not JSON here".encode()
    assert key not in str(failure(server))


SECRET = "sk-0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("place", range(250, 310, 6))
def test_a_key_that_an_endpoint_repeats_is_masked_before_the_message_is_cut(
    server: Server, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    monkeypatch.setenv("ACOE_API_KEY", SECRET)
    server.answer = lambda _: server.error(400, f"{'x' * place}{SECRET}")
    assert SECRET[:12] not in str(failure(server))


def test_a_key_with_a_line_end_is_used_without_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACOE_API_KEY", f"{SECRET}\n")
    ask(server)
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"


def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACOE_API_KEY", f"{SECRET}\n{SECRET}")
    with pytest.raises(InfrastructureError, match="printable ASCII") as caught:
        LLMPolicy("m", "http://127.0.0.1:9/v1")
    assert SECRET not in str(caught.value)


def test_a_secret_of_the_address_is_masked_too(server: Server) -> None:
    server.answer = lambda _: server.error(400, "no /v1/chat?key=k3y-in-query for p4ssw0rd")
    address = server.url.replace("://", "://user:p4ssw0rd@") + "?key=k3y-in-query"
    told = str(failure(server, base_url=address))
    assert "k3y-in-query" not in told
    assert "p4ssw0rd" not in told


@pytest.mark.parametrize(
    ("user", "query", "echoed"),
    [
        ("me:p4ss%2Fword", "", "p4ss/word"),
        ("me:p4ss%2Fword", "", "p4ss%2Fword"),
        ("me:secret7", "", "bWU6c2VjcmV0Nw=="),
        ("me:secret7", "", "secret7"),
        ("", "?code=Zm9v%2Bbar%3Dsecret99", "Zm9v%2Bbar%3Dsecret99"),
        ("", "?code=Zm9v%2Bbar%3Dsecret99", "Zm9v+bar=secret99"),
        ("", "?secret99", "secret99"),
    ],
)
def test_a_secret_of_the_address_is_masked_in_every_form_in_which_it_comes_back(
    server: Server, user: str, query: str, echoed: str
) -> None:
    server.answer = lambda _: server.error(404, f"no route for {echoed}!")
    address = server.url.replace("://", f"://{user}@" if user else "://") + query
    assert str(failure(server, base_url=address)) == "m: HTTP 404: no route for ***!"


@pytest.mark.parametrize(
    "body", [{"api_key": "x"}, {"auth": {"Access-Token": "x"}}, {"extra": [{"Authorization": "x"}]}]
)
def test_a_key_in_the_body_is_refused_since_a_run_keeps_it(body: dict[str, Any]) -> None:
    for how in ({"extra_body": body}, {"params": body}):
        with pytest.raises(
            InfrastructureError, match="would be kept with the run; give a key as ACOE_API_KEY"
        ):
            LLMPolicy("m", **how)  # type: ignore[arg-type]


def test_fields_that_sound_like_keys_and_are_none_pass() -> None:
    LLMPolicy(
        "m",
        "http://h/v1",
        params={"max_tokens": 9, "prompt_cache_key": "a"},
        extra_body={"stop_token_ids": [1]},
    )


@pytest.mark.parametrize("name", ["model", "messages", "tools", "stream"])
def test_the_body_cannot_say_other_than_the_record(name: str) -> None:
    with pytest.raises(InfrastructureError, match=f"the parameter {name} cannot be set"):
        LLMPolicy("m", extra_body={name: "other"})


@pytest.mark.parametrize("name", ["extra_body", "extra_headers", "extra_query"])
def test_what_may_be_secret_or_is_not_sent_is_no_parameter(name: str) -> None:
    with pytest.raises(InfrastructureError, match=f"the parameter {name} cannot be set"):
        LLMPolicy("m", params={name: {"x-api-key": SECRET}})


def test_another_endpoint_is_not_told_of_an_organization(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    ask(server)
    assert not {"openai-organization", "openai-project"} & set(server.headers[0])


@pytest.mark.parametrize(
    "told",
    [
        "This model's maximum context length is 8192 tokens",
        "Requested tokens (9000) exceed context window of 8192",
        "The input token count exceeds the maximum number of tokens allowed (1048576)",
        "input length and max_tokens exceed context limit: 200000",
        "This model's maximum prompt length is 131072",
        "`inputs` tokens + `max_new_tokens` must be <= 4096",
        "Input is too long for requested model",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The prompt (length 9000) is longer than the maximum model length of 8192",
        "max_tokens must be at least 1, got -7584",
        "Range of input length should be [1, 30720]",
        "Your request exceeded model token limit: 131072",
        "Prompt exceeds max length",
        "`inputs` must have less than 4095 tokens. Given: 5000",
    ],
)
def test_a_full_context_is_known_in_the_words_of_many_servers(server: Server, told: str) -> None:
    policy = LLMPolicy("m", server.url, attempts=1)
    for status in (400, 413, 422):
        server.queue = [server.error(status, told)]
        answer = policy(SPOKEN, TOOLS)
        assert (answer.note, answer.usage) == ("context_exhausted", llm_policy.UNUSED)
