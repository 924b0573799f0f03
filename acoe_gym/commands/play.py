"""The command ``acoe play``: a person flies one task in the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from acoe_gym.benchmark.suites import SUITES, task_of
from acoe_gym.cockpit.task import Task
from acoe_gym.commands.arguments import default_templates
from acoe_gym.errors import AcoeError, MissingExtra, UnknownName
from acoe_gym.play import choices, plain
from acoe_gym.play.saving import check, free_folder

if TYPE_CHECKING:
    from types import ModuleType


def add_play_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``acoe play``."""
    parser.add_argument(
        "task", nargs="?", metavar="TASK",
        help="id of a core task, or TEMPLATE/generated/SEED; without one you choose from numbers",
    )  # fmt: skip
    parser.add_argument("--template", metavar="ID", help="choose or draw from this template alone")
    parser.add_argument("--suite", choices=SUITES, default="core", help="generated: a variant of --template")
    parser.add_argument("--random", action="store_true", help="draw the task")
    parser.add_argument(
        "--seed",
        type=int,
        metavar="S",
        help="what to draw with; with --suite generated the variant, default 0",
    )
    parser.add_argument(
        "--spoilers", action="store_true", help="show task ids to choose from: they tell much"
    )
    parser.add_argument("--plain", action="store_true", help="one command a line: for pipes, screen readers")
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="add the record to this folder; by default to the first free one of runs/human-1, human-2, ...",
    )  # fmt: skip


def play_command(args: argparse.Namespace) -> int:
    """Play one task.

    Args:
        args: as `add_play_options` reads them.

    Returns:
        0 if an episode was graded and recorded, 1 if the person left before.

    Raises:
        UnknownName: a task or template that does not exist, or options that do not go together.
        RecordError: the folder holds another run, or this task already, or cannot be written.
        MissingExtra: Textual is not installed, and ``--plain`` was not asked for.
    """
    task = _named(args)
    folder = args.out or free_folder()
    if task is not None:
        check(folder, task.id)
    if args.plain:
        return _plain(args, task, folder)
    return _panel(args, task, folder)


def _named(args: argparse.Namespace) -> Task | None:
    """Return the task that the options name or draw; None to ask for it."""
    if args.task is not None:
        if args.random or args.template or args.suite != "core":
            raise UnknownName("expected TASK, or --template, --suite and --random, got both")
        return task_of(args.task)
    if args.suite == "generated":
        seed = choices.random_seed() if args.random and args.seed is None else args.seed or 0
        return choices.generated(args.template, seed)
    if args.random:
        return choices.drawn(_templates(args), choices.random_seed() if args.seed is None else args.seed)
    return None


def _templates(args: argparse.Namespace) -> tuple[str, ...]:
    return (args.template,) if args.template else default_templates(args.specs)


def _plain(args: argparse.Namespace, task: Task | None, folder: Path) -> int:
    if task is None:
        found = choices.procedures(_templates(args))
        task_id = plain.choose(found, sys.stdin, sys.stdout, spoilers=args.spoilers)
        if task_id is None:
            return 1
        task = task_of(task_id)
        check(folder, task.id)
    return plain.play_lines(task, folder, sys.stdin, sys.stdout)


def _panel(args: argparse.Namespace, task: Task | None, folder: Path) -> int:
    app = _app_module().PlayApp(
        task, folder, procedures=choices.procedures(_templates(args)), spoilers=args.spoilers
    )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise AcoeError("expected a terminal for the panel, got a pipe; --plain works there")
    said = app.run()
    plain.say(sys.stdout, said or "left before submit: nothing was recorded")
    return 0 if said else 1


def _app_module() -> ModuleType:
    try:
        from acoe_gym.play import app  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtra(
            f'{error}; install it with: pip install "acoe_gym[play]", or add --plain, which needs nothing'
        ) from None
    return app
