"""Screens that ask one thing and go: a value, a tool's arguments, a yes, a task; and pages to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from acoe_gym.cockpit.domains import Positions
from acoe_gym.cockpit.tools import Tool
from acoe_gym.cockpit.world import Component
from acoe_gym.play.explanation import Passage
from acoe_gym.play.session import Known

BACK: list[BindingType] = [Binding("escape", "dismiss(None)", "Back")]
STYLES = {"outcome": "bold reverse", "heading": "bold underline", "good": "bold", "bad": "bold"}


class Choose(ModalScreen[int | None]):
    """Choose one of several lines; the place of the line, or None.

    Args:
        title: what is asked.
        lines: what to choose from.
        place: the line to start on.
        headings: place -> a line above it that cannot be chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = BACK

    def __init__(
        self, title: str, lines: Sequence[str], place: int = 0, headings: Mapping[int, str] | None = None
    ) -> None:
        super().__init__()
        self.heading = title
        self.lines = lines
        self.place = place
        self.headings = headings or {}

    def compose(self) -> ComposeResult:
        """Show the title above the lines."""
        with Vertical(classes="dialog"):
            yield Label(Text(self.heading), classes="title")
            yield OptionList(*self._options())
            yield Label("Enter chooses, Escape goes back", classes="hint")

    def _options(self) -> Iterator[Option]:
        for place, line in enumerate(self.lines):
            if place in self.headings:
                yield Option(Text(self.headings[place], style="underline"), disabled=True)
            yield Option(Text(line), id=str(place))

    def on_mount(self) -> None:
        """Start on the line that was asked for."""
        options = self.query_one(OptionList)
        options.highlighted = options.get_option_index(str(self.place))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the chosen line's place."""
        self.dismiss(int(event.option_id or 0))


class Type(ModalScreen[str | None]):
    """Type a number or a name; the text, or None."""

    BINDINGS: ClassVar[list[BindingType]] = BACK

    def __init__(self, title: str, legal: str) -> None:
        super().__init__()
        self.heading = title
        self.legal = legal

    def compose(self) -> ComposeResult:
        """Show what is legal above the field."""
        with Vertical(classes="dialog"):
            yield Label(Text(self.heading), classes="title")
            yield Label(Text(self.legal))
            yield Input()
            yield Label("Enter sets, Escape goes back", classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the text as it was typed: what is wrong with it the cockpit says itself."""
        if event.value.strip():
            self.dismiss(event.value)


def ask_value(component: Component, known: Known | None) -> Choose | Type:
    """Return the screen that asks for a control's position or number."""
    title = f"Set {component.label} ({component.id})"
    domain = component.domain
    if isinstance(domain, Positions):
        names = positions(component)
        shown = known.shown if known else ""
        return Choose(title, names, names.index(shown) if shown in names else 0)
    assert domain is not None
    return Type(title, str(domain.legal()))


def positions(component: Component) -> list[str]:
    """Return the positions that a control can be set to; none for a number."""
    domain = component.domain
    return list(domain.settable or domain.names) if isinstance(domain, Positions) else []


class Form(ModalScreen[dict[str, str] | None]):
    """A tool's arguments, from its schema; what is left empty is left out."""

    BINDINGS: ClassVar[list[BindingType]] = [*BACK, Binding("ctrl+s", "ask", "Ask", priority=True)]

    def __init__(self, tool: Tool) -> None:
        super().__init__()
        self.tool = tool

    def compose(self) -> ComposeResult:
        """Show a field per argument."""
        with VerticalScroll(classes="dialog form", can_focus=False):
            yield Label(Text(f"{self.tool.name}: {self.tool.description}"), classes="title")
            for name, schema in self.tool.parameters.items():
                needed = "" if name in self.tool.required else " (may be left empty)"
                yield Label(Text(f"{name}{needed}"))
                yield Input(id=name, placeholder=str(schema.get("description", "")))
            yield Label("Enter goes on and asks at the end, Ctrl+S asks, Escape goes back", classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field, from the last one ask."""
        fields = list(self.query(Input))
        place = fields.index(event.input) + 1
        if place < len(fields):
            fields[place].focus()
        else:
            self.action_ask()

    def action_ask(self) -> None:
        """Return what was filled in."""
        self.dismiss({str(field.id): field.value for field in self.query(Input) if field.value.strip()})


class Sure(ModalScreen[bool]):
    """A question to be answered with y or n."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "Yes"),
        Binding("n,escape", "dismiss(False)", "No"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        """Show the question."""
        with Vertical(classes="dialog"):
            yield Label(Text(self.question), classes="title")
            yield Label("y yes, n no", classes="hint")


class Page(ModalScreen[None]):
    """Paragraphs to read, scrolled with the arrow keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "dismiss(None)", "Close (the arrows scroll)"),
    ]

    def __init__(self, passages: Sequence[Passage]) -> None:
        super().__init__()
        self.passages = passages

    def compose(self) -> ComposeResult:
        """Show the paragraphs."""
        with VerticalScroll(classes="page"):
            for passage in self.passages:
                shown = Static(Text(passage.text, style=STYLES.get(passage.kind, "")), classes=passage.kind)
                shown.styles.padding = (0, 0, 0, 3 * passage.depth)
                yield shown
        yield Footer()
