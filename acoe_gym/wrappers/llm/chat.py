"""What a chat policy is, and the protocol that every model is flown under."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acoe_gym.cockpit.protocol import llm_settings

Message = dict[str, Any]
# A policy maps (messages, tools) to an assistant message, in the form of OpenAI's chat completions. A model's
# mistakes are messages, however broken; InfrastructureError is for the endpoint's, any other one is a bug.
ChatPolicy = Callable[[Sequence[Message], Sequence[Mapping[str, Any]]], Mapping[str, Any]]


class AssistantMessage(dict[str, Any]):
    """An assistant message that also says how it came about; a plain dict will do for a policy, too.

    Attributes:
        model: the name that the server gave of the model, or None.
        finish: the server's ``finish_reason``, or None. Nothing is decided by it.
        usage: ``prompt``, ``completion``, ``cached`` and ``total`` tokens, each an int or None; or None.
        note: what the policy has to say of it, for the record; or None.
    """

    def __init__(
        self,
        message: Mapping[str, Any],
        *,
        model: str | None = None,
        finish: str | None = None,
        usage: Mapping[str, int | None] | None = None,
        note: str | None = None,
    ) -> None:
        super().__init__(message)
        self.model = model
        self.finish = finish
        self.usage = usage
        self.note = note


def protocol() -> dict[str, Any]:
    """Return the published defaults: sampling, time-outs, nudge. None means that nothing is sent."""
    return llm_settings()
