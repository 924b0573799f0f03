from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acoe_gym.benchmark.comparison.resampling import deal
from acoe_gym.cockpit.metrics import RESAMPLES


class Loaded:
    """Dice that leave the first of three episodes in its place so many times, and else put it last."""

    def __init__(self, times: int) -> None:
        self.times = times

    def random(self, shape: tuple[int, int]) -> Any:
        first, last = [0.0, 0.1, 0.2], [0.3, 0.1, 0.2]
        assert shape == (RESAMPLES, 3)
        return np.array([first] * self.times + [last] * (RESAMPLES - self.times))


@pytest.mark.parametrize(("times", "noise"), [(50, 0.5), (51, 1.0)])
def test_one_deal_in_twenty_may_differ_by_more(times: int, noise: float) -> None:
    # One success of three: alone it differs by 1 from two failures, else by a half.
    first, second = np.array([[[1.0, 1.0]]]), np.array([[[0.0, 1.0]]] * 2)
    dice: Any = Loaded(times)
    assert deal([first], [second], np.array([[True]]), dice) == [noise]
