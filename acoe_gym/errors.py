"""Every error of the package.

AcoeError
├── SpecError        the author of a specification is told what to mend; nothing was loaded
├── CallRejected     told to the pilot as a tool reply; part of the episode, never an exception to a user
├── EpisodeOver      a step after the end, or before the first reset
├── UnknownName      a task, template, aircraft or policy that does not exist; names the nearest
├── AdapterNeeded    a library that takes arrays was given the text face; names the adapter
├── RecordError      a record that cannot be read, or that does not replay to the same bytes
├── InfrastructureError   a model's endpoint gave no usable answer; says nothing about the model
└── MissingExtra     an optional dependency is absent; names the pip command
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class AcoeError(Exception):
    """Base of all errors raised by acoe_gym."""


class SpecError(AcoeError, ValueError):
    """A specification file is wrong. The message names file, table, what was expected and what came."""


class CallRejected(AcoeError):
    """A tool call that changes nothing and is answered with an error.

    Args:
        code: stable machine-readable reason, such as ``unknown_component``.
        message: one sentence for the pilot.
        legal: what would have been accepted, JSON-able, or None.
    """

    def __init__(self, code: str, message: str, legal: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.legal = legal


class EpisodeOver(AcoeError, RuntimeError):
    """The episode has ended (or has not begun): call ``reset()`` first."""


class UnknownName(AcoeError, LookupError):
    """A name that is not known. The message names the nearest known ones."""


class AdapterNeeded(AcoeError, TypeError):
    """A library that takes arrays was given the text face. The message names the adapter."""


class RecordError(AcoeError, ValueError):
    """A record file or line that cannot be used. The message names file and line."""


class InfrastructureError(AcoeError, RuntimeError):
    """A model's endpoint gave no usable answer: an episode that it ended is in no metric.

    Args:
        message: what was asked of whom, and what came.
        fatal: every further request would fail alike, so the run stops.

    Attributes:
        turns: what an episode's record would have kept of the turns before it, their tokens among it.
    """

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal
        self.turns: list[dict[str, Any]] = []


class MissingExtra(AcoeError, ImportError):
    """An optional dependency is not installed. The message names the pip command."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> str:
    """Return ``; nearest: a, b`` for a message, or an empty string when nothing is near."""
    by_fold = {k.casefold(): k for k in known}
    close = difflib.get_close_matches(name.casefold(), list(by_fold), n=count, cutoff=0.5)
    return f"; nearest: {', '.join(by_fold[c] for c in close)}" if close else ""
