"""Bugs of peer projects through the whole path, from the endpoint to the metrics, by number of the report.

The part of each that needs no model is in ``tests/test_bug_reports.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import pytest

import acoe_gym  # noqa: F401 (registers the ids)
from acoe_gym.benchmark.datasets.chats import reference_turns
from acoe_gym.benchmark.records import FILE, Record, read_records, results_of
from acoe_gym.benchmark.replay import replay
from acoe_gym.benchmark.runs import ERRORS, read_run, tokens_of
from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import MAX_TURNS, play
from acoe_gym.cockpit.metrics import aggregate
from acoe_gym.cockpit.results import EpisodeResult
from acoe_gym.cockpit.tools import NAMES, TOOLS
from acoe_gym.errors import InfrastructureError
from acoe_gym.wrappers import BenchmarkMetrics, ChatPilot, LLMPolicy
from acoe_gym.wrappers.llm.chat import protocol

if TYPE_CHECKING:
    from tests.llm.conftest import Asked, Server

Call = tuple[str, Any]
TASK = "c172s/engine_restart/stopped_prop_left_tank"  # what the server flies unless told otherwise
READ: Call = ("get_system", {"component": "rpm"})
SUBMIT: Call = ("submit", {})


def solution(task: str = TASK) -> list[Call]:
    """Return the writes that solve a task, in order."""
    turns = reference_turns(library.task(task))
    return [call for turn in turns for call in turn if call[0] == "set_system"]


def replies(server: Server) -> list[str]:
    """Return every reply that the model was told of in the last episode, byte by byte."""
    return [m["content"] for m in server.asked[-1]["messages"] if m["role"] == "tool"]


def final(record: Record) -> tuple[object, ...]:
    """Return the complete state in which an episode ended, hidden variables included."""
    return tuple(play(library.task(record["task"]), calls(record)).state)


def calls(record: Record) -> list[list[Call]]:
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
    "invented tool": (("set_switch", {"component": "mixture", "value": 0}), "unknown_tool"),
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


def test_b12_three_bad_replies_in_a_row_are_each_answered_under_their_own_id(server: Server) -> None:
    server.flies(*[[call] for call, _ in BAD.values()])
    flown(server)
    answers = [m for m in server.asked[-1]["messages"] if m["role"] == "tool"]
    assert [(m["tool_call_id"], json.loads(m["content"])["error"]["code"]) for m in answers] == [
        (f"c{turn}_0", code) for turn, (_, code) in enumerate(BAD.values())
    ]


def test_b12_the_answers_say_that_json_is_bad_or_name_the_tools(server: Server) -> None:
    server.flies(*[[call] for call, _ in BAD.values()])
    flown(server)
    bad_json, invented, prefixed = (json.loads(reply)["error"] for reply in replies(server))
    assert (bad_json["legal"], invented["legal"], prefixed["legal"]) == (
        "a JSON object", list(NAMES), list(NAMES),
    )  # fmt: skip
    assert "expect one JSON object" in bad_json["message"]
    assert "'set_switch'" in invented["message"]
    assert "'functions.get_system'" in prefixed["message"]


def test_b12_bad_replies_change_nothing(server: Server) -> None:
    server.flies(*[[call] for call, _ in BAD.values()])
    assert final(flown(server)) == library.task(TASK).initial


def test_b12_bad_replies_cost_their_turns_and_the_task_can_still_be_won(server: Server) -> None:
    server.flies(solution())
    clean = flown(server)
    server.flies(*[[call] for call, _ in BAD.values()], solution())
    record = flown(server)
    assert record["metrics"]["turns"] == clean["metrics"]["turns"] + 3
    assert (record["end"], record["grade"], final(record)) == ("submitted", clean["grade"], final(clean))
    assert record["grade"]["success"] == 1.0


def test_b12_failed_calls_lower_the_tool_selection_score(server: Server) -> None:
    server.flies(*[[call] for call, _ in BAD.values()], [READ])
    record = flown(server)
    assert aggregate(results_of([record]), 0).tool_selection.pooled == pytest.approx(1 / 4)


# B14: inconsistent value coercion.


HUGE = "1" + "0" * 400
NO_NUMBERS = [
    '"68 KIAS"', '"RICH"', '"ric"', '""', "true", "false", "null", '"NaN"', "1e309", "-1e309", HUGE, "[68]",
    '{"value": 68}',
]  # fmt: skip
NO_TEXTS = ["68", "68.0", "-0.0", "true", "false", "null", "1e309", HUGE, '["KPAO"]', "{}"]
EVERY = [
    "68", "68.0", '"68"', '" 68 "', '"68 KIAS"', '"6.8e1"', "true", "null", '"NaN"', "1e309", HUGE, "-0.0",
    '"RICH"', '"rich"', '"Rich "', '"ric"',
]  # fmt: skip


class Slot(NamedTuple):
    """An argument of a tool, with the others that the tool needs and a value that is legal."""

    tool: str
    name: str
    rest: dict[str, Any]
    legal: Any

    def call(self, raw: str) -> Call:
        """Return a call whose argument is this JSON text."""
        rest = "".join(f"{json.dumps(name)}: {json.dumps(value)}, " for name, value in self.rest.items())
        return self.tool, f'{{{rest}"{self.name}": {raw}}}'


def params(slots: Iterable[Slot]) -> list[Any]:
    """Return slots as parameters."""
    return [
        pytest.param(slot, id="-".join([slot.tool, slot.name, *filter(None, [slot.rest.get("component")])]))
        for slot in slots
    ]


def asks_the_same(server: Server, slot: Slot, forms: list[str]) -> None:
    """Ask for the slot's legal value in several forms: one value, one answer."""
    server.flies([slot.call(raw) for raw in forms])
    turn = calls(flown(server))[0]
    answers = replies(server)
    assert json.loads(answers[0])["ok"] is True
    assert answers == answers[:1] * len(forms)
    assert {json.dumps(arguments[slot.name]).strip('"') for _, arguments in turn} == {str(slot.legal)}


