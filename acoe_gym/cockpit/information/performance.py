"""Performance charts behind ``get_performance``: read between the points of a table, never beyond them.

Charts are data (``<aircraft>/performance.json``): axes, one table per result, and corrections in percent.
Everything is computed in exact fractions, so a table value is met exactly, an int and a float give the same
reply, and what is rounded half to even is the true figure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from acoe_gym.cockpit import data
from acoe_gym.errors import CallRejected, nearest

# Arguments that say nothing: a chart that does not use them lets these pass.
_UNSAID = {
    "pressure_altitude_ft": None,
    "temperature_c": None,
    "headwind_kt": 0,
    "surface": "paved",
    "flaps": None,
}


class Correction(NamedTuple):
    """Percent added to each result: of the result itself, or of the result named in ``of``."""

    text: str
    percent: Fraction
    of: str | None = None


def get_performance(
    aircraft: str,
    chart: str,
    pressure_altitude_ft: float | None = None,
    temperature_c: float | None = None,
    headwind_kt: float = 0,
    surface: str = "paved",
    flaps: str | None = None,
) -> dict[str, Any]:
    """Read a performance chart, multilinear between its grid points, with the handbook's corrections.

    Wind is corrected first, then flaps, then surface, each on what the one before left; the order is ours.

    Args:
        aircraft: folder below ``task_specs``.
        chart: one of the aircraft's charts, such as ``takeoff_distance``.
        pressure_altitude_ft: feet.
        temperature_c: outside air temperature, degrees Celsius.
        headwind_kt: knots along the runway, negative for a tailwind.
        surface: runway surface, one that the chart knows.
        flaps: flap position, one that the chart knows; None is the position it is drawn for.

    Returns:
        ``chart``, ``inputs``, the results (units in their names), ``speeds``, ``conditions`` of the chart,
        ``corrections`` that were applied, ``notes``, ``source``.

    Raises:
        CallRejected: ``not_available``, ``unknown_chart``, ``unused_argument``, ``missing_argument``,
            ``bad_argument`` or ``out_of_range``; ``legal`` holds what would have been accepted.
    """
    name = choose("chart", chart, _charts(aircraft), "unknown_chart")
    table = _charts(aircraft)[name]
    said = (pressure_altitude_ft, temperature_c, headwind_kt, surface, flaps)
    inputs = _inputs(name, table, dict(zip(_UNSAID, said, strict=True)))
    corrections = _corrections(table["corrections"], inputs)
    results = _results(table, inputs, corrections)
    return {
        "chart": name,
        "inputs": {key: value if isinstance(value, str) else plain(value) for key, value in inputs.items()},
        **{key: plain(value, table["decimals"]) for key, value in results.items()},
        "speeds": _speeds(table, inputs),
        "conditions": dict(table["conditions"]),
        "corrections": [correction.text for correction in corrections],
        "notes": list(table["notes"]),
        "source": table["source"],
    }


def choose(name: str, asked: object, legal: Collection[str], code: str = "bad_argument") -> str:
    """Return the legal word that equals ``asked`` but for case, blanks around it, and underscores for blanks.

    Raises:
        CallRejected: with ``code``, naming the legal words.
    """
    words = {_fold(word): word for word in legal}
    found = words.get(_fold(str(asked)))
    if found is None:
        text = str(asked)[:40]
        message = f"{name}: expected one of {', '.join(legal)}, got {text!a}{nearest(text, legal)}"
        raise CallRejected(code, message, list(legal))
    return found


def exact(name: str, value: object, limits: Mapping[str, Sequence[float]], note: str = "") -> Fraction:
    """Return a number between its limits as the decimal fraction it was written as.

    Raises:
        CallRejected: ``bad_argument`` when not a number, else ``out_of_range`` (NaN and infinity too).
    """
    low, high = limits[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f"{name}: expected a number from {low} to {high}, got {type(value).__name__}"
        raise CallRejected("bad_argument", message, dict(limits))
    if not low <= value <= high:
        message = f"{name}: expected {low} to {high}, got {str(value)[:24]}{note and f' ({note})'}"
        raise CallRejected("out_of_range", message, dict(limits))
    return Fraction(str(value))


def interpolate(axes: Sequence[Sequence[float]], table: Any, point: Sequence[Fraction]) -> Fraction:
    """Read a table linearly along each of its axes, one after the other.

    Args:
        axes: per axis its grid points, ascending, two or more.
        table: numbers nested in lists, one level per axis.
        point: one coordinate per axis, inside the grid.
    """
    if not axes:
        return Fraction(str(table))
    grid, at = [Fraction(str(mark)) for mark in axes[0]], point[0]
    i = min(bisect_right(grid, at), len(grid) - 1) - 1
    share = (at - grid[i]) / (grid[i + 1] - grid[i])
    below, above = (interpolate(axes[1:], row, point[1:]) for row in table[i : i + 2])
    return below + (above - below) * share


def plain(value: Fraction, decimals: int | None = None) -> int | float:
    """Return a JSON number, rounded half to even when ``decimals`` is given; whole numbers are ints."""
    rounded = value if decimals is None else Fraction(round(value, decimals))
    return rounded.numerator if rounded.denominator == 1 else float(rounded)


@cache
def _charts(aircraft: str) -> dict[str, dict[str, Any]]:
    relative = f"{aircraft}/performance.json"
    if not (data.specs_root() / relative).is_file():
        raise CallRejected("not_available", "no performance charts for this aircraft")
    charts: dict[str, dict[str, Any]] = data.read_json(relative)["charts"]
    return charts


def chart_names(aircraft: str) -> tuple[str, ...]:
    """Return the names of an aircraft's charts; an aircraft without any has none."""
    try:
        return tuple(_charts(aircraft))
    except CallRejected:
        return ()


