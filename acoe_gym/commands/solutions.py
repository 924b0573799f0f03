"""The shortest safe solutions of the core tasks, kept in ``task_specs/solutions.json``.

A search may take minutes, so it is made once per task hash, which covers all that a solution depends on.
Where it would take more memory than most machines have it is stopped, and the reference stands for the
solution: then its length is an upper bound, and the entry says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY, specs_root
from acoe_gym.cockpit.reference import Write, solve, writes
from acoe_gym.cockpit.search import SearchStopped, shortest
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import SpecError

FILE = "solutions.json"
# Some gigabytes of memory.
MAX_STATES = 1_000_000


@dataclass(frozen=True)
class Known:
    """What is known of the shortest safe solution of a task.

    Attributes:
        hash: the task's.
        proven: whether no shorter one exists; else ``writes`` are those of the reference.
        states: how many states were looked at.
        writes: control and value, in order.
    """

    hash: str
    proven: bool
    states: int
    writes: tuple[Write, ...]

    def told(self) -> str:
        """Return how many writes it takes, and how sure that is."""
        if self.proven:
            return f"{len(self.writes)} writes"
        return f"at most {len(self.writes)} writes (the search was stopped at {self.states:,} states)"

    def line(self) -> str:
        """Return the entry of the file."""
        return json.dumps({**asdict(self), "writes": [list(write) for write in self.writes]})


def own_task_ids() -> tuple[str, ...]:
    """Return the ids of the package's own core tasks, whatever else is registered."""
    own = sorted(path.parent.name for path in specs_root().glob("*/world.toml"))
    return tuple(
        t for world in own for template in library.template_ids(world) for t in library.task_ids(template)
    )


def solution(task: Task) -> Known:
    """Return what the file knows of a core task.

    Raises:
        SpecError: the file holds nothing on the task as it stands.
    """
    known = _read().get(task.id)
    if known is None or known.hash != task.hash:
        found = "none" if known is None else "that of another hash"
        raise SpecError(f"{FILE} {task.id}: expected a solution, got {found}; run `acoe tasks --search`")
    return known


def stale() -> list[str]:
    """Return the ids of tasks that the file knows nothing of, and of those in it that no longer exist so."""
    entries = {task_id: known.hash for task_id, known in _read().items()}
    hashes = {task_id: library.task(task_id).hash for task_id in own_task_ids()}
    return [name for name in dict.fromkeys([*hashes, *entries]) if entries.get(name) != hashes.get(name)]


def search() -> Iterator[str]:
    """Search what is stale and write the file anew after each task; yield what was done.

    Raises:
        SpecError: a task has no safe solution.
    """
    entries = _read()
    own = own_task_ids()
    for task_id in [name for name in stale() if name in own]:
        entries[task_id] = find(library.task(task_id))
        _write(entries)
        yield f"searched {task_id}: {entries[task_id].told()}"
    yield f"wrote {_write(entries)}"


def find(task: Task, limit: int = MAX_STATES) -> Known:
    """Search a task's shortest safe solution.

    Raises:
        SpecError: there is none.
    """
    try:
        found = shortest(task, limit)
    except SearchStopped:
        return Known(task.hash, False, limit, writes(solve(task)))
    if found is None:
        raise SpecError(f"{task.id}: expected a safe solution, got none")
    return Known(task.hash, True, found.states, found.writes)


@cache
def _parsed(text: str) -> dict[str, Known]:
    return {
        task_id: Known(**{**row, "writes": tuple((name, value) for name, value in row["writes"])})
        for task_id, row in json.loads(text)["tasks"].items()
    }


def _read() -> dict[str, Known]:
    path = specs_root() / FILE
    return dict(_parsed(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _write(entries: Mapping[str, Known]) -> Path:
    """Write one line per task, so that a change of one task changes one line."""
    rows = ",\n".join(f"  {json.dumps(n)}: {entries[n].line()}" for n in own_task_ids() if n in entries)
    path = specs_root() / FILE
    path.write_text(
        f'{{\n "canary": {json.dumps(CANARY)},\n "tasks": {{\n{rows}\n }}\n}}\n', encoding="utf-8"
    )
    return path
