"""What a check says."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["error", "warning", "note"]


class Remark(NamedTuple):
    """One sentence of a check.

    Attributes:
        level: ``error`` refuses the task, ``warning`` asks for a look, ``note`` records a permitted
            exception.
        where: task, template or aircraft, and the table.
        message: what was expected and what came.
    """

    level: Level
    where: str
    message: str


def error(where: str, message: str) -> Remark:
    """Return a remark that refuses the task."""
    return Remark("error", where, message)


def warning(where: str, message: str) -> Remark:
    """Return a remark that asks for a look."""
    return Remark("warning", where, message)


def note(where: str, message: str) -> Remark:
    """Return a remark that records a permitted exception."""
    return Remark("note", where, message)
