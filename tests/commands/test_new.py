from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.validation import validate
from acoe_gym.cockpit.world import load_world
from acoe_gym.commands.new import create
from acoe_gym.errors import SpecError

WORLDS = Path(__file__).parents[1] / "worlds"


@pytest.fixture
def specs(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    library.remove_root(tmp_path)


def test_a_new_aircraft_gets_three_files_that_validate(specs: Path) -> None:
    assert [path.name for path in create("hot_air/relight", specs)] == [
        "world.toml",
        "facts.toml",
        "relight.toml",
    ]
    library.add_root(specs)
    report = validate(library.template_ids("hot_air"), solutions=True)
    assert report.findings == ()
    assert [row.tasks for row in report.rows] == [1]


def test_a_known_aircraft_gets_a_template_that_validates(specs: Path) -> None:
    shutil.copytree(WORLDS / "pump", specs / "pump")
    assert create("pump/cleaning", specs) == [specs / "pump" / "cleaning.toml"]
    library.add_root(specs)
    assert validate(["pump/cleaning"], solutions=True).ok


def test_a_skeleton_for_a_real_aircraft_validates(specs: Path) -> None:
    folder = specs / "seneca"
    folder.mkdir()
    for name in ("world.toml", "facts.toml"):
        text = (library.world("pa44").folder / name).read_text(encoding="utf-8")
        text = text.replace('id = "pa44"', 'id = "seneca"').replace('env = "PA44"', 'env = "Seneca"')
        (folder / name).write_text(text, encoding="utf-8")
    create("seneca/cleaning", specs)
    library.add_root(specs)
    assert validate(["seneca/cleaning"], solutions=True).ok


def test_every_file_says_what_to_fill_in(specs: Path) -> None:
    for path in create("balloon/relight", specs):
        text = path.read_text(encoding="utf-8")
        assert "FILL IN" in text
        assert max(map(len, text.splitlines())) <= 140


def test_nothing_is_overwritten(specs: Path) -> None:
    paths = create("balloon/relight", specs)
    before = [path.read_text(encoding="utf-8") for path in paths]
    with pytest.raises(SpecError, match="expected a new file, got one that exists"):
        create("balloon/relight", specs)
    assert [path.read_text(encoding="utf-8") for path in paths] == before


def test_a_lone_ledger_is_not_overwritten_and_nothing_is_begun(specs: Path) -> None:
    (specs / "balloon").mkdir()
    (specs / "balloon" / "facts.toml").write_text("[facts]\n", encoding="utf-8")
    with pytest.raises(SpecError, match=r"facts\.toml: expected a new file"):
        create("balloon/relight", specs)
    assert [path.name for path in (specs / "balloon").iterdir()] == ["facts.toml"]


def test_an_aircraft_of_the_package_is_not_begun_elsewhere(specs: Path) -> None:
    with pytest.raises(SpecError, match="expected a new aircraft, got 'c172s': its templates stand beside"):
        create("c172s/icing", specs)


@pytest.mark.parametrize("name", ["balloon", "Balloon/relight", "../relight", "balloon/re light", "a/b/c"])
def test_a_name_that_is_none_is_refused(specs: Path, name: str) -> None:
    with pytest.raises(SpecError, match="expected AIRCRAFT/TEMPLATE in lower case"):
        create(name, specs)
    assert list(specs.iterdir()) == []


def test_a_template_cannot_be_named_like_a_file_of_every_aircraft(specs: Path) -> None:
    with pytest.raises(SpecError, match="expected a template's name, got 'facts'"):
        create("balloon/facts", specs)


def without(world: Path, control: str, *uses: tuple[str, str]) -> None:
    """Take a control out of a world, and what uses it."""
    text = world.read_text(encoding="utf-8")
    text = "\n".join(line for line in text.splitlines() if not line.startswith(control))
    for old, new in uses:
        text = text.replace(old, new)
    world.write_text(text, encoding="utf-8")


def test_a_range_shows_the_form_too_where_switches_are_few(specs: Path) -> None:
    create("balloon/relight", specs)
    without(specs / "balloon" / "world.toml", "third_switch", (" and third_switch == ON", ""))
    (specs / "balloon" / "relight.toml").unlink()
    create("balloon/landing", specs)
    library.add_root(specs)
    assert validate(["balloon/landing"]).ok
    assert "lever == 100" in (specs / "balloon" / "landing.toml").read_text(encoding="utf-8")


def test_an_aircraft_without_controls_to_show_is_told_so(specs: Path) -> None:
    create("balloon/relight", specs)
    world = specs / "balloon" / "world.toml"
    without(world, "third_switch", (" and third_switch == ON", ""))
    without(world, "lever", ("lever / 2", "0"))
    assert len(load_world(world).controls) == 2
    with pytest.raises(
        SpecError, match="expected three controls that no rule moves and two facts marked V, got 2"
    ):
        create("balloon/landing", specs)
