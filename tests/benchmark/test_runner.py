from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import acoe_gym
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import POLICIES
from acoe_gym.benchmark.records import FILE, read_records
from acoe_gym.benchmark.runner import play_policy, run
from acoe_gym.benchmark.runs import CONFIGURATION
from acoe_gym.benchmark.suites import generated_ids, task_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.procedure import Turns
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import RecordError, UnknownName

PLAN = Plan("random", library.task_ids()[:3], trials=2, seed=4)
ROOT = Path(acoe_gym.__file__).parents[1]


def python(code: str, *arguments: str, hash_seed: str = "0") -> int:
    """Run a script in a process of its own and return its exit code."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
    return subprocess.run([sys.executable, "-c", code, *arguments], env=env, check=False).returncode


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the file that an undisturbed run of the plan writes."""
    out = tmp_path_factory.mktemp("whole")
    run(PLAN, out)
    return (out / FILE).read_bytes()


def test_the_same_plan_gives_the_same_records_and_another_seed_gives_others(
    tmp_path: Path, whole: bytes
) -> None:
    run(PLAN, tmp_path / "again")
    assert (tmp_path / "again" / FILE).read_bytes() == whole
    other = run(Plan("random", PLAN.tasks, trials=2, seed=5))
    assert [record["hash"] for record in other] != [json.loads(line)["hash"] for line in whole.splitlines()]


def test_an_episode_does_not_hang_on_those_before_it() -> None:
    alone = run(Plan("random", PLAN.tasks[2:], trials=2, seed=4))
    assert alone == run(PLAN)[4:]


def test_global_random_numbers_are_left_alone() -> None:
    before = random.getstate()
    run(PLAN)
    assert random.getstate() == before


def test_a_finished_run_is_not_flown_again(tmp_path: Path, whole: bytes) -> None:
    def never(task: Task, rng: random.Random) -> Turns:
        raise AssertionError

    first = run(PLAN, tmp_path)
    assert run(PLAN, tmp_path, pilot=never) == first
    assert (tmp_path / FILE).read_bytes() == whole


@pytest.mark.parametrize("kept", [0, 1, 700, -1])
def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path, whole: bytes, kept: int) -> None:
    run(PLAN, tmp_path)
    lines = whole.splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(b"".join(lines[:3]) + lines[3][:kept])
    run(PLAN, tmp_path)
    assert (tmp_path / FILE).read_bytes() == whole


KILLED = """
import os, signal, sys
from pathlib import Path
from acoe_gym.benchmark import records
from acoe_gym.benchmark.policies import POLICIES
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit import library

out, moment, left = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def count(now):
    global left
    left -= now == moment
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def pilot(task, rng):
    count("flying")
    yield from POLICIES["random"](task, rng)

fsync = os.fsync

def counted(number):
    count("writing")
    fsync(number)

os.fsync = counted
run(Plan("random", library.task_ids()[:3], trials=2, seed=4), out, pilot=pilot)
"""


@pytest.mark.parametrize(
    ("moment", "left"), [("flying", 0), ("flying", 1), ("flying", 5), ("writing", 0), ("writing", 3)]
)
def test_a_killed_run_loses_and_repeats_nothing(tmp_path: Path, whole: bytes, moment: str, left: int) -> None:
    assert python(KILLED, str(tmp_path), moment, str(left)) == -9
    kept = (tmp_path / FILE).read_bytes() if (tmp_path / FILE).exists() else b""
    assert whole.startswith(kept)
    flown: list[str] = []

    def pilot(task: Task, rng: random.Random) -> Turns:
        flown.append(task.id)
        return POLICIES["random"](task, rng)

    run(PLAN, tmp_path, pilot=pilot)
    assert (tmp_path / FILE).read_bytes() == whole
    assert len(flown) == 6 - kept.count(b"\n")


