"""Kinds of values on the command line."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acoe_gym.cockpit import library
from acoe_gym.errors import AcoeError


class UsageError(AcoeError):
    """Options that do not go together."""


def positive(text: str) -> int:
    """Return a whole number from 1.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def fraction(text: str) -> float:
    """Return a number from 0.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not math.isfinite(number) or number < 0:
        raise argparse.ArgumentTypeError(f"expected a number from 0, got {text!r}")
    return number


def default_templates(specs: Iterable[Path]) -> tuple[str, ...]:
    """Return the templates to take where none is named: those of one's own folders, else the package's."""
    own = [aircraft for path in specs for aircraft in library.add_root(path)]
    return tuple(t for aircraft in own for t in library.template_ids(aircraft)) or library.template_ids()


def pairs(words: Iterable[str]) -> dict[str, Any]:
    """Return ``k=v`` words as a table; a value that is JSON is what it says, any other is a text.

    Raises:
        UsageError: a word has no ``=``.
    """
    found: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals:
            raise UsageError(f"expected K=V, such as temperature=0, got {word!r}")
        try:
            found[key] = json.loads(text)
        except ValueError:
            found[key] = text
    return found
