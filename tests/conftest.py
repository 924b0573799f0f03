"""What most tests share: the pump world, a player of references, a pilot for hand-flown episodes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import acoe_gym
from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Call
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.procedure import follow
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.task import Task, build_task
from acoe_gym.cockpit.templates import load_template
from acoe_gym.cockpit.world import load_world

settings.register_profile("acoe", deadline=None, derandomize=True)
settings.load_profile("acoe")

WORLDS = Path(__file__).parent / "worlds"
ROOT = Path(acoe_gym.__file__).parents[1]


class Pilot:
    """Flies an episode by hand, one call a turn, without a budget unless one is given."""

    def __init__(self, task: Task, max_turns: int = 10_000) -> None:
        self.episode = Episode(task, max_turns)

    def set(self, **values: object) -> list[Call]:
        """Write controls in the given order and return the calls."""
        return [self.call("set_system", component=name, value=value) for name, value in values.items()]

    def read(self, component: str) -> Any:
        """Return what a component shows, None when it is dark."""
        return json.loads(self.call("get_system", component=component).reply)["value"]

    def call(self, tool: str, **arguments: object) -> Call:
        """Make any call."""
        return self.episode.one(tool, arguments)

    def error(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Make a call that must be rejected without a change, and return the error."""
        before = list(self.episode.state)
        reply = json.loads(self.call(tool, **arguments).reply)
        assert reply["ok"] is False
        assert self.episode.state == before
        return dict(reply["error"])

    def true(self, name: str) -> Any:
        """Return the stored value of a variable, hidden ones included."""
        return self.episode.state[self.episode.task.program.slots[name]]

    @property
    def violated(self) -> list[tuple[str, str]]:
        """Every (constraint, component) so far."""
        return [(v.constraint, v.component) for v in self.episode.violation_list()]


@pytest.fixture(scope="session")
def fly() -> Callable[[str], Pilot]:
    """Return a function that puts a pilot into a task."""
    return lambda task_id: Pilot(library.task(task_id))


@pytest.fixture(scope="session")
def solve() -> Callable[..., Episode]:
    """Return a function that plays a task's procedure; ``whole=True`` writes every step of the list."""

    def play(task: Task, *, whole: bool = False) -> Episode:
        episode = Episode(task)
        turns = follow(task, whole=whole)
        calls = next(turns)
        while True:
            replies = [json.loads(call.reply) for call in episode.turn(calls)]
            if episode.end is not None:
                return episode
            calls = turns.send(replies)

    return play


@pytest.fixture(scope="module")
def pump() -> Iterator[Path]:
    """Make the pump station available."""
    library.add_root(WORLDS)
    yield WORLDS / "pump"
    library.remove_root(WORLDS)


@pytest.fixture
def pump_with(tmp_path: Path) -> Callable[..., Task]:
    """Return a function that loads the pump's first task from files in which some texts were replaced."""
    folder = tmp_path / "pump"

    def load(*changes: tuple[str, str]) -> Task:
        shutil.copytree(WORLDS / "pump", folder)
        for old, new in changes:
            _replace(folder, old, new)
        template = load_template(folder / "priming.toml", load_world(folder / "world.toml"))
        return build_task(Program(template), next(iter(template.tasks.values())))

    return load


def _replace(folder: Path, old: str, new: str) -> None:
    """Replace a text that stands in the folder exactly once; no file but one may hold it."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.toml"))}
    (path,) = [path for path, text in texts.items() if old in text]
    assert texts[path].count(old) == 1, f"{old!r} stands there more than once"
    path.write_text(texts[path].replace(old, new), encoding="utf-8")


@pytest.fixture(scope="session")
def fresh_process() -> Callable[[str], str]:
    """Return a function that runs code in a new interpreter, warnings as errors, and returns its output."""

    def run(code: str) -> str:
        process = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=ROOT,
            env=dict(os.environ),
            check=False,
            capture_output=True,
            text=True,
        )
        assert (process.returncode, process.stderr) == (0, "")
        return process.stdout

    return run
