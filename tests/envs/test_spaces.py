"""The spaces: bounded ASCII text, and codes that vector environments can batch."""

from __future__ import annotations

import pickle
import string
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.envs.spaces import CHARSET, MAX_LENGTH, CallSpace, ReplyText, joined
from acoe_gym.errors import AdapterNeeded

SPACE = CallSpace({"tool": spaces.Discrete(3), "value": spaces.Discrete(5)})


def test_the_text_space_holds_printable_ascii_and_newlines_only() -> None:
    space: Any = ReplyText()
    assert "" in space
    assert string.printable[:95] + "\n" in space
    assert not any(
        text in space for text in ("15 \N{DEGREE SIGN}C", "\t", "\r", "\x00", "x" * (MAX_LENGTH + 1))
    )


def test_the_charset_is_a_string_so_that_its_order_is_the_same_everywhere() -> None:
    assert "".join(ReplyText().character_list) == CHARSET


def test_text_spaces_are_equal_and_survive_pickling() -> None:
    assert pickle.loads(pickle.dumps(ReplyText())) == ReplyText() == ReplyText()


def test_a_library_that_looks_for_nested_spaces_is_told_the_adapter() -> None:
    with pytest.raises(AdapterNeeded, match=r"BeliefObservation\(FlatActions\(env\)\)"):
        _ = ReplyText().spaces


@given(st.lists(st.text("ab{}", max_size=3000), max_size=40))
def test_joined_replies_fit_and_are_whole_lines(replies: list[str]) -> None:
    text = joined(replies)
    assert len(text) <= MAX_LENGTH
    if text != "\n".join(replies):
        *kept, note = text.split("\n")
        assert "are left out" in note
        assert kept == replies[: len(kept)]


def test_a_batch_of_codes_is_a_dict_of_arrays() -> None:
    batch = batch_space(SPACE, 4)
    assert isinstance(batch, spaces.Dict)
    assert batch == spaces.Dict(
        {"tool": spaces.MultiDiscrete([3] * 4), "value": spaces.MultiDiscrete([5] * 4)}
    )
    assert batch.contains(batch.sample())


def test_a_batch_is_taken_apart_into_the_codes_it_was_made_of() -> None:
    codes = [{"tool": 1, "value": 4}, {"tool": 2, "value": 0}]
    empty: Any = create_empty_array(SPACE, 2)
    batch: Any = concatenate(SPACE, codes, empty)
    assert list(iterate(batch_space(SPACE, 2), batch)) == codes
    assert (
        list(iterate(batch_space(SPACE, 2), {"value": np.array([4, 0]), "tool": np.array([1, 2])})) == codes
    )


def test_a_list_is_taken_as_one_action_per_environment() -> None:
    actions = [{"name": "submit"}, None]
    assert list(iterate(batch_space(SPACE, 2), actions)) == actions


@pytest.mark.parametrize(
    "wrong", [[], [None] * 3, {"name": "submit"}, {"tool": [1, 1]}, 5, "submit"], ids=str
)
def test_what_is_no_batch_is_refused_naming_encode(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"expected 2 actions in a list.*encode\(call\)"):
        iterate(batch_space(SPACE, 2), wrong)
