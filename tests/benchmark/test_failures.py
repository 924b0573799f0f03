"""Constructed episodes per failure mode, each beside a near miss that differs in one thing.

The episodes come from the reference of a real task, one call a turn, with calls left out, added or moved.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acoe_gym.benchmark.datasets.chats import reference_turns
from acoe_gym.benchmark.failures import MODES, FailureMode, counts, failure_modes
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import record_of
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import play
from acoe_gym.cockpit.results import result_of

MISSING, PRIOR, GATING, DRIFT, OTHER = (name for name, _ in MODES)

Call = tuple[str, dict[str, Any]]
Calls = list[Call]
SUBMIT: Call = ("submit", {})


def put(control: str, value: object) -> Call:
    return "set_system", {"component": control, "value": value}


def look(component: str) -> Call:
    return "get_system", {"component": component}


def ref(task: str) -> Calls:
    return [call for turn in reference_turns(library.task(task)) for call in turn]


def writes(call: Call, *controls: str) -> bool:
    return call[0] == "set_system" and call[1]["component"] in controls


def without(task: str, *controls: str) -> Calls:
    return [call for call in ref(task) if not writes(call, *controls)]


def unread(calls: Calls) -> Calls:
    return [call for call in calls if call[0] != "get_system"]


def then(calls: Calls, *more: Call) -> Calls:
    assert calls[-1] == SUBMIT
    return [*calls[:-1], *more, SUBMIT]


def before(calls: Calls, control: str, *more: Call) -> Calls:
    place = next(i for i, call in enumerate(calls) if writes(call, control))
    return [*calls[:place], *more, *calls[place:]]


def first(calls: Calls, *more: Call) -> Calls:
    return [*more, *calls]


class Case(NamedTuple):
    """Trials of a task whose first is constructed to show a mode, and the near miss with its mode."""

    task: str
    mode: str
    trials: tuple[Calls, ...]
    other: str
    near: tuple[Calls, ...]


def modes_of(task: str, *trials: Calls) -> list[FailureMode | None]:
    episodes = [play(library.task(task), [[call] for call in calls]) for calls in trials]
    records = [
        record_of(episode, trial=trial, policy="hand", policy_seed=0, suite="core")
        for trial, episode in enumerate(episodes)
    ]
    found = failure_modes(records)
    return [found.get((task, trial)) for trial in range(len(trials))]


def case(task: str, mode: str, calls: Calls, other: str, near: Calls) -> Case:
    """A run of one trial a task."""
    return Case(task, mode, (calls,), other, (near,))


def once(task: str, calls: Calls) -> tuple[Calls, ...]:
    return (calls, ref(task), ref(task))


FORCED = "c172s/forced_landing/assured_call_belts_loose"
NOT_ASSURED = "c172s/forced_landing/not_assured_seats_and_belts"
EFATO = "c172s/engine_failure_after_takeoff/windmilling_fast"
RESTART = "c172s/engine_restart/stopped_prop_left_tank"
ELECTRICAL = "c172s/electrical_fire/standby_armed"
POWER_NEEDED = "c172s/electrical_fire/power_needed_breaker_out"
FIRE = "c172s/engine_fire/climbing_landing_assured"
LOW_VOLTS = "c172s/low_voltage/field_open_reset_works"
BROKEN = "pa44/engine_failure/left_broken"
PUMP = "pa44/engine_failure/left_pump_failed"
TWIN_FIRE = "pa44/engine_fire/left_in_cruise"
TWIN_FIRE_RIGHT = "pa44/engine_fire/right_in_climb"
TWIN_FIRE_SHUT = "pa44/engine_fire/left_shut_down_already"
GEAR = "pa44/gear_extension/pump_dead"
GEAR_HALF = "pa44/gear_extension/pump_stopped_half_way"
OVERSPEED = "pa44/propeller_overspeed/left_lever_dead"
OVERSPEED_RIGHT = "pa44/propeller_overspeed/right_lever_holds_a_little"
POWER = "pa44/propeller_overspeed/right_power_needed"
REJECT = "pa44/rejected_takeoff/lifted_off_left_dead"
REJECT_SLOW = "pa44/rejected_takeoff/slow_left_dead"
ABORT = "pa44/rejected_takeoff/abort_ordered_left_oil"
LANDING = "pa44/single_engine_landing/right_secured_assured"

SHUTDOWN = (put("left_propeller", "FEATHER"), put("left_mixture", 0))
SHUTDOWN_RIGHT = (put("right_propeller", "FEATHER"), put("right_mixture", 0))
AIR = ("cabin_vents", "cabin_ht", "cabin_air")
GEAR_SLIP = (put("landing_gear", "UP"), put("landing_gear", "DOWN"))
BATTERY_SLIP = (put("battery_master", "OFF"), put("battery_master", "ON"))
TURN_SLIP = (put("flight_path", "TURN BACK"), put("flight_path", "STRAIGHT AHEAD"))
PUMP_LEFT_ON = [call for call in ref(RESTART) if call != put("fuel_pump", "OFF")]
NEVER_STARTED = [call for call in PUMP_LEFT_ON if not writes(call, "magnetos")]
FEATHERED = then(ref(OVERSPEED), *SHUTDOWN)
FEATHERED_RIGHT = then(ref(OVERSPEED_RIGHT), *SHUTDOWN_RIGHT)
STANDBY_ARMED = without(ELECTRICAL, "stby_batt")
POWER_EARLY = before(ref(POWER_NEEDED), "fire_extinguisher", look("crew_report"), put("master_bat", "ON"))
AIR_EARLY = then(unread(STANDBY_ARMED), put("stby_batt", "OFF"))
NO_AIR = without(ELECTRICAL, "stby_batt", *AIR)
SHUT_AGAIN = then(ref(PUMP), put("left_propeller", "FEATHER"))


def continued(task: str) -> Calls:
    """The takeoff goes on: power stays, gear UP, the failed engine is feathered."""
    clean = (put("landing_gear", "UP"), put("flaps", "0"), put("target_airspeed", 88))
    return [look("crew_report"), *clean, put("left_throttle", 0), *SHUTDOWN, look("ias"), SUBMIT]


def never(task: str, control: str, other: str, near: tuple[Calls, ...]) -> Case:
    """A write that no trial makes."""
    calls = without(task, control)
    return Case(task, MISSING, (calls, calls, calls), other, near)


def once_never(task: str, control: str) -> Case:
    """A write that no trial makes, or the first alone."""
    return never(task, control, DRIFT, once(task, without(task, control)))


def never_or_wrong(task: str, control: str, value: object) -> Case:
    """A write that no trial makes, or that all make with a wrong value."""
    wrong = then(without(task, control), put(control, value))
    return never(task, control, PRIOR, (wrong, wrong, wrong))


MISSING_CASES = [
    once_never(FORCED, "stby_batt"),
    never(EFATO, "stby_batt", GATING, (then(without(EFATO, "stby_batt"), look("e_bus_v")),)),
    Case(RESTART, MISSING, (PUMP_LEFT_ON,) * 3, DRIFT, once(RESTART, PUMP_LEFT_ON)),
    once_never(NOT_ASSURED, "seat_belts"),
    once_never(POWER, "altimeter_setting"),
    once_never(LANDING, "seat_belts"),
    never_or_wrong(FIRE, "cabin_doors", "CLOSE"),
    never_or_wrong(BROKEN, "left_alternator", "ON"),
    never_or_wrong(GEAR_HALF, "altimeter_setting", 29.5),
    never_or_wrong(REJECT_SLOW, "com1_freq", 121.5),
    never(
        ELECTRICAL, "light_beacon", DRIFT, once(ELECTRICAL, then(ref(ELECTRICAL), put("light_beacon", "ON")))
    ),
]


def read_or_not(task: str, calls: Calls, other: str) -> Case:
    """The same acts with every reading, and with none."""
    return case(task, GATING, calls, other, unread(calls))


GATING_CASES = [
    # Restored, read, and shut down all the same.
    read_or_not(OVERSPEED, FEATHERED, DRIFT),
    read_or_not(OVERSPEED_RIGHT, FEATHERED_RIGHT, DRIFT),
    read_or_not(PUMP, SHUT_AGAIN, DRIFT),
    # The standby battery left armed: air and power come back while the fire is read.
    read_or_not(ELECTRICAL, STANDBY_ARMED, MISSING),
    read_or_not(POWER_NEEDED, without(POWER_NEEDED, "stby_batt"), MISSING),
    # Submitted on a reading of what is still unmet.
    read_or_not(ELECTRICAL, NO_AIR, MISSING),
    read_or_not(RESTART, NEVER_STARTED, MISSING),
    read_or_not(FIRE, without(FIRE, "fuel_shutoff", "mixture"), MISSING),
    read_or_not(TWIN_FIRE, without(TWIN_FIRE, "left_fuel_selector"), MISSING),
    read_or_not(GEAR, without(GEAR, "emergency_gear_extension"), MISSING),
    read_or_not(LOW_VOLTS, without(LOW_VOLTS, "cb_xfeed_alt_field"), MISSING),
    read_or_not(REJECT_SLOW, without(REJECT_SLOW, "brakes"), MISSING),
    read_or_not(EFATO, then(without(EFATO, "stby_batt"), look("e_bus_v")), MISSING),
]


def kept_or_revised(task: str, calls: Calls, other: str, *slip: Call) -> Case:
    """A forbidden act that stands, or is put right before (other) or after (drift) the work is done."""
    return case(task, PRIOR, calls, other, (first if other == OTHER else then)(ref(task), *slip))


def cowl_flap(task: str, side: str, missing: str) -> Case:
    """The cowl flap that is never opened, and another of the list's writes that is never made."""
    return case(task, PRIOR, without(task, f"{side}_cowl_flap"), GATING, without(task, f"{side}_{missing}"))


