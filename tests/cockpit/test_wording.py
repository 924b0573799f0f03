from __future__ import annotations

from pathlib import Path

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.expressions import BOOL, parse
from acoe_gym.cockpit.relevance import fixed
from acoe_gym.cockpit.wording import Wording


@pytest.fixture
def wording(pump: Path) -> Wording:
    return Wording(library.template("pump/priming").names, {})


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("drain == SHUT", "drain is SHUT"),
        ("drain > SHUT", "drain is above SHUT"),
        ("not running", "not running"),
        ("not (running or hot)", "not (running or hot)"),
        ("running and (hot or level >= 2.5)", "running and (hot or level is at least 2.5)"),
        ("not drain == SHUT", "drain is not SHUT"),
        ("not level < 2", "level is at least 2"),
        ("running and drain in (HALF, OPEN)", "running and (drain is HALF or OPEN)"),
        ("2 <= level < 4", "2 <= level < 4"),
        ("drain in (HALF, OPEN)", "drain is HALF or OPEN"),
        ("'HOT' in alarms", "alarms shows HOT"),
        ("'HOT' not in alarms", "alarms does not show HOT"),
        ("speed * 2 + 1 != 3", "(speed * 2) + 1 is not 3"),
        ("(1 if hot else 2) == 1", "1 if hot, else 2 is 1"),
        ("true", "always"),
    ],
)
def test_conditions_in_words(wording: Wording, condition: str, words: str) -> None:
    assert wording.condition(parse(condition, wording.names, BOOL, "test")) == words


@pytest.mark.parametrize(
    ("constraint", "phrases"),
    [
        ("keep_power", ["power to OFF, while running"]),
        ("never_hot", ["any write after which hot"]),
    ],
)
def test_constraints_in_words(wording: Wording, constraint: str, phrases: list[str]) -> None:
    (found,) = [c for c in library.template("pump/priming").constraints if c.id == constraint]
    assert wording.constraint(found) == phrases


def test_controls_that_are_asked_alike_share_a_phrase() -> None:
    template = library.template("c172s/engine_restart")
    phrases = Wording(template.names, {}).constraint(template.constraints[1])
    assert phrases[0] == (
        "fuel_shutoff, magnetos to OFF; mixture to a value below 20, while not engine.running"
    )


def test_what_a_task_settles_is_left_out_and_a_side_is_named() -> None:
    task = library.task("pa44/engine_failure/left_broken")
    told = Wording(task.program.template.names, fixed(task))
    goals = {goal.id: told.condition(goal.that) for goal in map(task.goal, task.goals)}
    assert goals["throttle_closed"] == "left.prop.feathered and left_throttle is at most 5"


def test_triggers_that_cannot_be_met_in_a_task_are_left_out() -> None:
    task = library.task("pa44/engine_failure/left_broken")
    told = Wording(task.program.template.names, fixed(task))
    for constraint in map(task.constraint, task.constraints):
        if constraint.id == "secure_only_what_stays_dead":
            (phrase,) = told.constraint(constraint)
            assert "right_" not in phrase


@pytest.mark.parametrize("template_id", library.template_ids())
def test_every_condition_of_every_template_has_words(template_id: str) -> None:
    template = library.template(template_id)
    told = Wording(template.names, {})
    for goal in template.goals:
        assert told.condition(goal.that)
    for constraint in template.constraints:
        assert len(told.constraint(constraint)) == len(constraint.triggers)
