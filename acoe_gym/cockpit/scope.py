"""Names and their meaning, as checked trees.

A name is a variable, a definition or an instrument of the world, or one that a template adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acoe_gym.cockpit.domains import Domain
from acoe_gym.cockpit.expressions import (
    BOOL,
    LINES,
    NUMBER,
    Arith,
    Choice,
    Compare,
    Line,
    Logic,
    Member,
    Name,
    Node,
    Not,
    Type,
    parse,
)
from acoe_gym.cockpit.world import World
from acoe_gym.errors import SpecError


class Names:
    """Resolves names to types and trees.

    Definitions are checked on first use, so their order in the file does not matter.

    Args:
        world: the aircraft.
        domains: every stored variable, the template's hidden ones included.
        define: every definition, the template's included.
        reports: the template's lines for the world's list of reports.
        where: file name, for messages.
    """

    def __init__(
        self,
        world: World,
        domains: Mapping[str, Domain],
        define: Mapping[str, object],
        reports: tuple[tuple[str, str], ...] = (),
        where: str = "",
    ) -> None:
        self.world = world
        self.where = where or world.id
        self._stored = {name: domain.type for name, domain in domains.items()}
        self._define = define
        self._lines = {
            c.id: c.lines + (reports if c.id == world.reports else ())
            for c in world.components.values()
            if c.lines
        }
        self._trees: dict[str, tuple[Node, Type]] = {}
        self._line_trees: dict[tuple[str, str], Node] = {}
        self._open: list[str] = []
        self._check()

    def _check(self) -> None:
        for name in self._define:
            if name in self._stored or name in self.world.components:
                taken = "a new name, got one that is a variable or component"
                raise SpecError(f"{self.where} [define] {name}: expected {taken}")
        for component, rows in self._lines.items():
            texts = [text for text, _ in rows]
            if len(set(texts)) < len(texts):
                raise SpecError(f"{self.where} {component}: expected each line text once, got {texts}")
        for name in (*self._define, *(c.id for c in self.world.components.values() if c.value is not None)):
            self.tree(name)
        for component, rows in self._lines.items():
            for text, _ in rows:
                self.line(component, text)

    # What the checker asks (the Scope protocol).

    def type_of(self, name: str) -> Type | None:
        """Return the type of a name, or None if it does not exist."""
        if name in self._stored:
            return self._stored[name]
        component = self.world.components.get(name)
        if component and component.lines:
            return LINES
        if name in self._define or component:
            return self._resolve(name)[1]
        return None

    def line_texts(self, name: str) -> tuple[str, ...]:
        """Return the line texts of a list component."""
        return tuple(text for text, _ in self._lines.get(name, ()))

    def names(self) -> tuple[str, ...]:
        """Return every name that an expression may use."""
        return (*self._stored, *self._define, *(c.id for c in self.world.components.values() if not c.domain))

    # What the compilers ask.

    def is_stored(self, name: str) -> bool:
        """Tell whether a name is a control or hidden variable rather than an expression."""
        return name in self._stored

    def tree(self, name: str) -> Node:
        """Return the tree of a definition or instrument."""
        return self._resolve(name)[0]

    def line(self, component: str, text: str) -> Node:
        """Return the condition under which a line is lit."""
        key = (component, text)
        if key not in self._line_trees:
            source = next(s for t, s in self._lines[component] if t == text)
            where = f"{self.where} {component} line {text!r}"
            self._line_trees[key] = self._closed(f"{component}:{text}", source, BOOL, where)
        return self._line_trees[key]

    def powered(self, component: str) -> Node | None:
        """Return the condition under which a component can be read, or None if it always can."""
        source = self.world.components[component].powered
        return None if source is None else parse(source, self, BOOL, f"{self.where} {component} powered")

    def _resolve(self, name: str) -> tuple[Node, Type]:
        if name not in self._trees:
            component = self.world.components.get(name)
            where = f"{self.where} {'[define] ' if component is None else ''}{name}"
            source = self._define[name] if component is None else component.value
            expected = self._expected(name, source, where) if component is None else self._shown_type(name)
            self._trees[name] = self._closed(name, source, expected, where), expected
        return self._trees[name]

    def _shown_type(self, name: str) -> Type:
        positions = self.world.components[name].positions
        return positions.type if positions else NUMBER

    def _expected(self, name: str, source: object, where: str) -> Type:
        """Return the type of a definition: a condition or a number.

        It is never a position, since a position's name alone does not tell whose it is.
        """
        try:
            self._closed(name, source, BOOL, where)
        except SpecError as as_condition:
            try:
                self._closed(name, source, NUMBER, where)
            except SpecError:
                raise as_condition from None
            return NUMBER
        return BOOL

    def _closed(self, name: str, source: object, expected: Type, where: str) -> Node:
        """Return the tree of a text; SpecError if it needs itself, directly or through others."""
        if name in self._open:
            circle = " -> ".join([*self._open[self._open.index(name) :], name])
            raise SpecError(f"{where}: expected definitions without a circle, got {circle}")
        self._open.append(name)
        try:
            return parse(source, self, expected, where)
        finally:
            self._open.pop()


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a tree."""
    match node:
        case Compare(first, rest):
            return (first, *(part for _, part in rest))
        case Member(item, _) | Not(item):
            return (item,)
        case Logic(_, items):
            return items
        case Arith(_, left, right):
            return (left, right)
        case Choice(condition, yes, no):
            return (condition, yes, no)
    return ()


def derived(node: Node) -> Iterator[Node]:
    """Yield the names and lines inside a tree, in reading order."""
    if isinstance(node, Name | Line):
        yield node
    for part in children(node):
        yield from derived(part)


def reads(node: Node, names: Names) -> frozenset[str]:
    """Return the stored variables that a tree depends on, through definitions and instruments."""
    found: set[str] = set()
    seen: set[Node] = set()
    todo = [node]
    while todo:
        for part in derived(todo.pop()):
            if part in seen:
                continue
            seen.add(part)
            if isinstance(part, Line):
                todo.append(names.line(part.component, part.text))
            elif isinstance(part, Name) and names.is_stored(part.id):
                found.add(part.id)
            elif isinstance(part, Name):
                todo.append(names.tree(part.id))
    return frozenset(found)
