"""A player of the procedure through an environment."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from acoe_gym.cockpit.procedure import follow
from acoe_gym.envs.cockpit_env import CockpitEnv


@pytest.fixture(scope="session")
def reference() -> Callable[[CockpitEnv], list[Any]]:
    """Return a function that resets a text environment, plays the procedure and returns its turns."""

    def play(env: CockpitEnv) -> list[Any]:
        env.reset()
        pilot, played = follow(env.task), []
        calls = next(pilot)
        while True:
            played.append([{"name": tool, "arguments": arguments} for tool, arguments in calls])
            observation, _, terminated, _, _ = env.step(played[-1])
            if terminated:
                return played
            calls = pilot.send([json.loads(line) for line in observation.splitlines()])

    return play
