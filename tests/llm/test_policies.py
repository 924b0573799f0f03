"""Policies without a model."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.benchmark.models import Model, estimate
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.records import Record, results_of
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.runs import read_run
from acoe_gym.cockpit import library
from acoe_gym.cockpit.metrics import aggregate
from acoe_gym.cockpit.task import Task, digest
from acoe_gym.errors import RecordError
from acoe_gym.wrappers.llm.chat import ChatPolicy, protocol
from acoe_gym.wrappers.llm.harness import HARNESSES
from acoe_gym.wrappers.llm.llm_policy import LLMPolicy
from acoe_gym.wrappers.llm.policies import HumanPolicy, ReferencePolicy, ReplayPolicy, ScriptedPolicy, calling

if TYPE_CHECKING:
    from tests.llm.conftest import Server

TASK = library.task("c172s/engine_restart/stopped_prop_left_tank")
READ = ("get_system", {"component": "rpm"})
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})


def fly(model: Model, tasks: tuple[str, ...], policy_for: Any) -> list[Record]:
    return run(model.plan(tasks, 1), flight=model.flight(policy_for))


@pytest.mark.parametrize("mode", ["tools", "text"])
def test_the_reference_solves_every_task_through_a_conversation(mode: str) -> None:
    records = fly(Model("reference", protocol=mode), library.task_ids(), ReferencePolicy)
    summary = aggregate(results_of(records), 0)
    assert (len(records), summary.sr.value, summary.scr.value) == (73, 1.0, 1.0)
    assert [record["hash"] for record in records] == [
        record["hash"] for record in run(Plan("reference", library.task_ids()))
    ]


@pytest.mark.parametrize("mode", ["tools", "text"])
def test_the_reference_behind_an_endpoint_solves_every_task(
    server: Server, tmp_path: Path, mode: str
) -> None:
    """Through the SDK, HTTP, three trials and the disk; the endpoint is told the task beside the request."""
    server.answer = lambda asked: server.body(
        ReferencePolicy(library.task(asked["task"]))(asked["messages"], asked.get("tools", ()))
    )
    model = Model("reference", server.url, protocol=mode)
    policies = {
        name: LLMPolicy(model.model, model.base_url, extra_body={"task": name}) for name in library.task_ids()
    }
    plan = model.plan(library.task_ids(), 3)
    run(plan, tmp_path, flight=model.flight(lambda task: policies[task.id]), threads=4)
    found = read_run(tmp_path)
    summary = aggregate(found.results(), 0)
    assert (summary.episodes, summary.sr.value, summary.scr.value) == (219, 1.0, 1.0)
    assert {record["pilot"]["protocol"] for record in found.records} == {mode}
    assert {record["pilot"]["llm_protocol"] for record in found.records} == {digest(protocol())}
    assert server.complaints == []


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_reference_solves_under_every_harness(harness: str) -> None:
    tasks = library.task_ids()[::9]
    records = fly(Model("reference", harness=harness), tasks, ReferencePolicy)
    assert all(record["grade"]["success"] == 1.0 for record in records)


def test_an_estimate_counts_what_flying_the_reference_sends() -> None:
    (record,) = fly(Model("m"), (TASK.id,), ReferencePolicy)
    told = estimate(Model("m"), [TASK], 3, ReferencePolicy)
    metrics = record["metrics"]
    assert (told.episodes, told.turns, told.calls) == (3, 3 * metrics["turns"], 3 * metrics["calls"])
    assert told.prompt > told.uncached > told.completion > 0
    assert told.cost(2.0, 10.0) == pytest.approx((told.prompt * 2 + told.completion * 10) / 1e6)


def test_the_tokens_of_an_estimate_are_a_quarter_of_the_characters() -> None:
    sent: list[int] = []
    said: list[int] = []

    def counting(task: Task) -> ChatPolicy:
        reference = ReferencePolicy(task)

        def policy(messages: Any, tools: Any) -> Any:
            reply = reference(messages, tools)
            sent.append(len(str(messages)) + len(str(tools)))
            said.append(len(str(reply)))
            return reply

        return policy

    fly(Model("m"), (TASK.id,), counting)
    told = estimate(Model("m"), [TASK], 3, ReferencePolicy)
    expected = 3 * sum(sent), 3 * max(sent), 3 * sum(said)
    assert (told.prompt, told.uncached, told.completion) == tuple(math.ceil(n / 4) for n in expected)


def test_an_estimate_of_the_text_protocol_flies_the_reference_too() -> None:
    native, text = (
        estimate(Model("m", protocol=mode), [TASK], 1, ReferencePolicy) for mode in ("tools", "text")
    )
    assert (native.turns, native.calls) == (text.turns, text.calls)


@pytest.mark.parametrize("mode", ["tools", "text"])
@pytest.mark.parametrize("harness", HARNESSES)
def test_a_record_is_reproduced_byte_by_byte(harness: str, mode: str) -> None:
    model = Model("m", harness=harness, protocol=mode)
    (record,) = fly(model, (TASK.id,), ReferencePolicy)
    (again,) = fly(model, (TASK.id,), lambda _: ReplayPolicy(record))
    assert again == record


def test_the_record_of_a_policy_without_texts_can_be_replayed() -> None:
    (record,) = run(Plan("reference", (TASK.id,)))
    (again,) = fly(Model("m"), (TASK.id,), lambda _: ReplayPolicy(record))
    assert again["hash"] == record["hash"]


def test_a_record_with_texts_missing_is_refused() -> None:
    (record,) = fly(Model("m"), (TASK.id,), ReferencePolicy)
    record["pilot"]["turns"].pop()
    with pytest.raises(RecordError, match="expected one text per turn"):
        ReplayPolicy(record)


def test_a_script_is_followed_turn_by_turn_in_every_episode_and_may_look_at_the_history() -> None:
    policy = ScriptedPolicy(
        [calling([READ]), lambda messages: calling([READ] * len(messages)), calling([SUBMIT])]
    )
    for _ in range(2):
        (record,) = fly(Model("m"), (TASK.id,), lambda _: policy)
        assert [len(turn) for turn in record["turns"]] == [1, 4, 1]


def test_after_a_script_nothing_is_called() -> None:
    (record,) = fly(Model("m"), (TASK.id,), lambda _: ScriptedPolicy([]))
    assert (record["end"], record["metrics"]["calls"]) == ("truncated", 0)


@pytest.mark.parametrize("mode", ["tools", "text"])
def test_a_person_is_shown_all_that_a_model_is_told_and_calls_in_one_line(mode: str) -> None:
    lines = iter(["get_system component=rpm; set_system component=fuel_pump value=ON", "", "submit"])
    shown: list[str] = []
    human = HumanPolicy(lambda _: next(lines), shown.append)
    (record,) = fly(Model("m", protocol=mode), (TASK.id,), lambda _: human)
    assert [[call["name"] for call in turn] for turn in record["turns"]] == [
        ["get_system", "set_system"], [], ["submit"],
    ]  # fmt: skip
    assert TASK.briefing in shown[1]
    assert '"component":"rpm","value":0' in "".join(shown[2:])
