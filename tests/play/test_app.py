from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("textual")

from textual.pilot import Pilot
from textual.widgets import Footer, Input, Static

from acoe_gym.benchmark.records import FILE, read_records
from acoe_gym.benchmark.replay import replay
from acoe_gym.cockpit import library
from acoe_gym.play.app import PlayApp
from acoe_gym.play.choices import procedures
from acoe_gym.play.dialogs import Choose, Form, Page, Sure, Type
from acoe_gym.play.saving import human_record, save
from acoe_gym.play.screen import Cockpit
from acoe_gym.play.session import Session
from acoe_gym.play.widgets import Log, Panel

TASK = "c172s/engine_restart/windmilling_mixture_cutoff"


class Person:
    """Types keys and looks at the screen."""

    def __init__(self, app: PlayApp, pilot: Pilot[str]) -> None:
        self.app = app
        self.pilot = pilot

    async def type(self, *keys: str) -> None:
        """Press keys: names such as ``enter``, or ``"find:"`` and ``"text:"`` with words to type."""
        for key in keys:
            kind, colon, text = key.partition(":")
            if colon and kind == "find":
                await self.pilot.press("escape", "slash", *map(_key, text), "enter")
            elif colon and kind == "text":
                await self.pilot.press(*map(_key, text))
            else:
                await self.pilot.press(key)
        await self.pilot.pause()

    @property
    def screen(self) -> Any:
        return self.app.screen

    @property
    def cockpit(self) -> Cockpit:
        (found,) = [screen for screen in self.app.screen_stack if isinstance(screen, Cockpit)]
        return found

    @property
    def panel(self) -> Panel:
        return self.cockpit.query_one(Panel)

    def cell(self, name: str) -> str:
        """Return what the panel shows of a component."""
        return self.panel.get_row(name)[2].plain

    @property
    def log(self) -> str:
        """Return the words of the log."""
        return "\n".join(
            _words(static) for static in self.cockpit.query_one(Log).query(".turn").results(Static)
        )

    @property
    def page(self) -> str:
        """Return the words of the page on top."""
        return "\n".join(passage.text for passage in self.screen.passages)


def _key(letter: str) -> str:
    return {" ": "space", "_": "underscore", ".": "full_stop"}.get(letter, letter)


def _words(static: Static) -> str:
    grid: Any = static.content
    return "\n".join(cell.plain for cell in grid.columns[1].cells)


