"""Reading a template and building its tasks: what is wrong is said with file, table and nearest name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.expressions import Literal
from acoe_gym.cockpit.task import Task, build_task
from acoe_gym.cockpit.templates import TaskSpec
from acoe_gym.errors import SpecError

PumpWith = Callable[..., Task]
HALF = 'id = "half"\nset = { drain = "OPEN" }'
RULE = '[[rules]]\nid = "floods"\nwhen = "{when}"\nset = {{ {set} }}\n\n[[goals]]\nid = "running"'
GOAL = '[[goals]]\nid = "running"'


def half(**changes: object) -> str:
    """The first task's table with another ``set`` or with keys added."""
    head = (
        f'id = "half"\nset = {changes.pop("set", chr(123) + " drain = " + chr(34) + "OPEN" + chr(34) + " }")}'
    )
    return "\n".join([head, *(f"{key} = {value}" for key, value in changes.items())])


def trap(values: str, fact: str = "power") -> str:
    """A basis for traps, and after it the first goal's head."""
    return f'[[traps]]\nset = {values}\nfacts = ["{fact}"]\n\n{GOAL}'


def test_a_task_starts_from_the_worlds_normal_state_but_for_what_it_sets(pump: Path) -> None:
    task = library.task("pump/priming/full")
    normal = task.program.template.normal
    differs = {n for n, v in zip(task.program.variables, task.initial, strict=True) if v != normal[n]}
    assert differs == {"drain", "decision.full"}


def test_initial_values_of_a_template_hold_for_all_its_tasks(pump_with: PumpWith) -> None:
    task = pump_with(("[decisions]", '[initial]\nlevel = 2.5\n"fault.motor" = true\n\n[decisions]'))
    values = dict(zip(task.program.variables, task.initial, strict=True))
    assert (values["level"], values["fault.motor"]) == (2.5, True)


def test_what_a_task_sets_may_be_dotted_quoted_or_nested(pump_with: PumpWith) -> None:
    task = pump_with((HALF, half(set='{ drain = "OPEN", fault = { motor = true } }')))
    assert dict(zip(task.program.variables, task.initial, strict=True))["fault.motor"] is True


def test_decisions_are_said_in_fixed_sentences_after_the_briefing(pump: Path) -> None:
    says = "The tanks are low. Please get us water."
    assert library.task("pump/priming/half").briefing == f"{says} Half speed will do."
    assert library.task("pump/priming/full").briefing == f"{says} We want all it can give."


def test_what_does_not_apply_is_not_part_of_a_task(pump: Path) -> None:
    goals = [
        [task.goal(i).id for i in task.goals]
        for task in (library.task("pump/priming/half"), library.task("pump/priming/full"))
    ]
    assert goals == [["running", "flowing"], ["running", "flowing", "full_speed"]]


def test_a_constraint_that_does_not_apply_is_never_violated(pump_with: PumpWith) -> None:
    task = pump_with(
        ('setting = { power = ["OFF"] }', 'applies = "level > 9"\nsetting = { power = ["OFF", "ON"] }'),
        ('while = "running"', 'while = "not running"'),
    )
    assert [task.constraint(i).id for i in task.constraints] == ["never_hot"]
    episode = Episode(task)
    episode.one("set_system", {"component": "power", "value": "ON"})
    assert episode.violations == 0


def test_a_pattern_stands_for_every_control_it_matches(pump_with: PumpWith) -> None:
    task = pump_with(('setting = { power = ["OFF"] }', 'setting = { "*_valve" = "*" }'))
    settings = task.program.template.constraints[0].triggers[0].settings
    assert settings == (("east_valve", Literal(True)), ("west_valve", Literal(True)))


