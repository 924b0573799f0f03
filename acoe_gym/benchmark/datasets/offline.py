"""Reference episodes as a Minari dataset, for offline reinforcement learning.

Minari is the optional extra ``minari``. Nothing is fetched: the dataset is written below one folder.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym

from acoe_gym.benchmark.datasets.chats import reference_turns
from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY
from acoe_gym.cockpit.task import Task
from acoe_gym.envs.flat_env import FlatCockpitEnv
from acoe_gym.errors import MissingExtra, RecordError, UnknownName, nearest
from acoe_gym.version import __version__

FACES = ("flat", "text")


def export_minari(
    template_id: str, tasks: Iterable[Task], out: Path, face: str = "flat"
) -> tuple[str, list[Task]]:
    """Write the reference episodes of some tasks of a template.

    Returns:
        The id of the dataset, and the tasks in it.

    ``minari.load_dataset`` finds the dataset where the variable MINARI_DATASETS_PATH names ``out``. The infos
    of the environment are in it: ``infos["cost"]`` is the cost of each step, 0 at the reset.

    Args:
        template_id: its id is part of the dataset's.
        tasks: tasks of the template. Those whose calls are not in the finite action space are left out: they
            take a value from an informational tool.
        out: folder of Minari datasets.
        face: ``flat`` or ``text``.

    Raises:
        MissingExtra: Minari or what it stores with is not installed.
        RecordError: the dataset exists there already, or no task is left.
    """
    minari, buffer = _minari()
    env_id = _env_id(template_id, face)
    dataset_id = f"acoe/{env_id.removesuffix('-v0')}/reference-v0"
    if (out / dataset_id).exists():
        raise RecordError(f"{out / dataset_id}: expected a new dataset, found one; choose another folder")
    env = gym.make(env_id)
    playable = [(task, actions) for task in tasks if (actions := _actions(env.unwrapped, task)) is not None]
    if not playable:
        raise RecordError(f"{template_id}: expected a task whose calls {env_id} has as actions, got none")
    # Whole episodes: appending step by step, as Minari's own collector does, would need JAX.
    episodes = [buffer(id=n, **_episode(env, *played)) for n, played in enumerate(playable)]
    with _datasets_in(out), warnings.catch_warnings():
        # The project names no person and no address.
        warnings.filterwarnings("ignore", "`(author_email|code_permalink)` is set to None")
        minari.create_dataset_from_buffers(
            dataset_id,
            episodes,
            env=env,
            eval_env=env.spec,
            algorithm_name="reference",
            author="acoe_gym contributors",
            description=f"Reference episodes of {template_id}, {len(episodes)} tasks. {CANARY}",
            requirements=[f"acoe_gym=={__version__}"],
        )
    env.close()
    return dataset_id, [task for task, _ in playable]


def _minari() -> tuple[Any, Any]:
    """Return the package and its class for an episode."""
    try:
        import h5py  # noqa: F401, PLC0415 - what Minari stores with
        import minari  # noqa: PLC0415
        from minari.data_collector import EpisodeBuffer  # noqa: PLC0415
        from PIL import Image  # noqa: F401, PLC0415 - imported by Minari's storage, not required by it
    except ImportError as error:
        raise MissingExtra(f'{error}; install it with: pip install "acoe_gym[minari]"') from None
    return minari, EpisodeBuffer


def _env_id(template_id: str, face: str) -> str:
    if face not in FACES:
        hint = nearest(face, FACES, 1)
        raise UnknownName(f"expected a face of {', '.join(FACES)}, got {face!r}{hint}")
    template = library.template(template_id)
    base = f"ACOE-{template.world.env}-{template.env}"
    return f"{base}-Flat-v0" if face == "flat" else f"{base}-v0"


def _actions(env: Any, task: Task) -> list[Any] | None:
    """Return the reference as actions, or None if the action space does not hold one of its calls."""
    calls = [call for turn in reference_turns(task) for call in turn]
    try:
        if isinstance(env, FlatCockpitEnv):
            return [env.row_of(call) for call in calls]
        return [env.encode({"name": tool, "arguments": arguments}) for tool, arguments in calls]
    except UnknownName:
        return None


def _episode(env: gym.Env[Any, Any], task: Task, actions: list[Any]) -> dict[str, Any]:
    """Play a reference episode and return it as columns, observations and infos one longer than actions."""
    options = {"task": task.id}
    observation, info = env.reset(seed=0, options=options)
    rows: list[tuple[Any, ...]] = []
    observations, infos = [observation], [info]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        infos.append(info)
        rows.append((float(reward), terminated, truncated))
    rewards, terminations, truncations = map(list, zip(*rows, strict=True))
    return {
        "seed": 0,
        "options": options,
        "observations": observations,
        "actions": _columns(actions) if isinstance(actions[0], dict) else actions,
        "rewards": rewards,
        "terminations": terminations,
        "truncations": truncations,
        "infos": _columns(infos),
    }


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {key: [row[key] for row in rows] for key in rows[0]}


@contextmanager
def _datasets_in(folder: Path) -> Iterator[None]:
    """Make Minari write below a folder; it knows no other way than a variable of the process."""
    name = "MINARI_DATASETS_PATH"
    before = os.environ.get(name)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[name] = str(folder)
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before