Body = Callable[[Person], Awaitable[None]]
Play = Callable[..., str | None]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Return a function that lets a person act in the app and returns what the app says at its end."""

    def run(body: Body, task_id: str | None = TASK, size: tuple[int, int] = (80, 24)) -> str | None:
        async def main() -> str | None:
            task = None if task_id is None else library.task(task_id)
            app = PlayApp(task, tmp_path / "run", procedures=procedures())
            app.animation_level = "none"
            async with app.run_test(size=size) as pilot:
                await pilot.pause()
                await body(Person(app, pilot))
            return app.return_value

        return asyncio.run(main())

    return run


def test_a_task_is_solved_by_keys(play: Play, tmp_path: Path) -> None:
    async def body(person: Person) -> None:
        await person.type("find:targ", "s", "text:68", "enter")
        await person.type("find:pump", "down", "down", "s", "home", "enter")
        assert person.cell("fuel_pump") == "ON (set)"
        await person.type("find:mixt", "s", "text:rich", "enter")
        await person.type("find:pump", "down", "down", "s", "end", "enter", "e", "y")
        assert isinstance(person.screen, Page)
        assert person.page.startswith("SUCCESS\n")
        assert "\nMET engine_running (primary)\ntrue at the end: engine.running\n" in person.page
        assert str(tmp_path / "run" / FILE) in person.page
        await person.type("q")

    assert play(body) == f"SUCCESS: {TASK}\nrecorded in {tmp_path / 'run' / FILE}"
    (record,), _ = read_records(tmp_path / "run" / FILE)
    assert replay(record).identical
    assert record["metrics"]["writes"] == 4


@pytest.mark.parametrize(("size", "beside"), [((80, 24), False), ((120, 40), True)])
def test_everything_has_its_place(play: Play, size: tuple[int, int], beside: bool) -> None:
    async def body(person: Person) -> None:
        panel, log = person.panel.region, person.cockpit.query_one(Log).region
        assert (log.x >= panel.right) == beside
        assert (log.y >= panel.bottom) != beside
        assert panel.height >= 9
        assert log.height >= 5
        assert person.panel.max_scroll_x == 0
        keys = [key.region for key in person.cockpit.query_one(Footer).children]
        assert len(keys) == 10
        assert all(key.right <= size[0] for key in keys)

    play(body, size=size)


def test_an_unsafe_action_is_explained_at_the_end_only(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("find:r bat", "s", "down", "enter")
        assert "set MASTER BAT (master_bat) to OFF: done" in person.log
        assert "keep_power" not in person.log
        await person.type("e", "y")
        assert "VIOLATED keep_power, turn 1: set MASTER BAT (master_bat) to OFF" in person.page
        assert "page 3-27]" in person.page

    play(body)


def test_readings_are_unknown_until_read_and_old_after_a_write(play: Play) -> None:
    async def body(person: Person) -> None:
        assert {person.cell(c.id) for c in person.cockpit.session.components.values()} == {"?"}
        await person.type("find:selec", "enter")
        await person.type("escape")
        assert person.cell("fuel_selector") == "BOTH"
        assert person.cell("fuel_pump") == "?"
        await person.type("find:mixt", "s", "text:rich", "enter", "escape")
        assert person.cell("fuel_selector") == "BOTH (old)"
        assert person.cell("mixture") == "100 % (set)"

    play(body)


def test_a_heading_reads_its_group_in_one_turn(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("right", "enter")
        assert person.cell("mixture") == "0 %"
        assert person.cockpit.session.clock == "turn 2 of 48"
        await person.type("right", "down", "g")
        assert person.cell("master_bat") == "ON"
        assert person.cell("fuel_selector") == "?"
        await person.type("left", "left")
        assert person.panel.group[0].panel == "engine"

    play(body)


def test_a_search_narrows_the_panel_and_escape_widens_it(play: Play) -> None:
    async def body(person: Person) -> None:
        everything = person.panel.row_count
        await person.type("slash", "text:fuel qty")
        assert [c.id for c in person.panel.group] == ["fuel_qty_l", "fuel_qty_r"]
        await person.type("enter")
        assert person.panel.chosen is not None
        assert person.panel.chosen.id == "fuel_qty_l"
        await person.type("escape")
        assert person.panel.row_count == everything
        assert person.panel.chosen.id == "fuel_qty_l"
        await person.type("slash", "text:nowhere", "enter", "enter", "s", "g")
        assert person.cockpit.session.exchanges == []

    play(body)


def test_a_bad_number_is_answered_by_the_cockpit(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("find:mixt", "s")
        assert isinstance(person.screen, Type)
        assert person.screen.legal == "0 to 100 % in steps of 1 or IDLE CUTOFF, RICH"
        await person.type("text:120", "enter")
        assert "not done: expected 0 to 100 %" in person.log
        assert person.cockpit.session.clock == "turn 2 of 48"

    play(body)


def test_dialogs_that_are_left_take_no_turn(play: Play) -> None:
    async def body(person: Person) -> None:
        for keys in (("find:mixt", "s"), ("find:pump", "s"), ("t",), ("t", "down", "enter"), ("e",)):
            await person.type(*keys, "escape")
            assert isinstance(person.screen, Cockpit)
        assert person.cockpit.session.exchanges == []

    play(body)


def test_an_instrument_cannot_be_set(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("find:rpm", "s")
        assert isinstance(person.screen, Cockpit)
        assert person.cockpit.session.exchanges == []

    play(body)


def test_a_tool_is_asked_by_its_form(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("t", "down", "enter")
        assert isinstance(person.screen, Form)
        assert [field.id for field in person.screen.query(Input)] == ["station"]
        await person.type("text:klvk", "enter")
        assert "get_metar (station klvk): KLVK 2" in person.log
        await person.type("t", *["down"] * 7, "enter", "text:climb", "enter", "text:4000", "ctrl+s")
        assert "get_performance (chart climb, pressure_altitude_ft 4000):" in person.log
        await person.type("t", "enter")
        assert "list_systems" in person.log

    play(body)


def test_json_is_shown_on_demand(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("find:pump", "down", "down", "enter")
        assert "get_system" not in person.log
        await person.type("j")
        assert '> get_system {"component":"fuel_pump"}' in person.log
        await person.type("j")
        assert "get_system" not in person.log

    play(body)


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
def test_leaving_asks_and_records_nothing(play: Play, tmp_path: Path, key: str) -> None:
    async def body(person: Person) -> None:
        await person.type("enter", key)
        assert isinstance(person.screen, Sure)
        await person.type("n")
        assert isinstance(person.screen, Cockpit)
        await person.type(key, "y")

    assert play(body) is None
    assert not (tmp_path / "run").exists()


def test_help_and_briefing_are_pages(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("question_mark")
        assert "Every read, set and question is one turn" in person.page
        await person.type("ctrl+q", "b")
        assert person.page.startswith("You are the pilot monitoring")
        assert "CAPTAIN: " in person.page
        await person.type("escape")
        assert isinstance(person.screen, Cockpit)

    play(body)


def test_the_last_turn_ends_the_task(play: Play) -> None:
    async def body(person: Person) -> None:
        for _ in range(47):
            person.cockpit.session.read("rpm")
            person.cockpit.query_one(Log).add(person.cockpit.session.exchanges[-1])
        await person.type("enter")
        assert "The last turn went by without submit" in person.page
        await person.type("enter")

    said = play(body)
    assert said is not None
    assert said.startswith("SAFE BUT INCOMPLETE: ")


def test_a_task_is_chosen_by_number(play: Play) -> None:
    async def body(person: Person) -> None:
        assert isinstance(person.screen, Choose)
        await person.type("down", "down", "down", "enter")
        assert person.screen.heading == "Engine failure during flight: restart"
        assert person.screen.lines[1] == "task 2 of 8"
        await person.type("escape", "down", "down", "down", "enter", "down", "enter")
        assert person.cockpit.session.task.id == library.task_ids("c172s/engine_restart")[1]

    play(body, None)


def test_the_choice_can_be_left(play: Play) -> None:
    async def body(person: Person) -> None:
        await person.type("escape")

    assert play(body, None) is None


def test_a_task_that_the_folder_holds_cannot_be_chosen(play: Play, tmp_path: Path) -> None:
    first = library.task_ids()[0]
    session = Session(library.task(first))
    session.submit()
    save(human_record(session.episode), tmp_path / "run")

    async def body(person: Person) -> None:
        await person.type("enter", "enter")
        assert isinstance(person.screen, Choose)
        await person.type("enter", "down", "enter")
        assert person.cockpit.session.task.id == library.task_ids()[1]

    play(body, None)


def test_a_record_that_cannot_be_written_is_told(play: Play, tmp_path: Path) -> None:
    async def body(person: Person) -> None:
        (tmp_path / "run").write_text("")
        await person.type("e", "y")
        assert "not recorded: " in person.page
        await person.type("q")

    said = play(body)
    assert said is not None
    assert "not recorded: " in said
