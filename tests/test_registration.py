"""Ids: a loop over the manifest, and specifications from other folders."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

import acoe_gym
from acoe_gym.cockpit import library
from acoe_gym.errors import AcoeError, SpecError
from acoe_gym.registration import register_manifest

WORLDS = Path(__file__).parent / "worlds"
IDS = [name for name in gym.registry if name.startswith("ACOE-")]
PUMP_IDS = ("ACOE-Pump-v0", "ACOE-Pump-Flat-v0", "ACOE-Pump-Priming-v0", "ACOE-Pump-Priming-Flat-v0")


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Take registered folders and ids away again."""
    before = dict(gym.registry)
    yield
    for root in library.roots()[1:]:
        library.remove_root(root)
    gym.registry.clear()
    gym.registry.update(before)


@pytest.fixture
def worlds(tmp_path: Path) -> Path:
    """Return a copy of the folder with the pump station."""
    return Path(shutil.copytree(WORLDS, tmp_path / "worlds"))


def registered() -> tuple[object, ...]:
    return dict(gym.registry), library.aircraft(), library.task_ids()


# The package's own ids.


def test_every_template_every_aircraft_and_all_together_have_ids() -> None:
    expected = ["ACOE-v0"]
    for world in library.aircraft():
        bases = [f"ACOE-{library.world(world).env}"]
        bases += [f"{bases[0]}-{library.template(template).env}" for template in library.template_ids(world)]
        expected += [f"{base}{flat}-v0" for base in bases for flat in ("", "-Flat")]
    assert sorted(IDS) == sorted(expected)


@pytest.mark.parametrize("env_id", IDS)
def test_specifications_are_light_and_carry_no_second_budget(env_id: str) -> None:
    spec = gym.spec(env_id)
    assert isinstance(spec.entry_point, str)
    assert list(spec.kwargs) == ["scope"]
    assert spec.max_episode_steps is None
    assert spec.nondeterministic is False


@pytest.mark.parametrize("env_id", IDS)
def test_a_specification_goes_through_json(env_id: str) -> None:
    env = gym.make(env_id, reward="sgo", render_mode="ansi")
    assert env.spec is not None
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    (one, info), (other, other_info) = env.reset(seed=5), again.reset(seed=5)
    assert np.array_equal(one, other)
    assert info == other_info
    assert env.render() == again.render()


def test_registering_again_is_silent_and_changes_nothing() -> None:
    before = dict(gym.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_manifest()
    assert gym.registry == before


def test_a_second_import_is_silent(fresh_process: Callable[[str], str]) -> None:
    assert fresh_process("import acoe_gym, importlib; importlib.reload(acoe_gym)") == ""


def test_the_form_with_the_module_needs_no_import(fresh_process: Callable[[str], str]) -> None:
    code = "import gymnasium; gymnasium.make('acoe_gym:ACOE-C172S-EngineRestart-v0').reset(seed=0)"
    assert fresh_process(code) == ""


# Specifications from outside.


def test_a_folder_of_specifications_registers_its_ids() -> None:
    assert acoe_gym.register_specs(WORLDS) == PUMP_IDS
    assert set(PUMP_IDS) <= set(gym.registry)
    assert "pump/priming/full" in acoe_gym.task_ids()


@pytest.mark.parametrize("env_id", PUMP_IDS)
def test_ids_from_outside_work(env_id: str) -> None:
    acoe_gym.register_specs(str(WORLDS))
    check_env(gym.make(env_id).unwrapped)


def test_the_id_over_all_plays_what_was_added() -> None:
    acoe_gym.register_specs(WORLDS)
    env = gym.make("ACOE-v0")
    aircraft = set()
    for seed in range(40):
        env.reset(seed=seed)
        aircraft.add(env.get_wrapper_attr("task").id.partition("/")[0])
    assert aircraft == {"c172s", "pa44", "pump"}


def test_a_component_that_is_not_on_board_is_rejected_in_the_id_over_all() -> None:
    acoe_gym.register_specs(WORLDS)
    env = gym.make("ACOE-v0", task="pump/priming/half")
    env.reset()
    code = env.get_wrapper_attr("encode")({"name": "get_system", "arguments": {"component": "magnetos"}})
    assert code in env.action_space
    assert "unknown_component" in env.step(code)[0]


def test_registering_a_folder_twice_changes_nothing() -> None:
    acoe_gym.register_specs(WORLDS)
    before = registered()
    assert acoe_gym.register_specs(WORLDS) == PUMP_IDS
    assert registered() == before


def refused(path: Path, message: str) -> None:
    before = registered()
    with pytest.raises(SpecError, match=message):
        acoe_gym.register_specs(path)
    assert registered() == before


def test_a_folder_without_specifications_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "expected folders with a world.toml, found none")
    refused(tmp_path / "nowhere", "expected folders with a world.toml, found none")


def test_an_aircraft_that_exists_is_refused(worlds: Path) -> None:
    (worlds / "pump").rename(worlds / "c172s")
    refused(worlds, "expected a new aircraft id, got 'c172s'")


@pytest.mark.parametrize("file", ["world.toml", "priming.toml"])
def test_a_broken_file_leaves_nothing_registered(worlds: Path, file: str) -> None:
    (worlds / "pump" / file).write_text("id = ", encoding="utf-8")
    refused(worlds, f"{file}.*syntax error")


def test_a_second_world_that_is_broken_leaves_nothing_of_the_first(worlds: Path) -> None:
    shutil.copytree(worlds / "pump", worlds / "well")
    refused(worlds, "well")


def test_an_env_name_that_is_taken_is_refused(worlds: Path) -> None:
    world = worlds / "pump" / "world.toml"
    world.write_text(
        world.read_text(encoding="utf-8").replace('env = "Pump"', 'env = "C172S"'), encoding="utf-8"
    )
    refused(worlds, "ACOE-C172S-v0 is registered already")


def test_a_refused_folder_can_be_registered_once_it_is_mended(worlds: Path) -> None:
    file = worlds / "pump" / "priming.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text("id = ", encoding="utf-8")
    with pytest.raises(AcoeError):
        acoe_gym.register_specs(worlds)
    file.write_text(text, encoding="utf-8")
    assert acoe_gym.register_specs(worlds) == PUMP_IDS
