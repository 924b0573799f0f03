"""A progress bar on standard error, for a person who looks and has rich installed; nothing otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shown(items: Sequence[T], title: str) -> Iterable[T]:
    """Return the items, with a bar while they are worked through."""
    if not sys.stderr.isatty():
        return items
    try:
        from rich.console import Console  # noqa: PLC0415 - optional
        from rich.progress import track  # noqa: PLC0415
    except ImportError:
        return items
    return track(items, title, console=Console(stderr=True))
