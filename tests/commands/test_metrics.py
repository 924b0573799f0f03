from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.difficulty import Correlation, Difficulty, TaskDifficulty
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import FILE
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.tokens import TokenUse
from acoe_gym.benchmark.tool_use import KindRow, ToolRow, ToolUse
from acoe_gym.cockpit import library
from acoe_gym.cockpit.metrics import EpisodeResult, Summary, aggregate
from acoe_gym.commands import metrics as command
from acoe_gym.commands.metrics import (
    _difficulty_lines,
    _tool_lines,
    add_metrics_options,
    metrics_lines,
    token_lines,
)
from acoe_gym.errors import RecordError

TASKS = library.task_ids("c172s/engine_restart")
USAGE = {"prompt": 1000, "completion": 50, "cached": 10, "total": 1050}
# No two figures are equal, so that none can stand in the place of another.
RATED = Difficulty(
    models=("one", "two", "three"), tasks=(TaskDifficulty("a/t/one", 0.13, 0.7),), success=0.31, safe=0.92,
    lowest=0.12, highest=0.84, hard=3, easy=5, never=2, always=1, mixed=0.47,
    correlations=(Correlation("one", "two", 0.5), Correlation("one", "three", None)), mean_correlation=0.25,
)  # fmt: skip
PILOT = {"model": "m", "harness": "none", "protocol": "tools"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for policy in ("reference", "generic"):
        run(Plan(policy, TASKS), folder / policy)
    return folder


@pytest.fixture
def stopped(runs: Path, tmp_path: Path) -> Path:
    """Return a run that lacks its last episode and had one error."""
    folder = Path(shutil.copytree(runs / "generic", tmp_path / "stopped"))
    lines = (folder / FILE).read_bytes().splitlines(keepends=True)
    (folder / FILE).write_bytes(b"".join(lines[:-1]))
    (folder / "errors.jsonl").write_text(
        json.dumps({"task": TASKS[-1], "trial": 0, "error": "timeout"}) + "\n"
    )
    return folder


def asked(*words: str) -> list[str]:
    parser = argparse.ArgumentParser()
    add_metrics_options(parser)
    return list(metrics_lines(parser.parse_args(words)))


def told(folder: Path) -> None:
    """Give every record of a run tokens, and the run prices."""
    records = [json.loads(line) for line in (folder / FILE).read_text().splitlines()]
    for record in records:
        silent = [{"text": "", "usage": dict.fromkeys(USAGE, 0)} for _ in record["turns"][1:]]
        record["pilot"] = {**PILOT, "turns": [{"text": "", "usage": USAGE}, *silent]}
    (folder / FILE).write_text("".join(json.dumps(record) + "\n" for record in records))
    configuration = json.loads((folder / "run.json").read_text())
    configuration["about"] = {"label": "pilot of long name", "price_in": 1, "price_out": 20}
    (folder / "run.json").write_text(json.dumps(configuration))


def test_one_run_shows_everything_that_is_counted(runs: Path) -> None:
    page = "\n".join(asked(str(runs / "reference")))
    assert "SR                             1.000" in page
    assert "SCR                            1.000" in page
    assert "episodes missing: 0; infrastructure errors, in no metric: 0; unreadable lines: 0" in page
    assert (
        f"tokens per episode: prompt -, completion -, cached -; counted in 0 of {len(TASKS)} episodes" in page
    )
    assert "kinds: cockpit reads " in page
    assert f"difficulty of {len(TASKS)} tasks over 1 run, by a task's mean success" in page
    assert "rank correlation" not in page
    assert max(map(len, page.splitlines())) <= 105


def test_several_runs_are_laid_side_by_side(runs: Path) -> None:
    page = "\n".join(asked(str(runs / "reference"), str(runs / "generic"), "--tasks"))
    assert "policy      episodes     SR" in page
    assert f"difficulty of {len(TASKS)} tasks over 2 runs" in page
    assert "rank correlation      -  reference, generic" in page
    assert "task, hardest first" in page


def test_tokens_and_their_cost_are_shown_where_they_are_known(runs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(runs / "generic", tmp_path / "model"))
    told(folder)
    lines = asked(str(folder), str(runs / "generic"))
    count = len(TASKS)
    assert (
        f"tokens per episode: prompt 1,000, completion 50, cached 10; counted in {count} of {count} episodes"
        in lines
    )
    assert "cost: 0.0020 per episode, 0.02 in all, cached tokens at the full price" in lines
    head = next(i for i, line in enumerate(lines) if line.startswith("policy "))
    rows = lines[head + 1 : head + 3]
    assert [row[: lines[head].index("episodes")].strip() for row in rows] == ["pilot of long name", "generic"]


def test_runs_of_one_name_are_told_apart(runs: Path, tmp_path: Path) -> None:
    twin = shutil.copytree(runs / "generic", tmp_path / "twin")
    lines = asked(str(runs / "generic"), str(twin))
    assert any(line.startswith("generic (twin)") for line in lines)


def test_a_headline_is_refused_while_episodes_are_missing(stopped: Path) -> None:
    with pytest.raises(RecordError, match=f"expected {len(TASKS)} episodes, got {len(TASKS) - 1}"):
        asked(str(stopped))
    page = "\n".join(asked(str(stopped), "--allow-partial"))
    assert "episodes missing: 1; infrastructure errors, in no metric: 1; unreadable lines: 0" in page


def test_records_of_another_version_still_have_metrics_but_no_tool_use(runs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(runs / "generic", tmp_path / "old"))
    records = [json.loads(line) for line in (folder / FILE).read_text().splitlines()]
    (folder / FILE).write_text("".join(json.dumps({**r, "hash": "0" * 64}) + "\n" for r in records))
    page = "\n".join(asked(str(folder)))
    assert "tools: not counted (c172s/engine_restart/" in page
    assert "`acoe replay` names the call" in page


def test_json_never_holds_success_without_safety(runs: Path) -> None:
    lines = asked(str(runs / "reference"), str(runs / "generic"), "--json")
    found: dict[str, Any] = json.loads("\n".join(lines))
    assert set(found["runs"]) == {"reference", "generic"}
    summary = found["runs"]["generic"]["summary"]
    assert summary["unsafe"] == pytest.approx(1 - summary["scr"]["value"])
    assert found["runs"]["generic"]["tools"]["episodes"] == len(TASKS)
    assert len(found["difficulty"]["tasks"]) == len(TASKS)
    alone: dict[str, Any] = json.loads("\n".join(asked(str(runs / "generic"), "--json")))
    assert alone["difficulty"] is None


def test_runs_of_different_versions_are_not_put_side_by_side(runs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(runs / "generic", tmp_path / "old"))
    records = [json.loads(line) for line in (folder / FILE).read_text().splitlines()]
    for record in records:
        record["tree"]["task"] = "0" * 64
    (folder / FILE).write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(RecordError, match="expected runs of one version of the benchmark"):
        asked(str(runs / "reference"), str(folder))


def test_what_is_wrong_with_a_run_is_counted_by_its_kind(stopped: Path) -> None:
    with (stopped / FILE).open("a") as file:
        file.write("{]\n" * 3)
    with (stopped / "errors.jsonl").open("a") as file:
        file.write(json.dumps({"task": TASKS[-1], "trial": 0, "error": "timeout"}) + "\n")
    lines = asked(str(stopped), "--allow-partial")
    assert lines[0] == f"generic ({stopped}); PARTIAL: 1 episodes are missing"
    assert "episodes missing: 1; infrastructure errors, in no metric: 2; unreadable lines: 3" in lines
    (found,) = json.loads("\n".join(asked(str(stopped), "--allow-partial", "--json")))["runs"].values()
    assert [found[key] for key in ("missing", "errors", "unreadable_lines")] == [1, 2, 3]


def test_episodes_whose_context_was_full_are_counted(runs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(runs / "generic", tmp_path / "full"))
    records = [json.loads(line) for line in (folder / FILE).read_text().splitlines()]
    for record, notes in zip(records, (["context_exhausted"],) * 2, strict=False):
        record["pilot"] = {**PILOT, "turns": [{"text": "", "notes": notes} for _ in record["turns"]]}
    (folder / FILE).write_text("".join(json.dumps(record) + "\n" for record in records))
    assert "episodes in which the model's context was full: 2" in asked(str(folder))


def test_each_figure_of_the_difficulty_has_its_place() -> None:
    assert [" ".join(line.split()) for line in _difficulty_lines(RATED, tasks=True)] == [
        "difficulty of 1 tasks over 3 runs, by a task's mean success",
        "mean 0.310 with SCR 0.920, unsafe 0.080",
        "range 0.120 to 0.840; <= 0.25: 3; > 0.75: 5",
        "never solved: 2; always solved: 1; mixed outcomes: 0.470 of all cases",
        "rank correlation +0.500 one, two",
        "rank correlation - one, three",
        "rank correlation +0.250 mean of the pairs",
        "task, hardest first success safe unsafe",
        "a/t/one 0.130 0.700 0.300",
    ]


def test_one_pair_of_runs_has_no_mean_of_pairs() -> None:
    pair = replace(RATED, models=("one", "two"), correlations=RATED.correlations[:1], mean_correlation=0.5)
    assert not any("mean of the pairs" in line for line in _difficulty_lines(pair, tasks=False))


def test_each_figure_of_the_tokens_has_its_place() -> None:
    assert list(token_lines(TokenUse(6, 5, 4900.0, 100.0, 40.0, 5000.0, 0.0025, 0.13, 1777))) == [
        "tokens per episode: prompt 4,900, completion 100, cached 40; counted in 5 of 6 episodes",
        "tokens of attempts that the infrastructure ended, in no mean: 1,777",
        "cost: 0.0025 per episode, 0.13 in all, cached tokens at the full price",
    ]


def test_each_figure_of_the_tools_has_its_place() -> None:
    row, kind = ToolRow("get_system", "writes", 5, 0.625, 0.2, 3, 1), KindRow("writes", 5, 0.625)
    head, *rest = _tool_lines(ToolUse(6, 2, 8, (row,), (kind,)))
    assert head.split() == ["tool", "kind", "calls", "share", "rejected", "first", "by", "harness"]
    assert [" ".join(line.split()) for line in rest] == [
        "get_system writes 5 0.625 0.200 3 1",
        "kinds: writes 0.625",
        "episodes without any call: 2",
    ]
    assert len(list(_tool_lines(ToolUse(6, 0, 8, (row,), (kind,))))) == 3


def test_the_intervals_take_the_seed(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def noted(results: Sequence[EpisodeResult], seed: int = 0) -> Summary:
        seeds.append(seed)
        return aggregate(results, seed)

    monkeypatch.setattr(command, "aggregate", noted)
    asked(str(runs / "generic"), "--seed", "7")
    assert seeds == [7]
