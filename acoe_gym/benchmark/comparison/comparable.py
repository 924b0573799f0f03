"""Which runs may stand side by side, and over which tasks; a refusal says what differs and how to mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.runs import Run
from acoe_gym.errors import RecordError


def names(runs: Sequence[Run]) -> list[str]:
    """Return what to call each run; the folder, then a number tell those of one name apart."""
    plain = [run.name for run in runs]
    told = [
        name if plain.count(name) == 1 else f"{name} ({run.folder.name})"
        for name, run in zip(plain, runs, strict=True)
    ]
    return [
        name if told.count(name) == 1 else f"{name} #{told[: i + 1].count(name)}"
        for i, name in enumerate(told)
    ]


def planned(run: Run) -> int:
    """Return how many episodes the run is to have."""
    return len(run.records) + len(run.missing)


def require_episodes(run: Run, *, partial: bool = False) -> None:
    """Check that a headline may be drawn from the run.

    Args:
        run: any run.
        partial: put up with missing episodes.

    Raises:
        RecordError: episodes are missing, or there are none at all.
    """
    if not run.records:
        broken = f" ({run.problems[0]})" if run.problems else ""
        raise RecordError(f"{run.folder}: expected finished episodes, got none{broken}; finish the run first")
    if run.missing and not partial:
        task, trial = run.missing[0]
        raise RecordError(
            f"{run.folder}: expected {planned(run)} episodes, got {len(run.records)}; the first that is "
            f"missing is {task} trial {trial}, {len(run.errors)} attempts ended in an infrastructure error. "
            "Give the same `acoe run` command again to fly the rest, or take it as it is: --allow-partial"
        )


def require_one_protocol(runs: Sequence[Run]) -> None:
    """Check that the models of several runs were told the same, within the same limits.

    Raises:
        RecordError: the hashes of their protocols differ.
    """
    settings = [run.configuration.get("settings") or {} for run in runs]
    told = {
        s["llm_protocol"]: run.folder for s, run in zip(settings, runs, strict=True) if "llm_protocol" in s
    }
    if len(told) > 1:
        where = " and ".join(map(str, told.values()))
        raise RecordError(
            f"expected models under one protocol (what they are told, limits of replies), got two: {where}. "
            "Fly one again with the other's version of the package"
        )


def require_one_version(a: Run, b: Run) -> None:
    """Check that both runs were flown on one version of every task that both have, and under one protocol.

    Raises:
        RecordError: hashes differ, between the runs or within one.
    """
    require_one_protocol((a, b))
    for run in (a, b):
        run.results()
    trees = [{record["task"]: record["tree"] for record in run.records} for run in (a, b)]
    shared = [task for task in trees[0] if task in trees[1]]
    differing = Counter(
        entry
        for task in shared
        for entry in sorted({*trees[0][task], *trees[1][task]})
        if trees[0][task].get(entry) != trees[1][task].get(entry)
    )
    if differing:
        entries = ", ".join(f"{entry} (in {count} of them)" for entry, count in sorted(differing.items()))
        versions = [str(run.configuration.get("package", "unknown")) for run in (a, b)]
        why = "the specifications were changed" if versions[0] == versions[1] else " and ".join(versions)
        raise RecordError(
            f"expected runs of one version of the benchmark, got runs that differ over {len(shared)} common "
            f"tasks in: {entries} (packages: {why}). Fly one again with the other's version"
        )


def shared_tasks(a: Run, b: Run, *, common: bool = False) -> tuple[str, ...]:
    """Return the tasks that both runs flew, in the order of the first run's plan.

    Args:
        a: a run.
        b: another.
        common: put up with tasks that only one of them was to fly.

    Raises:
        RecordError: the plans differ, or no task is in both.
    """
    plans = [list(dict.fromkeys(run.configuration["tasks"])) for run in (a, b)]
    only = [[task for task in plan if task not in set(other)] for plan, other in (plans, plans[::-1])]
    flown = [{record["task"] for record in run.records} for run in (a, b)]
    shared = tuple(task for task in plans[0] if task in flown[0] and task in flown[1])
    if not shared:
        hint = "; a core and a generated run are compared by --suite-probe" if _suites(a, b) == 2 else ""
        raise RecordError(f"expected runs with tasks in common, got none that both flew{hint}")
    if any(only) and not common:
        where = "; ".join(
            f"{len(tasks)} only in {run.folder} (first {tasks[0]})"
            for tasks, run in zip(only, (a, b), strict=True)
            if tasks
        )
        raise RecordError(
            f"expected runs over the same tasks, got {len(plans[0])} and {len(plans[1])}: {where}. "
            f"The {len(shared)} that both flew are compared with --common-tasks"
        )
    return shared


def _suites(a: Run, b: Run) -> int:
    return len({run.configuration.get("suite") for run in (a, b)})


def by_task(run: Run) -> dict[str, list[Record]]:
    """Return task id -> its records, in order of trial."""
    found: dict[str, list[Record]] = {}
    for record in sorted(run.records, key=lambda r: (r["task"], r["trial"])):
        found.setdefault(record["task"], []).append(record)
    return found
