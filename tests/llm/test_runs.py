"""A run of a model: failures of the infrastructure, restarts, budgets."""

from __future__ import annotations

import errno
import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.benchmark.models import Model
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.progress import Budget
from acoe_gym.benchmark.records import FILE
from acoe_gym.benchmark.runner import Flown, run
from acoe_gym.benchmark.runs import ERRORS, TIMINGS, read_run
from acoe_gym.benchmark.tokens import token_use
from acoe_gym.benchmark.workers import work
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import InfrastructureError, RecordError
from acoe_gym.wrappers.llm.policies import ReferencePolicy

if TYPE_CHECKING:
    from tests.llm.conftest import Server

TASKS = library.task_ids()[:4]
READ = ("get_system", {"component": "rpm"})


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Failures of the infrastructure.


def test_an_episode_that_the_infrastructure_ended_is_flown_again_and_counts_once(
    server: Server, tmp_path: Path
) -> None:
    server.queue = [server.error(400, "odd")]
    records = server.fly(tmp_path, tasks=TASKS, attempts=2)
    assert [record["task"] for record in records] == list(TASKS)
    (error,) = lines(tmp_path / ERRORS)
    assert error == {"task": TASKS[0], "trial": 0, "error": "m: HTTP 400: odd"}
    assert not read_run(tmp_path).missing


def test_an_episode_that_never_got_through_is_missing_and_no_failure(server: Server, tmp_path: Path) -> None:
    tasks = library.task_ids()[::20]
    unlucky = library.task(tasks[1]).briefing

    def answer(asked: Any) -> Any:
        odd = unlucky in asked["messages"][1]["content"]
        return server.error(400, "odd") if odd else server.says(("submit", {}))

    server.answer = answer
    records = server.fly(tmp_path, tasks=tasks, attempts=2)
    found = read_run(tmp_path)
    assert found.missing == ((tasks[1], 0),)
    assert len(found.errors) == 2
    assert len(found.results()) == len(records) == 3


def test_a_broken_episode_begins_anew(server: Server) -> None:
    server.flies([READ], [READ])
    server.queue = [server.says(READ), server.error(400)]
    (record,) = server.fly(attempts=2)
    assert [len(turn) for turn in record["turns"]] == [1, 1, 1]
    assert len(server.asked) == 2 + 3


@pytest.mark.parametrize("threads", [1, 3])
def test_a_run_gives_up_after_ten_errors_in_a_row(server: Server, tmp_path: Path, threads: int) -> None:
    def answer(_: Any) -> Any:
        while not (tmp_path / FILE).exists():  # what succeeds comes first
            time.sleep(0.001)
        return server.error(500, "down")

    server.queue, server.answer = [server.says(("submit", {}))], answer
    with pytest.raises(
        InfrastructureError, match=r"gave up after 10 errors in a row; the last: m: HTTP 500: down"
    ):
        server.fly(tmp_path, trials=40, threads=threads, tries=1)
    # Those of the other threads were under way at the end.
    assert 10 <= len(lines(tmp_path / ERRORS)) <= 10 + threads - 1
    assert len(lines(tmp_path / FILE)) == 1


def test_a_success_between_errors_is_counted_as_life(server: Server, tmp_path: Path) -> None:
    bad, good = server.error(400), server.says(("submit", {}))
    server.queue = [*[bad] * 9, good] * 2
    assert len(server.fly(tmp_path, trials=20)) == 2


@pytest.mark.parametrize("status", [401, 404])
def test_a_fatal_error_stops_at_once(server: Server, tmp_path: Path, status: int) -> None:
    server.queue = [server.says(("submit", {}))]
    server.answer = lambda _: server.error(status, "no model of that name")
    with pytest.raises(InfrastructureError, match=f"^m: HTTP {status}: no model of that name$"):
        server.fly(tmp_path, tasks=TASKS, attempts=2)
    assert len(server.asked) == 2
    assert len(lines(tmp_path / FILE)) == 1


def test_a_bug_in_a_policy_is_no_infrastructure(tmp_path: Path) -> None:
    def buggy(task: Task, trial: int) -> Flown:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(Model("m").plan(TASKS, 1), tmp_path, flight=buggy, attempts=2)
    assert not (tmp_path / ERRORS).exists()


# Restarts.


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"model": "n"}, r"policy: m there, n here; settings\.model: m there, n here"),
    ({"params": {"temperature": 1}}, r"\(settings\.params\.temperature: nothing there, 1 here\)"),
    ({"extra_body": {"top_k": 1}}, r"\(settings\.extra_body\.top_k: nothing there, 1 here\)"),
    ({"harness": "plan"}, r"\(settings\.harness: none there, plan here\)"),
    ({"protocol": "text"}, r"\(settings\.protocol: tools there, text here\)"),
    ({"echo": ("all",)}, r"\(settings\.echo: 0 there, 1 \(among them all\) here\)"),
    ({"trials": 2}, r"\(trials: 1 there, 2 here\)"),
    ({"tasks": TASKS[:2]}, r"\(tasks: "),
]


