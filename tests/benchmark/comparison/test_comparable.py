from __future__ import annotations

from collections.abc import Callable

from acoe_gym.benchmark.comparison.comparable import names
from acoe_gym.benchmark.runs import Run


def test_runs_of_one_name_and_one_folder_are_numbered_from_1(made: Callable[..., Run]) -> None:
    twin, other = made({"a/t/one": "S"}, "twin"), made({"a/t/one": "S"}, "other")
    assert names([twin, other, twin]) == ["twin (twin) #1", "other", "twin (twin) #2"]
