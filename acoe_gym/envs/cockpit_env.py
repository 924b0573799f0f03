"""The text face: a turn of tool calls in, one JSON line per reply out."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import gymnasium as gym
from gymnasium import spaces

from acoe_gym.cockpit.domains import shown
from acoe_gym.cockpit.episode import Episode, Snapshot
from acoe_gym.cockpit.protocol import opening
from acoe_gym.cockpit.task import Task
from acoe_gym.envs.calls import CallCodec, ToolCall
from acoe_gym.envs.rendering import Panel
from acoe_gym.envs.spaces import CallSpace, ReplyText, joined
from acoe_gym.envs.steps import Reward, quiet_info, start_info, turn_info, under_way
from acoe_gym.envs.tasks import TaskChoice

# The opening of a task is formatted once; generated tasks come and go.
_opening = lru_cache(maxsize=4096)(opening)
Step = tuple[str, float, bool, bool, dict[str, Any]]


class CockpitEnv(gym.Env[str, Any]):
    """One pilot-monitoring task in a virtual cockpit.

    ## Description
    The captain flies; the agent reads instruments, finds out what is wrong and works the systems through 12
    tools. The environment is deterministic and partially observable; rules in ``docs/semantics.md``.

    ## Observation
    ``Text``, printable ASCII and newlines, 0 to 32,768 characters. At reset: role prompt and briefing. After
    a step: the replies of the turn, one JSON line each.

    ## Action
    ``step`` takes one call as a model writes it, ``{"name": "get_system", "arguments": {"component":
    "rpm"}}``, a list of such calls (one turn, 0 to 32), or a point of the action space: ``Dict(tool,
    component, value, argument)`` of Discretes, whose every sample is a call. `encode` turns the first form
    into the last. Vector environments take a batch of the last or a list, one action of any form each.

    ## Reward and cost
    Reward 1 at the end of a successful episode, else 0 (``reward="sgo"`` or ``"progress"`` on request).
    ``info["cost"]``: hard-constraint violations of this step, a float.

    ## Episode end
    ``submit`` terminates; the end of turn 48 truncates. Both are graded.

    ## Information
    The same keys always: cost float, violations str (ids, space-separated), n_violations int, ok bool, calls
    int, turns_left int, graded bool, success, goal_attainment, safe float (0.0 until graded).

    ## Arguments
    scope: template or aircraft id, or "" for all. task: a task id for every episode. suite: "core" or
        "generated"; of the latter, split "train", "validation" or "test" and difficulty "easy", "medium" or
        "hard" on request. reward: see above. ``reset(options={"task": id})`` chooses one episode's task.

    ## Version history
    v0: first release; the manifest is a draft.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        scope: str = "",
        task: str | None = None,
        suite: str = "core",
        reward: str = "success",
        render_mode: str | None = None,
        split: str | None = None,
        difficulty: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self._choice = TaskChoice(scope, task, suite, split, difficulty)
        self._codec = CallCodec(self._choice.aircraft)
        self._reward = Reward(reward)
        self._episode: Episode | None = None
        self._panel = Panel()
        self.observation_space = ReplyText()
        self.action_space = CallSpace({key: spaces.Discrete(size) for key, size in self._codec.sizes.items()})

    @property
    def episode(self) -> Episode:
        """The episode under way; EpisodeOver before the first reset."""
        return under_way(self._episode)

    @property
    def task(self) -> Task:
        """The task being played."""
        return self.episode.task

    @property
    def aircraft(self) -> tuple[str, ...]:
        """Ids of the aircraft that episodes may play."""
        return self._choice.aircraft

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: seeds the draw of tasks, nothing else.
            options: ``{"task": id}`` plays that task.
        """
        super().reset(seed=seed)
        episode = self._episode = Episode(self._choice.pick(self.np_random, options))
        self._reward.start(episode)
        self._panel.forget()
        return _opening(episode.task), start_info(episode)

    def step(self, action: Any) -> Step:
        """Play one turn; see the class for the forms of an action.

        Raises:
            EpisodeOver: before the first reset or after the end.
        """
        episode = self._episode
        if episode is None or action.__class__ is not dict or "name" not in action:
            return self._turn(under_way(episode), self.calls_of(action))
        call = episode.one(action["name"], action.get("arguments"))
        if call.violated or episode.end is not None or self._reward.kind == "progress":
            return self._result(episode, call.reply, [call])
        return call.reply, 0.0, False, False, quiet_info(episode, call)

    def calls_of(self, action: Any) -> list[tuple[object, object]]:
        """Return the calls of any accepted form of action.

        What is no call is passed on as one, to be rejected by the cockpit.
        """
        if action is None:
            return []
        if isinstance(action, Mapping) and "tool" in action and "name" not in action:
            try:
                return [self._codec.decode(action)]
            except (KeyError, IndexError, TypeError, ValueError):
                return [("decode", dict(action))]
        if isinstance(action, Mapping):
            return [(action.get("name"), action.get("arguments"))]
        if isinstance(action, list | tuple):
            return [pair for part in action for pair in self._calls_of_part(part)]
        return [(shown(action), {})]  # a bare word is no call, even if it is the name of a tool

    def _calls_of_part(self, part: Any) -> list[tuple[object, object]]:
        # A list holds calls, not lists: what may nest without end is one wrong call.
        return [("list", {})] if isinstance(part, list | tuple) else self.calls_of(part)

    def _turn(self, episode: Episode, calls: list[tuple[object, object]]) -> Step:
        played = episode.turn(calls)
        return self._result(episode, joined([call.reply for call in played]), played)

    def _result(self, episode: Episode, observation: str, calls: list[Any]) -> Step:
        reward = self._reward.of(episode, wrote=any(call.tool == "set_system" for call in calls))
        ended = episode.end == "submitted", episode.end == "truncated"
        return observation, reward, *ended, turn_info(episode, calls)

    def encode(self, call: Mapping[str, Any]) -> dict[str, int]:
        """Return the point of the action space for a call ``{"name": …, "arguments": {…}}``.

        Raises:
            UnknownName: the table does not hold the call.
        """
        return self._codec.encode(call)

    def decode(self, action: Mapping[str, Any]) -> ToolCall:
        """Return the call of a point of the action space."""
        return self._codec.decode(action)

    def render(self) -> str | None:
        """Return the panel as text, if ``render_mode`` is "ansi"."""
        return self._panel.draw(self.episode) if self.render_mode == "ansi" else None

    # Copies for search and for workers; deepcopy and pickle go the same way.

    def get_state(self) -> Snapshot:
        """Return a hashable snapshot of the episode."""
        return self.episode.snapshot()

    def set_state(self, snapshot: Snapshot) -> None:
        """Become what a snapshot was; the reward's memory starts anew there."""
        if self._episode is None:
            self._episode = Episode(snapshot.task)
        self._episode.restore(snapshot)
        self._reward.start(self._episode)

    def clone(self) -> CockpitEnv:
        """Return an independent environment with the same past and the same futures."""
        return copy.deepcopy(self)
