from __future__ import annotations

from acoe_gym.benchmark.datasets.chats import reference_turns
from acoe_gym.benchmark.trajectory import trajectory_of
from acoe_gym.cockpit import library

TASK = "c172s/engine_restart/stopped_prop_left_tank"


def put(component: str, value: object) -> tuple[object, object]:
    return "set_system", {"component": component, "value": value}


def test_each_call_has_its_place_its_maker_and_what_it_did() -> None:
    turns = [
        [("get_system", {"component": "rpm"}), put("fuel_pump", "ON")],
        [put("fuel_pump", "OFF"), put("fuel_pump", "OFF")],
    ]
    events = trajectory_of(library.task(TASK), turns, [frozenset({1})]).events
    assert [(e.turn, e.number, e.by_harness) for e in events] == [
        (1, 1, False), (1, 2, True), (2, 1, False), (2, 2, False),
    ]  # fmt: skip
    assert [e.changed.get("fuel_pump") for e in events] == [None, ("OFF", "ON"), ("ON", "OFF"), None]
    assert [e.outcome for e in events] == ["run", "run", "run", "unchanged"]


def test_a_goal_is_gained_once_and_lost_once() -> None:
    task = library.task(TASK)
    *solved, submit = reference_turns(task)
    flown = trajectory_of(task, [*solved, [put("fuel_pump", "ON")], [put("fuel_pump", "OFF")], submit])
    met = set(flown.met_at_start)
    for event in flown.events:
        assert not met & set(event.gained)
        assert set(event.lost) <= met
        met = (met | set(event.gained)) - set(event.lost)
    assert met == set(flown.episode.grade().goals_met)
    assert "pump_off" in flown.events[-3].lost
