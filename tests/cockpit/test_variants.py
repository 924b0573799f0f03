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

from acoe_gym.cockpit import library, variants
from acoe_gym.cockpit.episode import MAX_TURNS, Episode
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.variants import generate, projection
from acoe_gym.errors import SpecError, UnknownName

TEMPLATES = library.template_ids()
COUNT = 300
Solve = Callable[[Task], Episode]

DIGEST = """
import hashlib
from acoe_gym.cockpit import library
from acoe_gym.cockpit.variants import generate
sha = hashlib.sha256()
for template_id in library.template_ids("c172s"):
    for seed in range(30):
        task = generate(template_id, seed)
        sha.update(repr((task.id, task.initial, task.briefing, task.information.id, task.hash)).encode())
print(sha.hexdigest())
"""


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_the_reference_solves_every_variant_safely_within_the_budget(template_id: str, solve: Solve) -> None:
    for seed in range(COUNT):
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
def test_no_variant_equals_a_core_task(template_id: str) -> None:
    core = {projection(library.task(task_id)) for task_id in library.task_ids(template_id)}
    assert core.isdisjoint(projection(generate(template_id, seed)) for seed in range(COUNT))


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


def test_an_unknown_template_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="nearest: c172s/engine_restart"):
        generate("c172s/engine_restarts", 0)
