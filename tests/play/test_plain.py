from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from acoe_gym.benchmark.records import FILE, read_records
from acoe_gym.benchmark.replay import replay
from acoe_gym.cockpit import library
from acoe_gym.play.choices import procedures
from acoe_gym.play.plain import choose, play_lines

TASK = "c172s/engine_restart/windmilling_mixture_cutoff"
Play = Callable[..., str]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Return a function that types lines and returns what was said."""

    def typed(*lines: str, code: int = 0) -> str:
        sink = io.StringIO()
        source = io.StringIO("".join(f"{line}\n" for line in lines))
        assert play_lines(library.task(TASK), tmp_path / "run", source, sink) == code
        assert sink.getvalue().isascii()
        return sink.getvalue()

    return typed


def test_a_task_is_solved_recorded_and_replayed(play: Play, tmp_path: Path) -> None:
    said = play(
        "get rpm fuel_selector",
        "set target_airspeed 68",
        "set fuel_pump on",
        "set mixture rich",
        "set fuel_pump off",
        "submit",
    )
    assert "\nSUCCESS\n" in said
    assert f"recorded in {tmp_path / 'run' / FILE}" in said
    (record,), problems = read_records(tmp_path / "run" / FILE)
    assert problems == []
    assert replay(record).identical
    assert record["metrics"]["turns"] == 6


def test_the_briefing_comes_first(play: Play) -> None:
    said = play("submit")
    assert said.startswith("You are the pilot monitoring")
    assert "CAPTAIN: " in said


def test_the_names_of_the_tools_will_do_as_commands(play: Play) -> None:
    said = play("get_system fuel_pump", "set_system fuel_pump ON", "get_airport_info station=KPAO", "submit")
    assert "FUEL PUMP (fuel_pump): OFF" in said
    assert "Palo Alto" in said
    assert "there is no command" not in said
    assert "turn 4 of 48> submit" in said


def test_a_violation_is_told_at_the_end_only(play: Play) -> None:
    before, _, after = play("set master_bat OFF", "submit").partition("\nUNSAFE\n")
    assert "keep_power" not in before
    assert "VIOLATED keep_power, turn 1: set MASTER BAT (master_bat) to OFF" in after


def test_list_shows_what_is_known_and_takes_no_turn(play: Play) -> None:
    said = play("get fuel_pump", "list fuel pump", "list nowhere", "submit")
    assert "  fuel_pump: FUEL PUMP: ON|OFF -> OFF\n" in said
    assert "  cb_elec1_fuel_pump: FUEL PUMP: IN -> ?\n" in said
    assert "no component has nowhere in its id, label or panel" in said
    assert "turn 2 of 48> submit" in said


def test_a_group_is_read_by_its_name(play: Play) -> None:
    said = play("group flight controls", "group flight", "group flihgt", "submit")
    assert "FLAP POINTER (flap_pos): UP" in said
    assert "turn 3 of 48> group flihgt\ngroup expects one of FLIGHT, " in said
    assert "nearest: FLIGHT" in said


def test_a_tool_is_asked_with_words_after_its_key(play: Play) -> None:
    said = play("tools", "tool get_metar station=KLVK", "tool lookup_regulation fuel reserves", "submit")
    assert "lookup_regulation query: Search" in said
    assert "get_winds_aloft station [altitude_ft]: " in said
    assert "get_metar (station KLVK): KLVK 2" in said
    assert "lookup_regulation (query fuel reserves):" in said


def test_json_shows_the_last_turn(play: Play) -> None:
    said = play("json", "get fuel_pump", "json", "submit")
    assert '> get_system {"component":"fuel_pump"}\n< {"ok":true,' in said
    assert said.count("> get_system") == 1


def test_bad_commands_take_no_turn(play: Play) -> None:
    said = play("gte rpm", "get", "set mixture", "tool", 'set "mixture', "", "help", "submit")
    assert "there is no command 'gte'; nearest: get; type help for the commands" in said
    assert "get expects a component" in said
    assert "set expects a control and a value" in said
    assert "tool expects a name" in said
    assert "not understood: No closing quotation" in said
    assert "quit                  leave; nothing is recorded" in said
    assert "turn 2" not in said


def test_a_rejected_write_is_a_turn(play: Play) -> None:
    said = play("set mixture 120", "submit")
    assert "not done: expected 0 to 100 %" in said
    assert "turn 2 of 48> submit" in said


@pytest.mark.parametrize("lines", [("get rpm",), ("get rpm", "quit", "yes")], ids=["end of input", "quit"])
def test_leaving_records_nothing_and_says_so(play: Play, tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert play(*lines, code=1).endswith("left before submit: nothing was recorded\n")
    assert not (tmp_path / "run").exists()


def test_quit_asks_first(play: Play) -> None:
    said = play("quit", "no", "submit")
    assert "Nothing will be recorded. Leave? (yes/no) no\n" in said
    assert "recorded in" in said


def test_the_last_turn_ends_the_task(play: Play) -> None:
    assert "The last turn went by without submit" in play(*["get rpm"] * 48)


def test_what_is_not_ascii_is_answered(play: Play) -> None:
    assert "there is no component 'caf\\xe9'" in play("get caf\u00e9", "submit")


def chosen(*lines: str, spoilers: bool = False) -> tuple[str | None, str]:
    sink = io.StringIO()
    source = io.StringIO("".join(f"{line}\n" for line in lines))
    return choose(procedures(), source, sink, spoilers=spoilers), sink.getvalue()


def test_a_task_is_chosen_by_numbers_that_name_no_situation() -> None:
    task_id, said = chosen("4", "nine", "0", "2")
    assert task_id == library.task_ids("c172s/engine_restart")[1]
    assert "  2  task 2 of 8\n" in said
    assert not [name for name in library.task_ids() if name in said]
    assert "expected a number from 1 to 8, got 'nine'" in said


def test_ids_are_shown_to_who_asks_for_spoilers() -> None:
    _, said = chosen("4", "1", spoilers=True)
    assert library.task_ids("c172s/engine_restart")[0] in said


@pytest.mark.parametrize("lines", [(), ("quit",), ("4",), ("4", "quit")])
def test_the_choice_can_be_left(lines: tuple[str, ...]) -> None:
    assert chosen(*lines)[0] is None
