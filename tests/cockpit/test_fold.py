"""Constant folding, and the cone of influence that a task's hash is taken over."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.expressions import BOOL, Literal, Node, parse
from acoe_gym.cockpit.fold import constants, fold
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.scope import reads
from acoe_gym.cockpit.task import Task

PumpWith = Callable[..., Task]
pytestmark = pytest.mark.usefixtures("pump")
TEMPLATES = ["pump/priming", "c172s/engine_restart", "c172s/electrical_fire"]


def tree(text: str) -> Node:
    return parse(text, library.program("pump/priming").template.names, BOOL, "test")


def folded(text: str, **known: bool | int | float) -> Node:
    return fold(tree(text), library.program("pump/priming").template.names, known)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("running and hot", "hot"),
        ("hot and running and level > 3", "hot and level > 3"),
        ("hot or running", True),
        ("not running and hot", False),
        ("speed > 50 if running else hot", "speed > 50"),
        ("running if hot else running", "true if hot else true"),
        ("drain == HALF", "drain == HALF"),
        ("speed + level > 3 if running else true", "speed + level > 3"),
        ("power == ON and fuse == IN", "fuse == IN"),
        ("power in (OFF,)", False),
        ("power not in (OFF,) and hot", "hot"),
        ("2 * 3 == 6 and hot", "hot"),
        ("live", "fuse == IN"),
        ("'HUMMING' in operator", True),
        ("'HOT' in alarms", "hot"),
    ],
)
def test_what_is_known_is_evaluated_and_the_rest_is_kept(text: str, rest: str | bool) -> None:
    expected = (
        Literal(rest)
        if isinstance(rest, bool)
        else fold(tree(rest), library.program("pump/priming").template.names, {})
    )
    assert folded(text, running=True, power=1) == expected


def conditions(program: Program) -> list[Node]:
    template = program.template
    found = [goal.that for goal in template.goals] + [rule.when for rule in program.rules]
    return found + [t.condition for c in template.constraints for t in c.triggers]


@pytest.mark.parametrize("template_id", TEMPLATES)
@given(seed=st.integers(0, 2**32))
def test_folding_changes_no_meaning(template_id: str, seed: int) -> None:
    program, dice = library.program(template_id), random.Random(seed)
    domains = program.template.domains
    state = [dice.choice(domains[name].choices()) for name in program.variables]
    known = {n: v for n, v in zip(program.variables, state, strict=True) if dice.random() < 0.5}
    condition = dice.choice(conditions(program))
    rest = fold(condition, program.template.names, known)
    assert bool(program.condition(rest)(state)) == bool(program.condition(condition)(state))
    assert not reads(rest, program.template.names) & set(known)


def test_constants_are_what_no_call_can_change() -> None:
    task = library.task("pump/priming/half")
    assert constants(task.program, task.initial) == {"fault.motor": False, "level": 4, "decision.full": False}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('label = "DRAIN"', 'label = "BIG DRAIN"'),
        ("decimals = 2", "decimals = 1"),
        (
            "level = { range = [0, 10], step = 0.5, normal = 4 }",
            "level = { range = [0, 10], step = 0.5, normal = 5 }",
        ),
        ("[panel.readings]\n", '[panel.readings]\nclock = { label = "CLOCK", value = "12" }\n'),
        ("[inert]", '[[rules]]\nid = "leaks"\non = { drain = "OPEN" }\nset = { level = 1 }\n\n[inert]'),
        ('id = "full"\nset = { drain = "HALF" }', 'id = "full"\nset = { drain = "OPEN" }'),
        ("mornings.", "mornings a lot."),
        ('title = "Bring', 'title = "Get'),
    ],
)
def test_what_cannot_matter_to_a_task_leaves_its_hash_alone(pump_with: PumpWith, old: str, new: str) -> None:
    assert pump_with((old, new)).hash == library.task("pump/priming/half").hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('that = "flow.now >= 5"', 'that = "flow.now >= 6"'),
        ("speed / 10 if running", "speed / 5 if running"),
        ("drain == SHUT", "drain != OPEN"),
        ('id = "half"\nset = { drain = "OPEN" }', 'id = "half"\nset = { drain = "HALF" }'),
        (
            'id = "half"\nset = { drain = "OPEN" }',
            'id = "half"\nset = { drain = "OPEN", "fault.motor" = true }',
        ),
        ('id = "half"\n', 'id = "half"\ninformation = "kpao_day"\n'),
        ('id = "half"\n', 'id = "half"\nrelevant_tools = ["get_taf"]\n'),
        ('setting = { power = ["OFF"] }', 'setting = { power = ["OFF"], fuse = "*" }'),
        ('while = "running"', 'while = "running or hot"'),
        ('never = "hot"', 'never = "hot and running"'),
        ("speed > 50", "speed > 60"),
        ("The tanks are low.", "The tanks are dry."),
        ("Half speed will do.", "Half of it will do."),
        ('id = "flowing"\n', 'id = "flowing"\nprimary = true\n'),
        ('applies = "decision.full"', 'applies = "not decision.full"'),
    ],
)
def test_what_can_matter_to_a_task_changes_its_hash(pump_with: PumpWith, old: str, new: str) -> None:
    assert pump_with((old, new)).hash != library.task("pump/priming/half").hash


def test_tasks_of_one_template_have_hashes_of_their_own(pump: Path) -> None:
    tasks = library.task_ids()
    assert len({library.task(name).hash for name in tasks}) == len(tasks)
