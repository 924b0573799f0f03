from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.comparison.flips import Flip
from acoe_gym.benchmark.comparison.paired import Comparison, Difference
from acoe_gym.benchmark.comparison.probe import Gap, TemplateGap
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import policy as built_in
from acoe_gym.benchmark.records import FILE
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.runs import CONFIGURATION, Run
from acoe_gym.benchmark.suites import generated_ids
from acoe_gym.cockpit import library
from acoe_gym.cockpit.metrics import Interval
from acoe_gym.cockpit.procedure import Turns
from acoe_gym.cockpit.task import Task
from acoe_gym.commands import compare as command
from acoe_gym.commands.compare import add_compare_options, compare_result
from acoe_gym.errors import RecordError, UnknownName

TEMPLATES = ("c172s/engine_restart", "pa44/gear_extension")
TASKS = tuple(task for template in TEMPLATES for task in library.task_ids(template))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for policy in ("reference", "generic", "noop"):
        run(Plan(policy, TASKS, trials=2), folder / policy)
    run(Plan("reference", TASKS), folder / "once")
    run(Plan("noop", TASKS[:4], trials=2), folder / "few")
    run(Plan("reference", generated_ids(TEMPLATES, 0, 3), suite="generated"), folder / "fresh")
    return folder


def asked(*words: str) -> tuple[list[str], int]:
    parser = argparse.ArgumentParser()
    add_compare_options(parser)
    return compare_result(parser.parse_args(words))


def test_the_page_shows_success_with_safety_and_fits_the_screen(runs: Path) -> None:
    lines, code = asked(str(runs / "reference"), str(runs / "noop"))
    page = "\n".join(lines)
    assert code == 0
    assert [line.split()[0] for line in lines[5:14]] == [
        "SR", "SGO", "SCR", "unsafe", "IAR", "tools", "turns", "calls", "tokens",
    ]  # fmt: skip
    assert "noop: lower SR, beyond noise (SR -1.000, noise floor " in page
    assert f"tasks that flipped: {len(TASKS)} lost, 0 gained, 0 turned unsafe, 0 turned safe" in page
    assert max(len(line) for line in lines if "  " not in line or "/" not in line) <= 100
    assert page.isascii()


def test_a_metric_over_fewer_tasks_says_so(runs: Path, tmp_path: Path) -> None:
    lines, _ = asked(str(runs / "reference"), str(runs / "noop"))
    assert "IAR: over" not in "\n".join(lines)  # no task has writes in both
    run(Plan("reference", TASKS), tmp_path, pilot=but_one)
    lines, _ = asked(str(runs / "once"), str(tmp_path))
    assert f"IAR: over the {len(TASKS) - 1} tasks in which both runs have such calls" in lines
    lines, _ = asked(str(runs / "once"), str(runs / "once"))
    assert "IAR: over" not in "\n".join(lines)


def but_one(task: Task, rng: random.Random) -> Turns:
    """Fly as the reference, and one task not at all."""
    return built_in("noop" if task.id == TASKS[0] else "reference")(task, rng)


def test_models_that_were_set_up_differently_are_told_so(runs: Path, tmp_path: Path) -> None:
    for name, harness in (("one", "none"), ("two", "full")):
        shutil.copytree(runs / "generic", tmp_path / name)
        path = tmp_path / name / CONFIGURATION
        whole = json.loads(path.read_text(encoding="utf-8"))
        settings = {"model": name, "harness": harness, "protocol": "tools", "params": {}}
        path.write_text(json.dumps({**whole, "settings": settings}), encoding="utf-8")
    lines, _ = asked(str(tmp_path / "one"), str(tmp_path / "two"))
    assert "set up differently: harness none, full" in lines
    lines, _ = asked(str(tmp_path / "one"), str(tmp_path / "one"))
    assert not any(line.startswith("set up differently") for line in lines)


def test_equal_runs_pass_the_gate_and_say_so(runs: Path) -> None:
    lines, code = asked(str(runs / "generic"), str(runs / "generic"), "--fail-if-worse")
    assert code == 0
    assert lines[-1] == "gate (SR, SCR; margin 0): passed"
    assert any("no difference beyond noise (SR +0.000" in line for line in lines)


