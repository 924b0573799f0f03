"""Where a person's record goes: a folder as a run writes it, with the policy ``human``."""

from __future__ import annotations

import json
import os
from itertools import count
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.folder import locked
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import FILE, RECORD_VERSION, Record, append, mend, read_records, record_of
from acoe_gym.benchmark.runs import CONFIGURATION
from acoe_gym.cockpit.episode import Episode
from acoe_gym.errors import RecordError

POLICY = "human"
SILENT: dict[str, Any] = {"text": "", "finish": None, "usage": None, "notes": [], "harness_calls": []}


def free_folder(root: Path = Path("runs")) -> Path:
    """Return the first of ``human-1``, ``human-2`` and so on that does not exist below a folder."""
    return next(path for n in count(1) if not (path := root / f"{POLICY}-{n}").exists())


def suite_of(task_id: str) -> str:
    """Return the suite that a task id belongs to."""
    return "generated" if "/generated/" in task_id else "core"


def human_record(episode: Episode) -> Record:
    """Return the record of an ended episode, in the form that a model's takes; a person says nothing."""
    suite = suite_of(episode.task.id)
    turns = [dict(SILENT) for _ in episode.turns]
    pilot = {"model": None, "harness": "none", "protocol": "tools", "turns": turns}
    return record_of(episode, trial=0, policy=POLICY, policy_seed=0, suite=suite, pilot=pilot)


def save(record: Record, folder: Path) -> Path:
    """Append a record and return its file.

    Args:
        record: as `human_record` returns it.
        folder: a new one, or one that `check` agrees to.

    Raises:
        RecordError: the folder holds another run or this task, or cannot be written.
    """
    with locked(folder, wait=True):  # an episode that was played is not thrown away
        return _save(record, folder)


def _save(record: Record, folder: Path) -> Path:
    tasks = check(folder, record["task"])
    wanted = _plan([*tasks, record["task"]], record["suite"]).configuration()
    try:
        path = folder / CONFIGURATION
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps({**known, **wanted}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        draft.replace(path)
        mend(folder / FILE)
    except OSError as error:
        raise RecordError(f"{folder}: expected a folder to write records to, got {error.strerror}") from None
    append(folder / FILE, record)
    return folder / FILE


def check(folder: Path, task_id: str) -> list[str]:
    """Return the tasks that a folder holds, to which one more can be added.

    Raises:
        RecordError: it holds something else than a person's run of this version and suite, or the task
            itself: who has seen the explanation once is no new trial.
    """
    path = folder / CONFIGURATION
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        raise RecordError(f"{folder}: expected a folder to write records to, got none that can be written")
    if not path.exists():
        if (folder / FILE).exists():
            raise RecordError(f"{folder}: expected {CONFIGURATION} beside {FILE}, found none")
        return []
    records, problems = read_records(folder / FILE) if (folder / FILE).exists() else ([], [])
    if problems:
        raise problems[0]
    tasks = [str(record["task"]) for record in records]
    if task_id in tasks:
        raise RecordError(f"{folder} holds {task_id} already; choose another folder")
    _check_configuration(path, suite_of(task_id))
    return tasks


def _check_configuration(path: Path, suite: str) -> None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RecordError(f"{path}: expected JSON, got {error}") from None
    wanted = {key: _plan([], suite).configuration()[key] for key in ("policy", "suite", "package")}
    wanted["record_version"] = RECORD_VERSION
    for key, value in wanted.items():
        if not isinstance(found, dict) or found.get(key) != value:
            got = found.get(key) if isinstance(found, dict) else found
            raise RecordError(
                f"{path.parent} holds another run ({key}: expected {value!r}, got {got!r:.40}); "
                "choose another folder"
            )


def _plan(tasks: list[str], suite: str) -> Plan:
    return Plan(POLICY, tuple(tasks), trials=1, seed=0, suite=suite)
