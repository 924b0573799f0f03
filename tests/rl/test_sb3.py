"""What Stable-Baselines3 and sb3-contrib take, and what they are told when they cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from acoe_gym.errors import AdapterNeeded
from acoe_gym.wrappers import BeliefObservation, BenchmarkMetrics, CostPenalty, FlatActions

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

pytestmark = pytest.mark.rl

# With the module's name before the id, a worker process registers the ids by itself.
TEXT = "acoe_gym:ACOE-C172S-EngineRestart-v0"
FLAT = "acoe_gym:ACOE-C172S-EngineRestart-Flat-v0"
FLAT_IDS = (FLAT, "acoe_gym:ACOE-C172S-Flat-v0")


def flat_over_text(**settings: Any) -> gym.Env[Any, Any]:
    """Return the flat view over the text id."""
    return BeliefObservation(FlatActions(gym.make(TEXT, **settings)))


def trained(env: Callable[[], gym.Env[Any, Any]]) -> MaskablePPO:
    """Train for 256 steps on one thread and return the model with its last rollout."""
    torch.set_num_threads(1)
    envs = make_vec_env(env, n_envs=2, seed=5)
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=2, seed=5, device="cpu")
    return model.learn(256)


@pytest.mark.parametrize("env_id", FLAT_IDS)
def test_check_env_is_clean(env_id: str) -> None:
    check_env(gym.make(env_id), warn=True, skip_render_check=False)


@pytest.mark.parametrize("vec_env", [DummyVecEnv, SubprocVecEnv])
def test_ppo_learns_in_both_vector_environments(vec_env: type[VecEnv]) -> None:
    # Given an id, make_vec_env asks for pictures unless told otherwise.
    envs = make_vec_env(FLAT, 2, seed=0, env_kwargs={"render_mode": None}, vec_env_cls=vec_env)
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=1, seed=0, device="cpu")
    before = {name: values.clone() for name, values in model.policy.state_dict().items()}
    model.learn(256)
    envs.close()
    after = model.policy.state_dict()
    assert all(torch.isfinite(values).all() for values in after.values())
    assert any(not torch.equal(values, after[name]) for name, values in before.items())


def test_masks_reach_the_algorithm_through_wrappers() -> None:
    envs = make_vec_env(lambda: BenchmarkMetrics(CostPenalty(gym.make(FLAT))), n_envs=2, seed=0)
    assert is_masking_supported(envs)
    envs.reset()
    base = envs.get_attr("unwrapped")[0]
    row = base.row_of(("set_system", {"component": "fuel_pump", "value": "ON"}))
    envs.step(np.array([row, base.row_of(("list_systems", {}))]))
    masks = get_action_masks(envs)
    assert masks.shape == (2, len(base.table))
    assert not masks[0, row]
    assert masks[1, row]


@pytest.mark.parametrize("algorithm", [PPO, MaskablePPO])
def test_the_text_id_is_answered_with_the_adapter(algorithm: type[Any]) -> None:
    with pytest.raises(AdapterNeeded, match=r"BeliefObservation\(FlatActions\(env\)\)"):
        algorithm("MlpPolicy", gym.make(TEXT), device="cpu")


def test_the_wrapped_text_id_trains_like_the_flat_id() -> None:
    settings: dict[str, Any] = {
        "task": "c172s/engine_restart/windmilling_mixture_cutoff",
        "reward": "progress",
    }
    flat = trained(lambda: gym.make(FLAT, **settings))
    text = trained(lambda: flat_over_text(**settings))
    for part in ("observations", "actions", "rewards", "action_masks", "episode_starts"):
        assert np.array_equal(getattr(flat.rollout_buffer, part), getattr(text.rollout_buffer, part)), part
    assert np.any(flat.rollout_buffer.rewards)
