"""The commands for authors of tasks: ``acoe explain``, ``acoe new``, ``acoe tasks``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from acoe_gym.benchmark.suites import task_of
from acoe_gym.commands.explain import explain_page
from acoe_gym.commands.new import create
from acoe_gym.commands.proof_file import search
from acoe_gym.commands.tasks_page import tasks_page


@dataclass(frozen=True)
class Command:
    """A command that prints lines.

    Attributes:
        options: adds its options to a parser.
        lines: yields what it prints.
    """

    name: str
    about: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    lines: Callable[[argparse.Namespace], Iterator[str]]


def _explain_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", help="id of a core task, or TEMPLATE/generated/SEED")


def _explain(args: argparse.Namespace) -> Iterator[str]:
    yield explain_page(task_of(args.task))


def _new_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("template", metavar="AIRCRAFT/TEMPLATE", help="names such as balloon/relight")
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="the folder that holds the aircraft's folder; by default that of the aircraft, or this one",
    )  # fmt: skip


def _new(args: argparse.Namespace) -> Iterator[str]:
    yield from (f"wrote {path}" for path in create(args.template, args.out))


def _tasks_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--format", choices=("markdown",), help="print the page")
    group.add_argument("--search", action="store_true", help="prove the tasks that changed")


def _tasks(args: argparse.Namespace) -> Iterator[str]:
    if args.search:
        yield from search()
    else:
        yield tasks_page().rstrip("\n")


AUTHORING = (
    Command(
        "explain",
        "explain how a task is graded, its reference step by step, and what tells it from others",
        "acoe explain c172s/engine_restart/engine_pump_failed",
        _explain_options,
        _explain,
    ),
    Command(
        "new",
        "write the skeleton of a template, and of its aircraft if that is new; nothing is overwritten",
        "acoe new balloon/relight --out my_specs",
        _new_options,
        _new,
    ),
    Command(
        "tasks",
        "print the page of all core tasks with their answers, or prove what it tells",
        "acoe tasks --format markdown > docs/tasks.md",
        _tasks_options,
        _tasks,
    ),
)
