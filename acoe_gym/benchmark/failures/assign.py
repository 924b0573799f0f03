"""Assigns a mode to every failed episode of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, MutableMapping, Sequence

from acoe_gym.benchmark.failures.hearing import Inquest
from acoe_gym.benchmark.failures.modes import MODES, FailureMode
from acoe_gym.benchmark.failures.rules import Habits, mode_of
from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.suites import task_of


def failure_modes(
    records: Sequence[Record], inquests: MutableMapping[str, Inquest] | None = None
) -> dict[tuple[str, int], FailureMode]:
    """Assign a mode to every failed episode.

    Args:
        records: all trials of one model; what recurs is judged over the trials of each task.
        inquests: task id -> what was found out of that task; what is found out here is added, so that the
            next model's records need not ask again.

    Returns:
        (task id, trial) -> mode, for failed episodes alone, in the order of the records.

    Raises:
        UnknownName: a task does not exist here.
    """
    inquests = {} if inquests is None else inquests
    tasks = dict.fromkeys(record["task"] for record in records)
    found: dict[tuple[str, int], FailureMode] = {}
    for task_id in tasks:
        trials = [record for record in records if record["task"] == task_id]
        inquest = inquests.get(task_id) or inquests.setdefault(task_id, Inquest(task_of(task_id)))
        failed = [inquest.evidence(record) for record in trials if not record["grade"]["success"]]
        habits = Habits(failed, len(trials))
        found.update(((task_id, one.trial), mode_of(one, habits)) for one in failed)
    episodes = ((record["task"], record["trial"]) for record in records)
    return {episode: found[episode] for episode in episodes if episode in found}


def counts(modes: Iterable[FailureMode]) -> dict[str, int]:
    """Return how many episodes each mode has, in the order of `MODES`, modes without any included."""
    counted = Counter(mode.mode for mode in modes)
    return {name: counted[name] for name, _ in MODES}
