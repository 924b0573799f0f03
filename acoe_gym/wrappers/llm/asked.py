"""What an assistant message asks for, however broken it is: text, reasoning and calls.

Nothing here judges a call: that is the cockpit's work. Only what the cockpit could not be told is settled:
which text is an object of arguments, which id a reply goes to, and what a strict server accepts as history.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from acoe_gym.wrappers.llm.chat import Message, protocol

CUT = " [... cut]"
# What no strict server accepts in the name of a function.
NAME = re.compile(r"[^A-Za-z0-9_-]")
# Ids are kept as far as possible: some models expect their own form back, such as functions.get_system:0.
ID = re.compile(r"[!-~]{1,64}")
REASONING = ("reasoning_content", "reasoning")
# The fields that are always sent back, of a message and of a call; all others only on request.
OWN, OWN_OF_CALLS = ("role", "content", "tool_calls"), ("id", "type", "function")
# Of a field that is echoed; a signature of a thought can be long.
LONGEST_ECHO = 1_000_000
# Stands for arguments longer than any text that is kept.
TOO_LONG = "(arguments too long)"


@dataclass
class Asked:
    """One call as a model asked for it.

    Attributes:
        id: unique in the conversation.
        name: as asked for.
        arguments: an object where one could be read, else what came.
        echo: other fields of the call that are sent back.
    """

    id: str
    name: Any
    arguments: Any
    echo: Message = field(default_factory=dict)


@dataclass
class Said:
    """An assistant message, taken apart.

    Attributes:
        text: the content, cut at the protocol's length.
        reasoning: what reasoning text came beside it; never shown to the cockpit.
        calls: the calls, in order.
        notes: what was unusual: ``malformed_arguments``, ``repaired_arguments``, ``new_id``, ...
        echo: other fields of the message that are sent back.
    """

    text: str
    reasoning: str
    calls: list[Asked]
    notes: list[str] = field(default_factory=list)
    echo: Message = field(default_factory=dict)

    def note(self, what: str) -> None:
        """Note something once."""
        if what not in self.notes:
            self.notes.append(what)

    def message(self, *, null_content: bool = False) -> Message:
        """Return the message as it is sent back: valid for a server that checks every field.

        Args:
            null_content: where a message only makes calls its content is null, else an empty text. Most
                servers take either; some refuse the one, some the other.
        """
        calls = [
            {
                **c.echo, "id": c.id, "type": "function",
                "function": {"name": _legal(c.name), "arguments": _object(c)},
            }
            for c in self.calls
        ]  # fmt: skip
        silent = (None if null_content else "") if calls else protocol()["empty"]
        message = {**self.echo, "role": "assistant", "content": self.text or silent}
        return {**message, **({"tool_calls": calls} if calls else {})}


def said(message: Mapping[str, Any], taken: set[str], echo: tuple[str, ...] = ()) -> Said:
    """Take an assistant message apart.

    Args:
        message: as a policy returned it; nothing about it is relied upon.
        taken: ids used so far; those of this message are added.
        echo: names of further fields of it and of its calls to send back, or ``("all",)``.
    """
    most = int(protocol()["max_text"])
    raw = message.get("tool_calls")
    entries = list(raw) if isinstance(raw, list | tuple) else []
    reasoning = next((t for name in REASONING if (t := text_of(message.get(name)))), "")
    found = Said(_cut(text_of(message.get("content")), most), _cut(reasoning, most), [])
    found.echo = _echoed(message, OWN, echo, found)
    limit = int(protocol()["max_calls_per_reply"])
    if len(entries) > limit:
        found.note("too_many_calls_dropped")
    for entry in entries[:limit]:
        found.calls.append(_call(entry, taken, echo, found))
    return found


def _echoed(table: Mapping[str, Any], own: Container[str], echo: tuple[str, ...], found: Said) -> Message:
    """Return the further fields that are sent back, as far as a request can hold them."""
    wanted = {k: v for k, v in table.items() if k not in own and (k in echo or "all" in echo)}
    kept = {k: v for k, v in wanted.items() if _can_be_sent(v)}
    if len(kept) < len(wanted):
        found.note("echo_dropped")
    return kept


def text_of(content: object) -> str:
    """Return the text of a content: a text, a list of parts, or anything else as nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        parts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _can_be_sent(value: object) -> bool:
    """Tell whether a request can hold a value: no lone surrogate, no NaN, not too deep, not endless."""
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")) <= LONGEST_ECHO
    except (ValueError, TypeError, RecursionError):
        return False


def _cut(text: str, most: int) -> str:
    # Lone surrogates can be in no request.
    clean = text.encode("utf-8", "replace").decode("utf-8")
    if not clean.strip():  # blanks are no text to a strict server
        return ""
    return clean if len(clean) <= most else clean[: most - len(CUT)] + CUT


def _call(entry: object, taken: set[str], echo: tuple[str, ...], found: Said) -> Asked:
    """Return one entry of ``tool_calls``; whatever is missing is replaced by what the cockpit will reject."""
    table = entry if isinstance(entry, Mapping) else {}
    function = table.get("function")
    inner = function if isinstance(function, Mapping) else {}
    arguments, note = read_arguments(inner.get("arguments"))
    if note:
        found.note(note)
    name, further = inner.get("name"), _echoed(table, OWN_OF_CALLS, echo, found)
    return Asked(_fresh(table.get("id"), taken, found), name, arguments, further)


def _fresh(given: object, taken: set[str], found: Said) -> str:
    """Return the id of a call if it can stand, else a new one of nine letters and digits."""
    if isinstance(given, str) and ID.fullmatch(given) and given not in taken:
        taken.add(given)
        return given
    found.note("new_id")
    number = len(taken) + 1
    while f"call{number:05d}" in taken:
        number += 1
    taken.add(f"call{number:05d}")
    return f"call{number:05d}"


def read_arguments(raw: object) -> tuple[Any, str | None]:
    """Return the arguments of a call, and what was unusual about them.

    An object followed by nothing but stray quotes is that object: some servers send ``{}""`` where a tool has
    no arguments. All else that is no object goes to the cockpit as it came, which rejects it.
    """
    if isinstance(raw, Mapping):
        short = len(_dumped(raw)) <= int(protocol()["max_text"])
        return (dict(raw), "arguments_not_text") if short else (TOO_LONG, "malformed_arguments")
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}, None
    if not isinstance(raw, str):
        return raw, "malformed_arguments"
    if len(raw) > int(protocol()["max_text"]):
        return TOO_LONG, "malformed_arguments"
    try:
        value, end = _STRICT.raw_decode(raw.strip())
    except (ValueError, RecursionError):
        return raw, "malformed_arguments"
    rest = raw.strip()[end:]
    if not isinstance(value, dict) or rest.strip(" \"'"):
        return raw, "malformed_arguments"
    return value, "repaired_arguments" if rest else None


def _dumped(value: object) -> str:
    try:
        return json.dumps(value, default=str)
    except (ValueError, RecursionError):
        return ""  # the cockpit bounds what is too deep


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# Making a decoder takes longer than reading the arguments of a call.
_STRICT = json.JSONDecoder(parse_constant=_no_constant)


def _legal(name: object) -> str:
    """Return the name of a call as history may hold it."""
    text = name if isinstance(name, str) else ""
    return NAME.sub("_", text)[:64] or "unnamed"


def _object(call: Asked) -> str:
    """Return the arguments as the text of a JSON object; what was none is an empty one in the history."""
    sound = isinstance(call.arguments, dict) and _can_be_sent(call.arguments)
    return json.dumps(call.arguments) if sound else "{}"
