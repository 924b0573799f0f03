from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.benchmark.comparison.flips import chance_share

TASKS = st.lists(
    st.integers(2, 5).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=12
)


def test_what_never_varies_within_a_task_never_flips() -> None:
    assert chance_share([(3, 3), (0, 3)], [(3, 3)] * 2) == 0.0


def test_tasks_that_differ_no_more_than_coins_flip_like_coins() -> None:
    # One of three heads or none, against two or three: half of the pairs.
    assert chance_share([(1, 2), (1, 2)], [(3, 3)]) == pytest.approx(0.5, abs=1e-3)
    assert chance_share([(1, 2), (1, 2)], [(1, 1)]) == pytest.approx(0.5, abs=1e-3)


def test_a_tie_is_no_flip() -> None:
    # Two coins each: both heads against both tails, twice 1/16.
    assert chance_share([(1, 2), (1, 2)], [(2, 2)]) == pytest.approx(1 / 8, abs=1e-3)


@given(TASKS)
def test_the_share_is_one_and_the_same_for_successes_and_failures(tasks: list[tuple[int, int]]) -> None:
    sizes = [(n, n) for _, n in tasks]
    share = chance_share(tasks, sizes)
    assert 0 <= share <= 0.5 + 1e-6
    assert chance_share([(n - hits, n) for hits, n in tasks], sizes) == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize("shape", [(0.3, 0.3), (1.0, 1.0), (5.0, 2.0)])
@pytest.mark.parametrize("episodes", [2, 3, 5])
def test_the_share_agrees_with_what_pairs_of_runs_show(shape: tuple[float, float], episodes: int) -> None:
    rng = random.Random(episodes)
    seen = told = 0.0
    for _ in range(40):
        chances = [rng.betavariate(*shape) for _ in range(73)]
        one, two = ([sum(rng.random() < p for _ in range(episodes)) for p in chances] for _ in range(2))
        seen += sum((2 * a - episodes) * (2 * b - episodes) < 0 for a, b in zip(one, two, strict=True)) / 73
        told += chance_share([(hits, episodes) for hits in one], [(episodes, episodes)] * 73)
    assert told / 40 == pytest.approx(seen / 40, abs=0.03)


def test_where_many_tasks_are_always_or_never_solved_the_share_is_up_to_a_third_too_low() -> None:
    rng = random.Random(3)
    seen = told = 0.0
    chances = [0.5 if n % 3 == 0 else float(n % 3 - 1) for n in range(73)]
    for _ in range(60):
        one, two = ([sum(rng.random() < p for _ in range(3)) for p in chances] for _ in range(2))
        seen += sum((2 * a - 3) * (2 * b - 3) < 0 for a, b in zip(one, two, strict=True))
        told += 73 * chance_share([(hits, 3) for hits in one], [(3, 3)] * 73)
    assert 0.6 <= told / seen <= 0.75
