"""The panel as text: what a person in the right seat would see."""

from __future__ import annotations

from itertools import groupby

from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.episode import Episode

WIDTH = 100
NAME, CELL = 24, 48


class Panel:
    """Draws every component by panel, with units.

    Dark components are shown as such, lit lines in brackets, and what changed since the last draw is marked.
    """

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def forget(self) -> None:
        """Begin anew: the next drawing marks nothing."""
        self._last = {}

    def draw(self, episode: Episode) -> str:
        """Return the panel, at most 100 columns wide."""
        shown = self._readings(episode)
        components = episode.task.program.template.world.components.values()
        lines = [
            f"{episode.task.program.template.world.name}   turn {len(episode.turns)} of {episode.max_turns}"
        ]
        for panel, parts in groupby(components, key=lambda c: c.panel):
            lines.append(f"--- {panel.replace('_', ' ').upper()} ".ljust(WIDTH, "-"))
            rows = list(parts)
            labels = [c.label for c in rows]
            # Breakers of one name on several buses are told apart by their ids.
            names = [c.label if labels.count(c.label) == 1 else c.id for c in rows]
            cells = [self._cell(c.id, name, shown[c.id]) for c, name in zip(rows, names, strict=True)]
            lines += _columns([(cell, bool(c.lines)) for c, cell in zip(rows, cells, strict=True)])
        self._last = shown
        return "\n".join(lines)

    def _readings(self, episode: Episode) -> dict[str, str]:
        console = console_of(episode.task.program)
        shown: dict[str, str] = {}
        for name, read in console.program.readers.items():
            value = read(episode.state)
            component = console.world.components[name]
            if value is None:
                shown[name] = "dark"
            elif component.lines:
                shown[name] = (
                    " ".join(f"[{line}]" for line in value) if isinstance(value, tuple) and value else "-"
                )
            else:
                shown[name] = f"{console.show(name, value)} {component.unit}".strip()
        return shown

    def _cell(self, name: str, label: str, text: str) -> str:
        mark = "*" if self._last and self._last.get(name) != text else " "
        return f"{mark}{label[:NAME]:<{NAME}} {text}"


def _columns(cells: list[tuple[str, bool]]) -> list[str]:
    """Return (text, wide) cells in two columns; wide ones take lines of their own."""
    lines: list[str] = []
    open_line = ""
    for text, wide in cells:
        if wide or len(text) > CELL:
            lines += [open_line] if open_line else []
            lines += _wrapped(text)
            open_line = ""
        elif open_line:
            lines.append(f"{open_line:<{CELL + 2}}{text}")
            open_line = ""
        else:
            open_line = text
    return [*lines, open_line] if open_line else lines


def _wrapped(text: str) -> list[str]:
    """Return a long cell over several lines of at most WIDTH columns, continued under its value."""
    head, words = text[: NAME + 2], text[NAME + 2 :].replace("] [", "]\n[").split("\n")
    lines = [head]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > WIDTH:
            lines.append(" " * (NAME + 2))
        lines[-1] += word if lines[-1] == head else f" {word}"
    return [line.rstrip() for line in lines]
