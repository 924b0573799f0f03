"""Which readings tell a condition: what a pilot can see of the hidden state that goals and constraints judge.

A condition is followed through its definitions down to the names that instruments show. Controls tell nothing
here: that a switch is ON does not say that it should be OFF.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.expressions import NUMBER, Choice, Line, Literal, Logic, Name, Node
from acoe_gym.cockpit.fold import fold
from acoe_gym.cockpit.relevance import fixed
from acoe_gym.cockpit.scope import children, derived
from acoe_gym.cockpit.task import Task, settle
from acoe_gym.cockpit.template_parts import Goal

State = Sequence[Value]


@dataclass(frozen=True)
class Sign:
    """What can be seen: an instrument, or one line of a list, which is there or not."""

    component: str
    line: str | None = None

    def of(self, reading: object) -> object:
        """Return what a reading of the component, as replies word it, says of the sign."""
        return self.line in reading if self.line is not None and isinstance(reading, list) else reading

    def __str__(self) -> str:
        return self.component if self.line is None else f"{self.component} {self.line!r}"


class Telling:
    """The signs of one task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.template = task.program.template
        self._names = self.template.names
        self._fixed = fixed(task)

    def told(self, *trees: Node) -> frozenset[str]:
        """Return the names in conditions that instruments show, what is fixed in the task left out."""
        return frozenset(name for tree in trees for name in self._walk(tree) if name in self._shown)

    def signs(self, names: Iterable[str]) -> tuple[Sign, ...]:
        """Return the signs that show any of some names, those that show the least besides first."""
        found = dict.fromkeys(sign for name in sorted(names) for sign in self._shown.get(name, ()))
        return tuple(sorted(found, key=lambda sign: (len(self._shows[sign]), str(sign))))

    def open(self, tree: Node) -> bool:
        """Tell whether it takes more than the task's fixed variables to decide a condition."""
        return not isinstance(fold(tree, self._names, self._fixed), Literal)

    def holds(self, tree: Node, state: State) -> bool:
        """Judge a condition on a state."""
        judged = fold(tree, self._names, dict(zip(self.task.program.variables, state, strict=True)))
        return isinstance(judged, Literal) and bool(judged.value)

    def failing(self, tree: Node, state: State) -> tuple[Node, ...]:
        """Return the parts of a condition, joined by and, that do not hold in a state."""
        return tuple(part for part in self._conjuncts(tree) if not self.holds(part, state))

    def readings(self, state: State) -> dict[str, object]:
        """Return component -> reading, as replies word it; dark is None."""
        console = console_of(self.task.program)
        found = ((name, read(state)) for name, read in self.task.program.readers.items())
        return {name: None if value is None else console.show(name, value) for name, value in found}

    @cached_property
    def troubles(self) -> tuple[Goal, ...]:
        """The primary goals that hold in an airplane without trouble: unmet, a fault is still there."""
        values = {**self.template.normal, **self.template.world.normal}
        state = [values[name] for name in self.task.program.variables]
        settle(self.task.program, state)
        goals = map(self.task.goal, self.task.goals)
        return tuple(goal for goal in goals if goal.primary and self.holds(goal.that, state))

    # Names, and what shows them.

    @cached_property
    def _shows(self) -> dict[Sign, frozenset[str]]:
        """Sign -> every name that its reading depends on, definitions included and controls left out."""
        controls = self.template.world.controls
        return {sign: frozenset(self._inside(tree)) - set(controls) for sign, tree in self._signs()}

    @cached_property
    def _shown(self) -> dict[str, list[Sign]]:
        found: dict[str, list[Sign]] = {}
        for sign, names in self._shows.items():
            own = sign.component if sign.line is None else f"{sign.component}:{sign.line}"
            for name in (own, *names):
                found.setdefault(name, []).append(sign)
        return found

    def _inside(self, tree: Node) -> set[str]:
        found: set[str] = set()
        todo = [tree]
        while todo:
            for part in derived(todo.pop()):
                if isinstance(part, Line):
                    todo.append(self._names.line(part.component, part.text))
                elif isinstance(part, Name) and part.id not in found:
                    found.add(part.id)
                    todo += [] if self._names.is_stored(part.id) else [self._names.tree(part.id)]
        return found

    def _signs(self) -> Iterator[tuple[Sign, Node]]:
        for component in self.template.world.components.values():
            for text in self._names.line_texts(component.id):
                yield Sign(component.id, text), self._names.line(component.id, text)
            if component.value is not None:
                yield Sign(component.id), self._names.tree(component.id)

    def _walk(self, tree: Node) -> Iterator[str]:
        """Yield the names down to the quantities that are shown; what is fixed is passed over."""
        match tree:
            case Line(component, text):
                yield f"{component}:{text}"
            case Name(name) if name in self._fixed:
                return
            case Name(name):
                yield name
                if not self._names.is_stored(name) and not self._quantity(name):
                    yield from self._walk(self._names.tree(name))
            case Choice(condition, yes, no):
                test = fold(condition, self._names, self._fixed)
                chosen = (
                    (condition, yes, no) if not isinstance(test, Literal) else (yes if test.value else no,)
                )
                for part in chosen:
                    yield from self._walk(part)
            case Logic(_, items):
                for part in filter(self.open, items):
                    yield from self._walk(part)
            case _:
                for part in children(tree):
                    yield from self._walk(part)

    def _quantity(self, name: str) -> bool:
        return name in self._shown and self._names.type_of(name) == NUMBER

    def _conjuncts(self, tree: Node) -> Iterator[Node]:
        match tree:
            case Logic("and", items):
                for item in items:
                    yield from self._conjuncts(item)
            case Name(name) if not self._names.is_stored(name) and name not in self._shown:
                inside = self._names.tree(name)
                if isinstance(inside, Logic | Choice):
                    yield from self._conjuncts(inside)
                else:
                    yield tree
            case Choice(condition, yes, no) if not self.open(condition):
                yield from self._conjuncts(yes if self.holds(condition, self.task.initial) else no)
            case _:
                yield tree
