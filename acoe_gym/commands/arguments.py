"""Kinds of values on the command line."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable
from typing import Any

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
