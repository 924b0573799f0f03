"""Trees to Python source: the scalar compiler.

A state is a list ``s``; a stored variable becomes an index into it, any other name its definition's source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

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
from acoe_gym.cockpit.scope import Names, derived, reads


class Emitter:
    """Writes the source of one function over ``s``.

    A definition that the function uses more than once is evaluated once, into a local, and again only after a
    rule wrote what it reads.
    """

    def __init__(self, names: Names, slots: dict[str, int], trees: Iterable[Node]) -> None:
        self._names = names
        self._slots = slots
        uses: Counter[Node] = Counter()
        expanded: set[Node] = set()
        todo = list(trees)
        while todo:
            for part in derived(todo.pop()):
                if isinstance(part, Name) and names.is_stored(part.id):
                    continue
                uses[part] += 1
                if part not in expanded:
                    expanded.add(part)
                    todo.append(self._inside(part))
        self._shared = {
            part: f"d{i}" for i, part in enumerate(sorted((p for p, n in uses.items() if n > 1), key=repr))
        }
        self._reads = {part: reads(part, names) for part in self._shared}
        self._valid: set[Node] = set()

    def _inside(self, part: Node) -> Node:
        if isinstance(part, Line):
            return self._names.line(part.component, part.text)
        assert isinstance(part, Name)
        return self._names.tree(part.id)

    def locals_for(self, *trees: Node) -> list[str]:
        """Return the assignments that must run before the trees are used."""
        lines: list[str] = []
        for tree in trees:
            for part in derived(tree):
                lines += self._local(part)
        return lines

    def _local(self, part: Node) -> list[str]:
        if part in self._valid or (isinstance(part, Name) and self._names.is_stored(part.id)):
            return []
        inside = self._inside(part)
        lines = self.locals_for(inside)
        if part in self._shared:
            lines.append(f"{self._shared[part]} = {self.source(inside)}")
            self._valid.add(part)
        return lines

    def wrote(self, variables: Iterable[str]) -> None:
        """Forget the locals that depend on variables that may just have changed."""
        changed = set(variables)
        self._valid = {part for part in self._valid if not self._reads[part] & changed}

    def source(self, node: Node) -> str:
        """Return the Python source of a tree."""
        match node:
            case Literal(value):
                return repr(value)
            case Asked():
                return "v"
            case Name(name) if self._names.is_stored(name):
                return f"s[{self._slots[name]}]"
            case Name() | Line():
                return self._shared[node] if node in self._shared else self.source(self._inside(node))
            case Compare(first, rest):
                chain = "".join(f" {op} {self.source(part)}" for op, part in rest)
                return f"({self.source(first)}{chain})"
            case Member(item, choices):
                return f"({self.source(item)} in {tuple(c.value for c in choices)!r})"
            case Logic(op, items):
                return "(" + f" {op} ".join(self.source(item) for item in items) + ")"
            case Not(item):
                return f"(not {self.source(item)})"
            case Arith(op, left, right):
                return f"({self.source(left)} {op} {self.source(right)})"
            case Choice(condition, yes, no):
                return f"({self.source(yes)} if {self.source(condition)} else {self.source(no)})"
