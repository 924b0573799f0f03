"""The runner: one policy over some tasks; its records survive a stop, and a restart repeats none of them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.folder import opened
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import Policy
from acoe_gym.benchmark.policies import policy as built_in
from acoe_gym.benchmark.progress import Progress, Silent
from acoe_gym.benchmark.records import (
    FILE,
    Record,
    append,
    append_line,
    record_of,
)
from acoe_gym.benchmark.runs import ERRORS, TIMINGS, known_tokens, side_lines
from acoe_gym.benchmark.suites import task_of
from acoe_gym.benchmark.workers import Done, work
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import InfrastructureError

# A run is given up when so many episodes in a row were ended by the infrastructure.
MOST_ERRORS_IN_A_ROW = 10


@dataclass(frozen=True)
class Flown:
    """An ended episode, with what a record keeps of its pilot; see `acoe_gym.benchmark.runs`."""

    episode: Episode
    pilot: Mapping[str, Any] | None = None


# Flies one episode; InfrastructureError where that could not be done.
Flight = Callable[[Task, int], Flown]


def run(
    plan: Plan,
    out: Path | None = None,
    *,
    pilot: Policy | None = None,
    flight: Flight | None = None,
    threads: int = 1,
    attempts: int = 1,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> list[Record]:
    """Fly a plan and return its records, those found in ``out`` included.

    Args:
        plan: what to fly.
        out: folder of the run; a run of the same plan that was stopped there is continued, and its finished
            episodes are kept. None writes nothing.
        pilot: the function that flies under the plan's policy name; the built-in one of that name by default.
        flight: flies an episode instead of a pilot; it may raise InfrastructureError.
        threads: episodes under way at once.
        attempts: how often an episode that the infrastructure ends is flown.
        about: what tables say of the run; it may change between two starts.
        progress: is told of every episode, and may stop the run.

    Returns:
        The records in the order of the plan. Episodes that the infrastructure ended are not among them: they
        stand in ``errors.jsonl``, and the same call flies them again.

    Raises:
        UnknownName: a task or policy that does not exist.
        RecordError: the folder holds another run, a line of it is broken, or a record cannot be written.
        InfrastructureError: every further episode would fail alike.
    """
    fly = flight or _piloted(plan, pilot or built_in(plan.policy))
    watch = progress or Silent()
    with opened(out, plan, about or {}) as done:
        try:
            for attempt in range(attempts):
                missing = [episode for episode in plan.episodes() if episode not in done]
                if not missing:
                    break
                errors = list(side_lines(out / ERRORS)) if out is not None else []
                watch.start(plan, list(done.values()), errors, again=attempt > 0)
                _fly_all(plan, missing, fly, out, done, watch, threads)
        finally:
            watch.end()
    return [done[episode] for episode in plan.episodes() if episode in done]


def _fly_all(
    plan: Plan,
    missing: list[tuple[str, int]],
    fly: Flight,
    out: Path | None,
    done: dict[tuple[str, int], Record],
    watch: Progress,
    threads: int,
) -> None:
    in_a_row = 0
    # What ends the run; the episodes under way then are finished and kept all the same.
    ends: list[BaseException] = []
    for finished in work(missing, lambda job: _timed(fly, *job), threads, lambda: bool(ends or watch.stop())):
        if finished.error is not None:
            in_a_row += 1
            ends.extend(_note_error(finished, out, watch, in_a_row))
            continue
        in_a_row = 0
        record, seconds = _recorded(plan, finished)
        if out is not None:
            append(out / FILE, record)
            append_line(out / TIMINGS, {"task": record["task"], "trial": record["trial"], "seconds": seconds})
        done[record["task"], record["trial"]] = record
        watch.finished(record)
    if ends:
        raise ends[0]


def _timed(fly: Flight, task_id: str, trial: int) -> tuple[Flown, float]:
    start = time.monotonic()
    flown = fly(task_of(task_id), trial)
    return flown, round(time.monotonic() - start, 3)


def _recorded(plan: Plan, finished: Done[tuple[str, int], tuple[Flown, float]]) -> tuple[Record, float]:
    assert finished.result is not None
    flown, seconds = finished.result
    record = record_of(
        flown.episode,
        trial=finished.job[1],
        policy=plan.policy,
        policy_seed=plan.seed,
        suite=plan.suite,
        pilot=flown.pilot,
    )
    return record, seconds


def _note_error(
    failed: Done[tuple[str, int], Any], out: Path | None, watch: Progress, in_a_row: int
) -> list[BaseException]:
    """Put down an episode that the infrastructure ended, and return what ends the run, if anything does."""
    task_id, trial = failed.job
    error = failed.error
    assert error is not None
    if not isinstance(error, InfrastructureError):
        return [error]
    if out is not None:
        line = {"task": task_id, "trial": trial, "error": str(error)}
        used = known_tokens(error.turns)
        append_line(out / ERRORS, {**line, **({"usage": used} if used else {})})
    watch.failed(task_id, trial, error)
    if in_a_row >= MOST_ERRORS_IN_A_ROW and not error.fatal:
        return [InfrastructureError(f"gave up after {in_a_row} errors in a row; the last: {error}")]
    return [error] if error.fatal else []


def _piloted(plan: Plan, pilot: Policy) -> Flight:
    return lambda task, trial: Flown(play_policy(pilot, task, _dice(plan.seed, task.id, trial)))


def play_policy(policy: Policy, task: Task, rng: random.Random) -> Episode:
    """Play one episode; a policy that returns early stays silent to the end of the budget."""
    episode = Episode(task)
    turns = policy(task, rng)
    calls = next(turns, [])
    while episode.end is None:
        replies = [json.loads(call.reply) for call in episode.turn(calls)]
        try:
            calls = turns.send(replies)
        except StopIteration:
            calls = []
    turns.close()
    return episode


def _dice(seed: int, task_id: str, trial: int) -> random.Random:
    return random.Random(f"{seed}/{task_id}/{trial}")  # noqa: S311 - a policy, not a secret
