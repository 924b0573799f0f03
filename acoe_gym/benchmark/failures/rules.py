"""The rules that decide on a mode, in their order, and what recurs over the trials of a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from acoe_gym.benchmark.failures.facts import Evidence, Missed, Wrong, request_of
from acoe_gym.benchmark.failures.modes import DRIFT, GATING, MISSING, OTHER, PRIOR, FailureMode
from acoe_gym.benchmark.trajectory import Event
from acoe_gym.cockpit.reference import Write

# Of the writes of the reference: who made fewer has hardly begun, and what is missing shows no habit.
LEAST = 0.25
# And who made fewer than these broke off: nothing was left out near the end.
MAIN = 0.5


class Habits:
    """What recurs over the trials of a task.

    Recurring is what more than half of the failed trials show, and at least half of all trials: who makes a
    step in two trials of three knows it.

    Args:
        failed: evidence of the failed trials.
        trials: how many trials there are, failed or not.
    """

    def __init__(self, failed: Sequence[Evidence], trials: int) -> None:
        self._failed, self._trials = failed, trials
        self.omissions = self._recurring(_omissions)
        self.acts = self._recurring(
            lambda one: {request_of(wrong.act) for wrong in one.wrongs if not wrong.follows}, least=2
        )
        self.reversals = self._recurring(_reversals, least=2)

    def _recurring(self, of: Callable[[Evidence], set[Write]], least: int = 1) -> frozenset[Write]:
        seen = Counter(write for one in self._failed for write in of(one))
        return frozenset(
            write
            for write, times in seen.items()
            if 2 * times > len(self._failed) and 2 * times >= self._trials and times >= least
        )


def _omissions(one: Evidence) -> set[Write]:
    return {write for missed in one.missed for write in missed.omitted}


def _reversals(one: Evidence) -> set[Write]:
    return {request_of(event) for missed in one.missed for event in _reversing(missed)}


def _reversing(missed: Missed) -> tuple[Event, ...]:
    return missed.undone if missed.lost is None else (missed.lost,)


# The rules, in order. Each yields at most one mode.


def mode_of(one: Evidence, habits: Habits) -> FailureMode:
    """Return the mode of a failed episode: that of the first rule that fits."""
    rules = (_acted_against, _forbidden, _elsewhere, _contrasted, _reversed_by_habit, _submitted_against)
    for rule in (*rules, _hardly_began, _missing, _drifted):
        for mode in rule(one, habits):
            return mode
    return _rest(one)


def _began(one: Evidence) -> bool:
    """Tell whether the pilot did enough to show a way of doing it, right or wrong."""
    return one.acted >= one.made[1] * LEAST


def _acted_against(one: Evidence, _habits: Habits) -> Iterator[FailureMode]:
    gated = [wrong for wrong in one.wrongs if wrong.seen is not None]
    for seen in (wrong.seen for wrong in gated if wrong.seen is not None):
        acts = [wrong.act for wrong in gated]
        why = f"{_told(acts)} against {_constraints(gated)} although the latest reading was {seen}"
        yield FailureMode(GATING, why, _calls([seen.call, *acts]))


def _forbidden(one: Evidence, habits: Habits) -> Iterator[FailureMode]:
    acts = [wrong for wrong in one.wrongs if not wrong.follows]
    repeated = Counter(wrong.constraint for wrong in acts)
    persisting = [
        wrong
        for wrong in acts
        if request_of(wrong.act) in habits.acts
        or (not wrong.undid and (wrong.stands or repeated[wrong.constraint] > 1))
    ]
    if persisting and _began(one):
        told = _told([wrong.act for wrong in persisting])
        stands = any(wrong.stands or repeated[wrong.constraint] > 1 for wrong in persisting)
        why = f"{told} against {_constraints(persisting)}, {'not revised' if stands else 'in most trials'}"
        yield FailureMode(PRIOR, why, _calls([w.act for w in persisting]))


def _elsewhere(one: Evidence, _habits: Habits) -> Iterator[FailureMode]:
    acts = [event for missed in one.missed if missed.lost is None for event in missed.contrary]
    if acts and _began(one):
        goals = [missed.goal for missed in one.missed if missed.lost is None and missed.contrary]
        why = (
            f"{_told(acts)} where no step of the procedure puts it, and left it there; missed {_list(goals)}"
        )
        yield FailureMode(PRIOR, why, _calls(acts))


def _contrasted(one: Evidence, _habits: Habits) -> Iterator[FailureMode]:
    missed = [m for m in one.missed if m.contrasted]
    if missed and one.made[0] >= one.made[1] * LEAST:
        steps = _steps(write for m in missed for write in m.contrasted)
        why = f"never {steps}, whose opposite is forbidden for the same reason; missed {_goals(missed)}"
        yield FailureMode(PRIOR, why, _ending(one))


def _reversed_by_habit(one: Evidence, habits: Habits) -> Iterator[FailureMode]:
    reversing = [(m.goal, e) for m in one.missed for e in _reversing(m) if request_of(e) in habits.reversals]
    if reversing:
        acts = [event for _, event in reversing]
        why = f"{_told(acts)} in most trials, which lost {_list(goal for goal, _ in reversing)}"
        yield FailureMode(PRIOR, why, _calls(acts))


def _submitted_against(one: Evidence, _habits: Habits) -> Iterator[FailureMode]:
    for missed in one.missed:
        if missed.seen is not None and one.last is not None:
            why = f"submitted with {missed.goal} unmet although the latest reading was {missed.seen}"
            yield FailureMode(GATING, why, _calls([missed.seen.call, one.last]))


def _hardly_began(one: Evidence, _habits: Habits) -> Iterator[FailureMode]:
    made, required = one.made
    if made < required * LEAST:
        why = f"made {made} of the {required} writes of the reference; missed {_goals(one.missed)}"
        yield FailureMode(OTHER, why, _ending(one))


def _missing(one: Evidence, habits: Habits) -> Iterator[FailureMode]:
    missed = [m for m in one.missed if set(m.omitted) & habits.omissions]
    if missed:
        steps = _steps(write for m in missed for write in m.omitted if write in habits.omissions)
        yield FailureMode(MISSING, f"never {steps}; missed {_goals(missed)}", _ending(one))


def _drifted(one: Evidence, _habits: Habits) -> Iterator[FailureMode]:
    reversing = [(m.goal, event) for m in one.missed for event in _reversing(m)]
    if reversing:
        acts = [event for _, event in reversing]
        yield FailureMode(
            DRIFT, f"{_told(acts)} lost {_list(goal for goal, _ in reversing)} again", _calls(acts)
        )
    omitting = [m for m in one.missed if m.omitted]
    if omitting and one.made[0] < one.made[1] * MAIN:
        made, required = one.made
        why = f"broke off after {made} of the {required} writes of the reference; missed {_goals(omitting)}"
        yield FailureMode(OTHER, why, _ending(one))
    if omitting:
        steps = _steps(write for m in omitting for write in m.omitted)
        why = f"never {steps}, an omission that does not recur; missed {_goals(omitting)}"
        yield FailureMode(DRIFT, why, _ending(one))
    late = [wrong for wrong in one.wrongs if wrong.late or wrong.undid]
    if late:
        slips = _told([wrong.act for wrong in late])
        why = f"{slips} against {_constraints(late)} after the primary goals were met"
        yield FailureMode(DRIFT, why, _calls([w.act for w in late]))


def _rest(one: Evidence) -> FailureMode:
    if one.wrongs:
        acts = _told([w.act for w in one.wrongs])
        why = f"{acts} against {_constraints(one.wrongs)}, put right afterwards"
        return FailureMode(OTHER, why, _calls([w.act for w in one.wrongs]))
    return FailureMode(OTHER, f"missed {_goals(one.missed)} with every write made", _ending(one))


# Words.


def _told(acts: Sequence[Event]) -> str:
    return f"set {_steps(map(request_of, acts))}"


def _steps(writes: Iterable[Write]) -> str:
    return _list(f"{name} {value}" for name, value in writes)


def _constraints(wrongs: Sequence[Wrong]) -> str:
    return _list(wrong.constraint for wrong in wrongs)


def _goals(missed: Sequence[Missed]) -> str:
    return _list(m.goal for m in missed)


def _list(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _ending(one: Evidence) -> tuple[tuple[int, int], ...]:
    return () if one.last is None else _calls([one.last])


def _calls(events: Iterable[Event]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({(event.turn, event.number) for event in events}))