CLOSED, OPEN = put("right_cowl_flap", "CLOSED"), put("right_cowl_flap", "OPEN")
CLOSED_RIGHT = then(without(TWIN_FIRE_RIGHT, "right_cowl_flap"), CLOSED)
NO_AVIONICS, AVIONICS = put("avionics_bus2", "OFF"), put("avionics_bus2", "ON")
NO_POWER, MASTER = put("master_bat", "OFF"), put("master_bat", "ON")
CLOSED_LEFT = then(without(TWIN_FIRE, "left_cowl_flap"), put("left_cowl_flap", "CLOSED"))
FAST = then(without(FORCED, "target_airspeed"), put("target_airspeed", 85))
FLAPS_10 = then(without(LANDING, "flaps"), put("flaps", "10"))
PRIOR_CASES = [
    cowl_flap(TWIN_FIRE, "left", "mixture"),
    cowl_flap(TWIN_FIRE_RIGHT, "right", "mixture"),
    cowl_flap(TWIN_FIRE_SHUT, "left", "fuel_pump"),
    kept_or_revised(TWIN_FIRE_RIGHT, CLOSED_RIGHT, OTHER, CLOSED, OPEN),
    case(TWIN_FIRE, PRIOR, CLOSED_LEFT, MISSING, unread(without(TWIN_FIRE, "left_mixture"))),
    kept_or_revised(ABORT, continued(ABORT), OTHER, *GEAR_SLIP),
    kept_or_revised(REJECT, continued(REJECT), OTHER, *GEAR_SLIP),
    kept_or_revised(NOT_ASSURED, then(ref(NOT_ASSURED), NO_POWER), DRIFT, NO_POWER, MASTER),
    kept_or_revised(EFATO, then(without(EFATO, "flight_path"), TURN_SLIP[0]), DRIFT, *TURN_SLIP),
    kept_or_revised(RESTART, first(ref(RESTART), NO_AVIONICS), OTHER, NO_AVIONICS, AVIONICS),
    case(POWER_NEEDED, PRIOR, unread(POWER_EARLY), GATING, POWER_EARLY),
    case(ELECTRICAL, PRIOR, AIR_EARLY, MISSING, unread(STANDBY_ARMED)),
    case(FORCED, PRIOR, FAST, MISSING, without(FORCED, "target_airspeed")),
    case(LANDING, PRIOR, FLAPS_10, MISSING, without(LANDING, "flaps")),
]