LOADS = ("front_seats_lb", "rear_seats_lb", "baggage_a_lb", "baggage_b_lb", "fuel_gal")
TAKEOFF = {"chart": "takeoff_distance", "pressure_altitude_ft": 1000, "temperature_c": 20}
WARMTH = {"chart": "takeoff_distance", "pressure_altitude_ft": 1000}
NUMBERS = [
    Slot("set_system", "value", {"component": "target_airspeed"}, 68),
    Slot("set_system", "value", {"component": "flaps"}, 10),
    Slot("get_winds_aloft", "altitude_ft", {"station": "KPAO"}, 6800),
    *(Slot("get_weight_balance", load, {}, 68) for load in LOADS),
    Slot("get_performance", "pressure_altitude_ft", {"chart": "climb"}, 6800),
    Slot("get_performance", "temperature_c", WARMTH, 20),
    Slot("get_performance", "headwind_kt", TAKEOFF, 9),
    Slot("get_performance", "flaps", TAKEOFF, 10),
]
ZEROS = [
    Slot("set_system", "value", {"component": "mixture"}, 0),
    *(Slot("get_weight_balance", load, {}, 0) for load in LOADS),
    Slot("get_performance", "pressure_altitude_ft", {"chart": "climb"}, 0),
    Slot("get_performance", "temperature_c", WARMTH, 0),
    Slot("get_performance", "headwind_kt", TAKEOFF, 0),
]
STATIONS = ("get_metar", "get_taf", "get_notams", "get_airport_info", "get_winds_aloft")
WORDS = [
    Slot("set_system", "value", {"component": "mixture"}, "RICH"),
    Slot("set_system", "value", {"component": "fuel_selector"}, "BOTH"),
    Slot("set_system", "component", {"value": 68}, "TARGET_AIRSPEED"),
    Slot("get_system", "component", {}, "OIL_PRES"),
    *(Slot(tool, "station", {}, "KPAO") for tool in STATIONS),
    Slot("get_performance", "chart", {"pressure_altitude_ft": 6800}, "CLIMB"),
    Slot("get_performance", "surface", TAKEOFF, "PAVED"),
    Slot("get_performance", "flaps", {**TAKEOFF, "chart": "landing_distance"}, "FULL"),
]
QUERY = Slot("lookup_regulation", "query", {}, "FUEL")


