"""The manifest: ids and hashes of the package's own core tasks, frozen in ``task_specs/manifest.json``.

Registration reads the file alone, so importing the package parses no specification. A task whose hash differs
from the manifest's is another task, whatever its id says. While the status is ``draft`` such changes are made
and logged; afterwards the changed task gets a new id.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY, read_json, specs_root
from acoe_gym.cockpit.protocol import common_hashes, llm_settings
from acoe_gym.cockpit.task import digest

FILE = "manifest.json"
STATUS = "draft"


def build() -> dict[str, Any]:
    """Return the manifest of the specifications as they stand.

    Returns:
        ``canary`` and ``status``; ``common``: hashes of what all tasks share, and of the protocol of models;
        ``templates``: template id -> ``env`` (the middle of its Gymnasium ids) and
        ``tasks`` (task id -> SHA-256); ``aircraft``: aircraft id -> the middle of its Gymnasium ids.

    Raises:
        SpecError: a specification is broken.
    """
    own = [path.parent.name for path in sorted(specs_root().glob("*/world.toml"))]
    return {
        "canary": CANARY,
        "status": STATUS,
        "common": {**common_hashes(), "llm_protocol": digest(llm_settings())},
        "templates": {
            template_id: _template(template_id) for w in own for template_id in library.template_ids(w)
        },
        "aircraft": {world_id: library.world(world_id).env for world_id in own},
    }


def _template(template_id: str) -> dict[str, Any]:
    template = library.template(template_id)
    hashes = {task_id: library.task(task_id).hash for task_id in template.tasks}
    return {"env": f"{template.world.env}-{template.env}", "tasks": hashes}


def check() -> list[str]:
    """Return how file and specifications differ, one sentence each; an empty list where they agree."""
    if not _path().is_file():
        return [f"{FILE}: expected a file, found none"]
    frozen, current = _flat(read_json(FILE)), _flat(build())
    names = [n for n in dict.fromkeys([*frozen, *current]) if frozen.get(n) != current.get(n)]
    return [
        f"{FILE} {name}: expected {current.get(name, 'no entry')}, got {frozen.get(name, 'no entry')}"
        for name in names
    ]


def _flat(table: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Return nested tables as ``a: b`` names, so that two manifests can be compared entry by entry."""
    flat: dict[str, str] = {}
    for key, value in table.items():
        flat.update(
            _flat(value, f"{prefix}{key}: ") if isinstance(value, dict) else {f"{prefix}{key}": value}
        )
    return flat


def write() -> Path:
    """Write the file anew and return where it stands."""
    _path().write_text(json.dumps(build(), indent=2) + "\n", encoding="utf-8")
    return _path()


def _path() -> Path:
    return specs_root() / FILE
