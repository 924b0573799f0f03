"""What of a task a search has to look at: reductions that keep it small and lose no solution.

What no call can change is folded into the conditions. Values of a control that no condition tells apart count
as one value. A goal on a control that nothing else looks at costs one write at any time: it is set apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from acoe_gym.cockpit.domains import Range, Value
from acoe_gym.cockpit.expressions import (
    Arith,
    Asked,
    Choice,
    Compare,
    Literal,
    Logic,
    Member,
    Name,
    Node,
    Not,
)
from acoe_gym.cockpit.fold import constants, fold
from acoe_gym.cockpit.procedure import evaluate
from acoe_gym.cockpit.scope import children, reads
from acoe_gym.cockpit.task import Task

Condition = Callable[[Sequence[Value]], bool]
YES, NO = Literal(value=True), Literal(value=False)


@dataclass(frozen=True)
class Guard:
    """One trigger of a constraint: control -> condition on what is asked, while another condition holds."""

    settings: Mapping[str, Node]
    condition: Node


@dataclass(frozen=True)
class Law:
    """One rule that can still fire and change something."""

    on: tuple[str, tuple[Value, ...]] | None
    trees: tuple[Node, ...]
    targets: tuple[str, ...]


class Relevance:
    """The part of a task that its grade depends on; every condition in it is folded.

    Attributes:
        goals: the goals that apply, one entry per conjunct.
        guards: the triggers of the constraints that apply.
        laws: the rules that goals and guards depend on, through other rules too.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self._known = fixed(task)
        self.goals = tuple(part for i in task.goals for part in _conjuncts(self._fold(task.goal(i).that)))
        triggers = [t for i in task.constraints for t in task.constraint(i).triggers]
        guards = [
            Guard({n: self._fold(asked) for n, asked in t.settings}, self._fold(t.condition))
            for t in triggers
        ]
        self.guards = tuple(guard for guard in guards if guard.condition != NO)
        self.laws = self._laws()

    def _fold(self, tree: Node) -> Node:
        return fold(tree, self.task.program.template.names, self._known)

    def reads(self, tree: Node) -> frozenset[str]:
        """Return the stored variables that a condition depends on."""
        return reads(tree, self.task.program.template.names)

    def _laws(self) -> tuple[Law, ...]:
        waiting = _live_rules(self.task, self._known)
        guards = [tree for guard in self.guards for tree in (guard.condition, *guard.settings.values())]
        seen: set[str] = set().union(*map(self.reads, (*self.goals, *guards)))
        kept: list[Law] = []
        while more := [law for law in waiting if seen & set(law.targets)]:
            kept += more
            waiting = [law for law in waiting if law not in more]
            seen = seen.union(*(self.reads(tree) for law in more for tree in law.trees))
            seen |= {law.on[0] for law in more if law.on is not None}
        return tuple(kept)

    @cached_property
    def watched(self) -> frozenset[str]:
        """The variables that guards and rules look at, move or wait for."""
        names: set[str] = {law.on[0] for law in self.laws if law.on is not None}
        names = names.union(*(law.targets for law in self.laws))
        asked = [tree for guard in self.guards for tree in guard.settings.values()]
        return frozenset(names.union(*map(self.reads, (*asked, *self._shared_trees()))))

    def _shared_trees(self) -> Iterator[Node]:
        yield from (guard.condition for guard in self.guards)
        yield from (tree for law in self.laws for tree in law.trees)

    @cached_property
    def lonely(self) -> tuple[Node, ...]:
        """The goals on one control that nothing else looks at and no constraint guards."""
        components = self.task.program.template.world.components
        taken = self.watched.union(*(guard.settings for guard in self.guards))
        readers = [name for goal in self.goals for name in self.reads(goal)]
        controls = self.task.program.template.world.controls
        return tuple(
            goal
            for goal in self.goals
            if len(names := self.reads(goal)) == 1
            and names <= set(controls) - taken
            and not components[min(names)].momentary
            and readers.count(min(names)) == 1
            and self._meeting(goal)
        )

    @cached_property
    def joined(self) -> tuple[Node, ...]:
        """The other goals."""
        return tuple(goal for goal in self.goals if goal not in self.lonely)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables that make up the searched state, in slot order."""
        found = self.watched.union(*map(self.reads, self.joined))
        return tuple(name for name in self.task.program.variables if name in found)

    def candidates(self) -> dict[str, tuple[Value, ...]]:
        """Return control -> the values worth writing, one of each class that some condition tells apart."""
        controls = self.task.program.template.world.controls
        return {name: self._classes(name) for name in self.names if name in controls}

    def apart(self) -> dict[str, Value]:
        """Return control -> the value to write, for the lonely goals that are not met at the start."""
        writes: dict[str, Value] = {}
        for goal in self.lonely:
            (name,) = self.reads(goal)
            if not evaluate(goal, {name: self._present(name)}):
                writes[name] = self._meeting(goal)[0]
        return writes

    def _meeting(self, goal: Node) -> list[Value]:
        """Return the values of its one control that meet a goal and can be asked for."""
        (name,) = self.reads(goal)
        return [value for value in self._values(name, [goal]) if evaluate(goal, {name: value})]

    def needs(self) -> tuple[Condition, ...]:
        """Return goals on single controls that no rule moves, one per control.

        Each of them that is unmet takes a write of its own, so their number is a lower bound.
        """
        moved = set().union(*(law.targets for law in self.laws))
        single = {min(names): goal for goal in self.joined if len(names := self.reads(goal)) == 1}
        return tuple(self.task.program.condition(goal) for name, goal in single.items() if name not in moved)

    # Values of one control.

    def _present(self, name: str) -> Value:
        return self.task.initial[self.task.program.slots[name]]

    def _classes(self, name: str) -> tuple[Value, ...]:
        """Return one value of each class; the present value stands for its own class."""
        asked = [_put(tree, Name(n)) for guard in self.guards for n, tree in guard.settings.items()]
        trees = [*self.joined, *self._shared_trees(), *asked]
        tests, opaque = _tests(trees, name, self.reads)
        special = {value for law in self.laws if law.on and law.on[0] == name for value in law.on[1]}
        special |= {asked for asked, _ in self.task.program.template.world.components[name].momentary}
        found: dict[tuple[object, ...], Value] = {}
        values = self._values(name, trees)
        present = self._present(name)
        for value in sorted(values, key=lambda v: v != present):
            own = value if opaque or value in special else None
            found.setdefault((own, *(bool(evaluate(test, {name: value})) for test in tests)), value)
        return tuple(found.values())

    def _values(self, name: str, trees: Sequence[Node]) -> tuple[Value, ...]:
        """Return the set points, the present value of a range, and what lies at and beside each constant."""
        domain = self.task.program.template.domains[name]
        if not isinstance(domain, Range):
            return domain.commandable()  # type: ignore[union-attr]
        values = [*domain.commandable(), self._present(name)]
        for bound in sorted({float(c) for tree in trees for c in _bounds(tree, name)}):
            steps = (bound - domain.low) / domain.step
            near = range(math.floor(steps) - 1, math.ceil(steps) + 2)
            values += [value for n in near if domain.holds(value := domain.on_grid(n))]
        return tuple(dict.fromkeys(values))


def fixed(task: Task) -> dict[str, Value]:
    """Return the hidden variables that keep their initial value whatever the pilot does."""
    program = task.program
    known = constants(program, task.initial)
    controls = set(program.template.world.controls)
    while True:
        moved = {
            name
            for law in _live_rules(task, known)
            for name, tree in zip(law.targets, law.trees[1:], strict=True)
            if tree != Literal(task.initial[program.slots[name]])
        }
        still = {
            name: value
            for name, value in zip(program.variables, task.initial, strict=True)
            if name not in moved | controls
        }
        if still == known:
            return known
        known = still


def _live_rules(task: Task, known: Mapping[str, Value]) -> list[Law]:
    """Return the rules that can fire, folded, in their order."""
    names = task.program.template.names
    folded = [
        Law(rule.on, tuple(fold(t, names, known) for t in rule.trees), tuple(name for name, _ in rule.sets))
        for rule in task.program.rules
    ]
    return [law for law in folded if law.trees[0] != NO and not set(law.targets) <= set(known)]


def _conjuncts(tree: Node) -> tuple[Node, ...]:
    if isinstance(tree, Logic) and tree.op == "and":
        return tuple(part for item in tree.items for part in _conjuncts(item))
    return () if tree == YES else (tree,)


def _tests(
    trees: Sequence[Node], name: str, reads_of: Callable[[Node], frozenset[str]]
) -> tuple[list[Node], bool]:
    """Return the comparisons on one control alone, and whether it is looked at in any other way."""
    tests: list[Node] = []
    opaque = False
    todo = [tree for tree in trees if name in reads_of(tree)]
    while todo:
        part = todo.pop()
        if isinstance(part, Compare | Member) and reads_of(part) == {name}:
            tests.append(part)
        elif part == Name(name):
            opaque = True
        else:
            todo += [child for child in children(part) if name in reads_of(child)]
    return tests, opaque


def _bounds(tree: Node, name: str) -> Iterator[Value]:
    """Yield the numbers that a control is compared with."""
    parts = children(tree)
    if isinstance(tree, Compare) and Name(name) in parts:
        yield from (part.value for part in parts if isinstance(part, Literal))
    for part in parts:
        yield from _bounds(part, name)


def _put(tree: Node, control: Name) -> Node:
    """Return a condition on the asked value as one on the control."""

    def go(part: Node) -> Node:
        return _put(part, control)

    match tree:
        case Asked():
            return control
        case Compare(first, rest):
            return Compare(go(first), tuple((op, go(part)) for op, part in rest))
        case Member(item, choices):
            return Member(go(item), choices)
        case Not(item):
            return Not(go(item))
        case Logic(op, items):
            return Logic(op, tuple(go(item) for item in items))
        case Arith(op, left, right):
            return Arith(op, go(left), go(right))
        case Choice(condition, yes, no):
            return Choice(go(condition), go(yes), go(no))
    return tree
