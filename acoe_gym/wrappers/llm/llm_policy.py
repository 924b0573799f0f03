"""`LLMPolicy`: a model behind an OpenAI-compatible endpoint as a chat policy."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from acoe_gym.errors import InfrastructureError, MissingExtra
from acoe_gym.wrappers.llm.chat import AssistantMessage, Message, protocol
from acoe_gym.wrappers.llm.completion import TransientError, answer_of, body_of

if TYPE_CHECKING:
    from tenacity import RetryCallState

# The second goes to OpenAI alone: another endpoint is not sent a key that was not meant for it.
KEY, OPENAI_KEY = "ACOE_API_KEY", "OPENAI_API_KEY"
# A local server wants none, and the SDK wants one.
NO_KEY = "no-key"
OPENAI = "https://api.openai.com/v1"
# What is not the user's to set, neither as a parameter nor in the body; headers and queries may be secret.
OURS = ("messages", "model", "stream", "tools", "timeout", "extra_body", "extra_headers", "extra_query")
# Of a message that an error repeats so many characters are shown.
MOST_TOLD = 300
# A server that asks to wait a day means something else.
ABSURD_S = 86_400
# How servers word it that a history is too long for the model.
CONTEXT = re.compile(
    r"context[ _](length|window|size|limit)|maximum context|exceeds? the (available )?context"
    r"|(prompt|input) is too long|(maximum|max) (prompt|input) length"
    r"|exceeds? the maximum number of (input )?tokens|max_new_tokens`? must be",
    re.IGNORECASE,
)
# What is sent only where tools are.
WITH_TOOLS = ("tool_choice", "parallel_tool_calls")
# A shorter key may be part of any word, so it is not blotted out of messages.
SHORTEST_SECRET = 8
# Waits between attempts where the server names none: 1 s, doubled each time.
FIRST_WAIT_S, LONGEST_STEP_S = 1, 60
# A model may think for long; a host that is there answers at once.
CONNECT_TIMEOUT_S = 10.0
# An endpoint that never answered is tried so often: more likely than busy it is not there.
ATTEMPTS_TO_REACH = 3
# No reply of a chat model is longer.
MOST_BYTES = 32_000_000


class LLMPolicy:
    """Maps (messages, tools) to an assistant message by asking an endpoint.

    One object may serve many episodes at once. The key is read from the environment (``ACOE_API_KEY``, and
    without a ``base_url`` else ``OPENAI_API_KEY``) and stands in no record. Connection errors, time-outs,
    408, 409, 429, 5xx, replies without ``choices`` and bodies that are no JSON are retried, as long after as
    the server asks for. A refusal that is the model's own doing, as its context is full or its call was
    none, is an empty message with a note: it costs a turn.

    Args:
        model: the name that the endpoint knows the model by.
        base_url: of the endpoint, such as ``http://localhost:8000/v1``; OpenAI's by default. Its query is
            sent with every request.
        params: further arguments of the request, such as ``{"temperature": 0}``.
        extra_body: fields that the SDK does not know, such as ``{"top_k": 1}``.
        timeout: of one attempt, in seconds, however slowly its reply trickles in.
        attempts: per request.

    Raises:
        MissingExtra: openai or tenacity is not installed.
        InfrastructureError: the address is none, or ``params`` holds what is not the user's to set.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        attempts: int | None = None,
    ) -> None:
        try:
            import openai  # noqa: PLC0415 - optional
            import tenacity  # noqa: PLC0415
        except ImportError:
            raise MissingExtra('LLMPolicy needs: pip install "acoe_gym[llm]"') from None
        defaults = protocol()
        address, query = endpoint(base_url)
        for name in OURS:
            if name in (params or {}) or name in (extra_body or {}):
                raise InfrastructureError(f"{model}: the parameter {name} cannot be set", fatal=True)
        self.model = model
        self._params = {**_sent_by_default(defaults), **(params or {})}
        self._extra = dict(extra_body or {})
        self._openai = openai
        self._attempts = attempts or int(defaults["attempts_per_request"])
        self._longest = float(defaults["longest_wait_s"])
        self._timeout = timeout or float(defaults["timeout_s"])
        self._reached = False
        self._address = address.rpartition("@")[2]
        self._tenacity = tenacity
        names = (KEY,) if base_url else (KEY, OPENAI_KEY)
        key = _key(names)
        self._secrets = [key, *query.values(), *_user(base_url)]
        self._client = openai.OpenAI(
            api_key=key,
            base_url=address,
            default_query=query,
            max_retries=0,
            timeout=openai.Timeout(self._timeout, connect=CONNECT_TIMEOUT_S),
        )
        if base_url:  # the SDK takes these from the environment, for OpenAI
            self._client.organization = self._client.project = None
        # All threads wait when the endpoint has told one of them to.
        self._gate = threading.Lock()
        self._open_at = 0.0

    def __call__(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> AssistantMessage:
        """Ask the endpoint.

        Raises:
            InfrastructureError: no usable answer came, in as many attempts as are made.
        """
        # As extra_body the SDK does not walk through the whole history, which takes it most of a request.
        body: dict[str, Any] = {**self._extra, "messages": list(messages)}
        if tools:
            body["tools"] = list(tools)
        params = {k: v for k, v in self._params.items() if tools or k not in WITH_TOOLS}
        request = {"model": self.model, "messages": [], **params, "extra_body": body}
        retrying = self._tenacity.Retrying(
            retry=self._tenacity.retry_if_exception_type(TransientError),
            stop=self._enough,
            wait=self._wait,
            reraise=True,
        )
        try:
            answer: AssistantMessage = retrying(self._once, request)
        except TransientError as error:
            made = f", after {retrying.statistics['attempt_number']} attempts"
            if error.unreachable and not self._reached:
                told = f"nothing answers at {self._address} ({error}); is the server running?"
                raise self._failure(told, made, fatal=True) from None
            raise self._failure(str(error), made) from None
        return answer

    def _enough(self, state: RetryCallState) -> bool:
        """Tell whether to give a request up."""
        error = state.outcome.exception() if state.outcome else None
        absent = getattr(error, "unreachable", False) and not self._reached
        return state.attempt_number >= min(self._attempts, ATTEMPTS_TO_REACH if absent else self._attempts)

    def _wait(self, state: RetryCallState) -> float:
        """Return how long to wait before the next attempt: what the server asks for, or a doubled step."""
        error = state.outcome.exception() if state.outcome else None
        asked = getattr(error, "retry_after", None)
        step = min(FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1), LONGEST_STEP_S)
        return float(min(asked if asked is not None else step, self._longest))

    def _once(self, request: Mapping[str, Any]) -> AssistantMessage:
        """Make one attempt."""
        while (shut := self._open_at - time.monotonic()) > 0:
            time.sleep(shut)
        sdk = self._openai
        ends = time.monotonic() + self._timeout
        try:
            with self._client.chat.completions.with_streaming_response.create(**request) as response:
                self._reached = True
                return answer_of(body_of(self._text(response, ends)))
        except sdk.APIStatusError as error:
            self._reached = True
            history = request["extra_body"]["messages"]
            note = refusal_of(error, begun=any(message["role"] == "assistant" for message in history))
            if note is not None:
                unused = dict.fromkeys(("prompt", "completion", "cached", "total"), 0)
                return AssistantMessage({"role": "assistant", "content": ""}, usage=unused, note=note)
            raise self._judged(error) from None
        except sdk.APIConnectionError as error:  # time-outs are of this kind
            absent = type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout")
            told = f"{type(error).__name__}: {error.__cause__ or error}"
            raise TransientError(told, unreachable=absent) from None
        except (TypeError, ValueError, sdk.OpenAIError) as error:  # a request that cannot be written
            raise self._failure(str(error), fatal=True) from None

    def _text(self, response: Any, ends: float) -> str:
        """Read a body: the client's own limit starts anew with every byte, and it has none of length."""
        whole = bytearray()
        try:
            for part in response.iter_bytes():
                whole += part
                if time.monotonic() > ends or len(whole) > MOST_BYTES:
                    break
            else:
                return whole.decode("utf-8", "replace")
        except Exception as error:  # noqa: BLE001 - the client's, of a library that differs between SDKs
            raise TransientError(f"{type(error).__name__}: {error}") from None
        raise TransientError(f"expected a whole reply in {self._timeout:g} s, got {len(whole)} bytes so far")

    def _judged(self, error: Any) -> Exception:
        """Return what a refusal by the endpoint comes to."""
        status = int(error.status_code)
        told = f"HTTP {status}: {_told(error)}"
        if "insufficient_quota" in told:
            return self._failure(told, fatal=True)
        if status in (408, 409, 429) or status >= 500:
            asked = _retry_after(error.response.headers)
            if asked is not None:
                with self._gate:
                    self._open_at = max(self._open_at, time.monotonic() + min(asked, self._longest))
            return TransientError(told, asked)
        # Every further request would be refused alike; a 400 or 413 may be due to one long history.
        return self._failure(told, fatal=status in (401, 402, 403, 404))

    def _failure(self, told: str, more: str = "", *, fatal: bool = False) -> InfrastructureError:
        """Return an error without what is secret, which some endpoints repeat; masked first, then cut."""
        for secret in self._secrets:
            if len(secret) >= SHORTEST_SECRET:
                told = told.replace(secret, "***")
        told = " ".join(told.split())
        cut = told if len(told) <= MOST_TOLD else f"{told[:MOST_TOLD]}..."
        return InfrastructureError(f"{self.model}: {cut}{more}", fatal=fatal)


