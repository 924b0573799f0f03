from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.report.data import gather
from acoe_gym.benchmark.report.page import page

WriteRun = Callable[..., Path]
Change = Callable[[dict[str, Any]], None]
EVIL = "</script><script>alert(1)</script>\"'&\N{SNOWMAN}<img src=x onerror=alert(2)>"


class Tables(HTMLParser):
    """Collects the cells of every table by the id of its section, and every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: dict[str, list[list[str]]] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.strong: list[str] = []
        self._section, self._open = "", False
        self._within: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._within.append(tag)
        if tag == "section":
            self._section = dict(attrs).get("id") or ""
        if tag == "tr":
            self.rows.setdefault(self._section, []).append([])
        if tag in ("td", "th") and self.rows.get(self._section):
            self.rows[self._section][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "td" in self._within or "th" in self._within:
            self.rows[self._section][-1][-1] += data.strip()
        if self._within and self._within[-1] == "strong":
            self.strong.append(data)


def blob(text: str, name: str) -> Any:
    found = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', text)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


@pytest.fixture
def text(three: list[Path]) -> str:
    return page(gather(three, "A report"))


def test_the_leaderboard_shows_the_known_scores_in_groups(text: str) -> None:
    board = Tables(text).rows["leaderboard"]
    assert [row[:6] for row in board[1:]] == [
        ["API-only models"],
        ["Alpha", "0.750", "0.750", "0.750", "0.250", "0.062"],
        ["Beta", "0.000", "0.000", "1.000", "0.000", "0.500"],
        ["Open-weight models"],
        ["Gamma", "0.250", "0.250", "0.500", "0.500", "0.312"],
    ]
    assert board[0] == [
        "Run", "SR", "SGO", "SCR", "Unsafe", "IAR", "Parameters", "Turns", "Calls", "Tokens (k)",
    ]  # fmt: skip
    assert board[-1][6] == "744B/40B"


def test_the_best_of_each_group_is_bold(text: str) -> None:
    alpha, beta, gamma = ["0.750", "0.750", "0.062"], ["1.000"], ["0.250", "0.250", "0.500", "0.312"]
    assert Tables(text.split('id="outcomes"', maxsplit=1)[0]).strong == [*alpha, *beta, *gamma]


def test_ties_are_both_bold(write_run: WriteRun) -> None:
    report = gather([write_run(name, ["solved"], ["silent"]) for name in ("a", "b")], "t")
    assert Tables(page(report).split('id="outcomes"')[0]).strong == ["0.500", "0.500", "1.000", "0.000"] * 2


def test_outcome_shares_are_shown(text: str) -> None:
    rows = {row[0]: row[2:] for row in Tables(text).rows["outcomes"][1:]}
    assert rows == {
        "Alpha": ["75.0 %", "0.0 %", "25.0 %"],
        "Beta": ["0.0 %", "100.0 %", "0.0 %"],
        "Gamma": ["25.0 %", "25.0 %", "50.0 %"],
    }


def test_the_map_of_tasks_shows_successes_and_unsafe_episodes(text: str) -> None:
    rows = [row[1:] for row in Tables(text).rows["tasks"][1:]]
    assert rows == [
        ["2/2", "0/2", "1/2\N{BLACK UP-POINTING TRIANGLE}1"],
        ["1/2\N{BLACK UP-POINTING TRIANGLE}1", "0/2", "0/2\N{BLACK UP-POINTING TRIANGLE}1"],
    ]


def test_violated_constraints_are_counted_per_run(text: str) -> None:
    assert Tables(text).rows["safety"][1][1:] == ["1 (1)", "\N{EN DASH}", "2 (2)"]


def test_wherever_success_is_shown_safety_is_shown(text: str) -> None:
    for name, rows in Tables(text).rows.items():
        words = " ".join(cell for row in rows for cell in row)
        if re.search(r"\bSR\b|success", words):
            assert "SCR" in words or "unsafe" in words, name


def test_a_refused_run_shows_its_episodes_and_no_scores(three: list[Path], write_run: WriteRun) -> None:
    holes = write_run("Holes", ["solved", None], ["solved", "solved"], about={"open_weights": False})
    rows = Tables(page(gather([*three, holes], "t"))).rows
    (row,) = [row for row in rows["leaderboard"] if row[0] == "Holes"]
    assert row[1:] == ["3 of 4 episodes; refused: no score while episodes are missing"]
    for name in ("outcomes", "intervals", "behaviour", "calls", "failures"):
        assert not any("Holes" in cell for row in rows[name] for cell in row)


def test_a_partial_run_is_marked_in_every_section(write_run: WriteRun) -> None:
    report = gather([write_run("Holes", ["solved", None], ["solved", "solved"])], "t", allow_partial=True)
    rows = Tables(page(report)).rows
    for name in ("leaderboard", "outcomes", "intervals", "behaviour", "calls", "failures", "tasks"):
        assert any("3 of 4 episodes; partial" in cell for row in rows[name] for cell in row), name


def test_infrastructure_errors_are_shown(write_run: WriteRun) -> None:
    rows = Tables(page(gather([write_run("a", ["silent"], ["silent"], errors=2)], "t"))).rows
    assert rows["errors"][1] == ["a", "HTTP 529: overloaded", "2"]


def test_names_are_escaped_wherever_they_stand(write_run: WriteRun, say: Callable[..., Change]) -> None:
    about = {"parameters": EVIL}
    report = gather([write_run(EVIL, ["silent"], ["unsafe"], about=about, change=say(EVIL))], EVIL)
    found = page(report)
    parsed = Tables(found)
    assert parsed.rows["leaderboard"][2][0] == EVIL
    assert not any(tag == "img" or "onerror" in attributes for tag, attributes in parsed.tags)
    assert "alert(1)</script>" not in found


def test_what_a_model_said_is_embedded_for_its_episode(
    write_run: WriteRun, say: Callable[..., Change]
) -> None:
    found = page(gather([write_run("a", ["silent"], ["silent"], change=say(EVIL))], "t"))
    texts = blob(found, "text-0")
    (line,) = texts["episodes"]["c172s/engine_restart/stopped_prop_left_tank/0"]
    assert texts["things"][line[0]] == EVIL


def test_long_texts_are_cut_until_the_page_fits(write_run: WriteRun, say: Callable[..., Change]) -> None:
    noise = hashlib.sha512(b"noise").hexdigest() * 20
    folder = write_run("a", ["silent"], ["silent"], change=say(noise))
    whole = page(gather([folder], "t"))
    short = page(gather([folder], "t"), most=len(whole) - 10)
    assert noise in blob(whole, "text-0")["things"]
    assert any(
        str(thing).endswith("(cut; whole in the run's episodes.jsonl)")
        for thing in blob(short, "text-0")["things"]
    )


def test_the_page_is_the_same_bytes_for_the_same_runs(three: list[Path], text: str) -> None:
    assert page(gather(three, "A report")) == text


def test_the_page_asks_for_nothing_and_may_run_only_its_own_script(text: str) -> None:
    tags = Tables(text).tags
    assert not [attributes for _, attributes in tags if "src" in attributes or "style" in attributes]
    assert not any(tag in ("link", "iframe", "object", "embed") for tag, _ in tags)
    (policy,) = [a["content"] or "" for _, a in tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    (script,) = re.findall(r"<script>(.*)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy


def test_links_lead_within_the_page(text: str) -> None:
    tags = Tables(text).tags
    ids = {attributes["id"] for _, attributes in tags if attributes.get("id")}
    for _, attributes in tags:
        target = attributes.get("href")
        if target is not None:
            assert target.startswith("#/") or target[1:] in ids


def test_ids_are_unique(text: str) -> None:
    ids = [attributes["id"] for _, attributes in Tables(text).tags if attributes.get("id")]
    assert len(ids) == len(set(ids))


def test_column_and_row_headings_have_their_scope(text: str) -> None:
    scopes = [attributes.get("scope") for tag, attributes in Tables(text).tags if tag == "th"]
    assert set(scopes) == {"col", "row", "rowgroup"}


def test_published_figures_are_in_their_own_section_alone(text: str) -> None:
    rows = Tables(text).rows
    assert [row[0] for row in rows["paper"][1:4]] == ["GPT-5.6-sol", "gemini-3.5-flash", "qwen3.7-max"]
    for name in set(rows) - {"paper"}:
        assert not any("GLM-5.1" in cell for row in rows[name] for cell in row)
