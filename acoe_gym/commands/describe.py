"""Aircraft, templates and tasks described: what a pilot is told and, apart from it, the answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.data import load_toml
from acoe_gym.cockpit.protocol import opening
from acoe_gym.cockpit.tables import write_sides
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import UnknownName, nearest

Table = dict[str, Any]


def env_ids(*parts: str) -> list[str]:
    """Return the Gymnasium ids of an aircraft or a template; over all aircraft there is no flat table."""
    base = "-".join(("ACOE", *parts))
    return [f"{base}-v0", f"{base}-Flat-v0"] if parts else [f"{base}-v0"]


def catalogue(scope: str | None = None) -> list[Table]:
    """Return every aircraft with its templates and core tasks.

    Args:
        scope: an aircraft or template id, to return that alone.

    Raises:
        UnknownName: there is none of that id.
    """
    known = (*library.aircraft(), *library.template_ids())
    if scope is not None and scope not in known:
        raise UnknownName(f"expected an aircraft or template, got {scope!r}{nearest(scope, known)}")
    found = [_aircraft(world_id, scope) for world_id in library.aircraft()]
    return [entry for entry in found if scope in (None, entry["id"]) or entry["templates"]]


def _aircraft(world_id: str, scope: str | None) -> Table:
    world = library.world(world_id)
    chosen = [t for t in library.template_ids(world_id) if scope in (None, world_id, t)]
    templates = [library.template(t) for t in chosen]
    rows = [
        {"id": t.id, "title": t.title, "env_ids": env_ids(world.env, t.env), "tasks": list(t.tasks)}
        for t in templates
    ]
    return {"id": world_id, "name": world.name, "env_ids": env_ids(world.env), "templates": rows}


def told(task: Task) -> Table:
    """Return what is no secret about a task: everything that its pilot is told or can look up."""
    template, info = task.program.template, task.information
    systems = console_of(task.program).systems()
    return {
        "task": task.id,
        "hash": task.hash,
        "title": template.title,
        "env_ids": env_ids(template.world.env, template.env),
        "opening": opening(task),
        "decisions": list(task.decisions),
        "information": {"id": info.id, "metar": sorted(info.metar), "taf": sorted(info.taf)},
        "systems": {kind: len(names) for kind, names in systems.items() if isinstance(names, dict)},
    }


def spoilers(task: Task) -> Table:
    """Return the answers: start, goals and constraints that apply, procedure, and the facts cited."""
    template = task.program.template
    sides = tuple(load_toml(template.world.folder / "world.toml").get("sides", ()))
    table = write_sides(load_toml(template.path), sides, template.id)
    goals = {template.goals[i].id for i in task.goals}
    constraints = {template.constraints[i].id for i in task.constraints}
    rows: dict[str, list[Table]] = {
        "goals": [row for row in table["goals"] if row["id"] in goals],
        "constraints": [row for row in table["constraints"] if row["id"] in constraints],
        "procedure": table["procedure"],
    }
    cited = [name for part in rows.values() for row in part for name in row.get("facts", ())]
    return {"start": start(task), **rows, "facts": _facts(task, dict.fromkeys(cited))}


def start(task: Task) -> Table:
    """Return every stored variable that does not stand as in a normal cockpit."""
    template = task.program.template
    world = template.world
    pairs = zip(task.program.variables, task.initial, strict=True)
    return {
        name: template.domains[name].show(value)
        for name, value in pairs
        if value != world.normal.get(name, template.normal[name])
    }


def _facts(task: Task, names: Iterable[str]) -> Table:
    ledger = task.program.template.facts
    return {
        name: {
            "statement": ledger[name].statement,
            "confidence": ledger[name].confidence,
            "edition": ledger[name].edition,
            "page": ledger[name].page,
        }
        for name in names
    }
