"""Conditions, triggers and writes in words, for pages that people read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import (
    Arith,
    Asked,
    Choice,
    Compare,
    Line,
    Literal,
    Logic,
    Member,
    Name,
    Node,
    Not,
)
from acoe_gym.cockpit.fold import fold
from acoe_gym.cockpit.scope import Names, derived
from acoe_gym.cockpit.template_parts import Constraint, Trigger
from acoe_gym.cockpit.templates import Template

NO = Literal(value=False)
YES = Literal(value=True)
OPERATORS = {
    "==": "is", "!=": "is not", "<": "is below", "<=": "is at most", ">": "is above", ">=": "is at least",
}  # fmt: skip

INVERSE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True)
class Wording:
    """How conditions are told.

    Attributes:
        names: the names of a template.
        known: variables that keep their value, as in one task; what they decide is left out of the words.
    """

    names: Names
    known: Mapping[str, Value]

    def condition(self, tree: Node) -> str:
        """Return a condition in words, what is known left out."""
        return self._spell(self.narrowed(tree))

    def constraint(self, constraint: Constraint) -> list[str]:
        """Return what violates a constraint, a phrase per trigger that can still be met."""
        return [self._trigger(t) for t in constraint.triggers if self.narrowed(t.condition) != NO]

    def narrowed(self, tree: Node) -> Node:
        """Return a condition without the parts that are known; definitions keep their names."""
        whole = fold(tree, self.names, self.known) if self.known else tree
        if isinstance(whole, Literal):
            return whole
        match tree:
            case Name(name) if not self.names.is_stored(name):
                inside = self.names.tree(name)
                chosen = self._chosen(inside) if isinstance(inside, Choice) else None
                return tree if chosen is None else self.narrowed(chosen)
            case Choice():
                chosen = self._chosen(tree)
                return tree if chosen is None else self.narrowed(chosen)
            case Logic(op, items):
                parts = tuple(p for p in map(self.narrowed, items) if not isinstance(p, Literal))
                return parts[0] if len(parts) == 1 else Logic(op, parts)
            case Not(item):
                return Not(self.narrowed(item))
            case Member(item, choices):
                return Member(self.narrowed(item), choices)
            case Arith(op, left, right):
                return Arith(op, self.narrowed(left), self.narrowed(right))
            case Compare(first, rest):
                return Compare(self.narrowed(first), tuple((op, self.narrowed(part)) for op, part in rest))
        return tree

    def _chosen(self, choice: Choice) -> Node | None:
        """Return the branch that is taken whatever happens, if there is one."""
        test = fold(choice.condition, self.names, self.known)
        return (choice.yes if test.value else choice.no) if isinstance(test, Literal) else None

    # Words.

    def _spell(self, tree: Node, positions: tuple[str, ...] = ()) -> str:
        match tree:
            case Literal(bool() as value):
                return "always" if value else "never"
            case Literal(value):
                return positions[int(value)] if positions else f"{value:g}"
            case Name(name):
                return name
            case Asked():
                return "what is asked for"
            case Line(component, text):
                return f"{component} shows {text}"
        return self._joined(tree)

    def _joined(self, tree: Node) -> str:
        match tree:
            case Not(Line(component, text)):
                return f"{component} does not show {text}"
            case Not(Compare(first, ((op, bound),))):
                return self._compared(Compare(first, ((INVERSE[op], bound),)))
            case Not(item):
                return f"not {self._inner(item)}"
            case Member(item, choices):
                shown = self._positions(item)
                return f"{self._spell(item)} is {' or '.join(self._spell(c, shown) for c in choices)}"
            case Logic(op, items):
                return f" {op} ".join(self._inner(item) for item in items)
            case Arith(op, left, right):
                return f"{self._inner(left)} {op} {self._inner(right)}"
            case Choice(condition, yes, no):
                return f"{self._inner(yes)} if {self._inner(condition)}, else {self._inner(no)}"
        return self._compared(tree)

    def _compared(self, tree: Node) -> str:
        if not isinstance(tree, Compare):
            raise TypeError(f"expected a condition, got {tree!r}")
        parts = (tree.first, *(part for _, part in tree.rest))
        shown = next(filter(None, map(self._positions, parts)), ())
        first, *others = [self._spell(part, shown) for part in parts]
        if len(others) > 1:
            return " ".join([first, *(f"{op} {o}" for (op, _), o in zip(tree.rest, others, strict=True))])
        return f"{first} {OPERATORS[tree.rest[0][0]]} {others[0]}"

    def _inner(self, tree: Node) -> str:
        """Return a part of a condition, in brackets where words alone would be ambiguous."""
        text = self._spell(tree)
        return f"({text})" if isinstance(tree, Logic | Member | Arith | Choice) else text

    def _positions(self, tree: Node) -> tuple[str, ...]:
        kind = self.names.type_of(tree.id) if isinstance(tree, Name) else None
        return kind.positions if kind else ()

    def _trigger(self, trigger: Trigger) -> str:
        held = self.narrowed(trigger.condition)
        if trigger.never:
            return f"any write after which {self._spell(held)}"
        by_wish: dict[str, list[str]] = {}
        for name, asked in trigger.settings:
            by_wish.setdefault(self._wish(name, asked), []).append(name)
        wishes = [f"{', '.join(names)} {wish}" for wish, names in by_wish.items()]
        while_held = "" if held == YES else f", while {self._spell(held)}"
        return f"{'; '.join(wishes)}{while_held}"

    def _wish(self, name: str, asked: Node) -> str:
        """Return what is asked of a control: ``to OFF or LEFT``, ``to a value below 20``."""
        kind = self.names.type_of(name)
        shown = kind.positions if kind else ()
        if asked == YES:
            return "moved at all"
        equal = [_asked_value(part) for part in _alternatives(asked)]
        if None not in equal:
            return f"to {' or '.join(self._spell(v, shown) for v in equal if v is not None)}"
        if isinstance(asked, Compare) and asked.first == Asked() and len(asked.rest) == 1:
            ((op, bound),) = asked.rest
            told = "its present one" if bound == Name(name) else self._spell(bound, shown)
            return f"to a value {OPERATORS[op].removeprefix('is ')} {told}"
        return f"such that {self._spell(asked)}"


def _alternatives(tree: Node) -> tuple[Node, ...]:
    return tree.items if isinstance(tree, Logic) and tree.op == "or" else (tree,)


def _asked_value(tree: Node) -> Literal | None:
    match tree:
        case Compare(Asked(), (("==", Literal() as value),)):
            return value
    return None


def definitions(template: Template, trees: Iterable[Node]) -> list[str]:
    """Return the definitions that conditions name, and those of the template that these name in turn."""
    found: dict[str, None] = {}
    pending = [name for tree in trees for name in _defined(template, tree)]
    while pending:
        name = pending.pop(0)
        if name not in found:
            found[name] = None
            inside = _defined(template, template.names.tree(name))
            pending += [part for part in inside if part not in template.world.define]
    return list(found)


def _defined(template: Template, tree: Node) -> list[str]:
    named = [part.id for part in derived(tree) if isinstance(part, Name)]
    apart = template.world.components
    return [name for name in named if not template.names.is_stored(name) and name not in apart]
