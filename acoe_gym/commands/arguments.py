"""Kinds of values on the command line."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """Return a whole number from 1.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)
