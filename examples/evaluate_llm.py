"""Fly a language model behind an OpenAI-compatible endpoint in a plain Gymnasium loop; print the metrics.

    pip install "acoe_gym[llm]"
    python examples/evaluate_llm.py --model qwen3-32b --base-url http://localhost:8000/v1

Without ``--task`` every core task is flown once. The key of an endpoint that wants one is read from
ACOE_API_KEY. For figures to publish use ``acoe run``: the same episodes with several trials, in parallel,
with records that outlive a crash.
"""

from __future__ import annotations

import argparse

import gymnasium as gym

import acoe_gym
from acoe_gym.cockpit.scoreboard import summary_table
from acoe_gym.errors import AcoeError
from acoe_gym.wrappers import BenchmarkMetrics, ChatPilot, LLMPolicy


def main() -> None:
    """Fly each task once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="the name that the endpoint knows it by")
    parser.add_argument("--base-url", help="of the endpoint; OpenAI's by default")
    parser.add_argument("--task", action="append", help="id of a task (repeatable); default all")
    args = parser.parse_args()

    # Anything that maps (messages, tools) to an assistant message can take its place: an agent of yours, say.
    policy = LLMPolicy(args.model, args.base_url)
    pilot = ChatPilot(policy)  # keeps the conversation: replies in, calls out
    env = BenchmarkMetrics(gym.make("ACOE-v0"))
    for task in args.task or acoe_gym.task_ids():
        observation, info = env.reset(options={"task": task})
        ended = False
        while not ended:
            observation, _, terminated, truncated, info = env.step(pilot(observation))
            ended = terminated or truncated
        print(f"{task:<56} success {info['success']:.0f}  safe {info['safe']:.0f}", flush=True)
    print(f"\n{summary_table(env.summary())}")


if __name__ == "__main__":
    try:
        main()
    except AcoeError as error:
        raise SystemExit(f"evaluate_llm: {error}") from None
