from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from acoe_gym.benchmark.runs import Run, known_tokens, lost
from acoe_gym.benchmark.tokens import TokenUse, token_use

Made = Callable[..., Run]
ONE = {"a/t/one": "SF"}
FEW = {"usage": {"prompt": 1000, "completion": 100, "cached": 400, "total": 1100}}
MORE = {"usage": {"prompt": 3000, "completion": 300, "cached": 0, "total": 3300}}


def test_tokens_are_means_per_episode_and_priced_per_million(made: Made) -> None:
    prices = {"price_in": 2.0, "price_out": 10.0}
    run = made(ONE, "m", {("a/t/one", 0): FEW, ("a/t/one", 1): MORE}, about=prices)
    used = token_use(run)
    assert (used.episodes, used.told, used.prompt, used.completion, used.cached) == (2, 2, 2000, 200, 200)
    assert used.total == 2200
    assert (used.cost, used.total_cost) == pytest.approx((0.006, 0.012))


def test_one_silent_episode_leaves_its_mean_unknown(made: Made) -> None:
    silent = {"usage": {"prompt": 3000, "completion": None}}
    run = made(ONE, "m", {("a/t/one", 0): FEW, ("a/t/one", 1): silent}, about={"price_in": 1, "price_out": 1})
    assert token_use(run) == TokenUse(2, 1, 2000, None, None, None, None, None, 0)


def test_the_known_part_of_what_turns_used_is_summed() -> None:
    both = {"usage": {"prompt": 10, "completion": 2, "cached": None, "total": 12}}
    half = {"usage": {"prompt": 5, "completion": None, "cached": None, "total": None}}
    whole = {"usage": {"prompt": None, "completion": None, "cached": None, "total": 7}}
    assert known_tokens([both, half, whole, {"usage": None}]) == {"prompt": 15, "completion": 2, "total": 24}
    assert known_tokens([{"usage": None}, {}]) is None


@pytest.mark.parametrize("line", [{}, {"usage": None}, {"usage": "many"}, {"usage": {"total": "9"}}], ids=str)
def test_a_line_of_an_error_without_figures_lost_nothing(line: dict[str, object]) -> None:
    assert lost(line) == {"prompt": 0, "completion": 0, "total": 0}


def test_a_run_without_a_model_has_no_tokens(made: Made) -> None:
    assert token_use(made(ONE)) == TokenUse(2, 0, None, None, None, None, None, None, 0)


def test_a_price_beyond_all_numbers_costs_nothing_that_can_be_told(made: Made) -> None:
    used = token_use(made(ONE, everywhere=FEW, about={"price_in": float("inf"), "price_out": 1.0}))
    assert (used.cost, used.total_cost) == (None, None)


def test_without_prices_there_is_no_cost(made: Made) -> None:
    used = token_use(made(ONE, everywhere=FEW, about={"price_in": 1.0}))
    assert (used.prompt, used.cost, used.total_cost) == (1000, None, None)


def test_what_failed_attempts_used_is_summed_and_in_no_mean(made: Made) -> None:
    run = made(ONE, everywhere=FEW)
    lines = tuple({"usage": {"prompt": 40, "completion": 2, "total": n}} for n in (42, 50))
    used = token_use(replace(run, errors=lines))
    assert (used.lost, used.total) == (92, 1100)
