"""The example's recipe learns, and its parts do what they say."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

pytestmark = pytest.mark.rl

FLAT = "ACOE-C172S-EngineRestart-Flat-v0"
EXAMPLE = Path(__file__).parents[2] / "examples" / "train_sb3.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_sb3", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def success_and_safety(example: ModuleType, model: Any) -> tuple[float, float]:
    """Return SR and SCR on 200 variants that were not trained on."""
    summary = example.evaluate(model, FLAT, "generated", 200, seed=10_000).summary()
    return summary.sr.value, summary.scr.value


def test_a_seeded_run_learns_to_succeed_safely_on_unseen_variants(example: ModuleType) -> None:
    copied, _ = success_and_safety(example, example.train(FLAT, steps=0, seed=0))
    begun = time.process_time()  # one thread: what the run takes on a machine that does nothing else
    model = example.train(FLAT, seed=0)
    took = time.process_time() - begun
    success, safe = success_and_safety(example, model)
    assert success >= 0.9
    assert safe >= 0.9
    assert success > copied, "the trials taught nothing beyond the demonstrations"
    assert took < 90


def test_the_same_seed_trains_the_same_policy(example: ModuleType) -> None:
    first, second = (example.train(FLAT, steps=2048, seed=3, demonstrations=2) for _ in range(2))
    ours, theirs = (model.policy.state_dict() for model in (first, second))
    assert all(np.array_equal(ours[name].numpy(), theirs[name].numpy()) for name in ours)


def test_a_demonstration_is_allowed_by_the_mask_and_its_last_return_is_the_success(
    example: ModuleType,
) -> None:
    observations, masks, actions, returns = example.demonstrate(example.training_env(FLAT, 1.0), 1, seed=0)
    assert len(observations) == len(masks) == len(actions) == len(returns)
    assert masks[range(len(actions)), actions].all()
    assert returns[-1] == 1.0
