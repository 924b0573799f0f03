"""What search has shown of the core tasks, kept in ``task_specs/proofs.json``.

A search may take half a minute, so it is made once per task hash, which covers all that it depends on but the
bases of traps; these are compared one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY, specs_root
from acoe_gym.cockpit.proof import Searched, Trap, facts_of, prove
from acoe_gym.cockpit.reference import Write
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import SpecError

FILE = "proofs.json"
# Where the search of a whole cone stops. All 73 together take some minutes and little memory that way.
LIMIT = 60_000


@dataclass(frozen=True)
class Known:
    """What is known of a task: its `acoe_gym.cockpit.proof.Proof` in short.

    Attributes:
        hash: the task's.
        verdict: of the proof.
        cone: how many variables make up a searched state.
        tried, apart, searches, probing, lost, traps: as in the proof.
        proven: whether no solution is shorter than ``writes``; else they are those of the reference.
        writes: a safe solution, control and value in order.
        reference: how many writes the reference takes.
    """

    hash: str
    verdict: str
    cone: int
    tried: int
    apart: int
    searches: tuple[Searched, ...]
    proven: bool
    writes: tuple[Write, ...]
    reference: int
    probing: int
    lost: int
    traps: tuple[Trap, ...]

    def told(self) -> str:
        """Return how many writes it takes, and how sure that is."""
        if self.proven:
            return f"{len(self.writes)} writes"
        return f"at most {len(self.writes)} writes (open: the search was stopped)"

    def is_of(self, task: Task) -> bool:
        """Return whether this is still what a search would find."""
        template = task.program.template
        return self.hash == task.hash and all(
            trap.facts == facts_of(template, trap.writes[-1]) for trap in self.traps
        )


def own_task_ids() -> tuple[str, ...]:
    """Return the ids of the package's own core tasks, whatever else is registered."""
    own = sorted(path.parent.name for path in specs_root().glob("*/world.toml"))
    return tuple(
        t for world in own for template in library.template_ids(world) for t in library.task_ids(template)
    )


def known(task: Task) -> Known:
    """Return what the file knows of a core task.

    Raises:
        SpecError: the file holds nothing on the task as it stands.
    """
    entry = _read().get(task.id)
    if entry is None or not entry.is_of(task):
        found = "none" if entry is None else "that of another hash or other bases of traps"
        raise SpecError(f"{FILE} {task.id}: expected a proof, got {found}; run `acoe tasks --search`")
    return entry


def stale() -> list[str]:
    """Return the ids of tasks that the file knows nothing of, and of those in it that no longer exist so."""
    entries, own = _read(), own_task_ids()
    gone = [name for name in entries if name not in own]
    return [n for n in own if n not in entries or not entries[n].is_of(library.task(n))] + gone


def search() -> Iterator[str]:
    """Search what is stale and write the file anew after each task; yield what was done.

    Raises:
        SpecError: a task fails a check. Its entry is kept, so that it is not searched again.
    """
    entries, own = _read(), own_task_ids()
    for task_id in [name for name in stale() if name in own]:
        entries[task_id] = find(library.task(task_id))
        _write(entries)
        yield f"searched {task_id}: {entries[task_id].verdict}, {entries[task_id].told()}"
    yield f"wrote {_write(entries)}"
    failed = [task_id for task_id in own if entries[task_id].verdict == "FAILED"]
    if failed:
        raise SpecError(f"expected proofs, but {', '.join(failed)} FAILED; `acoe prove TASK` says why")


def find(task: Task, limit: int = LIMIT) -> Known:
    """Prove a task and return what is kept of the proof."""
    proof = prove(task, limit)
    return Known(
        hash=task.hash,
        verdict=proof.verdict,
        cone=len(proof.variables),
        tried=proof.tried,
        apart=proof.apart,
        searches=proof.searches,
        proven=proof.solution is not None,
        writes=proof.reference if proof.solution is None else proof.solution,
        reference=len(proof.reference),
        probing=proof.probing,
        lost=proof.lost,
        traps=proof.traps,
    )


@cache
def _parsed(text: str) -> dict[str, Known]:
    return {task_id: _known(row) for task_id, row in json.loads(text)["tasks"].items()}


def _known(row: Mapping[str, Any]) -> Known:
    searches = tuple(Searched(**{**one, "controls": tuple(one["controls"])}) for one in row["searches"])
    traps = tuple(Trap(_pairs(one["writes"]), tuple(one["facts"])) for one in row["traps"])
    return Known(**{**row, "searches": searches, "writes": _pairs(row["writes"]), "traps": traps})


def _pairs(rows: list[list[object]]) -> tuple[Write, ...]:
    return tuple((str(name), value) for name, value in rows)


def _read() -> dict[str, Known]:
    path = specs_root() / FILE
    return dict(_parsed(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _write(entries: Mapping[str, Known]) -> Path:
    """Write one line per task, so that a change of one task changes one line."""
    lines = [f"  {json.dumps(n)}: {json.dumps(asdict(entries[n]))}" for n in own_task_ids() if n in entries]
    rows = ",\n".join(lines)
    path = specs_root() / FILE
    path.write_text(
        f'{{\n "canary": {json.dumps(CANARY)},\n "tasks": {{\n{rows}\n }}\n}}\n', encoding="utf-8"
    )
    return path
