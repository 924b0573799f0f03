"""The panel in the terminal; needs the extra ``play``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import work
from textual.app import App

from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import RecordError
from acoe_gym.play.choices import Procedure, headings
from acoe_gym.play.dialogs import Choose, Page
from acoe_gym.play.saving import check
from acoe_gym.play.screen import Cockpit
from acoe_gym.play.session import Session

# From this width on the log stands beside the panel.
WIDE = 116


class PlayApp(App[str]):
    """One task from the briefing to the explanation.

    Args:
        task: the task; None lets the person choose.
        folder: where the record goes.
        procedures: what to choose from.
        spoilers: show task ids rather than numbers.

    Returns:
        From ``run``: a line for the terminal, or None if the person left before the end.
    """

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - no ClassVar in the base
    TITLE = "acoe play"
    CSS = """
    #clock { height: 1; }
    #briefing { height: auto; max-height: 7; border-bottom: solid $primary; overflow-y: auto; }
    #middle { height: 1fr; }
    #left { height: 2fr; width: 1fr; }
    #find { border: none; height: 1; }
    #panel { height: 1fr; }
    #detail { height: 2; background: $boost; }
    #log { height: 1fr; border-top: solid $primary; }
    .-wide #middle { layout: horizontal; }
    .-wide #left { height: 1fr; width: 78; }
    .-wide #log { height: 1fr; width: 1fr; border-top: none; border-left: solid $primary; padding-left: 1; }
    Choose, Type, Form, Sure { align: center middle; }
    .dialog { width: 76; max-width: 96%; height: auto; max-height: 90%; padding: 0 1; }
    .dialog { border: heavy $primary; background: $surface; }
    .dialog Label { width: 1fr; }
    .dialog OptionList { max-height: 15; border: none; }
    .dialog Input { border: none; height: 1; background: $panel; }
    .title { text-style: bold; margin-bottom: 1; }
    .hint { text-style: italic; margin-top: 1; }
    .page { padding: 0 2; background: $surface; }
    .outcome { width: auto; margin-top: 1; }
    .heading { margin-top: 1; }
    """

    def __init__(
        self, task: Task | None, folder: Path, *, procedures: Sequence[Procedure] = (), spoilers: bool = False
    ) -> None:
        super().__init__()
        self.given = task
        self.folder = folder
        self.procedures = procedures
        self.spoilers = spoilers

    @work
    async def on_mount(self) -> None:
        """Ask for a task where none was given, and show its cockpit."""
        task = self.given or await self._chosen()
        said = await self.push_screen_wait(Cockpit(Session(task), self.folder)) if task else None
        self.exit(said)

    async def action_quit(self) -> None:
        """Ask before a task is left; elsewhere leave, or close the page."""
        if isinstance(self.screen, Cockpit):
            self.screen.action_leave()
        elif isinstance(self.screen, Page):
            self.screen.dismiss(None)
        else:
            self.exit(None)

    async def _chosen(self) -> Task | None:
        lines = [p.title for p in self.procedures]
        heads = headings(self.procedures)
        while True:
            ask = Choose("Which procedure?", lines, headings=heads)
            place = 0 if len(lines) == 1 else await self.push_screen_wait(ask)
            if place is None:
                return None
            chosen = self.procedures[place]
            names = chosen.names(spoilers=self.spoilers)
            number = await self.push_screen_wait(Choose(chosen.title, names))
            if number is None and len(lines) == 1:
                return None
            if number is not None and (task := self._playable(chosen.tasks[number])):
                return task

    def _playable(self, task_id: str) -> Task | None:
        try:
            check(self.folder, task_id)
        except RecordError as error:
            self.notify(str(error), severity="error")
            return None
        return task_of(task_id)
