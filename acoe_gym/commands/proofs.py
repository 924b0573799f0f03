"""The command ``acoe prove``: what search shows of tasks and templates."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.action_list import ActionList, best_list, best_list_over_all
from acoe_gym.cockpit.exploration import MAX_STATES
from acoe_gym.cockpit.proof import Proof, prove
from acoe_gym.commands.arguments import default_templates, positive


def add_prove_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "scope", nargs="*", metavar="TASK|TEMPLATE", help="what to search; without one all core tasks"
    )
    parser.add_argument(
        "--states", type=positive, default=MAX_STATES, metavar="N",
        help=f"search no further after so many states (default {MAX_STATES:,})",
    )  # fmt: skip
    parser.add_argument(
        "--action-list", action="store_true",
        help="search the one list of writes that solves most tasks of each template instead, without a "
        "scope of all templates too",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON, one object per line")


def results(args: argparse.Namespace) -> Iterator[Proof | ActionList]:
    """Yield a proof per task, or with ``--action-list`` the best list per template, as they are found.

    Without a scope the best list over all templates comes last.
    """
    scope = args.scope or default_templates(args.specs)
    if not args.action_list:
        yield from _proofs(scope, args.states)
        return
    lists = []
    for template_id in _templates(scope):
        lists.append(best_list(template_id))
        yield lists[-1]
    if not args.scope:
        yield best_list_over_all(lists)


def _templates(scope: Sequence[str]) -> tuple[str, ...]:
    known = library.template_ids()
    found = (name if name in known else task_of(name).program.template.id for name in scope)
    return tuple(dict.fromkeys(found))


def _proofs(scope: Sequence[str], limit: int) -> Iterator[Proof]:
    known = library.template_ids()
    named = [library.task_ids(name) if name in known else (task_of(name).id,) for name in scope]
    for task_id in dict.fromkeys(task_id for names in named for task_id in names):
        yield prove(task_of(task_id), limit)
