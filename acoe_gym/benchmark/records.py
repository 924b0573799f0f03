"""Records: one line of strict JSON per episode, without clock, path or host: equal runs are equal files.

A record holds what the pilot did, a short digest of each reply, the grade and the hash tree of everything
that the grade rests on. `acoe_gym.benchmark.replay` executes it again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from acoe_gym.cockpit.console import Call
from acoe_gym.cockpit.episode import Episode, Grade
from acoe_gym.cockpit.metrics import EpisodeResult, result_of
from acoe_gym.cockpit.protocol import hash_tree
from acoe_gym.cockpit.text import canonical
from acoe_gym.errors import RecordError

RECORD_VERSION = 1
FILE = "episodes.jsonl"
COUNTS = (
    "turns",
    "calls",
    "writes",
    "ineffective_writes",
    "violating_writes",
    "selection_calls",
    "selection_misses",
)
GRADES = ("success", "goal_attainment", "safe")
KINDS: dict[str, type] = {
    "task": str, "template": str, "suite": str, "trial": int, "policy": str, "policy_seed": int,
    "turns": list, "end": str, "hash": str, "grade": dict, "violations": list, "metrics": dict, "tree": dict,
}  # fmt: skip

Record = dict[str, Any]


class Records(NamedTuple):
    """What a file holds: its sound records, and one error per line that is not sound."""

    records: list[Record]
    problems: list[RecordError]


def record_of(
    episode: Episode,
    *,
    trial: int,
    policy: str,
    policy_seed: int,
    suite: str,
    pilot: Mapping[str, Any] | None = None,
) -> Record:
    """Return the record of an ended episode.

    Args:
        episode: an episode that was submitted or truncated.
        trial: number of the episode among those of its task.
        policy: name of the policy that flew it.
        policy_seed: seed of the run.
        suite: ``core`` or ``generated``.
        pilot: of a model or a person: what was said in each turn, and what it cost.
    """
    result = result_of(episode, trial)
    record = {
        "record_version": RECORD_VERSION,
        "task": result.task,
        "template": result.template,
        "suite": suite,
        "trial": trial,
        "policy": policy,
        "policy_seed": policy_seed,
        "turns": _turns(episode),
        "end": result.end,
        "hash": episode.hash(),
        "grade": asdict(episode.grade()),
        "violations": [asdict(violation) for violation in episode.violation_list()],
        "metrics": {name: getattr(result, name) for name in COUNTS},
        "tree": hash_tree(episode.task),
        **({} if pilot is None else {"pilot": pilot}),
    }
    # As its line reads back: lists where there were tuples.
    return dict(json.loads(canonical(record)))


def _turns(episode: Episode) -> list[list[dict[str, Any]]]:
    starts = [0, *episode.turns[:-1]]
    pairs = zip(starts, episode.turns, strict=True)
    return [[_call(call) for call in episode.log[start:end]] for start, end in pairs]


def _call(call: Call) -> dict[str, Any]:
    """Return a call as it was recorded; the digest lets a replay name the first reply that differs."""
    digest = hashlib.sha256(call.reply.encode("ascii")).hexdigest()[:12]
    return {"name": call.tool, "arguments": json.loads(call.arguments), "reply": digest}


def append(path: Path, record: Record) -> None:
    """Write one record and have it on the disk before returning.

    Raises:
        RecordError: it could not be written; the file may end in half a line, which `mend` removes.
    """
    append_line(path, record)


def append_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Write one line of JSON and have it on the disk before returning, as `append` does a record."""
    try:
        with path.open("ab") as file:
            file.write(canonical(entry).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise RecordError(f"{path}: expected to write a record, got {error.strerror}") from None


def mend(path: Path) -> None:
    """Remove a last line that was cut off in the middle; one that only lacks its line end is completed."""
    if not path.exists():
        return
    head, newline, tail = path.read_bytes().rpartition(b"\n")
    if not tail:
        return
    try:
        whole = isinstance(json.loads(tail), dict)
    except (ValueError, RecursionError):
        whole = False
    with path.open("r+b") as file:
        if whole:
            file.seek(0, os.SEEK_END)
            file.write(b"\n")
        else:
            file.truncate(len(head) + len(newline))


def read_records(path: Path) -> Records:
    """Read a file of records.

    A line that is not a record is reported with its number and costs only its own episode; a last line that
    was cut off in the middle, as a killed run leaves it, is passed over.

    Raises:
        RecordError: the file cannot be read.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise RecordError(f"{path}: expected a file of records, got {error.strerror}") from None
    records: list[Record] = []
    problems: list[RecordError] = []
    seen: set[tuple[str, int]] = set()
    for number, line in enumerate(lines, 1):
        parsed = _parsed(line, f"{path} line {number}") if line.strip() else None
        if isinstance(parsed, RecordError):
            if number < len(lines):
                problems.append(parsed)
        elif parsed is not None and (parsed["task"], parsed["trial"]) in seen:
            problems.append(RecordError(f"{path} line {number}: expected each episode once, got it twice"))
        elif parsed is not None:
            seen.add((parsed["task"], parsed["trial"]))
            records.append(parsed)
    return Records(records, problems)


def _parsed(line: bytes, where: str) -> Record | RecordError:
    try:
        record = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return RecordError(f"{where}: expected one record of JSON, got {error}")
    if not isinstance(record, dict):
        return RecordError(f"{where}: expected a record, got {type(record).__name__}")
    if record.get("record_version") != RECORD_VERSION:
        version = record.get("record_version")
        return RecordError(f"{where}: expected record_version {RECORD_VERSION}, got {version!r}")
    for key, kind in KINDS.items():
        if not isinstance(record.get(key), kind):
            return RecordError(
                f"{where}: expected {key} of kind {kind.__name__}, got {record.get(key)!r:.40}"
            )
    try:
        part = _wrong_part(record)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return RecordError(f"{where}: expected a whole record, got {type(error).__name__}: {error}")
    return record if part is None else RecordError(f"{where}: expected a sound record, got a broken {part}")


def _wrong_part(record: Record) -> str | None:
    """Return which part replay and metrics could not rely on; what is missing raises."""
    result = _result(record)
    if not all(isinstance(getattr(result, name), float) for name in GRADES):
        return "grade"
    if not all(isinstance(getattr(result, name), int) for name in COUNTS):
        return "metrics"
    if result.end not in ("submitted", "truncated"):
        return "end"
    if not all(isinstance(value, str) for value in record["tree"].values()):
        return "tree"
    if "pilot" in record and not _sound_pilot(record):
        return "pilot"
    calls = [call for turn in record["turns"] for call in turn]
    return "turn" if any(not {"name", "arguments", "reply"} <= set(call) for call in calls) else None


def _sound_pilot(record: Record) -> bool:
    """Tell whether what the pilot said stands beside each turn."""
    pilot = record["pilot"]
    said = pilot.get("turns") if isinstance(pilot, dict) else None
    if not isinstance(said, list) or len(said) != len(record["turns"]):
        return False
    return all(isinstance(turn, dict) and isinstance(turn.get("text"), str) for turn in said)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name}, which is not JSON")


def results_of(records: Iterable[Record]) -> list[EpisodeResult]:
    """Return what the episodes come to, ready for `acoe_gym.cockpit.metrics.aggregate`.

    Raises:
        RecordError: the records belong to different versions of the benchmark and must not be averaged.
    """
    listed = list(records)
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for record in listed:
        for entry, value in record["tree"].items():
            scope = _scope(entry, record["task"])
            where, first = known.setdefault((entry, scope), (record["task"], value))
            if value != first:
                raise RecordError(
                    f"{record['task']} trial {record['trial']}: expected {entry} {first:.12} as in {where}, "
                    f"got {value:.12}; records of different versions are not averaged"
                )
    return [_result(record) for record in listed]


def _scope(entry: str, task: str) -> str:
    """Return where an entry of the tree must agree: in a task, a template, an aircraft, or everywhere."""
    aircraft, procedure, _ = task.split("/", 2)
    template = f"{aircraft}/{procedure}"
    scopes = {"task": task, "information": task, "template": template, "world": aircraft, "charts": aircraft}
    return scopes.get(entry, "")


def _result(record: Record) -> EpisodeResult:
    grade = Grade(**{key: _frozen(value) for key, value in record["grade"].items()})
    counts: Mapping[str, int] = record["metrics"]
    return EpisodeResult(
        task=record["task"],
        template=record["template"],
        trial=record["trial"],
        success=grade.success,
        goal_attainment=grade.goal_attainment,
        safe=grade.safe,
        outcome=grade.outcome,
        violations=len(record["violations"]),
        end=record["end"],
        goals_missed=grade.goals_missed,
        constraints_violated=tuple(violation["constraint"] for violation in record["violations"]),
        **{name: counts[name] for name in COUNTS},
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
