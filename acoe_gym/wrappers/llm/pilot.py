"""`ChatPilot`: a chat policy in a plain Gymnasium loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acoe_gym.cockpit.protocol import role_prompt
from acoe_gym.errors import EpisodeOver
from acoe_gym.wrappers.llm.chat import ChatPolicy
from acoe_gym.wrappers.llm.conversation import Conversation


class ChatPilot:
    """Turns observations into actions by asking a chat policy.

    An observation of ``reset`` opens a new conversation by itself; every other one is taken for the replies
    to the last action. Works with any text environment of the package.

    Args:
        policy: maps (messages, tools) to an assistant message.
        harness: ``none``, ``plan``, ``readback``, ``audit`` or ``full``.
        protocol: ``tools`` or ``text``.
        echo: names of further fields of assistant messages to send back; ``("all",)`` for all.
        null_content: send null, and not an empty text, where a message only makes calls.
    """

    def __init__(
        self,
        policy: ChatPolicy,
        *,
        harness: str = "none",
        protocol: str = "tools",
        echo: Sequence[str] = (),
        null_content: bool = False,
    ) -> None:
        self._policy = policy
        self._settings: dict[str, Any] = {
            "harness": harness, "protocol": protocol, "echo": echo, "null_content": null_content,
        }  # fmt: skip
        # Refuses wrong settings now, and not when the first episode begins.
        Conversation("", "", **self._settings)
        self.conversation: Conversation | None = None

    def __call__(self, observation: str) -> list[dict[str, Any]]:
        """Return the model's next action: a list of calls, possibly empty.

        Args:
            observation: what ``reset`` or ``step`` of a text environment returned.

        Raises:
            EpisodeOver: replies came before any opening.
            InfrastructureError: the endpoint gave no answer; the call may be made again.
        """
        role = role_prompt()
        if observation.startswith(role):
            self.conversation = Conversation(role, observation[len(role) :].strip(), **self._settings)
        elif self.conversation is None:
            raise EpisodeOver("expected the observation of reset() first, got replies")
        elif self.conversation.waiting:
            self.conversation.answer(observation.split("\n") if observation else [])
        calls = self.conversation.ask(self._policy)
        return [{"name": name, "arguments": arguments} for name, arguments in calls]
