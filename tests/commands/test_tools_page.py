from __future__ import annotations

import re
from pathlib import Path

import acoe_gym
from acoe_gym.cockpit.tools import NAMES, TOOLS
from acoe_gym.commands.tools_page import EXAMPLES, tools_page

PACKAGE = Path(acoe_gym.__file__).parent


def test_the_page_in_docs_is_the_generated_one() -> None:
    assert (PACKAGE.parent / "docs" / "tools.md").read_text(encoding="utf-8") == tools_page()


def test_every_tool_and_argument_has_its_place() -> None:
    page = tools_page()
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == list(NAMES) == list(EXAMPLES)
    for tool in TOOLS.values():
        for argument in tool.parameters:
            assert f"| `{argument}` |" in page


def test_the_good_examples_succeed() -> None:
    replies = re.findall(r'^\{"ok":(\w+)', tools_page(), re.MULTILINE)
    assert replies == ["true"] * len(TOOLS)


def test_every_error_code_of_the_code_is_documented() -> None:
    raised = re.compile(
        r'CallRejected\(\s*"(\w+)"|skipped\(\s*tool,\s*arguments,\s*"(\w+)"|, "(unknown_\w+)"\)'
    )
    sources = [path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "cockpit").rglob("*.py"))]
    codes = {code for text in sources for match in raised.findall(text) for code in match if code}
    assert {"off_step", "episode_over", "unknown_chart"} <= codes
    # An aircraft without charts or load sheet answers so; the page's aircraft has both.
    assert [code for code in sorted(codes - {"not_available"}) if f"`{code}`" not in tools_page()] == []
