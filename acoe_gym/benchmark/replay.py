"""Replay: execute a record on the present package and compare every byte of what comes out."""

from __future__ import annotations

from dataclasses import dataclass

from acoe_gym.benchmark.records import Record, record_of
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.episode import play
from acoe_gym.cockpit.text import canonical
from acoe_gym.errors import SpecError, UnknownName

# Said of tasks that are not `known`.
UNKNOWN = "not known here; --specs FOLDER makes tasks of one's own known"


@dataclass(frozen=True)
class Replay:
    """The outcome of one replay; ``differences`` is empty when it was byte-identical."""

    task: str
    trial: int
    differences: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether hash, grade, violations and all else came out as recorded."""
        return not self.differences


def replay(record: Record) -> Replay:
    """Execute a record again.

    Args:
        record: a record as `acoe_gym.benchmark.records.read_records` returns it.

    Returns:
        What differs: entries of the hash tree, the first call that came out otherwise, the results.
    """
    try:
        task = task_of(record["task"])
    except (UnknownName, SpecError) as error:
        return Replay(record["task"], record["trial"], (f"task: {error}",))
    turns = [[(call["name"], call["arguments"]) for call in turn] for turn in record["turns"]]
    episode = play(task, turns)
    if episode.end is None:
        return Replay(task.id, record["trial"], ("end: the recorded turns do not end the episode",))
    again = record_of(
        episode,
        trial=record["trial"],
        policy=record["policy"],
        policy_seed=record["policy_seed"],
        suite=record["suite"],
    )
    return Replay(task.id, record["trial"], tuple(_differences(record, again)))


def _differences(record: Record, again: Record) -> list[str]:
    found = [
        f"tree: {entry} was {record['tree'].get(entry)!s:.12}, is {again['tree'].get(entry)!s:.12}"
        for entry in sorted({*record["tree"], *again["tree"]})
        if record["tree"].get(entry) != again["tree"].get(entry)
    ]
    found += _first_call(record, again)
    rest = (key for key in again if key not in ("tree", "turns"))
    return found + [
        f"{key}: was {canonical(record[key]):.80}, is {canonical(again[key]):.80}"
        for key in rest
        if canonical(record[key]) != canonical(again[key])
    ]


def _first_call(record: Record, again: Record) -> list[str]:
    for number, (was, now) in enumerate(zip(record["turns"], again["turns"], strict=False), 1):
        for place, (old, new) in enumerate(zip(was, now, strict=True), 1):
            if canonical(old) != canonical(new):
                part = next(key for key in new if canonical(old[key]) != canonical(new[key]))
                return [f"turn {number} call {place} ({new['name']:.40}): another {part}"]
    if len(record["turns"]) != len(again["turns"]):
        return [f"turns: {len(record['turns'])} were recorded, {len(again['turns'])} could be played"]
    return []


def known(task_id: str) -> bool:
    """Return whether there is a task of that id here, in whatever version."""
    try:
        task_of(task_id)
    except UnknownName:
        return False
    except SpecError:
        return True
    return True


def current(record: Record) -> bool:
    """Return whether the task of a record is still the one that it was flown on."""
    try:
        return bool(record["tree"].get("task") == task_of(record["task"]).hash)
    except (UnknownName, SpecError):
        return False
