from __future__ import annotations

import random
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acoe_gym.benchmark.generic.pilot import generic_pilot
from acoe_gym.cockpit.task import Task

Writes = list[tuple[str, object]]
SIDES = ("left", "right")
LISTED = {
    "flaps": "FLAPS: UP|10|20|FULL",
    "brakes": "CAPTAIN: BRAKES: RELEASED|APPLIED|MAX",
    "fire_extinguisher": "EXTINGUISHER: STOWED|DISCHARGED",
    "emergency_gear_extension": "EMERGENCY GEAR KNOB: STOWED|PULLED",
}
TWIN = [
    f"{side}_{name}"
    for side in SIDES
    for name in (
        "throttle", "propeller", "mixture", "cowl_flap", "carb_heat",
        "fuel_selector", "fuel_pump", "magneto_left", "magneto_right", "alternator",
    )
]  # fmt: skip


def writes(
    controls: list[str], seen: Mapping[str, object], words: str = "", breakers: tuple[str, ...] = ()
) -> Writes:
    """Return what the pilot writes in a cockpit with these controls that shows and tells it this.

    Its task has a briefing and nothing else: whatever more it looked at would be an error.
    """
    pilot = generic_pilot(cast("Task", SimpleNamespace(briefing=words)), random.Random(0))
    assert next(pilot) == [("list_systems", {})]
    listing: dict[str, Any] = {
        "ok": True,
        "instruments": dict.fromkeys(seen, ""),
        "controls": {name: LISTED.get(name, name) for name in controls},
        "breakers IN|OUT": dict.fromkeys(breakers, ""),
    }
    looks = pilot.send([listing])
    calls = pilot.send([{"ok": True, "value": seen[arguments["component"]]} for _, arguments in looks])
    done: Writes = []
    while calls[0][0] == "set_system":
        ((_, arguments),) = calls
        done.append((arguments["component"], arguments["value"]))
        calls = pilot.send([{"ok": True}])
    assert calls == [("submit", {})]
    return done


def twin(words: str = "", more: tuple[str, ...] = (), **changes: object) -> Writes:
    normal = {"left_rpm": 2300, "right_rpm": 2300, "left_oil_pressure": 70, "right_oil_pressure": 70}
    seen = {"crew_report": [], "annunciators": [], "ias": 120, **normal, **changes}
    return writes([*TWIN, *more], seen, words)


def single(*controls: str, words: str = "", report: str = "", rpm: int | None = 2300) -> Writes:
    seen = {"crew_report": [report] if report else [], "rpm": rpm, "cas": []}
    return writes(list(controls), seen, words)


def test_a_healthy_airplane_is_left_alone() -> None:
    assert single("magnetos", "fuel_pump", "master_bat") == []
    assert twin(more=("landing_gear", "target_airspeed")) == []


def test_dark_instruments_tell_nothing() -> None:
    assert single("magnetos", rpm=None) == []
    assert twin(left_rpm=None, right_rpm=None, left_oil_pressure=None, right_oil_pressure=None) == []


def test_a_windmilling_engine_is_not_cranked_and_a_stopped_one_is() -> None:
    assert single("magnetos", rpm=900) == [("magnetos", "BOTH")]
    assert single("magnetos", rpm=0) == [("magnetos", "BOTH"), ("magnetos", "START")]


@pytest.mark.parametrize("words", ["We have only just lifted off.", "The engine is not coming back."])
def test_no_restart_is_tried_where_the_captain_lands(words: str) -> None:
    assert single("fuel_shutoff", "magnetos", "stby_batt", words=words, rpm=900) == [
        ("fuel_shutoff", "OFF"),
        ("magnetos", "OFF"),
    ]


def test_power_goes_off_before_a_forced_landing_only_when_it_is_assured() -> None:
    gone = "The engine is not coming back. The landing is "
    assert single("master_bat", "stby_batt", words=f"{gone}assured.", rpm=900) == [("master_bat", "OFF")]
    assert single("master_bat", "stby_batt", words=f"{gone}not assured yet.", rpm=900) == []


@pytest.mark.parametrize(
    ("words", "flaps"), [("full flaps", "FULL"), ("the flaps up", "UP"), ("flaps 10", "10")]
)
def test_flaps_are_set_as_the_captain_says(words: str, flaps: str) -> None:
    assert single("flaps", words=f"Just lifted off, I want {words}.") == [("flaps", flaps)]


def test_radios_are_set_to_what_every_pilot_knows_before_the_power_goes() -> None:
    words = "Not coming back. Landing is assured. The emergency frequency; the emergency code."
    done = single("master_bat", "com1_freq", "xpdr_code", words=words)
    assert done == [("com1_freq", 121.5), ("xpdr_code", 7700), ("master_bat", "OFF")]


