"""Reading ``world.toml``: what it says is what there is, and what is wrong with it is said in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from acoe_gym.cockpit.domains import Flag, Positions, Range
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.world import load_world
from acoe_gym.errors import SpecError

PUMP = Path(__file__).parents[1] / "worlds" / "pump" / "world.toml"
DRAIN = 'positions = ["SHUT", "HALF", "OPEN"], ordered = true, normal = "SHUT"'
SPEED = 'range = [0, 100], step = 5, unit = "%", names = { FULL = 100 }, points = [0, 50, 100], normal = 0'
STOPS = 'id = "stops"\nwhen = "not live"\nset = { running = false }'


def test_components_keep_the_order_of_the_panels() -> None:
    world = load_world(PUMP)
    assert list(world.components)[:4] == ["east_valve", "west_valve", "drain", "power"]
    assert world.components["drain"].panel == "valves"
    assert world.controls == ("east_valve", "west_valve", "drain", "power", "start", "speed", "fuse")


def test_the_state_is_the_controls_and_then_the_hidden_variables() -> None:
    world = load_world(PUMP)
    assert tuple(world.domains) == (*world.controls, "running", "hot", "fault.motor", "level")
    assert world.normal["level"] == 4


def test_a_domain_is_positions_a_range_or_a_flag() -> None:
    domains = load_world(PUMP).domains
    assert domains["drain"] == Positions(("SHUT", "HALF", "OPEN"), ordered=True)
    assert domains["speed"] == Range(0, 100, 5, "%", (("FULL", 100),), (0, 50, 100))
    assert domains["running"] == Flag()


def test_sides_write_a_component_and_a_rule_once_each() -> None:
    world = load_world(PUMP)
    assert [world.components[name].label for name in ("east_valve", "west_valve")] == [
        "EAST VALVE",
        "WEST VALVE",
    ]
    east, west = world.rules[-2:]
    assert (east.id, west.id) == ("east_runs_dry", "west_runs_dry")
    assert east.when == "running and east_valve == SHUT and west_valve == SHUT and speed > 50"
    assert west.when == "running and west_valve == SHUT and east_valve == SHUT and speed > 50"


def test_hidden_names_may_be_written_dotted_quoted_or_nested(
    pump_with: Callable[..., Task], tmp_path: Path
) -> None:
    dotted = load_world(PUMP)
    pump_with(("fault.motor = { normal = false }", "fault = { motor = { normal = false } }"))
    nested = load_world(tmp_path / "pump" / "world.toml")
    assert (nested.domains, nested.normal) == (dotted.domains, dotted.normal)


def test_definitions_may_stand_in_any_order(pump_with: Callable[..., Task]) -> None:
    live = 'live = "power == ON and fuse == IN"\n'
    task = pump_with(
        (live, 'alive = "live"\n'), ('[[rules]]\nid = "start"', f'{live}\n[[rules]]\nid = "start"')
    )
    assert isinstance(task.program, Program)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # names and keys
        (
            'id = "pump"',
            'id = "pumps"',
            "pump/world.toml: expected id = 'pump' (the folder's name), got 'pumps'",
        ),
        ('env = "Pump"\n', "", "pump/world.toml: expected key 'env', found "),
        ('env = "Pump"\n', "env = 3\n", "pump/world.toml: expected env to be str, got 3"),
        ("[inert]", "[inerts]", "pump/world.toml: expected one of canary, id, env, "),
        ("[inert]", "[inerts]", "got key 'inerts'; nearest: inert"),
        (
            'label = "DRAIN"',
            'lable = "DRAIN"',
            "pump/world.toml [panel.valves] drain: expected key 'label', found lable",
        ),
        (
            'label = "DRAIN"',
            'label = "DRAIN", widht = 3',
            "[panel.valves] drain: expected one of label, powered, ",
        ),
        (
            "drain = { label",
            "Drain = { label",
            "[panel.valves] Drain: expected a lower-case name such as fuel_pump or fault.pump",
        ),
        ("drain = { label", "value = { label", "[panel.valves] value: expected a lower-case name"),
        (
            "[panel.drive]\n",
            "[panel.drive]\nhandle = 3\n",
            "[panel.drive] handle: expected a table with a label, got 3",
        ),
        (
            "[panel.drive]\n",
            '[panel.drive]\ndrain = { label = "D", value = "1" }\n',
            "[panel.drive] drain: expected each component once, got it twice",
        ),
        (
            "[hidden]\n",
            "[hidden]\ndrain = { normal = false }\n",
            "pump/world.toml [hidden]: expected names that no component has, got 'drain'",
        ),
        (
            'reports = "operator"',
            'reports = "flow"',
            "pump/world.toml: expected reports to name a component with lines, got 'flow'",
        ),
        ("[inert]\n", '[inert]\nflow = "why"\n', "pump/world.toml [inert]: expected controls, got 'flow'"),
        # domains
        (
            DRAIN,
            'ordered = true, normal = "SHUT"',
            "[panel.valves] drain: expected positions, range or normal = true/false, got ",
        ),
        (DRAIN, "normal = true", "[panel.valves] drain: expected positions, range, value or lines, got "),
        (
            DRAIN,
            'positions = ["SHUT"], normal = "SHUT"',
            "drain: expected at least two different positions, got ['SHUT']",
        ),
        (
            DRAIN,
            'positions = ["SHUT", "Shut"], normal = "SHUT"',
            "drain: expected at least two different positions",
        ),
        (DRAIN, 'positions = ["SHUT", 3], normal = "SHUT"', "drain: expected positions to list strs, got 3"),
        (
            DRAIN,
            'positions = ["SHUT", "OPEN"], normal = "SHUTT"',
            "drain: expected one of SHUT, OPEN, got 'SHUTT'; nearest: SHUT",
        ),
        (DRAIN, 'positions = ["SHUT", "OPEN"]', "drain: expected key 'normal', found label, positions"),
        (
            DRAIN,
            'positions = ["SHUT", "OPEN"], settable = ["AJAR"], normal = "SHUT"',
            "drain: expected settable to name positions of SHUT, OPEN, got 'AJAR'",
        ),
        (
            SPEED,
            "range = [100, 0], step = 5, normal = 0",
            "speed: expected range = [low, high] with low < high and step > 0",
        ),
        (
            SPEED,
            "range = [0, 50, 100], step = 5, normal = 0",
            "speed: expected range = [low, high] with low < high and step > 0",
        ),
        (
            SPEED,
            "range = [0, 100], step = 0, normal = 0",
            "speed: expected range = [low, high] with low < high and step > 0",
        ),
        (SPEED, "range = [0, 100], normal = 0", "speed: expected key 'step', found label, range, normal"),
        (SPEED, 'range = ["low", 100], step = 5, normal = 0', "speed: expected range to list "),
        (
            SPEED,
            "range = [0, 100], step = 5, normal = 52",
            "speed: expected a multiple of 5 from 0, got 52; neighbours: 50, 55",
        ),
        (
            SPEED,
            "range = [0, 100], step = 5, names = { FULL = 101 }, normal = 0",
            "speed names, points: expected 0 to 100 in steps of 5 or FULL, got 101",
        ),
        (
            SPEED,
            "range = [0, 100], step = 5, points = [1], normal = 0",
            "speed names, points: expected a multiple of 5",
        ),
        (
            "level = { range = [0, 10], step = 0.5, normal = 4 }",
            "level = { range = [0, 10], step = 0.5, normal = 4.2 }",
            "pump/world.toml [hidden] level: expected a multiple of 0.5",
        ),
        (
            'momentary = { PUSH = "REST" }',
            'momentary = { PUSH = "RST" }',
            "start: expected one of REST, PUSH, got 'RST'; nearest: REST",
        ),
        # rules
        (
            STOPS,
            STOPS.replace('"stops"', '"start"'),
            "pump/world.toml [[rules]]: expected unique ids, got 'start' twice",
        ),
        (
            STOPS,
            STOPS.replace('id = "stops"\n', ""),
            "pump/world.toml [[rules]] #2: expected key 'id', found when, set",
        ),
        (
            STOPS,
            STOPS.replace("set = { running = false }", "set = {}"),
            "[[rules]] stops: expected set = {\u2026} and at most one control in on",
        ),
        (
            STOPS,
            STOPS.replace("when", "whenever"),
            "[[rules]] stops: expected one of id, when, on, set, basis, got key 'whenever'; nearest: when",
        ),
        (
            STOPS,
            STOPS.replace("not live", "not alive"),
            "[[rules]] stops when: expected a known name, got 'alive' in 'not alive'; nearest: live",
        ),
        (
            STOPS,
            STOPS.replace("running = false", "flow = 0"),
            "[[rules]] stops set: expected a control or hidden variable, got 'flow'",
        ),
        (
            STOPS,
            STOPS.replace("running = false", "running = 0"),
            "[[rules]] stops set running: expected a condition, got a number from '0'",
        ),
        (
            STOPS,
            STOPS.replace("running = false", "drain = 'power'"),
            "[[rules]] stops set drain: expected one of SHUT, HALF, OPEN, got one of OFF, ON",
        ),
        (
            'on = { start = "PUSH" }',
            'on = { start = "PULL" }',
            "[[rules]] start on: expected one of REST, PUSH, got 'PULL'; nearest: PUSH",
        ),
        (
            'on = { start = "PUSH" }',
            "on = { level = 3 }",
            "[[rules]] start on: expected a control, got 'level'",
        ),
        ('on = { start = "PUSH" }', 'on = { start = "PUSH", power = "ON" }', "at most one control in on"),
        # expressions of the panel
        (
            'value = "flow.now"',
            'value = "flow.new"',
            "flow: expected a known name, got 'flow.new' in 'flow.new'; nearest: flow.now",
        ),
        (
            'value = "flow.now"',
            'value = "running"',
            "flow: expected a number, got a condition from 'running'",
        ),
        (
            'unit = "l/s", value = "flow.now", powered = "live"',
            'value = "flow.now", powered = "speed"',
            "flow powered: expected a condition, got a number",
        ),
        (
            '["HOT", "hot"]',
            '["HOT", "speed"]',
            "alarms line 'HOT': expected a condition, got a number from 'speed'",
        ),
        (
            '["HOT", "hot"]',
            '["NO FLOW", "hot"]',
            "alarms: expected each line text once, got ['NO FLOW', 'NO FLOW']",
        ),
        (
            'live = "power == ON and fuse == IN"',
            'live = "hum and fuse == IN"\nhum = "live"',
            "expected definitions without a circle, got live -> hum -> live",
        ),
        (
            'live = "power == ON and fuse == IN"',
            'live = "power == ON and fuse == IN"\nlevel = "1"',
            "[define] level: expected a new name, got one that is a variable or component",
        ),
        # syntax
        ("[panel.valves]", "[panel.valves", "world.toml: expected TOML, got a syntax error: "),
    ],
)
def test_what_is_wrong_is_said_with_file_and_table(
    pump_with: Callable[..., Task], old: str, new: str, message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        pump_with((old, new))
    assert message in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"nowhere/world\.toml: expected a TOML file, found none"):
        load_world(tmp_path / "nowhere" / "world.toml")


def test_side_marks_need_declared_sides(pump_with: Callable[..., Task]) -> None:
    with pytest.raises(
        SpecError, match=r"pump/world.toml: expected sides = .* since \{x\} is used, got \[\]"
    ):
        pump_with(('sides = ["east", "west"]\n', ""))
