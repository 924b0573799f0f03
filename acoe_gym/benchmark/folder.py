"""The folder of a run while it is flown: one process at a time, one configuration, no episode twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import FILE, Record, mend, read_records
from acoe_gym.benchmark.runs import CONFIGURATION, ERRORS, TIMINGS, lost, side_lines
from acoe_gym.errors import RecordError

LOCK = ".lock"
# So many characters of a setting are shown where it differs.
BRIEF = 40


@contextmanager
def opened(out: Path | None, plan: Plan, about: Mapping[str, Any]) -> Iterator[dict[tuple[str, int], Record]]:
    """Make the folder ready for a plan, keep others out of it, and give the episodes that it holds."""
    if out is None:
        yield {}
        return
    with locked(out):
        yield _found(out, plan, about)


@contextmanager
def locked(out: Path, *, wait: bool = False) -> Iterator[None]:
    """Make a folder and keep other processes from writing records there.

    Args:
        out: the folder.
        wait: for another process to be done, instead of refusing.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = (out / LOCK).open("ab")
    except OSError as error:
        raise RecordError(f"{out}: expected a folder to write records to, got {error.strerror}") from None
    with lock:
        _lock(lock, out, wait=wait)
        yield


def _lock(file: IO[bytes], out: Path, *, wait: bool) -> None:
    """Hold a lock until the file is closed; the system lets it go with a process that is killed."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordError(
            f"{out}: another process is writing this run; wait for it or choose another folder"
        ) from None
    except OSError:
        return  # a file system without locks


def _found(out: Path, plan: Plan, about: Mapping[str, Any]) -> dict[tuple[str, int], Record]:
    """Return the episodes of a folder, made ready for more of them."""
    wanted, path = plan.configuration(), out / CONFIGURATION
    try:
        if not path.exists():
            if (out / FILE).exists():
                raise RecordError(f"{out}: expected {CONFIGURATION} beside {FILE}, found none")
            _configure(path, wanted, about)
        found = json.loads(path.read_text(encoding="utf-8"))
        for name in (FILE, ERRORS, TIMINGS):
            mend(out / name)
    except OSError as error:
        raise RecordError(f"{out}: expected a folder to write records to, got {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: expected JSON, got {error}") from None
    known = found.pop("about", {}) if isinstance(found, dict) else {}
    if found != wanted and not _flown(out):
        # Nothing was generated: a wrong address or name must not keep its folder from the right one.
        for name in (ERRORS, TIMINGS):
            (out / name).unlink(missing_ok=True)
        _configure(path, wanted, about)
        return {}
    if found != wanted:
        raise RecordError(f"{out} holds another run ({_difference(found, wanted)}); choose another folder")
    if about and {**known, **about} != known:
        _configure(path, wanted, {**known, **about})
    if not (out / FILE).exists():
        return {}
    records, problems = read_records(out / FILE)
    if problems:
        raise RecordError(f"{problems[0]}; delete the line to have its episode flown again")
    return {(record["task"], record["trial"]): record for record in records}


def _flown(out: Path) -> bool:
    """Tell whether a folder holds a record, be it broken, or an attempt that took tokens."""
    recorded = (out / FILE).exists() and (out / FILE).stat().st_size > 0
    return recorded or any(lost(line)["total"] for line in side_lines(out / ERRORS))


def _configure(path: Path, wanted: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    whole = {**wanted, **({"about": dict(about)} if about else {})}
    _write_whole(path, json.dumps(whole, indent=1, sort_keys=True) + "\n")


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    draft = path.with_suffix(".new")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _difference(found: object, wanted: dict[str, Any]) -> str:
    if not isinstance(found, dict):
        return "no configuration"
    there, here = _flat(found), _flat(wanted)
    keys = [key for key in sorted({*there, *here}) if there.get(key) != here.get(key)]
    pairs = ((key, *_apart(there.get(key, "nothing"), here.get(key, "nothing"))) for key in keys)
    return "; ".join(f"{key}: {old} there, {new} here" for key, old, new in pairs)


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a configuration without tables in it, so that a difference names one setting."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat.update(_flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value})
    return flat


def _apart(there: object, here: object) -> tuple[str, str]:
    """Return two values in brief, so that where they differ can be seen."""
    if isinstance(there, list) and isinstance(here, list):
        return _members(there, here), _members(here, there)
    old, new = str(there), str(here)
    same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    return _around(old, same), _around(new, same)


def _members(listed: list[Any], other: list[Any]) -> str:
    """Return how many members a list has, and the first of those that the other lacks."""
    own = [member for member in listed if member not in other] or listed
    shown = ", ".join(map(str, own[:2])) + (", ..." if len(own) > 2 else "")
    return f"{len(listed)}{f' (among them {shown})' if own else ''}"


def _around(text: str, place: int) -> str:
    """Return a text, cut to what stands around a place."""
    if len(text) <= BRIEF:
        return text
    start = max(0, min(place - BRIEF // 2, len(text) - BRIEF))
    end = start + BRIEF
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"
