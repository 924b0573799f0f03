"""Legal values of stored variables, and the one policy for values that a pilot asks for.

Positions are stored as their index, whole-step numbers as int, other numbers as float rounded to the step's
decimals, flags as bool.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from acoe_gym.cockpit.expressions import BOOL, NUMBER, Kind, Type
from acoe_gym.errors import CallRejected, nearest

Value = bool | int | float
# The one key of the object that stands for what JSON cannot carry.
NOT_JSON = "not JSON"
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\Z", re.ASCII)


def shown(raw: object) -> str:
    """Return what came, short enough for a message and ASCII only."""
    if isinstance(raw, dict) and set(raw) == {NOT_JSON}:
        return str(raw[NOT_JSON])
    try:
        text = ascii(raw)
    except ValueError:  # Python refuses to print integers of thousands of digits
        return "a huge number"
    except RecursionError:
        return "a value nested without end"
    return text if len(text) <= 60 else f"{text[:56]} ..."


def as_number(raw: object) -> float | None:
    """Return a finite number from a JSON number or a plain numeric string, else None; a boolean is none."""
    if isinstance(raw, str):
        text = raw.strip()
        return as_number(float(text)) if len(text) <= 40 and PLAIN_NUMBER.match(text) else None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        number = float(raw)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class Flag:
    """True or false; only hidden variables are flags."""

    @property
    def type(self) -> Type:
        """What conditions may do with it: it is a condition itself."""
        return BOOL

    def parse(self, raw: object) -> Value:
        """Return the stored value of a plain TOML value, or raise CallRejected."""
        if isinstance(raw, bool):
            return raw
        raise CallRejected("illegal_value", f"expected true or false, got {shown(raw)}", "true, false")

    def show(self, value: Value) -> object:
        """Return a stored value as a specification writes it."""
        return bool(value)

    def choices(self) -> tuple[Value, ...]:
        """Return both stored values."""
        return (False, True)

    def holds(self, value: object) -> bool:
        """Tell whether a value may be stored."""
        return isinstance(value, bool)

    def legal(self) -> object:
        """Return what a rejection names as legal."""
        return "true, false"


@dataclass(frozen=True)
class Positions:
    """Named positions in panel order. ``settable`` limits what can be commanded (all of them by default)."""

    names: tuple[str, ...]
    ordered: bool = False
    settable: tuple[str, ...] = ()
    _by_fold: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_fold", {name.casefold(): i for i, name in enumerate(self.names)})

    @property
    def type(self) -> Type:
        """What conditions may do with it: compare it with its own names, by order only if they have one."""
        return Type(Kind.POSITION, self.names, self.ordered)

    def parse(self, raw: object) -> Value:
        """Return the index of a position asked for by name, in any case of letters, or raise CallRejected."""
        text = raw.strip() if isinstance(raw, str) else ""
        index = self._by_fold.get(text.casefold())
        number = as_number(raw)
        if index is None and number is not None:
            # A position that reads as a number may be asked for as one: flaps 10, "10.0".
            index = next((i for i, name in enumerate(self.names) if as_number(name) == number), None)
        if index is None:
            hint = nearest(text[:40], self.names, 1)
            raise CallRejected(
                "illegal_value",
                f"expected one of {', '.join(self.names)}, got {shown(raw)}{hint}",
                self.legal(),
            )
        return index

    def show(self, value: Value) -> object:
        """Return a position's name."""
        return self.names[int(value)]

    def choices(self) -> tuple[Value, ...]:
        """Return the indices of all positions, those that cannot be commanded included."""
        return tuple(range(len(self.names)))

    def holds(self, value: object) -> bool:
        """Tell whether a value may be stored: an index, and not a boolean that passes for one."""
        return type(value) is int and 0 <= value < len(self.names)

    def commandable(self) -> tuple[Value, ...]:
        """Return the indices that a pilot can command."""
        return tuple(self.names.index(name) for name in self.settable or self.names)

    def legal(self) -> object:
        """Return what a rejection names as legal: the positions that can be commanded."""
        return list(self.settable or self.names)


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high`` (inclusive) on a grid of ``step``; ``names`` are accepted as values.

    ``points`` are the values that tables and enumerations offer, both ends if none are given. ``octal``
    admits only the digits 0 to 7, as on a transponder.
    """

    low: float
    high: float
    step: float
    unit: str = ""
    names: tuple[tuple[str, float], ...] = ()
    points: tuple[float, ...] = ()
    octal: bool = False

    @property
    def type(self) -> Type:
        """What conditions may do with it: compare and calculate."""
        return NUMBER

    def on_grid(self, steps: int) -> Value:
        """Return the value that many steps above ``low``."""
        value = self.low + steps * self.step
        if float(self.low).is_integer() and float(self.step).is_integer():
            return int(value)
        decimals = max(len(f"{x:.6f}".rstrip("0").partition(".")[2]) for x in (self.low, self.step))
        return round(value, decimals)

    def parse(self, raw: object) -> Value:
        """Return the number asked for, by value or by name, or raise CallRejected."""
        named = {name.casefold(): value for name, value in self.names}
        number = named.get(raw.strip().casefold()) if isinstance(raw, str) else None
        number = as_number(raw) if number is None else number
        if number is None:
            raise CallRejected("illegal_value", f"expected {self.legal()}, got {shown(raw)}", self.legal())
        if not self.low <= number <= self.high:
            raise CallRejected("out_of_range", f"expected {self.legal()}, got {shown(raw)}", self.legal())
        return self._stepped(number, raw)

    def _stepped(self, number: float, raw: object) -> Value:
        steps = (number - self.low) / self.step
        value = self.on_grid(round(steps))
        if abs(value - number) > 1e-6:
            near = [self.on_grid(math.floor(steps)), self.on_grid(math.ceil(steps))]
            got = f"{shown(raw)}; neighbours: {near[0]}, {near[1]}"
            message = f"expected a multiple of {self.step:g} from {self.low:g}, got {got}"
            raise CallRejected("off_step", message, near)
        if self.octal and set(str(value)) & {"8", "9"}:
            raise CallRejected("illegal_value", f"expected digits 0 to 7, got {shown(raw)}", self.legal())
        return value

    def show(self, value: Value) -> object:
        """Return the number itself."""
        return value

    def choices(self) -> tuple[Value, ...]:
        """Return the set points: those given, else both ends."""
        return tuple(self.parse(p) for p in self.points or (self.low, self.high))

    def commandable(self) -> tuple[Value, ...]:
        """Return the set points; any other number on the grid can be commanded as well."""
        return self.choices()

    def holds(self, value: object) -> bool:
        """Tell whether a value may be stored: a number within the range and on the grid."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        try:
            return self.parse(value) == value
        except CallRejected:
            return False

    def legal(self) -> object:
        """Return what a rejection names as legal: the range in words."""
        named = f" or {', '.join(name for name, _ in self.names)}" if self.names else ""
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.low:g} to {self.high:g}{unit} in steps of {self.step:g}{named}"


Domain = Flag | Positions | Range
