"""The conversation between a chat policy and the cockpit: history, calls, replies.

It decides nothing about a call. It hands the cockpit what was asked for and keeps a history that a server
which checks every field accepts: ids are unique and each is answered, arguments are objects, no message of
the assistant is empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from acoe_gym.cockpit.episode import MAX_CALLS_PER_TURN, MAX_TURNS
from acoe_gym.cockpit.procedure import ToolCall
from acoe_gym.cockpit.tools import openai_tools
from acoe_gym.errors import UnknownName
from acoe_gym.wrappers.llm import text_calls
from acoe_gym.wrappers.llm.asked import Said, said, text_of
from acoe_gym.wrappers.llm.chat import ChatPolicy, Message, protocol
from acoe_gym.wrappers.llm.harness import AUDIT, PLAN, READBACK, Plan, instructions, parts_of

PROTOCOLS = ("tools", "text")
MISSING = (
    '{"ok":false,"error":{"code":"no_reply","message":"the replies of this turn were cut","legal":null}}'
)


class Conversation:
    """One episode seen from the model.

    Args:
        role: the role prompt.
        briefing: what the captain says.
        harness: name of a harness.
        protocol: ``tools`` for native function calling, ``text`` for calls in the text.
        echo: names of further fields of assistant messages to send back; ``("all",)`` for all.
        null_content: see `acoe_gym.wrappers.llm.asked.Said.message`.

    Attributes:
        messages: the history, as it is sent.
        turns: what a record keeps of each of the model's replies.
        model: the name that the server gave of the model, as far as it did.
        waiting: whether the last message's calls have not been answered yet.
    """

    def __init__(
        self,
        role: str,
        briefing: str,
        *,
        harness: str = "none",
        protocol: str = "tools",
        echo: Sequence[str] = (),
        null_content: bool = False,
    ) -> None:
        if protocol not in PROTOCOLS:
            raise UnknownName(f"expected a protocol of {', '.join(PROTOCOLS)}, got {protocol!r}")
        self._parts = parts_of(harness)
        self._text = protocol == "text"
        self._echo = tuple(echo)
        self._null_content = null_content
        added = [instructions(self._parts), text_calls.instructions() if self._text else ""]
        system = "\n\n".join([role, *filter(None, added)])
        self.messages: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": briefing},
        ]
        self.turns: list[dict[str, Any]] = []
        self.model: str | None = None
        self.waiting = False
        self._tools: list[dict[str, object]] = [] if self._text else openai_tools()
        self._ids: set[str] = set()
        self._plan = Plan()
        self._audited = False
        # Of the turn under way: what was said, and for each of its calls the places of its replies.
        self._said = Said("", "", [])
        self._places: list[list[int]] = []

    def ask(self, policy: ChatPolicy) -> list[ToolCall]:
        """Have the policy speak and return the calls to run; what it raises is passed on, nothing changed."""
        return self.hear(policy(self.messages, self._tools))

    def hear(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """Take an assistant message in and return the calls to run, a harness's among them."""
        # In the text protocol nothing is a call but what stands in the text.
        heard = {k: v for k, v in message.items() if k != "tool_calls" or not self._text}
        found = self._said = said(heard, self._ids, self._echo)
        if self._text:
            text_calls.find_calls(found, text_of(message.get("content")))
        if self._parts & {PLAN, AUDIT}:
            self._plan.hear(found.text)
        self.messages.append(self._history(found))
        calls, marked = self._to_run(found)
        self.waiting = True
        if not found.calls:
            found.note(getattr(message, "note", None) or "no_call")
        self.model = getattr(message, "model", None) or self.model
        self.turns.append(
            {
                "text": found.text,
                **({"reasoning": found.reasoning} if found.reasoning else {}),
                "finish": getattr(message, "finish", None),
                "usage": getattr(message, "usage", None),
                "notes": found.notes,
                "harness_calls": marked,
            }
        )
        return calls

    def _history(self, found: Said) -> Message:
        if self._text:
            return {**found.echo, "role": "assistant", "content": found.text or protocol()["empty"]}
        return found.message(null_content=self._null_content)

    def _to_run(self, found: Said) -> tuple[list[ToolCall], list[int]]:
        """Return the calls of a turn with a harness's between them, and the places of these."""
        room = MAX_CALLS_PER_TURN - len(found.calls)
        # With its last turn held back the model could never submit.
        blocks = AUDIT in self._parts and not self._audited and len(self.turns) + 1 < MAX_TURNS
        calls: list[ToolCall] = []
        marked: list[int] = []
        self._places = []
        for asked in found.calls:
            if asked.name == "submit" and blocks:
                self._places.append([])
                continue
            self._places.append([len(calls)])
            calls.append((asked.name, asked.arguments))
            component = _written(asked.name, asked.arguments)
            if READBACK in self._parts and room > 0 and component is not None:
                marked.append(len(calls))
                self._places[-1].append(len(calls))
                calls.append(("get_system", {"component": component}))
                room -= 1
        return calls, marked

    def answer(self, replies: Sequence[str]) -> None:
        """Put the replies to the calls that `ask` returned into the history, one each, in order."""
        self.waiting = False
        texts: list[str] = []
        for asked, places in zip(self._said.calls, self._places, strict=True):
            found = [replies[place] if place < len(replies) else MISSING for place in places]
            for tool, reply in zip([asked.name, "get_system"], found, strict=False):
                self._plan.see(tool, _parsed(reply))
            texts.append("\n".join(found) if places else self._block())
        if self._text:
            self._tell(text_calls.responses(texts) if texts else protocol()["nudge"])
        else:
            self.messages += [
                {"role": "tool", "tool_call_id": asked.id, "content": text}
                for asked, text in zip(self._said.calls, texts, strict=True)
            ]
            if not texts:
                self._tell(protocol()["nudge"])
        if PLAN in self._parts:
            self._tell(self._plan.shown())

    def _block(self) -> str:
        """Answer a submit that is held back: the first one of an episode."""
        self._audited = True
        self._said.note("submit_blocked")  # its notes are those of the turn
        return self._plan.audit()

    def _tell(self, text: str) -> None:
        """Add to what the model is told; some servers take no user after a tool or another user."""
        if self.messages[-1]["role"] == "assistant":
            self.messages.append({"role": "user", "content": text})
        else:
            self.messages[-1]["content"] += f"\n\n{text}"


def _written(name: object, arguments: object) -> str | None:
    """Return the component that a call writes, if it is a write."""
    component = arguments.get("component") if isinstance(arguments, dict) else None
    return component if name == "set_system" and isinstance(component, str) else None


def _parsed(reply: str) -> dict[str, Any]:
    try:
        found = json.loads(reply)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
