from __future__ import annotations

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import POLICIES, policy
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit import library
from acoe_gym.cockpit.metrics import aggregate
from acoe_gym.errors import UnknownName

# The first task of every template.
SAMPLE = tuple(library.task_ids(template)[0] for template in library.template_ids())


def test_random_draws_calls_in_the_documented_shares() -> None:
    records = run(Plan("random", SAMPLE, 25))
    calls = [call["name"] for record in records for turn in record["turns"] for call in turn]
    shares = {name: calls.count(name) / len(calls) for name in ("set_system", "get_system", "submit")}
    # Of 100 turns 2 submit; of the episodes that nobody ends before, the last turn submits.
    assert shares["set_system"] == pytest.approx(0.80, abs=0.02)
    assert shares["get_system"] == pytest.approx(0.16, abs=0.02)
    assert 0.01 < 1 - sum(shares.values()) < 0.03


def test_random_asks_for_nothing_that_is_rejected() -> None:
    summary = aggregate(results_of(run(Plan("random", SAMPLE, 10))))
    # What it misses are informational tools that are irrelevant: 2 of 100 calls.
    assert summary.tool_selection.pooled is not None
    assert summary.tool_selection.pooled > 0.97


def test_an_unknown_policy_is_refused_naming_the_nearest() -> None:
    with pytest.raises(UnknownName, match="got 'refrence'; nearest: reference"):
        policy("refrence")


def test_policies_are_named_as_the_command_line_documents() -> None:
    assert list(POLICIES) == ["reference", "whole-list", "generic", "random", "read-only", "submit", "noop"]