def _fold(text: str) -> str:
    return " ".join(text.replace("_", " ").split()).casefold()


def _inputs(name: str, table: dict[str, Any], given: dict[str, Any]) -> dict[str, Fraction | str]:
    """Check the arguments and return those that the chart uses."""
    corrections = table["corrections"]
    used = [*table["axes"], *corrections]
    for key, value in given.items():
        if key not in used and value != _UNSAID[key]:
            message = f"{name} does not use {key}; it uses {', '.join(used)}"
            raise CallRejected("unused_argument", message, used)
    limits = _limits(table)
    missing = [axis for axis in table["axes"] if given[axis] is None]
    if missing:
        raise CallRejected("missing_argument", f"{name} needs {' and '.join(missing)}", limits)
    inputs: dict[str, Fraction | str] = {}
    for key in used:
        if key in limits:
            inputs[key] = exact(key, given[key], limits, table["limit_notes"].get(key, ""))
        else:
            asked = table["conditions"][key] if given[key] is None else given[key]
            inputs[key] = choose(key, asked, corrections[key])
    return inputs


def _limits(table: dict[str, Any]) -> dict[str, list[float]]:
    limits = {axis: [points[0], points[-1]] for axis, points in table["axes"].items()}
    if wind := table["corrections"].get("headwind_kt"):
        limits["headwind_kt"] = [-wind["tailwind"]["limit_kt"], wind["headwind"]["limit_kt"]]
    return limits


def _corrections(rules: dict[str, Any], inputs: dict[str, Any]) -> list[Correction]:
    """Return the corrections that change something, in the order wind, flaps, surface."""
    found = [_wind(rules["headwind_kt"], inputs["headwind_kt"])] if "headwind_kt" in rules else []
    positions = [key for key in ("flaps", "surface") if key in rules]
    found += [_position(key, inputs[key], rules[key][inputs[key]]) for key in positions]
    return [correction for correction in found if correction.percent]


def _wind(rules: dict[str, Any], headwind_kt: Fraction) -> Correction:
    kind = "tailwind" if headwind_kt < 0 else "headwind"
    rule, speed = rules[kind], abs(headwind_kt)
    percent = rule["percent"] * speed / rule["per_kt"]
    return Correction(f"{kind} {float(speed):g} kt: {float(percent):+.3g} %", percent)


def _position(key: str, position: str, rule: dict[str, Any]) -> Correction:
    of = rule.get("of")
    text = f"{key} {position}: {rule['percent']:+d} %" + (f" of {of} added to each distance" if of else "")
    speed = f", {rule['speed_kias']:+d} KIAS" if "speed_kias" in rule else ""
    return Correction(text + speed, Fraction(rule["percent"]), of)


def _results(
    table: dict[str, Any], inputs: dict[str, Any], corrections: Sequence[Correction]
) -> dict[str, Fraction]:
    axes: dict[str, list[float]] = table["axes"]
    point = [inputs[axis] for axis in axes]
    results = {key: interpolate(list(axes.values()), rows, point) for key, rows in table["values"].items()}
    for _, percent, of in corrections:
        results = {key: value + results[of or key] * percent / 100 for key, value in results.items()}
    return results


def _speeds(table: dict[str, Any], inputs: dict[str, Any]) -> dict[str, int]:
    rule = table["corrections"].get("flaps", {}).get(inputs.get("flaps"), {})
    return {key: speed + rule.get("speed_kias", 0) for key, speed in table["speeds"].items()}
