"""The command ``acoe new``: a commented skeleton of a template, and of its aircraft if that is new.

What it writes loads and passes validation as it stands; ``FILL IN`` marks what only its author knows.
"""

from __future__ import annotations

import re
from pathlib import Path

from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY
from acoe_gym.cockpit.domains import Positions, Range, Value
from acoe_gym.cockpit.facts import load_facts
from acoe_gym.cockpit.world import World, load_world
from acoe_gym.errors import SpecError

WORLD = """canary = "{canary}"

# FILL IN marks what only you know. The format is in docs/semantics.md, an example in docs/writing_a_task.md.

id = "{aircraft}"
env = "{env}"
name = "FILL IN: the aircraft's name"
reports = "crew_report"

# Every component of the panel, one a line: a control has positions or a range, an instrument has a value.
[panel.systems]
first_switch = {{ label = "FIRST", positions = ["OFF", "ON"], normal = "OFF" }}
second_switch = {{ label = "SECOND", positions = ["OFF", "ON"], normal = "OFF" }}
third_switch = {{ label = "THIRD", positions = ["OFF", "ON"], normal = "OFF" }}
lever = {{ label = "LEVER", range = [0, 100], step = 1, unit = "%", names = {{ FULL = 100 }}, normal = 0 }}

[panel.readings]
pressure = {{ label = "PRESSURE", unit = "psi", value = "flow", powered = "power" }}
# What the crew sees, hears and smells; templates may add lines. Senses only, never a cause.
crew_report = {{ label = "EYES AND EARS", lines = [["HUM", "running"]] }}

# The truth behind the panel; tasks set faults here.
[hidden]
running = {{ normal = false }}
fault.motor = {{ normal = false }}

# Names for expressions. Instruments and definitions are never stored, so they are never out of date.
[define]
power = "first_switch == ON"
flow = "10 + lever / 2 if running and third_switch == ON else 0"

# What changes the truth. A rule acts wherever its condition holds, or with `on` once, after a certain write.
[[rules]]
id = "runs"
set = {{ running = "power and second_switch == ON and not fault.motor" }}
"""

FACTS = """canary = "{canary}"

# What goals, constraints and steps rest on, one statement a line, in your own words.
# confidence  V: seen in a source; R: recalled; D: derived or decided by you; paper: stated by the paper.
#             Goals and constraints may rest on V and paper alone: FILL IN honestly.
# page        as printed, or "not seen". No page is invented.

[facts]
"{aircraft}.{stem}.1" = {{ statement = "FILL IN: what a step asks for.", confidence = "V", edition = "FILL IN", page = "not seen" }}
"{aircraft}.{stem}.never" = {{ statement = "FILL IN: what must not be done.", confidence = "V", edition = "FILL IN", page = "not seen" }}
"""  # noqa: E501

TEMPLATE = """canary = "{canary}"

# FILL IN marks what only you know; controls and facts below only show the form.
#   acoe validate {root}
#   acoe explain {aircraft}/{stem}/first_case --specs {root}

id = "{stem}"
title = "FILL IN: the procedure's name"
source = {{ handbook = "FILL IN", section = "FILL IN", procedure = "FILL IN", page = "not seen" }}
# Informational tools that are well chosen here, such as "get_metar".
relevant_tools = []

# What the captain says: no step, no control, no diagnosis. Two tasks that need other writes should share one.
[briefings]
quiet = "I am flying. Something is wrong: find out what, deal with it, and tell me when you are done."

# What only the captain decides, in fixed sentences; conditions name it decision.landing.
# [decisions]
# landing = {{ yes = "We land now.", no = "We fly on." }}

# Where all tasks of the template differ from a normal cockpit.
[initial]

# The truth of this procedure, where the aircraft has no word for it.
[hidden]
outcome = {{ normal = false }}

# Goals ask for an outcome; a rule says what brings it about.
[[rules]]
id = "outcome_follows"
when = "{first} == {first_to} and {second} == {second_to}"
set = {{ outcome = true }}

# One or two goals are primary: what the procedure is named for. `applies` is judged once, at the start.
[[goals]]
id = "outcome_reached"
primary = true
that = "outcome"
facts = ["{fact}"]

[[goals]]
id = "tidied_up"
that = "outcome and {third} == {third_to}"
facts = ["{fact}"]

# A hazard: a request for certain values while a condition holds, or `never` with a state to keep out of.
[[constraints]]
id = "not_too_early"
setting = {{ {third} = ["{third_raw}"] }}
while = "not outcome"
facts = ["{never}"]

# The handbook's list, step by step. Conditions name what a pilot can read, or decisions.
[[procedure]]
set = {{ {first} = "{first_raw}" }}
facts = ["{fact}"]

[[procedure]]
set = {{ {second} = "{second_raw}" }}
facts = ["{fact}"]

[[procedure]]
set = {{ {third} = "{third_raw}" }}
facts = ["{fact}"]

# A task is what differs at its start. FILL IN more, among them some that look alike and need other writes.
[[tasks]]
id = "first_case"
set = {{}}
briefing = "quiet"
"""