def test_a_policy_that_fails_leaves_the_finished_episodes(tmp_path: Path) -> None:
    def failing(task: Task, rng: random.Random) -> Turns:
        if task.id == PLAN.tasks[1]:
            raise KeyboardInterrupt
        return POLICIES["random"](task, rng)

    with pytest.raises(KeyboardInterrupt):
        run(PLAN, tmp_path, pilot=failing)
    assert len(read_records(tmp_path / FILE).records) == 2


@pytest.mark.parametrize("hash_seed", ["0", "1", "12345"])
def test_records_do_not_hang_on_the_hash_seed(tmp_path: Path, whole: bytes, hash_seed: str) -> None:
    code = "import sys; from acoe_gym.cli import main; sys.exit(main(sys.argv[1:]))"
    tasks = [word for task_id in PLAN.tasks for word in ("--task", task_id)]
    arguments = [
        "run",
        "--policy",
        "random",
        "--trials",
        "2",
        "--seed",
        "4",
        "--json",
        "--out",
        str(tmp_path),
    ]
    assert python(code, *arguments, *tasks, hash_seed=hash_seed) == 0
    assert (tmp_path / FILE).read_bytes() == whole


def test_another_run_in_the_folder_is_refused_with_the_difference(tmp_path: Path) -> None:
    run(PLAN, tmp_path)
    other = Plan("noop", PLAN.tasks[:1], trials=1, seed=4)
    with pytest.raises(RecordError, match="holds another run") as refused:
        run(other, tmp_path)
    assert "policy: random there, noop here" in str(refused.value)
    assert (
        f"tasks: 3 (among them {PLAN.tasks[1]}, {PLAN.tasks[2]}) there, 1 (among them {PLAN.tasks[0]}) here"
        in str(refused.value)
    )


def test_a_run_of_other_specifications_is_refused(tmp_path: Path) -> None:
    run(PLAN, tmp_path)
    configuration = json.loads((tmp_path / CONFIGURATION).read_text(encoding="utf-8"))
    configuration["trees"] = "0" * 64
    (tmp_path / CONFIGURATION).write_text(json.dumps(configuration), encoding="utf-8")
    with pytest.raises(RecordError, match=r"\(trees: 0{40}\.\.\. there, "):
        run(PLAN, tmp_path)


def test_records_without_their_configuration_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{}\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"expected run.json beside episodes.jsonl, found none"):
        run(PLAN, tmp_path)


def test_a_corrupt_line_stops_the_run_and_tells_what_to_do(tmp_path: Path) -> None:
    run(PLAN, tmp_path)
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(b"".join([lines[0], b"{]\n", *lines[2:]]))
    with pytest.raises(RecordError, match=r"line 2: .* delete the line to have its episode flown again"):
        run(PLAN, tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RecordError, match="expected a folder to write records to, got Not a directory"):
        run(PLAN, tmp_path / "file" / "out")


def test_a_policy_that_returns_early_is_silent_to_the_end_of_the_budget() -> None:
    def brief(task: Task, rng: random.Random) -> Turns:
        yield [("list_systems", {})]

    episode = play_policy(brief, library.task(PLAN.tasks[0]), random.Random(0))
    assert (episode.end, len(episode.turns), len(episode.log)) == ("truncated", 48, 1)


def test_generated_ids_name_consecutive_seeds() -> None:
    ids = generated_ids(["c172s/engine_restart"], seed=7, count=2)
    assert ids == ("c172s/engine_restart/generated/7", "c172s/engine_restart/generated/8")
    assert [task_of(task_id).id for task_id in ids] == list(ids)


@pytest.mark.parametrize("task_id", ["c172s/engine_restart/generated/x", "nowhere/generated/1", "x", ""])
def test_an_unknown_task_is_refused(task_id: str) -> None:
    with pytest.raises(UnknownName, match=r"expected (a task id|a template|TEMPLATE/generated/SEED)"):
        run(Plan("noop", (task_id,)))
