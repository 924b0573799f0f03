"""What a failed episode lacked: writes of the procedure that would have met a missed goal at its end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property

from acoe_gym.benchmark.trajectory import Trajectory, trajectory_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Outcome, console_of
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.procedure import follow
from acoe_gym.cockpit.reference import Write, solve, writes
from acoe_gym.cockpit.task import Task

State = Sequence[Value]


class Repair:
    """Looks for missing writes of one task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._console = console_of(task.program)

    @cached_property
    def required(self) -> frozenset[Write]:
        """The writes of the reference."""
        return frozenset(writes(solve(self.task)))

    @cached_property
    def listed(self) -> tuple[Write, ...]:
        """The writes of the procedure in their order, needed or not."""
        asked = [call for call in solve(self.task, whole=True).log if call.tool == "set_system"]
        pairs = (json.loads(call.arguments) for call in asked)
        return tuple((pair["component"], pair["value"]) for pair in pairs)

    @cached_property
    def reference(self) -> Trajectory:
        """The reference episode."""
        calls = [(call.tool, json.loads(call.arguments)) for call in solve(self.task).log]
        return trajectory_of(self.task, [[call] for call in calls])

    @cached_property
    def reversals(self) -> frozenset[tuple[str, str, object]]:
        """The goals that the reference itself loses on its way, each with the write that does it."""
        return frozenset(
            (goal, str(event.reply["component"]), event.reply["set"])
            for event in self.reference.events
            for goal in event.lost
        )

    def allows(self, state: State, steps: Sequence[Write], act: Write, constraint: str) -> bool:
        """Tell whether a write would not have violated a constraint, had other writes been made before."""
        asked = {"component": act[0], "value": act[1]}
        call = self._console.run(self._after(state, steps), "set_system", asked, self.task)
        return constraint not in self.reference.episode.violated_ids(call)

    def moves_on(self, first: Write, then: Write) -> bool:
        """Tell whether the procedure makes one write and, later, another one of the same control."""
        return first in self.listed and then in self.listed[self.listed.index(first) :]

    def elsewhere(self, control: str) -> tuple[object, ...]:
        """Return the values that the lists of the aircraft set a control to, other tasks' lists included."""
        templates = map(library.template, library.template_ids(self.task.program.template.world.id))
        sets = (setting for template in templates for step in template.procedure for setting in step.sets)
        found = (raw for name, raw in sets if name == control and not str(raw).startswith("$"))
        return tuple(dict.fromkeys(self._told((control, raw))[1] for raw in found))

    def forbids(self, constraint: int, stands: Write, asked: object) -> bool:
        """Tell whether a constraint forbids a value at the start of the task, were the control elsewhere."""
        name, value = stands
        state = list(self.task.initial)
        state[self.task.program.slots[name]] = self.task.program.template.domains[name].parse(value)
        call = self._console.run(state, "set_system", {"component": name, "value": asked}, self.task)
        return bool(call.violated >> constraint & 1)

    def lacking(self, flown: Trajectory, goal: int) -> tuple[Write, ...]:
        """Return writes none of which can be spared to meet a goal from the end of an episode.

        Where it is too late for them, because what they need has gone or a reading that the procedure asks
        for is dark, these are the writes of the reference that meet it from the start, as far as they were
        not made.
        """
        end = flown.episode.state
        for whole in (False, True):
            steps = self._continued(end, whole=whole)
            if self._meets(end, steps, goal):
                return self._spared(end, steps, goal)
        made = [e.reply for e in flown.events if e.tool == "set_system" and "set" in e.reply]
        needed = self._spared(self.task.initial, list(writes(solve(self.task))), goal)
        return tuple(w for w in needed if {"ok": True, "component": w[0], "set": w[1]} not in made)

    def mended(self, flown: Trajectory, goal: int, lacking: Sequence[Write]) -> State:
        """Return the end of an episode with the lacking writes made, or, if they fail, of the reference."""
        state = self._after(flown.episode.state, lacking)
        return state if self.task.program.goals[goal](state) else self.reference.episode.state

    def _continued(self, start: State, *, whole: bool) -> list[Write]:
        """Return the writes of the procedure, followed from a state."""
        state, found = list(start), []
        turns = follow(self.task, whole=whole)
        calls = next(turns)
        while calls[0][0] != "submit":
            played = [self._console.run(state, tool, arguments, self.task) for tool, arguments in calls]
            found += [
                (arguments["component"], arguments["value"])
                for (tool, arguments), call in zip(calls, played, strict=True)
                if tool == "set_system" and call.outcome is Outcome.RUN
            ]
            calls = turns.send([json.loads(call.reply) for call in played])
        return found

    def _after(self, start: State, steps: Sequence[Write]) -> list[Value]:
        state = list(start)
        for name, value in steps:
            self._console.run(state, "set_system", {"component": name, "value": value}, self.task)
        return state

    def _meets(self, start: State, steps: Sequence[Write], goal: int) -> bool:
        return bool(self.task.program.goals[goal](self._after(start, steps)))

    def _spared(self, start: State, steps: list[Write], goal: int) -> tuple[Write, ...]:
        """Return the steps without those that can be left out, the last ones tried first."""
        kept = list(steps)
        for place in reversed(range(len(steps))):
            fewer = kept[:place] + kept[place + 1 :]
            if self._meets(start, fewer, goal):
                kept = fewer
        return tuple(self._told(write) for write in kept)

    def _told(self, write: Write) -> Write:
        """Return a write with its value as replies word it."""
        domain = self.task.program.template.domains[write[0]]
        return write[0], domain.show(domain.parse(write[1]))
