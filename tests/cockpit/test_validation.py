"""Every check of a specification passes on sound ones and is shown to fail by a planted fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.checks import CHECKS, Check, replies, rules, texts, trials
from acoe_gym.cockpit.checks.remark import Remark
from acoe_gym.cockpit.evidence import Evidence, violations
from acoe_gym.cockpit.firing import firing
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.reference import replay, solve
from acoe_gym.cockpit.task import Task, build_task
from acoe_gym.cockpit.templates import load_template
from acoe_gym.cockpit.validation import Finding, Report, Row, validate
from acoe_gym.cockpit.world import load_world
from acoe_gym.errors import UnknownName

PUMP = Path(__file__).parents[1] / "worlds" / "pump"
Change = tuple[str, str, str]
Plant = Callable[..., Evidence]


def sow(folder: Path, changes: tuple[Change, ...]) -> Path:
    """Copy the pump station into a folder, with texts replaced; an empty old text appends."""
    shutil.copytree(PUMP, folder)
    for name, old, new in changes:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} does not stand in {name}"
        path.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")
    return folder


def grow(folder: Path) -> list[Task]:
    """Load all tasks of a planted pump station, without making it available to the library."""
    template = load_template(folder / "priming.toml", load_world(folder / "world.toml"))
    program = Program(template)
    return [build_task(program, spec) for spec in template.tasks.values()]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Return a function that gives the evidence of a pump station with faults in it."""
    return lambda *changes: Evidence(grow(sow(tmp_path / "pump", changes)))


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Callable[..., Report]]:
    """Return a function that validates a pump station with faults in it by its id."""

    def validated(*changes: Change, solutions: bool = False) -> Report:
        sow(tmp_path / "specs" / "pump", changes)
        library.add_root(tmp_path / "specs")
        return validate(["pump/priming"], solutions=solutions)

    yield validated
    library.remove_root(tmp_path / "specs")


def errors(check: Check, evidence: Evidence) -> list[Remark]:
    return [remark for remark in check(evidence) if remark.level == "error"]


def with_start(task: Task, **values: object) -> Evidence:
    """Return the evidence of a task that starts otherwise, past the loader's refusal."""
    state = list(task.initial)
    for name, value in values.items():
        state[task.program.slots[name.replace("__", ".")]] = value  # type: ignore[call-overload]
    return Evidence([replace(task, initial=tuple(state))])


# Sound specifications.


@pytest.fixture(scope="module")
def core() -> Report:
    return validate(library.task_ids())


def test_the_core_tasks_have_no_error(core: Report) -> None:
    assert [finding for finding in core.findings if finding.level == "error"] == []
    assert core.ok


@pytest.mark.slow
def test_the_core_tasks_have_no_error_and_no_short_solution() -> None:
    report = validate(library.task_ids(), solutions=True)
    assert [finding for finding in report.findings if finding.level == "error"] == []


def test_the_restart_needs_all_its_writes_but_those_of_a_probe(core: Report) -> None:
    notes = {
        f.where for f in core.findings if f.level == "note" and f.where.startswith("c172s/engine_restart")
    }
    assert {where.rpartition("/")[2] for where in notes} == {
        "engine_pump_failed",
        "engine_pump_failed_stopped_prop",
    }


@pytest.mark.parametrize("task_id", library.task_ids())
def test_each_constraint_is_violated_by_the_trajectory_found_for_it(task_id: str) -> None:
    task = library.task(task_id)
    found = violations(task)
    assert list(found) == [task.constraint(i).id for i in task.constraints]
    for constraint, writes in found.items():
        broken = replay(task, writes).violation_list()
        assert constraint in {violation.constraint for violation in broken if violation.turn == len(writes)}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
def test_the_pump_station_is_sound(check: Check, plant: Plant) -> None:
    assert errors(check, plant()) == []


# Planted faults: starts and trivial ways to succeed.


def test_an_unsettled_start_is_found(pump_with: Callable[..., Task]) -> None:
    (remark,) = errors(trials.starts_are_settled, with_start(pump_with(), running=True))
    assert remark.message == "expected a settled initial state, but rule stops would change running"


def test_an_illegal_start_is_found(pump_with: Callable[..., Task]) -> None:
    (remark,) = errors(trials.starts_are_settled, with_start(pump_with(), speed=3))
    assert remark.message == "expected a legal initial speed, got 3"


def test_a_start_on_a_position_that_springs_back_is_found(pump_with: Callable[..., Task]) -> None:
    (remark,) = errors(trials.starts_are_settled, with_start(pump_with(), start=1))
    assert remark.message == "expected start at rest, got a position from which it springs back"


