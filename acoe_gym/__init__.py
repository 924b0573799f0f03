"""ACOE, a deterministic, partially observable virtual cockpit, and AeroCopilotBench on it.

Importing the package registers its Gymnasium ids::

    import acoe_gym
    import gymnasium as gym

    env = gym.make("ACOE-C172S-EngineRestart-v0")
"""

from __future__ import annotations

from acoe_gym.cockpit.library import task_ids
from acoe_gym.errors import AcoeError
from acoe_gym.registration import register_manifest, register_specs
from acoe_gym.version import __version__

__all__ = ["AcoeError", "__version__", "register_specs", "task_ids"]

register_manifest()
