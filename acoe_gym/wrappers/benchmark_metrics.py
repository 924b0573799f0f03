"""Benchmark metrics in a plain Gymnasium loop: the same numbers as the runner's, from the same code."""

from __future__ import annotations

from collections import Counter
from typing import Any

import gymnasium as gym

from acoe_gym.cockpit.metrics import Summary, aggregate
from acoe_gym.cockpit.results import EpisodeResult, result_of
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.envs.flat_env import FlatCockpitEnv
from acoe_gym.errors import UnknownName


class BenchmarkMetrics(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Keeps the result of every finished episode; `summary` aggregates them.

    Args:
        env: any ACOE environment.

    Attributes:
        results: one `EpisodeResult` per finished episode, in order; the trial counts the episodes of a task
            from 0.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        gym.utils.RecordConstructorArgs.__init__(self)
        super().__init__(env)
        if not isinstance(env.unwrapped, CockpitEnv | FlatCockpitEnv):
            raise UnknownName(f"expected an ACOE environment below, got {type(env.unwrapped).__name__}")
        self.results: list[EpisodeResult] = []
        self._trials: Counter[str] = Counter()

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play a step; at the end of an episode keep its result."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            episode = self.unwrapped.episode  # type: ignore[attr-defined]
            if episode.end is None:
                # A wrapper's time limit is a smaller budget: graded on the state as it stands.
                episode = episode.clone()
                episode.end = "truncated"
            self.results.append(result_of(episode, self._trials[episode.task.id]))
            self._trials[episode.task.id] += 1
        return observation, reward, terminated, truncated, info

    def summary(self, seed: int = 0) -> Summary:
        """Return SR, SGO, SCR and the other metrics over the finished episodes."""
        return aggregate(self.results, seed)
