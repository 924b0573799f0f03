"""What the pilot knows as a vector of numbers, over a text environment."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from acoe_gym.cockpit.episode import MAX_TURNS
from acoe_gym.envs.belief import Array, belief_form
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.wrappers.flat_actions import one_aircraft


class BeliefObservation(gym.Wrapper[Array, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Replaces replies by the belief they leave behind (`acoe_gym.envs.belief.BeliefForm`).

    Args:
        env: a text environment of one aircraft, under `FlatActions` or not.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        gym.utils.RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._form = belief_form(one_aircraft(env))
        self._belief: Array = np.zeros(self._form.size, np.float32)
        self._seen = 0
        self.observation_space = spaces.Box(-2.0, 2.0, (self._form.size,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Reset the environment and forget every reading."""
        _, info = self.env.reset(seed=seed, options=options)
        self._belief = self._form.start(self._base.task)
        self._seen = 0
        return self._belief.copy(), info

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play a turn and learn from all its replies."""
        _, reward, terminated, truncated, info = self.env.step(action)
        episode = self._base.episode
        for call in episode.log[self._seen :]:
            self._form.learn(self._belief, call, len(episode.turns) / MAX_TURNS)
        self._seen = len(episode.log)
        return self._belief.copy(), float(reward), terminated, truncated, info

    @property
    def _base(self) -> CockpitEnv:
        base = self.unwrapped
        assert isinstance(base, CockpitEnv)
        return base
