"""The language of conditions: semantics section 7."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.expressions import BOOL, LINES, NUMBER, Literal, Node, Type, parse
from acoe_gym.cockpit.fold import fold
from acoe_gym.cockpit.procedure import evaluate
from acoe_gym.cockpit.program import Program
from acoe_gym.errors import SpecError

pytestmark = pytest.mark.usefixtures("pump")
State = Mapping[str, Any]
DRAIN = ("SHUT", "HALF", "OPEN")
VALVE = ("SHUT", "OPEN")


class Tree(NamedTuple):
    """One expression, twice: as the text of the language, and as plain Python over named values."""

    text: str
    value: Callable[[State], Any]


def program() -> Program:
    return library.program("pump/priming")


def checked(text: object, expected: Type = BOOL, asked: Type | None = None) -> Node:
    return parse(text, program().template.names, expected, "file [table] key", asked)


def compiled(text: object, state: State) -> object:
    return program().condition(checked(text))(stored(state))


def stored(state: State) -> list[Any]:
    return [{**program().template.normal, **state}[name] for name in program().variables]


# Random trees. Positions are named in the text and compared as their place on the panel in Python.

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def flow(s: State) -> Any:
    return s["speed"] / 10 if s["running"] and (s["east_valve"] == 1 or s["west_valve"] == 1) else 0


def named(name: str) -> Tree:
    return Tree(name, lambda s: s[name])


def arithmetic(op: str, a: Tree, b: Tree) -> Tree:
    work = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op]
    return Tree(f"({a.text} {op} {b.text})", lambda s: work(a.value(s), b.value(s)))


def divided(a: Tree, by: float) -> Tree:
    return Tree(f"({a.text} / {by})", lambda s: a.value(s) / by)


def negative(a: Tree) -> Tree:
    return Tree(f"(-{a.text})", lambda s: -a.value(s))


def choice(test: Tree, yes: Tree, no: Tree) -> Tree:
    text = f"({yes.text} if {test.text} else {no.text})"
    return Tree(text, lambda s: yes.value(s) if test.value(s) else no.value(s))


def chain(first: Tree, rest: list[tuple[str, Tree]]) -> Tree:
    def value(s: State) -> bool:
        parts = [first.value(s), *(part.value(s) for _, part in rest)]
        return all(COMPARE[op](parts[i], parts[i + 1]) for i, (op, _) in enumerate(rest))

    return Tree(f"({first.text}{''.join(f' {op} {part.text}' for op, part in rest)})", value)


def logic(op: str, parts: list[Tree]) -> Tree:
    text = f"({f' {op} '.join(part.text for part in parts)})"
    judge = all if op == "and" else any
    return Tree(text, lambda s: judge(part.value(s) for part in parts))


def negated(a: Tree) -> Tree:
    return Tree(f"(not {a.text})", lambda s: not a.value(s))


def member(name: str, places: tuple[str, ...], chosen: list[str], word: str) -> Tree:
    indices = [places.index(text) for text in chosen]
    text = f"({name} {word} ({', '.join(chosen)},))"
    return Tree(text, lambda s: (s[name] in indices) == (word == "in"))


def position(text: str, places: tuple[str, ...], quote: str) -> Tree:
    return Tree(f"{quote}{text}{quote}", lambda _: places.index(text))


plain_numbers = st.one_of(st.integers(0, 100), st.sampled_from([0.5, 2.25, 7.5])).map(
    lambda n: Tree(repr(n), lambda _: n)
)
number_names = st.sampled_from([named("speed"), named("level"), Tree("flow.now", flow), Tree("flow", flow)])
flags = st.sampled_from(
    [
        named("running"),
        named("fault.motor"),
        Tree("true", lambda _: True),
        Tree("false", lambda _: False),
        Tree("('HUMMING' in operator)", lambda s: s["running"]),
        Tree("('HUMMING' not in operator)", lambda s: not s["running"]),
        Tree("('NO FLOW' in alarms)", lambda s: s["running"] and flow(s) == 0),
    ]
)
drains = st.one_of(
    st.just(named("drain")),
    st.builds(position, st.sampled_from(DRAIN), st.just(DRAIN), st.sampled_from(["", "'"])),
)
members = st.one_of(
    st.builds(
        member,
        st.just("drain"),
        st.just(DRAIN),
        st.lists(st.sampled_from(DRAIN), min_size=1, max_size=3),
        st.sampled_from(["in", "not in"]),
    ),
    st.builds(
        member,
        st.just("east_valve"),
        st.just(VALVE),
        st.lists(st.sampled_from(VALVE), min_size=1, max_size=2),
        st.sampled_from(["in", "not in"]),
    ),
)
drain_chains = st.builds(
    chain,
    st.just(named("drain")),
    st.lists(st.tuples(st.sampled_from(list(COMPARE)), drains), min_size=1, max_size=2),
)


def numbers_over(numbers: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.builds(arithmetic, st.sampled_from(["+", "-", "*"]), numbers, numbers),
        st.builds(divided, numbers, st.sampled_from([2, 0.5, 3])),
        numbers.map(negative),
    )


arithmetics = st.recursive(plain_numbers | number_names, numbers_over, max_leaves=5)
number_chains = st.builds(
    chain,
    arithmetics,
    st.lists(st.tuples(st.sampled_from(list(COMPARE)), arithmetics), min_size=1, max_size=2),
)


def conditions_over(conditions: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    chosen = st.builds(choice, conditions, arithmetics, arithmetics)
    return st.one_of(
        st.builds(logic, st.sampled_from(["and", "or"]), st.lists(conditions, min_size=2, max_size=3)),
        conditions.map(negated),
        st.builds(choice, conditions, conditions, conditions),
        st.builds(lambda a, b: chain(a, [("<=", b)]), chosen, arithmetics),
    )


conditions = st.recursive(flags | members | drain_chains | number_chains, conditions_over, max_leaves=6)
states = st.fixed_dictionaries(
    {
        "speed": st.integers(0, 20).map(lambda n: 5 * n),
        "level": st.integers(0, 20).map(lambda n: n / 2),
        "drain": st.integers(0, 2),
        "east_valve": st.integers(0, 1),
        "west_valve": st.integers(0, 1),
        "running": st.booleans(),
        "fault.motor": st.booleans(),
    }
)


@given(conditions, states)
def test_a_compiled_condition_means_what_python_means_by_the_same_tree(tree: Tree, state: State) -> None:
    assert compiled(tree.text, state) == tree.value(state)


@given(conditions, states)
def test_folding_everything_known_evaluates_the_condition(tree: Tree, state: State) -> None:
    known = dict(zip(program().variables, stored(state), strict=True))
    assert fold(checked(tree.text), program().template.names, known) == Literal(bool(tree.value(state)))


@given(conditions, states)
def test_a_pilots_evaluation_over_readings_agrees_with_the_compiled_one(tree: Tree, state: State) -> None:
    inlined = fold(checked(tree.text), program().template.names, {})
    readings = dict(zip(program().variables, stored(state), strict=True))
    assert evaluate(inlined, readings) == tree.value(state)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("true or true and false", True),
        ("not false and false", False),
        ("2 + 3 * 4 == 14", True),
        ("10 - 4 - 3 == 3", True),
        ("-2 * 3 == -6", True),
        ("8 / 2 / 2 == 2", True),
        ("(1 if running else 2) == 2", True),
        ("0 < level < 4", False),
        ("0 < level <= 4 < 5", True),
        ("SHUT == drain", True),
        ("drain < HALF <= OPEN", True),
        ("'SHUT' == drain", True),
        ("drain == (HALF if running else SHUT)", True),
        ("level in (3, 4)", True),
        ("level in [3, 5]", False),
        ("level not in {3, 5}", True),
        ("'HUMMING' not in operator", True),
    ],
)
def test_precedence_and_chains_are_pythons(text: str, holds: bool) -> None:
    assert compiled(text, {}) is holds


def test_toml_booleans_and_numbers_stand_for_themselves() -> None:
    assert checked(True) == Literal(True)
    assert checked(12, NUMBER) == Literal(12)
    assert checked(0.5, NUMBER) == Literal(0.5)


def test_a_lever_may_be_copied_to_what_it_moves() -> None:
    east = program().template.domains["east_valve"].type
    assert checked("west_valve", east) == checked("west_valve", east)
    assert checked("OPEN", east) == Literal(1)


def test_value_is_what_a_write_asks_for() -> None:
    trees = checked("value < 20", BOOL, asked=NUMBER), checked("value > 60 or value == 0", BOOL, asked=NUMBER)
    assert [bool(evaluate_asked(tree, 10)) for tree in trees] == [True, False]


def evaluate_asked(tree: Node, value: float) -> object:
    """Compile a condition on ``value`` by putting a number in its place."""
    return eval(program()._statement([tree], "{0}")[-1], {}, {"v": value, "s": []})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runing", "file [table] key: expected a known name, got 'runing' in 'runing'; nearest: running"),
        ("level > ", "expected an expression, got 'level > '"),
        ("drain == AJAR", "expected one of SHUT, HALF, OPEN, got 'AJAR'"),
        ("drain == HALFF", "nearest: HALF"),
        ("speed", "expected a condition, got a number from 'speed'"),
        ("running == true", "expected a comparison of numbers or positions (a condition stands for itself)"),
        ("alarms == alarms", "expected a comparison of numbers or positions"),
        ("east_valve < OPEN", "expected == or != (these positions have no order)"),
        ("running < 2", "a condition stands for itself"),
        ("speed < running", "expected a number, got a condition from 'running'"),
        ("speed == OPEN", "expected a number, got 'OPEN'"),
        ("OPEN == SHUT", "expected a name to compare with"),
        ("drain == east_valve", "expected one of SHUT, HALF, OPEN, got one of SHUT, OPEN from 'east_valve'"),
        ("running and speed", "expected a condition, got a number"),
        ("not speed", "expected a condition, got a number"),
        ("running + 1 > 0", "expected a number, got a condition"),
        ("speed / level > 1", "expected division by a literal other than 0"),
        ("speed / 0 > 1", "expected division by a literal other than 0"),
        ("speed ** 2 > 1", "expected a name, literal, comparison"),
        ("speed % 2 == 1", "expected a name, literal, comparison"),
        ("speed // 2 == 1", "expected a name, literal, comparison"),
        ("+speed > 1", "expected a name, literal, comparison"),
        ("speed is level", "expected a comparison of numbers or positions"),
        ("'HUMMIN' in operator", "nearest: HUMMING"),
        ("HUMMING in operator", "expected (A, B, \u2026) or 'TEXT' in a list of lines"),
        ("'OPEN' in drain", "expected (A, B, \u2026) or 'TEXT' in a list of lines"),
        ("drain in (SHUT, east_valve)", "expected one of SHUT, HALF, OPEN, got one of SHUT, OPEN"),
        ("speed in (1, level)", "expected literals after in"),
        ("speed in (1, 2) == true", "expected one in, got a chain"),
        ("value > 3", "expected a known name, got 'value'"),
        ("'text'", "expected a condition, got 'text'"),
        ("None", "expected a name, literal, comparison"),
        ("True", "expected a name, literal, comparison"),
        ("1j == speed", "expected a name, literal, comparison"),
        ("abs(speed) > 1", "expected a name, literal, comparison"),
        ("speed.real > 1", "expected a known name, got 'speed.real'"),
        ("__import__('os')", "expected a name, literal, comparison"),
        ("(lambda: running)()", "expected a name, literal, comparison"),
        ("[running][0]", "expected a name, literal, comparison"),
        ("f'{running}'", "expected a name, literal, comparison"),
        ("(x := running)", "expected a name, literal, comparison"),
        ("", "expected an expression, got ''"),
        ("running; hot", "expected an expression"),
        ("running\nhot", "expected an expression"),
    ],
)
def test_what_the_language_refuses_is_named(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        checked(text)
    assert str(caught.value).startswith("file [table] key: expected ")
    assert message in str(caught.value)


@pytest.mark.parametrize("expected", [NUMBER, LINES])
def test_a_condition_is_no_number_and_no_list(expected: Type) -> None:
    with pytest.raises(SpecError, match=f"expected {expected}, got a condition from 'running'"):
        checked("running", expected)


@given(st.text(max_size=40))
@example("(" * 300)
@example("\0")
@example("not " * 50 + "running")
def test_any_text_is_an_expression_or_a_spec_error(text: str) -> None:
    with contextlib.suppress(SpecError):
        checked(text)


def test_no_expression_runs_code(tmp_path: Path) -> None:
    marker = tmp_path / "pwned"
    for text in (f"open({str(marker)!r}, 'w')", f"__import__('pathlib').Path({str(marker)!r}).touch()"):
        with pytest.raises(SpecError):
            checked(text)
    assert not marker.exists()