def varying(task: str, *controls: str) -> Case:
    """Every trial lacks another write; in the near miss all lack the same."""
    calls = tuple(without(task, control) for control in controls)
    return Case(task, DRIFT, calls, MISSING, (calls[0],) * 3)


def undone(task: str, call: Call) -> Case:
    """Something right is undone at the end of one trial; in the near miss of every trial."""
    calls = then(ref(task), call)
    return Case(task, DRIFT, once(task, calls), PRIOR, (calls,) * 3)


def slip(task: str, *calls: Call) -> Case:
    """A violation put right before the work begins; in the near miss after it is done."""
    return case(task, OTHER, first(ref(task), *calls), DRIFT, then(ref(task), *calls))


def idle(task: str, sign: str) -> Case:
    """Submitted at once; in the near miss after a look at the trouble."""
    return case(task, OTHER, [SUBMIT], GATING, [look(sign), SUBMIT])


DRIFT_CASES = [
    varying(FORCED, "seat_belts", "cabin_doors", "mixture"),
    varying(EFATO, "cabin_doors", "target_airspeed", "mixture"),
    varying(FIRE, "seat_backs", "cabin_doors", "magnetos"),
    varying(ELECTRICAL, "light_beacon", "light_strobe", "avionics_bus1"),
    varying(BROKEN, "left_alternator", "left_fuel_selector", "left_cowl_flap"),
    varying(LANDING, "seat_belts", "flaps", "left_propeller"),
    undone(ELECTRICAL, put("light_strobe", "ON")),
    undone(FORCED, put("cabin_doors", "LOCK")),
    undone(BROKEN, put("left_alternator", "ON")),
    undone(LANDING, put("seat_belts", "LOOSE")),
    undone(OVERSPEED, put("target_airspeed", 138)),
    case(REJECT_SLOW, DRIFT, then(ref(REJECT_SLOW), *GEAR_SLIP), OTHER, first(ref(REJECT_SLOW), *GEAR_SLIP)),
]
OTHER_CASES = [
    slip(NOT_ASSURED, put("stby_batt", "OFF"), put("stby_batt", "ARM")),
    slip(EFATO, *TURN_SLIP),
    slip(TWIN_FIRE, *BATTERY_SLIP),
    slip(TWIN_FIRE_RIGHT, *BATTERY_SLIP),
    slip(BROKEN, *BATTERY_SLIP),
    slip(ABORT, *GEAR_SLIP),
    idle(ELECTRICAL, "crew_report"),
    idle(RESTART, "rpm"),
    idle(LOW_VOLTS, "cas"),
    idle(TWIN_FIRE, "crew_report"),
    idle(OVERSPEED, "left_rpm"),
    idle(PUMP, "left_rpm"),
]
CASES = [*MISSING_CASES, *PRIOR_CASES, *GATING_CASES, *DRIFT_CASES, *OTHER_CASES]


