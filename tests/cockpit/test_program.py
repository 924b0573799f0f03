"""The order of one write, semantics section 2: step by step on the pump, and against a plain reading."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.expressions import Literal, Node
from acoe_gym.cockpit.fold import fold
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.task import Task

PumpWith = Callable[..., Task]
KEEP = 'setting = { power = ["OFF"] }\nwhile = "running"'
NEVER = 'never = "hot"'
GOAL = '[[goals]]\nid = "running"'
RULES = "[inert]"
LEVEL = "level = { range = [0, 10], step = 0.5, normal = 4 }"


def write(episode: Episode, **values: object) -> list[tuple[str, int]]:
    """Write controls in order; return what became of each and how many constraints it broke."""
    calls = [episode.one("set_system", {"component": name, "value": value}) for name, value in values.items()]
    return [(call.outcome.name, call.violated.bit_count()) for call in calls]


def running(task: Task) -> Episode:
    """An episode with the pump running on an open valve."""
    episode = Episode(task)
    write(episode, drain="SHUT", power="ON", east_valve="OPEN", start="PUSH")
    assert true(episode, "running") is True
    return episode


def true(episode: Episode, name: str) -> Value:
    return episode.state[episode.task.program.slots[name]]


# 1. Is it legal?


def test_a_rejected_write_is_not_judged_and_propagates_nothing(pump_with: PumpWith) -> None:
    episode = running(pump_with())
    before = list(episode.state)
    assert write(episode, power="OFFF", fuse="OUT", flow=3, speed=101) == [("REJECTED", 0)] * 4
    assert (episode.state, episode.violations) == (before, 0)


# 2. Does the control already stand there?


def test_an_unchanged_write_is_recorded_and_not_judged(pump_with: PumpWith) -> None:
    episode = running(pump_with((KEEP, 'setting = { power = ["ON", "OFF"] }\nwhile = "running"')))
    assert write(episode, power="ON") == [("UNCHANGED", 0)]
    assert episode.log[-1].reply == '{"ok":true,"component":"power","set":"ON"}'


def test_an_unchanged_write_fires_no_event_rule(pump_with: PumpWith) -> None:
    drains = '[[rules]]\nid = "drains"\non = { drain = ["SHUT", "OPEN"] }\nset = { level = "level - 1" }\n\n'
    episode = Episode(pump_with((RULES, drains + RULES)))
    write(episode, drain="OPEN")
    assert true(episode, "level") == 4
    write(episode, drain="SHUT")
    assert true(episode, "level") == 3


def test_a_momentary_position_is_never_unchanged(pump_with: PumpWith) -> None:
    counts = '[[rules]]\nid = "counts"\non = { start = "PUSH" }\nset = { level = "level + 1" }\n\n'
    episode = Episode(pump_with((RULES, counts + RULES)))
    assert write(episode, start="PUSH") + write(episode, start="PUSH") == [("RUN", 0)] * 2
    assert true(episode, "level") == 6


# 3. Which constraints does the request violate, judged on the state before the write?


def test_a_setting_is_judged_on_the_state_before_the_write(pump_with: PumpWith) -> None:
    episode = running(pump_with())
    assert write(episode, power="OFF") == [("RUN", 1)]
    assert true(episode, "running") is False


def test_what_the_write_brings_about_is_not_held_against_it(pump_with: PumpWith) -> None:
    task = pump_with((KEEP, 'setting = { start = ["PUSH"] }\nwhile = "running"'))
    episode = Episode(task)
    assert write(episode, drain="SHUT", power="ON", start="PUSH")[-1] == ("RUN", 0)
    assert write(episode, start="PUSH") == [("RUN", 1)]


def test_what_rules_do_in_consequence_is_no_request(pump_with: PumpWith) -> None:
    trips = '[[rules]]\nid = "trips"\non = { drain = "OPEN" }\nset = { power = "OFF" }\n\n'
    episode = running(pump_with((RULES, trips + RULES)))
    assert write(episode, drain="OPEN") == [("RUN", 0)]
    assert true(episode, "power") == 0


def test_several_triggers_of_one_constraint_are_one_violation(pump_with: PumpWith) -> None:
    twice = 'any = [{ setting = { power = ["OFF"] }, while = "running" }, { setting = { "p*" = "*" } }]'
    episode = running(pump_with((KEEP, twice)))
    assert write(episode, power="OFF") == [("RUN", 1)]


def test_a_write_that_breaks_two_constraints_costs_two(pump_with: PumpWith) -> None:
    episode = running(pump_with((NEVER, 'never = "east_valve == OPEN and power == OFF"')))
    assert write(episode, power="OFF") == [("RUN", 2)]
    assert [v.constraint for v in episode.violation_list()] == ["keep_power", "never_hot"]


# 4 and 5. The control takes the value, then its event rules fire.


def test_event_rules_see_the_new_value_and_fire_in_file_order(pump_with: PumpWith) -> None:
    rules = (
        '[[rules]]\nid = "first"\non = { drain = "HALF" }\nwhen = "drain == HALF"\nset = { level = 1 }\n\n'
        '[[rules]]\nid = "second"\non = { drain = "HALF" }\nwhen = "level == 1"\nset = { level = 2 }\n\n'
        '[[rules]]\nid = "other"\non = { drain = "OPEN" }\nset = { level = 9 }\n\n'
    )
    episode = Episode(pump_with((RULES, rules + RULES)))
    write(episode, drain="HALF")
    assert true(episode, "level") == 2


def test_an_event_rule_assigns_all_right_sides_at_once(pump_with: PumpWith) -> None:
    swap = '[[rules]]\nid = "swap"\non = { drain = "HALF" }\nset = { level = "other", other = "level" }\n\n'
    other = "other = { range = [0, 10], step = 0.5, normal = 7 }\n"
    episode = Episode(pump_with((RULES, swap + RULES), (LEVEL, other + LEVEL)))
    write(episode, drain="HALF")
    assert (true(episode, "level"), true(episode, "other")) == (7, 4)


# 6. One ordered pass over the level rules, world before template.


def test_level_rules_run_after_event_rules(pump_with: PumpWith) -> None:
    starts = '[[rules]]\nid = "starts"\non = { drain = "HALF" }\nset = { running = true }\n\n'
    episode = Episode(pump_with((RULES, starts + RULES)))
    write(episode, drain="HALF")
    assert true(episode, "running") is False  # the level rule "stops" had the last word: there is no power


def test_level_rules_run_once_in_file_order(pump_with: PumpWith) -> None:
    rules = (
        '[[rules]]\nid = "too_early"\nwhen = "level == 1"\nset = { hot = true }\n\n'
        '[[rules]]\nid = "fills"\nwhen = "drain == HALF"\nset = { level = 1 }\n\n'
        '[[rules]]\nid = "after"\nwhen = "level == 1"\nset = { "fault.motor" = true }\n\n'
    )
    episode = Episode(pump_with((RULES, rules + RULES)))
    write(episode, drain="HALF")
    assert (true(episode, "hot"), true(episode, "fault.motor")) == (False, True)


def test_template_rules_run_after_the_worlds(pump_with: PumpWith) -> None:
    world = '[[rules]]\nid = "fills"\nwhen = "drain == HALF"\nset = { level = 1 }\n\n'
    template = '[[rules]]\nid = "breaks"\nwhen = "level == 1"\nset = { "fault.motor" = true }\n\n'
    episode = Episode(pump_with((RULES, world + RULES), (GOAL, template + GOAL)))
    write(episode, drain="HALF")
    assert true(episode, "fault.motor") is True


def test_definitions_and_instruments_are_never_one_write_stale(pump_with: PumpWith) -> None:
    episode = running(pump_with())
    for speed, flow in ((50, 5), (40, 4), (0, 0)):
        write(episode, speed=speed)
        assert f'"value":{flow},' in episode.one("get_system", {"component": "flow"}).reply


# 7. A momentary position springs back; no rule runs for that.


def test_a_momentary_position_springs_back_without_firing_rules(pump_with: PumpWith) -> None:
    rules = (
        '[[rules]]\nid = "released"\non = { start = "REST" }\nset = { level = 9 }\n\n'
        '[[rules]]\nid = "held"\nwhen = "start == PUSH"\nset = { "fault.motor" = true }\n\n'
        '[[rules]]\nid = "rests"\nwhen = "start == REST and level == 4"\nset = { hot = false }\n\n'
    )
    episode = Episode(pump_with((RULES, rules + RULES)))
    write(episode, start="PUSH")
    assert (true(episode, "start"), true(episode, "level"), true(episode, "fault.motor")) == (0, 4, True)


# 8. A never constraint that was false before the write and is true now is violated.


def test_a_never_constraint_counts_rising_edges_only(pump_with: PumpWith) -> None:
    episode = Episode(pump_with((NEVER, 'never = "drain == HALF"')))
    assert write(episode, drain="HALF") == [("RUN", 1)]
    assert write(episode, power="ON", drain="OPEN") == [("RUN", 0)] * 2
    assert write(episode, drain="HALF") == [("RUN", 1)]
    assert episode.violations == 2


def test_a_never_constraint_that_holds_from_the_start_is_no_violation(pump_with: PumpWith) -> None:
    episode = Episode(pump_with((NEVER, 'never = "drain != SHUT"')))
    assert write(episode, power="ON", drain="HALF", speed=50) == [("RUN", 0)] * 3
    assert write(episode, drain="SHUT") + write(episode, drain="OPEN") == [("RUN", 0), ("RUN", 1)]


def test_a_never_constraint_looks_after_the_rules(pump_with: PumpWith) -> None:
    episode = running(pump_with())
    write(episode, speed=100)
    assert write(episode, east_valve="SHUT") == [("RUN", 1)]  # runs dry, gets hot


def test_a_never_constraint_looks_after_the_spring(pump_with: PumpWith) -> None:
    episode = Episode(pump_with((NEVER, 'never = "start == PUSH"')))
    assert write(episode, start="PUSH") == [("RUN", 0)]


# All at once: the compiled program against a plain reading of the same rules.

TEMPLATES = ["pump/priming", "c172s/engine_restart", "c172s/electrical_fire"]


def holds(program: Program, tree: Node, values: Mapping[str, Value], asked: Value | None = None) -> Any:
    if asked is not None:
        return eval(program._statement([tree], "{0}")[-1], {}, {"v": asked, "s": list(values.values())})
    folded = fold(tree, program.template.names, values)
    assert isinstance(folded, Literal)
    return folded.value


def entered(program: Program, values: Mapping[str, Value]) -> int:
    return sum(
        1 << i
        for i, c in enumerate(program.template.constraints)
        if any(t.never and holds(program, t.condition, values) for t in c.triggers)
    )


def requested(program: Program, values: Mapping[str, Value], name: str, value: Value) -> int:
    return sum(
        1 << i
        for i, c in enumerate(program.template.constraints)
        if any(
            holds(program, asked, values, value) and holds(program, t.condition, values)
            for t in c.triggers
            for control, asked in t.settings
            if control == name
        )
    )


def plainly(
    program: Program, values: dict[str, Value], name: str, value: Value
) -> tuple[dict[str, Value], int]:
    """One legal, changing write, word by word from the semantics."""
    broken, before = requested(program, values, name, value), entered(program, values)
    now = {**values, name: value}
    events = [rule for rule in program.rules if rule.on and rule.on[0] == name and value in rule.on[1]]
    for rule in (*events, *(rule for rule in program.rules if rule.on is None)):
        if holds(program, rule.when, now):
            now.update({target: holds(program, tree, now) for target, tree in rule.sets})
    now[name] = dict(program.template.world.components[name].momentary).get(int(now[name]), now[name])
    return now, broken | entered(program, now) & ~before


@pytest.mark.usefixtures("pump")
@pytest.mark.parametrize("template_id", TEMPLATES)
@given(seed=st.integers(0, 2**32))
def test_the_compiled_program_does_what_the_semantics_say(template_id: str, seed: int) -> None:
    program, dice = library.program(template_id), random.Random(seed)
    task = library.task(dice.choice(library.task_ids(template_id)))
    state, values = list(task.initial), dict(zip(program.variables, task.initial, strict=True))
    for _ in range(6):
        name = dice.choice(program.template.world.controls)
        value = dice.choice(program.template.domains[name].choices())
        if values[name] != value:
            values, broken = plainly(program, values, name, value)
            assert program.writers[name](state, value) == broken
            assert state == list(values.values())
            assert program.pending(state) == []
