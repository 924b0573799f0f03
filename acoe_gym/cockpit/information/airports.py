"""Airports: the stations that a pilot may ask about, and the facts of each field."""

from __future__ import annotations

import copy
import re
from functools import cache
from typing import Any

from acoe_gym.cockpit.data import read_json
from acoe_gym.errors import CallRejected, nearest

_STATION = re.compile(r"[A-Za-z0-9]{4}")


@cache
def _airports() -> dict[str, dict[str, Any]]:
    airports: dict[str, dict[str, Any]] = read_json("information/airports.json")["airports"]
    return airports


@cache
def known_stations() -> tuple[str, ...]:
    """Return the station codes of all known airports, sorted."""
    return tuple(sorted(_airports()))


def resolve_station(station: str) -> str:
    """Return the known station that a pilot means; case and surrounding blanks do not matter.

    Raises:
        CallRejected: ``bad_argument`` if it is not four ASCII letters or digits, ``unknown_station`` if no
            airport of that code is known.
    """
    code = station.strip()
    # The pattern comes before upper(), which would turn some non-ASCII letters into ASCII ones.
    if not _STATION.fullmatch(code):
        raise CallRejected(
            "bad_argument",
            f"station expects four letters or digits, such as KPAO; actual: {code[:20]!a}",
            legal=list(known_stations()),
        )
    code = code.upper()
    if code not in _airports():
        message = f"station {code} is not known{nearest(code, known_stations())}"
        raise CallRejected("unknown_station", message, legal=list(known_stations()))
    return code


def get_airport_info(station: str) -> dict[str, Any]:
    """Answer the tool ``get_airport_info``.

    Args:
        station: four-character code, such as ``KPAO``.

    Returns:
        ``station``, ``name``, ``city``, ``state``, ``lat`` and ``lon`` (decimal degrees, east and north
        positive), ``elevation_ft`` (above mean sea level), ``tower``, ``runways`` (``id``, ``length_ft``,
        ``width_ft``, ``surface``), ``frequencies`` (MHz) and ``source``, which says what is fictional.

    Raises:
        CallRejected: ``bad_argument`` or ``unknown_station``.
    """
    code = resolve_station(station)
    return {"station": code, **copy.deepcopy(_airports()[code])}
