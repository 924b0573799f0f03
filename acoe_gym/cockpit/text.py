"""Strict one-line JSON, and words that are safe to print."""

from __future__ import annotations

import json


def compact(value: object) -> str:
    """Return one line of strict ASCII JSON in the given key order."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def canonical(value: object) -> str:
    """Return one line of strict ASCII JSON with sorted keys."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, sort_keys=True)


def printable(text: str) -> str:
    """Return a text without control and formatting characters but newlines: safe to print, whoever wrote it.

    A stream may lack other characters still: the command line lets it write them as escapes.
    """
    shown = (c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(shown)


def counted(number: int, word: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
