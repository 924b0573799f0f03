"""The flat face for reinforcement-learning libraries: a Discrete table of calls, the belief as a vector."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from acoe_gym.cockpit.episode import MAX_TURNS, Episode, Snapshot
from acoe_gym.cockpit.task import Task
from acoe_gym.envs.belief import Array, belief_form, mask_form
from acoe_gym.envs.calls import ToolCall, flat_table
from acoe_gym.envs.rendering import Panel
from acoe_gym.envs.steps import Reward, quiet_info, start_info, turn_info, under_way
from acoe_gym.envs.tasks import TaskChoice
from acoe_gym.errors import UnknownName, nearest

MASKS = ("legal", "no-ops")


class FlatCockpitEnv(gym.Env[Array, np.int64]):
    """The numeric twin of a text id: the same episodes, one call a turn.

    ## Observation
    ``Box(-2, 2, (n,), float32)``: what the pilot knows (`acoe_gym.envs.belief.BeliefForm`). Unread components
    are zeros.

    ## Action
    ``Discrete(m)``: one row per call of the aircraft (`table`), the same for all its templates, so that a
    policy carries over.

    ## Masks
    `action_masks` returns m booleans, from readings only. ``mask="no-ops"`` (the default) leaves out writes
    that are known to change nothing and questions answered since the last write, ``"legal"`` leaves out
    nothing. Unsafe actions are never masked.

    ## Everything else
    Tasks whose captain asks for a value that only an informational tool gives are not drawn (the belief holds
    no reports); ``task=`` still plays them. Algorithms that look past a truncation (all of
    Stable-Baselines3) want `acoe_gym.wrappers.FiniteHorizon` around it. Reward, cost, info, episode end and
    other arguments: as in `CockpitEnv`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        scope: str,
        task: str | None = None,
        suite: str = "core",
        reward: str = "success",
        mask: str = "no-ops",
        render_mode: str | None = None,
        split: str | None = None,
        difficulty: str | None = None,
    ) -> None:
        if mask not in MASKS:
            raise UnknownName(
                f"expected mask to be one of {', '.join(MASKS)}, got {mask!r}{nearest(str(mask), MASKS, 1)}"
            )
        self.render_mode = render_mode
        self._choice = TaskChoice(scope, task, suite, split, difficulty, readings_only=True)
        if len(self._choice.aircraft) != 1:
            raise UnknownName(
                f"expected the scope of one aircraft, got {scope!r}: a flat table belongs to an aircraft"
            )
        aircraft = self._choice.aircraft[0]
        self.table = flat_table(aircraft)
        self._rows: list[ToolCall] = list(self.table)
        self._form, self._mask_form = belief_form(aircraft), mask_form(aircraft)
        self._mask_no_ops = mask == "no-ops"
        self._reward = Reward(reward)
        self._episode: Episode | None = None
        self._panel = Panel()
        self._belief: Array = np.zeros(self._form.size, np.float32)
        # The mask is brought up to date when it is asked for: calls of the log before this one are in it.
        self._mask = self._mask_form.start()
        self._masked = 0
        self.observation_space = spaces.Box(-2.0, 2.0, (self._form.size,), np.float32)
        self.action_space = spaces.Discrete(len(self.table))

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
        """The id of the aircraft that episodes play, alone in a tuple as in `CockpitEnv`."""
        return self._choice.aircraft

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode; arguments as in `CockpitEnv.reset`."""
        super().reset(seed=seed)
        episode = self._episode = Episode(self._choice.pick(self.np_random, options))
        self._reward.start(episode)
        self._panel.forget()
        self._belief = self._form.start(episode.task)
        self._mask, self._masked = self._mask_form.start(), 0
        return self._belief.copy(), start_info(episode)

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Make the call of a row.

        Raises:
            EpisodeOver: before the first reset or after the end.
            IndexError: the action is not in the action space.
        """
        episode = under_way(self._episode)
        if not 0 <= action < len(self._rows):
            raise IndexError(f"expected an action of 0 to {len(self._rows) - 1}, got {action}")
        call = episode.one(*self._rows[action])
        self._form.learn(self._belief, call, len(episode.turns) / MAX_TURNS)
        if call.violated or episode.end is not None or self._reward.kind == "progress":
            reward = self._reward.of(episode, wrote=call.tool == "set_system")
            ended = episode.end == "submitted", episode.end == "truncated"
            return self._belief.copy(), reward, *ended, turn_info(episode, (call,))
        return self._belief.copy(), 0.0, False, False, quiet_info(episode, call)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which rows may be worth trying, a fresh array of shape (m,); submitting always may."""
        if not self._mask_no_ops:
            return self._mask_form.start()
        return self._current_mask().copy()

    def _current_mask(self) -> npt.NDArray[np.bool_]:
        log = [] if self._episode is None else self._episode.log
        for call in log[self._masked :]:
            self._mask_form.learn(self._mask, call)
        self._masked = len(log)
        return self._mask

    def row_of(self, call: ToolCall) -> int:
        """Return the action of a call; UnknownName if the table does not hold it."""
        if call not in self.table:
            raise UnknownName(f"expected a call of the flat table ({len(self.table)} rows), got {call!r}")
        return self.table.index(call)

    def render(self) -> str | None:
        """Return the panel as text, if ``render_mode`` is "ansi"."""
        return self._panel.draw(self.episode) if self.render_mode == "ansi" else None

    def get_state(self) -> tuple[Snapshot, bytes, bytes]:
        """Return a hashable snapshot of the episode with the pilot's belief and mask."""
        return self.episode.snapshot(), self._belief.tobytes(), self._current_mask().tobytes()

    def set_state(self, state: tuple[Snapshot, bytes, bytes]) -> None:
        """Become what a snapshot was; the reward's memory starts anew there."""
        snapshot, belief, mask = state
        if self._episode is None:
            self._episode = Episode(snapshot.task)
        self._episode.restore(snapshot)
        self._belief = np.frombuffer(belief, np.float32).copy()
        self._mask, self._masked = np.frombuffer(mask, np.bool_).copy(), snapshot.calls
        self._reward.start(self._episode)

    def clone(self) -> FlatCockpitEnv:
        """Return an independent environment with the same past and the same futures."""
        return copy.deepcopy(self)
