"""Chat policies without a model: scripted, replayed, the reference, a person at a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from acoe_gym.cockpit.procedure import follow
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import RecordError
from acoe_gym.wrappers.llm.chat import Message
from acoe_gym.wrappers.llm.text_calls import RESPONSE

Tools = Sequence[Mapping[str, Any]]


def calling(calls: Iterable[tuple[str, object]], text: str = "", *, as_text: bool = False) -> Message:
    """Return an assistant message that makes calls; ids are left to the conversation.

    Args:
        calls: (tool, arguments); what is no object is passed on as it is.
        text: what is said beside them.
        as_text: write the calls into the text, as the text protocol wants them.
    """
    if as_text:
        tables = (json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls)
        written = [f"<tool_call>{table}</tool_call>" for table in tables]
        return {"role": "assistant", "content": "\n".join(filter(None, [text, *written]))}
    tool_calls = [
        {"type": "function", "function": {"name": name, "arguments": _written(arguments)}}
        for name, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": tool_calls}


def _written(arguments: object) -> object:
    return json.dumps(arguments) if isinstance(arguments, Mapping) else arguments


def _replies(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the replies in a history, in either protocol."""
    for message in messages:
        if message["role"] == "tool":
            yield message["content"]
        elif message["role"] == "user":
            yield from RESPONSE.findall(message["content"])


class ScriptedPolicy:
    """Gives prepared messages, one a turn; then texts without a call.

    Args:
        messages: assistant messages, or functions of the history that return one.
    """

    def __init__(
        self, messages: Iterable[Mapping[str, Any] | Callable[[Sequence[Message]], Mapping[str, Any]]]
    ) -> None:
        self._messages = list(messages)

    def __call__(self, messages: Sequence[Message], tools: Tools) -> Mapping[str, Any]:  # noqa: ARG002
        """Return the message whose turn it is, told by the history: one object serves many episodes."""
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn >= len(self._messages):
            return {"role": "assistant", "content": "I have nothing to add."}
        found = self._messages[turn]
        return found if isinstance(found, Mapping) else found(messages)


class ReplayPolicy(ScriptedPolicy):
    """Says and calls again what a record holds, without what a harness added."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        says = record.get("pilot", {}).get("turns", [])
        if says and len(says) != len(record["turns"]):
            raise RecordError(f"expected one text per turn, got {len(says)} for {len(record['turns'])} turns")
        says = says or [{}] * len(record["turns"])
        super().__init__(
            calling(_own(calls, said), said.get("text", ""))
            for calls, said in zip(record["turns"], says, strict=True)
        )


def _own(calls: Sequence[Mapping[str, Any]], said: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the model's own calls of a recorded turn, with a submit that a harness held back."""
    made = said.get("harness_calls", ())
    own = [(call["name"], call["arguments"]) for place, call in enumerate(calls) if place not in made]
    return own + [("submit", {})] * ("submit_blocked" in said.get("notes", ()))


class ReferencePolicy:
    """The handbook's list, flown through a conversation as a model flies it."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def __call__(self, messages: Sequence[Message], tools: Tools) -> Mapping[str, Any]:
        """Return the reference's next turn, given the replies in the history."""
        turns = follow(self._task)
        calls = next(turns)
        with suppress(StopIteration):  # a harness held its submit back
            for reply in _replies(messages):
                calls = turns.send([json.loads(reply.split("\n")[0])])
        return calling(calls, as_text=not tools)


class HumanPolicy:
    """Asks a person for the calls of a turn, in the form ``get_system component=rpm; submit``.

    Args:
        ask: shows a text and returns a line; ``input`` by default.
        show: shows a text; ``print`` by default.
    """

    def __init__(self, ask: Callable[[str], str] = input, show: Callable[[str], object] = print) -> None:
        self._ask = ask
        self._show = show

    def __call__(self, messages: Sequence[Message], tools: Tools) -> Mapping[str, Any]:
        """Show what came since the last turn and return what the person calls."""
        last = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=-1)
        for message in messages[last + 1 :]:
            self._show(str(message["content"]))
        line = self._ask("call> ")
        return calling((self._call(part) for part in line.split(";") if part.strip()), as_text=not tools)

    @staticmethod
    def _call(text: str) -> tuple[str, object]:
        name, *words = text.split()
        pairs = (word.partition("=") for word in words)
        return name, {key: value for key, _, value in pairs}