def _key(names: Sequence[str]) -> str:
    """Return the key of the environment; one that no header can hold is refused and not shown."""
    for name in names:
        key = os.environ.get(name, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise InfrastructureError(
                f"expected {name} to be printable ASCII, got something else", fatal=True
            )
        if key:
            return key
    return NO_KEY


def _user(base_url: str | None) -> list[str]:
    """Return what stands before the host of an address, whole and in parts."""
    before = urlsplit(base_url or "").netloc.rpartition("@")[0]
    return [part for part in (before, *before.split(":", 1)) if part]


def endpoint(base_url: str | None) -> tuple[str, dict[str, str]]:
    """Return the address of an endpoint without its query, and the query.

    Raises:
        InfrastructureError: it is no address.
    """
    try:
        parts = urlsplit(OPENAI if base_url is None else base_url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        got = (base_url or "").rpartition("@")[2].partition("?")[0]
        raise InfrastructureError(
            f"expected an address such as http://localhost:8000/v1, got {got!r}", fatal=True
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path}", dict(parse_qsl(parts.query))


def _sent_by_default(defaults: Mapping[str, Any]) -> dict[str, Any]:
    names = ("temperature", "max_tokens", "tool_choice", "parallel_tool_calls")
    return {name: defaults[name] for name in names if defaults[name] is not None}


def refusal_of(error: Any, *, begun: bool) -> str | None:
    """Return what a model did for its request to be refused, None where the refusal is not its doing.

    Args:
        error: the SDK's error.
        begun: whether the model has spoken before. A context that the opening alone fills is a matter of the
            endpoint's settings.
    """
    if int(error.status_code) not in (400, 413, 422):
        return None
    told = _told(error)
    if "tool_use_failed" in told:
        return "call_refused"
    return "context_exhausted" if begun and CONTEXT.search(told) else None


def _told(error: Any) -> str:
    """Return what the endpoint said of a refusal, short."""
    body = error.body
    message = body.get("message", body) if isinstance(body, Mapping) else body or error.message
    code = body.get("code") if isinstance(body, Mapping) else None
    return f"{message}{f' ({code})' if code else ''}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: as milliseconds, seconds, or a date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "")
        try:
            wait = float(text) * scale
        except ValueError:
            wait = _until(text)
        if 0 <= wait < ABSURD_S:
            return wait
    return None


def _until(date: str) -> float:
    """Return the seconds until a date as HTTP writes it, and -1 if it is none."""
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (TypeError, ValueError):
        return -1.0
