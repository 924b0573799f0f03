"""Flies a language model: what the runner needs to put a chat policy into the cockpit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.runner import Flight, Flown
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.protocol import briefing, role_prompt
from acoe_gym.cockpit.task import Task, digest
from acoe_gym.errors import InfrastructureError
from acoe_gym.wrappers.llm.chat import ChatPolicy, protocol
from acoe_gym.wrappers.llm.conversation import Conversation
from acoe_gym.wrappers.llm.llm_policy import LLMPolicy

# A prompt has about so many characters a token; only estimates use it.
CHARACTERS_A_TOKEN = 4
# Stands in an address that is kept for what may be secret.
KEPT_OUT = "..."


@dataclass(frozen=True)
class Model:
    """A model and how it is flown; all of it decides what the records hold.

    Attributes:
        model: the name that the endpoint knows it by.
        base_url: of the endpoint; None is OpenAI's.
        params, extra_body: see `acoe_gym.wrappers.llm.llm_policy.LLMPolicy`.
        harness, protocol, echo, null_content: see
            `acoe_gym.wrappers.llm.conversation.Conversation`.
    """

    model: str
    base_url: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    harness: str = "none"
    protocol: str = "tools"
    echo: tuple[str, ...] = ()
    null_content: bool = False

    def settings(self) -> dict[str, Any]:
        """Return what a run's configuration holds: no key, no user or query of the address."""
        return {
            **asdict(self),
            "base_url": _public(self.base_url),
            "echo": list(self.echo),
            "llm_protocol": digest(protocol()),
        }

    def policy(self) -> LLMPolicy:
        """Return the model as a chat policy; MissingExtra where the SDK is not installed."""
        return LLMPolicy(self.model, self.base_url, params=self.params, extra_body=self.extra_body)

    def plan(self, tasks: Sequence[str], trials: int, suite: str = "core", seed: int = 0) -> Plan:
        """Return the plan that flies tasks with the model."""
        return Plan(self.model, tuple(tasks), trials, seed, suite, self.settings())

    def flight(self, policy_for: Callable[[Task], ChatPolicy]) -> Flight:
        """Return what flies an episode.

        Args:
            policy_for: the chat policy of a task; a model's is the same for all.
        """
        return lambda task, trial: self.fly(policy_for(task), task)  # noqa: ARG005

    def fly(self, policy: ChatPolicy, task: Task) -> Flown:
        """Fly one episode.

        Raises:
            InfrastructureError: the endpoint gave no answer.
        """
        episode, talk = Episode(task), self.conversation(task)
        while episode.end is None:
            try:
                calls = talk.ask(policy)
            except InfrastructureError as error:
                error.turns = talk.turns
                raise
            talk.answer([call.reply for call in episode.turn(calls)])
        # A blocked submit was no call; whether it was blocked stands in the notes.
        pilot = {
            "model": talk.model,
            "harness": self.harness,
            "protocol": self.protocol,
            "llm_protocol": digest(protocol()),
            "turns": talk.turns,
        }
        return Flown(episode, pilot)

    def conversation(self, task: Task) -> Conversation:
        """Return a conversation that has just begun."""
        return Conversation(
            role_prompt(),
            briefing(task),
            harness=self.harness,
            protocol=self.protocol,
            echo=self.echo,
            null_content=self.null_content,
        )


def _public(base_url: str | None) -> str | None:
    """Return an address with dots for what may be secret: the user, and the query."""
    if base_url is None:
        return None
    parts = urlsplit(base_url)
    user, at, host = parts.netloc.rpartition("@")
    place, query = f"{KEPT_OUT if user else ''}{at}{host}", KEPT_OUT if parts.query else ""
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), query, ""))


@dataclass(frozen=True)
class Estimate:
    """What a run would take if the model flew like the reference; tokens are characters / 4.

    Attributes:
        episodes, turns, calls: in all.
        prompt: tokens sent, the whole history again with every turn.
        uncached: the part of them that no earlier request of the episode began with.
        completion: tokens of the calls alone; a model that thinks aloud sends many times that.
    """

    episodes: int
    turns: int
    calls: int
    prompt: int
    uncached: int
    completion: int

    def cost(self, price_in: float, price_out: float) -> float:
        """Return the money for it, without a cache; prices per million tokens."""
        return (self.prompt * price_in + self.completion * price_out) / 1e6


def estimate(
    model: Model, tasks: Sequence[Task], trials: int, policy_for: Callable[[Task], ChatPolicy]
) -> Estimate:
    """Return what flying tasks would take, by flying each once with a policy without a model."""
    turns = calls = prompt = uncached = completion = 0
    for task in tasks:
        meter = _Meter(policy_for(task))
        flown = model.fly(meter, task)
        turns += len(flown.episode.turns)
        calls += len(flown.episode.log)
        prompt, uncached, completion = prompt + meter.sent, uncached + meter.longest, completion + meter.said
    return Estimate(
        len(tasks) * trials,
        turns * trials,
        calls * trials,
        *(math.ceil(n * trials / CHARACTERS_A_TOKEN) for n in (prompt, uncached, completion)),
    )


class _Meter:
    """Counts the characters that pass."""

    def __init__(self, policy: ChatPolicy) -> None:
        self._policy = policy
        self.sent = self.longest = self.said = 0

    def __call__(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        self.longest = len(str(messages)) + len(str(tools))
        self.sent += self.longest
        reply = self._policy(messages, tools)
        self.said += len(str(reply))
        return reply