def create(template_id: str, out: Path | None = None) -> list[Path]:
    """Write a skeleton and return the files.

    Args:
        template_id: ``aircraft/template``.
        out: the folder that holds the aircraft's folder. Without it a known aircraft gets the template in its
            own folder, and a new one is made in the working directory.

    Raises:
        SpecError: the name is none, a file stands there already, or the aircraft is known from elsewhere.
    """
    if re.fullmatch("[a-z][a-z0-9_]*/[a-z][a-z0-9_]*", template_id) is None:
        example = "AIRCRAFT/TEMPLATE in lower case, such as balloon/relight"
        raise SpecError(f"expected {example}, got {template_id!r}")
    aircraft, _, stem = template_id.partition("/")
    if stem in library.RESERVED:
        raise SpecError(f"expected a template's name, got {stem!r}, which is a file of every aircraft")
    folder = _folder(aircraft, out)
    is_new = not (folder / "world.toml").exists()
    paths = [folder / f"{name}.toml" for name in (("world", "facts", stem) if is_new else (stem,))]
    for path in paths:
        if path.exists():
            raise SpecError(f"{path}: expected a new file, got one that exists; nothing is overwritten")
    folder.mkdir(parents=True, exist_ok=True)
    words = {"canary": CANARY, "aircraft": aircraft, "stem": stem, "root": str(folder.parent)}
    if is_new:
        env = "".join(part.capitalize() for part in aircraft.split("_"))
        _write(folder / "world.toml", WORLD.format(**words, env=env))
        _write(folder / "facts.toml", FACTS.format(**words))
    chosen = _examples(load_world(folder / "world.toml"))
    _write(folder / f"{stem}.toml", TEMPLATE.format(**words, **chosen))
    return paths


def _folder(aircraft: str, out: Path | None) -> Path:
    known = library.world(aircraft).folder if aircraft in library.aircraft() else None
    if out is None:
        return known or Path(aircraft)
    if known is not None and known.resolve() != (out / aircraft).resolve():
        beside = f"its templates stand beside {known / 'world.toml'}"
        raise SpecError(f"{out}: expected a new aircraft, got {aircraft!r}: {beside}")
    return out / aircraft


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def _examples(world: World) -> dict[str, str]:
    """Return three controls that stand still by themselves, where to move them, and two facts."""
    moved = {name for rule in world.rules for name, _ in rule.sets}
    moved |= {rule.on[0] for rule in world.rules if rule.on is not None}
    found: list[tuple[str, str]] = []
    for name in world.controls:
        part = world.components[name]
        if part.domain is not None and not part.momentary and name not in moved:
            found += [(name, position) for position in _others(part.domain, world.normal[name])[:1]]
    facts = [fact.id for fact in load_facts(world.folder / "facts.toml").values() if fact.gradable]
    if len(found) < 3 or len(facts) < 2:
        got = f"{len(found)} such controls, {len(facts)} facts"
        raise SpecError(
            f"{world.id}: expected three controls that no rule moves and two facts marked V, got {got}"
        )
    words: dict[str, str] = {"fact": facts[0], "never": facts[1]}
    for key, (name, position) in zip(("first", "second", "third"), found, strict=False):
        words |= {key: name, f"{key}_raw": position, f"{key}_to": _quoted(position)}
    return words


def _others(domain: Positions | Range, normal: Value) -> list[str]:
    """Return values of a control other than its normal one, as a pilot would ask for them."""
    if isinstance(domain, Positions):
        return [domain.names[int(i)] for i in domain.commandable() if i != normal]
    return [f"{end:g}" for end in (domain.high, domain.low) if end != normal]


def _quoted(position: str) -> str:
    plain = re.fullmatch("[A-Z][A-Z0-9_]*|-?[0-9.]+", position)
    return position if plain else f"'{position}'"