def test_b14_the_matrix_holds_every_argument_of_every_tool() -> None:
    held = {(slot.tool, slot.name) for slot in (*NUMBERS, *WORDS, QUERY)}
    assert held == {(tool.name, name) for tool in TOOLS.values() for name in tool.parameters}


@pytest.mark.parametrize("slot", params(NUMBERS))
def test_b14_a_number_is_one_value_however_a_model_writes_it(server: Server, slot: Slot) -> None:
    n = slot.legal
    asks_the_same(server, slot, [f"{n}", f"{n}.0", f'"{n}"', f'" {n} "', f'"{n / 10}e1"'])


@pytest.mark.parametrize("slot", params(ZEROS))
def test_b14_minus_zero_is_zero(server: Server, slot: Slot) -> None:
    asks_the_same(server, slot, ["0", "0.0", "-0.0", '"-0.0"', '"-0"'])


@pytest.mark.parametrize("slot", params(NUMBERS))
def test_b14_what_is_no_number_is_rejected_with_what_is_legal(server: Server, slot: Slot) -> None:
    server.flies([slot.call(raw) for raw in NO_NUMBERS])
    flown(server)
    errors = [json.loads(reply).get("error") for reply in replies(server)]
    assert [bool(error and error["legal"]) for error in errors] == [True] * len(NO_NUMBERS)


@pytest.mark.parametrize("slot", params(WORDS))
def test_b14_a_word_is_read_whatever_its_case_and_blanks(server: Server, slot: Slot) -> None:
    word = slot.legal
    server.flies([slot.call(json.dumps(form)) for form in (word, word.lower(), f"{word.capitalize()} ")])
    flown(server)
    answers = replies(server)
    assert json.loads(answers[0])["ok"] is True
    assert answers == answers[:1] * 3


@pytest.mark.parametrize("slot", params(WORDS))
def test_b14_a_word_cut_short_is_rejected_with_what_is_legal(server: Server, slot: Slot) -> None:
    server.flies([slot.call(json.dumps(slot.legal[:-1].lower()))])
    flown(server)
    (reply,) = replies(server)
    assert json.loads(reply)["error"]["legal"]


@pytest.mark.parametrize("slot", params([*WORDS[1:], QUERY]))
def test_b14_what_is_no_text_is_no_word(server: Server, slot: Slot) -> None:
    server.flies([slot.call(raw) for raw in NO_TEXTS])
    flown(server)
    errors = [json.loads(reply).get("error") for reply in replies(server)]
    assert [bool(error and error["legal"]) for error in errors] == [True] * len(NO_TEXTS)


@pytest.mark.parametrize("component", ["target_airspeed", "mixture", "flaps", "fuel_selector"])
def test_b14_a_rejected_form_changes_nothing_and_counts_as_a_write(server: Server, component: str) -> None:
    wrong = [raw for raw in NO_NUMBERS if raw != '"RICH"']
    server.flies([Slot("set_system", "value", {"component": component}, None).call(raw) for raw in wrong])
    record = flown(server)
    assert final(record) == library.task(TASK).initial
    assert record["metrics"]["writes"] == record["metrics"]["ineffective_writes"] == len(wrong)


@pytest.mark.parametrize("again", ["68.0", '"68"', '" 68 "', '"6.8e1"'])
def test_b14_the_same_number_in_another_form_is_no_second_write(server: Server, again: str) -> None:
    speed = NUMBERS[0]
    server.flies([speed.call("68"), speed.call("68")])
    plain = flown(server)
    server.flies([speed.call("68"), speed.call(again)])
    assert flown(server) == plain
    assert [plain["metrics"][name] for name in ("writes", "ineffective_writes")] == [2, 1]


