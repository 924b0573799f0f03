"""Runs on disk with known scores: every episode is flown by hand or by the reference."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.policies import policy
from acoe_gym.benchmark.records import FILE, RECORD_VERSION, append, record_of
from acoe_gym.benchmark.runner import play_policy
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.episode import Episode, play

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

    It takes a name, what the trials of each task come to (None leaves an episode out), what ``about`` says
    and changes to each record.
    """

    def write(
        name: str,
        first: list[str | None],
        second: list[str | None],
        *,
        about: Mapping[str, Any] | None = None,
        errors: int = 0,
        change: Callable[[dict[str, Any]], None] | None = None,
    ) -> Path:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        configuration = {
            "record_version": RECORD_VERSION,
            "policy": "hand",
            "suite": "core",
            "tasks": list(TASKS),
            "trials": len(first),
            "seed": 0,
            "about": {"label": name, **(about or {})},
        }
        (folder / "run.json").write_text(json.dumps(configuration), encoding="utf-8")
        for task_id, kinds in zip(TASKS, (first, second), strict=True):
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
