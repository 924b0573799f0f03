"""The conversation: whatever a model says, the history stays sound and the episode goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acoe_gym.benchmark.models import Model
from acoe_gym.benchmark.records import record_of
from acoe_gym.benchmark.replay import replay
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import MAX_TURNS
from acoe_gym.cockpit.protocol import briefing, role_prompt
from acoe_gym.cockpit.text import canonical
from acoe_gym.cockpit.tools import NAMES, openai_tools
from acoe_gym.errors import UnknownName
from acoe_gym.wrappers.llm.chat import AssistantMessage, protocol
from acoe_gym.wrappers.llm.conversation import Conversation
from acoe_gym.wrappers.llm.harness import HARNESSES
from acoe_gym.wrappers.llm.policies import ReplayPolicy, ScriptedPolicy, calling

Check = Callable[..., str | None]
TASK = library.task("c172s/engine_restart/stopped_prop_left_tank")
READ = ("get_system", {"component": "rpm"})
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
COMPONENTS = st.sampled_from(["rpm", "mixture", "MIXTURE", " fuel_pump ", "flux", ""])
ARGUMENTS = st.fixed_dictionaries({"component": COMPONENTS}, optional={"value": JUNK | st.just("ON")})
FUNCTION = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([*NAMES, "submit", "functions.submit", "x" * 99]) | JUNK,
        "arguments": JUNK
        | ARGUMENTS
        | ARGUMENTS.map(json.dumps)
        | st.sampled_from(['{}""', "{", "[]", "", "null"]),
    },
)
CALL = JUNK | st.fixed_dictionaries(
    {}, optional={"id": JUNK | st.sampled_from(["c1", "c2"]), "type": JUNK, "function": FUNCTION | JUNK}
)
WORDS = st.sampled_from(
    [
        "TODO: read", "DONE: read", "<think>hm</think>", '<tool_call>{"name": "submit"}</tool_call>',
        '<tool_call>{"name": "get_system", "arguments": {"component": "rpm"}}</tool_call>',
        "<tool_call>{", "\ud800", "", "\n", " ",
    ]
)  # fmt: skip
TEXT = JUNK | st.lists(WORDS, max_size=4).map("\n".join)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": JUNK,
        "content": TEXT | st.lists(st.fixed_dictionaries({"type": JUNK, "text": TEXT}), max_size=2),
        "tool_calls": JUNK
        | st.lists(CALL, max_size=4)
        | st.just([{"function": {"name": "get_system"}}] * 70),
        "reasoning_content": JUNK,
        "refusal": JUNK,
        "x": JUNK,
    },
)


def talk(**how: Any) -> Conversation:
    return Conversation(role_prompt(), briefing(TASK), **how)


@pytest.mark.parametrize("mode", ["tools", "text"])
@pytest.mark.parametrize("harness", ["none", "full"])
def test_whatever_a_model_says_the_history_is_sound_and_the_record_replays(
    check: Check, mode: str, harness: str
) -> None:
    model = Model("m", protocol=mode, harness=harness, echo=("all",))

    @settings(max_examples=60)
    @given(st.lists(MESSAGE, max_size=6))
    def holds(said: list[dict[str, Any]]) -> None:
        asked: list[int] = []

        def policy(messages: Any, tools: Any) -> Any:
            assert check(messages, None) is None
            asked.append(len(messages))
            return said[len(asked) - 1] if len(asked) <= len(said) else calling([SUBMIT], as_text=not tools)

        flown = model.fly(policy, TASK)
        assert flown.episode.end in ("submitted", "truncated")
        assert len(asked) == len(flown.episode.turns) <= MAX_TURNS
        record = record_of(flown.episode, trial=0, policy="m", policy_seed=0, suite="core", pilot=flown.pilot)
        assert json.loads(canonical(record)) == record
        assert replay(record).identical

    holds()


@pytest.mark.parametrize("harness", HARNESSES)
def test_whatever_was_called_is_called_alike_from_its_record(harness: str) -> None:
    model = Model("m", harness=harness)

    @settings(max_examples=40)
    @given(st.lists(MESSAGE, max_size=5))
    def holds(said: list[dict[str, Any]]) -> None:
        flown = model.fly(ScriptedPolicy([*said, *[calling([SUBMIT])] * 2]), TASK)
        record = record_of(flown.episode, trial=0, policy="m", policy_seed=0, suite="core", pilot=flown.pilot)
        again = model.fly(ReplayPolicy(record), TASK)
        assert again.episode.hash() == flown.episode.hash()
        assert again.episode.log == flown.episode.log

    holds()


def test_it_begins_with_the_role_and_the_briefing_and_the_tools() -> None:
    seen: list[Any] = []

    def policy(messages: Any, tools: Any) -> Any:
        seen.extend([json.loads(json.dumps(messages)), tools])
        return {}

    talk().ask(policy)
    assert seen == [
        [{"role": "system", "content": role_prompt()}, {"role": "user", "content": briefing(TASK)}],
        openai_tools(),
    ]


def test_a_model_that_was_named_once_stays_named() -> None:
    talk = Conversation("role", "briefing")
    for model in (None, "first", None):
        talk.hear(AssistantMessage({"content": "hm"}, model=model))
        talk.answer([])
    assert talk.model == "first"


def test_a_turn_is_told_as_it_was_said_and_replied() -> None:
    conversation = talk()
    message = calling([READ], "I read.")
    assert conversation.hear(message) == [READ]
    conversation.answer(['{"ok":true}'])
    spoken, reply = conversation.messages[2:]
    assert spoken == {
        "role": "assistant",
        "content": "I read.",
        "tool_calls": [
            {
                "id": "call00001",
                "type": "function",
                "function": {"name": "get_system", "arguments": '{"component": "rpm"}'},
            }
        ],
    }
    assert reply == {"role": "tool", "tool_call_id": "call00001", "content": '{"ok":true}'}


def test_a_turn_without_calls_is_followed_by_the_nudge() -> None:
    conversation = talk()
    assert conversation.hear({"content": "Hm."}) == []
    conversation.answer([])
    assert conversation.messages[2:] == [
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": protocol()["nudge"]},
    ]
    assert conversation.turns[0]["notes"] == ["no_call"]


def test_replies_that_did_not_come_are_told_to_be_missing(check: Check) -> None:
    conversation = talk()
    conversation.hear(calling([READ, READ]))
    conversation.answer(['{"ok":true}'])
    assert check(conversation.messages) is None
    assert json.loads(conversation.messages[-1]["content"])["error"]["code"] == "no_reply"


def test_an_endpoint_that_fails_changes_nothing() -> None:
    conversation = talk()

    def fails(messages: Any, tools: Any) -> Any:
        raise ConnectionError

    before = list(conversation.messages)
    with pytest.raises(ConnectionError):
        conversation.ask(fails)
    assert (conversation.messages, conversation.turns, conversation.waiting) == (before, [], False)


def test_the_text_protocol_needs_no_tools_and_no_role_of_tools(check: Check) -> None:
    seen: list[Any] = []

    def policy(messages: Any, tools: Any) -> Any:
        seen[:] = [json.loads(json.dumps(messages)), list(tools)]
        return calling([READ], "Look.", as_text=True) if len(messages) == 2 else {}

    model = Model("m", protocol="text")
    model.fly(policy, TASK)
    messages, tools = seen
    assert tools == []
    assert {message["role"] for message in messages} == {"system", "user", "assistant"}
    assert check(messages) is None
    assert messages[3]["content"] == (
        '<tool_response>{"ok":true,"component":"rpm","value":0,"unit":"RPM"}</tool_response>'
    )


def test_native_calls_are_none_in_the_text_protocol() -> None:
    conversation = talk(protocol="text")
    assert conversation.hear(calling([SUBMIT])) == []
    assert "tool_calls" not in conversation.messages[-1]


def test_text_is_no_call_in_native_function_calling() -> None:
    assert talk().hear(calling([SUBMIT], as_text=True)) == []


def test_an_unknown_protocol_or_harness_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="expected a protocol of tools, text, got 'xml'"):
        talk(protocol="xml")
    with pytest.raises(UnknownName, match="none, plan, readback, audit, full, got 'pln'; nearest: plan"):
        talk(harness="pln")
