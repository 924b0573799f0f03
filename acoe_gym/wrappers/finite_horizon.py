"""The budget as an end like any other, for algorithms that look past a truncation."""

from __future__ import annotations

from typing import Any

import gymnasium as gym


class FiniteHorizon(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Reports an episode that ran out of turns as terminated, not as truncated.

    An episode is graded and paid at the end of its budget. Algorithms that bootstrap (all of
    Stable-Baselines3) add the value of the last observation to the reward of a truncated step, as if the
    flight went on: with the grade paid already, waiting for the budget then looks better than submitting.
    The belief tells the share of the budget used, so that the end can be learned as what it is.

    Args:
        env: any ACOE environment.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        gym.utils.RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play a step; the end of the budget terminates."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated or truncated, False, info
