"""The language of conditions: parsed with Python's ``ast``, whitelisted, type-checked against the world.

One parse gives a small tree (the dataclasses below); `acoe_gym.cockpit.emit` turns the tree into Python
source. Nothing here evaluates text. Semantics: ``docs/semantics.md`` section 7.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from acoe_gym.errors import SpecError, nearest

NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\Z")


class Kind(Enum):
    """What an expression yields."""

    NUMBER = "a number"
    BOOL = "a condition"
    POSITION = "a position"
    LINES = "a list of lines"


@dataclass(frozen=True)
class Type:
    """A kind; for positions also their names in panel order and whether that order means more or less."""

    kind: Kind
    positions: tuple[str, ...] = ()
    ordered: bool = False

    def __str__(self) -> str:
        return f"one of {', '.join(self.positions)}" if self.positions else self.kind.value


NUMBER, BOOL, LINES = Type(Kind.NUMBER), Type(Kind.BOOL), Type(Kind.LINES)


@dataclass(frozen=True)
class Literal:
    """A number, true/false, or the index of a position."""

    value: bool | int | float


@dataclass(frozen=True)
class Name:
    """A stored variable, a definition or an instrument."""

    id: str


@dataclass(frozen=True)
class Line:
    """Whether one line of a list is lit."""

    component: str
    text: str


@dataclass(frozen=True)
class Asked:
    """The word ``value``: what a write asks for."""


@dataclass(frozen=True)
class Compare:
    """``first op second op third …``, chained as in Python."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Member:
    """Whether an item equals one of some literals."""

    item: Node
    choices: tuple[Literal, ...]


@dataclass(frozen=True)
class Logic:
    """``and`` or ``or`` over two or more conditions."""

    op: str
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """Negation of a condition."""

    item: Node


