from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.report.data import Report, gather
from acoe_gym.benchmark.report.markup import Html
from acoe_gym.benchmark.report.page import page
from acoe_gym.benchmark.report.section_effort import behaviour, cost, pace
from acoe_gym.benchmark.report.section_scores import intervals, leaderboard, outcomes
from acoe_gym.benchmark.report.section_tasks import broken, failures, heat_map
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.cockpit.metrics import Broken

WriteRun = Callable[..., Path]
Change = Callable[[dict[str, Any]], None]
DOT = " \N{MIDDLE DOT} "
DASH = "\N{EN DASH}"
TRIANGLE = "\N{BLACK UP-POINTING TRIANGLE}"
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
    alpha, beta = ["0.750", "0.750", "0.062"], ["1.000"]  # Gamma is alone in its group
    assert Tables(text.split('id="outcomes"', maxsplit=1)[0]).strong == [*alpha, *beta]


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
        ["1/2\N{BLACK UP-POINTING TRIANGLE}1", "0/2", "0/2\N{BLACK UP-POINTING TRIANGLE}1"],
        ["2/2", "0/2", "1/2\N{BLACK UP-POINTING TRIANGLE}1"],
    ]
    assert "the hardest task (mean success over the runs) first" in text


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
    (row,) = [row for row in rows["leaderboard"] if row[0].startswith("Holes")]
    assert row == ["Holes3 of 4 episodes; refused", "no score while episodes are missing"]
    for name in ("outcomes", "intervals", "behaviour", "calls", "failures"):
        assert not any("Holes" in cell for row in rows[name] for cell in row)


def test_a_partial_run_is_marked_in_every_section(write_run: WriteRun) -> None:
    report = gather([write_run("Holes", ["solved", None], ["solved", "solved"])], "t", allow_partial=True)
    rows = Tables(page(report)).rows
    for name in ("leaderboard", "outcomes", "intervals", "behaviour", "calls", "failures", "tasks"):
        assert any("3 of 4 episodes; partial" in cell for row in rows[name] for cell in row), name


SCORED = ("leaderboard", "outcomes", "intervals", "safety", "tasks", "failures", "behaviour", "calls", "cost")


def test_a_run_of_fewer_tasks_is_marked_wherever_its_scores_stand(
    write_run: WriteRun, say: Callable[..., Change]
) -> None:
    few, both = write_run("few", ["unsafe"], change=say("t")), write_run("both", ["unsafe"], ["silent"])
    rows = Tables(page(gather([few, both], "t"))).rows
    for name in SCORED:
        cells = [cell for row in rows[name] for cell in row]
        assert any(cell.startswith("few") and "1 of 2 tasks" in cell for cell in cells), name
        assert not any("2 of 2 tasks" in cell for cell in cells), name


def test_harness_and_protocol_stand_beside_the_name_unless_they_are_the_usual_ones(
    write_run: WriteRun, say: Callable[..., Change]
) -> None:
    settings = {"harness": "full", "protocol": "text"}
    plain = write_run("good", ["unsafe"], settings={"harness": "none", "protocol": "tools"})
    other = write_run("good", ["unsafe"], settings=settings, change=say("t"))
    rows = Tables(page(gather([plain, other], "t"))).rows
    for name in SCORED:
        told = [cell for row in rows[name] for cell in row if cell.startswith("good (")]
        assert any(f"harness full{DOT}text protocol" in cell for cell in told), name
        assert any("harness" not in cell and "protocol" not in cell for cell in told), name


def test_the_scores_are_spelled_out_below_the_leaderboard(text: str) -> None:
    (board,) = re.findall('<section id="leaderboard".*?</section>', text, re.DOTALL)
    meanings = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", board.replace("\n", "")))
    assert set(meanings) == {"SR", "SGO", "SCR", "Unsafe", "IAR"}
    assert meanings["SCR"].startswith("safety compliance rate")


@pytest.mark.parametrize(("second", "told"), [(["silent"], True), (None, False)])
def test_bold_is_explained_only_where_something_is_bold(
    write_run: WriteRun, second: list[str] | None, told: bool
) -> None:
    folders = [write_run("a", ["silent"], second), write_run("b", ["silent"], ["silent"])]
    text = page(gather(folders, "t")).split('id="outcomes"')[0]
    assert (bool(Tables(text).strong), "Bold: best" in text) == (told, told)


def test_too_few_procedures_have_no_interval_and_say_so(text: str) -> None:
    for row in Tables(text).rows["intervals"][1:]:
        assert row[-1] == "\N{EN DASH} too few procedures"


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


