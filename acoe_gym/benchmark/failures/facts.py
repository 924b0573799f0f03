"""What a failed episode shows, as data: wrong acts, missed goals, and what its pilot had been told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acoe_gym.benchmark.failures.telling import Sign
from acoe_gym.benchmark.trajectory import Event
from acoe_gym.cockpit.reference import Write


@dataclass(frozen=True)
class Seen:
    """A sign and the call whose reply showed it last."""

    sign: Sign
    call: Event

    @property
    def shown(self) -> object:
        """What the reply said of the sign."""
        return self.sign.of(self.call.reply["value"])

    def __str__(self) -> str:
        if self.sign.line is None:
            return f"{self.sign.component} {self.shown}"
        return f"{self.sign.component} {'with' if self.shown else 'without'} {self.sign.line}"

    def still(self, readings: Mapping[str, object]) -> bool:
        """Tell whether it is the same in other readings; a dark instrument shows nothing."""
        reading = readings[self.sign.component]
        return reading is not None and self.sign.of(reading) == self.shown


@dataclass(frozen=True)
class Wrong:
    """A violation.

    Attributes:
        constraint: its id.
        act: the write.
        seen: a reading from after the pilot's first change that told of the state which forbade the act.
        undid: goals that the pilot had gained and that this write lost for good.
        stands: whether the control stands at the end where the write put it.
        late: whether every primary goal was met before the write.
        follows: whether it is a step of the procedure, wrong only because an omitted one did not come before.
    """

    constraint: str
    act: Event
    seen: Seen | None
    undid: tuple[str, ...]
    stands: bool
    late: bool
    follows: bool


@dataclass(frozen=True)
class Missed:
    """A goal that is false at the end.

    Attributes:
        goal: its id.
        primary: whether it is primary.
        omitted: writes of the procedure that were never made and would have met it.
        contrasted: those of them whose opposite a constraint forbids for one of the goal's own reasons.
        contrary: writes that put a control elsewhere, as no step of the procedure does, and left it there.
        undone: writes that moved a control away from where the pilot had rightly put it.
        lost: the call that lost the goal after the pilot had gained it.
        seen: the latest reading, which showed that it was not met.
    """

    goal: str
    primary: bool
    omitted: tuple[Write, ...]
    contrasted: tuple[Write, ...]
    contrary: tuple[Event, ...]
    undone: tuple[Event, ...]
    lost: Event | None
    seen: Seen | None


@dataclass(frozen=True)
class Evidence:
    """What one failed episode shows.

    Attributes:
        trial: number of the episode among those of its task.
        made: how many of the writes of the reference were made, of how many.
        acted: how many writes changed something.
        last: the call that ended it, or the last one that was run; None without calls.
        wrongs: the violations, in order.
        missed: the goals missed, in the order of the template.
    """

    trial: int
    made: tuple[int, int]
    acted: int
    last: Event | None
    wrongs: tuple[Wrong, ...]
    missed: tuple[Missed, ...]


def request_of(event: Event) -> Write:
    """Return the control and the value that an accepted write asked for, as the reply words them."""
    return str(event.reply["component"]), event.reply["set"]
