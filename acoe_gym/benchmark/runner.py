"""The runner: one policy over some tasks; its records survive a stop, and a restart repeats none of them."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.policies import Policy
from acoe_gym.benchmark.policies import policy as built_in
from acoe_gym.benchmark.progress import shown
from acoe_gym.benchmark.records import FILE, RECORD_VERSION, Record, append, mend, read_records, record_of
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.protocol import hash_tree
from acoe_gym.cockpit.task import Task, digest
from acoe_gym.errors import RecordError
from acoe_gym.version import __version__

CONFIGURATION = "run.json"


@dataclass(frozen=True)
class Plan:
    """What a run is; two runs of one plan write the same bytes.

    Attributes:
        policy: name of the policy, a built-in one unless `run` is given a pilot.
        tasks: task ids.
        trials: episodes per task.
        seed: of the policy; every episode draws from a generator of its own.
        suite: ``core`` or ``generated``.
    """

    policy: str
    tasks: tuple[str, ...]
    trials: int = 1
    seed: int = 0
    suite: str = "core"

    def episodes(self) -> list[tuple[str, int]]:
        """Return (task id, trial) of every episode, in order."""
        return [(task_id, trial) for task_id in self.tasks for trial in range(self.trials)]

    def configuration(self) -> dict[str, Any]:
        """Return everything that decides what the records hold."""
        return {
            "record_version": RECORD_VERSION,
            "policy": self.policy,
            "suite": self.suite,
            "tasks": list(self.tasks),
            "trials": self.trials,
            "seed": self.seed,
            "package": __version__,
            "trees": digest([hash_tree(task_of(task_id)) for task_id in self.tasks]),
        }


def run(
    plan: Plan,
    out: Path | None = None,
    *,
    pilot: Policy | None = None,
    progress: bool = False,
) -> list[Record]:
    """Fly a plan and return its records, those found in ``out`` included.

    Args:
        plan: what to fly.
        out: folder for ``episodes.jsonl`` and ``run.json``; a run of the same plan that was stopped there is
            continued, and its finished episodes are kept. None writes nothing.
        pilot: the function that flies under the plan's policy name; the built-in one of that name by default.
        progress: show a bar on standard error, where rich is installed and a person is looking.

    Raises:
        UnknownName: a task or policy that does not exist.
        RecordError: the folder holds another run, a line of it is broken, or a record cannot be written.
    """
    fly = pilot or built_in(plan.policy)
    done = {} if out is None else _opened(out, plan)
    missing = [episode for episode in plan.episodes() if episode not in done]
    for task_id, trial in shown(missing, plan.policy) if progress else missing:
        episode = play_policy(fly, task_of(task_id), _dice(plan.seed, task_id, trial))
        record = record_of(episode, trial=trial, policy=plan.policy, policy_seed=plan.seed, suite=plan.suite)
        if out is not None:
            append(out / FILE, record)
        done[task_id, trial] = record
    return [done[episode] for episode in plan.episodes()]


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


def _opened(out: Path, plan: Plan) -> dict[tuple[str, int], Record]:
    """Make the folder ready for a plan and return the episodes that it holds."""
    wanted, path = plan.configuration(), out / CONFIGURATION
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if (out / FILE).exists():
                raise RecordError(f"{out}: expected {CONFIGURATION} beside {FILE}, found none")
            _write_whole(path, json.dumps(wanted, indent=1, sort_keys=True) + "\n")
        found = json.loads(path.read_text(encoding="utf-8"))
        mend(out / FILE)
    except OSError as error:
        raise RecordError(f"{out}: expected a folder to write records to, got {error.strerror}") from None
    except ValueError as error:
        raise RecordError(f"{path}: expected JSON, got {error}") from None
    if found != wanted:
        raise RecordError(f"{out} holds another run ({_difference(found, wanted)}); choose another folder")
    if not (out / FILE).exists():
        return {}
    records, problems = read_records(out / FILE)
    if problems:
        raise RecordError(f"{problems[0]}; delete the line to have its episode flown again")
    return {(record["task"], record["trial"]): record for record in records}


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    draft = path.with_suffix(".new")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _difference(found: object, wanted: dict[str, Any]) -> str:
    if not isinstance(found, dict):
        return "no configuration"
    keys = [key for key in sorted({*found, *wanted}) if found.get(key) != wanted.get(key)]
    return "; ".join(f"{key}: {_brief(found.get(key))} there, {_brief(wanted.get(key))} here" for key in keys)


def _brief(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value)} ({', '.join(map(str, value[:2]))}{', ...' if len(value) > 2 else ''})"
    return str(value) if len(str(value)) <= 40 else f"{str(value)[:12]}..."
