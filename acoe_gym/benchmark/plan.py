"""What a run is, and everything that decides what its records hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acoe_gym.benchmark.records import RECORD_VERSION
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.protocol import hash_tree
from acoe_gym.cockpit.task import digest
from acoe_gym.version import __version__


@dataclass(frozen=True)
class Plan:
    """What a run is; two runs of one plan write the same records; with one thread in the same order.

    Attributes:
        policy: name of the policy, a built-in one unless `run` is given a pilot.
        tasks: task ids.
        trials: episodes per task.
        seed: of the policy; every episode draws from a generator of its own.
        suite: ``core`` or ``generated``.
        settings: what else decides what the records hold: of a model its name, endpoint, parameters, harness.
    """

    policy: str
    tasks: tuple[str, ...]
    trials: int = 1
    seed: int = 0
    suite: str = "core"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def episodes(self) -> list[tuple[str, int]]:
        """Return (task id, trial) of every episode, in order."""
        return [(task_id, trial) for task_id in self.tasks for trial in range(self.trials)]

    def configuration(self) -> dict[str, Any]:
        """Return everything that decides what the records hold."""
        return {
            "record_version": RECORD_VERSION,
            "policy": self.policy,
            "suite": self.suite,
            "tasks": list(self.tasks),
            "trials": self.trials,
            "seed": self.seed,
            "package": __version__,
            "trees": self._trees(),
            **({"settings": dict(self.settings)} if self.settings else {}),
        }

    def _trees(self) -> dict[str, str]:
        """Return part of the hash tree -> its hash over all tasks."""
        trees = [hash_tree(task_of(task_id)) for task_id in self.tasks]
        return {part: digest([tree[part] for tree in trees]) for part in (trees[0] if trees else ())}
