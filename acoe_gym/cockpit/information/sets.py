"""Information sets: frozen weather, NOTAMs and load that a task's informational tools answer from."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from acoe_gym.cockpit.data import read_toml, specs_root
from acoe_gym.cockpit.information.airports import known_stations
from acoe_gym.errors import SpecError, nearest

LOADING_KEYS = ("front_seats_lb", "rear_seats_lb", "baggage_a_lb", "baggage_b_lb", "fuel_gal")

_FOLDER = "information/sets"
_KEYS = ("canary", "id", "description", "metar", "taf", "notams", "winds", "loading")
# A tool reply holds at most 2,000 characters and is never cut, so what is too long is refused at load.
_MAX_CHARACTERS = 1800


class WindRow(NamedTuple):
    """Forecast wind and temperature at one altitude."""

    altitude_ft: int
    """Above mean sea level."""
    direction_deg: int
    """True direction that the wind blows from, 1 to 360."""
    speed_kt: int
    temperature_c: int


@dataclass(frozen=True)
class InformationSet:
    """What the informational tools of one task answer from; all mappings are read-only, keyed by station."""

    id: str
    metar: Mapping[str, str]
    """Raw report text."""
    taf: Mapping[str, str]
    """Raw forecast text, one line."""
    notams: Mapping[str, tuple[str, ...]]
    winds: Mapping[str, tuple[WindRow, ...]]
    """Rows by strictly ascending altitude."""
    loading: Mapping[str, float]
    """The load aboard, keyed by ``LOADING_KEYS``: pounds and US gallons."""

    def __post_init__(self) -> None:
        for name in _mapping_fields():
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[Any, ...]:
        # A mappingproxy can be neither pickled nor deep-copied; __post_init__ freezes plain dicts again.
        return InformationSet, (self.id, *(dict(getattr(self, name)) for name in _mapping_fields()))


def _mapping_fields() -> list[str]:
    return [field.name for field in fields(InformationSet) if field.name != "id"]


@cache
def information_ids() -> tuple[str, ...]:
    """Return the ids of the package's own information sets, sorted."""
    return tuple(sorted(path.stem for path in (specs_root() / _FOLDER).glob("*.toml")))


@cache
def load_information(information_id: str) -> InformationSet:
    """Load one of the package's information sets.

    Raises:
        SpecError: no set has this id (the message names the nearest), or its file is wrong.
    """
    known = information_ids()
    if information_id not in known:
        near = nearest(information_id, known) or f"; known: {', '.join(known)}"
        raise SpecError(f"information set {information_id!r} does not exist{near}")
    where = f"{_FOLDER}/{information_id}.toml"
    information = parse_information(read_toml(where), where)
    if information.id != information_id:
        raise SpecError(f"{where}: id: expected {information_id!r}, the file's name; got {information.id!r}")
    return information


def parse_information(table: Mapping[str, Any], where: str) -> InformationSet:
    """Check the table of an information set, as read from TOML, and freeze it.

    ``id`` and ``[loading]`` are required; ``[metar]``, ``[taf]``, ``[notams]`` and ``[winds]`` may be absent.

    Args:
        table: the whole file.
        where: its name, for messages.

    Raises:
        SpecError: names file, key, what was expected and what came.
    """
    _check_keys(table, _KEYS, ("id", "loading"), where)
    return InformationSet(
        id=_text(table["id"], f"{where}: id"),
        metar={s: _report(raw, s, "", at) for s, raw, at in _stations(table, "metar", where)},
        taf={s: _report(raw, s, "(TAF )?((AMD|COR) )?", at) for s, raw, at in _stations(table, "taf", where)},
        notams={s: _notams(texts, at) for s, texts, at in _stations(table, "notams", where)},
        winds={s: _winds(rows, at) for s, rows, at in _stations(table, "winds", where)},
        loading=_loading(table["loading"], f"{where}: [loading]"),
    )


def _check_keys(table: Any, known: tuple[str, ...], required: tuple[str, ...], where: str) -> None:
    if not isinstance(table, Mapping):
        raise SpecError(f"{where}: expected a table, got {table!r}")
    for key in table:
        if key not in known:
            raise SpecError(f"{where}: expected keys {', '.join(known)}; got {key!r}{nearest(key, known)}")
    for key in required:
        if key not in table:
            raise SpecError(f"{where}: expected a key {key!r}, got {', '.join(table) or 'none'}")


def _stations(table: Mapping[str, Any], key: str, where: str) -> Iterator[tuple[str, Any, str]]:
    """Yield station, value and the place's name for messages, of one table by station."""
    by_station = table.get(key, {})
    _check_keys(by_station, known_stations(), (), f"{where}: [{key}]")
    for station, value in by_station.items():
        yield station, value, f"{where}: [{key}] {station}"


def _text(value: Any, at: str) -> str:
    is_line = isinstance(value, str) and value.isascii() and value.isprintable()
    if not is_line or not value or value != value.strip():
        raise SpecError(f"{at}: expected one line of ASCII text without blanks around it, got {value!r}")
    _check_length(value, at)
    return str(value)


def _list(value: Any, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise SpecError(f"{at}: expected a list, got {value!r}")
    return value


def _check_length(value: Any, at: str) -> None:
    if (length := len(json.dumps(value))) > _MAX_CHARACTERS:
        raise SpecError(f"{at}: expected at most {_MAX_CHARACTERS} characters as JSON, got {length}")


def _report(value: Any, station: str, prefix: str, at: str) -> str:
    raw = _text(value, at)
    if not re.match(f"{prefix}{station} ", raw):
        raise SpecError(f"{at}: expected a report that starts with its station {station}, got {raw!r}")
    return raw


def _notams(value: Any, at: str) -> tuple[str, ...]:
    texts = tuple(_text(text, at) for text in _list(value, at))
    _check_length(texts, at)
    return texts


def _winds(value: Any, at: str) -> tuple[WindRow, ...]:
    rows = tuple(_wind_row(row, at) for row in _list(value, at))
    altitudes = [row.altitude_ft for row in rows]
    if not rows or any(low >= high for low, high in pairwise(altitudes)):
        raise SpecError(f"{at}: expected rows of strictly ascending altitude_ft, got {altitudes}")
    _check_length([row._asdict() for row in rows], at)
    return rows


def _wind_row(value: Any, at: str) -> WindRow:
    _check_keys(value, WindRow._fields, WindRow._fields, at)
    for key, number in value.items():
        if type(number) is not int:
            raise SpecError(f"{at}: {key}: expected a whole number, got {number!r}")
    row = WindRow(**value)
    if not (1 <= row.direction_deg <= 360 and row.speed_kt >= 0):
        raise SpecError(f"{at}: expected direction_deg 1 to 360 and speed_kt 0 or more, got {dict(value)}")
    return row


def _loading(value: Any, at: str) -> dict[str, float]:
    _check_keys(value, LOADING_KEYS, LOADING_KEYS, at)
    for key, number in value.items():
        if type(number) not in (int, float) or not (math.isfinite(number) and number >= 0):
            raise SpecError(f"{at} {key}: expected a finite number, 0 or more; got {number!r}")
    return dict(value)
