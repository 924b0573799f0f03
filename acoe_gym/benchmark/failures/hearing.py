"""Finds what a failed episode shows.

What the pilot could know are replies of turns before: the calls of one turn are written before any of their
replies is seen. What was required comes from the specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from acoe_gym.benchmark.failures.facts import Evidence, Missed, Seen, Wrong, request_of
from acoe_gym.benchmark.failures.repair import Repair
from acoe_gym.benchmark.failures.telling import Sign, State, Telling
from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.trajectory import Event, Trajectory, trajectory
from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.reference import Write
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.template_parts import Constraint, Goal, Trigger


class Inquest:
    """Finds the evidence of episodes of one task."""

    def __init__(self, task: Task) -> None:
        self.telling = Telling(task)
        self.repair = Repair(task)

    def evidence(self, record: Record) -> Evidence:
        """Return what a failed episode shows."""
        return _Hearing(self, trajectory(record)).evidence(int(record["trial"]))


class _Hearing:
    """One episode under examination."""

    def __init__(self, inquest: Inquest, flown: Trajectory) -> None:
        self.telling, self.repair, self.flown = inquest.telling, inquest.repair, flown
        self.task = flown.task
        self.events = [event for event in flown.events if event.outcome != "skipped"]
        self.changes = [
            event for event in self.events if event.tool == "set_system" and event.outcome == "run"
        ]
        self.writes = [e for e in self.events if e.tool == "set_system" and "set" in e.reply]
        self.final = self.telling.readings(flown.episode.state)

    def evidence(self, trial: int) -> Evidence:
        goals = {self.task.goal(i).id: i for i in self.task.goals}
        missed = tuple(self._missed(goals[name]) for name in self.flown.episode.grade().goals_missed)
        return Evidence(
            trial=trial,
            made=self._made(),
            acted=len(self.changes),
            last=self.events[-1] if self.events else None,
            wrongs=tuple(self._wrongs([write for one in missed for write in one.omitted])),
            missed=missed,
        )

    def _made(self) -> tuple[int, int]:
        made = set(map(request_of, self.writes))
        return len(made & self.repair.required), len(self.repair.required)

    # What was lost.

    @cached_property
    def lost(self) -> dict[str, Event]:
        """Goal -> the call that lost it for good after the pilot had gained it."""
        missed, gained = self.flown.episode.grade().goals_missed, set[str]()
        found: dict[str, Event] = {}
        for event in self.events:
            found.update((name, event) for name in event.lost if name in gained and name in missed)
            gained |= set(event.gained)
        listed = self.repair.reversals
        return {name: call for name, call in found.items() if (name, *request_of(call)) not in listed}

    # What was known.

    def _seen(self, signs: Sequence[Sign], before: Event) -> Iterator[Seen]:
        """Yield for each sign the latest reading that had come back before a turn, if it was not dark."""
        latest = {
            event.reply["component"]: event
            for event in self.events
            if event.tool == "get_system"
            and event.reply.get("value") is not None
            and event.turn < before.turn
        }
        yield from (Seen(sign, latest[sign.component]) for sign in signs if sign.component in latest)

    # Violations.

    def _wrongs(self, omitted: Sequence[Write]) -> Iterator[Wrong]:
        template = self.task.program.template
        constraints = {constraint.id: constraint for constraint in template.constraints}
        state, readings = list(self.task.initial), self.telling.readings(self.task.initial)
        met = set(self.flown.met_at_start)
        primary = {self.task.goal(i).id for i in self.task.goals if self.task.goal(i).primary}
        spoilt: list[Value] = []
        for event in self.events:
            spoilt = spoilt or (list(state) if event.violations else [])
            for name in event.violations:
                triggers = [
                    t
                    for t in constraints[name].triggers
                    if event.reply["component"] in dict(t.settings) and self.telling.holds(t.condition, state)
                ]
                yield Wrong(
                    constraint=name,
                    act=event,
                    seen=self._forbidding(triggers, event, state, readings),
                    undid=tuple(goal for goal, call in self.lost.items() if call is event),
                    stands=self.final[request_of(event)[0]] == event.reply["set"],
                    late=primary <= met,
                    follows=self._follows(event, name, spoilt, omitted),
                )
            if event in self.changes:
                console_of(self.task.program).run(state, event.tool, event.arguments, self.task)
            readings.update((name, after) for name, (_, after) in event.changed.items())
            met = (met | set(event.gained)) - set(event.lost)

    def _follows(self, act: Event, constraint: str, spoilt: State, omitted: Sequence[Write]) -> bool:
        """Tell whether a step of the procedure is wrong only for what was omitted.

        The omitted writes are made before the first violation; what the pilot did from there on follows.
        """
        wrong = next(event for event in self.events if event.violations)
        between = [request_of(e) for e in self.changes if _place(wrong) <= _place(e) < _place(act)]
        steps = [write for write in (*omitted, *between) if write[0] != request_of(act)[0]]
        asked = request_of(act)
        return asked in self.repair.listed and self.repair.allows(spoilt, steps, asked, constraint)

    def _forbidding(
        self, triggers: Sequence[Trigger], act: Event, state: State, now: Mapping[str, object]
    ) -> Seen | None:
        """Return the reading that should have held a write back.

        It was made since the pilot began to act, was still true, and told of a trouble that forbade the
        write: of one that was over, which the write would bring back or treat further, or of one that was
        not, and the write is a step of the procedure that comes after it.
        """
        forbidding = self.telling.told(*(trigger.condition for trigger in triggers))
        for goal in self.telling.troubles:
            over = self.telling.holds(goal.that, state)
            if over or request_of(act) in self.repair.listed:
                signs = self.telling.signs(forbidding & self.telling.told(goal.that))
                otherwise = self.telling.readings(self.task.initial if over else self._settled)
                for seen in self._seen(signs, act):
                    fresh = _place(seen.call) > _place(self.changes[0]) and seen.still(now)
                    if fresh and not seen.still(otherwise):
                        return seen
        return None

    @cached_property
    def _settled(self) -> State:
        return self.repair.reference.episode.state

    # Missed goals.

    def _missed(self, index: int) -> Missed:
        goal = self.task.goal(index)
        lacking = self.repair.lacking(self.flown, index)
        undone = {write: call for write in lacking if (call := self._undoing(write)) is not None}
        made = set(map(request_of, self.writes))
        standing = {write for write in made if request_of(self._last(write[0])) == write}
        never = tuple(write for write in lacking if write not in undone and write not in standing)
        # Going on from a spoilt end takes more than was left out; what the reference makes says it best.
        omitted = tuple(write for write in never if write in self.repair.required) or never
        return Missed(
            goal=goal.id,
            primary=goal.primary,
            omitted=omitted,
            contrasted=tuple(write for write in omitted if self._contrasted(goal, write)),
            contrary=tuple(self._contrary(omitted)),
            undone=tuple(undone.values()),
            lost=self.lost.get(goal.id),
            seen=self._ignored(index, lacking),
        )

    def _undoing(self, write: Write) -> Event | None:
        """Return the write that moved a control away from where a lacking one had put it before.

        Where the procedure itself moves it on from there, what lacks is the second time.
        """
        if write not in map(request_of, self.writes):
            return None
        last = self._last(write[0])
        return None if request_of(last) == write or self.repair.moves_on(write, request_of(last)) else last

    def _last(self, control: str) -> Event:
        return next(event for event in reversed(self.writes) if event.reply["component"] == control)

    def _contrary(self, omitted: Sequence[Write]) -> Iterator[Event]:
        moved = {event.reply["component"] for event in self.writes}
        for name in dict.fromkeys(name for name, _ in omitted if name in moved):
            last = self._last(name)
            if (name, last.reply["set"]) not in self.repair.listed:
                yield last

    def _contrasted(self, goal: Goal, write: Write) -> bool:
        """Tell whether a constraint on that control alone forbids what another list of the aircraft asks for.

        It holds whatever the state, and one of its facts is a reason of the goal too.
        """
        indices = [i for i in self.task.constraints if set(self.task.constraint(i).facts) & set(goal.facts)]
        return any(
            self._about(self.task.constraint(i), write[0])
            and any(self.repair.forbids(i, write, other) for other in self.repair.elsewhere(write[0]))
            for i in indices
        )

    def _about(self, constraint: Constraint, control: str) -> bool:
        triggers = [t for t in constraint.triggers if control in dict(t.settings)]
        return any(len(t.settings) == 1 and not self.telling.open(t.condition) for t in triggers)

    def _ignored(self, index: int, lacking: Sequence[Write]) -> Seen | None:
        """Return the latest reading that showed a primary goal unmet when the task was submitted.

        Meeting the goal would have changed it. For a trouble it may be from before the last change: it was
        there, and nobody looked again. A line that is not there shows nothing.
        """
        goal = self.task.goal(index)
        if not goal.primary or self.flown.episode.end != "submitted":
            return None
        stale = goal in self.telling.troubles and goal.id not in self.lost
        changed = _place(self.changes[-1]) if self.changes else (0, 0)
        met = self.telling.readings(self.repair.mended(self.flown, index, lacking))
        parts = self.telling.failing(goal.that, self.flown.episode.state)
        for seen in self._seen(self.telling.signs(self.telling.told(*parts)), self.events[-1]):
            shows = seen.shown is not False and seen.still(self.final) and not seen.still(met)
            if shows and (stale or _place(seen.call) > changed):
                return seen
        return None


def _place(event: Event) -> tuple[int, int]:
    return event.turn, event.number
