from __future__ import annotations

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import MAX_TURNS
from acoe_gym.play.explanation import explanation
from acoe_gym.play.saving import human_record
from acoe_gym.play.session import Session

TASK = "c172s/engine_restart/windmilling_mixture_cutoff"
MASTER_OFF = {"component": "master_bat", "value": "OFF"}
SOLUTION = (("target_airspeed", "68"), ("fuel_pump", "ON"), ("mixture", "RICH"), ("fuel_pump", "OFF"))


def explained(*writes: tuple[str, str], submit: bool = True) -> list[str]:
    session = Session(library.task(TASK))
    for name, value in writes:
        session.write(name, value)
    while not session.over:
        session.submit() if submit else session.read("rpm")
    return [passage.text for passage in explanation(human_record(session.episode))]


def test_a_success_lists_every_goal_as_met() -> None:
    texts = explained(*SOLUTION)
    assert texts[0] == "SUCCESS"
    assert next(t for t in texts if t.startswith("MET ")) == "MET engine_running (primary)"
    assert not [t for t in texts if t.startswith(("MISSED", "VIOLATED"))]


def test_a_missed_goal_tells_its_condition_and_its_fact() -> None:
    texts = explained(*SOLUTION[:-1])
    assert texts[0] == "SAFE BUT INCOMPLETE"
    place = texts.index("MISSED pump_off")
    assert texts[place + 1] == "true at the end: engine.running and fuel_pump is OFF"
    assert texts[place + 2].startswith("FUEL PUMP OFF. [")
    assert texts[place + 2].endswith(", page 3-7]")


def test_a_missed_primary_goal_is_told_to_cost_everything() -> None:
    assert "A primary goal is missed, so the goal attainment is 0." in explained()
    assert "A primary goal is missed, so the goal attainment is 0." not in explained(*SOLUTION[:-1])


def test_the_goals_that_are_met_and_the_violations_are_counted() -> None:
    words = "3 of 4 goals met at the end (goal attainment 0.75); no hard constraint violated."
    assert words in explained(*SOLUTION[:-1])
    for number, words in ((1, "1 violation of hard"), (2, "2 violations of hard")):
        texts = explained(*[("master_bat", "OFF"), ("master_bat", "ON")] * number)
        assert any(words in text for text in texts)


def test_a_goal_that_was_undone_names_the_call_that_undid_it() -> None:
    texts = explained(*SOLUTION, ("magnetos", "L"))
    assert "it was true until turn 5: set MAGNETOS (magnetos) to L" in texts


def test_the_last_call_that_undid_a_goal_is_named() -> None:
    texts = explained(*SOLUTION, ("magnetos", "L"), ("magnetos", "BOTH"), ("magnetos", "L"))
    assert "it was true until turn 7: set MAGNETOS (magnetos) to L" in texts


def test_a_violation_names_its_call_its_rule_and_its_fact() -> None:
    texts = explained(("master_bat", "OFF"), ("master_bat", "ON"), *SOLUTION)
    assert texts[0] == "UNSAFE"
    place = texts.index("VIOLATED keep_power, turn 1: set MASTER BAT (master_bat) to OFF")
    assert texts[place + 1].startswith("forbidden: master_bat, ")
    assert texts[place + 2].endswith(", page 3-27]")


@pytest.mark.parametrize(
    ("task", "place"),
    [
        ("c172s/electrical_fire/standby_armed", ", failure analysis]"),
        ("pa44/gear_extension/pump_dead", ", page not seen]"),
    ],
)
def test_a_fact_without_a_numbered_page_says_where_it_stands(task: str, place: str) -> None:
    session = Session(library.task(task))
    session.submit()
    texts = [passage.text for passage in explanation(human_record(session.episode))]
    assert any(text.endswith(place) for text in texts)


def test_a_call_that_is_not_the_first_of_its_turn_is_named_by_its_number() -> None:
    session = Session(library.task(TASK))
    session.read("rpm")
    session.turn([("get_system", {"component": "rpm"})] * 2 + [("set_system", MASTER_OFF)])
    session.submit()
    texts = [passage.text for passage in explanation(human_record(session.episode))]
    assert "VIOLATED keep_power, turn 2, call 3: set MASTER BAT (master_bat) to OFF" in texts


def test_a_play_to_the_last_turn_says_so() -> None:
    texts = explained(submit=False)
    assert "The last turn went by without submit; the cockpit was graded as it stood." in texts
    assert MAX_TURNS == 48


def test_every_task_can_be_explained() -> None:
    for task_id in library.task_ids()[::7]:
        session = Session(library.task(task_id))
        session.submit()
        passages = explanation(human_record(session.episode))
        assert [p for p in passages if p.text.startswith("MISSED")]
        assert all(p.text for p in passages)