@pytest.mark.parametrize("report", ["ELECTRICAL FIRE", "SMOKE IN CABIN"])
def test_smoke_is_let_out_before_the_fire_is_known_to_be_out(report: str) -> None:
    done = single("master_bat", "stby_batt", "cabin_vents", "fire_extinguisher", report=report)
    assert done == [
        ("master_bat", "OFF"),
        ("cabin_vents", "CLOSED"),
        ("fire_extinguisher", "DISCHARGED"),
        ("cabin_vents", "OPEN"),
    ]


def test_power_comes_back_after_an_electrical_fire_for_a_captain_who_needs_it() -> None:
    words = "I cannot reach a landing place without electrical power."
    done = single("master_bat", words=words, report="ELECTRICAL FIRE")
    assert done == [("master_bat", "OFF"), ("master_bat", "ON")]


def test_lights_are_shed_and_nothing_that_is_only_spelled_alike() -> None:
    done = single("light_nav", "landing_light", "flight_path", report="ELECTRICAL FIRE")
    assert done == [("light_nav", "OFF"), ("landing_light", "OFF")]


@pytest.mark.parametrize(
    ("words", "reset"),
    [("", [("cb_alt_field", "IN"), ("master_alt", "ON")]), ("I have reset it once already.", [])],
)
def test_an_alternator_is_reset_once(words: str, reset: Writes) -> None:
    breakers = ("cb_alt_field", "cb_flaps")
    done = writes(["master_alt"], {"rpm": 2300, "cas": ["LOW VOLTS"]}, words, breakers)
    assert done == [("master_alt", "OFF"), *reset]


def test_an_engine_fire_has_its_cowl_flap_closed() -> None:
    done = twin(crew_report=["ENGINE FIRE RIGHT"])
    assert ("right_cowl_flap", "CLOSED") in done
    assert not [name for name, _ in done if name.startswith("left_")]


def test_an_overspeeding_propeller_is_brought_back_and_feathered_on_its_side() -> None:
    done = twin(left_rpm=2900)
    assert [value for name, value in done if name == "left_propeller"] == ["FULL DECREASE", "FEATHER"]
    assert not [name for name, _ in done if name.startswith("right_")]


def test_a_dead_engine_is_helped_first_only_with_height_to_spare() -> None:
    helped = ("left_carb_heat", "ON")
    assert helped in twin(crew_report=["YAW LEFT"])
    assert helped not in twin("We are no more than 500 feet above the ground.", crew_report=["YAW LEFT"])


@pytest.mark.parametrize(("ias", "throttle"), [(60, "IDLE"), (80, "FULL")])
def test_speed_decides_a_takeoff_whatever_the_captain_says(ias: int, throttle: str) -> None:
    done = twin("We are taking off. Abort, abort.", crew_report=["YAW LEFT"], ias=ias)
    assert ("right_throttle", throttle) in done


def test_a_rejected_takeoff_is_shut_down_only_before_the_end_of_the_runway() -> None:
    enough = twin("We are taking off.", ("brakes",), crew_report=["YAW LEFT"], ias=60)
    short = twin("Taking off, the runway is too short.", ("brakes",), crew_report=["YAW LEFT"], ias=60)
    assert enough == [("left_throttle", "IDLE"), ("right_throttle", "IDLE"), ("brakes", "APPLIED")]
    assert ("brakes", "MAX") in short
    assert ("right_mixture", "IDLE CUTOFF") in short


@pytest.mark.parametrize(
    ("words", "extended"),
    [("Landing is assured.", [("landing_gear", "DOWN"), ("flaps", "20")]), ("Landing is not assured.", [])],
)
def test_gear_and_some_flaps_on_one_engine_wait_for_an_assured_landing(words: str, extended: Writes) -> None:
    done = twin(words, ("landing_gear", "flaps"), left_rpm=0)
    assert ("left_fuel_selector", "OFF") in done
    assert ("right_fuel_selector", "ON") in done
    assert [write for write in done if write[0] in ("landing_gear", "flaps")] == extended


@pytest.mark.parametrize(("lines", "knob"), [(["GEAR UNSAFE"], ["PULLED"]), ([], [])])
def test_a_gear_that_shows_unsafe_comes_down_by_hand(lines: list[str], knob: list[str]) -> None:
    done = twin("I want the gear down.", ("landing_gear", "emergency_gear_extension"), annunciators=lines)
    assert ("landing_gear", "DOWN") in done
    assert [value for name, value in done if name == "emergency_gear_extension"] == knob


def test_a_gear_warning_without_a_landing_is_answered_with_flaps_up_and_power() -> None:
    done = twin("I want to fly on clean.", ("landing_gear", "flaps"), annunciators=["GEAR UNSAFE"])
    assert done == [("flaps", "UP"), ("left_throttle", 65), ("right_throttle", 65)]
