"""Strict one-line JSON."""

from __future__ import annotations

import json


def compact(value: object) -> str:
    """Return one line of strict ASCII JSON in the given key order."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def canonical(value: object) -> str:
    """Return one line of strict ASCII JSON with sorted keys."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, sort_keys=True)
