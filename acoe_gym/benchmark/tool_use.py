"""Which tools a run called, how often they failed, and with what it began.

Records hold no outcomes of calls, so the episodes are played again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.console import Call, Outcome
from acoe_gym.cockpit.episode import play
from acoe_gym.cockpit.tools import NAMES, TOOLS
from acoe_gym.errors import RecordError

KINDS = ("cockpit reads", "writes", "informational", "submit", "unknown")
UNKNOWN = "unknown"


@dataclass(frozen=True)
class ToolRow:
    """One tool, or all that are no tools under the name ``unknown``.

    Attributes:
        tool: name.
        kind: one of ``KINDS``.
        calls: calls that were run, rejected ones included.
        share: of all calls.
        rejected: share of its calls that were rejected; None where there are none.
        first: episodes that began with it.
        by_harness: calls that a harness made.
    """

    tool: str
    kind: str
    calls: int
    share: float
    rejected: float | None
    first: int
    by_harness: int


@dataclass(frozen=True)
class KindRow:
    """All tools of one kind."""

    kind: str
    calls: int
    share: float


@dataclass(frozen=True)
class ToolUse:
    """The calls of a set of episodes.

    Attributes:
        episodes: how many.
        without_calls: those without any call.
        calls: calls that were run; ``too_many_calls`` and the like are in no count.
        tools: one row per tool in the order of the tool list, then ``unknown``.
        kinds: one row per kind.
    """

    episodes: int
    without_calls: int
    calls: int
    tools: tuple[ToolRow, ...]
    kinds: tuple[KindRow, ...]


def tool_use(records: Iterable[Record]) -> ToolUse:
    """Return how the calls of some records divide over the tools.

    Raises:
        RecordError: an episode does not come out as it was recorded.
        UnknownName: a task does not exist here.
    """
    calls, rejected, first, harness = (Counter[str]() for _ in range(4))
    episodes = without = 0
    for record in records:
        episodes += 1
        run = [(_name(call), call, by_harness) for call, by_harness in _calls(record)]
        without += not run
        first.update(name for name, _, _ in run[:1])
        calls.update(name for name, _, _ in run)
        rejected.update(name for name, call, _ in run if call.outcome is Outcome.REJECTED)
        harness.update(name for name, _, by_harness in run if by_harness)
    total = calls.total()
    rows = tuple(
        ToolRow(
            tool=name,
            kind=_kind(name),
            calls=calls[name],
            share=calls[name] / total if total else 0.0,
            rejected=rejected[name] / calls[name] if calls[name] else None,
            first=first[name],
            by_harness=harness[name],
        )
        for name in (*NAMES, UNKNOWN)
    )
    return ToolUse(episodes, without, total, rows, tuple(_kind_row(kind, rows) for kind in KINDS))


def _calls(record: Record) -> Iterator[tuple[Call, bool]]:
    """Yield the calls that were run, and whether a harness made them."""
    episode = play(
        task_of(record["task"]),
        [[(call["name"], call["arguments"]) for call in turn] for turn in record["turns"]],
    )
    if episode.hash() != record["hash"]:
        raise RecordError(
            f"{record['task']} trial {record['trial']}: expected trajectory {record['hash']:.12}, got "
            f"{episode.hash():.12}; `acoe replay` names the call that comes out differently"
        )
    said = record.get("pilot", {}).get("turns", [])
    marks = {(turn, place) for turn, told in enumerate(said, 1) for place in told.get("harness_calls", ())}
    for turn, number, call in episode.numbered():
        if call.outcome is not Outcome.SKIPPED:
            yield call, (turn, number - 1) in marks


def _name(call: Call) -> str:
    return call.tool if call.tool in TOOLS else UNKNOWN


def _kind(name: str) -> str:
    if name not in TOOLS:
        return UNKNOWN
    tool = TOOLS[name]
    if tool.neutral:
        return "submit"
    if tool.kind == "informational":
        return tool.kind
    return "writes" if tool.writes else "cockpit reads"


def _kind_row(kind: str, rows: Iterable[ToolRow]) -> KindRow:
    chosen = [row for row in rows if row.kind == kind]
    return KindRow(kind, sum(row.calls for row in chosen), sum(row.share for row in chosen))
