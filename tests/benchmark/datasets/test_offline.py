"""Minari datasets: they load back, with the costs, and lead back to the environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from acoe_gym.benchmark.datasets.offline import export_minari
from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import CANARY
from acoe_gym.cockpit.variants import generate
from acoe_gym.errors import MissingExtra, RecordError, UnknownName

TEMPLATE = "c172s/engine_restart"
TASKS = [generate(TEMPLATE, seed) for seed in range(6)]


def test_a_missing_extra_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(MissingExtra, match=r'pip install "acoe_gym\[minari\]"'):
        export_minari(TEMPLATE, TASKS, tmp_path)


@pytest.mark.parametrize("face", ["flat", "text"])
def test_a_dataset_loads_back_with_costs_and_ends_in_success(
    face: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minari = pytest.importorskip("minari")
    dataset_id, played = export_minari(TEMPLATE, TASKS, tmp_path, face)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset(dataset_id)
    assert dataset.total_episodes == len(played) > 2
    assert CANARY in dataset.storage.metadata["description"]
    for episode in dataset:
        assert episode.infos["cost"].dtype == np.float64
        assert episode.infos["cost"].tolist() == [0.0] * (len(episode.rewards) + 1)
        assert episode.rewards.tolist() == [0.0] * (len(episode.rewards) - 1) + [1.0]
        assert episode.infos["success"][-1] == 1.0
        assert episode.terminations[-1]


def test_the_actions_lead_through_the_environment_to_the_same_observations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minari = pytest.importorskip("minari")
    dataset_id, played = export_minari(TEMPLATE, TASKS, tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset(dataset_id)
    env = gym.make(dataset.spec.env_spec)
    for task, episode in zip(played, dataset, strict=True):
        observation, _ = env.reset(options={"task": task.id})
        seen = [observation, *(env.step(action)[0] for action in episode.actions)]
        assert np.array_equal(np.stack(seen), episode.observations)
    env.close()


def test_tasks_that_need_a_report_are_left_out(tmp_path: Path) -> None:
    pytest.importorskip("minari")
    asking = [task for seed in range(60) if (task := generate(TEMPLATE, seed)).decisions == ("altimeter",)]
    _, played = export_minari(TEMPLATE, [*asking, TASKS[0]], tmp_path / "some")
    assert TASKS[0] in played
    assert not set(asking) & set(played)
    with pytest.raises(RecordError, match="expected a task whose calls ACOE-C172S-EngineRestart-Flat-v0 has"):
        export_minari(TEMPLATE, asking, tmp_path / "none")


def test_a_dataset_is_never_overwritten(tmp_path: Path) -> None:
    pytest.importorskip("minari")
    export_minari(TEMPLATE, TASKS[:1], tmp_path)
    with pytest.raises(RecordError, match="expected a new dataset, found one"):
        export_minari(TEMPLATE, TASKS[:1], tmp_path)


def test_the_variable_of_the_process_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", "elsewhere")
    export_minari(TEMPLATE, TASKS[:1], tmp_path)
    assert os.environ["MINARI_DATASETS_PATH"] == "elsewhere"


def test_an_unknown_face_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("minari")
    with pytest.raises(UnknownName, match="nearest: flat"):
        export_minari(TEMPLATE, [library.task(library.task_ids(TEMPLATE)[0])], tmp_path, "falt")
