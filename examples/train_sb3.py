"""Train MaskablePPO on variants of a template and evaluate it on the template's core tasks and on unseen variants.

    pip install torch==2.13.0 && pip install "acoe_gym[rl]"
    python examples/train_sb3.py --steps 250000 --log-dir runs

Watch it learn with ``tensorboard --logdir runs``. The reward in training is ``progress`` (it looks at hidden state) minus the cost; the
evaluation looks at success and violations alone.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium as gym
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import acoe_gym  # noqa: F401 (registers the ids)
from acoe_gym.wrappers import BenchmarkMetrics, CostPenalty


def training_env(env_id: str, cost_weight: float) -> gym.Env[Any, Any]:
    """Return an environment that draws a fresh variant per episode and charges violations."""
    return CostPenalty(gym.make(env_id, suite="generated", reward="progress"), cost_weight)


def train(
    env_id: str,
    steps: int,
    seed: int,
    log_dir: str | None = None,
    cost_weight: float = 0.5,
    progress: bool = False,
) -> MaskablePPO:
    """Train a policy.

    Args:
        env_id: a Flat id.
        steps: environment steps.
        seed: seeds the networks, the sampling and the variants.
        log_dir: where TensorBoard logs go, or None.
        cost_weight: reward lost per violation.
        progress: show a progress bar.
    """
    torch.set_num_threads(1)  # the networks are small: more threads only wait for each other
    envs = make_vec_env(lambda: training_env(env_id, cost_weight), n_envs=16, seed=seed)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=128, batch_size=512, n_epochs=4, learning_rate=1e-3, gamma=0.98, gae_lambda=0.9, ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128]}, seed=seed, tensorboard_log=log_dir, device="cpu",
    )  # fmt: skip
    model.learn(steps, progress_bar=progress)
    envs.close()
    return model


def evaluate(model: MaskablePPO, env_id: str, suite: str, episodes: int, seed: int) -> BenchmarkMetrics:
    """Play episodes with the most likely action and return the wrapper that holds their results."""
    env = BenchmarkMetrics(gym.make(env_id, suite=suite))
    observation, _ = env.reset(seed=seed)
    while len(env.results) < episodes:
        masks = env.get_wrapper_attr("action_masks")()
        action, _ = model.predict(observation, action_masks=masks, deterministic=True)
        observation, _, terminated, truncated, _ = env.step(int(action))
        if terminated or truncated:
            observation, _ = env.reset()
    return env


def main() -> None:
    """Train, then print SR and SCR on core tasks and on unseen variants."""
    parser = argparse.ArgumentParser(description="Train MaskablePPO on a flat ACOE id.")
    parser.add_argument(
        "--env", default="ACOE-C172S-EngineRestart-Flat-v0", help="a Flat id (default: %(default)s)"
    )
    parser.add_argument("--steps", type=int, default=250_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed (default: %(default)s)")
    parser.add_argument("--log-dir", default=None, help="folder for TensorBoard logs")
    parser.add_argument(
        "--episodes", type=int, default=200, help="evaluation episodes per suite (default: %(default)s)"
    )
    args = parser.parse_args()
    model = train(args.env, args.steps, args.seed, args.log_dir, progress=True)
    for suite in ("core", "generated"):
        summary = evaluate(model, args.env, suite, args.episodes, seed=10_000 + args.seed).summary()
        print(
            f"{suite:<10} episodes {args.episodes}  SR {summary.sr.value:.3f}  SCR {summary.scr.value:.3f}  unsafe {1 - summary.scr.value:.3f}"
        )


if __name__ == "__main__":
    main()
