from __future__ import annotations

import random

from acoe_gym.benchmark.generic import generic_pilot
from acoe_gym.cockpit import library

TWIN_CONTROLS = [
    f"{side}_{name}"
    for side in ("left", "right")
    for name in ("throttle", "propeller", "mixture", "cowl_flap", "fuel_selector", "fuel_pump")
]


def writes(readings: dict[str, object], controls: list[str]) -> list[tuple[str, object]]:
    """Return what the pilot writes in a cockpit that shows these readings and has these controls."""
    pilot = generic_pilot(library.task(library.task_ids()[0]), random.Random(0))
    assert next(pilot) == [("list_systems", {})]
    looks = pilot.send(
        [{"ok": True, "instruments": dict.fromkeys(readings), "controls": dict.fromkeys(controls)}]
    )
    calls = pilot.send([{"ok": True, "value": readings[arguments["component"]]} for _, arguments in looks])
    done: list[tuple[str, object]] = []
    while calls[0][0] == "set_system":
        done.append((calls[0][1]["component"], calls[0][1]["value"]))
        calls = pilot.send([{"ok": True}])
    assert calls == [("submit", {})]
    return done


def twin(**changes: object) -> dict[str, object]:
    normal = {"left_rpm": 2300, "right_rpm": 2300, "left_oil_pressure": 70, "right_oil_pressure": 70}
    return {"crew_report": [], **normal, **changes}


def test_an_overspeeding_propeller_is_feathered_on_its_side() -> None:
    done = writes(twin(left_rpm=2900), TWIN_CONTROLS)
    assert ("left_propeller", "FEATHER") in done
    assert not [name for name, _ in done if name.startswith("right_")]


def test_an_engine_fire_has_its_cowl_flap_closed() -> None:
    done = writes(twin(crew_report=["RIGHT ENGINE FIRE"]), TWIN_CONTROLS)
    assert ("right_cowl_flap", "CLOSED") in done
    assert not [name for name, _ in done if name.startswith("left_")]


def test_smoke_is_let_out_before_the_fire_is_known_to_be_out() -> None:
    done = writes({"crew_report": ["ELECTRICAL FIRE"]}, ["master_bat", "stby_batt", "cabin_vents"])
    assert done == [("master_bat", "OFF"), ("cabin_vents", "OPEN")]


def test_a_windmilling_engine_is_not_cranked_and_a_stopped_one_is() -> None:
    assert writes({"crew_report": [], "rpm": 900}, ["magnetos"]) == [("magnetos", "BOTH")]
    assert writes({"crew_report": [], "rpm": 0}, ["magnetos"]) == [
        ("magnetos", "BOTH"),
        ("magnetos", "START"),
    ]


def test_a_healthy_airplane_is_left_alone() -> None:
    assert writes({"crew_report": [], "rpm": 2300, "oil_pres": 70}, ["magnetos", "fuel_pump"]) == []


def test_dark_instruments_tell_nothing() -> None:
    assert writes({"crew_report": [], "rpm": None, "oil_pres": None}, ["magnetos"]) == []
