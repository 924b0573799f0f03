"""`ChatPilot` in a plain Gymnasium loop flies what the runner flies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import gymnasium as gym
import pytest

import acoe_gym  # noqa: F401 (registers the ids)
from acoe_gym.benchmark.models import Model
from acoe_gym.cockpit import library
from acoe_gym.errors import EpisodeOver, InfrastructureError, UnknownName
from acoe_gym.wrappers import ChatPilot
from acoe_gym.wrappers.llm.harness import HARNESSES
from acoe_gym.wrappers.llm.policies import ScriptedPolicy, calling

TASK = library.task("c172s/engine_restart/stopped_prop_left_tank")
PUMP = ("set_system", {"component": "fuel_pump", "value": "ON"})
READ = ("get_system", {"component": "rpm"})
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})


def script(*, as_text: bool) -> list[Mapping[str, Any]]:
    """Return messages with everything in them: many calls, none, bad ones, submit twice."""
    odd: dict[str, Any] = {"id": 3, "function": {"name": None, "arguments": "{"}}
    return [
        calling([("list_systems", {}), READ], "TODO: pump", as_text=as_text),
        {"content": "Hm."},
        {"tool_calls": [odd, {"function": {"name": "get_system", "arguments": [1]}}, "submit"]},
        calling([PUMP, READ, PUMP], "DONE: pump", as_text=as_text),
        calling([READ] * 40, as_text=as_text),
        calling([SUBMIT, READ], as_text=as_text),
        calling([SUBMIT], as_text=as_text),
    ]


def loop(pilot: Callable[[str], Any], env: gym.Env[Any, Any]) -> None:
    """Fly one episode as users write it."""
    observation, _ = env.reset(options={"task": TASK.id})
    over = False
    while not over:
        observation, _, terminated, truncated, _ = env.step(pilot(observation))
        over = terminated or truncated


@pytest.fixture
def env() -> gym.Env[Any, Any]:
    return gym.make("ACOE-C172S-EngineRestart-v0")


@pytest.mark.parametrize("mode", ["tools", "text"])
@pytest.mark.parametrize("harness", HARNESSES)
def test_a_plain_loop_gives_the_episode_of_the_runner(
    env: gym.Env[Any, Any], harness: str, mode: str
) -> None:
    policy = ScriptedPolicy(script(as_text=mode == "text"))
    flown = Model("m", harness=harness, protocol=mode).fly(policy, TASK)
    pilot = ChatPilot(policy, harness=harness, protocol=mode)
    loop(pilot, env)
    episode = env.unwrapped.episode  # type: ignore[attr-defined]
    assert episode.hash() == flown.episode.hash()
    assert (episode.turns, episode.end) == (flown.episode.turns, "submitted")
    assert flown.pilot is not None
    assert pilot.conversation is not None
    assert pilot.conversation.turns == flown.pilot["turns"]


def test_an_opening_begins_a_new_conversation(env: gym.Env[Any, Any]) -> None:
    pilot = ChatPilot(ScriptedPolicy([calling([READ]), calling([SUBMIT])]))
    loop(pilot, env)
    first = pilot.conversation
    loop(pilot, env)
    assert pilot.conversation is not first
    assert first is not None
    assert pilot.conversation is not None
    assert pilot.conversation.messages == first.messages


def test_the_model_is_told_what_the_runner_tells_it(env: gym.Env[Any, Any]) -> None:
    seen: list[str] = []

    def policy(messages: Any, tools: Any) -> Any:
        seen.append(repr([messages, tools]))
        return calling([READ] if len(messages) < 6 else [SUBMIT])

    Model("m").fly(policy, TASK)
    half = len(seen)
    loop(ChatPilot(policy), env)
    assert seen[half:] == seen[:half]


def test_after_an_endpoints_failure_the_same_call_may_be_made_again(env: gym.Env[Any, Any]) -> None:
    failures = [InfrastructureError("down"), InfrastructureError("down")]

    def policy(messages: Any, tools: Any) -> Any:
        if len(messages) == 4 and failures:
            raise failures.pop()
        return calling([READ] if len(messages) < 6 else [SUBMIT])

    def patient(observation: str) -> Any:
        while True:
            with suppress(InfrastructureError):
                return pilot(observation)

    pilot = ChatPilot(policy)
    loop(patient, env)
    assert [len(turn["notes"]) for turn in pilot.conversation.turns] == [1, 1, 1]  # type: ignore[union-attr]
    assert len(env.unwrapped.episode.turns) == 3  # type: ignore[attr-defined]


def test_replies_before_any_opening_are_refused() -> None:
    with pytest.raises(EpisodeOver, match="expected the observation of reset"):
        ChatPilot(ScriptedPolicy([]))('{"ok":true}')


def test_wrong_settings_are_refused_before_the_first_episode() -> None:
    with pytest.raises(UnknownName, match="expected a harness"):
        ChatPilot(ScriptedPolicy([]), harness="pilot")
