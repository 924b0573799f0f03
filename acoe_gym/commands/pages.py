"""What `acoe_gym.commands.describe` returns, as text of at most 100 columns for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from acoe_gym.commands.describe import env_ids

WIDTH = 98
Table = dict[str, Any]


def list_page(aircraft: Iterable[Table]) -> str:
    """Return aircraft, templates and tasks, indented, with their Gymnasium ids."""
    lines = [f"all aircraft: {' '.join(env_ids())}"]
    for world in aircraft:
        lines += ["", f"{world['id']}: {world['name']}", f"    {' '.join(world['env_ids'])}"]
        for template in world["templates"]:
            lines += ["", f"  {template['id']}: {template['title']}", f"    {' '.join(template['env_ids'])}"]
            lines += [f"    {task}" for task in template["tasks"]]
    return "\n".join(lines)


def show_page(told: Table, answers: Table | None = None) -> str:
    """Return one task; ``answers`` are the spoilers, left out by default."""
    counts = ", ".join(f"{count} {kind}" for kind, count in told["systems"].items())
    info = told["information"]
    stations = f"METAR {' '.join(info['metar'])}; TAF {' '.join(info['taf'])}" if info["id"] else "none"
    lines = [
        *_wrapped(f"{told['task']}: {told['title']}", ""),
        f"  environment  {' '.join(told['env_ids'])}",
        f"  hash         {told['hash']}",
        f"  cockpit      {counts} (list_systems)",
        f"  decisions    {', '.join(told['decisions']) or 'none'}",
        f"  information  {info['id']} {stations}".rstrip(),
        "",
        "What the pilot is told",
    ]
    lines += [line for part in told["opening"].splitlines() for line in _wrapped(part, "  ")]
    return "\n".join([*lines, *(_answer_lines(answers) if answers else ())])


def _answer_lines(answers: Table) -> list[str]:
    lines = ["", "Start: what does not stand as in a normal cockpit"]
    lines += [f"  {name} = {_shown(value)}" for name, value in answers["start"].items()]
    for title in ("goals", "constraints", "procedure"):
        lines += ["", title.capitalize()]
        for number, row in enumerate(answers[title], 1):
            lines += _row_lines(f"{row.get('id', number)}", row)
    lines += ["", "Facts"]
    for name, fact in answers["facts"].items():
        source = f"{fact['confidence']}, page {fact['page']}, {fact['edition']}"
        lines += _wrapped(f"{name} [{source}] {fact['statement']}", "  ")
    return lines


def _row_lines(head: str, row: Mapping[str, object]) -> list[str]:
    """Return a table of a specification: its name, then one line a key, as it was written."""
    rest = ((key, value) for key, value in row.items() if key != "id")
    return [
        f"  {head}",
        *(line for key, value in rest for line in _wrapped(f"{key}: {_shown(value)}", "      ")),
    ]


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_shown(item)}" for key, item in value.items())
    if isinstance(value, list):
        texts = [f"({_shown(item)})" if isinstance(item, Mapping) else str(item) for item in value]
        return ", ".join(texts)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ") or [""]
