"""What every pilot is told, and the hash tree that says which benchmark a record belongs to."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from acoe_gym.cockpit.data import load_toml, read_json, specs_root
from acoe_gym.cockpit.task import Task, digest
from acoe_gym.cockpit.tools import TOOLS_VERSION, json_schemas
from acoe_gym.version import __version__


@cache
def role_prompt() -> str:
    """Return the frozen role prompt, the same for every task and model."""
    return (specs_root() / "protocol" / "role_prompt.txt").read_text(encoding="utf-8").strip()


@cache
def settings() -> dict[str, Any]:
    """Return the frozen protocol: versions, budget, reply format, briefing form."""
    return {k: v for k, v in read_json("protocol/protocol.json").items() if k != "canary"}


@cache
def llm_settings() -> dict[str, Any]:
    """Return the published defaults of a language model's flight; None means that nothing is sent."""
    return {k: v for k, v in read_json("protocol/llm.json").items() if k != "canary"}


def briefing(task: Task) -> str:
    """Return what the captain says, in the fixed form."""
    form: str = settings()["briefing_form"]
    return form.format(aircraft=task.program.template.world.name, briefing=task.briefing)


def opening(task: Task) -> str:
    """Return the role prompt and the briefing: everything a pilot knows before the first call."""
    return f"{role_prompt()}\n\n{briefing(task)}"


@cache
def common_hashes() -> dict[str, str]:
    """Return the hashes that all tasks share."""
    corpus = specs_root() / "regulations" / "digest.jsonl"
    return {
        "tools": digest([TOOLS_VERSION, json_schemas()]),
        "role_prompt": digest(role_prompt()),
        "protocol": digest(settings()),
        "regulations": digest(corpus.read_text(encoding="utf-8")),
        "airports": digest(read_json("information/airports.json")),
    }


@cache
def _file_hash(path: Path, without: tuple[str, ...] = ()) -> str:
    """Hash what a TOML file says; comments and layout do not count."""
    return digest({key: value for key, value in load_toml(path).items() if key not in without})


@cache
def _charts_hash(aircraft: str) -> str:
    """Hash the performance charts and the loading sheet of an aircraft, as far as there are any."""
    paths = [specs_root() / aircraft / name for name in ("performance.json", "loading.toml")]
    return digest([path.read_text(encoding="utf-8") for path in paths if path.is_file()])


def hash_tree(task: Task) -> dict[str, str]:
    """Return everything that a score depends on, hashed: two records are comparable when their trees agree.

    ``world``, ``charts`` and ``template`` cover all that those files say, ``task`` the folded cone and the
    texts of the one task, ``information`` the frozen weather and load.
    """
    info, template = task.information, task.program.template
    frozen = [
        info.id,
        dict(info.metar),
        dict(info.taf),
        dict(info.notams),
        dict(info.winds),
        dict(info.loading),
    ]
    return {
        "world": _file_hash(template.world.folder / "world.toml"),
        "charts": _charts_hash(template.world.id),
        "template": _file_hash(template.path, ("tasks", "generator", "procedure")),
        "task": task.hash,
        "information": digest(frozen),
        **common_hashes(),
        "package": __version__,
    }
