"""The rules on evidence made up by hand: one failed episode of a task whose reference makes four writes."""

from __future__ import annotations

from typing import Any

import pytest

from acoe_gym.benchmark.failures.facts import Evidence, Missed, Seen, Wrong
from acoe_gym.benchmark.failures.modes import DRIFT, GATING, MISSING, OTHER, PRIOR, FailureMode
from acoe_gym.benchmark.failures.rules import Habits, mode_of
from acoe_gym.benchmark.failures.telling import Sign
from acoe_gym.benchmark.trajectory import Event

STEP = ("pump", "ON")


def write(turn: int, component: str = "drain", value: object = "OPEN") -> Event:
    reply = {"ok": True, "component": component, "set": value}
    return Event(turn, 1, "set_system", {}, reply, "run", {}, (), (), (), by_harness=False)


def seen(turn: int) -> Seen:
    reply: dict[str, object] = {"ok": True, "component": "rpm", "value": 0}
    return Seen(Sign("rpm"), Event(turn, 1, "get_system", {}, reply, "run", {}, (), (), (), by_harness=False))


def missed(**changes: Any) -> Missed:
    plain: dict[str, Any] = {
        "goal": "dry", "primary": True, "omitted": (), "contrasted": (), "contrary": (), "undone": (),
        "lost": None, "seen": None,
    }  # fmt: skip
    return Missed(**{**plain, **changes})


def wrong(turn: int = 3, **changes: Any) -> Wrong:
    plain: dict[str, Any] = {
        "constraint": "hot", "act": write(turn), "seen": None, "undid": (), "stands": False, "late": False,
        "follows": False,
    }  # fmt: skip
    return Wrong(**{**plain, **changes})


def evidence(*found: Missed | Wrong, made: int = 4, acted: int = 4) -> Evidence:
    return Evidence(
        trial=0,
        made=(made, 4),
        acted=acted,
        last=write(9),
        wrongs=tuple(one for one in found if isinstance(one, Wrong)),
        missed=tuple(one for one in found if isinstance(one, Missed)),
    )


def mode(one: Evidence, trials: int = 1) -> FailureMode:
    """Return the mode of the only failed trial."""
    return mode_of(one, Habits([one], trials))


@pytest.mark.parametrize(("acted", "expected"), [(1, PRIOR), (0, OTHER)])
@pytest.mark.parametrize("kind", ["act", "violation"])
def test_a_quarter_of_the_writes_shows_a_way_of_doing_it(kind: str, acted: int, expected: str) -> None:
    found = missed(contrary=(write(3),)) if kind == "act" else wrong(stands=True)
    assert mode(evidence(found, made=0, acted=acted)).mode == expected


@pytest.mark.parametrize(("made", "expected"), [(1, PRIOR), (0, OTHER)])
def test_what_is_left_out_tells_a_wrong_idea_from_a_quarter_of_the_writes_on(
    made: int, expected: str
) -> None:
    assert mode(evidence(missed(contrasted=(STEP,)), made=made)).mode == expected


def test_less_than_a_quarter_of_the_writes_is_hardly_begun() -> None:
    assert mode(evidence(missed(omitted=(STEP,)), made=1)).mode == MISSING
    found = mode(evidence(missed(omitted=(STEP,)), made=0))
    assert found == FailureMode(OTHER, "made 0 of the 4 writes of the reference; missed dry", ((9, 1),))


def test_less_than_half_of_the_writes_is_broken_off() -> None:
    assert mode(evidence(missed(omitted=(STEP,)), made=2), trials=3).mode == DRIFT
    found = mode(evidence(missed(omitted=(STEP,)), made=1), trials=3)
    assert (found.mode, found.why) == (
        OTHER,
        "broke off after 1 of the 4 writes of the reference; missed dry",
    )


@pytest.mark.parametrize(("trials", "expected"), [(1, MISSING), (2, MISSING), (3, DRIFT)])
def test_what_half_of_all_trials_leave_out_recurs(trials: int, expected: str) -> None:
    assert mode(evidence(missed(omitted=(STEP,))), trials).mode == expected


def test_what_half_of_the_failed_trials_leave_out_does_not_recur() -> None:
    one, other = evidence(missed(omitted=(STEP,))), evidence(missed())
    assert mode_of(one, Habits([one, other], 2)).mode == DRIFT


def test_one_trial_makes_no_habit_of_an_act() -> None:
    one = evidence(wrong())
    assert mode(one).mode == OTHER
    assert mode_of(one, Habits([one, one], 2)).mode == PRIOR


def test_one_trial_makes_no_habit_of_a_reversal() -> None:
    one = evidence(missed(lost=write(5)))
    assert mode(one) == FailureMode(DRIFT, "set drain OPEN lost dry again", ((5, 1),))
    assert mode_of(one, Habits([one, one], 2)).mode == PRIOR


def test_a_violation_made_twice_is_not_revised() -> None:
    assert mode(evidence(wrong(3), wrong(5))).mode == PRIOR
    assert mode(evidence(wrong(3), wrong(5, constraint="dry"))).mode == OTHER


def test_a_violation_that_undid_what_was_done_right_is_a_slip() -> None:
    assert mode(evidence(wrong(stands=True, undid=("dry",)))).mode == DRIFT


def test_a_violation_after_the_primary_goals_is_a_slip() -> None:
    assert mode(evidence(wrong(late=True))).mode == DRIFT


def test_a_step_that_is_wrong_only_for_what_was_left_out_shows_no_wrong_idea() -> None:
    assert mode(evidence(wrong(stands=True, follows=True))).mode == OTHER


def test_a_goal_that_was_gained_and_lost_was_no_wrong_idea() -> None:
    assert mode(evidence(missed(lost=write(5), contrary=(write(6),)))).mode == DRIFT


def test_the_reading_and_what_was_done_against_it_are_both_shown() -> None:
    against = mode(evidence(wrong(5, seen=seen(2))))
    assert (against.mode, against.calls) == (GATING, ((2, 1), (5, 1)))
    submitted = mode(evidence(missed(seen=seen(2))))
    assert (submitted.mode, submitted.calls) == (GATING, ((2, 1), (9, 1)))