def test_a_template_adds_hidden_variables_definitions_and_reports(pump_with: PumpWith) -> None:
    added = (
        '[hidden]\nmood = { range = [0, 3], step = 1, normal = 2 }\n\n[define]\ncheerful = "mood > 1"\n\n'
        '[[reports]]\nline = "SINGING"\nwhen = "cheerful"\n\n' + GOAL
    )
    episode = Episode(pump_with((GOAL, added)))
    reply = episode.one("get_system", {"component": "operator"}).reply
    assert reply == '{"ok":true,"component":"operator","value":["SINGING"]}'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # the template
        (
            'id = "priming"',
            'id = "prime"',
            "pump/priming.toml: expected id = 'priming' (the file's name), got 'prime'",
        ),
        ('title = "Bring', 'titel = "Bring', "got key 'titel'; nearest: title"),
        ("[briefings]", "[briefing]", "got key 'briefing'; nearest: briefings"),
        (
            "full = { yes",
            "full = { yess",
            "pump/priming.toml [decisions] full: expected one of yes, no, got key 'yess'; nearest: yes",
        ),
        (
            GOAL,
            "[hidden]\nlevel = { normal = false }\n\n" + GOAL,
            "pump/priming.toml [hidden] level: expected a new name, got one of the world's",
        ),
        (
            GOAL,
            "[hidden]\nflow = { normal = false }\n\n" + GOAL,
            "[hidden] flow: expected a new name, got one of the world's",
        ),
        (
            GOAL,
            "[initial]\nlevle = 3\n\n" + GOAL,
            "[initial] levle: expected a control or hidden variable, got 'levle'; nearest: level",
        ),
        (
            GOAL,
            "[initial]\nlevel = 3.2\n\n" + GOAL,
            "[initial] level: expected a multiple of 0.5 from 0, got 3.2; neighbours: 3.0, 3.5",
        ),
        # rules
        (
            GOAL,
            RULE.format(when="hot", set="running = false"),
            "[[rules]] floods: expected variables that no world rule writes, got 'running' (rule stops)",
        ),
        (
            GOAL,
            RULE.format(when="hott", set="level = 3"),
            "[[rules]] floods when: expected a known name, got 'hott' in 'hott'; nearest: hot",
        ),
        # goals
        ("primary = true\n", "", "[[goals]]: expected at least one goal with primary = true, got none"),
        ('that = "flow.now >= 5"', "that = 5", "[[goals]] flowing: expected that to be str or bool, got 5"),
        (
            'that = "flow.now >= 5"',
            'that = "flow.now"',
            "[[goals]] flowing that: expected a condition, got a number from 'flow.now'",
        ),
        ('id = "flowing"', 'id = "running"', "[[goals]]: expected unique ids, got 'running' twice"),
        (
            'applies = "decision.full"',
            'applies = "decision.ful"',
            "[[goals]] full_speed applies: expected a known name, got 'decision.ful'",
        ),
        # facts
        ('that = "running"\nfacts = ["start"]', 'that = "running"', "[[goals]] running: expected facts = ["),
        (
            'facts = ["power"]',
            'facts = ["powr"]',
            "[[constraints]] keep_power: expected ids of facts.toml, got 'powr'; nearest: power",
        ),
        (
            'facts = ["power"]',
            'facts = ["power", "hearsay"]',
            "under a goal or hard constraint, got 'hearsay' (confidence R)",
        ),
        (
            'edition = "1", page = "3" }',
            'edition = "1", page = "3", disputed = true }',
            "got 'power' (disputed)",
        ),
        (
            'mornings.", confidence = "R"',
            'mornings.", confidence = "Q"',
            "pump/facts.toml [facts] hearsay: expected confidence to be one of V, R, D, paper, got 'Q'",
        ),
        # constraints
        (
            'never = "hot"',
            "",
            "[[constraints]] never_hot: expected either setting (and while) or never, got ",
        ),
        (
            'setting = { power = ["OFF"] }',
            'setting = { powr = ["OFF"] }',
            "[[constraints]] keep_power setting: expected controls, got 'powr'; nearest: power",
        ),
        (
            'setting = { power = ["OFF"] }',
            'setting = { flow = "*" }',
            "keep_power setting: expected controls, got 'flow'",
        ),
        (
            'setting = { power = ["OFF"] }',
            'setting = { power = ["OF"] }',
            "keep_power setting power: expected one of OFF, ON, got 'OF'; nearest: OFF",
        ),
        (
            'setting = { power = ["OFF"] }',
            'setting = { speed = "value > HIGH" }',
            "keep_power setting speed: expected a number, got 'HIGH'",
        ),
        (
            'while = "running"',
            'whilst = "running"',
            "setting, while, never, got key 'whilst'; nearest: while",
        ),
        # traps
        (GOAL, trap('{ powr = ["OFF"] }'), "#1 set: expected controls, got 'powr'; nearest: power"),
        (GOAL, trap('{ hot = "*" }'), "[[traps]] #1 set: expected controls, got 'hot'"),
        (
            GOAL,
            trap('{ power = ["OF"] }'),
            "[[traps]] #1 set power: expected one of OFF, ON, got 'OF'; nearest: OFF",
        ),
        (
            GOAL,
            trap('{ power = "OFF" }'),
            "[[traps]] #1 set power: expected a list of values or '*', got 'OFF'",
        ),
        (
            GOAL,
            trap('{ power = ["OFF"], "p*" = ["ON"] }'),
            "[[traps]] #1 set: expected unique ids, got 'power' twice",
        ),
        (GOAL, trap('{ power = ["OFF"] }', "hearsay"), "got 'hearsay' (confidence R)"),
        (
            GOAL,
            trap('{ power = ["OFF"] }').replace("set", "setting"),
            "[[traps]] #1: expected one of set, facts, got key 'setting'; nearest: set",
        ),
        # procedure
        (
            'set = { drain = "SHUT" }',
            'set = { drian = "SHUT" }',
            "[[procedure]] #1 set: expected controls, got 'drian'; nearest: drain",
        ),
        (
            'set = { drain = "SHUT" }',
            'set = { drain = "SHUTT" }',
            "[[procedure]] #1 set drain: expected one of SHUT, HALF, OPEN, got 'SHUTT'",
        ),
        (
            'set = { drain = "SHUT" }',
            'read = ["flwo"]\nset = { drain = "SHUT" }',
            "[[procedure]] #1 read: expected components, got 'flwo'; nearest: flow",
        ),
        (
            'when = "flow == 0"',
            'when = "flow.now == 0"',
            "[[procedure]] #4 when: expected what a pilot can read or was told, got 'flow.now'",
        ),
        (
            'when = "flow == 0"',
            'when = "not running"',
            "[[procedure]] #4 when: expected what a pilot can read or was told, got 'running'",
        ),
        # tasks
        (
            HALF,
            half(set='{ drian = "OPEN" }'),
            "[[tasks]] half set drian: expected a control or hidden variable, got 'drian'; nearest: drain",
        ),
        (
            HALF,
            half(set='{ drain = "AJAR" }'),
            "[[tasks]] half set drain: expected one of SHUT, HALF, OPEN, got 'AJAR'",
        ),
        (
            HALF,
            half(set="{ flow = 3 }"),
            "[[tasks]] half set flow: expected a control or hidden variable, got 'flow'",
        ),
        (
            HALF,
            half(set="{ speed = 52 }"),
            "[[tasks]] half set speed: expected a multiple of 5 from 0, got 52; neighbours: 50, 55",
        ),
        (
            HALF,
            half(set="{ running = true }"),
            'expected a settled initial state, but rule stops would change it; set: { "running" = false }',
        ),
        (
            HALF,
            half(decisions='["fulll"]'),
            "[[tasks]] half decisions: expected names of [decisions], got 'fulll'; nearest: full",
        ),
        (HALF, half(information='"kpao_dya"'), "[[tasks]] half: expected an information set of "),
        (HALF, half(information='"kpao_dya"'), "got 'kpao_dya'; nearest: kpao_day"),
        (
            HALF + '\nbriefing = "morning"',
            HALF + '\nbriefing = "evening"',
            "[[tasks]] half: expected a briefing of morning, got 'evening'",
        ),
        ('id = "full"\nset', 'id = "half"\nset', "[[tasks]] half: expected unique ids, got it twice"),
        # generator
        (
            'vary = { drain = ["HALF", "OPEN"]',
            'vary = { drain = ["HALFF", "OPEN"]',
            "[[generator]] #1 vary drain: expected one of SHUT, HALF, OPEN, got 'HALFF'; nearest: HALF",
        ),
        (
            'vary = { drain = ["HALF", "OPEN"]',
            "vary = { drain = []",
            "[[generator]] #1 vary drain: expected a list of values, got an empty one",
        ),
        (
            "decisions = [[],",
            'decisions = [["half"],',
            "[[generator]] #1 decisions: expected names of [decisions], got 'half'",
        ),
    ],
)
def test_what_is_wrong_is_said_with_file_and_table(
    pump_with: PumpWith, old: str, new: str, message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        pump_with((old, new))
    assert message in str(caught.value)


def test_a_task_whose_goals_are_met_at_the_start_is_refused(pump_with: PumpWith) -> None:
    with pytest.raises(
        SpecError, match="half: expected a goal that is not met at the start, got all of them met"
    ):
        pump_with(
            ('that = "running"', 'that = "power == OFF"'), ('that = "flow.now >= 5"', 'that = "not running"')
        )


def test_a_task_to_which_no_constraint_applies_is_refused(pump_with: PumpWith) -> None:
    with pytest.raises(SpecError, match="half: expected a primary goal and a constraint that apply, got"):
        pump_with(
            ('setting = { power = ["OFF"] }', 'applies = "decision.full"\nsetting = { power = ["OFF"] }'),
            ('never = "hot"', 'applies = "decision.full"\nnever = "hot"'),
        )


def test_reports_need_a_world_that_lists_them(pump_with: PumpWith) -> None:
    with pytest.raises(
        SpecError, match=r"\[\[reports\]\]: expected a world with a list of reports, got none"
    ):
        pump_with(('reports = "operator"\n', ""), (GOAL, '[[reports]]\nline = "A"\nwhen = "hot"\n\n' + GOAL))


def test_a_basis_covers_the_values_that_it_names_and_with_a_star_all(pump_with: PumpWith) -> None:
    task = pump_with((GOAL, trap('{ "*_valve" = ["OPEN"], "sp*" = "*" }')))
    (basis,) = task.program.template.traps
    covered = [basis.covers("east_valve", 1), basis.covers("west_valve", 1), basis.covers("speed", 35.0)]
    assert covered == [True, True, True]
    assert not basis.covers("west_valve", 0)
    assert not basis.covers("power", 1)
    assert basis.facts == ("power",)


def test_a_basis_changes_no_task(pump_with: PumpWith, pump: Path) -> None:
    assert pump_with((GOAL, trap('{ power = ["OFF"] }'))).hash == library.task("pump/priming/half").hash


def test_a_task_may_be_built_from_values_alone(pump: Path) -> None:
    spec = TaskSpec("pump/priming/mine", (("level", 0.5), ("drain", "HALF")), "morning", (), "", None, None)
    task = build_task(library.program("pump/priming"), spec)
    assert dict(zip(task.program.variables, task.initial, strict=True))["level"] == 0.5


HARDENED = [
    # old text, new text, message
    ('power = ["OFF"] }', "power = [] }", "setting power: expected a name, literal"),
    ('never = "hot"', 'never = "hot"\nsetting = { power = ["OFF"] }', "never_hot: expected either setting"),
    ('{ power = ["OFF"] }', '{ power = ["OFF"], "p*" = ["ON"] }', "expected unique ids, got 'power' twice"),
    ("relevant_tools = []", 'relevant_tools = ["get_metra"]', "got 'get_metra'; nearest: get_metar"),
    (
        'morning = "The tanks are low. Please get us water."',
        "morning = 3",
        "[briefings]: expected morning to be str",
    ),
    (
        'set = { drain = "SHUT" }',
        'set = { drain = "$x" }',
        "#1 set drain: expected a name that a take before it",
    ),
    (
        'set = { drain = "SHUT" }',
        'ask = "get_meter"\nset = { drain = "SHUT" }',
        "#1 ask: expected an informational",
    ),
    (
        'set = { drain = "OPEN" }',
        'set = { start = "PUSH" }',
        "start: expected a position of rest such as REST, got PUSH",
    ),
    ('[["HUMMING", "running"]]', '[["HUMMING"]]', 'operator lines: expected ["TEXT", "condition"]'),
    ("points = [0, 50, 100]", "points = 3", "speed: expected points to be list, got 3"),
    ('momentary = { PUSH = "REST" }', "momentary = 3", "start: expected momentary to be dict, got 3"),
    ("range = [0, 100], step = 5", "range = [0, 103], step = 5", "speed: expected a range of whole steps"),
    ("range = [0, 10]", "range = [false, true]", "level: expected range to list numbers, got False"),
    ("[panel.valves]", "[panel]\nfoo = 3\n\n[panel.valves]", "[panel]: expected foo to be dict, got 3"),
    ('"running and flow.now == 0"', '"flow.now == 1e999"', "expected a name, literal"),
    ('"running and flow.now == 0"', '"' + "not " * 90 + 'running"', "expected at most 40 levels of nesting"),
]


@pytest.mark.parametrize(("old", "new", "message"), HARDENED, ids=[message[:40] for *_, message in HARDENED])
def test_a_malformed_table_is_a_spec_error_that_says_where(
    pump_with: PumpWith, old: str, new: str, message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        pump_with((old, new))
    assert message in str(caught.value)


def test_a_line_may_hold_braces(pump_with: PumpWith) -> None:
    task = pump_with(('"HUMMING"', '"HUM {1} {x"'.replace("{x", "{y")))
    episode = Episode(task)
    for component, value in (("drain", "SHUT"), ("power", "ON"), ("start", "PUSH")):
        episode.one("set_system", {"component": component, "value": value})
    assert "HUM {1} {y" in episode.one("get_system", {"component": "operator"}).reply


def test_a_number_may_be_divided_by_a_negative_literal(pump_with: PumpWith) -> None:
    task = pump_with(("1 + speed * 0.07 if running else 1", "1 - speed / -4 if running else 1"))
    reader = task.program.readers["pressure"]
    state = list(task.initial)
    state[task.program.slots["running"]], state[task.program.slots["speed"]] = True, 100
    assert reader(state) == 26
