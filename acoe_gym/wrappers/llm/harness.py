"""Harnesses: what the paper suggests to put around a model. Off by default, named in the record.

    plan      keeps what is outstanding, done and last read, and shows it before every turn
    readback  reads each control back right after the write
    audit     blocks the first submit once and tells what is still open
    full      all three

A harness knows what passes between model and cockpit and nothing else: no goal, no constraint, no procedure.
Its own calls are marked, count as calls, and cost no turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acoe_gym.errors import UnknownName, nearest

PLAN, READBACK, AUDIT = "plan", "readback", "audit"
HARNESSES: dict[str, frozenset[str]] = {
    "none": frozenset(),
    "plan": frozenset({PLAN}),
    "readback": frozenset({READBACK}),
    "audit": frozenset({AUDIT}),
    "full": frozenset({PLAN, READBACK, AUDIT}),
}
HEAD = "HARNESS"
ITEM = re.compile(r"^[ \t>*#0-9.)\[\]x-]*(TODO|DONE):(.*)$", re.MULTILINE)
PLANNING = (
    "A harness keeps your plan. Write each step that you intend on a line of its own as `TODO: step`, and "
    "the same words as `DONE: step` when it is done or no longer needed. You are shown what is outstanding, "
    "what was set, and the latest readings; a reading taken before the last change is marked (old)."
)
AUDITING = "A harness answers your first call of submit with what is still open; call submit again to submit."
LONGEST_ITEM = 200
MOST_ITEMS = 60


def parts_of(name: str) -> frozenset[str]:
    """Return the parts of a harness.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in HARNESSES:
        listed = ", ".join(HARNESSES)
        raise UnknownName(f"expected a harness of {listed}, got {name!r}{nearest(name, HARNESSES)}")
    return HARNESSES[name]


def instructions(parts: frozenset[str]) -> str:
    """Return what the model is told of the harness, in its prompt."""
    return "\n\n".join(
        [*([PLANNING] if parts & {PLAN, AUDIT} else []), *([AUDITING] if AUDIT in parts else [])]
    )


@dataclass
class Plan:
    """What is outstanding, done and last read, taken from the model's own words and the cockpit's replies."""

    steps: dict[str, bool] = field(default_factory=dict)
    sets: list[str] = field(default_factory=list)
    # Component -> reading, and whether something was changed since.
    readings: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def hear(self, text: str) -> None:
        """Take the steps out of what the model says."""
        for kind, step in ITEM.findall(text):
            name = step.strip(" \t\r*")[:LONGEST_ITEM]
            if name and (name in self.steps or len(self.steps) < MOST_ITEMS):
                self.steps[name] = kind == "DONE"

    def see(self, tool: object, reply: Mapping[str, Any]) -> None:
        """Take note of a call's reply."""
        if reply.get("ok") is not True:
            return
        if tool == "set_system":
            self.readings = {name: (value, True) for name, (value, _) in self.readings.items()}
            self.sets.append(f"{reply.get('component')} {reply.get('set')}")
        elif tool == "get_system":
            status = reply.get("status")
            shown = str(status) if status else json.dumps(reply.get("value"))
            self.readings[str(reply.get("component"))] = (shown, False)

    def open_steps(self) -> list[str]:
        """Return the steps that are not done."""
        return [step for step, done in self.steps.items() if not done]

    def shown(self) -> str:
        """Return the plan as the model sees it before its next turn."""
        old = {True: " (old)", False: ""}
        rows = {
            "outstanding": self.open_steps(),
            "done": [step for step, done in self.steps.items() if done],
            "set": self.sets[-MOST_ITEMS:],
            "readings": [f"{name} {value}{old[stale]}" for name, (value, stale) in self.readings.items()],
        }
        lines = [f"{title}: {'; '.join(items) or '-'}" for title, items in rows.items()]
        return "\n".join([f"{HEAD} plan", *lines])

    def audit(self) -> str:
        """Return what a blocked submit is answered with."""
        stale = [name for name, (_, old) in self.readings.items() if old]
        body = {
            "outstanding": self.open_steps(),
            "planned_steps": len(self.steps),
            "read_before_the_last_change": stale,
        }
        message = "not submitted yet: look at what is open, then call submit again"
        error = {"code": "harness_audit", "message": message, "legal": body}
        return json.dumps({"ok": False, "error": error}, separators=(",", ":"))
