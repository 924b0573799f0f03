from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.failures import assign
from acoe_gym.benchmark.failures.hearing import Inquest
from acoe_gym.benchmark.report.data import gather, infrastructure
from acoe_gym.benchmark.runs import CONFIGURATION, read_run
from acoe_gym.benchmark.tokens import token_use
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import RecordError

WriteRun = Callable[..., Path]
Change = Callable[[dict[str, Any]], None]
TASKS = ("c172s/engine_restart/stopped_prop_left_tank", "c172s/engine_restart/windmilling_magnetos_off")


def names(folders: list[Path], **options: bool) -> list[str]:
    return [run.name for run in gather(folders, "t", **options).runs]


def test_runs_are_grouped_by_their_weights_and_ordered_by_success(
    three: list[Path], write_run: WriteRun
) -> None:
    other = write_run("Delta", ["solved", "solved"], ["solved", "solved"])
    report = gather([other, *reversed(three)], "t")
    groups = [(name, [run.name for run in runs]) for name, runs in report.groups()]
    assert groups == [
        ("API-only models", ["Alpha", "Beta"]),
        ("Open-weight models", ["Gamma"]),
        ("Other runs (weights not stated)", ["Delta"]),
    ]


def test_a_tie_is_ordered_by_name(write_run: WriteRun) -> None:
    b, a = (write_run(name, ["solved"], ["silent"]) for name in ("b", "a"))
    assert names([b, a]) == ["a", "b"]


def test_runs_of_one_name_are_told_apart(write_run: WriteRun) -> None:
    assert names([write_run("same", ["silent"], ["silent"]) for _ in range(3)]) == [
        "same",
        "same (2)",
        "same (3)",
    ]


def test_models_under_different_protocols_are_refused(write_run: WriteRun) -> None:
    folders = [write_run(name, ["solved"], ["silent"]) for name in ("old", "new")]
    for folder in folders:
        path = folder / CONFIGURATION
        whole = {**json.loads(path.read_text(encoding="utf-8")), "settings": {"llm_protocol": folder.name}}
        path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(RecordError, match="expected models under one protocol"):
        gather(folders, "t")
    gather(folders[:1], "t")


def test_runs_of_different_numbers_of_trials_are_remarked_upon(write_run: WriteRun) -> None:
    once, twice = (
        write_run("once", ["solved"], ["silent"]),
        write_run("twice", ["solved"] * 2, ["silent"] * 2),
    )
    assert gather([twice], "t").notes == ()
    assert gather([once, twice], "t").notes == (
        "The runs have different numbers of trials: the scores of those with fewer vary more.",
    )


def test_tasks_are_ordered_by_their_mean_success_over_the_runs(three: list[Path]) -> None:
    assert [task.rpartition("/")[2] for task in gather(three, "t").tasks] == [
        "stopped_prop_left_tank",
        "windmilling_magnetos_off",
    ]


def test_a_run_with_a_missing_episode_gets_no_scores(write_run: WriteRun) -> None:
    report = gather([write_run("holes", ["solved", None], ["solved", "solved"])], "t")
    (run,) = report.runs
    assert (run.status, run.summary, report.scored) == ("refused", None, ())
    assert report.notes == ("holes: 3 of 4 episodes; refused. A run with missing episodes gets no score.",)


def test_a_partial_run_is_scored_on_request_and_marked(write_run: WriteRun) -> None:
    report = gather([write_run("holes", ["solved", None], ["solved", "silent"])], "t", allow_partial=True)
    (run,) = report.runs
    assert run.summary is not None
    assert (run.status, run.coverage) == ("partial", "3 of 4 episodes; partial")
    assert run.summary.sr.value == 0.75


def test_a_run_without_any_episode_is_refused_even_if_partial_runs_are_allowed(write_run: WriteRun) -> None:
    report = gather([write_run("empty", [None], [None])], "t", allow_partial=True)
    assert [run.status for run in report.runs] == ["refused"]


def test_partial_runs_stand_below_whole_ones(write_run: WriteRun) -> None:
    partial = write_run("partial", ["solved", "solved"], ["solved", None])
    whole = write_run("whole", ["solved", "silent"], ["silent", "silent"])
    assert names([partial, whole], allow_partial=True) == ["whole", "partial"]


def test_infrastructure_errors_are_counted_and_change_no_score(write_run: WriteRun) -> None:
    plain = write_run("plain", ["solved"], ["silent"])
    troubled = write_run("troubled", ["solved"], ["silent"], errors=3)
    first, second = gather([plain, troubled], "t").runs
    assert first.summary == second.summary
    assert (infrastructure(first), infrastructure(second)) == ([], [("HTTP 529: overloaded", 3)])


