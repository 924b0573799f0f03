"""Tokens of a run, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.runs import Run, lost, tokens_of

MILLION = 1_000_000


@dataclass(frozen=True)
class TokenUse:
    """Mean tokens per episode; a mean is None as soon as one episode lacks its figure.

    Attributes:
        episodes: finished episodes.
        told: those whose server counted the tokens of every turn.
        prompt, completion: means over the episodes of the sums over turns.
        cached: the part of ``prompt`` that the server had in its cache.
        total: prompt and completion, or what a server counts that tells the sum alone.
        cost: mean price of an episode in the currency of the prices, cached tokens at the full price; None
            where tokens or prices are not known.
        total_cost: price of all finished episodes.
        lost: tokens of attempts that the infrastructure ended, as far as they were counted; in no mean.
    """

    episodes: int
    told: int
    prompt: float | None
    completion: float | None
    cached: float | None
    total: float | None
    cost: float | None
    total_cost: float | None
    lost: int


def token_use(run: Run) -> TokenUse:
    """Return what the finished episodes of a run used."""
    used = [tokens_of(record) for record in run.records]
    cost = _mean(price(record, run.about) for record in run.records)
    return TokenUse(
        episodes=len(used),
        told=sum(t.total is not None for t in used),
        prompt=_mean(t.prompt for t in used),
        completion=_mean(t.completion for t in used),
        cached=_mean(t.cached for t in used),
        total=_mean(t.total for t in used),
        cost=cost,
        total_cost=None if cost is None else cost * len(used),
        lost=sum(lost(line)["total"] for line in run.errors),
    )


def price(record: Record, about: Mapping[str, Any]) -> float | None:
    """Return what an episode costs, None where tokens or prices are not known.

    Args:
        record: the episode.
        about: of its run, with ``price_in`` and ``price_out`` per million tokens.
    """
    used = tokens_of(record)
    price_in, price_out = about.get("price_in"), about.get("price_out")
    if not isinstance(price_in, int | float) or not isinstance(price_out, int | float):
        return None
    if used.prompt is None or used.completion is None:
        return None
    money = (used.prompt * price_in + used.completion * price_out) / MILLION
    return money if math.isfinite(money) else None


def _mean(values: Iterable[float | None]) -> float | None:
    listed = list(values)
    known = [value for value in listed if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(listed) else None
