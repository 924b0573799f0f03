"""The 12 tools, declared once: names, kinds, argument schemas.

Every face, mask, table and error text derives from here. The schemas are the same in every task of every
aircraft, so the tool list tells nothing about the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acoe_gym.cockpit.domains import as_number, shown
from acoe_gym.cockpit.information import airports, performance, regulations, weather, weight_balance
from acoe_gym.cockpit.information.sets import InformationSet
from acoe_gym.errors import CallRejected, nearest

TOOLS_VERSION = 1
TEXT: dict[str, object] = {"type": "string"}
NUMBER: dict[str, object] = {"type": "number"}

Answer = Callable[[str, InformationSet, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Tool:
    """One tool.

    Attributes:
        kind: ``cockpit`` or ``informational``.
        writes: whether it can change the cockpit.
        neutral: left out of the tool-selection score.
        parameters: argument name -> JSON schema; ``required`` names those that must be given.
        answer: for informational tools, a function of aircraft id, information set and checked arguments.
    """

    name: str
    kind: str
    description: str
    parameters: Mapping[str, Mapping[str, object]]
    required: tuple[str, ...] = ()
    writes: bool = False
    neutral: bool = False
    answer: Answer | None = None

    def schema(self) -> dict[str, object]:
        """Return the JSON schema of the arguments object."""
        return {
            "type": "object",
            "properties": {name: dict(schema) for name, schema in self.parameters.items()},
            "required": list(self.required),
            "additionalProperties": False,
        }

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with numbers read by the one policy for values.

        Raises:
            CallRejected: an argument is unknown, missing or of the wrong kind.
        """
        for name in arguments:
            if name not in self.parameters:
                legal = ", ".join(self.parameters) or "no arguments"
                hint = nearest(str(name)[:40], self.parameters, 1)
                message = f"{self.name} expects {legal}, got {shown(name)}{hint}"
                raise CallRejected("unknown_argument", message, legal)
        for name in self.required:
            if name not in arguments:
                raise CallRejected("missing_argument", f"{self.name} expects the argument {name}", name)
        return {name: self._checked(name, raw) for name, raw in arguments.items()}

    def _checked(self, name: str, raw: object) -> object:
        kind = self.parameters[name].get("type")
        if kind == "string" and not isinstance(raw, str):
            raise CallRejected("bad_argument", f"{name} expects a text, got {shown(raw)}", "a text")
        if kind == "string" or self.writes:  # what a control takes is the control's to say
            return raw
        number = as_number(raw)
        if number is not None:
            return int(number) if number.is_integer() else number
        expected = "a number" if kind == "number" else "a text or a number"
        if kind == "number" or not isinstance(raw, str):
            raise CallRejected("bad_argument", f"{name} expects {expected}, got {shown(raw)}", expected)
        return raw


def _described(schema: Mapping[str, object], description: str) -> dict[str, object]:
    return {**schema, "description": description}


STATION = {"station": _described(TEXT, "Four-character identifier of the airport, for example KPAO.")}
LOADS = {
    "front_seats_lb": "Pilot and front passenger, pounds.",
    "rear_seats_lb": "Rear passengers, pounds.",
    "baggage_a_lb": "Baggage area A, pounds.",
    "baggage_b_lb": "Baggage area B, pounds.",
    "fuel_gal": "Usable fuel, US gallons.",
}

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "list_systems", "cockpit",
            "List every component of this aircraft: instruments, and controls with their positions or "
            "ranges. No current values.", {},
        ),
        Tool(
            "get_system", "cockpit", "Read one component.",
            {"component": _described(TEXT, "Component id as given by list_systems.")}, ("component",),
        ),
        Tool(
            "set_system", "cockpit", "Set one control to a position or number.",
            {
                "component": _described(TEXT, "Id of a control as given by list_systems."),
                "value": {
                    "anyOf": [TEXT, NUMBER],
                    "description": "A position by name, or a number within the range.",
                },
            },
            ("component", "value"), writes=True,
        ),
        Tool("submit", "cockpit", "End the task. Nothing can be done afterwards.", {}, neutral=True),
        Tool(
            "get_metar", "informational", "Latest METAR of a station, as text.", STATION, ("station",),
            answer=lambda _, info, a: weather.get_metar(info, **a),
        ),
        Tool(
            "get_taf", "informational", "Latest TAF of a station, as text.", STATION, ("station",),
            answer=lambda _, info, a: weather.get_taf(info, **a),
        ),
        Tool(
            "get_notams", "informational", "Current NOTAMs of a station.", STATION, ("station",),
            answer=lambda _, info, a: weather.get_notams(info, **a),
        ),
        Tool(
            "get_airport_info", "informational", "Runways, elevation and frequencies of an airport.",
            STATION, ("station",),
            answer=lambda _aircraft, _info, a: airports.get_airport_info(**a),
        ),
        Tool(
            "get_winds_aloft", "informational", "Forecast winds and temperatures aloft near a station.",
            {
                **STATION,
                "altitude_ft": _described(
                    NUMBER, "Altitude in feet above mean sea level; all levels if left out.",
                ),
            },
            ("station",),
            answer=lambda _, info, a: weather.get_winds_aloft(info, **a),
        ),
        Tool(
            "get_weight_balance", "informational",
            "Weight and centre of gravity of the present load; given loads replace the present ones.",
            {name: _described(NUMBER, text) for name, text in LOADS.items()},
            answer=lambda aircraft, info, a: weight_balance.get_weight_balance(aircraft, info.loading, a),
        ),
        Tool(
            "get_performance", "informational", "Read one performance chart of this aircraft.",
            {
                "chart": _described(
                    TEXT, "Chart name, for example takeoff_distance, landing_distance or climb.",
                ),
                "pressure_altitude_ft": _described(NUMBER, "Pressure altitude, feet."),
                "temperature_c": _described(NUMBER, "Outside air temperature, degrees Celsius."),
                "headwind_kt": _described(
                    NUMBER, "Headwind along the runway, knots; negative for a tailwind.",
                ),
                "surface": _described(TEXT, "Runway surface: paved or dry_grass."),
                "flaps": {
                    "anyOf": [TEXT, NUMBER],
                    "description": "Flap position, where the chart offers a choice.",
                },
            },
            ("chart",),
            answer=lambda aircraft, _, a: performance.get_performance(aircraft, **a),
        ),
        Tool(
            "lookup_regulation", "informational", "Search 14 CFR and the AIM, by words or by section number.",
            {"query": _described(TEXT, "Words to search for, or a section such as 91.151 or AIM 6-3-1.")},
            ("query",),
            answer=lambda _aircraft, _info, a: regulations.lookup_regulation(**a),
        ),
    )
}  # fmt: skip
NAMES = tuple(TOOLS)
INFORMATIONAL = tuple(tool.name for tool in TOOLS.values() if tool.kind == "informational")


def openai_tools() -> list[dict[str, object]]:
    """Return the tools in the form of the chat-completions ``tools`` argument."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema()},
        }
        for tool in TOOLS.values()
    ]


def json_schemas() -> dict[str, object]:
    """Return name -> argument schema, description and declared facts of every tool."""
    return {
        tool.name: {
            "description": tool.description,
            "kind": tool.kind,
            "writes": tool.writes,
            "parameters": tool.schema(),
        }
        for tool in TOOLS.values()
    }
