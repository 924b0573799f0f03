from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.failures import assign
from acoe_gym.benchmark.failures.hearing import Inquest
from acoe_gym.benchmark.report.data import Report, best, compared, gather
from acoe_gym.benchmark.report.shown import ShownRun, infrastructure
from acoe_gym.benchmark.runs import CONFIGURATION, read_run
from acoe_gym.benchmark.tokens import token_use
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import RecordError

WriteRun = Callable[..., Path]
Change = Callable[[dict[str, Any]], None]
DOT = " \N{MIDDLE DOT} "
TASKS = ("c172s/engine_restart/stopped_prop_left_tank", "c172s/engine_restart/windmilling_magnetos_off")


def names(folders: list[Path], **options: bool) -> list[str]:
    return [run.name for run in gather(folders, "t", **options).runs]


def test_models_are_grouped_by_their_weights_apart_from_policies_and_people_and_ordered_by_success(
    three: list[Path], write_run: WriteRun
) -> None:
    pilot = write_run("Person", ["solved", "solved"], ["solved", "solved"])
    model = write_run("Delta", ["solved", "solved"], ["solved", "silent"], settings={"model": "delta"})
    report = gather([pilot, model, *reversed(three)], "t")
    groups = [(name, [run.name for run in runs]) for name, runs in report.groups()]
    assert groups == [
        ("API-only models", ["Alpha", "Beta"]),
        ("Open-weight models", ["Gamma"]),
        ("Other runs (weights not stated)", ["Delta"]),
        ("Policies and people", ["Person"]),
    ]


def test_a_built_in_policy_is_no_model_whatever_is_said_of_its_weights(write_run: WriteRun) -> None:
    folder = write_run("Random", ["silent"], ["silent"], about={"open_weights": True})
    path = folder / CONFIGURATION
    path.write_text(path.read_text(encoding="utf-8").replace('"hand"', '"random"'), encoding="utf-8")
    assert [name for name, _ in gather([folder], "t").groups()] == ["Policies and people"]


def test_a_tie_is_ordered_by_name(write_run: WriteRun) -> None:
    b, a = (write_run(name, ["solved"], ["silent"]) for name in ("b", "a"))
    assert names([b, a]) == ["a", "b"]


def test_runs_of_one_name_are_told_apart_by_their_folders(write_run: WriteRun) -> None:
    folders = [write_run("same", ["silent"], ["silent"]) for _ in range(3)]
    assert names(folders) == [f"same ({folder.name})" for folder in folders]
    assert names([folders[0], folders[0]]) == ["same (run-0) #1", "same (run-0) #2"]


def test_names_that_only_an_unprintable_character_tells_apart_are_told_apart(write_run: WriteRun) -> None:
    folders = [write_run(name, ["silent"], ["silent"]) for name in ("a\x00", "a\x01")]
    assert names(folders) == ["a\N{REPLACEMENT CHARACTER} #1", "a\N{REPLACEMENT CHARACTER} #2"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (None, "M"),
        ({"harness": "none", "protocol": "tools"}, "M"),
        ({"harness": "full", "protocol": "text"}, f"M{DOT}harness full{DOT}text protocol"),
        ({"harness": "plan", "protocol": "tools"}, f"M{DOT}harness plan"),
    ],
)
def test_an_unusual_harness_or_protocol_is_told_with_the_name(
    write_run: WriteRun, settings: dict[str, str] | None, words: str
) -> None:
    assert gather([write_run("M", ["silent"], settings=settings)], "t").runs[0].label == words


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


