"""Where worlds, templates and tasks are found: the package's own folder and folders registered by the user.

Everything is loaded on first use and kept; listing ids of the package's own tasks reads the manifest only.
"""

from __future__ import annotations

import copyreg
from functools import cache
from pathlib import Path

from acoe_gym.cockpit.data import specs_root
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.task import Task, build_task
from acoe_gym.cockpit.templates import Template, load_template
from acoe_gym.cockpit.world import World, load_world
from acoe_gym.errors import SpecError, UnknownName, nearest

# Files of an aircraft's folder that are no templates.
RESERVED = ("world", "facts", "loading")
_extra_roots: list[Path] = []


def roots() -> tuple[Path, ...]:
    """Return the folders that hold aircraft folders, the package's own first."""
    return (specs_root(), *_extra_roots)


def add_root(path: Path) -> tuple[str, ...]:
    """Make the aircraft below ``path`` available and return their ids. Adding a folder twice changes nothing.

    Raises:
        SpecError: there is no aircraft below the folder, or one of that id exists elsewhere.
    """
    path = path.resolve()
    found = tuple(sorted(p.parent.name for p in path.glob("*/world.toml")))
    if not found:
        raise SpecError(f"{path}: expected folders with a world.toml, found none")
    if path in roots():
        return found
    for name in found:
        if name in aircraft():
            raise SpecError(f"{path / name}: expected a new aircraft id, got {name!r}, which exists")
    _extra_roots.append(path)
    return found


def remove_root(path: Path) -> None:
    """Undo `add_root`."""
    if path.resolve() in _extra_roots:
        _extra_roots.remove(path.resolve())
        for memo in (world, template, program, task):
            memo.cache_clear()


def aircraft() -> tuple[str, ...]:
    """Return the ids of all aircraft."""
    return tuple(p.parent.name for root in roots() for p in sorted(root.glob("*/world.toml")))


def _folder(world_id: str) -> Path:
    # The id is looked up in a list rather than joined to a path, so no text can leave the folder.
    for root in roots():
        for path in sorted(root.glob("*/world.toml")):
            if path.parent.name == world_id:
                return path.parent
    raise UnknownName(
        f"expected an aircraft of {', '.join(aircraft())}, got {world_id!r}{nearest(world_id, aircraft())}"
    )


@cache
def world(world_id: str) -> World:
    """Return an aircraft."""
    return load_world(_folder(world_id) / "world.toml")


def template_ids(world_id: str | None = None) -> tuple[str, ...]:
    """Return template ids such as ``c172s/engine_restart``, sorted by aircraft and name."""
    chosen = aircraft() if world_id is None else (world_id,)
    return tuple(
        f"{w}/{p.stem}" for w in chosen for p in sorted(_folder(w).glob("*.toml")) if p.stem not in RESERVED
    )


@cache
def template(template_id: str) -> Template:
    """Return a template.

    Raises:
        UnknownName: there is none of that id.
    """
    known = template_ids()
    if template_id not in known:
        hint = nearest(template_id, known)
        raise UnknownName(f"expected a template of {', '.join(known)}, got {template_id!r}{hint}")
    world_id, _, stem = template_id.partition("/")
    return load_template(_folder(world_id) / f"{stem}.toml", world(world_id))


@cache
def program(template_id: str) -> Program:
    """Return a template's compiled program."""
    return Program(template(template_id))


def task_ids(template_id: str | None = None) -> tuple[str, ...]:
    """Return the ids of the core tasks, of one template or of all, in file order."""
    chosen = template_ids() if template_id is None else (template_id,)
    return tuple(task_id for t in chosen for task_id in template(t).tasks)


@cache
def task(task_id: str) -> Task:
    """Return a core task.

    Raises:
        UnknownName: there is none of that id; the message names the nearest.
    """
    if task_id in template_ids():
        listed = ", ".join(template(task_id).tasks)
        raise UnknownName(f"expected a task id, got the template {task_id!r}; its tasks: {listed}")
    template_id = task_id.rpartition("/")[0]
    if template_id not in template_ids() or task_id not in template(template_id).tasks:
        raise UnknownName(f"expected a task id, got {task_id!r}{nearest(task_id, task_ids())}")
    return build_task(program(template_id), template(template_id).tasks[task_id])


def _program_by_id(compiled: Program) -> tuple[object, ...]:
    return program, (compiled.template.id,)


# Compiled functions cannot be pickled; every process compiles a template once and shares it by its id.
copyreg.pickle(Program, _program_by_id)  # type: ignore[arg-type]