def confusion() -> Counter[tuple[str, str]]:
    """Return how often a constructed mode (first) got an assigned one (second), near misses included."""
    flown = [
        (c.task, mode, trials) for c in CASES for mode, trials in ((c.mode, c.trials), (c.other, c.near))
    ]
    found = [(mode, modes_of(task, *trials)[0]) for task, mode, trials in flown]
    return Counter((mode, "none" if assigned is None else assigned.mode) for mode, assigned in found)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_constructed_episode_gets_its_mode_and_its_near_miss_another(number: int) -> None:
    one = CASES[number]
    assert one.mode != one.other
    for mode, trials in ((one.mode, one.trials), (one.other, one.near)):
        found = modes_of(one.task, *trials)[0]
        assert found is not None
        assert found.mode == mode, found.why


def test_the_confusion_matrix_is_the_one_that_the_page_shows() -> None:
    matrix = confusion()
    assert set(matrix) == {(mode, mode) for mode, _ in MODES}
    rows = [[title, *(str(matrix[mode, other]) for other, _ in MODES)] for mode, title in MODES]
    page = (Path(__file__).parents[2] / "docs" / "failure_modes.md").read_text(encoding="ascii")
    for row in rows:
        assert f"| {' | '.join(row)} |" in page


@pytest.mark.parametrize("mode", [mode for mode, _ in MODES])
def test_each_mode_is_constructed_ten_times_or_more_on_both_aircraft(mode: str) -> None:
    tasks = [one.task for one in CASES if one.mode == mode]
    assert len(tasks) >= 10
    assert {task.partition("/")[0] for task in tasks} == {"c172s", "pa44"}
    assert len({task.rpartition("/")[0] for task in tasks}) >= 5


def test_the_episode_of_appendix_c_is_a_state_gating_failure() -> None:
    """Standby battery left armed; air and power are restored as ELECTRICAL FIRE is read again and again."""
    again = [look("crew_report"), put("master_bat", "ON"), put("master_alt", "ON"), look("crew_report")]
    calls = then(STANDBY_ARMED, *again)
    found = modes_of(ELECTRICAL, calls)[0]
    assert found is not None
    assert found.mode == GATING
    assert "no_draft_while_burning" in found.why
    assert "crew_report with ELECTRICAL FIRE" in found.why
    result = result_of(play(library.task(ELECTRICAL), [[call] for call in calls]), 0)
    assert (result.violating_writes, len(set(result.constraints_violated))) == (5, 2)