def test_the_task_with_the_least_mean_success_over_the_runs_comes_first(three: list[Path]) -> None:
    assert [task.rpartition("/")[2] for task in gather(three, "t").tasks] == [
        "windmilling_magnetos_off",
        "stopped_prop_left_tank",
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

    new = [write_run(name, ["silent"], ["silent"]) for name in ("a", "b")]
    old = write_run("c", ["silent"], ["silent"], change=older)
    words = f"{new[0]} and {old}: expected runs of one version .* 2 common tasks in: template \\(in 2 of them"
    with pytest.raises(RecordError, match=words):
        gather([*new, old], "t")


def test_a_run_that_mixes_versions_is_named(write_run: WriteRun) -> None:
    def older(record: dict[str, Any]) -> None:
        record["tree"]["template"] = str(record["trial"]) * 64

    runs = [write_run("a", ["silent"]), write_run("b", ["silent"] * 2, change=older)]
    with pytest.raises(RecordError, match=f"^{runs[1]}: .*different versions are not averaged"):
        gather(runs, "t")


def test_runs_without_a_common_task_must_be_of_one_version_too(write_run: WriteRun) -> None:
    def older(record: dict[str, Any]) -> None:
        record["tree"]["world"] = "0" * 64

    first, second = write_run("a", ["silent"]), write_run("b", [None], ["silent"], change=older)
    with pytest.raises(RecordError, match=f"^{first} and {second}: .*expected world"):
        gather([first, second], "t")


def test_a_broken_line_is_refused(write_run: WriteRun) -> None:
    folder = write_run("a", ["silent"], ["silent"])
    path = folder / "episodes.jsonl"
    path.write_text("no record\n" + path.read_text(encoding="ascii"), encoding="ascii")
    with pytest.raises(RecordError, match="line 1: expected one record of JSON"):
        gather([folder], "t")


def test_runs_of_fewer_tasks_are_named_in_a_warning(write_run: WriteRun) -> None:
    folders = [write_run("one", ["silent"]), write_run("both", ["silent"], ["silent"])]
    (note,) = gather(folders, "t").notes
    assert note.startswith("The runs cover different tasks: one only 1 of 2 tasks. Compare their scores task")


def test_a_run_of_fewer_tasks_stands_below_the_others(write_run: WriteRun) -> None:
    assert names([write_run("one", ["solved"]), write_run("both", ["silent"], ["silent"])]) == ["both", "one"]


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
    assert report.notes == (
        "a: no failure mode and no replies of 2 episodes: recorded with another version of the task.",
    )


def test_a_run_of_tasks_that_are_not_known_here_is_told_of_specs(write_run: WriteRun) -> None:
    def foreign(record: dict[str, Any]) -> None:
        record["task"] = record["template"] = "balloon/relight/first"

    folder = write_run("a", ["silent"], change=foreign)
    path = folder / CONFIGURATION
    path.write_text(path.read_text(encoding="utf-8").replace(TASKS[0], "balloon/relight/first"))
    (note,) = gather([folder], "t").notes
    assert note == (
        "a: no failure mode and no replies of 1 episode: balloon/relight/first is not known here; "
        "--specs FOLDER makes tasks of one's own known."
    )


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


def test_a_run_of_fewer_tasks_is_not_best_and_makes_no_other_best(write_run: WriteRun) -> None:
    few = write_run("few", ["solved"])
    whole = [write_run("a", ["solved"], ["silent"]), write_run("b", ["silent"], ["silent"])]
    assert best(gather([few, *whole], "t").runs)[0] == 0.5
    assert best(gather([few, whole[0]], "t").runs) == (None,) * 4


def test_one_run_alone_is_not_the_best(write_run: WriteRun) -> None:
    assert best(gather([write_run("a", ["solved"], ["silent"])], "t").runs) == (None,) * 4


@pytest.mark.parametrize(("trials", "words"), [(1, "1 of 1 episode"), (2, "2 of 2 episodes")])
def test_one_episode_is_told_in_the_singular(write_run: WriteRun, trials: int, words: str) -> None:
    assert gather([write_run("a", ["silent"] * trials)], "t").runs[0].coverage == words


def test_scores_are_compared_as_they_are_shown(made_report: Report) -> None:
    (_, summary) = made_report.scored[0]
    assert compared(summary) == (0.2, 0.3, 0.9, 0.15)
    close = replace(summary, sr=replace(summary.sr, value=0.12345))
    assert compared(close)[0] == 0.123


def test_a_partial_run_is_never_the_best(made_up: Callable[..., ShownRun]) -> None:
    partial = made_up(missing=[("a/t/two", 2)])
    assert best([partial, made_up()]) == (None,) * 4


@pytest.mark.parametrize(("errors", "words"), [(1, "1 attempt ended"), (3, "3 attempts ended")])
def test_attempts_that_the_infrastructure_ended_are_counted(
    write_run: WriteRun, errors: int, words: str
) -> None:
    report = gather([write_run("a", ["silent"], ["silent"], errors=errors)], "t")
    assert report.notes == (f"a: {words} by the infrastructure; not in any score.",)


def test_the_group_comes_before_the_state_of_a_run(write_run: WriteRun) -> None:
    partial = write_run("partial", ["solved", None], ["solved", "solved"], about={"open_weights": False})
    whole = write_run("whole", ["solved"] * 2, ["solved"] * 2, about={"open_weights": True})
    assert names([whole, partial], allow_partial=True) == ["partial", "whole"]


def test_safety_does_not_order_the_tasks(write_run: WriteRun) -> None:
    # The first task is safe and never solved, the second is solved once and unsafe once.
    report = gather([write_run("a", ["silent", "silent"], ["solved", "unsafe"])], "t")
    assert [task.rpartition("/")[2] for task in report.tasks] == [
        "stopped_prop_left_tank",
        "windmilling_magnetos_off",
    ]
