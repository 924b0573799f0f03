"""Weather tools: reports, notices and winds aloft from a task's information set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from acoe_gym.cockpit.information.airports import resolve_station
from acoe_gym.cockpit.information.sets import InformationSet, WindRow
from acoe_gym.errors import CallRejected


def get_metar(info: InformationSet, station: str) -> dict[str, Any]:
    """Answer the tool ``get_metar``.

    Returns:
        ``station`` and ``raw``, the report's text, or null with the ``note`` "no report".

    Raises:
        CallRejected: ``bad_argument`` or ``unknown_station``.
    """
    return _raw(info.metar, station)


def get_taf(info: InformationSet, station: str) -> dict[str, Any]:
    """Answer the tool ``get_taf``; reply and errors as in ``get_metar``."""
    return _raw(info.taf, station)


def get_notams(info: InformationSet, station: str) -> dict[str, Any]:
    """Answer the tool ``get_notams``.

    Returns:
        ``station`` and ``notams``, a list of texts, empty if there are none.

    Raises:
        CallRejected: ``bad_argument`` or ``unknown_station``.
    """
    code = resolve_station(station)
    return {"station": code, "notams": list(info.notams.get(code, ()))}


def get_winds_aloft(
    info: InformationSet, station: str, altitude_ft: int | float | None = None
) -> dict[str, Any]:
    """Answer the tool ``get_winds_aloft``.

    Args:
        info: the task's information set.
        station: four-character code.
        altitude_ft: altitude above mean sea level, or None for all rows.

    Returns:
        Without altitude: ``station`` and ``rows``, each ``altitude_ft``, ``direction_deg`` (true, from, 1 to
        360), ``speed_kt`` and ``temperature_c``. With altitude: ``station`` and those four, interpolated
        between the neighbouring rows and rounded half to even, the direction along the shorter arc
        (clockwise where both arcs are 180 degrees). A station without a forecast: ``rows`` is null with the
        ``note`` "no report".

    Raises:
        CallRejected: ``bad_argument``, ``unknown_station``, or ``out_of_range`` for an altitude below the
            lowest or above the highest row.
    """
    code = resolve_station(station)
    if altitude_ft is not None:
        _check_altitude(altitude_ft)
    rows = info.winds.get(code)
    if rows is None:
        return {"station": code, "rows": None, "note": "no report"}
    if altitude_ft is None:
        return {"station": code, "rows": [row._asdict() for row in rows]}
    return {"station": code, **_interpolated(rows, altitude_ft)}


def _raw(reports: Mapping[str, str], station: str) -> dict[str, Any]:
    code = resolve_station(station)
    if code not in reports:
        return {"station": code, "raw": None, "note": "no report"}
    # Nothing is decoded: decoding is the pilot's work, and a wrong decode here would be graded as theirs.
    return {"station": code, "raw": reports[code]}


def _check_altitude(altitude_ft: int | float) -> None:
    if isinstance(altitude_ft, bool) or (isinstance(altitude_ft, float) and not math.isfinite(altitude_ft)):
        message = f"altitude_ft expects a finite number of feet; actual: {altitude_ft}"
        raise CallRejected("bad_argument", message)


def _interpolated(rows: tuple[WindRow, ...], altitude_ft: int | float) -> dict[str, Any]:
    low, high = _neighbours(rows, altitude_ft)
    climbed, span = altitude_ft - low.altitude_ft, high.altitude_ft - low.altitude_ft
    turn = (high.direction_deg - low.direction_deg) % 360
    turn = turn - 360 if turn > 180 else turn

    def at(start: int, change: int) -> int:
        return round(start + change * climbed / span) if span else start

    return {
        "altitude_ft": int(altitude_ft) if altitude_ft == int(altitude_ft) else altitude_ft,
        "direction_deg": at(low.direction_deg, turn) % 360 or 360,
        "speed_kt": at(low.speed_kt, high.speed_kt - low.speed_kt),
        "temperature_c": at(low.temperature_c, high.temperature_c - low.temperature_c),
    }


def _neighbours(rows: tuple[WindRow, ...], altitude_ft: int | float) -> tuple[WindRow, WindRow]:
    """Return the rows at or around an altitude; the same row twice at the lowest."""
    lowest, highest = rows[0].altitude_ft, rows[-1].altitude_ft
    if not lowest <= altitude_ft <= highest:
        actual = str(altitude_ft)[:20]
        message = f"altitude_ft expects {lowest} to {highest} at this station; actual: {actual}"
        raise CallRejected("out_of_range", message, legal={"altitude_ft": [lowest, highest]})
    above = next(i for i, row in enumerate(rows) if row.altitude_ft >= altitude_ft)
    return rows[max(above - 1, 0)], rows[above]