@pytest.mark.parametrize(
    ("check", "what"),
    [
        (trials.submitting_at_once_fails, "submitting at once"),
        (trials.doing_nothing_fails, "48 turns without a call"),
        (trials.only_reading_fails, "reading every component"),
    ],
)
def test_a_task_that_is_solved_at_the_start_is_found(
    check: Check, what: str, pump_with: Callable[..., Task]
) -> None:
    task = pump_with()
    solved = replace(task, initial=tuple(solve(task).state))
    (remark,) = errors(check, Evidence([solved]))
    assert remark == Remark("error", task.id, f"expected {what} to fail, got success 1, GA 1")


def test_a_reading_that_changes_the_state_is_found(pump_with: Callable[..., Task]) -> None:
    task = pump_with()

    def opens_the_valve(state: Any) -> float:
        state[task.program.slots["east_valve"]] = 1
        return 1.0

    task.program.readers["pressure"] = opens_the_valve
    (remark,) = errors(trials.only_reading_fails, Evidence([task]))
    assert remark.message == "expected reading every component to leave the state as it is, got another one"


# Planted faults: the reference.

END = "[[tasks]]"


def step(text: str) -> Change:
    """Return a change that adds a step at the end of the procedure."""
    return "priming.toml", END, f'[[procedure]]\n{text}\nfacts = ["start"]\n\n{END}'


def test_a_procedure_that_misses_a_goal_is_found(plant: Plant) -> None:
    found = errors(trials.reference_succeeds, plant(("priming.toml", 'set = { drain = "SHUT" }', "")))
    assert found[0].message == "expected the procedure to meet every goal, but it misses running, flowing"


def test_a_procedure_that_violates_is_found(plant: Plant) -> None:
    found = errors(trials.reference_succeeds, plant(step('set = { power = "OFF" }')))
    assert "expected the procedure to violate nothing, but power in turn 12 violates keep_power" in {
        remark.message for remark in found
    }


def test_a_procedure_beyond_the_budget_is_found(plant: Plant) -> None:
    (found, _) = errors(trials.reference_succeeds, plant(step(f"read = {['pressure'] * 48}")))
    assert found.message == "expected the procedure to submit within 48 turns, got truncated"


def test_a_needless_write_is_found(plant: Plant) -> None:
    found = errors(trials.no_write_is_needless, plant(step('set = { west_valve = "OPEN" }')))
    assert "expected every write of the procedure to be needed, but west_valve to OPEN is not" in {
        remark.message for remark in found
    }


def test_a_probe_that_is_moved_back_is_noted_and_allowed(plant: Plant) -> None:
    there, back = (
        f'set = {{ west_valve = "{to}" }}\nprobe = {p}' for to, p in (("OPEN", "true"), ("SHUT", "false"))
    )
    found = list(trials.no_write_is_needless(plant(step(there), step(back))))
    assert {remark.level for remark in found} == {"note"}
    assert found[0].message == "west_valve to OPEN may be left out: it is moved to diagnose, and back"


def test_a_needless_write_of_a_probe_that_stays_is_found(plant: Plant) -> None:
    assert errors(trials.no_write_is_needless, plant(step('set = { west_valve = "OPEN" }\nprobe = true')))


def test_a_list_that_violates_as_a_whole_is_found(plant: Plant) -> None:
    found = errors(trials.whole_list_is_safe, plant(step('set = { power = "OFF" }')))
    assert (
        found[0].message
        == "expected the whole list to violate nothing, but power in turn 7 violates keep_power"
    )


# Planted faults: goals and constraints.


def test_a_goal_that_cannot_fail_is_found(plant: Plant) -> None:
    goal = '[[goals]]\nid = "vacuous"\nthat = "level >= 0"\nfacts = ["start"]\n\n[[constraints]]'
    found = errors(trials.goals_can_fail, plant(("priming.toml", "[[constraints]]", goal)))
    assert found[0].where == "pump/priming/half [[goals]] vacuous"


def constraint(name: str, trigger: str, fact: str) -> Change:
    """Return a change that adds a constraint."""
    text = f'[[constraints]]\nid = "{name}"\n{trigger}\nfacts = ["{fact}"]\n\n[[procedure]]'
    return "priming.toml", "[[procedure]]", text


