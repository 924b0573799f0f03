"""What the pilot touches: runs one call on a state and words the reply.

No constraint or goal is known here by name. One console serves all tasks of a template. Replies to cockpit
calls are interned per component and value, so a step of an episode builds no text that was built before.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from enum import IntEnum
from numbers import Integral, Real
from typing import Any, NamedTuple

from acoe_gym.cockpit.domains import NOT_JSON, Range, Value, shown
from acoe_gym.cockpit.program import Program, Reading, State
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.text import canonical, compact
from acoe_gym.cockpit.tools import NAMES, TOOLS
from acoe_gym.errors import CallRejected, nearest

MAX_TEXT = 8192
MAX_DEPTH = 8
# Only these are looked up as they came: True or numpy's 1 would be found once 1 was learned, else rejected.
_SIMPLE = frozenset({str, int, float})


class Outcome(IntEnum):
    """What became of a call."""

    RUN = 0
    UNCHANGED = 1
    REJECTED = 2
    SKIPPED = 3


class Call(NamedTuple):
    """One recorded call.

    Attributes:
        tool: name as asked for.
        arguments: canonical JSON: normalised where the call was accepted, as asked where it was rejected.
        reply: one line of strict ASCII JSON.
        violated: bit mask over the template's constraints.
    """

    tool: str
    arguments: str
    reply: str
    violated: int
    outcome: Outcome


def plain(raw: object, depth: int = 0) -> Any:
    """Return what was asked for as plain JSON of bounded size, so that its record replays to the same reply.

    What JSON cannot carry (numbers that are not finite or have more than 18 digits, foreign objects) becomes
    a marked object before the call is judged, which no argument accepts.
    """
    if raw is None or isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        return raw[:MAX_TEXT]
    if isinstance(raw, Integral):
        return int(raw) if abs(int(raw)) < 10**18 else {NOT_JSON: "a huge number"}
    if isinstance(raw, Real):
        return float(raw) if math.isfinite(raw) else {NOT_JSON: f"{raw}"}
    if depth < MAX_DEPTH and isinstance(raw, Mapping):
        # Sorted as in the record: an object has no order, so no message may depend on one.
        pairs = [(str(k)[:200], plain(v, depth + 1)) for k, v in list(raw.items())[:64]]
        return dict(sorted(pairs, key=lambda pair: pair[0]))
    if depth < MAX_DEPTH and isinstance(raw, list | tuple):
        return [plain(v, depth + 1) for v in raw[:64]]
    # A repr may hold an address, which would differ from run to run.
    return {NOT_JSON: f"<{type(raw).__name__}>"}


def rejection(tool: str, arguments: object, error: CallRejected) -> Call:
    """Return the record of a rejected call."""
    body = {"code": error.code, "message": error.message, "legal": error.legal}
    return Call(tool, canonical(arguments), compact({"ok": False, "error": body}), 0, Outcome.REJECTED)


def skipped(tool: object, arguments: object, code: str, message: str) -> Call:
    """Return the record of a call that was not run."""
    reply = compact({"ok": False, "error": {"code": code, "message": message, "legal": None}})
    return Call(_named(tool), canonical(plain(arguments)), reply, 0, Outcome.SKIPPED)


class Console:
    """Runs calls of one template's tasks."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.world = program.template.world
        self._list = Call("list_systems", "{}", compact({"ok": True, **self.systems()}), 0, Outcome.RUN)
        self.submitted = Call("submit", "{}", compact({"ok": True, "submitted": True}), 0, Outcome.RUN)
        # Hot tables, filled as the episodes go: reader and interned calls by component; writer, stored values
        # and calls by control.
        self._gets: dict[str, tuple[Any, dict[Reading, Call]]] = {
            name: (read, {}) for name, read in program.readers.items()
        }
        self._sets: dict[str, tuple[int, Any, dict[Any, Value], dict[Value, tuple[Call, Call]]]] = {
            name: (program.slots[name], program.writers[name], {}, {}) for name in self.world.controls
        }
        self._by_fold = {name.casefold(): name for name in self.world.components}

    def systems(self) -> dict[str, object]:
        """Return what list_systems tells, by kind of component.

        An instrument is worded ``id: LABEL [unit]``, a control ``id: LABEL: positions or range``.
        """
        instruments, controls, breakers = {}, {}, {}
        for c in self.world.components.values():
            unit = f" [{c.unit}]" if c.unit else ""
            if c.domain is None:
                instruments[c.id] = f"{c.label}{unit}"
            elif isinstance(c.domain, Range):
                numbers = f"{c.domain.low:g}..{c.domain.high:g}/{c.domain.step:g}{unit}"
                controls[c.id] = f"{c.label}: {'|'.join([numbers, *(name for name, _ in c.domain.names)])}"
            elif c.domain.names == ("IN", "OUT"):
                settable = f": {'|'.join(c.domain.settable)}" if c.domain.settable else ""
                breakers[c.id] = f"{c.label}{settable}"
            else:
                controls[c.id] = f"{c.label}: {'|'.join(c.domain.settable or c.domain.names)}"
        parts: dict[str, object] = {
            "aircraft": self.world.name,
            "instruments": instruments,
            "controls": controls,
        }
        return {**parts, "breakers IN|OUT": breakers} if breakers else parts

    def run(self, state: State, tool: object, arguments: object, task: Task) -> Call:
        """Run one call. Only an accepted, changing write alters ``state``.

        Args:
            state: the state, changed in place.
            tool: name of the tool, as asked for.
            arguments: a mapping, or the text of a JSON object.
            task: the `Task` whose information and constraints count.
        """
        if arguments.__class__ is dict:
            try:
                if tool == "get_system" and len(arguments) == 1:
                    read, calls = self._gets[arguments["component"]]
                    return calls[read(state)]
                if tool == "set_system" and len(arguments) == 2:
                    slot, writer, values, written = self._sets[arguments["component"]]
                    asked = arguments["value"]
                    if asked.__class__ in _SIMPLE:
                        return self._write(state, slot, writer, values[asked], written, task.constraint_mask)
            except (KeyError, TypeError):
                pass  # not seen before, or not legal: the careful way
        return self._careful(state, tool, arguments, task)

    def _write(
        self,
        state: State,
        slot: int,
        writer: Any,
        value: Value,
        written: dict[Value, tuple[Call, Call]],
        mask: int,
    ) -> Call:
        unchanged, changed = written[value]
        if state[slot] == value:
            return unchanged
        violated = writer(state, value) & mask
        return changed._replace(violated=violated) if violated else changed

    def _careful(self, state: State, tool: object, arguments: object, task: Task) -> Call:
        name = _named(tool)
        asked = plain(arguments)
        try:
            return self._dispatch(state, name, asked, task)
        except CallRejected as error:
            return rejection(name, asked, error)

    def _dispatch(self, state: State, name: str, asked: object, task: Task) -> Call:
        if name not in TOOLS:
            raise CallRejected(
                "unknown_tool",
                # Models put the name of a namespace before that of a tool: functions.get_system.
                f"there is no tool {shown(name)}{nearest(name.rpartition('.')[2][:40], NAMES, 1)}",
                list(NAMES),
            )
        arguments = TOOLS[name].check(_as_object(asked))
        if name == "list_systems":
            return self._list
        if name == "submit":
            return self.submitted
        if name == "get_system":
            return self._get(state, arguments["component"])
        if name == "set_system":
            return self._set(state, arguments["component"], arguments["value"], task)
        answer = TOOLS[name].answer
        assert answer is not None
        reply = compact({"ok": True, **answer(self.world.id, task.information, arguments)})
        return Call(name, canonical(arguments), reply, 0, Outcome.RUN)

    def _component(self, raw: str) -> str:
        name = self._by_fold.get(raw.strip().casefold())
        if name is None:
            hint = nearest(raw.strip()[:40], self._by_fold)
            raise CallRejected(
                "unknown_component",
                f"there is no component {shown(raw)}{hint}",
                "an id given by list_systems",
            )
        return name

    def _get(self, state: State, raw: str) -> Call:
        name = self._component(raw)
        read, calls = self._gets[name]
        value = read(state)
        if value not in calls:
            reply = compact(self._reading(name, value))
            calls[value] = Call("get_system", canonical({"component": name}), reply, 0, Outcome.RUN)
        return calls[value]

    def _reading(self, name: str, value: Reading) -> dict[str, object]:
        unit = self.world.components[name].unit
        head: dict[str, object] = {"ok": True, "component": name}
        if value is None:
            return {**head, "status": "unpowered", "value": None}
        return {**head, "value": self.show(name, value), **({"unit": unit} if unit else {})}

    def show(self, name: str, value: Reading) -> object:
        """Return a reading as the pilot sees it: a position's name, a rounded number or the lit lines."""
        component = self.world.components[name]
        if isinstance(value, tuple):
            return list(value)
        assert value is not None
        if component.domain or component.positions:
            return (component.domain or component.positions).show(value)  # type: ignore[union-attr]
        rounded = round(float(value), component.decimals)
        return int(rounded) if rounded.is_integer() else rounded

    def _set(self, state: State, raw: str, asked: object, task: Task) -> Call:
        name = self._component(raw)
        component = self.world.components[name]
        if component.domain is None:
            raise CallRejected(
                "read_only", f"{name} can be read but not set", "a control given by list_systems"
            )
        value = component.domain.parse(asked)
        settable = getattr(component.domain, "settable", ())
        if settable and component.domain.show(value) not in settable:
            raise CallRejected(
                "not_settable",
                f"{name} can be set to {', '.join(settable)} only, got {shown(asked)}",
                list(settable),
            )
        slot, writer, values, written = self._sets[name]
        self._learn(name, asked, value, values, written)
        return self._write(state, slot, writer, value, written, task.constraint_mask)

    def _learn(
        self,
        name: str,
        asked: Any,
        value: Value,
        values: dict[Any, Value],
        written: dict[Value, tuple[Call, Call]],
    ) -> None:
        """Intern the calls of one value, and how it was asked for if that is a short form."""
        domain = self.world.components[name].domain
        if domain is not None and value not in written:
            arguments = canonical({"component": name, "value": domain.show(value)})
            reply = compact({"ok": True, "component": name, "set": domain.show(value)})
            changed = Call("set_system", arguments, reply, 0, Outcome.RUN)
            written[value] = changed._replace(outcome=Outcome.UNCHANGED), changed
        if len(values) < 4096 and len(str(asked)) <= 20:
            values[asked] = value


def console_of(program: Program) -> Console:
    """Return the console that all episodes of a program share."""
    if program.console is None:
        program.console = Console(program)
    return program.console  # type: ignore[no-any-return]


def _named(tool: object) -> str:
    """Return the name of a tool as asked for, short enough for a record."""
    return (tool if isinstance(tool, str) else compact(plain(tool)))[:200]


def _as_object(asked: object) -> dict[str, Any]:
    """Return a call's arguments as a dict; the text of a JSON object is one, and nothing is an empty one."""
    if isinstance(asked, str) and asked.strip():
        try:
            asked = plain(json.loads(asked, parse_constant=_no_constant))
        except (ValueError, RecursionError):
            raise CallRejected(
                "bad_json", f"arguments expect one JSON object, got {shown(asked)}", "a JSON object"
            ) from None
    if asked is None or asked == "" or (isinstance(asked, str) and not asked.strip()):
        return {}
    if not isinstance(asked, dict) or NOT_JSON in asked:
        raise CallRejected("bad_json", f"arguments expect a JSON object, got {shown(asked)}", "a JSON object")
    return asked


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
