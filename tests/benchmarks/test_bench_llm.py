"""The measurement of the harness runs; `make bench` judges its figures."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import acoe_gym

ROOT = Path(acoe_gym.__file__).parents[1]


def test_the_harness_is_measured_in_process_and_over_http(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "benchmarks/bench_llm.py", "--quick", "--episodes", "1", "3"],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert process.stderr == ""
    rows = re.findall(r"^(.+?)\s+[\d,]+\s+[\d,]+\s+[\d.]+$", process.stdout, re.MULTILINE)
    assert rows == ["1 episodes", "3 episodes", "1 episodes, 8 at once", "1 episodes over HTTP to a stub"]
    assert "pip install inspect-ai" in process.stdout
    missed = "missed:" in process.stdout
    assert process.returncode == int(missed)
