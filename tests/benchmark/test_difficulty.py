from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.benchmark.difficulty import Correlation, TaskDifficulty, difficulty, spearman
from acoe_gym.benchmark.runs import Run
from acoe_gym.cockpit.results import EpisodeResult

Made = Callable[..., Run]
ONE = {"a/t/one": "SS", "a/t/two": "SF", "a/u/one": "UU", "a/u/two": "FFFS"}
TWO = {"a/t/one": "SS", "a/t/two": "UU", "a/u/one": "FF", "a/u/two": "SFFF"}
EDGES = {
    "a/t/quarter": "SFFF",
    "a/t/more": "SSFFF",
    "a/t/three": "SSSF",
    "a/t/most": "SSSSF",
    "a/t/less": "SSFFFFF",
}


def results(made: Made, **models: dict[str, str]) -> dict[str, list[EpisodeResult]]:
    return {name: made(outcomes, name).results() for name, outcomes in models.items()}


def test_difficulty_as_computed_by_hand(made: Made) -> None:
    found = difficulty(results(made, one=ONE, two=TWO))
    assert found.tasks == (
        TaskDifficulty("a/u/one", 0.0, 0.5),
        TaskDifficulty("a/t/two", 0.25, 0.5),
        TaskDifficulty("a/u/two", 0.25, 1.0),
        TaskDifficulty("a/t/one", 1.0, 1.0),
    )
    assert (found.lowest, found.highest, found.success, found.safe) == (0.0, 1.0, 0.375, 0.75)
    assert (found.hard, found.easy, found.never, found.always) == (3, 1, 1, 1)
    assert found.mixed == 3 / 8


def test_a_quarter_is_hard_and_three_quarters_are_not_easy_yet(made: Made) -> None:
    found = difficulty(results(made, one=EDGES))
    assert (found.hard, found.easy, found.always) == (1, 1, 0)


def test_a_task_that_one_model_missed_once_is_not_always_solved(made: Made) -> None:
    one, two = {"a/t/one": "SS", "a/t/two": "SS"}, {"a/t/one": "SS", "a/t/two": "SF"}
    found = difficulty(results(made, one=one, two=two))
    assert found.always == 1


def test_only_tasks_that_every_model_flew_are_rated(made: Made) -> None:
    found = difficulty(results(made, one=ONE, two={"a/t/one": "S", "b/x/y": "S"}))
    assert [row.task for row in found.tasks] == ["a/t/one"]
    with pytest.raises(ValueError, match="expected a task that every model flew, got none"):
        difficulty(results(made, one=ONE, two={"b/x/y": "S"}))


def test_models_that_find_the_same_tasks_hard_correlate(made: Made) -> None:
    found = difficulty(results(made, one=ONE, same=ONE, flat=dict.fromkeys(ONE, "S")))
    assert [(pair.a, pair.b) for pair in found.correlations] == [
        ("one", "same"),
        ("one", "flat"),
        ("same", "flat"),
    ]
    assert found.correlations[0].rho == pytest.approx(1.0)
    assert found.correlations[1] == Correlation("one", "flat", None)
    assert found.mean_correlation == pytest.approx(1.0)


def test_one_model_has_no_correlation(made: Made) -> None:
    found = difficulty(results(made, one=ONE))
    assert (found.correlations, found.mean_correlation) == ((), None)


def test_the_order_of_episodes_does_not_matter(made: Made) -> None:
    models = results(made, one=ONE, two=TWO)
    shuffled = {name: random.Random(0).sample(listed, len(listed)) for name, listed in models.items()}
    assert difficulty(shuffled) == difficulty(models)


def test_ties_share_their_mean_rank() -> None:
    # Ranks 1.5 1.5 3 and 1 2 3: covariance 1.5, variances 1.5 and 2.
    assert spearman([0.0, 0.0, 1.0], [0.1, 0.2, 0.3]) == pytest.approx(1.5 / (1.5 * 2) ** 0.5)
    assert spearman([1, 2, 3], [9, 5, 1]) == pytest.approx(-1.0)
    assert spearman([1.0], [2.0]) is None


SHARES = st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 2 / 3, 1.0])


@given(st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=12))
def test_the_rank_correlation_is_that_of_scipy(pairs: list[tuple[float, float]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    one, two = zip(*pairs, strict=True)
    rho = spearman(one, two)
    if len(set(one)) == 1 or len(set(two)) == 1:
        assert rho is None
    else:
        assert rho == pytest.approx(stats.spearmanr(one, two).statistic)
