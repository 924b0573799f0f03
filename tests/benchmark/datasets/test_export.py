"""Files of datasets: pure lines, a description beside them, core tasks only where they are asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.datasets.chats import replay_chat
from acoe_gym.benchmark.datasets.export import export
from acoe_gym.benchmark.datasets.selection import Selection
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY
from acoe_gym.cockpit.protocol import hash_tree
from acoe_gym.cockpit.variants import projection, split_of
from acoe_gym.errors import RecordError, UnknownName

TEMPLATES = ("c172s/electrical_fire", "c172s/engine_restart")
VARIANTS = Selection("generated", TEMPLATES, count=5, seed=7, split="train")
LINES = ("openai-chat", "pairs", "jsonl")


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def meta_of(path: Path) -> dict[str, Any]:
    """Return the description beside a file."""
    return dict(json.loads(Path(f"{path}.meta.json").read_text(encoding="ascii")))


def test_the_lines_of_chats_are_pure_and_stand_in_the_order_of_the_description(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    written = export("openai-chat", VARIANTS, path)
    chats, described = lines_of(path), meta_of(path)
    assert (written.rows, written.tasks, described["rows"]) == (10, 10, 10)
    assert all(set(chat) == {"messages", "tools"} for chat in chats)
    for chat, entry in zip(chats, described["tasks"], strict=True):
        assert replay_chat(chat, task_of(entry["id"])).grade().success == 1.0


@pytest.mark.parametrize("kind", LINES)
def test_a_description_holds_the_canary_the_question_and_whole_hash_trees(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    export(kind, VARIANTS, path)
    described = meta_of(path)
    assert described["canary"] == CANARY
    asked = (
        described["format"],
        described["suite"],
        described["count"],
        described["seed"],
        described["split"],
    )
    assert asked == (kind, "generated", 5, 7, "train")
    for entry in described["tasks"]:
        task = task_of(entry["id"])
        tree = described["trees"][task.program.template.id]
        assert {**tree, "task": entry["task"], "information": entry["information"]} == hash_tree(task)


def test_rows_per_task_add_up(tmp_path: Path) -> None:
    for kind in LINES:
        path = tmp_path / kind
        written = export(kind, VARIANTS, path)
        described = meta_of(path)
        lines = [line for line in lines_of(path) if set(line) != {"canary"}]
        assert len(lines) == written.rows == described["rows"]
        assert sum(entry["rows"] for entry in described["tasks"]) == written.rows


def test_labelled_trajectories_start_with_the_canary(tmp_path: Path) -> None:
    export("jsonl", VARIANTS, tmp_path / "steps.jsonl")
    first, *rest = lines_of(tmp_path / "steps.jsonl")
    assert first == {"canary": CANARY}
    assert {row["policy"] for row in rest} == {"reference", "generic", "random"}
    assert {row["grade"]["safe"] for row in rest} == {0.0, 1.0}


def test_pairs_have_the_columns_of_a_preference_dataset(tmp_path: Path) -> None:
    export("pairs", VARIANTS, tmp_path / "pairs.jsonl")
    columns = {"prompt", "chosen", "rejected", "constraint", "tools"}
    assert all(set(row) == columns for row in lines_of(tmp_path / "pairs.jsonl"))


@pytest.mark.parametrize("kind", LINES)
def test_variants_of_one_split_are_exported_and_no_core_task(kind: str, tmp_path: Path) -> None:
    export(kind, VARIANTS, tmp_path / "data")
    tasks = [task_of(entry["id"]) for entry in meta_of(tmp_path / "data")["tasks"]]
    core = [library.task(task_id) for template_id in TEMPLATES for task_id in library.task_ids(template_id)]
    assert {split_of(task) for task in tasks} == {"train"}
    assert {projection(task) for task in tasks}.isdisjoint(projection(task) for task in core)


def test_core_tasks_are_exported_whole_when_asked_for(tmp_path: Path) -> None:
    export("openai-chat", Selection("core", TEMPLATES), tmp_path / "core")
    exported = [entry["id"] for entry in meta_of(tmp_path / "core")["tasks"]]
    assert exported == [task_id for template_id in TEMPLATES for task_id in library.task_ids(template_id)]


@pytest.mark.parametrize("kind", LINES)
def test_the_same_question_gives_the_same_bytes(kind: str, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        export(kind, VARIANTS, tmp_path / name / "data")
    for file in ("data", "data.meta.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes()


def test_a_minari_dataset_is_described_in_its_folder(tmp_path: Path) -> None:
    pytest.importorskip("minari")
    written = export("minari", Selection("generated", TEMPLATES[1:], count=3, split="train"), tmp_path)
    described = json.loads(written.meta.read_text(encoding="ascii"))
    assert written.meta.parent == written.path == tmp_path / described["dataset"]
    assert (described["canary"], described["rows"]) == (CANARY, written.tasks)
    assert written.tasks + written.left_out == written.tasks + described["left_out"] == 3


def test_a_minari_dataset_is_of_one_template(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="expected one template"):
        export("minari", VARIANTS, tmp_path)


def test_an_unknown_format_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="nearest: openai-chat"):
        export("openai-chats", VARIANTS, tmp_path / "x")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="expected to write a dataset"):
        export("openai-chat", VARIANTS, tmp_path / "no" / "folder.jsonl")
