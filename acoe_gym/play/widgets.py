"""What the cockpit screen is made of: the panel as a table, and the log."""

from __future__ import annotations

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import DataTable, Static

from acoe_gym.cockpit.text import counted
from acoe_gym.cockpit.world import Component
from acoe_gym.play.session import UNKNOWN, Exchange, Session, group_name
from acoe_gym.play.words import exchange_lines

COLUMNS = (("COMPONENT", 24), ("ID", 24), ("READ OR SET", 22))
HEADING = "heading:"
HINT = (
    "You are the pilot monitoring. The captain flies, and flies what you ask for by setting the components "
    "labelled CAPTAIN. Enter reads, s sets, e ends the task; b: all that you were told, ?: the keys."
)


class Panel(DataTable[Text]):
    """The components by panel; a heading stands for its whole group."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Read"),
        Binding("right_square_bracket,right", "jump(1)", "Next group", show=False),
        Binding("left_square_bracket,left", "jump(-1)", "Previous group", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__(cursor_type="row", id="panel")
        self.session = session
        self.search = ""

    def on_mount(self) -> None:
        """Write the table for the first time."""
        for title, width in COLUMNS:
            self.add_column(title, width=width, key=title)
        self.fill("")

    def fill(self, search: str) -> int:
        """Show the components that a search finds and return how many there are."""
        self.search = search
        self.clear()
        found = self.session.groups(search)
        for panel, components in found.items():
            name = Text(f"[{group_name(panel)}]", style="bold reverse")
            self.add_row(
                name, Text(counted(len(components), "component"), style="italic"), key=HEADING + panel
            )
            for c in components:
                self.add_row(Text(c.label), Text(c.id), self._reading(c.id), key=c.id)
        if search and found:
            self.move_cursor(row=1)
        return sum(map(len, found.values()))

    def refresh_readings(self) -> None:
        """Show what is known now."""
        for row in self.rows:
            if row.value is not None and not row.value.startswith(HEADING):
                self.update_cell(row, COLUMNS[2][0], self._reading(row.value))

    def _reading(self, name: str) -> Text:
        known = self.session.known.get(name)
        if known is None:
            return Text(UNKNOWN)
        # The words "old" and "set" tell it; the style only helps.
        return Text(str(known), style="" if known.old else "bold", overflow="ellipsis")

    @property
    def chosen(self) -> Component | None:
        """The component under the cursor; None on a heading or an empty table."""
        return self.session.components.get(self._key)

    @property
    def group(self) -> list[Component]:
        """The shown components of the panel that the cursor is in."""
        panel = self.chosen.panel if self.chosen else self._key.removeprefix(HEADING)
        return self.session.groups(self.search).get(panel, [])

    @property
    def _key(self) -> str:
        if not self.row_count:
            return ""
        return str(self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value)

    def action_jump(self, step: int) -> None:
        """Move the cursor to the heading of the next or previous group."""
        headings = [n for n, row in enumerate(self.ordered_rows) if str(row.key.value).startswith(HEADING)]
        ahead = [n for n in headings if (n - self.cursor_row) * step > 0]
        if ahead:
            self.move_cursor(row=ahead[0] if step > 0 else ahead[-1])


class Log(VerticalScroll):
    """The turns so far, in words, and as JSON on request."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="log")
        self.session = session
        self.raw = False

    def compose(self) -> ComposeResult:
        """Begin with what a person needs to know first."""
        yield Static(HINT, id="hint")

    def add(self, exchange: Exchange) -> None:
        """Show one more turn."""
        self.mount(Static(self._text(exchange), classes="turn"))
        self.call_after_refresh(self.scroll_end, animate=False)

    def toggle_raw(self) -> None:
        """Show or hide the JSON of every turn."""
        self.raw = not self.raw
        for shown, exchange in zip(self.query(".turn").results(Static), self.session.exchanges, strict=True):
            shown.update(self._text(exchange))
        self.call_after_refresh(self.scroll_end, animate=False)

    def _text(self, exchange: Exchange) -> Table:
        lines = exchange_lines(exchange, self.session.components, raw=self.raw)
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_column(width=2, justify="right")
        grid.add_column(overflow="fold")
        for number, line in enumerate(lines):
            grid.add_row(Text("" if number else str(exchange.turn), style="bold"), Text(line))
        return grid