def test_a_constraint_that_cannot_be_violated_is_found(plant: Plant) -> None:
    found = errors(
        trials.constraints_can_be_violated, plant(constraint("idle", 'setting = { fuse = ["OUT"] }', "start"))
    )
    assert found[0].where == "pump/priming/half [[constraints]] idle"
    assert found[0].message.startswith("expected a write that violates it, got none among ")


def test_two_constraints_on_the_same_writes_are_found(plant: Plant) -> None:
    twin = constraint("twin", 'setting = { power = ["OFF"] }\nwhile = "running and level < 11"', "start")
    found = errors(trials.constraints_differ, plant(twin))
    assert found[0].where == "pump/priming/half [[constraints]] twin"
    assert found[0].message.endswith("that violate keep_power")


def test_a_constraint_without_a_fact_of_its_own_is_found(plant: Plant) -> None:
    shared = constraint("shared", 'setting = { drain = ["OPEN"] }', "power")
    found = errors(texts.constraints_cite_facts_of_their_own, plant(shared))
    assert [remark.where for remark in found] == [
        "pump/priming [[constraints]] keep_power",
        "pump/priming [[constraints]] shared",
    ]


SECRET: tuple[Change, ...] = (
    ("priming.toml", "[[goals]]", "[hidden]\nsecret = { normal = false }\n\n[[goals]]"),
    (
        "priming.toml",
        "[[constraints]]",
        (
            '[[goals]]\nid = "secret"\napplies = "secret"\nthat = "west_valve == OPEN"\nfacts = ["start"]\n'
            "[[constraints]]"
        ),
    ),
    (
        "priming.toml",
        "[[generator]]",
        (
            '[[tasks]]\nid = "guess"\nset = { drain = "OPEN", secret = true }\nbriefing = "morning"\n'
            "[[generator]]"
        ),
    ),
)


def test_two_tasks_that_only_a_guess_tells_apart_are_found(plant: Plant) -> None:
    (found,) = errors(trials.tasks_can_be_told_apart, plant(*SECRET))
    assert found.where == "pump/priming/half"
    assert (
        found.message == "expected a reading that differs from pump/priming/guess, which needs other writes"
    )


def test_two_tasks_that_a_reading_tells_apart_are_allowed(plant: Plant) -> None:
    shown = ("world.toml", '["HUMMING", "running"]', '["HUMMING", "running"], ["TREMOR", "fault.motor"]')
    fault = ("priming.toml", "secret = true }", 'secret = true, "fault.motor" = true }')
    assert errors(trials.tasks_can_be_told_apart, plant(*SECRET, shown, fault)) == []


def test_two_tasks_that_a_probe_tells_apart_are_allowed(plant: Plant, tmp_path: Path) -> None:
    # The second station trembles once its power is on, which the list tries in a step of its own.
    trembles = ("world.toml", '["HUMMING", "running"]', '["HUMMING", "running"], ["TREMOR", "dry and live"]')
    dry = ("world.toml", "[define]", '[define]\ndry = "level == 0"')
    there = ("priming.toml", "secret = true }", "secret = true, level = 0 }")
    probe = ("priming.toml", 'set = { power = "ON" }', 'set = { power = "ON" }\nprobe = true')
    unprobed = Evidence(grow(sow(tmp_path / "unprobed" / "pump", (*SECRET, trembles, dry, there))))
    assert len(errors(trials.tasks_can_be_told_apart, unprobed)) == 1
    assert errors(trials.tasks_can_be_told_apart, plant(*SECRET, trembles, dry, there, probe)) == []


# Planted faults: texts.


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("Mind the drain.", "drain"),
        ("Turn the EAST valve.", "east valve"),
        ("We want 50 of a hundred.", "50"),
        ("Give it a push.", "push"),
        ("Is it shut?", "shut"),
    ],
)
def test_a_briefing_that_names_a_step_is_found(sentence: str, word: str, plant: Plant) -> None:
    found = errors(texts.texts_name_no_step, plant(("priming.toml", "Please get us water.", sentence)))
    assert any(
        remark.where == "pump/priming [briefings] morning"
        and remark.message.startswith(f"expected no word of a step, got {word!r}")
        for remark in found
    )


def test_a_synonym_of_a_step_is_found(plant: Plant) -> None:
    renamed = [("world.toml", "fuse =", "standby_pump ="), ("world.toml", "fuse ==", "standby_pump ==")]
    told = ("priming.toml", "Please get us water.", "The boost may help.")
    found = errors(texts.texts_name_no_step, plant(*renamed, told, step('set = { standby_pump = "IN" }')))
    assert [remark.message for remark in found] == ["expected no word of a step, got 'boost' (standby_pump)"]