def test_b14_what_is_not_finite_reaches_no_result(server: Server, tmp_path: Path) -> None:
    wild = ["NaN", "1e309", "-1e309", HUGE, '"NaN"', '"Infinity"']
    server.flies(*[[slot.call(raw) for raw in wild] for slot in NUMBERS])
    flown(server, out=tmp_path)
    lines = [*replies(server), *(tmp_path / FILE).read_text(encoding="ascii").splitlines()]
    assert len(lines) == len(wild) * len(NUMBERS) + 1
    for line in lines:
        json.loads(line, parse_constant=pytest.fail)
        assert HUGE not in line


@pytest.mark.parametrize("slot", params([*NUMBERS, *WORDS, QUERY]))
def test_b14_the_path_answers_every_form_as_the_core_does(server: Server, slot: Slot) -> None:
    forms = [*EVERY, json.dumps(slot.legal), json.dumps(f" {slot.legal} ".lower())]
    server.flies([slot.call(raw) for raw in forms])
    flown(server)
    native = [(slot.tool, {**slot.rest, slot.name: json.loads(raw)}) for raw in forms]
    assert replies(server) == [call.reply for call in play(library.task(TASK), [native]).log]


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


def signing(server: Server, asked: Asked) -> Any:
    """Answer as a server that wants the signature of each call back."""
    spoken = [m for m in asked["messages"] if m["role"] == "assistant"]
    if any(call.get("extra_content") != {"signature": "s"} for m in spoken for call in m["tool_calls"]):
        return server.error(400, "missing a thought_signature")
    body = server.says(*([READ] if len(spoken) < 2 else [SUBMIT]), number=len(spoken))
    body["choices"][0]["message"]["tool_calls"][0]["extra_content"] = {"signature": "s"}
    return body


@pytest.mark.parametrize("echo", [("extra_content",), ("all",)])
def test_b21_a_switch_sends_fields_of_calls_back_unchanged(server: Server, echo: tuple[str, ...]) -> None:
    server.known = ("extra_content",)
    server.answer = lambda asked: signing(server, asked)
    assert calls(flown(server, echo=echo)) == [[READ], [READ], [SUBMIT]]


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


FORCED = "c172s/forced_landing/assured_call_belts_loose"
# Controls that a goal wants at 0 or OFF, and the forms that are those. MAGNETOS stores OFF as 0, FUEL SHUTOFF
# as 1.
NOTHING: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "mixture": (FORCED, "mixture_cutoff", ("0", '"0"')),
    "magnetos": (FORCED, "fuel_and_ignition_off", ('"OFF"',)),
    "fuel_shutoff": (FORCED, "fuel_and_ignition_off", ('"OFF"',)),
    "flaps": ("pa44/gear_extension/horn_in_descent", "clean", ("0", '"0"')),
}
FALSY = [
    "0", '"0"', "false", "true", '"OFF"', '""', "null", '"nan"', "[]", "[0]", "{}", '{"value": 0}',
    '"False"', '"1 - 1"',
]  # fmt: skip


@pytest.mark.parametrize("value", FALSY)
@pytest.mark.parametrize("control", NOTHING)
def test_b23_a_goal_of_nothing_is_met_by_that_value_only(server: Server, control: str, value: str) -> None:
    task, goal, legal = NOTHING[control]
    asked = Slot("set_system", "value", {"component": control}, None).call(value)
    server.flies([asked if call[1]["component"] == control else call for call in solution(task)])
    grade = flown(server, tasks=(task,))["grade"]
    told = [json.loads(reply)["ok"] for reply in replies(server)]
    assert (told.count(False), goal in grade["goals_missed"], grade["success"]) == (
        (0, False, 1.0) if value in legal else (1, True, 0.0)
    )


def test_b23_a_hidden_flag_that_a_goal_wants_false_cannot_be_set(server: Server) -> None:
    task = "c172s/engine_fire/climbing_landing_assured"
    server.flies([("set_system", {"component": "fire.engine", "value": no}) for no in (False, 0, "OFF")])
    record = flown(server, tasks=(task,))
    assert [json.loads(reply)["error"]["code"] for reply in replies(server)] == ["unknown_component"] * 3
    assert "fire_out" in record["grade"]["goals_missed"]
    assert final(record) == library.task(task).initial


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