def test_runs_of_different_versions_are_refused(write_run: WriteRun) -> None:
    def older(record: dict[str, Any]) -> None:
        record["tree"]["template"] = "0" * 64

    runs = [write_run("a", ["silent"], ["silent"]), write_run("b", ["silent"], ["silent"], change=older)]
    with pytest.raises(RecordError, match="records of different versions are not averaged"):
        gather(runs, "t")


def test_a_broken_line_is_refused(write_run: WriteRun) -> None:
    folder = write_run("a", ["silent"], ["silent"])
    path = folder / "episodes.jsonl"
    path.write_text("no record\n" + path.read_text(encoding="ascii"), encoding="ascii")
    with pytest.raises(RecordError, match="line 1: expected one record of JSON"):
        gather([folder], "t")


def test_runs_over_different_tasks_come_with_a_warning(write_run: WriteRun) -> None:
    one, both = write_run("one", ["silent"], ["silent"]), write_run("both", ["silent"], ["silent"])
    path = one / "run.json"
    path.write_text(path.read_text().replace(', "c172s/engine_restart/windmilling_magnetos_off"', ""))
    assert gather([one, both], "t").notes[-1].startswith("The runs cover different tasks")


def test_cost_is_the_mean_over_the_episodes(write_run: WriteRun, say: Callable[..., Change]) -> None:
    about = {"price_in": 2.0, "price_out": 10.0}
    run = write_run("priced", ["idle"], ["silent"], about=about, change=say("text", 1000, 100))
    (shown,) = gather([run], "t").runs
    # Three turns and one: 4,400 tokens over two episodes; a turn costs 0.002 + 0.001.
    assert (shown.cost.total, shown.cost.told) == (2200.0, 2)
    assert shown.cost.cost == pytest.approx(0.006)


def test_without_tokens_there_is_no_cost(three: list[Path]) -> None:
    assert {run.cost.total for run in gather(three, "t").runs} == {None}


def test_tokens_without_prices_cost_no_money(write_run: WriteRun, say: Callable[..., Change]) -> None:
    (shown,) = gather([write_run("a", ["silent"], ["silent"], change=say("text"))], "t").runs
    assert (shown.cost.total, shown.cost.cost) == (120.0, None)


def test_an_episode_of_an_older_task_has_no_failure_mode(write_run: WriteRun) -> None:
    def older(record: dict[str, Any]) -> None:
        record["tree"]["task"] = "0" * 64

    report = gather([write_run("a", ["silent"], ["silent"], change=older)], "t")
    assert report.runs[0].modes == {}
    assert report.notes[0].startswith("a: 2 episodes were recorded with another version of their task")


def test_every_failed_episode_has_a_failure_mode(three: list[Path]) -> None:
    for run in gather(three, "t").runs:
        failed = [(r.task, r.trial) for r in run.results if not r.success]
        assert sorted(run.modes) == sorted(failed)


def test_what_is_found_out_of_a_task_is_shared_by_all_runs(
    three: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Counted(Inquest):
        def __init__(self, task: Task) -> None:
            asked.append(task.id)
            super().__init__(task)

    monkeypatch.setattr(assign, "Inquest", Counted)
    gather(three, "t")
    assert sorted(asked) == sorted(TASKS)


def test_control_characters_and_half_characters_of_a_name_are_replaced(write_run: WriteRun) -> None:
    assert names([write_run("a\x00b\ud800", ["silent"], ["silent"])]) == ["a\N{REPLACEMENT CHARACTER}b?"]


def test_tokens_are_those_of_the_metrics_command(write_run: WriteRun, say: Callable[..., Change]) -> None:
    turns = say("text", 1000, 100)

    def change(record: dict[str, Any]) -> None:
        turns(record)
        if record["task"].endswith("windmilling_magnetos_off"):
            record["pilot"]["turns"][0]["usage"] = None

    folder = write_run("half", ["silent"], ["silent"], change=change)
    (shown,) = gather([folder], "t").runs
    assert shown.cost == token_use(read_run(folder))
    assert (shown.cost.total, shown.cost.told) == (None, 1)


def test_no_run_is_best_where_runs_cover_different_tasks(write_run: WriteRun) -> None:
    one, both = write_run("one", ["silent"], ["silent"]), write_run("both", ["silent"], ["silent"])
    report = gather([one, both], "t")
    assert report.best(report.runs)[2] == 1.0
    path, kept = one / "run.json", "c172s/engine_restart/windmilling_magnetos_off"
    path.write_text(path.read_text().replace(f', "{kept}"', ""))
    report = gather([one, both], "t")
    assert report.best(report.runs) == (None, None, None, None)
