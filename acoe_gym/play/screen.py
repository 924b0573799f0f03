"""The screen on which a task is played: briefing, panel and log; needs the extra ``play``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from acoe_gym.cockpit.protocol import briefing, role_prompt
from acoe_gym.cockpit.tools import INFORMATIONAL, TOOLS
from acoe_gym.errors import RecordError
from acoe_gym.play.dialogs import Choose, Form, Page, Sure, ask_value, positions
from acoe_gym.play.explanation import OUTCOMES, Passage, explanation
from acoe_gym.play.saving import human_record, save
from acoe_gym.play.session import Exchange, Session
from acoe_gym.play.widgets import Log, Panel

TOOL_NAMES = ("list_systems", *INFORMATIONAL)
HELP = (
    Passage("heading", "What counts"),
    Passage(
        "text",
        "You know what a model is told, no more: a component shows ? until you read it. After you set a "
        "control, what was read before is marked (old): it may show something else now. What you set is "
        "marked (set) until you read it. Every read, set and question is one turn, also when it is answered "
        "with an error; looking, searching and this page take none. What an action violates is told "
        "at the end, not before.",
    ),
    Passage("heading", "Keys"),
    Passage("text", "Arrows, Page Up, Page Down: move. Left and right: from panel to panel."),
    Passage("text", "Enter: read the component, or on a heading all components below it, in one turn."),
    Passage("text", "g: read all components of this panel in one turn."),
    Passage("text", "s: set the control: choose a position, or type a number or a name."),
    Passage("text", "t: ask for weather, airport, performance, loading or regulations."),
    Passage("text", "/: find by id, label or panel; Enter goes to what was found, Escape shows all again."),
    Passage("text", "Tab: from the panel to the log and back; the log scrolls with the arrows."),
    Passage("text", "j: show or hide the JSON of calls and replies.  b: what you were told."),
    Passage("text", "e: end the task (submit); it is graded, explained and recorded.  q: leave without."),
)


class Cockpit(Screen[str | None]):
    """Briefing, panel and log of one task; what to say at the end, None if the person left before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "set", "Set"),
        Binding("g", "group", "Group"),
        Binding("t", "tool", "Tools"),
        Binding("slash", "find", "Find", key_display="/"),
        Binding("j", "json", "JSON"),
        Binding("b", "briefing", "Brief"),
        Binding("e", "end", "End"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "leave", "Quit"),
        Binding("escape", "find_nothing", show=False),
    ]

    def __init__(self, session: Session, folder: Path) -> None:
        super().__init__()
        self.session = session
        self.folder = folder

    def compose(self) -> ComposeResult:
        """Put briefing over panel and log."""
        yield Static(id="clock")
        # The aircraft stands in the first line.
        yield Static(Text(briefing(self.session.task).partition("\n")[2]), id="briefing")
        with Container(id="middle"):
            with Vertical(id="left"):
                yield Input(placeholder="find: words of a label, an id or a panel", id="find")
                yield Panel(self.session)
                yield Static(id="detail")
            yield Log(self.session)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Start on the panel."""
        self.query_one("#find").display = False
        self.query_one(Panel).focus()
        self._show_clock()

    def _show_clock(self) -> None:
        aircraft = briefing(self.session.task).partition("\n")[0]
        text = Text.assemble((f" {self.session.clock} ", "reverse"), f"  {aircraft}")
        self.query_one("#clock", Static).update(text)
        self._show_detail()

    def _show_detail(self) -> None:
        panel = self.query_one(Panel)
        chosen = panel.chosen
        if chosen is None:
            text = f"Enter reads these {len(panel.group)} in one turn" if panel.group else "nothing found"
        else:
            known = self.session.known.get(chosen.id)
            seen = f"{known}, turn {known.turn}" if known else "not read yet"
            kind = "" if chosen.domain else " - cannot be set"
            text = f"{self.session.legal(chosen.id)}{kind}\n{seen}"
        self.query_one("#detail", Static).update(Text(text))

    def on_data_table_row_highlighted(self) -> None:
        """Tell more of the component under the cursor."""
        self._show_detail()

    def on_data_table_row_selected(self) -> None:
        """Read the component under the cursor."""
        self.action_read()

    # Turns.

    def _turn(self, play: Callable[[], Exchange]) -> None:
        """Play a turn and show what came of it."""
        self.query_one(Log).add(play())
        self.query_one(Panel).refresh_readings()
        self._show_clock()
        if self.session.over:
            self._finish()

    def action_read(self) -> None:
        """Read the component under the cursor, or the group below a heading."""
        chosen = self.query_one(Panel).chosen
        if chosen is None:
            self.action_group()
        else:
            self._turn(lambda: self.session.read(chosen.id))

    def action_group(self) -> None:
        """Read the whole group."""
        names = [c.id for c in self.query_one(Panel).group]
        if names:
            self._turn(lambda: self.session.read(*names))

    @work
    async def action_set(self) -> None:
        """Ask for a value and set the control under the cursor."""
        chosen = self.query_one(Panel).chosen
        if chosen is None or chosen.domain is None:
            self.notify("Only a control can be set, and this is none.", timeout=3)
            return
        answer = await self.app.push_screen_wait(ask_value(chosen, self.session.known.get(chosen.id)))
        if answer is not None:
            value = positions(chosen)[answer] if isinstance(answer, int) else answer
            self._turn(lambda: self.session.write(chosen.id, value))

    @work
    async def action_tool(self) -> None:
        """Ask for a tool and its arguments, and call it."""
        lines = [f"{name}: {TOOLS[name].description}" for name in TOOL_NAMES]
        place = await self.app.push_screen_wait(Choose("Ask for information", lines))
        if place is None:
            return
        tool = TOOLS[TOOL_NAMES[place]]
        arguments = await self.app.push_screen_wait(Form(tool)) if tool.parameters else {}
        if arguments is not None:
            self._turn(lambda: self.session.ask(tool.name, arguments))

    @work
    async def action_end(self) -> None:
        """Submit, once the person is sure."""
        if await self.app.push_screen_wait(Sure("End the task? Nothing can be done afterwards.")):
            self._turn(self.session.submit)

    @work
    async def _finish(self) -> None:
        """Record and explain the episode, then leave."""
        record = human_record(self.session.episode)
        try:
            said = f"recorded in {save(record, self.folder)}"
        except RecordError as error:
            said = f"not recorded: {error}"
        task = self.session.task.id
        end = (Passage("heading", "Record"), Passage("text", said), Passage("text", f"acoe explain {task}"))
        await self.app.push_screen_wait(Page([*explanation(record), *end]))
        self.dismiss(f"{OUTCOMES[self.session.episode.grade().outcome]}: {task}\n{said}")

    @work
    async def action_leave(self) -> None:
        """Leave, once the person is sure."""
        if await self.app.push_screen_wait(Sure("Leave before the end? Nothing will be recorded.")):
            self.dismiss(None)

    # Looking.

    def action_find(self) -> None:
        """Open the search."""
        field = self.query_one("#find", Input)
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what the search finds, as it is typed."""
        panel = self.query_one(Panel)
        if event.value != panel.search:
            panel.fill(event.value)
            self._show_detail()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to what was found."""
        self.query_one(Panel).focus()
        self.query_one("#find").display = bool(event.value)

    def action_find_nothing(self) -> None:
        """Close the search and show everything again."""
        field = self.query_one("#find", Input)
        if field.display:
            panel = self.query_one(Panel)
            chosen = panel.chosen
            panel.fill("")
            field.value = ""
            field.display = False
            if chosen is not None:
                panel.move_cursor(row=panel.get_row_index(chosen.id))
            panel.focus()

    def action_json(self) -> None:
        """Show or hide JSON in the log."""
        self.query_one(Log).toggle_raw()

    def action_briefing(self) -> None:
        """Show everything that was told before the first turn."""
        told = [*role_prompt().split("\n\n"), *briefing(self.session.task).splitlines()]
        self.app.push_screen(Page([Passage("text", f"{text}\n") for text in told]))

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(Page(HELP))
