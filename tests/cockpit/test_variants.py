"""Generated variants: the same everywhere, sound, and never a core task."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit import library, variants
from acoe_gym.cockpit.episode import MAX_TURNS, Episode
from acoe_gym.cockpit.reference import writes
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.variants import (
    DIFFICULTIES,
    SPLITS,
    count,
    difficulties,
    difficulty_of,
    generate,
    ladder,
    projection,
    split_of,
)
from acoe_gym.errors import SpecError, UnknownName

TEMPLATES = library.template_ids()
RESTART = "c172s/engine_restart"
COUNT = 100
Solve = Callable[[Task], Episode]

DIGEST = """
import hashlib
from acoe_gym.cockpit import library
from acoe_gym.cockpit.variants import generate
sha = hashlib.sha256()
for template_id in library.template_ids("c172s"):
    for seed in range(10):
        task = generate(template_id, seed)
        sha.update(repr((task.id, task.initial, task.briefing, task.information.id, task.hash)).encode())
print(sha.hexdigest())
"""


@pytest.mark.parametrize("template_id", TEMPLATES)
@pytest.mark.parametrize("many", [COUNT, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_reference_solves_every_variant_safely_within_the_budget(
    template_id: str, many: int, solve: Solve
) -> None:
    for seed in range(many):
        episode = solve(generate(template_id, seed))
        assert episode.end == "submitted", seed
        assert episode.grade().success == 1.0, seed
        assert episode.violations == 0, seed
        assert len(episode.turns) <= MAX_TURNS, seed


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_variants_are_settled_and_legal(template_id: str) -> None:
    domains = library.template(template_id).domains
    for seed in range(COUNT):
        task = generate(template_id, seed)
        assert task.program.pending(list(task.initial)) == []
        assert all(domains[n].holds(v) for n, v in zip(task.program.variables, task.initial, strict=True))


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_variants_are_not_solved_at_the_start(template_id: str) -> None:
    for seed in range(COUNT):
        episode = Episode(generate(template_id, seed))
        episode.one("submit", {})
        assert episode.grade().goal_attainment < 1


@pytest.mark.parametrize("template_id", TEMPLATES)
@pytest.mark.parametrize("many", [COUNT, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_variant_equals_a_core_task(template_id: str, many: int) -> None:
    core = {projection(library.task(task_id)) for task_id in library.task_ids(template_id)}
    assert core.isdisjoint(projection(generate(template_id, seed)) for seed in range(many))


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_variants_are_many(template_id: str) -> None:
    assert len({projection(generate(template_id, seed)) for seed in range(COUNT)}) > 0.9 * COUNT


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_few_draws_are_too_much_for_the_reference(template_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[bool] = []
    solves = variants.reference_solves

    def counted(task: Task) -> bool:
        judged.append(solves(task))
        return judged[-1]

    monkeypatch.setattr(variants, "reference_solves", counted)
    for seed in range(COUNT):
        generate(template_id, seed)
    assert judged.count(False) < 0.05 * COUNT


def test_a_variant_is_named_after_its_seed() -> None:
    assert generate("c172s/engine_restart", 7).id == "c172s/engine_restart/generated/7"


@given(seed=st.integers())
def test_a_seed_gives_one_task(seed: int) -> None:
    one, other = generate("c172s/engine_restart", seed), generate("c172s/engine_restart", seed)
    assert (one.initial, one.briefing, one.hash) == (other.initial, other.briefing, other.hash)


def test_variants_are_the_same_in_every_process_and_under_every_hash_seed() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(digests) == 1


def test_a_variable_that_nothing_looks_at_makes_no_other_exercise() -> None:
    task = library.task("c172s/engine_restart/windmilling_empty_tank")
    slots = task.program.slots
    state = list(task.initial)
    state[slots["com2_freq"]] = 121.5
    assert projection(replace(task, initial=tuple(state))) == projection(task)
    state[slots["tank.left"]] = 3
    assert projection(replace(task, initial=tuple(state))) != projection(task)


def test_a_generator_that_knows_only_a_core_task_is_refused(tmp_path: Path, pump: Path) -> None:
    text = (pump / "priming.toml").read_text(encoding="utf-8")
    vary = 'vary = { drain = ["HALF", "OPEN"], level = [0, 2, 4, 6, 8, 10] }'
    copy = tmp_path / "pump"
    copy.mkdir()
    for name in ("world.toml", "facts.toml"):
        (copy / name).write_bytes((pump / name).read_bytes())
    narrow = text.replace(vary, 'vary = { drain = ["OPEN"] }').replace('decisions = [[], ["full"]]', "")
    (copy / "priming.toml").write_text(narrow, encoding="utf-8")
    library.remove_root(pump.parent)
    library.add_root(tmp_path)
    try:
        with pytest.raises(SpecError, match=r"pump/priming.toml \[\[generator\]\]: expected a draw that"):
            generate("pump/priming", 0)
    finally:
        library.remove_root(tmp_path)
        library.add_root(pump.parent)


def with_value(task: Task, name: str, value: object) -> Task:
    """Return a task that starts with another value of one variable."""
    state = list(task.initial)
    state[task.program.slots[name]] = value  # type: ignore[call-overload]
    return replace(task, initial=tuple(state))


def test_what_the_captain_decided_makes_another_exercise() -> None:
    task = generate("c172s/electrical_fire", 0)
    twin = with_value(task, "decision.power_needed", "power_needed" not in task.decisions)
    assert projection(twin) != projection(task)


# Splits.


@given(seed=st.integers(), split=st.sampled_from(sorted(SPLITS)))
def test_a_variant_of_a_split_is_in_it_and_its_id_alone_names_it(seed: int, split: str) -> None:
    task = generate(RESTART, seed % 10**12, split)
    again = task_of(task.id)
    assert split_of(task) == split
    assert (again.initial, again.briefing, again.hash) == (task.initial, task.briefing, task.hash)


def test_a_seed_whose_variant_fits_the_split_is_kept() -> None:
    for seed in range(20):
        task = generate(RESTART, seed)
        assert generate(RESTART, seed, split_of(task)).id == task.id


def test_the_same_exercise_is_in_the_same_split_whatever_does_not_count() -> None:
    for seed in range(50):
        task = generate(RESTART, seed)
        assert split_of(with_value(task, "com2_freq", 121.5)) == split_of(task)
        tank = task.initial[task.program.slots["tank.left"]]
        assert isinstance(tank, int | float)
        assert split_of(with_value(task, "tank.left", int(tank))) == split_of(task)


def test_splits_are_disjoint_and_divide_variants_eighty_ten_ten() -> None:
    found: dict[str, set[object]] = {split: set() for split in SPLITS}
    for seed in range(1000):
        task = generate(RESTART, seed)
        found[split_of(task)].add(projection(task))
    train, validation, test = found.values()
    assert train.isdisjoint(validation)
    assert train.isdisjoint(test)
    assert validation.isdisjoint(test)
    assert 0.75 < len(train) / sum(map(len, found.values())) < 0.85
    assert 0.07 < len(test) / sum(map(len, found.values())) < 0.13


# Difficulties.


@pytest.mark.parametrize("template_id", TEMPLATES)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_difficulty_says_how_many_writes_the_reference_makes(
    template_id: str, difficulty: str, solve: Solve
) -> None:
    if difficulty not in difficulties(template_id):
        assert difficulty == "medium"
        return
    easy, medium = ladder(template_id)
    least, most = {"easy": (1, easy), "medium": (easy + 1, medium), "hard": (medium + 1, MAX_TURNS)}[
        difficulty
    ]
    for seed in range(10):
        task = generate(template_id, seed, difficulty=difficulty)
        assert least <= len(writes(solve(task))) <= most
        assert difficulty_of(task) == difficulty


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_no_difficulty_is_rare(template_id: str) -> None:
    drawn = [difficulty_of(generate(template_id, seed)) for seed in range(COUNT)]
    assert min(drawn.count(name) for name in difficulties(template_id)) >= 0.05 * COUNT


def test_split_and_difficulty_go_together() -> None:
    task = generate(RESTART, 3, "test", "hard")
    assert (split_of(task), difficulty_of(task)) == ("test", "hard")


def test_a_difficulty_that_a_template_does_not_have_is_refused(pump: Path) -> None:
    assert difficulties("pump/priming") == ("easy",)
    with pytest.raises(SpecError, match=r"expected a difficulty that it has \(easy\), got 'hard'"):
        generate("pump/priming", 0, "test", "hard")


def test_a_split_without_exercises_is_refused(pump: Path) -> None:
    assert count("pump/priming").splits["test"] == 0
    with pytest.raises(SpecError, match="expected a test variant, got none in 1000 from seed 0 on"):
        generate("pump/priming", 0, "test")


@pytest.mark.parametrize(
    ("choice", "message"),
    [({"split": "trian"}, "nearest: train"), ({"difficulty": "harder"}, "nearest: hard")],
)
def test_an_unknown_choice_is_refused_with_the_nearest(choice: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        generate(RESTART, 0, **choice)


# Counts.


def test_distinct_exercises_are_counted_and_divided() -> None:
    counted = count(RESTART, 200)
    tasks = [generate(RESTART, seed) for seed in range(200)]
    assert counted.distinct == len({projection(task) for task in tasks}) <= counted.draws == 200
    assert not counted.exact
    assert sum(counted.splits.values()) == sum(counted.difficulties.values()) == counted.distinct


def test_a_small_space_is_counted_as_a_whole(pump: Path) -> None:
    counted = count("pump/priming", 1000)
    drawn = {projection(generate("pump/priming", seed)) for seed in range(200)}
    assert (counted.space, counted.exact) == (2 * 6 * 2, True)
    assert counted.distinct == len(drawn)


@pytest.mark.slow
@pytest.mark.parametrize("template_id", TEMPLATES)
def test_a_template_gives_ten_thousand_distinct_exercises(template_id: str) -> None:
    assert count(template_id).distinct >= 10_000


def test_an_unknown_template_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="nearest: c172s/engine_restart"):
        generate("c172s/engine_restarts", 0)
