"""The face of the package: few names, pinned, and an import that loads nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

import acoe_gym
from acoe_gym import wrappers

NAMES = ["AcoeError", "__version__", "register_specs", "task_ids"]
HEAVY = (
    "torch",
    "stable_baselines3",
    "rich",
    "pettingzoo",
    "pygame",
    "openai",
    "tenacity",
    "textual",
    "matplotlib",
    "mcp",
)


def test_the_public_names_are_these() -> None:
    assert acoe_gym.__all__ == NAMES
    assert len(NAMES) <= 10


@pytest.mark.parametrize("module", [acoe_gym, wrappers], ids=["acoe_gym", "wrappers"])
def test_public_names_are_sorted_and_no_other_is_public(module: ModuleType) -> None:
    assert sorted(module.__all__) == module.__all__
    found = {name for name, value in vars(module).items() if not isinstance(value, ModuleType)}
    public = {name for name in found if not name.startswith("_")} - {"annotations", "register_manifest"}
    assert public == {name for name in module.__all__ if not name.startswith("_")}


@pytest.mark.parametrize("module", [acoe_gym, wrappers], ids=["acoe_gym", "wrappers"])
def test_every_public_name_says_what_it_is(module: ModuleType) -> None:
    assert all(getattr(module, name).__doc__ for name in module.__all__)


def test_importing_loads_no_extra_no_environment_and_no_specification(
    fresh_process: Callable[[str], str],
) -> None:
    code = f"""
import sys
import acoe_gym
from acoe_gym.cockpit import library
print([name for name in {HEAVY!r} if name in sys.modules])
print([name for name in sys.modules if name.startswith(("acoe_gym.envs", "acoe_gym.wrappers"))])
print([memo.cache_info().currsize for memo in (library.world, library.template, library.task)])
"""
    assert fresh_process(code).splitlines() == ["[]", "[]", "[0, 0, 0]"]


def test_the_core_imports_neither_gymnasium_nor_numpy(fresh_process: Callable[[str], str]) -> None:
    code = """
import importlib, pkgutil, sys, types
face = sys.modules["acoe_gym"] = types.ModuleType("acoe_gym")  # the real one registers with Gymnasium
face.__path__ = ["acoe_gym"]
import acoe_gym.cockpit as core
names = [module.name for module in pkgutil.walk_packages(core.__path__, "acoe_gym.cockpit.")]
# The batch program and what searches in it are NumPy's place in the core.
batch = ("batch", "proof", "exploration", "action_list")
names = [name for name in names if not name.startswith(tuple(f"acoe_gym.cockpit.{part}" for part in batch))]
for name in names:
    importlib.import_module(name)
print(len(names) > 20, [name for name in ("gymnasium", "numpy") if name in sys.modules])
"""
    assert fresh_process(code) == "True []\n"