# Each figure in its place: the made-up run has no two that are equal.


@pytest.mark.parametrize(
    ("section", "rows"),
    [
        (leaderboard, [["Made", "0.200", "0.300", "0.900", "0.100", "0.150", DASH, "8.0", "20.0", "5.0"]]),
        (outcomes, [["Made", "", "20.0 %", "70.0 %", "10.0 %"]]),
        (
            intervals,
            [
                ["Made", "SR", "", "0.200", "0.110 to 0.310", "0.050 to 0.450"],
                ["SGO", "", "0.300", "0.220 to 0.410", f"{DASH} too few procedures"],
                ["SCRunsafe 0.100", "", "0.900", DASH, "0.810 to 0.970"],
            ],
        ),
        (behaviour, [["1", "Made", "0.150", "0.200", "0.900", "0.100", "0.160", "4"]]),
        (
            pace,
            [["Made", "", "2.50", "8.0", "20.0", "0.750", "1", "0.667",
              "2: 0.190, 3: 0.180, 4: 0.170, 6: 0.130"]],
        ),
        (cost, [["Made", "", "5.0", "5 of 6", "0.0025"]]),
        (broken, [["hota/t", "5 (7)"]]),
        (heat_map, [["a/tone", f"2/4{TRIANGLE}1"], ["a/ttwo", f"0/2{TRIANGLE}1"]]),
        (failures, [["Made", "", "4", "2 (67%)", "0 (0%)", "1 (33%)", "0 (0%)", "0 (0%)"]]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_each_figure_of_a_section_has_its_place(
    made_report: Report, section: Callable[[Report], Html], rows: list[list[str]]
) -> None:
    (found,) = Tables(section(made_report)).rows.values()
    assert found[-len(rows) :] == rows


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (leaderboard, 'title="known for 5 of 6 episodes"'),
        (outcomes, 'aria-label="success 20.0 %, safe but incomplete 70.0 %, unsafe 10.0 %"'),
        (
            intervals,
            '"SR 0.200, trials 0.110 to 0.310, procedures 0.050 to 0.450; SCR 0.900, unsafe 0.100"',
        ),
        (behaviour, 'cx="365" cy="230"'),
        (behaviour, "<title>Made: IAR 0.150, SR 0.200, SCR 0.900, unsafe 0.100</title>"),
        (heat_map, "SR 0.20, SCR 0.90, unsafe 0.10"),
        (heat_map, 'aria-label="Made, a/t/one: 2 of 4 succeeded, 1 unsafe"'),
        (heat_map, 'href="#/Made/a/t/one/3"'),
        (heat_map, 'class="h4 hot"'),
        (heat_map, 'class="h0 hot"'),
    ],
)
def test_what_is_said_beside_a_figure_is_true_of_it(
    made_report: Report, section: Callable[[Report], Html], words: str
) -> None:
    assert words in section(made_report)


def test_a_run_of_unknown_tokens_has_a_dash_and_no_remark(made_report: Report) -> None:
    (shown,) = made_report.runs
    silent = replace(shown, cost=replace(shown.cost, told=0, total=None, cost=None))
    text = leaderboard(replace(made_report, runs=(silent,)))
    assert Tables(text).rows["leaderboard"][-1][-1] == DASH
    assert "known for" not in text


def test_the_best_of_a_partial_run_is_not_bold(made_up: Callable[..., ShownRun]) -> None:
    partial = made_up(missing=[("a/t/two", 2)])
    text = leaderboard(Report("t", (partial,), ("a/t/one", "a/t/two"), ()))
    assert Tables(text).strong == []


def test_a_bar_of_calls_is_as_long_as_its_share_of_the_longest(made_report: Report) -> None:
    (shown,) = made_report.runs
    assert shown.summary is not None
    other = replace(shown, summary=replace(shown.summary, calls=40.0, turns=10.0))
    text = pace(replace(made_report, runs=(shown, other)))
    assert re.findall(r'width="([\d.]+)"', text) == ["62.5", "100"]


def test_constraints_that_are_not_listed_are_counted(made_report: Report) -> None:
    (shown,) = made_report.runs
    assert shown.summary is not None
    constraints = tuple(Broken(f"a/t:c{n:02}", 20 - n, 1) for n in range(13))
    many = replace(shown, summary=replace(shown.summary, constraints=constraints))
    text = broken(replace(made_report, runs=(many,)))
    assert "Left out: 1 constraint less often violated" in text
    assert [row[0] for row in Tables(text).rows["safety"][1:]] == [f"c{n:02}a/t" for n in range(12)]
