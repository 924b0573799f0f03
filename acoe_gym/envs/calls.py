"""The finite tables of calls behind the structured and the flat action spaces.

All are derived from the tool declarations and the aircraft's components.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from acoe_gym.cockpit import library
from acoe_gym.cockpit.domains import Positions, Range
from acoe_gym.cockpit.information.airports import known_stations
from acoe_gym.cockpit.information.performance import chart_names
from acoe_gym.cockpit.text import canonical
from acoe_gym.cockpit.tools import INFORMATIONAL, NAMES, TOOLS
from acoe_gym.cockpit.world import Component
from acoe_gym.errors import UnknownName, nearest

ToolCall = tuple[str, dict[str, Any]]
# A few searches stand for all texts, which no finite table can hold.
QUERIES = (
    "emergency authority of the pilot in command",
    "lost communications",
    "91.3",
    "91.185",
    "AIM 6-3-1",
    "AIM 6-4-1",
)


def set_points(component: Component) -> tuple[object, ...]:
    """Return the values of a control that tables offer: settable positions, or a range's set points."""
    domain = component.domain
    assert isinstance(domain, Positions | Range)
    return tuple(domain.show(value) for value in domain.commandable())


@cache
def informational_calls(aircraft: str) -> dict[str, tuple[dict[str, Any], ...]]:
    """Return the argument objects that tables offer for each informational tool."""
    charts = chart_names(aircraft)
    stations = tuple({"station": station} for station in known_stations())
    offered: dict[str, tuple[dict[str, Any], ...]] = {
        "get_weight_balance": ({},),
        "get_performance": tuple(
            {"chart": c, "pressure_altitude_ft": 2000, "temperature_c": 20} for c in charts
        )
        or ({"chart": "climb"},),
        "lookup_regulation": tuple({"query": query} for query in QUERIES),
    }
    return {name: offered.get(name, stations) for name in INFORMATIONAL}


@cache
def flat_table(aircraft: str) -> tuple[ToolCall, ...]:
    """Return the calls of one aircraft, in a fixed order: the rows of the flat Discrete action space.

    Each informational tool is offered with a few arguments only: a policy over arrays cannot read reports.
    """
    world = library.world(aircraft)
    rows: list[ToolCall] = [("list_systems", {}), ("submit", {})]
    rows += [("get_system", {"component": name}) for name in world.components]
    for name in world.controls:
        rows += [
            ("set_system", {"component": name, "value": value})
            for value in set_points(world.components[name])
        ]
    for tool, arguments in informational_calls(aircraft).items():
        rows += [(tool, dict(a)) for a in arguments[:3]]
    return tuple(rows)


class CallCodec:
    """Between calls and the structured action: a dict of four whole numbers.

    ``tool`` picks the tool, ``component`` a component of the union of all aircraft in scope, ``value`` one of
    its set points and ``argument`` one of the offered arguments of an informational tool; the last two are
    taken modulo what there is, and what a tool does not use is ignored, so that every sample is a call.
    """

    def __init__(self, aircraft: tuple[str, ...]) -> None:
        self.aircraft = aircraft
        parts: dict[str, Component] = {}
        for name in aircraft:
            parts.update(
                {c.id: c for c in library.world(name).components.values() if c.id not in parts or c.domain}
            )
        self.components = tuple(parts)
        self._points = {c.id: set_points(c) if c.domain else () for c in parts.values()}
        self._controls = tuple(name for name, points in self._points.items() if points)
        self._offers = informational_calls(aircraft[0])
        self.sizes = {
            "tool": len(NAMES),
            "component": len(self.components),
            "value": max(len(points) for points in self._points.values()),
            "argument": max(len(offers) for offers in self._offers.values()),
        }

    def decode(self, action: Mapping[str, Any]) -> ToolCall:
        """Return the call of an encoded action.

        Raises:
            KeyError, IndexError, ValueError: it is not a point of the action space.
        """
        keys = ("tool", "component", "value", "argument")
        tool, place, value, argument = (int(action[key]) for key in keys)
        if min(tool, place, value, argument) < 0:
            raise IndexError(f"expected numbers of 0 or more, got {dict(action)}")
        name, component = NAMES[tool], self.components[place]
        if name == "get_system":
            return name, {"component": component}
        if name == "set_system":
            points = self._points[component] or ("ON",)
            return name, {"component": component, "value": points[value % len(points)]}
        if TOOLS[name].kind == "informational":
            return name, dict(self._offers[name][argument % len(self._offers[name])])
        return name, {}

    def encode(self, call: Mapping[str, Any]) -> dict[str, int]:
        """Return the encoded action of a call ``{"name": …, "arguments": {…}}``.

        Vector environments and datasets need it; `step` of a single environment takes any call as it is.

        Raises:
            UnknownName: the table does not hold the call.
        """
        name, arguments = str(call.get("name")), dict(call.get("arguments") or {})
        code = dict.fromkeys(self.sizes, 0)
        code["tool"] = _index(NAMES, name, "a tool")
        if name == "get_system":
            code["component"] = _index(self.components, arguments.get("component"), "a component")
        elif name == "set_system":
            control = _known(self._controls, arguments.get("component"), "a control")
            code["component"] = self.components.index(control)
            code["value"] = _index(self._points[control], arguments.get("value"), f"a set point of {control}")
        elif TOOLS[name].kind == "informational":
            offers = [canonical(offer) for offer in self._offers[name]]
            code["argument"] = _index(offers, canonical(arguments), f"an offered argument of {name}")
        held = self.decode(code)[1]
        if arguments != held:
            raise UnknownName(
                f"expected the arguments {canonical(held)} of {name}, got {canonical(arguments)}"
            )
        return code


def _index(items: Sequence[Any], wanted: object, what: str) -> int:
    return items.index(_known(items, wanted, what))


def _known(items: Sequence[Any], wanted: Any, what: str) -> Any:
    if wanted not in items:
        known = [str(item) for item in items]
        listed = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
        raise UnknownName(f"expected {what} of {listed}, got {wanted!r}{nearest(str(wanted), known)}")
    return wanted
