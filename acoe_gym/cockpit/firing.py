"""Which rules fire: told by applying a template's rules one by one, as compiled writers do all at once."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.program import CompiledRule, Program, State
from acoe_gym.cockpit.scope import reads
from acoe_gym.cockpit.task import settle

Move = tuple[str, Value]
# How many random states are drawn for a rule that fires in no task.
STRAY_STATES = 50_000


def run(program: Program, start: Sequence[Value], moves: Sequence[Move]) -> set[str]:
    """Make writes from a state and return the ids of the rules that changed something."""
    state = list(start)
    found: set[str] = set()
    for name, value in moves:
        if state[program.slots[name]] != value:
            found |= firing(program, state, name, value)
            program.writers[name](state, value)
    return found


def firing(program: Program, state: Sequence[Value], name: str, value: Value) -> set[str]:
    """Return the ids of the rules that one write makes change something, by applying them one by one."""
    now = list(state)
    now[program.slots[name]] = value
    events = [rule for rule in program.rules if rule.on is not None and rule.on[0] == name]
    due = [rule for rule in events if rule.on is not None and value in rule.on[1]]
    found: set[str] = set()
    for rule in (*due, *(rule for rule in program.rules if rule.on is None)):
        for target, wanted in rule.wants(now):
            if now[program.slots[target]] != wanted:
                now[program.slots[target]] = wanted
                found.add(rule.id)
    return found


def provoke(program: Program, rule_id: str, seed: str) -> str | None:
    """Return how a rule can be made to fire from some state of the aircraft, reachable in a task or not.

    Returns:
        ``by a write``, ``while a start settles``, or None if `STRAY_STATES` random states gave no way.
    """
    rule = next(rule for rule in program.rules if rule.id == rule_id)
    rng = random.Random(seed)  # noqa: S311 - play, not a secret
    settles = False
    for wanted in _states_for(rng, program, rule):
        if any(rule_id in run(program, start, [move]) for start, move in _attempts(program, rule, wanted)):
            return "by a write"
        settles |= rule.on is None
    return "while a start settles" if settles else None


def set_points(program: Program) -> dict[str, tuple[Value, ...]]:
    """Return control -> the values that can be asked for, ranges by their set points."""
    components = program.template.world.components.values()
    return {c.id: c.domain.commandable() for c in components if c.domain is not None}


def _states_for(rng: random.Random, program: Program, rule: CompiledRule) -> Iterator[State]:
    """Yield random states, not necessarily settled, in which a rule wants a change."""
    template = program.template
    touched = _looked_at(program, rule).union(name for name, _ in rule.sets)
    drawn = [(program.slots[n], template.domains[n].choices()) for n in template.domains if n in touched]
    normal = [template.normal[name] for name in program.variables]
    for _ in range(STRAY_STATES):
        state, share = list(normal), rng.random()
        for slot, values in drawn:
            if rng.random() < share:
                state[slot] = rng.choice(values)
        if any(state[program.slots[target]] != wanted for target, wanted in rule.wants(state)):
            yield state


def _attempts(program: Program, rule: CompiledRule, wanted: State) -> Iterator[tuple[State, Move]]:
    """Yield settled states beside the wanted one, each with the write that leads there."""
    looked_at = _looked_at(program, rule)
    for name, values in set_points(program).items():
        slot = program.slots[name]
        events = rule.on[1] if rule.on is not None and rule.on[0] == name else ()
        asked = events or ((wanted[slot],) if rule.on is None and name in looked_at else ())
        for value in asked:
            for other in values:
                state = list(wanted)
                state[slot] = other
                if other != value and settle(program, state):
                    yield state, (name, value)


def _looked_at(program: Program, rule: CompiledRule) -> frozenset[str]:
    names: frozenset[str] = frozenset()
    return names.union(*(reads(tree, program.template.names) for tree in rule.trees))
