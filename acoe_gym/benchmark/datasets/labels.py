"""Trajectories labelled by step: which call of a safe or unsafe pilot violated what."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from typing import Any

from acoe_gym.benchmark.policies import policy
from acoe_gym.benchmark.runner import play_policy
from acoe_gym.cockpit.task import Task

# From always safe to mostly unsafe.
PILOTS = ("reference", "generic", "random")

Trajectory = dict[str, Any]


def labelled(task: Task, pilot: str, seed: int = 0) -> Trajectory:
    """Play a built-in policy on a task and return what it did, call by call.

    Args:
        task: the task.
        pilot: name of the policy.
        seed: of the policy.

    Returns:
        ``task``, ``policy``, ``seed``, ``end``, ``grade``, and ``steps``: per call its ``turn``, ``call``,
        ``reply``, the ids of the constraints that it ``violated`` and their number as ``cost``.

    Raises:
        UnknownName: there is no policy of that name.
    """
    dice = random.Random(f"{seed}/{task.id}/0")  # noqa: S311 - a policy, not a secret
    episode = play_policy(policy(pilot), task, dice)
    steps = []
    for turn, _, call in episode.numbered():
        violated = episode.violated_ids(call)
        steps.append(
            {
                "turn": turn,
                "call": {"name": call.tool, "arguments": json.loads(call.arguments)},
                "reply": json.loads(call.reply),
                "violated": violated,
                "cost": float(len(violated)),
            }
        )
    return {
        "task": task.id,
        "policy": pilot,
        "seed": seed,
        "end": episode.end,
        "steps": steps,
        "grade": asdict(episode.grade()),
    }
