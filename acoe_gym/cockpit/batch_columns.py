"""The arrays of the batch program: states, tables of writes, readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from acoe_gym.cockpit.domains import Value

Bools = NDArray[np.bool_]
Move = tuple[str, Value]


class Columns:
    """N states, one column per variable.

    Attributes:
        small: int8, shape (positions and flags + 1, N). The last row is 0 and stands for "no such variable":
            writing 0 there changes nothing.
        numbers: float64, shape (ranges, N).
        rows: one view of length N per variable, in slot order: bool for flags, int8 for positions, float64
            for ranges.
        order: 0 to N - 1.
    """

    __slots__ = ("numbers", "order", "rows", "small")

    def __init__(self, small: NDArray[np.int8], numbers: NDArray[np.float64], kinds: Sequence[Any]) -> None:
        self.small = small
        self.numbers = numbers
        self.order = np.arange(small.shape[1])
        rest = {np.float64: iter(numbers), np.int8: iter(small)}
        self.rows: list[NDArray[Any]] = [
            next(rest[np.float64]) if kind is np.float64 else next(rest[np.int8]).view(kind) for kind in kinds
        ]


@dataclass(frozen=True, eq=False)
class Moves:
    """A table of writes that rows choose from by index; every array has one entry per write.

    Attributes:
        moves: control and stored value; None makes no write.
        row: the control's row in ``Columns.small``, the last one if it is a range.
        small: the position asked for.
        number_row: the control's row in ``Columns.numbers``.
        number: the value asked for, positions too.
        is_number: whether the control is a range.
        asked: bit t is set if the request alone meets trigger t.
        due: bit e is set if it is what event rule e waits for, and after these one bit per momentary control.
    """

    moves: tuple[Move | None, ...]
    row: NDArray[np.intp]
    small: NDArray[np.int8]
    number_row: NDArray[np.intp]
    number: NDArray[np.float64]
    is_number: Bools
    asked: NDArray[Any]
    due: NDArray[Any]


class Reading(NamedTuple):
    """What a component shows in every row.

    Attributes:
        powered: shape (N,); where it is false the value means nothing.
        values: shape (N,), or for a list of lines bool of shape (lines, N).
    """

    powered: Bools
    values: NDArray[Any]
