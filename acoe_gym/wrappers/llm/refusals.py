"""What an endpoint says when it refuses a request, and whose doing that is."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

# No refusal says anything in more bytes, or in a longer time.
MOST_BYTES, LONGEST_S = 64_000, 10.0
# A server that asks to wait a day means something else.
ABSURD_S = 86_400
# How servers word it that a history is too long for the model.
CONTEXT = re.compile(
    r"context[ _](length|window|size|limit)|maximum context|exceeds? the (available )?context"
    r"|(prompt|input) is too long|(maximum|max) (prompt|input|model) length|exceeded model token limit"
    r"|exceeds? the maximum number of (input )?tokens|max_new_tokens`? must be|prompt exceeds max length"
    r"|max_tokens must be at least 1, got -|range of input length|must have less than \d+ tokens",
    re.IGNORECASE,
)
# How servers word it that the model wrote a call which they could not read; some take it for their own fault.
CALL = re.compile(r"tool_use_failed|error parsing tool call|failed to parse input at pos", re.IGNORECASE)


class Refused(Exception):
    """An answer that is none, its body read as far as it came.

    Attributes:
        status: of HTTP.
        headers: names in lower case.
        told: what the endpoint said, with its code.
    """

    def __init__(self, status: int, headers: Mapping[str, str], text: str) -> None:
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.told = _told(text)
        super().__init__(f"HTTP {status}: {self.told}")

    def retry_after(self) -> float | None:
        """Return the seconds that it asks to wait, said in any of three ways; None if it does not."""
        for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            text = self.headers.get(name, "")
            try:
                wait = float(text) * scale
            except ValueError:
                wait = _until(text)
            if 0 <= wait < ABSURD_S:
                return wait
        return None

    def by_the_model(self, *, begun: bool) -> str | None:
        """Return what the model did for its request to be refused, None where the refusal is not its doing.

        Args:
            begun: whether it has spoken before. A context that the opening alone fills is a matter of the
                endpoint's settings.
        """
        if self.status in (400, 413, 422, 500) and CALL.search(self.told):
            return "call_refused"
        full = self.status in (400, 413, 422) and begun and CONTEXT.search(self.told)
        return "context_exhausted" if full else None


def read_refusal(response: Any) -> None:
    """Raise Refused unless a response is an answer: a hook of the SDK's client, which reads without limit."""
    if response.is_success or response.has_redirect_location:
        return
    whole, ends = bytearray(), time.monotonic() + LONGEST_S
    try:
        for part in response.iter_bytes():
            whole += part
            if len(whole) > MOST_BYTES or time.monotonic() > ends:
                break
    except Exception:  # noqa: BLE001, S110 - what came must do; the client differs between SDKs
        pass
    raise Refused(response.status_code, response.headers, whole.decode("utf-8", "replace"))


def _told(text: str) -> str:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text or "no reason given"
    error = body.get("error", body) if isinstance(body, Mapping) else body
    message = error.get("message", error) if isinstance(error, Mapping) else error
    code = error.get("code") if isinstance(error, Mapping) else None
    return f"{message}{f' ({code})' if code else ''}"


def _until(date: str) -> float:
    """Return the seconds until a date as HTTP writes it, and -1 if it is none."""
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError, OSError):
        return -1.0
