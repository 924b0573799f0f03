from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acoe_gym.benchmark.records import FILE, read_records
from acoe_gym.cockpit import library
from acoe_gym.commands import play as play_of
from acoe_gym.commands.play import add_play_options, play_command
from acoe_gym.errors import AcoeError, MissingExtra, RecordError, UnknownName
from acoe_gym.play import plain

TEMPLATE = "c172s/engine_restart"
TASK = library.task_ids(TEMPLATE)[0]


def command(monkeypatch: pytest.MonkeyPatch, *argv: str, typed: str = "") -> int:
    parser = argparse.ArgumentParser()
    add_play_options(parser)
    parser.set_defaults(specs=[])
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return play_command(parser.parse_args(argv))


def played(folder: Path) -> str:
    (record,), _ = read_records(folder / FILE)
    return str(record["task"])


@pytest.mark.parametrize(
    ("options", "typed", "task"),
    [
        ((TASK,), "submit\n", TASK),
        (("--template", TEMPLATE), "2\nsubmit\n", library.task_ids(TEMPLATE)[1]),
        (("--suite", "generated", "--template", TEMPLATE), "submit\n", f"{TEMPLATE}/generated/0"),
        (
            ("--suite", "generated", "--template", TEMPLATE, "--seed", "7"),
            "submit\n",
            f"{TEMPLATE}/generated/7",
        ),
        (
            ("--suite", "generated", "--template", TEMPLATE, "--random", "--seed", "7"),
            "submit\n",
            f"{TEMPLATE}/generated/7",
        ),
    ],
)
def test_a_task_is_played_in_lines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: tuple[str, ...], typed: str, task: str
) -> None:
    assert command(monkeypatch, *options, "--plain", "--out", str(tmp_path / "run"), typed=typed) == 0
    assert played(tmp_path / "run") == task


def test_a_random_task_is_repeated_by_its_seed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("a", "b"):
        options = ("--random", "--seed", "3", "--plain", "--out", str(tmp_path / name))
        assert command(monkeypatch, *options, typed="submit\n") == 0
    assert played(tmp_path / "a") == played(tmp_path / "b")


def test_without_a_folder_the_first_free_number_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert command(monkeypatch, TASK, "--plain", typed="submit\n") == 0
    assert [p.name for p in sorted((tmp_path / "runs").iterdir())] == ["human-1", "human-2"]


def test_leaving_is_no_success(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert command(monkeypatch, TASK, "--plain", "--out", str(tmp_path / "run"), typed="quit\nyes\n") == 1
    assert command(monkeypatch, "--plain", "--out", str(tmp_path / "run"), typed="quit\n") == 1


def test_a_task_that_the_folder_holds_is_refused_before_it_is_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (TASK, "--plain", "--out", str(tmp_path))
    command(monkeypatch, *options, typed="submit\n")
    capsys.readouterr()
    with pytest.raises(RecordError, match="holds"):
        command(monkeypatch, *options, typed="submit\n")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("shown", [True, False])
def test_task_ids_are_shown_on_request_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shown: bool
) -> None:
    options = ("--template", TEMPLATE, "--plain", *(["--spoilers"] if shown else []))
    command(monkeypatch, *options, typed="quit\n")
    assert (TASK.rpartition("/")[2] in capsys.readouterr().out) is shown


def test_a_task_that_was_chosen_by_its_number_is_refused_before_it_is_played_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = ("--template", TEMPLATE, "--plain", "--out", str(tmp_path))
    command(monkeypatch, *options, typed="1\nsubmit\n")
    monkeypatch.setattr(plain, "play_lines", lambda *_: pytest.fail("it was played"))
    with pytest.raises(RecordError, match="holds"):
        command(monkeypatch, *options, typed="1\n")


@pytest.mark.parametrize(
    "options",
    [(TASK, "--random"), (TASK, "--template", TEMPLATE), ("--suite", "generated"), ("c172s/none",)],
)
def test_options_that_do_not_go_together_are_told(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    with pytest.raises(UnknownName, match="expected"):
        command(monkeypatch, *options, "--plain")


def test_without_textual_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    for name in [name for name in sys.modules if name.startswith(("textual.", "acoe_gym.play.app"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("acoe_gym.play.app", raising=False)
    with pytest.raises(MissingExtra, match=r'pip install "acoe_gym\[play\]", or add --plain'):
        command(monkeypatch, TASK)


def test_the_line_interface_loads_no_extra(fresh_process: Callable[[str], str]) -> None:
    code = """
import sys
import acoe_gym.commands.play
print([name for name in ("textual", "rich") if name in sys.modules])
"""
    assert fresh_process(code) == "[]\n"


def test_the_panel_wants_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("textual")
    with pytest.raises(AcoeError, match="expected a terminal"):
        command(monkeypatch, TASK)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("said", "code"), [("recorded", 0), (None, 1)])
def test_the_panel_shows_spoilers_on_request_and_tells_whether_it_was_played_to_the_end(
    monkeypatch: pytest.MonkeyPatch, said: str | None, code: int
) -> None:
    asked: list[dict[str, Any]] = []

    class App:
        def __init__(self, *_: object, **options: object) -> None:
            asked.append(options)

        def run(self) -> str | None:
            return said

    monkeypatch.setattr(play_of, "_app_module", lambda: SimpleNamespace(PlayApp=App))
    monkeypatch.setattr(sys, "stdin", Screen())
    monkeypatch.setattr(sys, "stdout", Screen())
    parser = argparse.ArgumentParser()
    add_play_options(parser)
    parser.set_defaults(specs=[])
    assert play_command(parser.parse_args(["--spoilers"])) == code
    assert asked[0]["spoilers"] is True
