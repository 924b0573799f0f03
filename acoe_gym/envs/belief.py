"""What the pilot knows, as numbers.

That is the last reading of every component, the captain's decisions, the last reply and the budget. It is
built from calls and replies only, never from the state: two situations that look the same to the pilot are
the same belief.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Call, Outcome
from acoe_gym.cockpit.domains import Positions
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.text import canonical
from acoe_gym.cockpit.world import Component
from acoe_gym.envs.calls import flat_table

Array = npt.NDArray[np.float32]
KNOWN, DARK = 0, 1
# Looked up once: a member of an enum costs as much as the rest of its comparison, in every step.
REJECTED = Outcome.REJECTED


class BeliefForm:
    """Where each piece of knowledge of one aircraft stands in the vector.

    Per component: known, dark, then one number per position or line, or one number for a reading x:
    ``sign(x) log1p(|x|) / 10``, which keeps 0, small and large readings of any unit apart, within [-1, 1] up
    to 22,000. Then the captain's decisions, whether the last call was accepted, and the share of the budget
    used.
    """

    def __init__(self, aircraft: str) -> None:
        self.aircraft = aircraft
        world = library.world(aircraft)
        templates = [library.template(t) for t in library.template_ids(aircraft)]
        self.lines = {c.id: templates[0].names.line_texts(c.id) for c in world.components.values() if c.lines}
        for template in templates:
            self.lines = {
                name: tuple(dict.fromkeys((*texts, *template.names.line_texts(name))))
                for name, texts in self.lines.items()
            }
        self.components = world.components
        self.starts: dict[str, int] = {}
        size = 0
        for component in world.components.values():
            self.starts[component.id] = size
            size += 2 + self._width(component)
        self.decisions = tuple(sorted({f"{t.id}:{name}" for t in templates for name in t.decisions}))
        self.decisions_at = size
        self.ok_at = size + len(self.decisions)
        self.size = self.ok_at + 2
        self._patches: dict[str, tuple[slice, Array]] = {}

    def _width(self, component: Component) -> int:
        positions = component.domain or component.positions
        return len(self.lines.get(component.id, ())) or (
            len(positions.names) if isinstance(positions, Positions) else 1
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return belief_form, (self.aircraft,)

    def start(self, task: Task) -> Array:
        """Return the belief before the first call: the captain's decisions and nothing else."""
        vector = np.zeros(self.size, np.float32)
        for name in task.decisions:
            vector[self.decisions_at + self.decisions.index(f"{task.program.template.id}:{name}")] = 1.0
        return vector

    def learn(self, vector: Array, call: Call, used: float) -> None:
        """Put what a reply tells into the vector, in place.

        Args:
            vector: the belief.
            call: the call and its reply.
            used: share of the budget used.
        """
        accepted = call.outcome < REJECTED
        vector[self.ok_at] = accepted
        vector[self.ok_at + 1] = used
        if not accepted or call.tool not in ("get_system", "set_system"):
            return
        key = call.reply
        if key not in self._patches:
            self._patches[key] = self._patch(json.loads(key))
        where, values = self._patches[key]
        vector[where] = values

    def _patch(self, reply: dict[str, Any]) -> tuple[slice, Array]:
        component = self.components[reply["component"]]
        width = 2 + self._width(component)
        values = np.zeros(width, np.float32)
        values[KNOWN] = 1.0
        value = reply.get("set", reply.get("value"))
        if value is None:
            values[DARK] = 1.0
        elif component.lines:
            texts = self.lines[component.id]
            values[[2 + texts.index(line) for line in value]] = 1.0
        elif isinstance(component.domain or component.positions, Positions):
            values[2 + (component.domain or component.positions).names.index(value)] = 1.0  # type: ignore[union-attr]
        else:
            values[2] = np.sign(value) * np.log1p(abs(value)) / 10
        first = self.starts[component.id]
        return slice(first, first + width), values


class MaskForm:
    """Which rows of the flat table can change something, or tell something, as far as the pilot knows.

    Masked are writes of the very value at which a control was last set or read, if no rule of any template
    moves that control (what the pilot believes of it is then certain), and questions that were answered since
    the last write. Unsafe actions are never masked for being so, and submitting never is.
    """

    def __init__(self, aircraft: str) -> None:
        self.aircraft = aircraft
        table = flat_table(aircraft)
        programs = [library.program(t) for t in library.template_ids(aircraft)]
        moved = {name for program in programs for rule in program.rules for name, _ in rule.sets}
        controls = [
            c.id
            for c in library.world(aircraft).components.values()
            if c.domain and not c.momentary and c.id not in moved
        ]
        self.size = len(table)
        self._row = {(tool, canonical(arguments)): row for row, (tool, arguments) in enumerate(table)}
        self._reads = _span([row for row, (tool, _) in enumerate(table) if tool == "get_system"])
        rows: dict[str, list[int]] = {name: [] for name in controls}
        for row, (tool, arguments) in enumerate(table):
            if tool == "set_system" and arguments["component"] in rows:
                rows[arguments["component"]].append(row)
        self._spans = {name: _span(found) for name, found in rows.items()}
        self._patches: dict[str, tuple[slice, int | None]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return mask_form, (self.aircraft,)

    def start(self) -> npt.NDArray[np.bool_]:
        """Return the mask before the first call: everything is allowed."""
        return np.ones(self.size, np.bool_)

    def learn(self, mask: npt.NDArray[np.bool_], call: Call) -> None:
        """Update the mask, in place, by what a reply tells."""
        if call.outcome >= REJECTED or call.tool == "submit":
            return
        if call.tool == "set_system":
            mask[self._reads] = True
        elif (call.tool, call.arguments) in self._row:
            mask[self._row[call.tool, call.arguments]] = False
        if call.tool in ("get_system", "set_system"):
            if call.reply not in self._patches:
                self._patches[call.reply] = self._patch(json.loads(call.reply))
            span, known = self._patches[call.reply]
            mask[span] = True
            if known is not None:
                mask[known] = False

    def _patch(self, reply: dict[str, Any]) -> tuple[slice, int | None]:
        name = reply["component"]
        if name not in self._spans:
            return slice(0), None
        value = reply.get("set", reply.get("value"))
        write = "set_system", canonical({"component": name, "value": value})
        return self._spans[name], self._row.get(write)


def _span(rows: list[int]) -> slice:
    """Return the slice of rows that stand together in the table."""
    return slice(rows[0], rows[-1] + 1)


@cache
def belief_form(aircraft: str) -> BeliefForm:
    """Return the form that all environments of an aircraft share."""
    return BeliefForm(aircraft)


@cache
def mask_form(aircraft: str) -> MaskForm:
    """Return the form that all environments of an aircraft share."""
    return MaskForm(aircraft)
