"""The manifest agrees with the specifications, and says where it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.cockpit import library, manifest, protocol
from acoe_gym.cockpit.data import CANARY, read_json, specs_root


def test_the_manifest_agrees_with_the_specifications() -> None:
    assert manifest.check() == []


def test_the_manifest_lists_every_core_task_with_its_hash() -> None:
    listed = {
        k: v for entry in read_json("manifest.json")["templates"].values() for k, v in entry["tasks"].items()
    }
    assert listed == {task_id: library.task(task_id).hash for task_id in library.task_ids()}


def test_the_manifest_names_environments_aircraft_and_status() -> None:
    built = manifest.build()
    assert built["canary"] == CANARY
    assert built["status"] == "draft"
    assert built["aircraft"]["c172s"] == "C172S"
    assert built["templates"]["c172s/engine_restart"]["env"] == "C172S-EngineRestart"


def test_tasks_registered_from_elsewhere_stay_out(pump: Path) -> None:
    assert pump.is_dir()
    assert "pump" not in manifest.build()["aircraft"]
    assert not any(template_id.startswith("pump/") for template_id in manifest.build()["templates"])


def altered(table: Any) -> Any:
    tasks = table["templates"]["c172s/engine_restart"]["tasks"]
    tasks["c172s/engine_restart/engine_pump_failed"] = "0" * 64
    tasks["c172s/engine_restart/gone"] = "1" * 64
    del tasks["c172s/engine_restart/stopped_prop_empty_tank"]
    return table


def test_differences_are_told_task_by_task(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = manifest.build()["templates"]["c172s/engine_restart"]["tasks"]
    frozen = altered(manifest.build())
    monkeypatch.setattr(manifest, "read_json", lambda _: frozen)
    entry = "manifest.json templates: c172s/engine_restart: tasks: c172s/engine_restart"
    failed, empty = (
        hashes[f"c172s/engine_restart/{n}"] for n in ("engine_pump_failed", "stopped_prop_empty_tank")
    )
    assert manifest.check() == [
        f"{entry}/engine_pump_failed: expected {failed}, got {'0' * 64}",
        f"{entry}/gone: expected no entry, got {'1' * 64}",
        f"{entry}/stopped_prop_empty_tank: expected {empty}, got no entry",
    ]


@pytest.mark.parametrize("name", ["role_prompt", "llm_settings"])
def test_what_every_pilot_is_told_is_frozen_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for cached in (protocol.common_hashes, protocol.role_prompt, protocol.llm_settings):
        cached.cache_clear()
    monkeypatch.setattr(manifest if name == "llm_settings" else protocol, name, lambda: {"reworded": True})
    try:
        (difference,) = manifest.check()
    finally:
        protocol.common_hashes.cache_clear()
    entry = {"llm_settings": "llm_protocol"}.get(name, name)
    assert difference.startswith(f"manifest.json common: {entry}: expected ")


def test_a_missing_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "specs_root", lambda: tmp_path)
    assert manifest.check() == ["manifest.json: expected a file, found none"]


def test_writing_gives_the_file_that_stands_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = manifest.build()
    monkeypatch.setattr(manifest, "build", lambda: built)
    monkeypatch.setattr(manifest, "specs_root", lambda: tmp_path)
    written = manifest.write()
    assert json.loads(written.read_text(encoding="utf-8")) == built
    assert written.read_bytes() == (specs_root() / "manifest.json").read_bytes()