@pytest.mark.parametrize(("change", "told"), CHANGES, ids=[next(iter(change)) for change, _ in CHANGES])
def test_a_changed_configuration_is_refused_and_the_setting_named(
    server: Server, tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    server.fly(tmp_path, tasks=TASKS)
    sent = len(server.asked)
    with pytest.raises(RecordError, match=f"holds another run .*{told}"):
        server.fly(tmp_path, **{"tasks": TASKS, **change})
    assert len(server.asked) == sent


def test_another_endpoint_is_another_run(server: Server, tmp_path: Path) -> None:
    server.fly(tmp_path)
    with pytest.raises(RecordError, match=r"settings\.base_url"):
        server.fly(tmp_path, base_url=f"http://localhost:{server.address.rpartition(':')[2]}/v1")


def test_what_tables_say_of_a_model_may_change(server: Server, tmp_path: Path) -> None:
    server.fly(tmp_path, about={"label": "old", "parameters": "8B"})
    server.fly(tmp_path, about={"label": "new"})
    assert read_run(tmp_path).about == {"label": "new", "parameters": "8B"}


def test_wall_times_stand_beside_the_records(server: Server, tmp_path: Path) -> None:
    server.fly(tmp_path, tasks=TASKS)
    assert [(line["task"], line["trial"]) for line in lines(tmp_path / TIMINGS)] == [(t, 0) for t in TASKS]
    assert all(seconds > 0 for seconds in read_run(tmp_path).seconds.values())


def test_a_second_run_in_one_folder_is_refused_while_the_first_flies(tmp_path: Path) -> None:
    plan, flying, over = Plan("noop", TASKS), threading.Event(), threading.Event()

    def fly(task: Task, trial: int) -> Flown:
        flying.set()
        over.wait(10)
        episode = Episode(task)
        episode.turn([("submit", {})])
        return Flown(episode)

    first = threading.Thread(target=run, args=(plan, tmp_path), kwargs={"flight": fly})
    first.start()
    flying.wait(10)
    try:
        with pytest.raises(RecordError, match="another process is writing this run"):
            run(plan, tmp_path)
    finally:
        over.set()
        first.join()
    assert len(run(plan, tmp_path)) == 4


@pytest.mark.parametrize("name", [ERRORS, TIMINGS])
def test_a_line_that_a_kill_cut_off_swallows_no_other(server: Server, tmp_path: Path, name: str) -> None:
    server.fly(tmp_path, tasks=TASKS[:1], trials=2, progress=Budget(max_tokens=1))
    with (tmp_path / name).open("ab") as file:
        file.write(b'{"task": "half')
    server.queue = [server.error(400, "odd")]
    server.fly(tmp_path, tasks=TASKS[:1], trials=2, attempts=2)
    assert len(lines(tmp_path / ERRORS)) == 1
    assert len(lines(tmp_path / TIMINGS)) == 2


def test_a_file_system_without_locks_will_do(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def without(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", without)
    assert len(server.fly(tmp_path, tasks=TASKS)) == len(TASKS)


def test_a_folder_in_which_nothing_was_flown_is_free_for_another_run(server: Server, tmp_path: Path) -> None:
    server.answer = lambda _: server.error(404, "Not Found")
    with pytest.raises(InfrastructureError):
        server.fly(tmp_path, tasks=TASKS, base_url=f"http://{server.address}/v7")
    server.answer = lambda _: server.says(("submit", {}))
    server.fly(tmp_path, tasks=TASKS)
    found = read_run(tmp_path)
    assert (len(found.records), found.errors) == (len(TASKS), ())
    assert found.configuration["settings"]["base_url"] == server.url


def test_a_folder_with_an_attempt_that_took_tokens_is_kept(server: Server, tmp_path: Path) -> None:
    server.queue = [server.says(READ), server.error(400, "odd")]
    assert server.fly(tmp_path) == []
    with pytest.raises(RecordError, match="holds another run"):
        server.fly(tmp_path, model="n")
    assert len(lines(tmp_path / ERRORS)) == 1


def test_a_broken_line_is_reason_enough_to_keep_a_folder(server: Server, tmp_path: Path) -> None:
    server.fly(tmp_path, tasks=TASKS)
    (tmp_path / FILE).write_bytes(b'{"half": \n')
    with pytest.raises(RecordError, match="holds another run"):
        server.fly(tmp_path, tasks=TASKS, model="n")


# Budgets.


@pytest.mark.parametrize(
    ("budget", "flown"),
    [
        (Budget(max_tokens=1), 1),
        (Budget(max_tokens=220), 1),
        (Budget(max_tokens=221), 2),
        (Budget(max_cost=0.0007, prices=(1.0, 10.0)), 2),
        (Budget(max_cost=0.0, prices=(1.0, 1.0)), 0),
        (Budget(), 4),
    ],
    ids=["1", "220", "221", "cost", "nothing", "none"],
)
def test_a_budget_stops_before_the_next_episode(
    server: Server, tmp_path: Path, budget: Budget, flown: int
) -> None:
    server.flies([READ])  # two turns of 100 + 10 tokens an episode
    assert len(server.fly(tmp_path, tasks=TASKS, progress=budget, attempts=2)) == flown


def test_what_is_under_way_when_a_budget_is_used_up_is_kept(server: Server, tmp_path: Path) -> None:
    # Slow enough that a finished episode is counted before many more begin.
    server.answer = lambda asked: server.reply(
        server.says(READ if server.turn(asked) == 0 else ("submit", {}), number=server.turn(asked)), hang=0.15
    )
    budget = Budget(max_tokens=1)
    records = server.fly(tmp_path, tasks=TASKS, trials=5, threads=4, progress=budget)
    assert 1 <= len(records) <= 8
    assert len(server.asked) == 2 * len(records)
    assert budget.tokens == 220 * len(records)


def test_what_an_earlier_start_used_counts(server: Server, tmp_path: Path) -> None:
    server.flies([READ])
    server.fly(tmp_path, tasks=TASKS, progress=Budget(max_tokens=221))
    sent = len(server.asked)
    assert len(server.fly(tmp_path, tasks=TASKS, progress=Budget(max_tokens=300))) == 2
    assert len(server.asked) == sent


def test_what_an_attempt_that_failed_used_counts_too_at_once_and_after_a_stop(
    server: Server, tmp_path: Path
) -> None:
    server.queue = [server.says(READ), server.error(400, "odd")]
    server.answer = lambda _: server.says(("submit", {}), number=1)
    budget = Budget(max_tokens=110)
    assert server.fly(tmp_path, tasks=TASKS, progress=budget) == []
    (line,) = lines(tmp_path / ERRORS)
    assert line["usage"] == {"prompt": 100, "completion": 10, "total": 110}
    assert server.fly(tmp_path, tasks=TASKS, progress=Budget(max_tokens=110)) == []
    assert len(server.fly(tmp_path, tasks=TASKS, progress=Budget(max_tokens=330))) == 2
    assert token_use(read_run(tmp_path)).lost == 110


def test_a_budget_stops_a_run_whose_endpoint_counts_nothing(server: Server) -> None:
    server.answer = lambda _: server.says(("submit", {}), usage=None)
    assert len(server.fly(tasks=TASKS, progress=Budget(max_tokens=10**9))) == 1
    server.answer = lambda _: server.says(("submit", {}), usage={"total_tokens": 110})
    assert len(server.fly(tasks=TASKS, progress=Budget(max_tokens=10**9))) == len(TASKS)
    for usage in ({"total_tokens": 110}, {"prompt_tokens": 100}):
        server.queue = [server.says(("submit", {}), usage=usage)]
        assert len(server.fly(tasks=TASKS, progress=Budget(max_cost=1.0, prices=(1.0, 1.0)))) == 1
    assert len(server.fly(tasks=TASKS, progress=Budget())) == len(TASKS)


def test_a_turn_that_was_not_counted_hides_no_other_from_the_budget(server: Server) -> None:
    server.queue = [server.says(READ, usage=None)]
    server.answer = lambda _: server.says(("submit", {}), number=1)
    budget = Budget(max_tokens=100)
    assert len(server.fly(tasks=TASKS, progress=budget)) == 1
    assert budget.tokens == 110


# Threads.


def test_work_hands_back_every_result_and_every_error() -> None:
    def halve(number: int) -> int:
        if number % 2:
            raise ValueError(number)
        return number // 2

    for threads in (1, 3):
        done = list(work(range(10), halve, threads, lambda: False))
        assert sorted(d.job for d in done) == list(range(10))
        assert all((d.result == d.job // 2) if d.error is None else d.job % 2 for d in done)


def test_as_many_episodes_are_under_way_as_there_are_threads(server: Server) -> None:
    barrier = threading.Barrier(4)

    def fly(task: Task, trial: int) -> Flown:
        barrier.wait(5)
        episode = Episode(task)
        episode.turn([("submit", {})])
        return Flown(episode)

    assert len(run(Plan("noop", TASKS), flight=fly, threads=4)) == 4


def test_who_stops_listening_ends_the_work() -> None:
    begun: list[int] = []

    def slow(number: int) -> int:
        begun.append(number)
        time.sleep(0.01)
        return number

    results = work(range(1000), slow, 2, lambda: False)
    next(results)
    results.close()  # type: ignore[attr-defined]
    time.sleep(0.05)
    assert len(begun) < 20


@pytest.mark.parametrize("end", [InfrastructureError("refused", fatal=True), ZeroDivisionError("a fault")])
def test_what_ends_a_run_takes_no_episode_under_way_with_it(tmp_path: Path, end: Exception) -> None:
    model, begun = Model("m"), threading.Barrier(3)

    def fly(task: Task, trial: int) -> Flown:
        begun.wait(5)
        if trial == 0:
            raise end
        time.sleep(0.1)
        return model.fly(ReferencePolicy(task), task)

    with pytest.raises(type(end)):
        run(model.plan(TASKS[:1], 3), tmp_path, flight=fly, threads=3)
    assert [record["trial"] for record in read_run(tmp_path).records] == [1, 2]
