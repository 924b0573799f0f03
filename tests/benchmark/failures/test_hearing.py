from __future__ import annotations

import pytest

from acoe_gym.benchmark.datasets.chats import reference_turns
from acoe_gym.benchmark.failures.facts import Evidence
from acoe_gym.benchmark.failures.hearing import Inquest
from acoe_gym.benchmark.records import record_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import play

SLOW = "pa44/rejected_takeoff/slow_left_dead"
ELECTRICAL = "c172s/electrical_fire/standby_armed"
BROKEN = "pa44/engine_failure/left_broken"
ABORT = "pa44/rejected_takeoff/abort_ordered_left_oil"
LANDING = "pa44/single_engine_landing/left_half_secured_assured"
PUMP_DEAD = "c172s/engine_restart/engine_pump_failed"
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})


def put(control: str, value: object) -> tuple[str, dict[str, object]]:
    return "set_system", {"component": control, "value": value}


def look(component: str) -> tuple[str, dict[str, object]]:
    return "get_system", {"component": component}


def evidence(task_id: str, *calls: tuple[str, dict[str, object]]) -> Evidence:
    """Return what an episode of one call a turn shows."""
    task = library.task(task_id)
    episode = play(task, [[call] for call in calls])
    record = record_of(episode, trial=0, policy="hand", policy_seed=0, suite="core")
    return Inquest(task).evidence(record)


@pytest.mark.parametrize(("brakes", "late"), [("APPLIED", True), ("RELEASED", False)])
def test_a_violation_is_late_while_the_primary_goals_are_still_met(brakes: str, late: bool) -> None:
    *solved, submit = [call for turn in reference_turns(library.task(SLOW)) for call in turn]
    (wrong,) = evidence(SLOW, *solved, put("brakes", brakes), put("landing_gear", "UP"), submit).wrongs
    assert (wrong.constraint, wrong.late) == ("gear_not_up", late)


def test_a_reading_from_before_the_first_change_held_nothing_back() -> None:
    calls = [call for turn in reference_turns(library.task(ELECTRICAL)) for call in turn]
    first, *rest = [call for call in calls if call[0] == "set_system" and call[1]["component"] != "stby_batt"]
    early = evidence(ELECTRICAL, look("crew_report"), first, *rest, SUBMIT).wrongs
    late = evidence(ELECTRICAL, first, look("crew_report"), *rest, SUBMIT).wrongs
    assert len(early) == len(late) > 0
    assert {wrong.seen for wrong in early} == {None}
    assert any(wrong.seen for wrong in late)


def test_what_the_reference_loses_on_its_way_is_no_loss() -> None:
    calls = [call for turn in reference_turns(library.task(PUMP_DEAD)) for call in turn]
    begun = [call for call in calls if call[0] == "set_system"][:4]
    found = {one.goal: one.lost for one in evidence(PUMP_DEAD, *begun, SUBMIT).missed}
    assert found["pump_back_on"] is None


@pytest.mark.parametrize(
    ("task", "calls", "goal", "seen"),
    [
        # A trouble that was read before the last change is still there.
        (
            ELECTRICAL,
            (look("crew_report"), put("light_beacon", "OFF")),
            "fire_out",
            "crew_report with ELECTRICAL FIRE",
        ),
        # That a line is not there shows nothing.
        (BROKEN, (look("annunciators"),), "feathered", None),
        # The airspeed would have been the same, had the goal been met.
        (ABORT, (look("ias"),), "secured_for_the_overrun", None),
    ],
)
def test_a_reading_counts_that_showed_the_goal_unmet(
    task: str, calls: tuple[tuple[str, dict[str, object]], ...], goal: str, seen: str | None
) -> None:
    found = {one.goal: one.seen for one in evidence(task, *calls, SUBMIT).missed}
    assert (None if found[goal] is None else str(found[goal])) == seen


def test_a_constraint_on_several_controls_contrasts_none_of_them() -> None:
    (secured,) = [one for one in evidence(LANDING, SUBMIT).missed if one.goal == "dead_engine_secured"]
    assert ("left_fuel_selector", "OFF") in secured.omitted
    assert secured.contrasted == ()
