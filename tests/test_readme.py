"""What the README prints is what a reader gets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import acoe_gym
from acoe_gym.cli import main

README = (Path(acoe_gym.__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_first_program_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    exec(compile(code, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all(json.loads(line.partition("} ")[0] + "}")["ok"] for line in lines)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    out = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        said: list[str] = []
        patch.setattr("acoe_gym.cli._say_json", lambda value: said.append(json.dumps(value)))
        assert main(["demo", "--out", str(out), "--json"]) == 0
    return dict(json.loads(said[0]))


@pytest.mark.parametrize("policy", ["reference", "whole-list", "generic", "random"])
def test_the_table_of_results_is_what_the_demo_measures(
    demo: dict[str, dict[str, object]], policy: str
) -> None:
    (row,) = re.findall(rf"^\| {policy}[^|]*\|(.*)\|$", README, re.MULTILINE)
    episodes, sr, sgo, scr, unsafe, iar = (cell.strip() for cell in row.split("|"))
    summary = demo[policy]
    values = [summary[key]["value"] for key in ("sr", "sgo", "scr", "iar")]  # type: ignore[index]
    assert [sr, sgo, scr, iar] == [f"{value:.3f}" for value in values]
    assert (int(episodes), unsafe) == (summary["episodes"], f"{1 - values[2]:.3f}")
