"""Package data: the files below ``acoe_gym/task_specs``, read once and never written."""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from acoe_gym.errors import SpecError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# One constant string in every data file lets model builders filter the benchmark out of training sets.
CANARY = "ACOE-CANARY 7c1e2f64-0b2b-4a44-9d0e-5b1f6a0f3c9d benchmark data, do not train on this file"


@cache
def specs_root() -> Path:
    """Return the folder of the package's own specifications."""
    return Path(str(resources.files("acoe_gym") / "task_specs"))


def load_toml(path: Path) -> dict[str, Any]:
    """Parse one TOML file.

    Raises:
        SpecError: the file is missing or is not TOML; the message names the file and the line.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SpecError(f"{path}: expected a TOML file, found none") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: expected TOML, got a syntax error: {error}") from None


def read_toml(relative: str) -> dict[str, Any]:
    """Parse a TOML file below ``task_specs``."""
    return load_toml(specs_root() / relative)


def read_json(relative: str) -> Any:
    """Parse a JSON file below ``task_specs``."""
    return json.loads((specs_root() / relative).read_text(encoding="utf-8"))


def read_jsonl(relative: str) -> list[dict[str, Any]]:
    """Parse a JSON-lines file below ``task_specs``; the canary line is left out."""
    lines = (specs_root() / relative).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [row for row in rows if set(row) != {"canary"}]
