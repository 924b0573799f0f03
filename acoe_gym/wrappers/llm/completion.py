"""Reads a chat completion as a server sent it: plain JSON, whatever is missing from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from acoe_gym.wrappers.llm.chat import AssistantMessage

# Of what a server calls its model, or the end of a reply.
LONGEST_NAME = 200


class TransientError(Exception):
    """The endpoint failed in a way that may pass.

    Args:
        message: what came.
        retry_after: seconds that it asks to wait, or None.
        unreachable: no connection could be made.
    """

    def __init__(self, message: str, retry_after: float | None = None, *, unreachable: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.unreachable = unreachable


def body_of(text: str) -> dict[str, Any]:
    """Return the body of a reply; TransientError where it is no JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise TransientError(f"expected a JSON body, got {text!r}") from None
    if not isinstance(found, dict):
        raise TransientError(f"expected a JSON object, got {text!r}")
    return found


def answer_of(body: Mapping[str, Any]) -> AssistantMessage:
    """Return the assistant message of a chat completion, as plain JSON.

    Raises:
        TransientError: the completion has no choice with a message.
    """
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    failed = choice.get("error") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping) or isinstance(failed, Mapping):
        got = json.dumps(failed or body.get("error") or body.get("choices"))
        raise TransientError(f"expected choices with a message, got {got}")
    model, finish = body.get("model"), choice.get("finish_reason") if isinstance(choice, Mapping) else None
    return AssistantMessage(
        message,
        model=model[:LONGEST_NAME] if isinstance(model, str) else None,
        finish=finish[:LONGEST_NAME] if isinstance(finish, str) else None,
        usage=usage_of(body.get("usage")),
    )


def usage_of(raw: object) -> dict[str, int | None] | None:
    """Return the tokens that a server counted; what it did not say is None, never 0.

    Some leave the tokens of thoughts out of the completion, though not out of the sum.
    """
    if not isinstance(raw, Mapping):
        return None
    details = raw.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    prompt, completion = _count(raw.get("prompt_tokens")), _count(raw.get("completion_tokens"))
    total = _count(raw.get("total_tokens"))
    if prompt is not None and completion is not None:
        completion = max(completion, (total or 0) - prompt)
        total = prompt + completion
    return {"prompt": prompt, "completion": completion, "cached": cached, "total": total}


def _count(raw: object) -> int | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str) and raw.strip().isascii() and raw.strip().isdigit() and len(raw) < 15:
        return int(raw)
    return int(raw) if isinstance(raw, int | float) and 0 <= raw < 10**15 else None
