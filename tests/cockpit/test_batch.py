"""The batch program: bit for bit what the scalar program does, on expert, random and adversarial play."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from acoe_gym.benchmark.policies import policy
from acoe_gym.cockpit import library
from acoe_gym.cockpit.batch import BatchProgram
from acoe_gym.cockpit.batch_columns import Columns, Move
from acoe_gym.cockpit.batch_lower import lower
from acoe_gym.cockpit.batch_parts import Parts, needed, whole
from acoe_gym.cockpit.batch_source import BatchCompiler
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.evidence import TaskEvidence, random_moves, violations
from acoe_gym.cockpit.expressions import Choice, Member
from acoe_gym.cockpit.firing import set_points
from acoe_gym.cockpit.procedure import Turns, evaluate, follow
from acoe_gym.cockpit.program import Program, State
from acoe_gym.cockpit.relevance import Relevance
from acoe_gym.cockpit.scope import children
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import SpecError

TEMPLATES = library.template_ids()
WALKS, WALK_LENGTH = 6, 60


@cache
def batch_of(template_id: str) -> BatchProgram:
    """Return the batch program of a template, which several tests use."""
    return BatchProgram(library.program(template_id))


def tasks_of(template_id: str) -> list[Task]:
    """Return the core tasks of a template."""
    return [library.task(task_id) for task_id in library.task_ids(template_id)]


def asked(task: Task, turns: Turns) -> list[Move]:
    """Play a policy and return every accepted write, changing or not."""
    episode = Episode(task, max_turns=1000)
    calls = next(turns)
    while True:
        replies = [json.loads(call.reply) for call in episode.turn(calls)]
        if episode.end is not None:
            break
        calls = turns.send(replies)
    rows = [json.loads(c.arguments) for c in episode.log if c.tool == "set_system" and '"ok":true' in c.reply]
    parse = {name: domain.parse for name, domain in task.program.template.domains.items()}
    return [(row["component"], parse[row["component"]](row["value"])) for row in rows]


def sequences(task: Task) -> Iterator[list[Move]]:
    """Yield the writes of experts, of random play and of play on what constraints and events look at."""
    rng = random.Random(task.id)
    yield asked(task, follow(task))
    yield asked(task, follow(task, whole=True))
    yield asked(task, policy("generic")(task, rng))
    points = TaskEvidence(task).points
    for _ in range(WALKS):
        yield random_moves(rng, points, WALK_LENGTH)
    guarded = {name for guard in Relevance(task).guards for name in guard.settings}
    events = {rule.on[0] for rule in task.program.rules if rule.on is not None}
    sharp = {name: values for name, values in points.items() if name in guarded | events}
    for _ in range(WALKS):
        yield random_moves(rng, sharp, WALK_LENGTH)


def scalar_write(program: Program, state: State, move: Move | None) -> int:
    """Make a write in place, as the console does it, and return the violated constraints."""
    if move is None or state[program.slots[move[0]]] == move[1]:
        return 0
    return program.writers[move[0]](state, move[1])


def compare(
    batch: BatchProgram, starts: Sequence[Sequence[Value]], plays: Sequence[Sequence[Move]]
) -> tuple[Columns, int]:
    """Play one sequence per row in both programs; states, violations and goals must agree at every write.

    Returns:
        The last states, and every constraint that was violated somewhere.
    """
    program = batch.program
    pool: dict[Move | None, int] = {None: 0}
    for move in (move for moves in plays for move in moves):
        pool.setdefault(move, len(pool))
    table = batch.moves(pool)
    columns, states = batch.initial(starts), [list(start) for start in starts]
    seen = 0
    for step in range(max(map(len, plays))):
        now = [moves[step] if step < len(moves) else None for moves in plays]
        violated = batch.write(columns, table, np.array([pool[move] for move in now]))
        assert violated.dtype == np.uint64
        expected = [scalar_write(program, s, move) for s, move in zip(states, now, strict=True)]
        assert violated.tolist() == expected
        seen |= int(np.bitwise_or.reduce(violated))
        assert batch.states(columns) == [tuple(state) for state in states]
        met = [[bool(goal(state)) for state in states] for goal in program.goals]
        assert batch.goals(columns).tolist() == met
    return columns, seen


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_states_violations_and_goals_agree_at_every_write(template_id: str) -> None:
    tasks = tasks_of(template_id)
    rows = [(task.initial, moves) for task in tasks for moves in sequences(task)]
    _, seen = compare(batch_of(template_id), [start for start, _ in rows], [moves for _, moves in rows])
    assert seen.bit_count() >= len(batch_of(template_id).program.template.constraints) // 2


@pytest.mark.slow
@pytest.mark.parametrize("template_id", TEMPLATES)
def test_every_violation_that_validation_found_is_found_by_the_batch(template_id: str) -> None:
    for task in tasks_of(template_id):
        parse = {name: domain.parse for name, domain in task.program.template.domains.items()}
        plays = [[(n, parse[n](raw)) for n, raw in steps] for steps in violations(task).values()]
        compare(batch_of(template_id), [task.initial] * len(plays), plays)


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_every_component_reads_the_same(template_id: str) -> None:
    batch, tasks = batch_of(template_id), tasks_of(template_id)
    rng = random.Random(template_id)
    points = set_points(batch.program)
    plays = [random_moves(rng, points, n) for n in range(5, 65) for _ in tasks]
    columns, _ = compare(batch, [task.initial for _ in range(5, 65) for task in tasks], plays)
    states = batch.states(columns)
    for name, reader in batch.program.readers.items():
        reading = batch.read(columns, name)
        texts = batch.program.template.names.line_texts(name)
        for row, state in enumerate(states):
            shown = reader(state)
            assert bool(reading.powered[row]) == (shown is not None)
            if isinstance(shown, tuple):
                lit = tuple(t for t, on in zip(texts, reading.values[:, row], strict=True) if on)
                assert shown == lit
            elif shown is not None:
                assert shown == reading.values[row]


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_settling_agrees_on_states_that_are_not_settled(template_id: str) -> None:
    program, batch = library.program(template_id), batch_of(template_id)
    rng = random.Random(template_id)
    choices = [domain.choices() for domain in program.template.domains.values()]
    states: list[State] = [[rng.choice(values) for values in choices] for _ in range(300)]
    columns = batch.initial(states)
    batch.settle(columns.rows, np.ones(len(states), np.bool_))
    for state in states:
        program.settle(state)
    assert batch.states(columns) == [tuple(state) for state in states]


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_lowered_trees_mean_the_same(template_id: str) -> None:
    program = library.program(template_id)
    parts = whole(program)
    flags = frozenset(n for n, domain in parts.domains.items() if domain.choices() == (False, True))
    trees = [*(tree for rule in parts.rules for tree in rule.trees), *parts.goals]
    trees += [guard.condition for guards in parts.constraints for guard in guards]
    rng = random.Random(template_id)
    for tree in trees:
        low = lower(tree, flags)
        assert not any(isinstance(part, Member) for part in children(low))
        for _ in range(20):
            state = {name: rng.choice(domain.choices()) for name, domain in parts.domains.items()}
            assert evaluate(low, state) == evaluate(tree, state)


def test_a_choice_between_conditions_is_lowered_to_logic() -> None:
    parts = whole(library.program("c172s/engine_restart"))
    flags = frozenset(n for n, domain in parts.domains.items() if domain.choices() == (False, True))
    (stops,) = [rule for rule in parts.rules if rule.targets == ("flaps.at",)]
    todo = [lower(stops.trees[0], flags)]
    while todo:
        part = todo.pop()
        assert not isinstance(part, Choice)
        todo += children(part)


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_the_cone_of_a_task_moves_and_judges_as_the_whole_template(template_id: str) -> None:
    for task in tasks_of(template_id)[:3]:
        relevance = Relevance(task)
        program, cone = task.program, BatchProgram(task.program, needed(relevance))
        slots = [program.slots[name] for name in cone.variables]
        rng = random.Random(task.id)
        points = relevance.candidates()
        plays = [random_moves(rng, points, 40) for _ in range(20)]
        pool = {move: n for n, move in enumerate(dict.fromkeys(m for moves in plays for m in moves))}
        table = cone.moves(pool)
        states = [list(task.initial) for _ in plays]
        columns = cone.initial([[task.initial[slot] for slot in slots]] * len(plays))
        for now in zip(*plays, strict=True):
            violated = cone.write(columns, table, np.array([pool[move] for move in now]))
            expected = [
                scalar_write(program, s, m) & task.constraint_mask for s, m in zip(states, now, strict=True)
            ]
            assert violated.tolist() == expected
            assert cone.states(columns) == [tuple(state[slot] for slot in slots) for state in states]


# Single rules, on the pump.


def of(task: Task, *moves: Move | None) -> tuple[BatchProgram, Columns, list[int]]:
    """Make writes one after the other on one row; return the program, the state and the violations."""
    batch = BatchProgram(task.program)
    columns, table = batch.initial([task.initial]), batch.moves(moves)
    return batch, columns, [int(batch.write(columns, table, np.array([n]))[0]) for n in range(len(moves))]


def true(batch: BatchProgram, columns: Columns, name: str) -> object:
    """Return the value of a variable in the first row."""
    return columns.rows[batch.variables.index(name)][0].item()


START: list[Move] = [("drain", 0), ("power", 1), ("start", 1)]


def test_a_row_without_a_write_keeps_its_state(pump_with: Callable[..., Task]) -> None:
    task = pump_with()
    batch, columns, violated = of(task, None)
    assert batch.states(columns) == [task.initial]
    assert violated == [0]


def test_a_momentary_control_springs_back(pump_with: Callable[..., Task]) -> None:
    batch, columns, _ = of(pump_with(), *START)
    assert true(batch, columns, "running") is True
    assert true(batch, columns, "start") == 0


def test_an_unchanged_write_is_not_judged(pump_with: Callable[..., Task]) -> None:
    change = ('setting = { power = ["OFF"] }\nwhile = "running"', 'setting = { power = "*" }\nwhile = "true"')
    _, _, violated = of(pump_with(change), ("power", 0), ("power", 1), ("power", 1))
    assert violated == [0, 1, 0]


def test_a_state_that_is_never_to_be_is_violated_once_on_entering(pump_with: Callable[..., Task]) -> None:
    _, _, violated = of(pump_with(), *START, ("speed", 100), ("speed", 80), ("east_valve", 1))
    assert violated == [0, 0, 0, 2, 0, 0]


def test_a_setting_may_compare_what_is_asked_for_with_the_state(pump_with: Callable[..., Task]) -> None:
    change = (
        'setting = { power = ["OFF"] }\nwhile = "running"',
        'setting = { speed = "value > speed + 20" }',
    )
    task = pump_with(change)
    _, _, violated = of(task, ("speed", 20), ("speed", 45), ("speed", 50), ("speed", 0))
    assert violated == [0, 1, 0, 0]
    rng = random.Random(0)
    plays = [random_moves(rng, set_points(task.program), 40) for _ in range(40)]
    compare(BatchProgram(task.program), [task.initial] * len(plays), plays)


def test_a_rule_assigns_all_its_right_sides_at_once(pump_with: Callable[..., Task]) -> None:
    swap = 'set = { east_valve = "west_valve", west_valve = "east_valve" }'
    task = pump_with(('when = "live and not fault.motor and drain == SHUT"\nset = { running = true }', swap))
    batch, columns, _ = of(task, ("east_valve", 1), ("start", 1))
    assert (true(batch, columns, "east_valve"), true(batch, columns, "west_valve")) == (0, 1)


def test_numbers_are_calculated_as_in_the_scalar_program(pump_with: Callable[..., Task]) -> None:
    task = pump_with(
        (
            'when = "not live"\nset = { running = false }',
            'when = "speed > 3 * level / 0.7"\nset = { level = "level / 3 + 0.1 * speed" }',
        )
    )
    rng = random.Random(1)
    plays = [random_moves(rng, set_points(task.program), 30) for _ in range(20)]
    compare(BatchProgram(task.program), [task.initial] * len(plays), plays)


def test_picked_states_are_copies(pump: Path) -> None:
    task = library.task("pump/priming/half")
    batch = BatchProgram(library.program("pump/priming"))
    columns = batch.initial([task.initial])
    picked = batch.pick(columns, np.array([0, 0]))
    batch.write(picked, batch.moves([("power", 1), None]), np.array([0, 1]))
    assert batch.states(columns) == [task.initial]
    assert batch.states(picked)[1] == task.initial
    assert pump.is_dir()


def test_a_control_that_the_parts_lack_cannot_be_written(pump: Path) -> None:
    task = library.task("pump/priming/half")
    cone = BatchProgram(task.program, needed(Relevance(task)))
    assert pump.is_dir()
    with pytest.raises(KeyError):
        cone.moves([("throttle", 1)])


def test_more_constraints_than_a_word_has_bits_are_refused(pump: Path) -> None:
    assert pump.is_dir()
    parts = whole(library.program("pump/priming"))
    many = Parts(parts.domains, parts.rules, ((),) * 65, parts.goals, parts.momentary)
    with pytest.raises(SpecError, match="at most 64"):
        BatchCompiler(many, "pump/priming")
