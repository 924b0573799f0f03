"""One Discrete action per call of the aircraft, over a text environment."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from acoe_gym.envs.belief import mask_form
from acoe_gym.envs.calls import ToolCall, flat_table
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.errors import UnknownName


def one_aircraft(env: gym.Env[Any, Any]) -> str:
    """Return the aircraft of a text environment; UnknownName if it plays several."""
    base = env.unwrapped
    if not isinstance(base, CockpitEnv):
        raise UnknownName(f"expected an ACOE text environment below, got {type(base).__name__}")
    if len(base.aircraft) != 1:
        several = ", ".join(base.aircraft)
        raise UnknownName(
            f"expected an environment of one aircraft, got {several}: a flat table belongs to an aircraft"
        )
    return base.aircraft[0]


class FlatActions(gym.ActionWrapper[Any, np.int64, Any], gym.utils.RecordConstructorArgs):
    """Maps a row of the aircraft's table to its call.

    Args:
        env: a text environment of one aircraft.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        gym.utils.RecordConstructorArgs.__init__(self)
        super().__init__(env)
        aircraft = one_aircraft(env)
        self.table: tuple[ToolCall, ...] = flat_table(aircraft)
        self._mask_form = mask_form(aircraft)
        self._mask = self._mask_form.start()
        self.action_space = spaces.Discrete(len(self.table))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset the environment and what the mask knows."""
        self._mask = self._mask_form.start()
        return super().reset(seed=seed, options=options)

    def action(self, action: np.int64) -> Any:
        """Return the call of a row as a model would write it."""
        if not 0 <= action < len(self.table):
            raise IndexError(f"expected an action of 0 to {len(self.table) - 1}, got {action}")
        name, arguments = self.table[action]
        return {"name": name, "arguments": arguments}

    def step(self, action: np.int64) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make the call of a row."""
        result = self.env.step(self.action(action))
        base = self.unwrapped
        assert isinstance(base, CockpitEnv)
        self._mask_form.learn(self._mask, base.episode.log[-1])
        return result[0], float(result[1]), *result[2:]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which rows may be worth trying, a fresh array; unsafe actions are never masked."""
        return self._mask.copy()