def test_a_crew_report_that_names_a_step_is_found(plant: Plant) -> None:
    found = errors(texts.texts_name_no_step, plant(("world.toml", '"HUMMING"', '"DRAIN LEAKS"')))
    assert found[0].where == "pump/priming operator line 'DRAIN LEAKS'"


def test_a_decision_may_name_what_hangs_on_it_alone(plant: Plant) -> None:
    told = ("priming.toml", "We want all it can give.", "We want a speed of 100, and mind the drain.")
    found = errors(texts.texts_name_no_step, plant(told))
    assert [(remark.where, remark.message) for remark in found] == [
        ("pump/priming [decisions] full yes", "expected no word of a step, got 'drain' (drain)")
    ]


# Planted faults: rules, panel, replies.


def test_a_template_rule_that_never_fires_is_found(plant: Plant) -> None:
    seen = ("priming.toml", "[[goals]]", "[hidden]\nseen = { normal = false }\n\n[[goals]]")
    rule = '[[rules]]\nid = "dead"\nwhen = "level > 10"\nset = { seen = true }\n\n[[goals]]'
    found = errors(rules.template_rules_fire, plant(seen, ("priming.toml", "[[goals]]", rule)))
    assert [remark.where for remark in found] == ["pump/priming [[rules]] dead"]


DEAD = '\n[[rules]]\nid = "dead"\nwhen = "level > 10"\nset = { hot = true }\n\n[inert]'
RARE = '\n[[rules]]\nid = "rare"\nwhen = "fault.motor and speed == 0"\nset = { level = "0" }\n\n[inert]'


def test_a_world_rule_that_never_fires_is_found(plant: Plant) -> None:
    found = errors(rules.world_rules_fire, plant(("world.toml", "\n[inert]", DEAD)))
    assert [remark.where for remark in found] == ["pump [[rules]] dead"]


def test_a_world_rule_that_fires_in_no_task_is_a_warning(plant: Plant) -> None:
    found = {r.where: r for r in rules.world_rules_fire(plant(("world.toml", "\n[inert]", RARE)))}
    rare = found["pump [[rules]] rare"]
    assert rare.level == "warning"
    assert rare.message == "expected a rule that fires in some task, got one that fires only by a write"


def test_a_rule_that_a_later_one_overtakes_is_a_warning(plant: Plant) -> None:
    early = '[[rules]]\nid = "early"\nwhen = "hot"\nset = { "fault.motor" = true }\n\n[[rules]]'
    found = list(rules.rules_see_what_later_ones_write(plant(("world.toml", "[[rules]]", early))))
    assert {remark.level for remark in found} == {"warning"}
    assert (
        Remark("warning", "pump [[rules]] early", "reads hot, which the later rule east_runs_dry writes")
        in found
    )


def test_too_many_inert_controls_are_a_warning(plant: Plant) -> None:
    listed = ("world.toml", "[inert]", '[inert]\nfuse = "for the test"\nspeed = "for the test"')
    (found,) = rules.few_controls_are_inert(plant(listed))
    assert (found.level, found.message) == ("warning", "expected at most 15% of the controls, got 2 of 7")


def test_a_long_list_of_systems_is_found(plant: Plant) -> None:
    long = ("world.toml", 'label = "FUSE"', f'label = "FUSE {"X" * 5000}"')
    (found,) = errors(replies.lists_are_short_and_equal, plant(long))
    assert found.message.startswith("expected list_systems within 5120 bytes, got 5")


def test_lists_of_systems_that_differ_between_tasks_are_found(tmp_path: Path) -> None:
    one = grow(sow(tmp_path / "one" / "pump", ()))
    other = grow(sow(tmp_path / "other" / "pump", (("world.toml", '"FUSE"', '"FUSE!"'),)))
    (found,) = errors(replies.lists_are_short_and_equal, Evidence([*one, *other]))
    assert found.message == "expected list_systems to answer alike in all tasks, got 2 answers"


@pytest.mark.parametrize(
    "change",
    [
        ("world.toml", '["IN", "OUT"], settable = ["IN"], normal', f'["IN", "{"X" * 2000}"], normal'),
        ("world.toml", '["HOT", "hot"]', f'["HOT", "hot"], ["{"X" * 2000}", "hot"]'),
    ],
)
def test_a_long_reply_is_found(change: Change, plant: Plant) -> None:
    assert errors(replies.replies_are_short, plant(change))


# What the loader refuses becomes a finding with the loader's own words.

