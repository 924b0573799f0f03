"""The commands ``acoe retry`` and ``acoe regrade``: finish a run, or judge an old one anew."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.models import KEPT_OUT, Model
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import POLICIES
from acoe_gym.benchmark.progress import Ticker
from acoe_gym.benchmark.records import FILE, Record, append, record_of
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.runs import Run, read_run
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.episode import play
from acoe_gym.commands.arguments import UsageError, positive
from acoe_gym.commands.run import add_budget_options, prices_of, refusal
from acoe_gym.errors import RecordError
from acoe_gym.wrappers.llm.chat import protocol


def add_retry_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``acoe retry``."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument(
        "--base-url",
        metavar="URL",
        help="the endpoint's whole address, where it held a user or a query: no run keeps those",
    )
    parser.add_argument("--concurrency", type=positive, default=protocol()["concurrency"], metavar="N")
    add_budget_options(parser)


def retry_command(args: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Fly the missing episodes of a run and return the exit code: 1 if some are still missing."""
    found = read_run(args.run)
    if not found.missing:
        say(f"{args.run}: all {len(found.records)} episodes are there")
        return 0
    plan, how = _flown_by(found, args)
    if args.max_cost is not None and prices_of(found.about) is None:
        raise UsageError(f"{args.run}: --max-cost needs a run that was begun with --price-in and --price-out")
    records = run(plan, args.run, **how)
    missing = len(plan.episodes()) - len(records)
    planned, flown = len(plan.episodes()), len(records) - len(found.records)
    done = f"{args.run}: flew {flown}, {len(records)} of {planned} are there"
    say(refusal(missing, planned, args.run, how["progress"].stop(), some=False) if missing else done)
    return 1 if missing else 0


def _flown_by(found: Run, args: argparse.Namespace) -> tuple[Plan, dict[str, Any]]:
    """Return the plan of a run, and how `acoe_gym.benchmark.runner.run` flies it."""
    c = found.configuration
    settings = c.get("settings")
    if settings is None:
        if c["policy"] not in POLICIES:
            raise UsageError(
                f"{args.run}: expected a model's run or a built-in policy's, got {c['policy']!r}"
            )
        return Plan(c["policy"], tuple(c["tasks"]), c["trials"], c["seed"], c["suite"]), {
            "progress": Ticker()
        }
    if KEPT_OUT in (settings.get("base_url") or "") and args.base_url is None:
        raise UsageError(
            f"{args.run}: a part of the address {settings['base_url']} is not kept; give it with --base-url"
        )
    known = {key: value for key, value in settings.items() if key != "llm_protocol"}
    model = _model(args.run, {**known, "base_url": args.base_url or settings.get("base_url")})
    policy = model.policy()
    how = {
        "flight": model.flight(lambda task: policy),  # noqa: ARG005
        "threads": args.concurrency,
        "attempts": protocol()["attempts_per_episode"],
        "progress": Ticker(args.max_tokens, args.max_cost, prices_of(found.about)),
    }
    return model.plan(c["tasks"], c["trials"], c["suite"], c["seed"]), how


def _model(folder: Path, settings: dict[str, Any]) -> Model:
    try:
        return Model(**{**settings, "echo": tuple(settings["echo"])})
    except (KeyError, TypeError) as error:
        raise RecordError(f"{folder}: expected the settings of a model, got {error}") from None


def add_regrade_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``acoe regrade``."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the run as judged now to a new folder")


def regrade_lines(args: argparse.Namespace) -> Iterator[str]:
    """Play the calls of old records on the tasks as they stand, and yield which grades changed.

    A model would have seen other replies where a task changed; what it would have done then is not known.
    """
    found = read_run(args.run)
    graded = [(old, regraded(old)) for old in found.records]
    if args.out is not None:
        _write(args.out, found, [new for _, new in graded])
    changed = [(old, new) for old, new in graded if old["grade"] != new["grade"]]
    replies = sum(old["turns"] != new["turns"] for old, new in graded)
    differ = f"{len(changed)} with another grade, {replies} with other replies"
    yield f"{args.run}: {len(graded)} episodes, {differ}"
    for old, new in changed:
        yield f"  {old['task']} trial {old['trial']}: {_said(old)} -> {_said(new)}"
    if args.out is not None:
        yield f"wrote {args.out}"


def _said(record: Record) -> str:
    grade = record["grade"]
    missed = ", ".join(grade["goals_missed"]) or "none"
    return f"success {grade['success']:g}, safe {grade['safe']:g}, missed {missed}"


def regraded(record: Record) -> Record:
    """Return a record as the present package makes it of the same calls.

    Raises:
        RecordError: the calls do not end the episode.
    """
    turns = [[(call["name"], call["arguments"]) for call in turn] for turn in record["turns"]]
    episode = play(task_of(record["task"]), turns)
    if episode.end is None:
        raise RecordError(
            f"{record['task']} trial {record['trial']}: the recorded turns do not end the episode"
        )
    pilot = record.get("pilot")
    if pilot is not None:  # the episode may end earlier now
        pilot = {**pilot, "turns": pilot["turns"][: len(episode.turns)]}
    return record_of(
        episode,
        trial=record["trial"],
        policy=record["policy"],
        policy_seed=record["policy_seed"],
        suite=record["suite"],
        pilot=pilot,
    )


def _write(out: Path, found: Run, records: list[Record]) -> None:
    """Write a run whose records were judged anew."""
    c = found.configuration
    plan = Plan(c["policy"], tuple(c["tasks"]), c["trials"], c["seed"], c["suite"], c.get("settings", {}))
    if (out / FILE).exists():
        raise RecordError(f"{out}: expected a new folder, found {FILE} in it")
    run(plan, out, flight=_none, attempts=0, about={**found.about, "regraded": True})
    for record in records:
        append(out / FILE, record)


def _none(task: object, trial: int) -> Any:
    raise AssertionError((task, trial))
