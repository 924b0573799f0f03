"""Bugs of peer projects through the whole path, from the endpoint to the metrics, by number of the report.

The part of each that needs no model is in ``tests/test_bug_reports.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.benchmark.records import FILE, Record, read_records, results_of
from acoe_gym.benchmark.replay import replay
from acoe_gym.benchmark.runs import ERRORS, read_run, tokens_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import MAX_TURNS
from acoe_gym.cockpit.metrics import aggregate
from acoe_gym.errors import InfrastructureError
from acoe_gym.wrappers.llm.chat import protocol

if TYPE_CHECKING:
    from tests.llm.conftest import Asked, Server

READ = ("get_system", {"component": "rpm"})
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})


def calls(record: Record) -> list[list[tuple[str, object]]]:
    """Return the calls of a record, turn by turn."""
    return [[(call["name"], call["arguments"]) for call in turn] for turn in record["turns"]]


def notes(record: Record) -> list[list[str]]:
    """Return what was noted of each turn."""
    return [turn["notes"] for turn in record["pilot"]["turns"]]


def flown(server: Server, **how: Any) -> Record:
    """Fly one episode whose every history was sound and whose record replays."""
    (record,) = server.fly(**how)
    assert server.complaints == []
    assert replay(record).identical
    return record


# B12: one bad call kills the episode.


BAD = {
    "cut JSON": (("set_system", '{"name": "MIXTURE", "va'), "bad_json"),
    "invented tool": (("set_switch", {}), "unknown_tool"),
    "tool with a prefix": (("functions.get_system", {"component": "rpm"}), "unknown_tool"),
}


@pytest.mark.parametrize(("call", "code"), BAD.values(), ids=BAD.keys())
def test_b12_a_bad_call_is_answered_under_its_id_and_the_episode_goes_on(
    server: Server, call: Any, code: str
) -> None:
    server.flies([READ, call])
    record = flown(server)
    (reply,) = [m for m in server.asked[1]["messages"] if m.get("tool_call_id") == "c0_1"]
    assert json.loads(reply["content"])["error"]["code"] == code
    assert (record["end"], record["metrics"]["turns"], record["metrics"]["calls"]) == ("submitted", 2, 3)


def test_b12_failed_calls_lower_the_tool_selection_score(server: Server) -> None:
    server.flies(*[[call] for call, _ in BAD.values()], [READ])
    record = flown(server)
    assert aggregate(results_of([record]), 0).tool_selection.pooled == pytest.approx(1 / 4)


# B14: inconsistent value coercion.


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ("68", True), ("68.0", True), ('"68"', True), ('" 68 "', True), ('"6.8e1"', True),
        ('"68 KIAS"', False), ("true", False), ("null", False), ('"NaN"', False), ("1e309", False),
        ("1" + "0" * 400, False), ("[68]", False), ('{"value": 68}', False),
    ],
)  # fmt: skip
def test_b14_values_are_read_alike_however_a_model_writes_them(
    server: Server, value: str, accepted: bool
) -> None:
    arguments = f'{{"component": "target_airspeed", "value": {value}}}'
    server.flies([("set_system", arguments)], [("get_weight_balance", f'{{"front_seats_lb": {value}}}')])
    record = flown(server)
    set_call, loaded, _ = [turn[0] for turn in calls(record)]
    assert [server.told(server.asked[i])["ok"] for i in (1, 2)] == [accepted, accepted]
    if accepted:
        assert set_call == ("set_system", {"component": "target_airspeed", "value": 68})
        assert loaded == ("get_weight_balance", {"front_seats_lb": 68})


def test_b14_a_bare_nan_is_no_json(server: Server) -> None:
    server.flies([("set_system", '{"component": "target_airspeed", "value": NaN}')])
    flown(server)
    assert server.told(server.asked[1])["error"]["code"] == "bad_json"


# B16: branching on finish_reason.


FINISH = ["stop", "tool_calls", "length", "content_filter", "function_call", "", 7, None, ...]


@pytest.mark.parametrize("finish", FINISH, ids=str)
def test_b16_calls_are_run_whatever_the_finish_reason(server: Server, finish: Any) -> None:
    body = server.says(READ)
    body["choices"][0]["finish_reason"] = finish
    if finish is ...:
        del body["choices"][0]["finish_reason"]
    server.queue = [body, server.says(SUBMIT, number=1)]
    record = flown(server)
    assert calls(record) == [[READ], [SUBMIT]]
    assert record["pilot"]["turns"][0]["finish"] == (finish if isinstance(finish, str) else None)


@pytest.mark.parametrize("none", [[], None, {}, "", ...], ids=str)
@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_b16_a_reply_without_calls_is_a_turn_and_no_submit(server: Server, finish: str, none: Any) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": none}
    if none is ...:
        del message["tool_calls"]
    server.queue = [server.body(message, finish)]
    record = flown(server)
    assert calls(record) == [[], [SUBMIT]]
    assert notes(record) == [["no_call"], []]
    assert server.asked[1]["messages"][-1] == {"role": "user", "content": protocol()["nudge"]}


def test_b16_arguments_cut_by_the_length_limit_are_a_malformed_call(server: Server) -> None:
    server.queue = [server.says(("set_system", '{"component": "mixture", "val'), finish="length")]
    record = flown(server)
    assert notes(record)[0] == ["malformed_arguments"]
    assert record["pilot"]["turns"][0]["finish"] == "length"
    assert server.told(server.asked[1])["error"]["code"] == "bad_json"


# B19: optional response field assumed.


USAGES: list[tuple[Any, Any]] = [
    (..., None),
    (None, None),
    ({"total_tokens": 40}, 80),
    ({"prompt_tokens": "30", "completion_tokens": "10"}, 80),
    ({"prompt_tokens": 30}, None),
]


@pytest.mark.parametrize(("usage", "total"), USAGES, ids=str)
def test_b19_a_run_completes_whatever_is_counted_and_unknown_is_not_zero(
    server: Server, usage: Any, total: int | None
) -> None:
    server.queue = [server.says(READ, usage=usage), server.says(SUBMIT, number=1, usage=usage)]
    record = flown(server)
    assert record["end"] == "submitted"
    assert tokens_of(record).total == total


def test_b19_an_empty_list_of_choices_is_a_transport_fault_and_no_turn(server: Server) -> None:
    server.queue = [server.says(READ), {"choices": []}]
    server.answer = lambda _: server.says(SUBMIT, number=1)
    record = flown(server)
    assert len(server.asked) == 3
    assert calls(record) == [[READ], [SUBMIT]]


# B21: fields of one provider dropped.


def thinking(server: Server, asked: Asked) -> Any:
    """Answer as a server that wants its reasoning back with every turn that called a tool."""
    spoken = [m for m in asked["messages"] if m["role"] == "assistant"]
    if any(m.get("reasoning_content") != f"thought {n}" for n, m in enumerate(spoken)):
        return server.error(400, "the reasoning_content must be passed back")
    body = server.says(*([READ] if len(spoken) < 2 else [SUBMIT]), number=len(spoken))
    body["choices"][0]["message"]["reasoning_content"] = f"thought {len(spoken)}"
    return body


@pytest.mark.parametrize("echo", [("reasoning_content",), ("all",)])
def test_b21_a_switch_sends_reasoning_back_unchanged(server: Server, echo: tuple[str, ...]) -> None:
    server.known = None
    server.answer = lambda asked: thinking(server, asked)
    record = flown(server, echo=echo)
    assert [turn["reasoning"] for turn in record["pilot"]["turns"]] == ["thought 0", "thought 1", "thought 2"]


def test_b21_by_default_no_further_field_is_sent_back(server: Server) -> None:
    body = server.says(READ)
    body["choices"][0]["message"] |= {"reasoning_content": "hm", "refusal": None, "annotations": []}
    server.queue = [body, server.says(SUBMIT, number=1)]
    flown(server)
    assert set(server.asked[1]["messages"][2]) == {"role", "content", "tool_calls"}


def test_b21_reasoning_is_no_answer_and_no_call(server: Server) -> None:
    thought = '<tool_call>{"name": "submit", "arguments": {}}</tool_call>'
    for mode in ("tools", "text"):
        message = {"role": "assistant", "content": "Let me see.", "reasoning_content": thought}
        server.queue = [server.body(message)]
        server.answer = lambda _: server.says(SUBMIT, text='<tool_call>{"name": "submit"}</tool_call>')
        assert calls(flown(server, protocol=mode)) == [[], [SUBMIT]]


def test_b21_a_refused_history_is_infrastructure_and_no_failed_episode(
    server: Server, tmp_path: Path
) -> None:
    server.known = None
    server.answer = lambda asked: thinking(server, asked)
    assert server.fly(tmp_path) == []
    assert "reasoning_content must be passed back" in (tmp_path / ERRORS).read_text()
    assert not (tmp_path / FILE).exists()


# B23: grader coercion, code execution, silent deletion.


@pytest.mark.parametrize("value", [None, "", "nan", [], [0], {}, {"value": 0}, False], ids=repr)
@pytest.mark.parametrize("component", ["mixture", "fuel_shutoff"])
def test_b23_no_value_becomes_zero(server: Server, component: str, value: Any) -> None:
    server.flies([("set_system", {"component": component, "value": value})])
    record = flown(server)
    assert server.told(server.asked[1])["ok"] is False
    assert record["metrics"]["writes"] == 1
    assert record["grade"]["success"] == 0.0


@pytest.mark.parametrize("mode", ["tools", "text"])
def test_b23_no_text_of_a_model_is_run(server: Server, tmp_path: Path, mode: str) -> None:
    marker = tmp_path / "acoe_pwned"
    code = f"__import__('os').system('touch {marker}')"
    wild = ("set_system", {"component": "mixture", "value": code}), (code, code), ("set_system", code)
    text = f"```python\n{code}\n```<tool_call>{code}</tool_call>"
    server.queue = [server.says(*wild, text=text)]
    server.answer = lambda _: server.says(SUBMIT, number=1, text='<tool_call>{"name":"submit"}')
    flown(server, protocol=mode)
    assert not marker.exists()


def test_b23_a_corrupt_line_costs_its_own_episode_only(server: Server, tmp_path: Path) -> None:
    server.fly(tmp_path, trials=3)
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(lines[0] + b"{]\n" + lines[2])
    found = read_run(tmp_path)
    assert [len(found.records), *found.missing] == [2, (found.configuration["tasks"][0], 1)]
    assert "line 2" in found.problems[0]


# B25: a crash loses finished results. More: test_crashes.py.


def test_b25_totals_after_a_restart_cover_all_episodes(server: Server, tmp_path: Path) -> None:
    server.flies([READ])
    tasks = library.task_ids()[:4]
    server.queue = [server.says(READ), server.says(SUBMIT, number=1), server.error(401)]
    with pytest.raises(InfrastructureError):
        server.fly(tmp_path, tasks=tasks)
    assert len(read_records(tmp_path / FILE).records) == 1
    server.fly(tmp_path, tasks=tasks)
    found = read_run(tmp_path)
    assert [record["task"] for record in found.records] == list(tasks)
    assert sum(tokens_of(record).total or 0 for record in found.records) == 4 * 2 * 110
    assert sum(record["metrics"]["turns"] for record in found.records) == 8


# B27: budget off by one.


def test_b27_a_model_that_only_reads_is_asked_48_times_and_graded(server: Server) -> None:
    server.flies(*[[READ]] * 60)
    record = flown(server)
    assert len(server.asked) == MAX_TURNS == 48
    assert (record["end"], record["metrics"]["turns"]) == ("truncated", 48)


@pytest.mark.parametrize("last", [[SUBMIT], [READ, SUBMIT]], ids=["alone", "second call"])
def test_b27_submit_in_the_last_turn_counts(server: Server, last: list[Any]) -> None:
    server.flies(*[[READ]] * 47, last)
    record = flown(server)
    assert (record["end"], record["metrics"]["turns"]) == ("submitted", 48)


def test_b27_a_reply_without_a_sound_call_costs_a_turn_and_many_calls_cost_one(server: Server) -> None:
    server.flies([], [("set_system", "{")], [READ] * 5)
    record = flown(server)
    assert [len(turn) for turn in record["turns"]] == [0, 1, 5, 1]


# What users of peer projects asked for (the list in the notes), by number there.


def test_u01_stray_quotes_after_empty_arguments_are_repaired(server: Server) -> None:
    server.flies([("list_systems", '{}""')])
    record = flown(server)
    assert calls(record)[0] == [("list_systems", {})]
    assert notes(record)[0] == ["repaired_arguments"]


def test_u13_sampling_parameters_stand_in_the_run_and_nothing_is_sent_unasked(
    server: Server, tmp_path: Path
) -> None:
    server.fly(tmp_path, params={"temperature": 0.5, "seed": 7})
    assert read_run(tmp_path).configuration["settings"]["params"] == {"temperature": 0.5, "seed": 7}
    assert set(server.asked[0]) == {"model", "messages", "tools", "tool_choice", "temperature", "seed"}


def test_u14_episodes_at_once_are_those_flown_one_by_one(server: Server) -> None:
    server.flies([READ], [("set_system", {"component": "mixture", "value": 0})])
    how: dict[str, Any] = {"tasks": library.task_ids()[:6], "trials": 2}
    assert server.fly(threads=8, **how) == server.fly(threads=1, **how)


def test_u17_a_resumed_run_holds_each_episode_once(server: Server, tmp_path: Path) -> None:
    first = server.fly(tmp_path, trials=2)
    sent = len(server.asked)
    assert server.fly(tmp_path, trials=2) == first
    assert len(server.asked) == sent
    assert len((tmp_path / FILE).read_bytes().splitlines()) == 2


def test_u24_no_tool_choice_is_forced_and_one_can_be_set(server: Server) -> None:
    server.fly()
    server.fly(params={"tool_choice": "required"})
    assert [asked.get("tool_choice") for asked in server.asked] == ["auto", "required"]


def test_u25_all_calls_of_a_reply_are_run_in_order_and_answered(server: Server) -> None:
    read = ("get_system", {"component": "mixture"})
    server.flies([read, ("set_system", {"component": "mixture", "value": 10}), read])
    flown(server)
    assert [server.told(server.asked[1], place)["value"] for place in (0, 2)] == [80, 10]


def test_u25_more_calls_than_a_turn_runs_are_all_answered(server: Server) -> None:
    server.flies([READ] * 40)
    flown(server)
    replies = [m["content"] for m in server.asked[1]["messages"] if m["role"] == "tool"]
    assert len(replies) == 40
    assert [json.loads(reply)["ok"] for reply in replies] == [True] * 32 + [False] * 8


def test_u26_parallel_calls_are_switched_off_only_where_asked_for(server: Server) -> None:
    server.fly()
    server.fly(params={"parallel_tool_calls": False})
    assert [asked.get("parallel_tool_calls") for asked in server.asked] == [None, False]


# Ids.


@pytest.mark.parametrize(
    "ids", [(..., ...), (None, ""), ("x", "x"), (7, [1]), ("a b", "\u00e9"), ("y" * 99, "")]
)
def test_ids_that_are_missing_or_used_twice_are_made_anew(server: Server, ids: tuple[Any, Any]) -> None:
    body = server.says(READ, READ)
    for call, number in zip(body["choices"][0]["message"]["tool_calls"], ids, strict=True):
        call["id"] = number
        if number is ...:
            del call["id"]
    server.queue = [body, body, server.says(SUBMIT, number=9)]
    record = flown(server)
    assert [len(turn) for turn in record["turns"]] == [2, 2, 1]
    assert "new_id" in notes(record)[0]


def test_ids_of_a_models_own_form_are_kept(server: Server) -> None:
    body = server.says(READ)
    body["choices"][0]["message"]["tool_calls"][0]["id"] = "functions.get_system:0"
    server.queue = [body, server.says(SUBMIT, number=1)]
    assert notes(flown(server))[0] == []
    assert server.asked[1]["messages"][3]["tool_call_id"] == "functions.get_system:0"


def test_arguments_that_come_as_an_object_are_read(server: Server) -> None:
    body = server.says(READ)
    body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = {"component": "rpm"}
    server.queue = [body, server.says(SUBMIT, number=1)]
    record = flown(server)
    assert calls(record)[0] == [READ]
    assert notes(record)[0] == ["arguments_not_text"]
