"""The protocol table that people read is the protocol that models are flown under."""

from __future__ import annotations

import json
import re
from pathlib import Path

import acoe_gym
from acoe_gym.cockpit.protocol import settings
from acoe_gym.wrappers.llm.chat import protocol

PAGE = (Path(acoe_gym.__file__).parents[1] / "docs" / "evaluating.md").read_text(encoding="utf-8")
# What stands on the page in words.
APART = {"llm_protocol_version", "text_protocol"}


def test_every_setting_stands_in_the_table_with_its_value() -> None:
    rows = dict(re.findall(r"^\| (\w+) \| (.+?) \| .+ \|$", PAGE, re.MULTILINE))
    told = {
        name: None if text == "none" else json.loads(text) for name, text in rows.items() if name != "setting"
    }
    fixed = {name: settings()[name] for name in ("max_turns", "max_calls_per_turn")}
    assert told == {**fixed, **{k: v for k, v in protocol().items() if k not in APART}}
