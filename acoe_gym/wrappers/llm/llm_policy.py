"""`LLMPolicy`: a model behind an OpenAI-compatible endpoint as a chat policy."""

from __future__ import annotations

import re
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acoe_gym.errors import InfrastructureError, MissingExtra
from acoe_gym.wrappers.llm.chat import AssistantMessage, Message, protocol
from acoe_gym.wrappers.llm.completion import TransientError, answer_of, body_of
from acoe_gym.wrappers.llm.endpoint import (
    KEY,
    NO_KEY,
    address_of,
    key_of,
    masked,
    no_address,
    secret_fields,
    secrets_of,
)
from acoe_gym.wrappers.llm.refusals import Refused, read_refusal

if TYPE_CHECKING:
    from tenacity import RetryCallState

# What is not the user's to set, neither as a parameter nor in the body; headers and queries may be secret.
OURS = ("messages", "model", "stream", "tools", "timeout", "extra_body", "extra_headers", "extra_query")
# Of a message that an error repeats so many characters are shown.
MOST_TOLD = 300
# What is sent only where tools are.
WITH_TOOLS = ("tool_choice", "parallel_tool_calls")
# Waits between attempts, doubled each time; a server may ask for more, not for less.
FIRST_WAIT_S, LONGEST_STEP_S = 1, 60
# A model may think for long; a host that is there answers at once.
CONNECT_TIMEOUT_S = 10.0
# An endpoint that never answered is tried so often: more likely than busy it is not there.
ATTEMPTS_TO_REACH = 3
# No reply of a chat model is longer.
MOST_BYTES = 32_000_000
# What every further request would meet.
ENDING = (401, 402, 403, 404)
# Tokens of a reply that was never generated.
UNUSED = dict.fromkeys(("prompt", "completion", "cached", "total"), 0)


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
        address, query = address_of(base_url)
        _check(model, params or {}, extra_body or {})
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
        key = key_of(base_url)
        self._has_key = key != NO_KEY
        self._secrets = secrets_of(base_url, key)
        waits = openai.Timeout(self._timeout, connect=CONNECT_TIMEOUT_S)
        hooks = {"response": [read_refusal]}
        try:
            self._client = openai.OpenAI(
                api_key=key,
                base_url=address,
                default_query=query,
                max_retries=0,
                timeout=waits,
                http_client=openai.DefaultHttpxClient(timeout=waits, event_hooks=hooks),
            )
        except Exception:  # noqa: BLE001 - the client's, of a library that differs between SDKs
            raise no_address(base_url) from None
        weakref.finalize(self, self._client.close)
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
        """Return how long to wait: a doubled step, or longer if the server asks for it."""
        error = state.outcome.exception() if state.outcome else None
        asked = getattr(error, "retry_after", None) or 0.0
        step = min(FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1), LONGEST_STEP_S)
        return float(min(max(asked, step), self._longest))

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
        # Time-outs are connection errors; some SDKs make one of what a hook raises, others pass that on.
        except (Refused, sdk.APIConnectionError) as error:
            cause = error if isinstance(error, Refused) else error.__cause__
            if isinstance(cause, Refused):
                self._reached = True
                return self._judged(cause, request["extra_body"]["messages"])
            absent = type(cause).__name__ in ("ConnectError", "ConnectTimeout")
            raise TransientError(f"{type(error).__name__}: {cause or error}", unreachable=absent) from None
        except TypeError as error:
            hint = "; fields that the SDK does not know go into --extra-body"
            raise self._failure(str(error), hint, fatal=True) from None
        except (ValueError, sdk.OpenAIError) as error:  # a request that cannot be written
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

    def _judged(self, refused: Refused, history: Sequence[Message]) -> AssistantMessage:
        """Return the turn that a refusal costs the model, or raise what else it comes to."""
        note = refused.by_the_model(begun=any(message["role"] == "assistant" for message in history))
        if note is not None:
            # A call that was refused had been generated, and nobody has counted its tokens.
            usage = UNUSED if note == "context_exhausted" else None
            return AssistantMessage({"role": "assistant", "content": ""}, usage=usage, note=note)
        if "insufficient_quota" in refused.told:
            raise self._failure(str(refused), fatal=True)
        if refused.status in (408, 409, 429) or refused.status >= 500:
            asked = refused.retry_after()
            if asked is not None:
                with self._gate:
                    self._open_at = max(self._open_at, time.monotonic() + min(asked, self._longest))
            raise TransientError(str(refused), asked)
        # Every further request would be refused alike; a 400 or 413 may be due to one long history.
        raise self._failure(str(refused), self._hint(refused.status), fatal=refused.status in ENDING)

    def _hint(self, status: int) -> str:
        """Return what is most likely wrong where an address or a key is."""
        if status == 404 and not re.search(r"/v\d", self._address):
            return f"; {self._address} was asked: most addresses end in /v1"
        return f"; {KEY} holds no key" if status in (401, 403) and not self._has_key else ""

    def _failure(self, told: str, more: str = "", *, fatal: bool = False) -> InfrastructureError:
        """Return an error without what is secret, which some endpoints repeat; masked first, then cut."""
        told = " ".join(masked(told, self._secrets).split())
        cut = told if len(told) <= MOST_TOLD else f"{told[:MOST_TOLD]}..."
        return InfrastructureError(f"{self.model}: {cut}{more}", fatal=fatal)


def _sent_by_default(defaults: Mapping[str, Any]) -> dict[str, Any]:
    names = ("temperature", "max_tokens", "tool_choice", "parallel_tool_calls")
    return {name: defaults[name] for name in names if defaults[name] is not None}


def _check(model: str, params: Mapping[str, Any], extra_body: Mapping[str, Any]) -> None:
    """Raise InfrastructureError where a request would hold what is not the user's to set, or a run a key."""
    for name in OURS:
        if name in params or name in extra_body:
            raise InfrastructureError(f"{model}: the parameter {name} cannot be set", fatal=True)
    for name in secret_fields([params, extra_body]):
        raise InfrastructureError(
            f"{model}: the field {name} would be kept with the run; give a key as ACOE_API_KEY", fatal=True
        )
