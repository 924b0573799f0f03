"""The reference trajectory: a template's procedure played on a task to its end."""

from __future__ import annotations

import json
from collections.abc import Iterable

from acoe_gym.cockpit.console import Outcome
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.procedure import follow
from acoe_gym.cockpit.task import Task

# One accepted write: component id and the value as the pilot writes it.
Write = tuple[str, object]


def solve(task: Task, *, whole: bool = False) -> Episode:
    """Play the procedure, one call a turn, and return the ended episode.

    Args:
        task: the task.
        whole: make every write of the list, needed or not.
    """
    episode = Episode(task)
    turns = follow(task, whole=whole)
    calls = next(turns)
    while True:
        replies = [json.loads(call.reply) for call in episode.turn(calls)]
        if episode.end is not None:
            return episode
        calls = turns.send(replies)


def writes(episode: Episode) -> tuple[Write, ...]:
    """Return the writes of an episode that changed something, in order."""
    changing = [c for c in episode.log if c.tool == "set_system" and c.outcome is Outcome.RUN]
    asked = [json.loads(call.arguments) for call in changing]
    return tuple((a["component"], a["value"]) for a in asked)


def replay(task: Task, steps: Iterable[Write]) -> Episode:
    """Play writes, one a turn and without a budget, submit, and return the ended episode."""
    written = [("set_system", {"component": name, "value": value}) for name, value in steps]
    episode = Episode(task, max_turns=len(written) + 2)
    for tool, arguments in (*written, ("submit", {})):
        episode.one(tool, arguments)
    return episode
