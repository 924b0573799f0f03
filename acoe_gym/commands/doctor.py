"""The command ``acoe doctor``: what an endpoint can do, found out by asking it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from acoe_gym.cockpit.tools import openai_tools
from acoe_gym.commands.arguments import pairs
from acoe_gym.commands.run import json_object
from acoe_gym.errors import InfrastructureError
from acoe_gym.wrappers.llm.asked import Said, said
from acoe_gym.wrappers.llm.chat import Message
from acoe_gym.wrappers.llm.llm_policy import LLMPolicy

SYSTEM = "You are asked to call tools."
TWO = "In one single reply call get_system twice: with component rpm, and with component ias."
# Long, so that the count of prompt tokens tells whether it reached the model.
REPLY = json.dumps(
    {"ok": True, "component": "rpm", "value": 2300, "also": {f"gauge_{n}": n for n in range(100)}}
)
FEWEST_TOKENS = 100


class Finding(NamedTuple):
    """One thing that was found out; ``good`` is None where it only informs."""

    what: str
    good: bool | None
    told: str


def add_doctor_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--model", required=True, metavar="NAME")
    parser.add_argument(
        "--base-url", metavar="URL", help="of an OpenAI-compatible endpoint; key: ACOE_API_KEY"
    )
    parser.add_argument(
        "--param", action="append", default=[], metavar="K=V", help="argument of each request"
    )
    parser.add_argument("--extra-body", metavar="JSON", help="fields that only this endpoint knows")


def doctor_command(args: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Ask the endpoint and return the exit code: 0 if models can be flown with native function calling."""
    extra = json_object(args.extra_body, "--extra-body")
    policy = LLMPolicy(args.model, args.base_url, params=pairs(args.param), extra_body=extra, attempts=2)
    findings = []
    for finding in examine(policy):
        mark = {True: "ok  ", False: "FAIL", None: "    "}[finding.good]
        say(f"{mark}  {finding.what:<32}{finding.told}")
        findings.append(finding)
    return 1 if any(finding.good is False for finding in findings) else 0


def examine(
    policy: Callable[[list[Message], list[dict[str, object]]], Mapping[str, Any]],
) -> Iterator[Finding]:
    """Yield what is found out of an endpoint; it stops where nothing more can be."""
    # Some endpoints refuse a system message, and every episode begins with one.
    history: list[Message] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TWO}]
    try:
        message = policy(history, openai_tools())
    except InfrastructureError as error:
        yield Finding("answers", False, str(error))
        return
    yield Finding("answers", True, f"as {getattr(message, 'model', None) or 'a model without a name'}")
    found = said(message, set(), ("all",))
    yield from _one(message, found)
    if not found.calls:
        return
    replies = [{"role": "tool", "tool_call_id": c.id, "content": REPLY} for c in found.calls]
    plain = replace(found, echo={}, calls=[replace(call, echo={}) for call in found.calls])
    forms = {
        "yes": plain.message(),
        "only with null content: add --null-content": plain.message(null_content=True),
    }
    if _further(found):
        forms["only with all its fields: add --echo all"] = found.message()
    before = (getattr(message, "usage", None) or {}).get("prompt")
    yield from _more(policy, {told: [*history, form, *replies] for told, form in forms.items()}, before)


def _one(message: Mapping[str, Any], found: Said) -> Iterator[Finding]:
    """Yield what one reply shows."""
    names = [str(call.name) for call in found.calls]
    hint = "none came; look for a server setting such as --enable-auto-tool-choice, or use --protocol text"
    yield Finding("calls a tool", bool(names), ", ".join(names) or hint)
    if names:
        sound = "malformed_arguments" not in found.notes
        yield Finding("arguments are an object", sound, str(found.calls[0].arguments)[:60])
        several = "yes" if len(names) > 1 else "1 came where two were asked for: one call a turn will do"
        yield Finding("several calls in one reply", None, several)
        fresh = "new_id" in found.notes
        yield Finding("calls have ids", None, "missing or unusable: new ones are given" if fresh else "yes")
    if found.notes:
        yield Finding("notes", None, ", ".join(found.notes))
    finish = getattr(message, "finish", None)
    yield Finding("finish_reason", None, f"{finish}; nothing is decided by it")
    usage = getattr(message, "usage", None)
    yield Finding("counts tokens", None, _tokens(usage))
    if further := _further(found):
        yield Finding("further fields", None, f"{', '.join(further)}; dropped, unless --echo names them")


def _further(found: Said) -> list[str]:
    """Return the names of further fields, of the message and of its calls."""
    return sorted({*found.echo, *(name for call in found.calls for name in call.echo)})


def _reach(before: int | None, after: int | None) -> Iterator[Finding]:
    """Yield whether the replies of tools reach the model, which the template of a server may leave out."""
    if before is None or after is None:
        return
    more = after - before
    told = f"{more} more prompt tokens after a reply of {len(REPLY):,} characters"
    hint = "" if more >= FEWEST_TOKENS else "; the server's chat template leaves them out"
    yield Finding("replies reach the model", more >= FEWEST_TOKENS, told + hint)


def _tokens(usage: Mapping[str, int | None] | None) -> str:
    if not usage or usage["total"] is None:
        return "no: tokens will be unknown"
    return ", ".join(f"{key} {'unknown' if value is None else value}" for key, value in usage.items())


def _more(
    policy: Callable[[list[Message], list[dict[str, object]]], Mapping[str, Any]],
    histories: Mapping[str, list[Message]],
    before: int | None,
) -> Iterator[Finding]:
    """Yield what a second request shows: whether a history with replies is taken, and reaches the model.

    Args:
        policy: the endpoint.
        histories: what to say of it -> history with the model's message in one form; the default first.
        before: prompt tokens of the first request, as far as they are known.
    """
    what = "takes a history with replies"
    error: InfrastructureError | None = None
    for told, sent in histories.items():
        try:
            message = policy(sent, openai_tools())
        except InfrastructureError as failed:
            error = error or failed
            continue
        if note := getattr(message, "note", None):
            error = error or InfrastructureError(f"the endpoint refused it: {note}")
            continue
        yield Finding(what, True, told)
        yield from _reach(before, (getattr(message, "usage", None) or {}).get("prompt"))
        return
    yield Finding(what, False, str(error))