def test_a_worse_run_fails_the_gate_and_a_better_one_does_not(runs: Path) -> None:
    lines, code = asked(str(runs / "reference"), str(runs / "noop"), "--fail-if-worse")
    assert (code, lines[-1]) == (1, "gate (SR, SCR; margin 0): failed, worse in SR")
    assert asked(str(runs / "noop"), str(runs / "reference"), "--fail-if-worse")[1] == 0


def test_metrics_and_margin_of_the_gate_can_be_chosen(runs: Path) -> None:
    pair = str(runs / "reference"), str(runs / "noop")
    assert asked(*pair, "--fail-if-worse", "scr", "unsafe")[1] == 0
    assert asked(*pair, "--fail-if-worse", "SR", "--margin", "1")[1] == 0


def test_an_unknown_metric_names_the_nearest(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        asked(str(runs / "noop"), str(runs / "noop"), "--fail-if-worse", "turn")
    assert "got 'turn'; nearest: turns" in capsys.readouterr().err


@pytest.mark.parametrize("margin", ["-0.1", "nan", "inf", "much"])
def test_a_margin_is_a_number_from_nought(runs: Path, margin: str) -> None:
    with pytest.raises(SystemExit):
        asked(str(runs / "noop"), str(runs / "noop"), "--margin", margin)


def test_the_gate_refuses_to_judge_by_single_episodes(runs: Path) -> None:
    with pytest.raises(RecordError, match=r"to judge SR by, got one episode of a task.*--trials 2"):
        asked(str(runs / "once"), str(runs / "reference"), "--fail-if-worse")
    with pytest.raises(RecordError, match="to judge tokens by, got no such figure in every episode"):
        asked(str(runs / "noop"), str(runs / "noop"), "--fail-if-worse", "tokens")


def test_json_holds_the_comparison_and_what_is_worse(runs: Path) -> None:
    lines, code = asked(str(runs / "reference"), str(runs / "noop"), "--json", "--fail-if-worse")
    found: dict[str, Any] = json.loads("\n".join(lines))
    assert (code, found["worse"], found["tasks"]) == (1, ["SR"], len(TASKS))
    assert found["differences"][0]["difference"] == -1.0
    lines, _ = asked(str(runs / "reference"), str(runs / "noop"), "--json")
    assert json.loads("\n".join(lines))["worse"] is None


def test_a_core_and_a_generated_run_make_a_probe(runs: Path) -> None:
    lines, code = asked(str(runs / "fresh"), str(runs / "reference"))
    assert code == 0
    assert lines[0] == "core: reference (reference); fresh: reference (fresh); 2 templates in both"
    assert [line.split()[0] for line in lines[3:6]] == ["SR", "SCR", "unsafe"]
    assert "core and unseen variants cannot be told apart: SR +0.000" in "\n".join(lines)
    assert max(map(len, lines)) <= 105
    other, _ = asked(str(runs / "noop"), str(runs / "fresh"))
    assert any(line.startswith("warning: the runs do not say that they are of one model") for line in other)


def test_a_probe_has_no_gate_and_needs_both_suites(runs: Path) -> None:
    with pytest.raises(UnknownName, match="over the same tasks, got core and generated"):
        asked(str(runs / "reference"), str(runs / "fresh"), "--fail-if-worse")
    with pytest.raises(RecordError, match="expected a core and a generated run, got core and core"):
        asked(str(runs / "reference"), str(runs / "noop"), "--suite-probe")


def test_a_run_over_fewer_tasks_is_compared_on_request(runs: Path) -> None:
    with pytest.raises(RecordError, match="--common-tasks"):
        asked(str(runs / "reference"), str(runs / "few"))
    lines, _ = asked(str(runs / "reference"), str(runs / "few"), "--common-tasks")
    assert lines[:3] == ["a: reference, 8 episodes", "b: noop, 8 episodes", "4 tasks"]


def test_a_stopped_run_with_errors_is_shown_as_such_on_request(runs: Path, tmp_path: Path) -> None:
    run(Plan("noop", TASKS, trials=2), tmp_path / "stopped")
    path = tmp_path / "stopped" / FILE
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    note = {"task": TASKS[-1], "trial": 1, "error": "timeout"}
    (tmp_path / "stopped" / "errors.jsonl").write_text(json.dumps(note) + "\n")
    pair = str(runs / "reference"), str(tmp_path / "stopped")
    with pytest.raises(RecordError, match=r"1 attempts ended in an infrastructure error.*--allow-partial"):
        asked(*pair)
    lines, _ = asked(*pair, "--allow-partial")
    assert lines[1] == f"b: noop, {2 * len(TASKS) - 1} episodes, 1 missing, 1 infrastructure errors"


@pytest.mark.parametrize(("name", "second"), [("compare", "generic"), ("probe", "fresh")])
def test_the_resampling_takes_the_seed(
    runs: Path, monkeypatch: pytest.MonkeyPatch, name: str, second: str
) -> None:
    asked_for: Callable[..., Any] = getattr(command, name)
    seeds: list[int] = []

    def noted(a: Run, b: Run, seed: int = 0, **options: bool) -> Any:
        seeds.append(seed)
        return asked_for(a, b, seed, **options)

    monkeypatch.setattr(command, name, noted)
    asked(str(runs / "reference"), str(runs / second), "--seed", "7")
    assert seeds == [7]


# Each figure in its place: no two of a line are equal.


def spaced(line: str) -> str:
    return " ".join(line.split())


@pytest.mark.parametrize(
    ("difference", "line"),
    [
        (
            Difference("SR", 3, 0.1, 0.4, 0.3, Interval(0.05, 0.55), Interval(-0.1, 0.7), 0.2),
            "SR 0.100 0.400 +0.300* +0.050 to +0.550 -0.100 to +0.700 0.200",
        ),
        (Difference("turns", 3, 10.0, 12.5, 2.5, None, None, 3.0), "turns 10.0 12.5 +2.5 - - 3.0"),
        (Difference("tokens", 0, None, None, None, None, None, None), "tokens - - -"),
    ],
)
def test_a_metric_has_both_values_their_difference_and_both_intervals(
    difference: Difference, line: str
) -> None:
    assert spaced(command._row(difference)) == line


def test_a_flip_has_its_shares_before_and_after() -> None:
    flip = Flip("a/t/one", "lost", 0.75, 0.25, 0.9, 0.6)
    assert spaced(command._flip_row(flip)) == "lost 0.75 -> 0.25 0.90 -> 0.60 0.10 -> 0.40 a/t/one"


def test_flips_are_counted_beside_those_of_chance() -> None:
    flips = tuple(Flip(f"a/t/{n}", "turned unsafe", 0.0, 0.0, 1.0, 0.0) for n in range(3))
    compared = Comparison("a", "b", 10, (20, 30), (0, 0), (0, 0), (), flips, (0.2, 0.05), "")
    assert list(command._flip_lines(compared))[:2] == [
        "tasks that flipped: 0 lost, 0 gained, 3 turned unsafe, 0 turned safe",
        "by chance alone: 2.0 lost or gained, 0.5 turned unsafe or safe",
    ]


def test_a_gap_has_both_values_their_difference_and_both_intervals() -> None:
    gap = Gap("SR", 0.6, 0.4, 0.2, Interval(0.1, 0.3), Interval(-0.05, 0.45))
    assert spaced(command._gap_row(gap)) == "SR 0.600 0.400 +0.200 +0.100 to +0.300 -0.050 to +0.450"


def test_a_template_has_its_tasks_and_scores_of_both_kinds() -> None:
    row = command._template_row(TemplateGap("a/t", (4, 3), (0.6, 0.4), (0.9, 0.7), (0.1, 0.3)))
    assert spaced(row) == "a/t 4 / 3 0.600 / 0.400 0.900 / 0.700 0.100 / 0.300"