# What is refused -> old and new text in priming.toml, and the message after the file's name.
REFUSALS = {
    "unknown name": (
        'that = "flow.now >= 5"',
        'that = "flow.then >= 5"',
        (
            "[[goals]] flowing that: expected a known name, got 'flow.then' in 'flow.then >= 5'; "
            "nearest: flow.now, flow"
        ),
    ),
    "wrong position": (
        'drain = "HALF" }',
        'drain = "HALVE" }',
        "[[tasks]] full set drain: expected one of SHUT, HALF, OPEN, got 'HALVE'; nearest: HALF",
    ),
    "unsettled start": (
        'drain = "OPEN" }',
        'drain = "OPEN", running = true }',
        (
            "[[tasks]] half: expected a settled initial state, but rule stops would change it; "
            'set: { "running" = false }'
        ),
    ),
    "goals met at the start": (
        'drain = "OPEN" }',
        'running = true, power = "ON", east_valve = "OPEN", speed = 50 }',
        "[[tasks]] half: expected a goal that is not met at the start, got all of them met",
    ),
    "rule that fights a world rule": (
        "[[goals]]",
        '[[rules]]\nid = "fight"\nset = { running = true }\n\n[[goals]]',
        "[[rules]] fight: expected variables that no world rule writes, got 'running' (rule stops)",
    ),
    "recalled fact under a constraint": (
        'facts = ["power"]',
        'facts = ["hearsay"]',
        (
            "[[constraints]] keep_power: expected facts of confidence V or paper under a goal or hard "
            "constraint, got 'hearsay' (confidence R)"
        ),
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_the_loader_refuses_is_a_finding(name: str, planted: Callable[..., Report]) -> None:
    old, new, message = REFUSALS[name]
    report = planted(("priming.toml", old, new))
    said = [finding.message for finding in report.findings if finding.check == "loading"]
    assert f"pump/priming.toml {message}" in said
    assert not report.ok


def test_an_unknown_task_is_no_finding_but_a_wrong_question() -> None:
    with pytest.raises(UnknownName, match="nearest: c172s/engine_restart/engine_pump_failed"):
        validate(["c172s/engine_restart/engine_pump_fail"])


# Shortest solutions.


def test_a_task_that_takes_two_writes_is_found(planted: Callable[..., Report]) -> None:
    ready = 'drain = "SHUT", power = "ON", east_valve = "OPEN" }'
    report = planted(("priming.toml", 'drain = "OPEN" }', ready), solutions=True)
    (found,) = [finding for finding in report.findings if finding.check == "solutions_take_writes"]
    assert found.message.startswith("expected at least 3 writes, got a solution by ")


def test_two_writes_are_enough_with_a_stated_reason(planted: Callable[..., Report]) -> None:
    ready = (
        'drain = "SHUT", power = "ON", east_valve = "OPEN" }\nshort_because = "the list has two steps left"'
    )
    report = planted(("priming.toml", 'drain = "OPEN" }', ready), solutions=True)
    assert not [finding for finding in report.findings if finding.check == "solutions_take_writes"]


def test_a_task_without_a_safe_solution_is_found(planted: Callable[..., Report]) -> None:
    forbidden = constraint("never", 'setting = { start = ["PUSH"] }', "start")
    report = planted(forbidden, solutions=True)
    assert "expected a safe solution, got none" in [finding.message for finding in report.findings]


# The report.


def test_the_report_has_a_line_per_finding_and_per_template() -> None:
    finding = Finding("warning", "some_check", "pump", "look here")
    report = Report((finding,), (Row("pump/priming", 2, 4, 0.75, (5, 7)), Row("pump/b", 1, 2, 1.0)))
    assert report.ok
    assert report.lines() == [
        "warning: pump: look here [some_check]",
        "template      tasks  constraints  facts seen  shortest",
        "pump/priming      2            4         75%  5 to 7 writes",
        "pump/b            1            2        100%  -",
        "0 errors, 1 warnings, 0 notes",
    ]


def test_validation_tells_what_it_is_doing(planted: Callable[..., Report]) -> None:
    planted()
    said: list[str] = []
    validate(["pump/priming"], said.append)
    assert said == [check.__name__ for check in CHECKS]


def test_a_rule_counts_as_fired_when_it_changes_something(pump_with: Callable[..., Task]) -> None:
    task = pump_with()
    state, slots = list(task.initial), task.program.slots
    state[slots["drain"]], state[slots["power"]] = 0, 1
    assert firing(task.program, state, "start", 1) == {"start"}
    assert firing(task.program, task.initial, "start", 1) == set()
