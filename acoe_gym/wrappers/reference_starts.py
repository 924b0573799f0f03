"""Training episodes that begin part-way along the reference trajectory."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym

from acoe_gym.cockpit.reference import solve
from acoe_gym.envs.flat_env import FlatCockpitEnv
from acoe_gym.errors import UnknownName


class ReferenceStarts(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Begins a share of the episodes at a random call of the procedure, as if handed over half done.

    Late steps of a procedure pay only once the early ones are mastered; from such starts all of them are met
    from the first day (reference state initialisation, Peng et al. 2018; backplay, Resnick et al. 2018). The
    share falls linearly to none, so that the policy is trained on true starts in the end. The calls are made
    through the environment: readings, mask, budget and reward are those of a pilot who made them; the rewards
    of the calls made ahead are dropped. For training only: an evaluation begins at the true start.

    Args:
        env: a flat environment, wrapped or not.
        share: of the episodes that begin ahead, at first; 0 to 1.
        steps: steps of this environment after which the share is 0.
    """

    def __init__(self, env: gym.Env[Any, Any], share: float = 1.0, steps: int = 10_000) -> None:
        gym.utils.RecordConstructorArgs.__init__(self, share=share, steps=steps)
        super().__init__(env)
        base = env.unwrapped
        if not isinstance(base, FlatCockpitEnv):
            raise UnknownName(f"expected a flat ACOE environment below, got {type(base).__name__}")
        if not 0 <= share <= 1 or steps < 1:
            raise ValueError(f"expected a share of 0 to 1 and at least 1 step, got {share} and {steps}")
        self.share = share
        self.steps = steps
        self.played = 0
        self._base = base

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset the environment, and perhaps make the first calls of the reference."""
        observation, info = self.env.reset(seed=seed, options=options)
        if self.played < self.steps:
            rng = self._base.np_random
            calls = solve(self._base.task).log[:-1]
            first = round(len(calls) * (1 - self.played / self.steps))
            ahead = first if rng.random() < self.share else int(rng.integers(first, len(calls) + 1))
            for call in calls[:ahead]:
                row = self._base.row_of((call.tool, json.loads(call.arguments)))
                observation, _, _, _, info = self.env.step(row)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play a step and count it."""
        self.played += 1
        return self.env.step(action)
