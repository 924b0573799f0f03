"""Registers the Gymnasium ids by a loop over the manifest: importing the package parses no specification."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym

from acoe_gym.cockpit import library
from acoe_gym.cockpit.data import read_json
from acoe_gym.errors import SpecError

TEXT = "acoe_gym.envs.cockpit_env:CockpitEnv"
FLAT = "acoe_gym.envs.flat_env:FlatCockpitEnv"


def register_manifest() -> None:
    """Register every id of the package's own tasks; ids that exist are left alone."""
    manifest = read_json("manifest.json")
    _register("ACOE", "", flat=False)
    for aircraft, env in manifest["aircraft"].items():
        _register(f"ACOE-{env}", aircraft)
    for template, entry in manifest["templates"].items():
        _register(f"ACOE-{entry['env']}", template)


def register_specs(path: str | Path) -> tuple[str, ...]:
    """Make the aircraft folders below ``path`` available and register their ids.

    Args:
        path: a folder that holds folders with a ``world.toml`` and templates.

    Returns:
        The registered Gymnasium ids.

    Raises:
        SpecError: no aircraft there, one whose id exists, or a file that is wrong; nothing is registered
            then.
    """
    found = library.add_root(Path(path))
    try:
        scopes = {world: f"ACOE-{library.world(world).env}" for world in found}
        for world in found:
            for template in library.template_ids(world):
                scopes[template] = f"{scopes[world]}-{library.template(template).env}"
        _check_free(scopes)
    except Exception:
        library.remove_root(Path(path))
        raise
    return tuple(name for scope, base in scopes.items() for name in _register(base, scope))


def _check_free(scopes: dict[str, str]) -> None:
    for scope, base in scopes.items():
        spec = gym.registry.get(f"{base}-v0")
        if spec is not None and spec.kwargs.get("scope") != scope:
            raise SpecError(f"{scope}: expected an env name of its own, but {spec.id} is registered already")


def _register(base: str, scope: str, *, flat: bool = True) -> list[str]:
    entries = {f"{base}-v0": TEXT, **({f"{base}-Flat-v0": FLAT} if flat else {})}
    for env_id, entry_point in entries.items():
        if env_id not in gym.registry:
            gym.register(env_id, entry_point=entry_point, kwargs={"scope": scope}, nondeterministic=False)
    return list(entries)
