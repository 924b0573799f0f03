"""The cost in the reward, for algorithms that know no cost."""

from __future__ import annotations

from typing import Any

import gymnasium as gym


class CostPenalty(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Subtracts ``weight`` times ``info["cost"]`` from the reward of each step; the cost stays in the info.

    Args:
        env: any ACOE environment.
        weight: reward lost per violation, 0 or more.
    """

    def __init__(self, env: gym.Env[Any, Any], weight: float = 1.0) -> None:
        gym.utils.RecordConstructorArgs.__init__(self, weight=weight)
        super().__init__(env)
        if weight < 0:
            raise ValueError(f"expected a weight of 0 or more, got {weight}")
        self.weight = weight

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a step and charge its violations."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(reward) - self.weight * info["cost"], terminated, truncated, info