@pytest.mark.parametrize("turn", [[], [("set_system", "{")]], ids=["no call", "malformed call"])
def test_b27_a_model_that_never_calls_soundly_is_asked_48_times(server: Server, turn: list[Call]) -> None:
    server.flies(*[turn] * 60)
    record = flown(server)
    assert (len(server.asked), record["end"], record["metrics"]["turns"]) == (48, "truncated", 48)


@pytest.mark.parametrize("together", [False, True], ids=["submit alone", "with all the work"])
def test_b27_the_last_turn_can_end_in_success(server: Server, together: bool) -> None:
    turns = [[*solution(), SUBMIT]] if together else [solution(), [SUBMIT]]
    server.flies(*[[READ]] * (48 - len(turns)), *turns)
    record = flown(server)
    assert (record["end"], record["metrics"]["turns"]) == ("submitted", 48)
    assert record["grade"]["success"] == 1.0


PUMP_ON: Call = ("set_system", {"component": "fuel_pump", "value": "ON"})


@pytest.mark.parametrize(
    ("turns", "missed"),
    [([solution()], []), ([solution(), [PUMP_ON]], ["pump_off"])],
    ids=["done in turn 48", "undone in turn 48"],
)
def test_b27_an_episode_cut_by_the_budget_is_graded_from_its_final_state(
    server: Server, turns: list[list[Call]], missed: list[str]
) -> None:
    server.flies(*[[READ]] * (48 - len(turns)), *turns)
    record = flown(server)
    assert (record["end"], len(server.asked)) == ("truncated", 48)
    assert record["grade"]["goals_missed"] == missed
    assert record["grade"]["success"] == float(not missed)


class Looped(NamedTuple):
    """How a plain Gymnasium loop ended, and the result that its wrapper kept."""

    steps: int
    terminated: bool
    truncated: bool
    result: EpisodeResult


def looped(server: Server, limit: int, **how: Any) -> Looped:
    """Fly a model behind the endpoint in a loop of its own, under a time limit."""
    limited = gym.wrappers.TimeLimit(gym.make("ACOE-C172S-EngineRestart-v0", **how), limit)
    env, pilot = BenchmarkMetrics(limited), ChatPilot(LLMPolicy("m", server.url, timeout=5))
    observation, _ = env.reset(options={"task": TASK})
    steps, terminated, truncated = 0, False, False
    while not (terminated or truncated):
        observation, _, terminated, truncated, _ = env.step(pilot(observation))
        steps += 1
    assert server.complaints == []
    return Looped(steps, terminated, truncated, env.results[0])


@pytest.mark.parametrize("limit", [1, 5])
def test_b27_a_time_limit_truncates_and_the_state_is_graded(server: Server, limit: int) -> None:
    server.flies(*[[READ]] * (limit - 1), solution())
    flight = looped(server, limit)
    assert (flight.steps, flight.terminated, flight.truncated) == (limit, False, True)
    assert (flight.result.end, flight.result.turns, flight.result.success) == ("truncated", limit, 1.0)
    assert len(server.asked) == limit


def test_b27_submit_in_the_last_step_of_a_time_limit_counts(server: Server) -> None:
    server.flies([*solution(), SUBMIT])
    flight = looped(server, 1)
    assert flight.terminated
    assert (flight.result.end, flight.result.success) == ("submitted", 1.0)


@pytest.mark.parametrize("how", [{}, {"max_episode_steps": 100}], ids=["as registered", "with a limit"])
def test_b27_a_longer_time_limit_leaves_the_budget_at_48_turns(server: Server, how: dict[str, int]) -> None:
    server.flies(*[[READ]] * 60)
    flight = looped(server, 60, **how)
    assert (flight.steps, flight.truncated, flight.result.turns) == (48, True, 48)


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
