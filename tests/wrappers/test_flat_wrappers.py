"""FlatActions and BeliefObservation; that they equal the Flat ids is shown in envs/test_flat_env.py."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from acoe_gym.envs.calls import flat_table
from acoe_gym.errors import UnknownName
from acoe_gym.wrappers import BeliefObservation, FlatActions

TABLE = flat_table("c172s")
WRAPPERS = [FlatActions, BeliefObservation]


@pytest.mark.filterwarnings("ignore:.*The environment .* is different from the unwrapped version")
def test_the_wrapped_text_environment_keeps_gymnasiums_rules() -> None:
    check_env(BeliefObservation(FlatActions(gym.make("ACOE-C172S-EngineRestart-v0").unwrapped)))


def test_belief_observation_learns_every_reply_of_a_turn() -> None:
    one: Any = BeliefObservation(gym.make("ACOE-C172S-v0"))
    other: Any = BeliefObservation(gym.make("ACOE-C172S-v0"))
    one.reset(seed=1)
    other.reset(seed=1)
    reads = [{"name": "get_system", "arguments": {"component": name}} for name in ("ias", "cas", "rpm")]
    together, *_ = one.step(reads)
    for read in reads:
        apart, *_ = other.step(read)
    assert np.array_equal(together[:-1], apart[:-1])
    assert (together[-1], apart[-1]) == (np.float32(1 / 48), np.float32(3 / 48))


@pytest.mark.parametrize("action", [-1, len(TABLE)])
def test_an_action_outside_the_table_is_refused(action: int) -> None:
    env = FlatActions(gym.make("ACOE-C172S-v0"))
    env.reset(seed=0)
    with pytest.raises(IndexError, match=f"expected an action of 0 to {len(TABLE) - 1}, got {action}"):
        env.step(np.int64(action))


def test_masks_are_fresh_and_forgotten_at_a_reset() -> None:
    env = FlatActions(gym.make("ACOE-C172S-v0"))
    env.reset(seed=0)
    ask = TABLE.index(("get_system", {"component": "rpm"}))
    env.step(np.int64(ask))
    mask = env.action_masks()
    assert not mask[ask]
    mask[:] = False
    assert env.action_masks().sum() == len(TABLE) - 1
    env.reset()
    assert env.action_masks().all()


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_an_environment_of_another_kind_is_refused(wrapper: Any) -> None:
    for name, kind in (("CartPole-v1", "CartPoleEnv"), ("ACOE-C172S-Flat-v0", "FlatCockpitEnv")):
        with pytest.raises(UnknownName, match=f"expected an ACOE text environment below, got {kind}"):
            wrapper(gym.make(name))


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_an_environment_of_several_aircraft_is_refused(wrapper: Any, pump: object) -> None:
    with pytest.raises(UnknownName, match="one aircraft, got c172s, pa44, pump"):
        wrapper(gym.make("ACOE-v0"))
