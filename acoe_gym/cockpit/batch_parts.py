"""What a batch program is compiled from: a whole template, or what of it the grade of one task depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acoe_gym.cockpit.domains import Domain
from acoe_gym.cockpit.expressions import Literal, Node
from acoe_gym.cockpit.fold import fold
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.relevance import Guard, Law, Relevance, fixed
from acoe_gym.cockpit.template_parts import Constraint


@dataclass(frozen=True)
class Parts:
    """Trees over stored variables alone: definitions are inlined.

    Attributes:
        domains: the variables, in slot order.
        rules: event and level rules, in their order.
        constraints: the triggers of each constraint of the template; one without a setting is a *never*.
        goals: conditions on the final state.
        momentary: control -> (position asked for, position that it springs back to).
    """

    domains: Mapping[str, Domain]
    rules: tuple[Law, ...]
    constraints: tuple[tuple[Guard, ...], ...]
    goals: tuple[Node, ...]
    momentary: Mapping[str, tuple[tuple[int, int], ...]]


def whole(program: Program) -> Parts:
    """Return everything that a template consists of."""
    template, inline = program.template, _Inline(program, {})
    return Parts(
        domains=template.domains,
        rules=inline.laws(),
        constraints=tuple(inline.guards(constraint) for constraint in template.constraints),
        goals=tuple(inline.tree(goal.that) for goal in template.goals),
        momentary=_momentary(program),
    )


def needed(relevance: Relevance) -> Parts:
    """Return what a task's grade depends on, with what no call can change folded in.

    Goals that the search leaves aside (``relevance.lonely``) are left out, and constraints that do not apply
    have no triggers.
    """
    task = relevance.task
    inline = _Inline(task.program, fixed(task))
    template = task.program.template
    return Parts(
        domains={name: template.domains[name] for name in relevance.names},
        # Those of the cone, in the order in which they act.
        rules=tuple(law for law in inline.laws() if law in relevance.laws),
        constraints=tuple(
            inline.guards(constraint) if i in task.constraints else ()
            for i, constraint in enumerate(template.constraints)
        ),
        goals=relevance.joined,
        momentary={n: moves for n, moves in _momentary(task.program).items() if n in relevance.names},
    )


def _momentary(program: Program) -> dict[str, tuple[tuple[int, int], ...]]:
    return {c.id: c.momentary for c in program.template.world.components.values() if c.momentary}


class _Inline:
    """Folds trees of one program over known values."""

    def __init__(self, program: Program, known: Mapping[str, bool | int | float]) -> None:
        self._program = program
        self._known = known

    def tree(self, tree: Node) -> Node:
        return fold(tree, self._program.template.names, self._known)

    def laws(self) -> tuple[Law, ...]:
        """Return every rule, in file order."""
        return tuple(
            Law(rule.on, tuple(map(self.tree, rule.trees)), tuple(name for name, _ in rule.sets))
            for rule in self._program.rules
        )

    def guards(self, constraint: Constraint) -> tuple[Guard, ...]:
        """Return the triggers whose condition can hold."""
        folded = [
            Guard({name: self.tree(asked) for name, asked in t.settings}, self.tree(t.condition))
            for t in constraint.triggers
        ]
        return tuple(guard for guard in folded if guard.condition != Literal(value=False))
