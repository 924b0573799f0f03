from __future__ import annotations

import sys

import pytest

from acoe_gym.benchmark.progress import shown

ITEMS = [("a", 0), ("b", 1)]


def test_without_a_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(shown(ITEMS, "flying")) == ITEMS
    assert capsys.readouterr().err == ""


def test_on_a_terminal_a_bar_goes_to_standard_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(shown(ITEMS, "flying")) == ITEMS
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "flying" in captured.err


def test_without_rich_nothing_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert list(shown(ITEMS, "flying")) == ITEMS
    assert capsys.readouterr().err == ""
