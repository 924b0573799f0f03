"""Runs on disk with known scores: every episode is flown by hand or by the reference.

And a run in memory, ``made_up``, no two of whose figures are equal: none can stand in the place of another.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.failures import FailureMode
from acoe_gym.benchmark.policies import policy
from acoe_gym.benchmark.records import FILE, RECORD_VERSION, append, record_of
from acoe_gym.benchmark.report.data import Report
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.benchmark.runner import play_policy
from acoe_gym.benchmark.runs import Run
from acoe_gym.benchmark.suites import task_of
from acoe_gym.benchmark.tokens import TokenUse
from acoe_gym.cockpit.episode import Episode, play
from acoe_gym.cockpit.metrics import Broken, Interval, Row, Score, Share, Summary

TASKS = ("c172s/engine_restart/stopped_prop_left_tank", "c172s/engine_restart/windmilling_magnetos_off")
SUBMIT: tuple[object, object] = ("submit", {})
# What an episode comes to -> its turns. The pump is OFF, so that write does nothing.
FLOWN: dict[str, list[list[tuple[object, object]]]] = {
    "idle": [
        [("set_system", {"component": "fuel_pump", "value": "OFF"})],
        [("set_system", {"component": "target_airspeed", "value": 68}), ("get_system", {"component": "rpm"})],
        [SUBMIT],
    ],
    "unsafe": [
        [("set_system", {"component": "fuel_pump", "value": "OFF"})],
        [("set_system", {"component": "master_bat", "value": "OFF"})],
        [SUBMIT],
    ],
    "silent": [[SUBMIT]],
}
WriteRun = Callable[..., Path]
SUMMARY = Summary(
    tasks=2, episodes=6,
    sr=Score(0.2, Interval(0.11, 0.31), Interval(0.05, 0.45)),
    sgo=Score(0.3, Interval(0.22, 0.41), None),
    scr=Score(0.9, None, Interval(0.81, 0.97)),
    iar=Share(0.15, 0.16), without_writes=4, tool_selection=Share(0.75, 0.76), turns=8.0, calls=20.0,
    pass_k=(0.2, 0.19, 0.18, 0.17, 0.14, 0.13), mixed=0.667, constraints=(Broken("a/t:hot", 7, 5),),
    templates=(Row("a/t", 6, 0.21, 0.32, 0.83),), rows=(Row("a/t/one", 6, 0.24, 0.35, 0.86),),
)  # fmt: skip
COST = TokenUse(6, 5, 4900.0, 100.0, 40.0, 5000.0, 0.0025, 0.015, 0)
MODES = {
    ("a/t/one", 2): FailureMode("missing_critical_step", "never", ()),
    ("a/t/one", 3): FailureMode("state_gating", "against", ()),
    ("a/t/two", 1): FailureMode("missing_critical_step", "never again", ()),
}
USAGE = {"prompt": 1000, "completion": 50, "cached": 10, "total": 1055}
CHANGED = {
    "turns": 5, "calls": 11, "writes": 9, "ineffective_writes": 2, "violating_writes": 3, "usage": USAGE,
}  # fmt: skip


def flown(task_id: str, kind: str) -> Episode:
    """Return an ended episode: one of `FLOWN`, ``solved`` by the reference, or with a goal ``lost`` again."""
    task = task_of(task_id)
    if kind == "lost":
        solved = play_policy(policy("reference"), task, random.Random(0))
        calls = [(call.tool, json.loads(call.arguments)) for call in solved.log[:-1]]
        spoilt: tuple[object, object] = ("set_system", {"component": "fuel_selector", "value": "LEFT"})
        return play(task, [*([call] for call in calls), [spoilt], [SUBMIT]])
    if kind == "solved":
        return play_policy(policy("reference"), task, random.Random(0))
    return play(task, FLOWN[kind])


@pytest.fixture
def write_run(tmp_path: Path) -> WriteRun:
    """Return a function that writes a run's folder and returns it.

    It takes a name, what the trials of each task come to (None leaves an episode out; without a second list
    the run is of the first task alone), what ``about`` says, a model's settings and changes to each record.
    """

    def write(
        name: str,
        first: list[str | None],
        second: list[str | None] | None = None,
        *,
        about: Mapping[str, Any] | None = None,
        settings: Mapping[str, str] | None = None,
        errors: int = 0,
        change: Callable[[dict[str, Any]], None] | None = None,
    ) -> Path:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        flights = dict(zip(TASKS, [first] if second is None else [first, second], strict=False))
        configuration = {
            "record_version": RECORD_VERSION,
            "policy": "hand",
            "suite": "core",
            "tasks": list(flights),
            "trials": len(first),
            "seed": 0,
            "about": {"label": name, **(about or {})},
            **({} if settings is None else {"settings": settings}),
        }
        (folder / "run.json").write_text(json.dumps(configuration), encoding="utf-8")
        for task_id, kinds in flights.items():
            for trial, kind in enumerate(kinds):
                if kind is not None:
                    episode = flown(task_id, kind)
                    record = record_of(episode, trial=trial, policy="hand", policy_seed=0, suite="core")
                    if change is not None:
                        change(record)
                    append(folder / FILE, record)
        line = json.dumps({"task": TASKS[0], "trial": 0, "error": "HTTP 529: overloaded"})
        if errors:
            (folder / "errors.jsonl").write_text(f"{line}\n" * errors, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def say() -> Callable[..., Callable[[dict[str, Any]], None]]:
    """Return a function that makes a change which gives each turn of a record a text and tokens."""

    def saying(text: str, prompt: int = 100, completion: int = 20) -> Callable[[dict[str, Any]], None]:
        def change(record: dict[str, Any]) -> None:
            usage = {"prompt": prompt, "completion": completion, "cached": 0, "total": prompt + completion}
            turn = {"text": text, "finish": "stop", "usage": usage, "notes": ["no_call"], "harness_calls": []}
            turns = [dict(turn) for _ in record["turns"]]
            record["pilot"] = {"model": "m", "harness": "none", "protocol": "tools", "turns": turns}

        return change

    return saying


@pytest.fixture
def three(write_run: WriteRun) -> list[Path]:
    """Return three whole runs: SR 0.75, SCR 0.75; SR 0, SCR 1, IAR 0.5; SR 0.25, SCR 0.5."""
    return [
        write_run("Alpha", ["solved", "solved"], ["solved", "unsafe"], about={"open_weights": False}),
        write_run("Beta", ["idle", "idle"], ["idle", "idle"], about={"open_weights": False}),
        write_run(
            "Gamma",
            ["solved", "unsafe"],
            ["unsafe", "silent"],
            about={"open_weights": True, "parameters": "744B/40B"},
        ),
    ]


@pytest.fixture
def made_up(made: Callable[..., Run]) -> Callable[..., ShownRun]:
    """Return a function that makes a run of two tasks: 2 of 4 solved and 1 unsafe, 0 of 2 and 1 unsafe."""

    def make(missing: Sequence[tuple[str, int]] = ()) -> ShownRun:
        run = made(
            {"a/t/one": "SSFU", "a/t/two": "FUS" if missing else "FU"},
            "Made",
            {("a/t/two", 1): CHANGED},
            missing=missing,
            errors=3,
            about={"price_in": 1, "price_out": 20},
        )
        run = replace(run, seconds={("a/t/two", 1): 7.5})
        first, *rest = run.results()
        results = (replace(first, end="truncated"), *rest)
        return ShownRun("Made", run, results, SUMMARY, COST, MODES, all_tasks=2)

    return make


@pytest.fixture
def made_report(made_up: Callable[..., ShownRun]) -> Report:
    """Return a report of the made-up run alone."""
    return Report("Made", (made_up(),), ("a/t/one", "a/t/two"), ())
