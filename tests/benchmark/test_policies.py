from __future__ import annotations

import pytest

from acoe_gym.benchmark.policies import POLICIES, policy
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.runner import Plan, run
from acoe_gym.cockpit import library
from acoe_gym.cockpit.metrics import Summary, aggregate
from acoe_gym.errors import UnknownName


def flown(name: str, trials: int = 1) -> Summary:
    return aggregate(results_of(run(Plan(name, library.task_ids(), trials))))


def test_reference_solves_every_task_without_a_violation() -> None:
    summary = flown("reference")
    assert (summary.sr.value, summary.scr.value) == (1.0, 1.0)


def test_whole_list_is_safe_on_every_task() -> None:
    assert flown("whole-list").scr.value == 1.0


@pytest.mark.parametrize("name", ["noop", "read-only", "submit"])
def test_doing_nothing_earns_nothing_and_is_safe(name: str) -> None:
    summary = flown(name)
    assert (summary.sr.value, summary.sgo.value, summary.scr.value) == (0.0, 0.0, 1.0)


def test_generic_pilot_solves_few_tasks_and_is_unsafe_in_every_electrical_fire() -> None:
    summary = flown("generic")
    assert 0 < summary.sr.value <= 0.30
    assert {row.name: row.scr for row in summary.templates} == {
        "c172s/electrical_fire": 0.0,
        "c172s/engine_restart": 1.0,
    }


def test_random_solves_next_to_nothing() -> None:
    summary = flown("random", trials=20)
    assert summary.sr.value <= 0.01
    assert summary.unsafe > 0.3


def test_random_draws_calls_in_the_documented_shares() -> None:
    records = run(Plan("random", library.task_ids(), 20))
    calls = [call["name"] for record in records for turn in record["turns"] for call in turn]
    shares = {name: calls.count(name) / len(calls) for name in ("set_system", "get_system", "submit")}
    # Of 100 turns 2 submit; of the episodes that nobody ends before, the last turn submits.
    assert shares["set_system"] == pytest.approx(0.80, abs=0.02)
    assert shares["get_system"] == pytest.approx(0.16, abs=0.02)
    assert 0.01 < 1 - sum(shares.values()) < 0.03


def test_random_asks_for_nothing_that_is_rejected() -> None:
    summary = aggregate(results_of(run(Plan("random", library.task_ids(), 5))))
    # What it misses are informational tools that are irrelevant: 2 of 100 calls.
    assert summary.tool_selection.pooled is not None
    assert summary.tool_selection.pooled > 0.97


def test_an_unknown_policy_is_refused_naming_the_nearest() -> None:
    with pytest.raises(UnknownName, match="got 'refrence'; nearest: reference"):
        policy("refrence")


def test_policies_are_named_as_the_command_line_documents() -> None:
    assert list(POLICIES) == ["reference", "whole-list", "generic", "random", "read-only", "submit", "noop"]
