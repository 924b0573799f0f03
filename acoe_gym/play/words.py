"""Calls and replies in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from acoe_gym.cockpit.console import Call
from acoe_gym.cockpit.domains import shown
from acoe_gym.cockpit.world import Component
from acoe_gym.play.session import DARK, NO_LINES, Exchange

Components = Mapping[str, Component]


def exchange_lines(exchange: Exchange, components: Components, *, raw: bool = False) -> list[str]:
    """Return a turn in words, a line or more per call.

    Args:
        exchange: the turn.
        components: those of the aircraft, for their labels.
        raw: put the JSON of each call and reply below it.
    """
    lines: list[str] = []
    for call in exchange.calls:
        answer = reply_lines(call, components)
        head = f"{call_words(call, components)}:"
        lines += [f"{head} {answer[0]}"] if len(answer) == 1 else [head, *(f"  {line}" for line in answer)]
        lines += [f"  > {call.tool} {call.arguments}", f"  < {call.reply}"] if raw else []
    return lines


def call_words(call: Call, components: Components) -> str:
    """Return what was asked for."""
    arguments = json.loads(call.arguments)
    named = arguments if isinstance(arguments, dict) else {}
    component = named.get("component")
    if call.tool == "get_system" and component is not None:
        return label(component, components)
    if call.tool == "set_system" and component is not None:
        return f"set {label(component, components)} to {plain(named.get('value'))}"
    told = ", ".join(f"{key} {plain(value)}" for key, value in named.items())
    return f"{call.tool} ({told})" if told else call.tool


def label(name: object, components: Components) -> str:
    """Return a component's label and id; several components of an aircraft may share a label."""
    known = components.get(name) if isinstance(name, str) else None
    return plain(name) if known is None else f"{known.label} ({known.id})"


def plain(value: object) -> str:
    """Return a value of JSON without its quotes, short and ASCII only."""
    text = shown(value)
    return text[1:-1] if isinstance(value, str) and text[:1] == text[-1:] else text


def reply_lines(call: Call, components: Components) -> list[str]:
    """Return what was answered, at least one line."""
    reply = json.loads(call.reply)
    if not reply["ok"]:
        return [f"not done: {reply['error']['message']}"]
    if call.tool == "get_system":
        return [_reading(reply)]
    if call.tool == "set_system":
        unit = components[reply["component"]].unit
        return [f"done, set to {reply['set']} {unit}".rstrip()]
    if call.tool == "submit":
        return ["the task has ended"]
    asked = {"ok": True, **json.loads(call.arguments)}
    rest = {key: value for key, value in reply.items() if key not in asked or not _same(asked[key], value)}
    return [_scalar(rest["raw"])] if set(rest) == {"raw"} else list(_told(rest)) or ["nothing"]


def _same(asked: object, answered: object) -> bool:
    """Tell whether a part of a reply only repeats an argument, whose letters may be of another case."""
    return str(asked).casefold() == str(answered).casefold()


def _reading(reply: Mapping[str, object]) -> str:
    value = reply["value"]
    if value is None:
        return f"{DARK}, no power"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or NO_LINES
    return f"{value} {reply.get('unit', '')}".rstrip()


def _told(value: object, indent: str = "") -> Iterator[str]:
    """Yield an informational reply: a line per entry, what is nested below it."""
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, dict | list) and item:
                yield f"{indent}{key}:"
                yield from _told(item, f"{indent}  ")
            else:
                yield f"{indent}{key}: {_scalar(item)}"
    elif isinstance(value, list):
        for item in value:
            yield f"{indent}- {_row(item)}"


def _row(item: object) -> str:
    if isinstance(item, dict):
        return ", ".join(f"{key} {_scalar(part)}" for key, part in item.items())
    return _scalar(item)


def _scalar(item: object) -> str:
    if item is None or item in ([], {}):
        return "none"
    if isinstance(item, bool):
        return "yes" if item else "no"
    return str(item) if isinstance(item, str | int | float) else json.dumps(item)