@dataclass(frozen=True)
class Arith:
    """``+ - * /`` of two numbers."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Choice:
    """``yes if condition else no``."""

    condition: Node
    yes: Node
    no: Node


Node = Literal | Name | Line | Asked | Compare | Member | Logic | Not | Arith | Choice


class Scope(Protocol):
    """What the checker asks of a world: types of names and the lines of lists."""

    def type_of(self, name: str) -> Type | None:
        """Return the type of a name, or None if it does not exist."""

    def line_texts(self, name: str) -> tuple[str, ...]:
        """Return the line texts of a list component."""

    def names(self) -> tuple[str, ...]:
        """Return every name, for suggestions."""


# Python refuses to compile much deeper nesting than this.
MAX_DEPTH = 40
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def parse(source: object, scope: Scope, expected: Type, where: str, asked: Type | None = None) -> Node:
    """Parse one expression and check that it yields ``expected``.

    Args:
        source: the text from a specification; TOML numbers and booleans are accepted as literals.
        scope: the names that may be used.
        expected: the type that the expression must have.
        where: file, table and key, for messages.
        asked: the type of the word ``value`` inside a constraint's setting, else None.

    Raises:
        SpecError: bad syntax, an unknown name, an impossible position or a wrong type.
    """
    text = str(source).lower() if isinstance(source, bool) else str(source)
    try:
        body = ast.parse(text.strip(), mode="eval").body
        depth = _depth(body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpecError(f"{where}: expected an expression, got {text!r}") from None
    if depth > MAX_DEPTH:
        raise SpecError(f"{where}: expected at most {MAX_DEPTH} levels of nesting, got more in {text[:60]!r}")
    return _Checker(scope, where, text, asked).need(body, expected)


def _depth(part: ast.AST) -> int:
    return 1 + max((_depth(child) for child in ast.iter_child_nodes(part)), default=0)


class _Checker:
    """Walks one expression; every method returns the tree of a part, or raises SpecError."""

    def __init__(self, scope: Scope, where: str, text: str, asked: Type | None) -> None:
        self.scope = scope
        self.where = where
        self.text = text
        self.asked = asked

    def fail(self, expected: object, got: str, hint: str = "") -> SpecError:
        return SpecError(f"{self.where}: expected {expected}, got {got} in {self.text!r}{hint}")

    def need(self, part: ast.expr, expected: Type) -> Node:
        """Check that a part has the expected type."""
        if self.is_position(part):
            return self.position(part, expected)
        node, found = self.infer(part, expected)
        # Two position types fit when their names agree: a lever may be copied to what it moves.
        if found.kind is not expected.kind or found.positions != expected.positions:
            raise self.fail(expected, f"{found} from {ast.unparse(part)!r}")
        return node

    def is_position(self, part: ast.expr) -> bool:
        """Tell whether a part is a bare upper-case name or a quoted string."""
        if isinstance(part, ast.Name):
            return part.id.isupper()
        return isinstance(part, ast.Constant) and isinstance(part.value, str)

    def position(self, part: ast.expr, expected: Type) -> Literal:
        text = part.id if isinstance(part, ast.Name) else str(getattr(part, "value", ""))
        if text not in expected.positions:
            raise self.fail(expected, repr(text), nearest(text, expected.positions))
        return Literal(expected.positions.index(text))

    def infer(self, part: ast.expr, expected: Type | None = None) -> tuple[Node, Type]:
        """Return the tree and the type of a part that is not a position literal."""
        match part:
            case ast.Constant(value=bool() | str() | None):
                pass
            case ast.Constant(value=int() | float() as number) if math.isfinite(number):
                return Literal(number), NUMBER
            case ast.Name() | ast.Attribute():
                return self.name(part)
            case ast.Compare():
                return self.compare(part), BOOL
            case ast.BoolOp():
                op = "and" if isinstance(part.op, ast.And) else "or"
                return Logic(op, tuple(self.need(item, BOOL) for item in part.values)), BOOL
            case ast.UnaryOp(op=ast.Not()):
                return Not(self.need(part.operand, BOOL)), BOOL
            case ast.UnaryOp(op=ast.USub()):
                inner = self.need(part.operand, NUMBER)
                negated = (
                    Literal(-inner.value) if isinstance(inner, Literal) else Arith("-", Literal(0), inner)
                )
                return negated, NUMBER
            case ast.BinOp() if type(part.op) in ARITHMETIC:
                return self.arithmetic(part), NUMBER
            case ast.IfExp():
                return self.choice(part, expected)
        raise self.fail(
            "a name, literal, comparison, and/or/not, + - * /, or a if c else b", repr(ast.unparse(part))
        )

    def name(self, part: ast.expr) -> tuple[Node, Type]:
        name = ast.unparse(part)
        if name in ("true", "false"):
            return Literal(name == "true"), BOOL
        if name == "value" and self.asked is not None:
            return Asked(), self.asked
        found = self.scope.type_of(name)
        if found is None:
            raise self.fail("a known name", repr(name), nearest(name, self.scope.names()))
        return Name(name), found

    def compare(self, part: ast.Compare) -> Node:
        if isinstance(part.ops[0], ast.In | ast.NotIn):
            return self.member(part)
        operands = [part.left, *part.comparators]
        typed = next((p for p in operands if not self.is_position(p)), None)
        if typed is None:
            raise self.fail("a name to compare with", repr(ast.unparse(part)))
        kind = self.infer(typed)[1]
        ops = [COMPARISONS.get(type(op)) for op in part.ops]
        if None in ops or kind.kind in (Kind.LINES, Kind.BOOL):
            raise self.fail(
                "a comparison of numbers or positions (a condition stands for itself)",
                repr(ast.unparse(part)),
            )
        if kind.positions and not kind.ordered and set(ops) - {"==", "!="}:
            raise self.fail("== or != (these positions have no order)", repr(ast.unparse(part)))
        nodes = [self.need(p, kind) for p in operands]
        return Compare(nodes[0], tuple((str(op), node) for op, node in zip(ops, nodes[1:], strict=True)))

    def member(self, part: ast.Compare) -> Node:
        """``x in (A, B)`` and ``'LINE' in cas``."""
        right = part.comparators[0]
        if len(part.ops) > 1:
            raise self.fail("one in", "a chain")
        if isinstance(right, ast.Tuple | ast.List | ast.Set):
            item, kind = self.infer(part.left)
            choices = tuple(self.need(choice, kind) for choice in right.elts)
            if not all(isinstance(choice, Literal) for choice in choices):
                raise self.fail("literals after in", repr(ast.unparse(right)))
            node: Node = Member(item, tuple(c for c in choices if isinstance(c, Literal)))
        else:
            node = self.line(part.left, right)
        return Not(node) if isinstance(part.ops[0], ast.NotIn) else node

    def line(self, left: ast.expr, right: ast.expr) -> Line:
        component = ast.unparse(right)
        texts = self.scope.line_texts(component)
        if not texts or not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
            raise self.fail(
                "(A, B, …) or 'TEXT' in a list of lines", repr(f"{ast.unparse(left)} in {component}")
            )
        if left.value not in texts:
            raise self.fail(f"a line of {component}", repr(left.value), nearest(left.value, texts))
        return Line(component, left.value)

    def arithmetic(self, part: ast.BinOp) -> Node:
        left, right = self.need(part.left, NUMBER), self.need(part.right, NUMBER)
        op = ARITHMETIC[type(part.op)]
        # A literal divisor cannot become zero in flight, in either compiler.
        if op == "/" and not (isinstance(right, Literal) and right.value):
            raise self.fail("division by a literal other than 0", repr(ast.unparse(part)))
        return Arith(op, left, right)

    def choice(self, part: ast.IfExp, expected: Type | None) -> tuple[Node, Type]:
        arms = (part.body, part.orelse)
        if expected is None or expected.kind is not Kind.POSITION:
            typed = next((arm for arm in arms if not self.is_position(arm)), None)
            if typed is None:
                raise self.fail("positions where a component is known", repr(ast.unparse(part)))
            expected = self.infer(typed, expected)[1]
        yes, no = (self.need(arm, expected) for arm in arms)
        return Choice(self.need(part.test, BOOL), yes, no), expected
