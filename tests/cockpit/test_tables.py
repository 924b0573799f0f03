"""Reading checked values out of parsed TOML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit.tables import check_keys, flatten, take, take_list, write_sides
from acoe_gym.errors import SpecError

SIDES = ("left", "right")
names = st.sampled_from(["a", "b", "c", "tank", "left"])
flat_tables = st.dictionaries(st.lists(names, min_size=1, max_size=3).map(tuple), st.integers(), max_size=6)


def nested(flat: dict[tuple[str, ...], int]) -> dict[str, object]:
    """Return the same values as tables in tables."""
    tree: dict[str, object] = {}
    for path, value in flat.items():
        level = tree
        for part in path[:-1]:
            level = level.setdefault(part, {})  # type: ignore[assignment]
        level[path[-1]] = value
    return tree


@given(flat_tables)
def test_nested_and_dotted_names_mean_the_same(flat: dict[tuple[str, ...], int]) -> None:
    # A name cannot be a value and a level of others at once.
    paths = {p: v for p, v in flat.items() if not any(q[: len(p)] == p for q in flat if q != p)}
    assert flatten(nested(paths), "f") == flatten({".".join(p): v for p, v in paths.items()}, "f")


def test_a_table_with_the_leaf_key_is_a_value() -> None:
    table = {"tank": {"left": {"range": [0, 9], "normal": 3}, "right": {"range": [0, 9], "normal": 4}}}
    assert flatten(table, "f", "normal") == {
        "tank.left": table["tank"]["left"],
        "tank.right": table["tank"]["right"],
    }


def test_an_unknown_key_is_named_with_the_nearest() -> None:
    with pytest.raises(SpecError) as caught:
        check_keys({"lable": 1}, ("label", "unit"), "w.toml [panel.a] b")
    assert (
        str(caught.value)
        == "w.toml [panel.a] b: expected one of label, unit, got key 'lable'; nearest: label"
    )


def test_a_missing_key_is_named_with_those_found() -> None:
    with pytest.raises(SpecError, match="w: expected key 'id', found name, env"):
        take({"name": "x", "env": "y"}, "id", str, "w")
    assert take({}, "id", str, "w", "default") == "default"


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (3, str, "expected k to be str, got 3"),
        ("3", (int, float), "expected k to be int or float, got '3'"),
        (True, (int, float), "expected k to be int or float, got True"),
        ([], dict, "expected k to be dict, got []"),
    ],
)
def test_a_value_of_the_wrong_type_is_named(value: object, kind: type, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        take({"k": value}, "k", kind, "w")
    assert str(caught.value) == f"w: {message}"


def test_a_boolean_counts_where_one_is_expected() -> None:
    assert take({"k": True}, "k", (str, bool), "w") is True
    assert take({"k": False}, "k", object, "w") is False


def test_lists_hold_one_type() -> None:
    assert take_list({"k": ["a", "b"]}, "k", str, "w") == ("a", "b")
    assert take_list({}, "k", str, "w") == ()
    with pytest.raises(SpecError, match="w: expected k to list strs, got 3"):
        take_list({"k": ["a", 3]}, "k", str, "w")
    with pytest.raises(SpecError, match="w: expected k to list int \\| floats, got 'a'"):
        take_list({"k": ["a", 3]}, "k", int | float, "w")  # type: ignore[arg-type]


def test_a_marked_key_is_written_once_per_side() -> None:
    written = write_sides({"{x}_pump": {"label": "{X} PUMP", "other": "{o}_pump", "far": "{O}"}}, SIDES, "w")
    assert written == {
        "left_pump": {"label": "LEFT PUMP", "other": "right_pump", "far": "RIGHT"},
        "right_pump": {"label": "RIGHT PUMP", "other": "left_pump", "far": "LEFT"},
    }


def test_a_marked_list_entry_is_written_once_per_side() -> None:
    assert write_sides([{"id": "{x}"}, {"id": "z"}], SIDES, "w") == [
        {"id": "left"},
        {"id": "right"},
        {"id": "z"},
    ]
    assert write_sides({"lines": ["FIRE {X}", "SMOKE"]}, SIDES, "w") == {
        "lines": ["FIRE LEFT", "FIRE RIGHT", "SMOKE"]
    }


def test_what_carries_no_mark_is_left_alone() -> None:
    table = {"a": [1, True, "b", {"c": []}], "d": {"e": "f"}}
    assert write_sides(table, (), "w") == table


@pytest.mark.parametrize("sides", [(), ("left",), ("a", "b", "c")])
def test_marks_need_two_sides(sides: tuple[str, ...]) -> None:
    with pytest.raises(SpecError, match="w: expected sides = "):
        write_sides({"{x}": 1}, sides, "w")


def test_a_name_given_dotted_and_quoted_is_refused() -> None:
    with pytest.raises(SpecError, match=r"f: expected 'a\.b' once, got it dotted and quoted"):
        flatten({"a": {"b": 1}, "a.b": 2}, "f")
