"""The generic pilot: textbook flows for the class of airplane, without the particulars of the type on board.

It looks around once, listens to the captain, picks the flow that any textbook has for that, works it to the
end in order, and trusts that it worked. What it gets wrong is what the paper saw language models get wrong
(arXiv:2608.16349, section 5.2.4 and appendix C); each place is marked with the paper's word for it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from acoe_gym.benchmark.generic import single, twin
from acoe_gym.benchmark.generic.scene import Flow, Scene
from acoe_gym.cockpit.procedure import Turns
from acoe_gym.cockpit.task import Task

LOOKS = ("crew_report", *single.LOOKS, *twin.LOOKS)


def generic_pilot(task: Task, rng: random.Random) -> Turns:  # noqa: ARG001 - every policy is called alike
    """Look around once, work the flow of the first trouble seen, one write a turn, and submit."""
    listed = (yield [("list_systems", {})])[0]
    looks = [name for name in LOOKS if name in listed["instruments"]]
    replies = yield [("get_system", {"component": name}) for name in looks]
    seen = {name: reply.get("value") for name, reply in zip(looks, replies, strict=True)}
    scene = Scene(task.briefing.lower(), seen, _positions(listed))
    for name, value in _flow(scene):
        if name in scene.controls:
            yield [("set_system", {"component": name, "value": value})]
    # Long-horizon drift: what the captain wants looked up is forgotten.
    yield [("submit", {})]


def _flow(scene: Scene) -> Flow:
    twins = "left_throttle" in scene.controls
    return twin.twin_flow(scene) if twins else single.single_flow(scene)


def _positions(listed: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return control -> positions, read from a listing's texts such as ``FLAPS: UP|10|20|FULL``."""
    controls = {name: text.rpartition(": ")[2].split("|") for name, text in listed["controls"].items()}
    return {**controls, **{name: ["IN", "OUT"] for name in listed.get("breakers IN|OUT", {})}}