def test_an_engine_that_is_read_restored_and_shut_down_all_the_same_is_a_state_gating_failure() -> None:
    found = modes_of(OVERSPEED, FEATHERED)[0]
    assert found is not None
    assert found.mode == GATING
    assert "left_propeller FEATHER" in found.why
    assert "no_shutdown_when_restored" in found.why
    read = next(turn for turn, call in reversed(list(enumerate(FEATHERED, 1))) if call == look("left_rpm"))
    assert {(read + 2, 1), (read + 3, 1)} & set(found.calls)


def test_a_reading_of_the_same_turn_is_not_known_yet() -> None:
    *before, last = unread(NO_AIR)
    apart = [[call] for call in [*before, look("crew_report"), last]]
    together = [*[[call] for call in before], [look("crew_report"), last]]
    found = []
    for turns in (apart, together):
        episode = play(library.task(ELECTRICAL), turns)
        record = record_of(episode, trial=0, policy="hand", policy_seed=0, suite="core")
        found.append(failure_modes([record])[ELECTRICAL, 0].mode)
    assert found == [GATING, MISSING]


def test_successes_have_no_mode() -> None:
    assert failure_modes(run(Plan("reference", (RESTART, OVERSPEED)))) == {}
    assert modes_of(FORCED, *once(FORCED, without(FORCED, "stby_batt")))[1:] == [None, None]


def test_what_two_of_three_trials_make_is_no_missing_step() -> None:
    twice = modes_of(FORCED, without(FORCED, "stby_batt"), without(FORCED, "stby_batt"), ref(FORCED))
    assert [mode.mode if mode else None for mode in twice] == [MISSING, MISSING, None]


def test_modes_are_counted_in_order_with_those_that_do_not_occur() -> None:
    modes = failure_modes(run(Plan("submit", (RESTART, FORCED), 2)))
    assert list(counts(modes.values()).items()) == [
        (MISSING, 0), (PRIOR, 0), (GATING, 0), (DRIFT, 0), (OTHER, 4),
    ]  # fmt: skip
    assert list(modes) == [(RESTART, 0), (RESTART, 1), (FORCED, 0), (FORCED, 1)]


def test_an_episode_without_calls_has_no_call_to_show() -> None:
    (mode,) = failure_modes(run(Plan("noop", (RESTART,)))).values()
    assert (mode.mode, mode.calls) == (OTHER, ())


@pytest.mark.parametrize("name", ["generic", "random", "read-only"])
def test_every_failed_episode_of_a_policy_gets_one_mode_with_calls_that_were_made(name: str) -> None:
    records = run(Plan(name, library.task_ids()[::4], 2))
    modes = failure_modes(records)
    failed = [record for record in records if not record["grade"]["success"]]
    assert list(modes) == [(record["task"], record["trial"]) for record in failed]
    assert modes == failure_modes(records)
    for record in failed:
        mode = modes[record["task"], record["trial"]]
        assert mode.mode in dict(MODES)
        assert all(number <= len(record["turns"][turn - 1]) for turn, number in mode.calls)


def test_a_reading_that_a_harness_made_is_known() -> None:
    calls = then(unread(NO_AIR), look("crew_report"))
    episode = play(library.task(ELECTRICAL), [[call] for call in calls])
    record = record_of(episode, trial=0, policy="hand", policy_seed=0, suite="core")
    turns = [{"text": "", "harness_calls": [0] if call == look("crew_report") else []} for call in calls]
    record["pilot"] = {"model": None, "harness": "readback", "protocol": "tools", "turns": turns}
    assert failure_modes([record])[ELECTRICAL, 0].mode == GATING


@pytest.mark.parametrize(
    ("task", "stray"), [(RESTART, put("fuel_shutoff", "OFF")), (ELECTRICAL, put("mixture", 0))]
)
def test_one_stray_write_of_who_hardly_began_is_no_wrong_procedure(task: str, stray: Call) -> None:
    (mode,) = modes_of(task, [stray, SUBMIT])
    assert mode is not None
    assert mode.mode == OTHER


@pytest.mark.parametrize("task", [FORCED, ELECTRICAL, BROKEN])
def test_who_breaks_off_before_the_middle_did_not_drift(task: str) -> None:
    kept, calls = 0, []
    for call in ref(task):
        kept += call[0] == "set_system"
        if call[0] == "set_system" and kept <= 0.4 * len([c for c in ref(task) if c[0] == "set_system"]):
            calls.append(call)
    modes = modes_of(task, [*calls, SUBMIT], ref(task), ref(task))
    assert modes[0] is not None
    assert modes[0].mode == OTHER
    assert modes[0].why.startswith("broke off after ")
