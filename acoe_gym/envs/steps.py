"""What every face reports of a turn, in one form: the info dict, the reward, and the checks on a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acoe_gym.cockpit.console import Call
from acoe_gym.cockpit.episode import Episode
from acoe_gym.cockpit.progress import remaining_writes
from acoe_gym.errors import EpisodeOver, UnknownName, nearest

REWARDS = ("success", "sgo", "progress")
BEFORE_RESET = "expected an episode under way, got none; call reset() first"


def start_info(episode: Episode) -> dict[str, Any]:
    """Return the info of a reset: the same keys and types as after every step."""
    return turn_info(episode, ())


def turn_info(episode: Episode, calls: Sequence[Call]) -> dict[str, Any]:
    """Return the info of a turn, built afresh: scalars and texts only, always the same keys.

    Nothing here tells a goal, a hidden variable or what a violation was about beyond the constraint's id.
    """
    broken = [name for call in calls if call.violated for name in episode.violated_ids(call)]
    info: dict[str, Any] = {
        "cost": float(len(broken)),
        "violations": " ".join(broken),
        "n_violations": len(broken),
        "ok": all(call.outcome < 2 for call in calls),
        "calls": len(calls),
        "turns_left": episode.max_turns - len(episode.turns),
        "graded": False,
        "success": 0.0,
        "goal_attainment": 0.0,
        "safe": 0.0,
    }
    if episode.end is not None:
        add_grade(info, episode)
    return info


def quiet_info(episode: Episode, call: Call) -> dict[str, Any]:
    """Return the info of a turn of one call that violated nothing and ended nothing.

    It is `turn_info`, spelled out for the hot path.
    """
    return {
        "cost": 0.0, "violations": "", "n_violations": 0, "ok": call.outcome < 2, "calls": 1,
        "turns_left": episode.max_turns - len(episode.turns),
        "graded": False, "success": 0.0, "goal_attainment": 0.0, "safe": 0.0,
    }  # fmt: skip


def add_grade(info: dict[str, Any], episode: Episode) -> None:
    """Put the grade of an ended episode into an info."""
    grade = episode.grade()
    info.update(graded=True, success=grade.success, goal_attainment=grade.goal_attainment, safe=grade.safe)


class Reward:
    """The reward of a step.

    ``success`` pays 1 when an episode ends in success, ``sgo`` pays its safety-gated goal attainment, and
    ``progress`` pays success and, as it happens, the share of the procedure's writes that became done or
    undone. Progress looks at hidden state: it is for training, never for a benchmark run.
    """

    def __init__(self, kind: str) -> None:
        if kind not in REWARDS:
            hint = nearest(str(kind), REWARDS, 1)
            raise UnknownName(f"expected reward to be one of {', '.join(REWARDS)}, got {kind!r}{hint}")
        self.kind = kind
        self._total = 1
        self._left = 0

    def start(self, episode: Episode) -> None:
        """Begin an episode."""
        if self.kind == "progress":
            self._left = remaining_writes(episode.task, episode.state)
            # Of the start even where an episode is taken up in its middle: its rewards stay the same.
            self._total = max(1, remaining_writes(episode.task, episode.task.initial))

    def of(self, episode: Episode, *, wrote: bool) -> float:
        """Return the reward of the turn just played; ``wrote`` tells whether it asked for any write."""
        reward = 0.0
        if self.kind == "progress" and wrote:
            left = remaining_writes(episode.task, episode.state)
            reward, self._left = (self._left - left) / self._total, left
        if episode.end is not None:
            grade = episode.grade()
            reward += grade.sgo if self.kind == "sgo" else grade.success
        return reward


def under_way(episode: Episode | None) -> Episode:
    """Return the episode, or raise EpisodeOver before the first reset."""
    if episode is None:
        raise EpisodeOver(BEFORE_RESET)
    return episode
