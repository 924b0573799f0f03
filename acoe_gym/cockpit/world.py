"""The world of one aircraft, read from ``world.toml``: components, hidden variables, definitions and rules.

The format is in ``docs/semantics.md`` section 8. Expressions are kept as text here; `acoe_gym.cockpit.scope`
checks and compiles them together with a template's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acoe_gym.cockpit.data import load_toml
from acoe_gym.cockpit.domains import Domain, Flag, Positions, Range, Value
from acoe_gym.cockpit.expressions import NAME
from acoe_gym.cockpit.tables import (
    Table,
    check_keys,
    check_unique,
    flatten,
    take,
    take_flat,
    take_list,
    take_numbers,
    write_sides,
)
from acoe_gym.errors import CallRejected, SpecError

KEYS = (
    "canary", "id", "env", "name", "handbook", "reports", "sides", "panel", "hidden", "define", "rules",
    "inert",
)  # fmt: skip
DOMAIN_KEYS = (
    "positions", "ordered", "settable", "range", "step", "unit", "names", "points", "octal", "normal",
)  # fmt: skip


@dataclass(frozen=True)
class Component:
    """One line of the panel.

    A control has a ``domain``; an instrument has ``value`` (an expression) and shows a number, or one of
    ``positions``; a list has ``lines``. ``powered`` is the condition under which the component can be read.
    """

    id: str
    label: str
    panel: str
    domain: Positions | Range | None = None
    momentary: tuple[tuple[int, int], ...] = ()
    value: str | None = None
    positions: Positions | None = None
    lines: tuple[tuple[str, str], ...] = ()
    powered: str | None = None
    unit: str = ""
    decimals: int = 1


@dataclass(frozen=True)
class Rule:
    """A level rule, or with ``on`` (a control and values asked for) an event rule. Texts are expressions."""

    id: str
    sets: tuple[tuple[str, object], ...]
    when: str | None = None
    on: tuple[str, tuple[object, ...]] | None = None
    where: str = ""


@dataclass(frozen=True)
class World:
    """An aircraft.

    ``domains`` and ``normal`` cover every stored variable: controls in panel order, then hidden ones.
    """

    id: str
    env: str
    name: str
    folder: Path
    components: Mapping[str, Component]
    domains: Mapping[str, Domain]
    normal: Mapping[str, Value]
    define: Mapping[str, object]
    rules: tuple[Rule, ...]
    reports: str | None
    inert: Mapping[str, str]

    @property
    def controls(self) -> tuple[str, ...]:
        """Ids of the writable components, in panel order."""
        return tuple(c.id for c in self.components.values() if c.domain)


def parse_domain(table: Table, where: str) -> Domain:
    """Return the domain of a control or hidden variable."""
    if "positions" in table:
        names = take_list(table, "positions", str, where)
        settable = take_list(table, "settable", str, where)
        for name in settable:
            if name not in names:
                raise SpecError(
                    f"{where}: expected settable to name positions of {', '.join(names)}, got {name!r}"
                )
        if len({n.casefold() for n in names}) < max(2, len(names)):
            raise SpecError(f"{where}: expected at least two different positions, got {list(names)}")
        return Positions(names, take(table, "ordered", bool, where, False), settable)
    if "range" in table:
        return _parse_range(table, where)
    if isinstance(table.get("normal"), bool):
        return Flag()
    raise SpecError(f"{where}: expected positions, range or normal = true/false, got {table!r}")


def _parse_range(table: Table, where: str) -> Range:
    bounds, step = take_numbers(table, "range", where), take(table, "step", (int, float), where)
    if len(bounds) != 2 or not bounds[0] < bounds[1] or step <= 0:
        raise SpecError(
            f"{where}: expected range = [low, high] with low < high and step > 0, got {bounds}, {step}"
        )
    steps = (bounds[1] - bounds[0]) / step
    if abs(steps - round(steps)) > 1e-6:
        raise SpecError(f"{where}: expected a range of whole steps, got {bounds} in steps of {step}")
    names = take(table, "names", dict, where, {})
    domain = Range(
        *bounds,
        step,
        take(table, "unit", str, where, ""),
        tuple(names.items()),
        take_numbers(table, "points", where),
        take(table, "octal", bool, where, False),
    )
    for value in (*names.values(), *domain.points):
        plain_value(domain, value, f"{where} names, points")
    return domain


def plain_value(domain: Domain, raw: object, where: str) -> Value:
    """Return the stored form of a plain value from a specification; SpecError if it is not legal."""
    try:
        return domain.parse(raw)
    except CallRejected as error:
        raise SpecError(f"{where}: {error.message}") from None


def parse_rules(rows: list[Table], where: str) -> tuple[Rule, ...]:
    """Return the rules of a ``[[rules]]`` array; ids must be unique."""
    rules: list[Rule] = []
    for number, row in enumerate(rows, 1):
        place = f"{where} [[rules]] {row.get('id', f'#{number}')}"
        check_keys(row, ("id", "when", "on", "set", "basis"), place)
        sets = tuple(take_flat(row, "set", place).items())
        on = tuple(take_flat(row, "on", place, {}).items())
        if not sets or len(on) > 1:
            raise SpecError(f"{place}: expected set = {{…}} and at most one control in on, got {row!r}")
        event = (on[0][0], tuple(on[0][1]) if isinstance(on[0][1], list) else (on[0][1],)) if on else None
        rules.append(
            Rule(take(row, "id", str, place), sets, take(row, "when", (str, bool), place, None), event, place)
        )
    check_unique([rule.id for rule in rules], f"{where} [[rules]]")
    return tuple(rules)


def parse_hidden(table: Table, where: str) -> tuple[dict[str, Domain], dict[str, Value]]:
    """Return domains and normal values of a ``[hidden]`` table."""
    domains: dict[str, Domain] = {}
    normal: dict[str, Value] = {}
    for name, raw in flatten(table, f"{where} [hidden]", "normal").items():
        place = f"{where} [hidden] {name}"
        row = raw if isinstance(raw, dict) else {"normal": raw}
        check_keys(row, DOMAIN_KEYS, place)
        _check_name(name, place)
        domains[name] = parse_domain(row, place)
        normal[name] = plain_value(domains[name], take(row, "normal", object, place), place)
    return domains, normal


def _check_name(name: str, where: str) -> None:
    if not NAME.match(name) or name in ("value", "true", "false", "and", "or", "not", "in", "if", "else"):
        raise SpecError(f"{where}: expected a lower-case name such as fuel_pump or fault.pump, got {name!r}")


def parse_component(name: str, panel: str, row: Any, where: str) -> Component:
    """Return one component of a ``[panel.…]`` table."""
    _check_name(name, where)
    if not isinstance(row, dict):
        raise SpecError(f"{where}: expected a table with a label, got {row!r}")
    label, powered = take(row, "label", str, where), take(row, "powered", (str, bool), where, None)
    if "lines" in row:
        check_keys(row, ("label", "powered", "lines"), where)
        lines = parse_lines(row["lines"], f"{where} lines")
        return Component(name, label, panel, lines=lines, powered=powered)
    if "value" in row:
        check_keys(row, ("label", "powered", "value", "unit", "decimals", "positions"), where)
        shown = Positions(take_list(row, "positions", str, where)) if "positions" in row else None
        unit, decimals = take(row, "unit", str, where, ""), take(row, "decimals", int, where, 1)
        return Component(
            name,
            label,
            panel,
            value=row["value"],
            positions=shown,
            powered=powered,
            unit=unit,
            decimals=decimals,
        )
    check_keys(row, ("label", "powered", "momentary", *DOMAIN_KEYS), where)
    domain = parse_domain(row, where)
    if isinstance(domain, Flag):
        raise SpecError(f"{where}: expected positions, range, value or lines, got {row!r}")
    moves = [
        (plain_value(domain, a, where), plain_value(domain, b, where))
        for a, b in take(row, "momentary", dict, where, {}).items()
    ]
    momentary = tuple((int(a), int(b)) for a, b in moves)
    return Component(name, label, panel, domain, momentary, powered=powered, unit=getattr(domain, "unit", ""))


def parse_lines(rows: Any, where: str) -> tuple[tuple[str, str], ...]:
    """Return the (text, condition) pairs of a list of lines."""
    for row in rows if isinstance(rows, list) else [rows]:
        if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and row[0].isascii()):
            raise SpecError(f'{where}: expected ["TEXT", "condition"] with ASCII text, got {row!r}')
    return tuple((text, condition) for text, condition in rows)


def load_world(path: Path) -> World:
    """Read and check a ``world.toml``.

    Raises:
        SpecError: anything wrong with the file; the message says where and what was expected.
    """
    where = f"{path.parent.name}/{path.name}"
    table = load_toml(path)
    sides = take_list(table, "sides", str, where)
    table = write_sides(table, sides, where)
    check_keys(table, KEYS, where)
    components: dict[str, Component] = {}
    domains: dict[str, Domain] = {}
    normal: dict[str, Value] = {}
    panels = take(table, "panel", dict, where)
    for panel in panels:
        for name, row in take(panels, panel, dict, f"{where} [panel]").items():
            place = f"{where} [panel.{panel}] {name}"
            if name in components:
                raise SpecError(f"{place}: expected each component once, got it twice")
            part = components[name] = parse_component(name, panel, row, place)
            if part.domain:
                domains[name] = part.domain
                normal[name] = plain_value(part.domain, take(row, "normal", object, place), place)
    hidden, hidden_normal = parse_hidden(take(table, "hidden", dict, where, {}), where)
    world = World(
        id=take(table, "id", str, where),
        env=take(table, "env", str, where),
        name=take(table, "name", str, where),
        folder=path.parent,
        components=components,
        domains={**domains, **hidden},
        normal={**normal, **hidden_normal},
        define=take_flat(table, "define", where, {}),
        rules=parse_rules(take(table, "rules", list, where, []), where),
        reports=take(table, "reports", str, where, None),
        inert=take(table, "inert", dict, where, {}),
    )
    _check_world(world, set(components) & set(hidden), where)
    return world


def _check_world(world: World, twice: set[str], where: str) -> None:
    if twice:
        raise SpecError(f"{where} [hidden]: expected names that no component has, got {min(twice)!r}")
    if world.id != world.folder.name:
        raise SpecError(f"{where}: expected id = {world.folder.name!r} (the folder's name), got {world.id!r}")
    if world.reports and not world.components.get(world.reports, Component("", "", "")).lines:
        raise SpecError(f"{where}: expected reports to name a component with lines, got {world.reports!r}")
    for name in world.inert:
        if name not in world.controls:
            raise SpecError(f"{where} [inert]: expected controls, got {name!r}")
