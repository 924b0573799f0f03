"""Weight and balance behind ``get_weight_balance``: arms, limits and envelope of ``<aircraft>/loading.toml``.

Sums are exact fractions and limits are judged on them; only what is shown is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from acoe_gym.cockpit import data
from acoe_gym.cockpit.information.performance import exact, interpolate, plain
from acoe_gym.errors import CallRejected, SpecError, nearest

# No light airplane carries this at one station: a larger figure is a slip, not an overload to be computed.
MAX_STATION_LB = 2000


class Row(NamedTuple):
    """One line of the loading form, in lb and inches aft of the datum."""

    station: str
    weight: Fraction
    arm: Fraction

    @property
    def moment(self) -> Fraction:
        """Return lb-in."""
        return self.weight * self.arm


def get_weight_balance(
    aircraft: str, loading: Mapping[str, float], overrides: Mapping[str, float]
) -> dict[str, Any]:
    """Compute weight, moment and centre of gravity of a loading and judge them by the aircraft's limits.

    Args:
        aircraft: folder below ``task_specs``.
        loading: what is aboard, one figure for each station of the aircraft, in lb or gal as its name says.
        overrides: figures of the call that stand in for those of ``loading``.

    Returns:
        ``stations``, ``total_weight_lb``, ``total_moment_lb_in``, ``cg_in``, ``within_limits``, ``exceeded``
        (name, figure, limit), ``envelope`` at that weight, ``note``, ``source``. Above the highest weight of
        the envelope there is none: it is null and the centre of gravity is not judged.

    Raises:
        CallRejected: ``not_available``, ``unknown_argument``, ``bad_argument`` or ``out_of_range``.
        SpecError: ``loading`` does not name exactly the stations of the aircraft.
    """
    sheet = _sheet(aircraft)
    loads = _loads(sheet["stations"], loading, overrides)
    rows = _rows(sheet, loads)
    weight = sum((row.weight for row in rows), Fraction(0))
    moment = sum((row.moment for row in rows), Fraction(0))
    envelope = _envelope(sheet["envelope"], weight)
    exceeded = _overloads(sheet["maximum"], {**loads, "total_weight_lb": weight})
    exceeded += _outside(envelope, moment / weight)
    return {
        "stations": [_shown(row) for row in rows],
        "total_weight_lb": plain(weight, 2),
        "total_moment_lb_in": plain(moment, 2),
        "cg_in": plain(moment / weight, 2),
        "within_limits": not exceeded,
        "exceeded": exceeded,
        "envelope": {"category": sheet["envelope"]["category"], **_rounded(envelope)} if envelope else None,
        "note": sheet["note"],
        "source": sheet["source"],
    }


@cache
def _sheet(aircraft: str) -> dict[str, Any]:
    relative = f"{aircraft}/loading.toml"
    if not (data.specs_root() / relative).is_file():
        raise CallRejected("not_available", "no weight and balance data for this aircraft")
    return data.read_toml(relative)


def _loads(
    stations: dict[str, Any], loading: Mapping[str, float], overrides: Mapping[str, float]
) -> dict[str, Fraction]:
    legal = ", ".join(stations)
    if set(loading) != set(stations):
        raise SpecError(f"loading: expected exactly {legal}; got {', '.join(loading) or 'nothing'}")
    for name in overrides:
        if name not in stations:
            message = f"expected stations of {legal}, got {name[:40]!a}{nearest(name[:40], stations)}"
            raise CallRejected("unknown_argument", message, list(stations))
    limits = {name: [0, MAX_STATION_LB // station["lb_per_unit"]] for name, station in stations.items()}
    merged = {**loading, **overrides}
    return {name: exact(name, merged[name], limits) for name in stations}


def _rows(sheet: dict[str, Any], loads: dict[str, Fraction]) -> list[Row]:
    empty = sheet["empty"]
    rows = [Row("empty", Fraction(str(empty["weight_lb"])), Fraction(str(empty["arm_in"])))]
    for name, station in sheet["stations"].items():
        weight = loads[name] * Fraction(str(station["lb_per_unit"]))
        rows.append(Row(name.rpartition("_")[0], weight, Fraction(str(station["arm_in"]))))
    return rows


def _envelope(envelope: dict[str, Any], weight: Fraction) -> dict[str, Fraction] | None:
    """Return the forward and aft limit at a weight, None above the top of the envelope."""
    weights = envelope["weight_lb"]
    if weight > weights[-1]:
        return None
    return {side: interpolate([weights], envelope[side], [weight]) for side in ("forward_in", "aft_in")}


def _overloads(maximum: dict[str, Any], figures: dict[str, Fraction]) -> list[dict[str, Any]]:
    found = []
    for name, rule in maximum.items():
        total, limit = sum((figures[part] for part in rule["of"]), Fraction(0)), Fraction(str(rule["max"]))
        if total > limit:
            found.append(_breach(name, total, limit))
    return found


def _outside(envelope: dict[str, Fraction] | None, cg: Fraction) -> list[dict[str, Any]]:
    if envelope is None:
        return []
    forward, aft = envelope["forward_in"], envelope["aft_in"]
    if cg < forward:
        return [_breach("forward_cg_in", cg, forward)]
    return [_breach("aft_cg_in", cg, aft)] if cg > aft else []


def _breach(name: str, figure: Fraction, limit: Fraction) -> dict[str, Any]:
    return {"name": name, "figure": plain(figure, 4), "limit": plain(limit, 4)}


def _shown(row: Row) -> dict[str, Any]:
    figures = {"weight_lb": row.weight, "arm_in": row.arm, "moment_lb_in": row.moment}
    return {"station": row.station, **_rounded(figures)}


def _rounded(figures: Mapping[str, Fraction]) -> dict[str, int | float]:
    return {name: plain(figure, 2) for name, figure in figures.items()}
