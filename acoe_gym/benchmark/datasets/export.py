"""Writes datasets to files, each with a description beside it.

The description, ``FILE.meta.json``, holds the canary, what was asked for, and the hash trees of the tasks in
the order of the lines. Lines that other libraries read as they are hold nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.datasets.chats import chat_of
from acoe_gym.benchmark.datasets.labels import PILOTS, labelled
from acoe_gym.benchmark.datasets.offline import export_minari
from acoe_gym.benchmark.datasets.pairs import pairs_of
from acoe_gym.benchmark.datasets.selection import Selection
from acoe_gym.cockpit.data import CANARY
from acoe_gym.cockpit.protocol import hash_tree
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.text import compact
from acoe_gym.cockpit.variants import projection
from acoe_gym.errors import RecordError, UnknownName, nearest

FORMATS = ("openai-chat", "pairs", "minari", "jsonl")
CANARY_LINE = compact({"canary": CANARY})
# Entries of a hash tree that differ from task to task.
OF_A_TASK = ("task", "information")

Row = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """What was written: the file or, with Minari, the folder of the dataset; its description; the counts.

    Minari leaves out tasks whose calls are not in the finite action space.
    """

    path: Path
    meta: Path
    tasks: int
    rows: int
    left_out: int = 0


def export(kind: str, selection: Selection, out: Path, *, batch: bool = False, face: str = "flat") -> Written:
    """Write a dataset.

    Args:
        kind: a name of `FORMATS`.
        selection: the tasks. Only ``core`` holds the benchmark's own, which nothing that is to be evaluated
            on it may be trained on.
        out: the file; with ``minari`` the folder of Minari datasets, and the tasks are of one template.
        batch: for chats and pairs: put consecutive reads into one assistant message.
        face: for ``minari``: ``flat`` or ``text``.

    Raises:
        UnknownName: there is no such format, template, split or difficulty.
        MissingExtra: Minari is not installed.
        RecordError: the file cannot be written.
    """
    if kind not in FORMATS:
        raise UnknownName(f"expected a format of {', '.join(FORMATS)}, got {kind!r}{nearest(kind, FORMATS)}")
    if kind == "minari":
        return _minari(selection, out, face)
    rows = _rows(kind, selection, batch=batch)
    tasks: list[tuple[Task, int]] = []
    write_lines(out, _lines(rows, tasks), canary=kind == "jsonl")
    about = {"format": kind, "calls_per_turn": "consecutive reads together" if batch else 1}
    return _describe(Path(f"{out}.meta.json"), out, about, selection, tasks)


def write_lines(path: Path, lines: Iterable[str], *, canary: bool) -> None:
    """Write a file of JSON lines, with the canary as its first where other libraries do not read it.

    Raises:
        RecordError: it cannot be written.
    """
    try:
        with path.open("w", encoding="ascii", newline="\n") as file:
            file.writelines(f"{line}\n" for line in ([CANARY_LINE] if canary else []))
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise RecordError(f"{path}: expected to write a dataset, got {error.strerror}") from None


def _rows(kind: str, selection: Selection, *, batch: bool) -> Iterator[tuple[Task, list[Row]]]:
    makers: dict[str, Callable[[Task], list[Row]]] = {
        "openai-chat": lambda task: [chat_of(task, batch=batch)],
        "pairs": lambda task: list(pairs_of(task, batch=batch)),
        "jsonl": lambda task: [labelled(task, pilot, selection.seed) for pilot in PILOTS],
    }
    for task in selection.tasks():
        yield task, makers[kind](task)


def _lines(rows: Iterable[tuple[Task, list[Row]]], tasks: list[tuple[Task, int]]) -> Iterator[str]:
    """Yield the rows as lines, and note for each task how many it gave."""
    for task, found in rows:
        tasks.append((task, len(found)))
        yield from map(compact, found)


def _minari(selection: Selection, out: Path, face: str) -> Written:
    if len(selection.templates) != 1:
        known = ", ".join(selection.templates)
        raise UnknownName(f"expected one template, since a Minari dataset has one environment, got {known}")
    tasks = list(selection.tasks())
    dataset_id, played = export_minari(selection.templates[0], tasks, out, face)
    folder = out / dataset_id
    left_out = len(tasks) - len(played)
    about = {"format": "minari", "dataset": dataset_id, "calls_per_turn": 1, "left_out": left_out}
    rows = [(task, 1) for task in played]
    written = _describe(folder / "acoe.meta.json", folder, about, selection, rows)
    return replace(written, left_out=left_out)


def _describe(
    meta: Path, path: Path, about: Row, selection: Selection, tasks: list[tuple[Task, int]]
) -> Written:
    trees = {task.id: hash_tree(task) for task, _ in tasks}
    shared: dict[str, dict[str, str]] = {}
    for task, _ in tasks:
        tree = trees[task.id].items()
        shared[task.program.template.id] = {name: value for name, value in tree if name not in OF_A_TASK}
    written = Written(path, meta, len(tasks), sum(rows for _, rows in tasks))
    body = {
        "canary": CANARY,
        **about,
        **asdict(selection),
        "rows": written.rows,
        "distinct_tasks": len({(task.program.template.id, projection(task)) for task, _ in tasks}),
        "trees": shared,
        "tasks": [
            {"id": task.id, "rows": rows, **{name: trees[task.id][name] for name in OF_A_TASK}}
            for task, rows in tasks
        ],
    }
    meta.write_text(json.dumps(body, indent=1) + "\n", encoding="ascii")
    return written
