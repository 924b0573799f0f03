from __future__ import annotations

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import MAX_TURNS
from acoe_gym.errors import EpisodeOver
from acoe_gym.play.session import UNKNOWN, Session

TASK = "c172s/engine_restart/windmilling_mixture_cutoff"


@pytest.fixture
def session() -> Session:
    return Session(library.task(TASK))


def test_nothing_is_known_before_it_was_read(session: Session) -> None:
    assert {session.reading(name) for name in session.components} == {UNKNOWN}


def test_a_read_shows_its_component_and_no_other(session: Session) -> None:
    session.read("fuel_selector")
    assert session.reading("fuel_selector") == "BOTH"
    assert session.reading("fuel_pump") == UNKNOWN


def test_what_was_read_before_a_write_is_marked_old(session: Session) -> None:
    session.read("rpm", "fuel_selector")
    session.write("fuel_selector", "LEFT")
    assert session.reading("rpm").endswith("RPM (old)")
    assert session.reading("fuel_selector") == "LEFT (set)"


def test_reading_again_removes_the_mark(session: Session) -> None:
    session.read("fuel_qty_l")
    before = session.reading("fuel_qty_l")
    session.write("fuel_pump", "ON")
    session.read("fuel_qty_l")
    assert session.reading("fuel_qty_l") == before


def test_what_was_set_has_its_unit(session: Session) -> None:
    session.write("target_airspeed", "68")
    unit = session.components["target_airspeed"].unit
    assert unit
    assert session.reading("target_airspeed") == f"68 {unit} (set)"


def test_a_write_that_changes_nothing_is_marked_like_any_other(session: Session) -> None:
    # Its reply does not tell it, so the panel may not either.
    session.read("rpm")
    session.write("fuel_selector", "BOTH")
    assert session.reading("rpm").endswith("(old)")


def test_a_rejected_write_marks_nothing(session: Session) -> None:
    session.read("rpm")
    session.write("mixture", "120")
    assert not session.reading("rpm").endswith("(old)")
    assert session.reading("mixture") == UNKNOWN


def test_what_has_no_power_reads_as_dark(session: Session) -> None:
    session.write("master_bat", "OFF")
    session.write("stby_batt", "OFF")
    session.read("rpm")
    assert session.reading("rpm") == "dark"


def test_a_list_without_a_line_says_so() -> None:
    session = Session(library.task("c172s/electrical_fire/standby_armed"))
    session.read("cas")
    assert session.reading("cas") == "nothing shown"


def test_a_group_is_read_in_one_turn(session: Session) -> None:
    names = [c.id for c in session.groups()["circuit_breakers"]]
    exchange = session.read(*names)
    assert (exchange.turn, len(exchange.calls), len(session.episode.turns)) == (1, 31, 1)


def test_every_word_of_a_search_must_be_found(session: Session) -> None:
    found = session.groups("fuel qty")
    assert [c.id for c in found["fuel"]] == ["fuel_qty_l", "fuel_qty_r"]
    assert session.groups("no such thing") == {}


def test_breakers_tell_their_positions(session: Session) -> None:
    assert session.legal("cb_ess_pfd") == "PFD: IN|OUT"
    assert session.legal("cb_xfeed_warn") == "WARN: IN"
    assert session.legal("rpm") == "RPM [RPM]"


def test_the_clock_stops_at_the_last_turn(session: Session) -> None:
    for _ in range(MAX_TURNS):
        session.read("rpm")
    assert session.over
    assert session.clock == "turn 48 of 48"
    with pytest.raises(EpisodeOver):
        session.read("rpm")
