"""Tokens of a run, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.runs import Run, tokens_of

MILLION = 1_000_000


@dataclass(frozen=True)
class TokenUse:
    """Mean tokens per episode; a mean is None as soon as one episode lacks its figure.

    Attributes:
        episodes: finished episodes.
        told: those whose server counted prompt and completion in every turn.
        prompt, completion: means over the episodes of the sums over turns.
        cached: the part of ``prompt`` that the server had in its cache.
        cost: mean price of an episode in the currency of the prices, cached tokens at the full price; None
            where tokens or prices are not known.
        total_cost: price of all finished episodes.
    """

    episodes: int
    told: int
    prompt: float | None
    completion: float | None
    cached: float | None
    cost: float | None
    total_cost: float | None


def token_use(run: Run) -> TokenUse:
    """Return what the finished episodes of a run used."""
    used = [tokens_of(record) for record in run.records]
    prompt, completion = _mean(t.prompt for t in used), _mean(t.completion for t in used)
    cost = _cost(run, prompt, completion)
    return TokenUse(
        episodes=len(used),
        told=sum(t.prompt is not None and t.completion is not None for t in used),
        prompt=prompt,
        completion=completion,
        cached=_mean(t.cached for t in used),
        cost=cost,
        total_cost=None if cost is None else cost * len(used),
    )


def spent(record: Record) -> int | None:
    """Return prompt and completion tokens of an episode together, None where the server did not say."""
    tokens = tokens_of(record)
    if tokens.prompt is None or tokens.completion is None:
        return None
    return tokens.prompt + tokens.completion


def _mean(values: Iterable[int | None]) -> float | None:
    listed = list(values)
    known = [value for value in listed if value is not None]
    return sum(known) / len(known) if known and len(known) == len(listed) else None


def _cost(run: Run, prompt: float | None, completion: float | None) -> float | None:
    """Return the price of an episode; prices are per million tokens."""
    price_in, price_out = run.about.get("price_in"), run.about.get("price_out")
    if prompt is None or completion is None or price_in is None or price_out is None:
        return None
    return (float(price_in) * prompt + float(price_out) * completion) / MILLION
