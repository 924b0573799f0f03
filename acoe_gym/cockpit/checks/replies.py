"""Checks of replies: what stays in a model's context is short, list_systems is the same in all tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator

from acoe_gym.cockpit.checks.remark import Remark, error
from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.evidence import Evidence
from acoe_gym.cockpit.information import regulations
from acoe_gym.cockpit.information.airports import known_stations
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.templates import Template
from acoe_gym.cockpit.text import compact
from acoe_gym.cockpit.tools import TOOLS

Arguments = dict[str, object]
ToolCall = tuple[str, Arguments]

MAX_LIST = 5120
MAX_REPLY = 2000
LONG = "x" * 8192
# Charts answer to different arguments; those a chart has no use for are rejected, which is a reply too.
READINGS: tuple[Arguments, ...] = (
    {},
    {"pressure_altitude_ft": 3500},
    {"pressure_altitude_ft": 3500, "temperature_c": 25},
    {"pressure_altitude_ft": 3500, "temperature_c": 25, "headwind_kt": -5, "surface": "dry_grass"},
)


def lists_are_short_and_equal(evidence: Evidence) -> Iterator[Remark]:
    """``list_systems`` answers within `MAX_LIST` bytes, and alike in all tasks of an aircraft."""
    for aircraft in evidence.aircraft:
        tasks = [task.task for template in aircraft.templates for task in template.tasks]
        replies = dict.fromkeys(_reply(task, "list_systems", {}) for task in tasks)
        if len(replies) > 1:
            yield error(
                aircraft.world.id,
                f"expected list_systems to answer alike in all tasks, got {len(replies)} answers",
            )
        for reply in replies:
            if len(reply) > MAX_LIST:
                yield error(
                    aircraft.world.id, f"expected list_systems within {MAX_LIST} bytes, got {len(reply)}"
                )


def replies_are_short(evidence: Evidence) -> Iterator[Remark]:
    """Every other reply stays within `MAX_REPLY` bytes."""
    for template in evidence.templates:
        yield from _lists_fully_lit(template.template)
        yield from _too_long(template.template.id, template.tasks[0].task, _cockpit_calls(template.template))
    for aircraft in evidence.aircraft:
        tasks = [task.task for template in aircraft.templates for task in template.tasks]
        by_set = {task.information.id: task for task in tasks}
        for name, task in by_set.items():
            yield from _too_long(f"{aircraft.world.id} information {name!r}", task, _station_calls())
        yield from _too_long(aircraft.world.id, tasks[0], _table_calls(tasks[0]))


def _reply(task: Task, tool: str, arguments: Arguments) -> str:
    return console_of(task.program).run(list(task.initial), tool, arguments, task).reply


def _too_long(where: str, task: Task, calls: Iterator[ToolCall]) -> Iterator[Remark]:
    for tool, arguments in calls:
        length = len(_reply(task, tool, arguments))
        if length > MAX_REPLY:
            asked = compact(arguments)[:80]
            yield error(where, f"expected replies within {MAX_REPLY} bytes, got {length} from {tool} {asked}")


def _lists_fully_lit(template: Template) -> Iterator[Remark]:
    for name in template.world.components:
        lines = list(template.names.line_texts(name))
        length = len(compact({"ok": True, "component": name, "value": lines}))
        if lines and length > MAX_REPLY:
            yield error(
                f"{template.id} {name}", f"expected all lines lit within {MAX_REPLY} bytes, got {length}"
            )


def _cockpit_calls(template: Template) -> Iterator[ToolCall]:
    """Yield readings, writes of every named value and of nonsense, and names that nobody has."""
    for component in template.world.components.values():
        yield "get_system", {"component": component.id}
        yield "set_system", {"component": component.id, "value": LONG}
        if component.domain is not None:
            yield from (
                ("set_system", {"component": component.id, "value": component.domain.show(value)})
                for value in component.domain.commandable()
            )
    yield LONG, {}
    for name in TOOLS:
        yield name, {LONG: LONG}
    yield "get_system", {"component": LONG}


def _station_calls() -> Iterator[ToolCall]:
    for name, tool in TOOLS.items():
        if "station" in tool.parameters:
            for station in (*known_stations(), LONG):
                yield name, {"station": station}


def _table_calls(task: Task) -> Iterator[ToolCall]:
    """Yield calls of the tools that answer from tables: load, charts, regulations."""
    yield "get_weight_balance", {}
    yield "get_weight_balance", {"front_seats_lb": 1e9}
    refusal = json.loads(_reply(task, "get_performance", {"chart": LONG}))
    for chart in refusal["error"]["legal"] or ():
        yield from (("get_performance", {"chart": chart, **reading}) for reading in READINGS)
    for provision in regulations.digest():
        yield "lookup_regulation", {"query": provision.section}
    yield "lookup_regulation", {"query": LONG}
