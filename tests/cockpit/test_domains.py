"""Legal values, and the one policy for values: semantics section 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Call, Outcome
from acoe_gym.cockpit.domains import Domain, Flag, Positions, Range, Value, as_number, shown
from acoe_gym.cockpit.episode import LONGEST_REPLY, Episode
from acoe_gym.errors import CallRejected

if TYPE_CHECKING:
    from tests.conftest import Pilot

Fly = Callable[[str], "Pilot"]

MIXTURE = Range(0, 100, 1, "%", (("IDLE CUTOFF", 0), ("RICH", 100)), (0, 50, 80, 100))
BARO = Range(28, 31, 0.01, "inHg")
CODE = Range(0, 7777, 1, octal=True)
SELECTOR = Positions(("LEFT", "RIGHT", "BOTH"))
FLAPS = Positions(("UP", "10", "20", "FULL"), ordered=True)
EVERY: tuple[Domain, ...] = (MIXTURE, BARO, CODE, SELECTOR, FLAPS, Flag())

NO_NUMBERS = [
    True,
    False,
    None,
    [],
    {},
    [68],
    {"value": 68},
    b"68",
    bytearray(b"68"),
    pytest.param(memoryview(b"68"), id="memoryview"),
    "",
    " ",
    "NaN",
    "inf",
    "-Infinity",
    float("nan"),
    float("inf"),
    1e309,
    10**400,
    "1e309",
    "68 KIAS",
    "68%",
    "6_8",
    "0x44",
    "1,000",
    "6 8",
    "--68",
    "1e",
    "\uff16\uff18",
    "\u0666\u0668",
    "6" * 5000,
    "__import__('os').getcwd()",
]


@pytest.mark.parametrize("raw", [68, 68.0, "68", " 68 ", "68.0", "6.8e1", "+68", "\t68\n", "680e-1", "0068"])
def test_a_number_may_be_written_in_every_plain_form(raw: object) -> None:
    stored = MIXTURE.parse(raw)
    assert (stored, type(stored)) == (68, int)


@pytest.mark.parametrize("raw", [0, 0.0, -0.0, "0", "-0", "-0.0", "0e5", "IDLE CUTOFF", "idle cutoff"])
def test_zero_is_one_value(raw: object) -> None:
    assert repr(MIXTURE.parse(raw)) == "0"


@pytest.mark.parametrize("raw", ["RICH", "rich", "Rich ", " RICH", 100, "100"])
def test_names_of_numbers_match_without_regard_to_case_and_blanks(raw: object) -> None:
    assert MIXTURE.parse(raw) == 100


@pytest.mark.parametrize("raw", NO_NUMBERS, ids=shown)
def test_what_is_no_plain_number_is_rejected_with_the_legal_form(raw: object) -> None:
    assert as_number(raw) is None
    for domain in (MIXTURE, BARO, CODE):
        with pytest.raises(CallRejected) as caught:
            domain.parse(raw)
        assert caught.value.code == "illegal_value"
        assert caught.value.legal == domain.legal()


@pytest.mark.parametrize("raw", [*NO_NUMBERS, 68, "ric", "LEF", 0, 1, 2, "0"], ids=shown)
def test_what_is_no_position_is_rejected_with_the_positions(raw: object) -> None:
    with pytest.raises(CallRejected) as caught:
        SELECTOR.parse(raw)
    assert caught.value.code == "illegal_value"
    assert caught.value.legal == ["LEFT", "RIGHT", "BOTH"]


def test_a_near_miss_is_told_the_nearest_position() -> None:
    with pytest.raises(CallRejected) as caught:
        SELECTOR.parse("botth")
    assert caught.value.message == "expected one of LEFT, RIGHT, BOTH, got 'botth'; nearest: BOTH"


@pytest.mark.parametrize("raw", ["BOTH", "both", "Both ", "\nbOTH\t"])
def test_positions_match_without_regard_to_case_and_blanks(raw: object) -> None:
    assert SELECTOR.parse(raw) == 2


@pytest.mark.parametrize("raw", ["10", 10, 10.0, " 10 "])
def test_a_position_that_reads_as_a_number_may_be_asked_for_as_one(raw: object) -> None:
    assert FLAPS.parse(raw) == 1


@pytest.mark.parametrize("raw", [True, 1, 10.5, 1e309, "ten"])
def test_other_numbers_are_no_positions(raw: object) -> None:
    with pytest.raises(CallRejected):
        FLAPS.parse(raw)


@pytest.mark.parametrize("raw", [-1, 101, "101", -0.5, 10**17, 1e300])
def test_out_of_range_names_the_range(raw: object) -> None:
    with pytest.raises(CallRejected) as caught:
        MIXTURE.parse(raw)
    assert caught.value.code == "out_of_range"
    assert caught.value.message == f"expected 0 to 100 % in steps of 1 or IDLE CUTOFF, RICH, got {shown(raw)}"


def test_off_step_names_both_neighbours() -> None:
    with pytest.raises(CallRejected) as caught:
        BARO.parse(29.925)
    assert caught.value.code == "off_step"
    assert caught.value.legal == [29.92, 29.93]


@pytest.mark.parametrize("raw", [8, 1208, 1290, "7778", 7777.5])
def test_a_transponder_code_has_digits_zero_to_seven(raw: object) -> None:
    with pytest.raises(CallRejected):
        CODE.parse(raw)


@pytest.mark.parametrize(
    ("raw", "stored"), [(7700, 7700), ("0700", 700), (0, 0), (7777, 7777), ("1200 ", 1200)]
)
def test_octal_codes_are_kept_as_they_read(raw: object, stored: int) -> None:
    assert CODE.parse(raw) == stored


@pytest.mark.parametrize("raw", [0, 1, "true", "false", None, 0.0, "OFF"])
def test_a_flag_is_true_or_false_and_nothing_like_it(raw: object) -> None:
    assert (Flag().parse(True), Flag().parse(False)) == (True, False)
    with pytest.raises(CallRejected, match="expected true or false"):
        Flag().parse(raw)


@pytest.mark.parametrize(
    "raw",
    ["\u00b0", "x" * 5000, {"a": "\u20ac" * 100}, 10**5000, b"\xff"],
    ids=lambda raw: type(raw).__name__,
)
def test_what_came_is_echoed_short_and_in_ascii(raw: object) -> None:
    assert shown(raw).isascii()
    assert len(shown(raw)) <= 60


# General rules.

ranges = st.builds(
    lambda low, steps, step: Range(low, round(low + steps * step, 6), step),
    st.sampled_from([0, 28, -40, 118, 0.5]),
    st.integers(2, 400),
    st.sampled_from([1, 5, 0.5, 0.01, 0.005, 0.25]),
)
anything: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=50), st.binary(max_size=8)
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@given(ranges, st.data())
def test_every_step_is_one_value_however_it_is_written(domain: Range, data: st.DataObject) -> None:
    steps = data.draw(st.integers(0, round((domain.high - domain.low) / domain.step)))
    value = domain.on_grid(steps)
    for raw in (value, float(value), str(value), f" {value:.4f} ", f"{value:.8e}"):
        assert repr(domain.parse(raw)) == repr(value)
    assert domain.holds(value)


@given(ranges, st.data())
def test_between_two_steps_nothing_is_legal_and_both_are_named(domain: Range, data: st.DataObject) -> None:
    steps = data.draw(st.integers(0, round((domain.high - domain.low) / domain.step) - 1))
    with pytest.raises(CallRejected) as caught:
        domain.parse(float(domain.on_grid(steps)) + domain.step / 2)
    assert caught.value.code == "off_step"
    assert caught.value.legal == [domain.on_grid(steps), domain.on_grid(steps + 1)]


def judged(domain: Domain, raw: object) -> Value | CallRejected:
    try:
        return domain.parse(raw)
    except CallRejected as error:
        return error


@given(anything, st.sampled_from(EVERY))
def test_anything_is_a_legal_value_or_rejected_in_ascii(raw: object, domain: Domain) -> None:
    found = judged(domain, raw)
    if isinstance(found, CallRejected):
        assert str(found).isascii()
        assert found.legal
    else:
        assert domain.holds(found)
        assert domain.parse(domain.show(found)) == found


@pytest.mark.parametrize("domain", EVERY, ids=repr)
def test_every_choice_is_legal_and_differs(domain: Domain) -> None:
    choices = domain.choices()
    assert all(domain.holds(value) for value in choices)
    assert len(set(choices)) == len(choices) >= 2


def test_settable_limits_what_can_be_commanded_not_what_can_stand() -> None:
    breaker = Positions(("IN", "OUT"), settable=("IN",))
    assert (breaker.choices(), breaker.commandable(), breaker.legal()) == ((0, 1), (0,), ["IN"])


# The same policy in every tool.

STOPPED = "c172s/engine_restart/stopped_prop_left_tank"


def alike(call: Call) -> tuple[bool, str, str, Any]:
    """What the pilot gets to know, but for how the value was written."""
    return call.outcome is Outcome.REJECTED, call.arguments, call.reply, call.violated


SPELLINGS: dict[str, list[Any]] = {
    "target_airspeed": [68, 68.0, "68", " 68 ", "68.0", "6.8e1"],
    "fuel_selector": ["BOTH", "both", "Both ", "\tbOTH"],
    "flaps": ["10", 10, 10.0, " 10 "],
    "xpdr_code": [7700, 7700.0, "7700", " 7.7e3 "],
    "mixture": ["RICH", "rich", "Rich ", 100, "100", "1e2"],
    "throttle": [0, 0.0, -0.0, "-0", "IDLE", "idle"],
}


@pytest.mark.parametrize("component", SPELLINGS)
def test_every_spelling_of_a_value_is_the_same_write(fly: Fly, component: str) -> None:
    calls = [fly(STOPPED).set(**{component: raw})[0] for raw in SPELLINGS[component]]
    assert calls[0].outcome is Outcome.RUN
    assert {alike(call) for call in calls} == {alike(calls[0])}


@pytest.mark.parametrize("component", SPELLINGS)
def test_the_second_spelling_of_a_value_changes_nothing(fly: Fly, component: str) -> None:
    pilot = fly(STOPPED)
    outcomes = [pilot.set(**{component: raw})[0].outcome for raw in SPELLINGS[component]]
    assert outcomes == [Outcome.RUN] + [Outcome.UNCHANGED] * (len(outcomes) - 1)


@pytest.mark.parametrize("raw", NO_NUMBERS, ids=shown)
@pytest.mark.parametrize("component", SPELLINGS)
def test_what_is_no_value_is_rejected_by_every_control(fly: Fly, component: str, raw: object) -> None:
    error = fly(STOPPED).error("set_system", component=component, value=raw)
    assert error["code"] in ("illegal_value", "out_of_range")
    assert error["legal"]


@pytest.mark.parametrize(
    ("component", "raw"),
    [
        ("mixture", "ric"),
        ("fuel_selector", 2),
        ("fuel_selector", 0),
        ("flaps", 15),
        ("xpdr_code", 68),
        ("xpdr_code", 7790),
        ("target_airspeed", 68.5),
        ("target_airspeed", -0.0),
        ("magnetos", "RIGHT"),
        ("cb_elec1_flaps", "OUT"),
    ],
)
def test_a_value_of_another_control_is_rejected(fly: Fly, component: str, raw: object) -> None:
    assert fly(STOPPED).error("set_system", component=component, value=raw)["legal"]


# A tool, its other arguments, and a good value of the one in question.
Question = tuple[str, dict[str, object], Any]
NUMBERS: dict[str, Question] = {
    "altitude_ft": ("get_winds_aloft", {"station": "KPAO"}, 3000),
    "front_seats_lb": ("get_weight_balance", {}, 300),
    "pressure_altitude_ft": ("get_performance", {"chart": "takeoff_distance", "temperature_c": 20}, 2000),
    "temperature_c": ("get_performance", {"chart": "takeoff_distance", "pressure_altitude_ft": 2000}, 20),
}
TEXTS: dict[str, Question] = {
    "station": ("get_metar", {}, "KPAO"),
    "query": ("lookup_regulation", {}, "91.151"),
    "chart": ("get_performance", {"pressure_altitude_ft": 2000, "temperature_c": 20}, "takeoff_distance"),
}


def ask(name: str, raw: object) -> Call:
    tool, rest, _ = {**NUMBERS, **TEXTS}[name]
    return Episode(library.task(STOPPED)).one(tool, {**rest, name: raw})


@pytest.mark.parametrize("name", NUMBERS)
def test_every_spelling_of_a_number_is_the_same_question(name: str) -> None:
    number = float(NUMBERS[name][2])
    calls = [ask(name, raw) for raw in (int(number), number, f"{number:g}", f" {number} ", f"{number:.6e}")]
    assert calls[0].outcome is Outcome.RUN
    assert {alike(call) for call in calls} == {alike(calls[0])}


@pytest.mark.parametrize("raw", NO_NUMBERS, ids=shown)
@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_no_number_is_rejected_by_every_tool(name: str, raw: object) -> None:
    error = json.loads(ask(name, raw).reply)["error"]
    assert (error["code"], error["legal"]) == ("bad_argument", "a number")
    assert error["message"].startswith(f"{name} expects a number, got ")


@pytest.mark.parametrize("raw", [68, 68.0, True, None, [], {}, ["KPAO"]], ids=shown)
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_text_is_rejected_by_every_tool(name: str, raw: object) -> None:
    error = json.loads(ask(name, raw).reply)["error"]
    assert error == {
        "code": "bad_argument",
        "message": f"{name} expects a text, got {raw!r}",
        "legal": "a text",
    }


@pytest.mark.parametrize("name", ["station", "chart"])
def test_texts_match_without_regard_to_case_and_blanks(name: str) -> None:
    text = str(TEXTS[name][2])
    replies = {ask(name, raw).reply for raw in (text, text.lower(), f" {text.title()}\n")}
    assert len(replies) == 1
    assert json.loads(replies.pop())["ok"] is True


@pytest.mark.parametrize(
    "text", ["", "x" * 5000, "\u00b0\u20ac\U0001f525", "a\nb\0c", "\ud800", '"}]'], ids=ascii
)
@pytest.mark.parametrize("name", TEXTS)
def test_odd_texts_are_answered_in_ascii(name: str, text: str) -> None:
    call = ask(name, text)
    assert call.reply.isascii()
    assert len(call.reply) <= LONGEST_REPLY
    json.loads(call.reply)
