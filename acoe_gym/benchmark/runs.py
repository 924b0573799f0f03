"""A run on disk: what was asked for, what came of it, and what is missing.

run.json         the configuration, which a restart must match, and ``about``, which it need not
episodes.jsonl   one record per finished episode
errors.jsonl     one line per attempt that the infrastructure ended, and its tokens; in no metric
timings.jsonl    one line per finished episode: wall time, which records do not hold
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.records import FILE, Record, read_records, results_of
from acoe_gym.cockpit.results import EpisodeResult
from acoe_gym.errors import RecordError

CONFIGURATION = "run.json"
ERRORS = "errors.jsonl"
TIMINGS = "timings.jsonl"
COUNTS = ("prompt", "completion", "total")


@dataclass(frozen=True)
class Run:
    """What a folder holds.

    Attributes:
        folder: where it was read from.
        configuration: everything that decides what the records hold.
        about: what tables say of the model: ``label``, ``open_weights``, ``parameters``, prices.
        records: the finished episodes, in the order of the plan.
        missing: (task id, trial) of planned episodes without a record, in the order of the plan.
        errors: attempts that the infrastructure ended: ``task``, ``trial``, ``error``, ``usage``.
        seconds: (task id, trial) -> wall time, as far as it was noted.
        problems: lines that could not be used.
    """

    folder: Path
    configuration: Mapping[str, Any]
    about: Mapping[str, Any]
    records: tuple[Record, ...]
    missing: tuple[tuple[str, int], ...]
    errors: tuple[Mapping[str, Any], ...]
    seconds: Mapping[tuple[str, int], float]
    problems: tuple[str, ...]

    @property
    def name(self) -> str:
        """What to call the run in a table."""
        return str(self.about.get("label") or self.configuration.get("policy") or self.folder.name)

    def results(self) -> list[EpisodeResult]:
        """Return what the finished episodes come to; RecordError where versions are mixed."""
        return results_of(self.records)


def read_run(folder: Path) -> Run:
    """Read a run's folder.

    Raises:
        RecordError: there is no run in the folder, or its configuration cannot be read.
    """
    path = folder / CONFIGURATION
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        below = sorted(p.parent.relative_to(folder).as_posix() for p in folder.glob(f"*/{CONFIGURATION}"))
        hint = f"; runs below it: {', '.join(below)}" if below else ""
        raise RecordError(
            f"{folder}: expected a run's folder with {CONFIGURATION}, found none{hint}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: expected JSON, got {error}") from None
    sound = isinstance(found, dict) and isinstance(found.get("tasks"), list)
    if not sound or not isinstance(found.get("trials"), int):
        raise RecordError(f"{path}: expected the configuration of a run, got {str(found)[:40]}")
    about = found.pop("about", {})
    records, problems = read_records(folder / FILE) if (folder / FILE).exists() else ([], [])
    planned = [(task, trial) for task in found["tasks"] for trial in range(found["trials"])]
    done = {(record["task"], record["trial"]): record for record in records}
    return Run(
        folder=folder,
        configuration=found,
        about=about if isinstance(about, dict) else {},
        records=tuple(done[episode] for episode in planned if episode in done),
        missing=tuple(episode for episode in planned if episode not in done),
        errors=tuple(side_lines(folder / ERRORS)),
        seconds={
            (r["task"], r["trial"]): r["seconds"] for r in side_lines(folder / TIMINGS) if "seconds" in r
        },
        problems=tuple(str(problem) for problem in problems),
    )


def side_lines(path: Path) -> Iterable[dict[str, Any]]:
    """Yield the objects of a side file; a line that was cut off says nothing."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and {"task", "trial"} <= set(found):
            yield found


def noted(records: Iterable[Record], note: str) -> int:
    """Return in how many records a turn of the pilot has a note, such as ``context_exhausted``."""
    return sum(
        any(note in turn.get("notes", ()) for turn in record.get("pilot", {}).get("turns", ()))
        for record in records
    )


@dataclass(frozen=True)
class Tokens:
    """What an episode cost in tokens, summed over its turns; None where the server did not say.

    Attributes:
        prompt, completion: as the server counted them.
        cached: the part of ``prompt`` that it had in its cache.
        total: prompt and completion.
    """

    prompt: int | None
    completion: int | None
    cached: int | None
    total: int | None


def tokens_of(record: Record) -> Tokens:
    """Return the tokens of a record; a turn without a figure leaves the sum unknown, not smaller."""
    used = [turn.get("usage") or {} for turn in record.get("pilot", {}).get("turns", ())]
    sums = [_sum(usage.get(key) for usage in used) for key in ("prompt", "completion", "cached", "total")]
    return Tokens(*sums)


def known_tokens(turns: Iterable[Mapping[str, Any]]) -> dict[str, int] | None:
    """Return the tokens that a server counted over turns of a pilot, as far as it did; None if it never did.

    Keys: ``prompt``, ``completion`` and ``total``.
    """
    sums = dict.fromkeys(COUNTS, 0)
    known = False
    for turn in turns:
        used = {key: value for key, value in (turn.get("usage") or {}).items() if value is not None}
        known |= not used.keys().isdisjoint(COUNTS)
        for key in COUNTS:
            sums[key] += used.get(key, 0)
        if "total" not in used:
            sums["total"] += used.get("prompt", 0) + used.get("completion", 0)
    return sums if known else None


def lost(line: Mapping[str, Any]) -> dict[str, int]:
    """Return the tokens of an attempt that the infrastructure ended, by its line; 0 where it tells none."""
    used = line.get("usage")
    told = used if isinstance(used, Mapping) else {}
    return {key: value if isinstance(value := told.get(key), int) else 0 for key in COUNTS}


def _sum(values: Iterable[int | None]) -> int | None:
    listed = list(values)
    return None if not listed or None in listed else sum(value for value in listed if value is not None)
