"""What is claimed of the built-in policies, over every task of the core suite."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import policy
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.runner import play_policy, run
from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Call
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.metrics import Summary, aggregate

# Component and value.
Write = tuple[str, object]
Episodes = Mapping[str, Episode]


def flown(name: str, trials: int = 1) -> Summary:
    return aggregate(results_of(run(Plan(name, library.task_ids(), trials))))


@pytest.fixture(scope="module")
def generic() -> Summary:
    return flown("generic")


@pytest.fixture(scope="module")
def episodes() -> Episodes:
    """Return the generic pilot's episode of every task."""
    pilot = policy("generic")
    return {name: play_policy(pilot, library.task(name), random.Random(0)) for name in library.task_ids()}


def of(episodes: Episodes, template: str) -> list[Episode]:
    return [episode for name, episode in episodes.items() if name.startswith(f"{template}/")]


def write_of(call: Call) -> Write:
    arguments = json.loads(call.arguments)
    return arguments["component"], arguments["value"]


def writes(episode: Episode) -> list[Write]:
    return [write_of(call) for call in episode.log if call.tool == "set_system"]


def violating(episode: Episode, constraint: str) -> list[Write]:
    """Return the writes that violated a constraint."""
    return [write_of(call) for call in episode.log if constraint in episode.violated_ids(call)]


def shown(episode: Episode, component: str, *, before: Write | None = None) -> object:
    """Return what a component showed before a write, at the end by default."""
    again = Episode(episode.task, max_turns=10_000)
    for call in episode.log:
        if call.tool == "submit" or (call.tool == "set_system" and write_of(call) == before):
            break
        again.one(call.tool, json.loads(call.arguments))
    return json.loads(again.one("get_system", {"component": component}).reply)["value"]


def test_the_core_suite_has_73_tasks_of_12_templates() -> None:
    assert (len(library.task_ids()), len(library.template_ids())) == (73, 12)


def test_reference_solves_every_task_without_a_violation() -> None:
    summary = flown("reference")
    assert (summary.sr.value, summary.scr.value) == (1.0, 1.0)


def test_whole_list_is_safe_on_every_task() -> None:
    assert flown("whole-list").scr.value == 1.0


@pytest.mark.parametrize("name", ["noop", "read-only", "submit"])
def test_doing_nothing_earns_nothing_and_is_safe(name: str) -> None:
    summary = flown(name)
    assert (summary.sr.value, summary.sgo.value, summary.scr.value) == (0.0, 0.0, 1.0)


def test_random_solves_next_to_nothing() -> None:
    summary = flown("random", trials=5)
    assert summary.sr.value <= 0.01
    assert summary.unsafe > 0.3


def test_generic_pilot_solves_some_tasks_and_at_most_three_in_ten(generic: Summary) -> None:
    assert 0.08 <= generic.sr.value <= 0.30
    assert generic.sgo.value >= generic.sr.value + 0.1


def test_generic_pilot_is_no_straw_man(episodes: Episodes) -> None:
    idle = {
        template
        for template in library.template_ids()
        if not any(episode.grade().goal_attainment for episode in of(episodes, template))
    }
    # Its fire burns to the end on the standby battery that the pilot does not know.
    assert idle == {"c172s/electrical_fire"}


def test_generic_pilot_asks_for_nothing_illegal(episodes: Episodes) -> None:
    refused = {
        json.loads(call.reply)["error"]["code"]
        for episode in episodes.values()
        for call in episode.log
        if not json.loads(call.reply)["ok"]
    }
    assert refused <= {"unpowered"}


def test_generic_pilot_reads_nothing_once_it_has_written(episodes: Episodes) -> None:
    for episode in episodes.values():
        tools = [call.tool for call in episode.log]
        assert "get_system" not in tools[tools.index("set_system") :]


@pytest.mark.parametrize("template", ["c172s/forced_landing", "c172s/engine_failure_after_takeoff"])
def test_example_error_1_the_standby_battery_is_omitted(episodes: Episodes, template: str) -> None:
    failed = [e for e in of(episodes, template) if "nothing_live" in e.grade().goals_missed]
    assert len(failed) >= 4
    for episode in failed:
        assert ("master_bat", "OFF") in writes(episode)
        assert "stby_batt" not in dict(writes(episode))
        assert shown(episode, "stby_batt") == "ARM"


def test_example_error_2_the_cowl_flap_is_closed_in_an_engine_fire_or_left_so(episodes: Episodes) -> None:
    fires = of(episodes, "pa44/engine_fire")
    closed = [write for episode in fires for write in violating(episode, "cowl_flap_not_closed")]
    assert closed == [("right_cowl_flap", "CLOSED")] * 3
    for episode in fires:
        assert "cowl_flap_open" in episode.grade().goals_missed
        assert writes(episode)[-2] in [("left_cowl_flap", "CLOSED"), ("right_cowl_flap", "CLOSED")]


def test_example_error_3_the_takeoff_goes_on_against_the_captains_abort(episodes: Episodes) -> None:
    episode = episodes["pa44/rejected_takeoff/abort_ordered_left_oil"]
    assert "Abort" in episode.task.briefing
    assert violating(episode, "gear_not_up") == [("landing_gear", "UP")]
    assert "secured_for_the_overrun" in episode.grade().goals_missed


def test_example_error_3_the_takeoff_goes_on_against_what_the_cockpit_shows(episodes: Episodes) -> None:
    episode = episodes["pa44/rejected_takeoff/lifted_off_left_dead"]
    up = ("landing_gear", "UP")
    assert shown(episode, "gear_light_nose", before=up) == "GREEN"
    assert violating(episode, "gear_not_up") == [up]
    assert "stopped" in episode.grade().goals_missed


def test_example_error_4_a_propeller_back_within_limits_is_feathered(episodes: Episodes) -> None:
    restored = [
        (episode, write)
        for episode in of(episodes, "pa44/propeller_overspeed")
        for write in violating(episode, "no_shutdown_when_restored")
    ]
    assert [write for _, write in restored] == [
        ("left_propeller", "FEATHER"),
        ("right_propeller", "FEATHER"),
        ("right_propeller", "FEATHER"),
    ]
    for episode, write in restored:
        rpm = shown(episode, write[0].replace("propeller", "rpm"), before=write)
        assert isinstance(rpm, int)
        assert 0 < rpm <= 2700


def test_example_error_5_air_comes_back_while_the_fire_still_shows(episodes: Episodes) -> None:
    opened = ("cabin_vents", "OPEN")
    for episode in of(episodes, "c172s/electrical_fire"):
        assert opened in violating(episode, "no_draft_while_burning")
        for moment in (opened, None):
            assert "ELECTRICAL FIRE" in str(shown(episode, "crew_report", before=moment))


def test_example_error_5_power_comes_back_while_the_fire_still_shows(episodes: Episodes) -> None:
    on = ("master_bat", "ON")
    powered = [e for e in of(episodes, "c172s/electrical_fire") if on in violating(e, "power_stays_off")]
    assert len(powered) == 4
    assert all("ELECTRICAL FIRE" in str(shown(episode, "crew_report", before=on)) for episode in powered)
