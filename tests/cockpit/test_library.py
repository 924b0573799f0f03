"""Where worlds, templates and tasks are found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acoe_gym.cockpit import library
from acoe_gym.errors import SpecError, UnknownName

WORLDS = Path(__file__).parents[1] / "worlds"


def test_ids_name_aircraft_template_and_task() -> None:
    assert "c172s" in library.aircraft()
    assert {"c172s/electrical_fire", "c172s/engine_restart"} < set(library.template_ids("c172s"))
    assert library.task_ids("c172s/engine_restart")[0] == "c172s/engine_restart/stopped_prop_left_tank"
    assert set(library.task_ids("c172s/engine_restart")) < set(library.task_ids())


def test_every_task_is_loaded_once() -> None:
    name = library.task_ids()[0]
    assert library.task(name) is library.task(name)
    assert library.task(name).program is library.program(name.rpartition("/")[0])


@pytest.mark.parametrize(
    ("find", "name", "nearest"),
    [
        (
            library.task,
            "c172s/engine_restart/stopped_prop_left_tan",
            "c172s/engine_restart/stopped_prop_left_tank",
        ),
        (
            library.task,
            "c172s/engine_restrat/stopped_prop_left_tank",
            "c172s/engine_restart/stopped_prop_left_tank",
        ),
        (library.template, "c172s/engine_restrat", "c172s/engine_restart"),
        (library.world, "c172", "c172s"),
        (library.template_ids, "c127s", "c172s"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(find: object, name: str, nearest: str) -> None:
    with pytest.raises(UnknownName) as caught:
        find(name)  # type: ignore[operator]
    assert f"got {name!r}; nearest: {nearest}" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["", "/", "c172s", "c172s/world", "c172s/facts", "../c172s/engine_restart", "c172s/../c172s/x"]
)
def test_no_text_leaves_the_folder(name: str) -> None:
    for find in (library.template, library.task):
        with pytest.raises(UnknownName):
            find(name)


def test_a_folder_outside_the_package_becomes_available_and_goes_again() -> None:
    assert library.add_root(WORLDS) == ("pump",)
    assert library.task_ids("pump/priming") == ("pump/priming/half", "pump/priming/full")
    assert library.task("pump/priming/half").id in library.task_ids()
    library.remove_root(WORLDS)
    with pytest.raises(UnknownName):
        library.task("pump/priming/half")


def test_adding_a_folder_twice_changes_nothing() -> None:
    assert library.add_root(WORLDS) == library.add_root(WORLDS / ".." / "worlds") == ("pump",)
    assert library.aircraft().count("pump") == 1
    library.remove_root(WORLDS)
    assert "pump" not in library.aircraft()


def test_a_folder_without_aircraft_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", WORLDS / "pump"):
        with pytest.raises(SpecError, match=r"expected folders with a world\.toml, found none"):
            library.add_root(path)
        assert path not in library.roots()


def test_an_aircraft_that_exists_elsewhere_is_refused(tmp_path: Path) -> None:
    shutil.copytree(library.world("c172s").folder, tmp_path / "c172s")
    with pytest.raises(SpecError, match="expected a new aircraft id, got 'c172s', which exists"):
        library.add_root(tmp_path)
    assert library.roots() == library.roots()[:1]


def test_a_changed_folder_is_read_again_after_it_was_removed(tmp_path: Path) -> None:
    shutil.copytree(WORLDS / "pump", tmp_path / "pump")
    world = tmp_path / "pump" / "world.toml"
    for name in ("Pump station", "Second station"):
        world.write_text(world.read_text(encoding="utf-8").replace("Pump station", name), encoding="utf-8")
        library.add_root(tmp_path)
        assert library.world("pump").name == name
        library.remove_root(tmp_path)
