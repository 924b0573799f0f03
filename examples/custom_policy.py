"""Fly every task of one procedure with a policy written by hand, in a plain Gymnasium loop.

    python examples/custom_policy.py

The policy knows what a pilot knows: the briefing and what the tools answer.
"""

from __future__ import annotations

import json
import re
from typing import Any

import gymnasium as gym

import acoe_gym
from acoe_gym.cockpit.scoreboard import summary_table
from acoe_gym.wrappers import BenchmarkMetrics

Env = gym.Env[str, Any]


def call(env: Env, tool: str, **arguments: Any) -> dict[str, Any]:
    """Make one call and return its reply."""
    observation, *_ = env.step({"name": tool, "arguments": arguments})
    return dict(json.loads(observation))


def read(env: Env, component: str) -> Any:
    """Return what a component shows."""
    return call(env, "get_system", component=component)["value"]


def put(env: Env, **controls: Any) -> None:
    """Move controls, in the given order; one that stands right already is left alone."""
    for component, value in controls.items():
        if read(env, component) != value:
            call(env, "set_system", component=component, value=value)


def restart_the_engine(env: Env, briefing: str) -> None:
    """Set up speed, fuel and ignition, start the engine, and do what else the captain asked for."""
    put(env, target_airspeed=68, fuel_shutoff="ON", fuel_selector="BOTH", fuel_pump="ON", mixture=100)
    if read(env, "rpm") == 0:
        put(env, magnetos="START")  # a propeller that still turns needs no starter
    put(env, magnetos="BOTH", fuel_pump="OFF")
    if read(env, "fflow") == 0:
        put(env, fuel_pump="ON")  # the engine's own pump has failed
    if "altimeter setting" in briefing:
        report = call(env, "get_metar", station="KPAO")["raw"]
        setting = re.search(r" A(\d\d)(\d\d)", report)
        if setting:
            put(env, baro_pfd=float(".".join(setting.groups())))
    call(env, "submit")


def main() -> None:
    """Play each task once and print the metrics."""
    env = BenchmarkMetrics(gym.make("ACOE-C172S-EngineRestart-v0"))
    for task in acoe_gym.task_ids("c172s/engine_restart"):
        briefing, _ = env.reset(options={"task": task})
        restart_the_engine(env, briefing)
    print(summary_table(env.summary()))


if __name__ == "__main__":
    main()
