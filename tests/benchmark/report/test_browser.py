"""The page in a real browser; skipped without Playwright or Chromium unless ACOE_REQUIRE_BROWSER is 1."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.report.data import gather
from acoe_gym.benchmark.report.page import page as page_of
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit import library

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip
WriteRun = Callable[..., Path]
# Texts of at least three words that have as many lines as words.
STACKED = """() => {
  const stacked = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const words = walker.currentNode.textContent.trim().split(/\\s+/);
    if (words.length < 3 || !walker.currentNode.parentElement.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
    if (lines.size >= words.length) stacked.push(words.join(" "));
  }
  return stacked;
}"""
UNSAFE = "#/Alpha/c172s/engine_restart/windmilling_magnetos_off/1"
FORBIDDEN = "master_bat, stby_batt, avionics_bus1, avionics_bus2 to OFF, while not engine.running"
EVIL = "</script><img src=x onerror=document.title='evil'>\"'&\N{SNOWMAN}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    required = os.environ.get("ACOE_REQUIRE_BROWSER") == "1"
    if not required:
        pytest.importorskip("playwright")
        if not CHROMIUM.exists():
            pytest.skip(f"{CHROMIUM} is not installed")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - optional

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield started
        started.close()


class Tab:
    """An open page, with everything that it complained about or asked for."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.uri = path.as_uri()
        self.page.goto(self.uri)
        self.page.wait_for_selector("#list tr")

    def go(self, address: str) -> None:
        self.page.evaluate("address => { location.hash = address; }", address)
        self.page.wait_for_selector("#episode h2")

    def until(self, condition: str) -> None:
        """Wait for a condition; Playwright's own way would need eval, which the page forbids."""
        deadline = time.monotonic() + 10
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, condition
            self.page.wait_for_timeout(20)

    def texts(self, selector: str) -> list[str]:
        return [" ".join(text.split()) for text in self.page.locator(selector).all_inner_texts()]

    def title(self) -> str:
        return " ".join(self.page.inner_text("#episode-title").split())


@pytest.fixture
def written(three: list[Path], tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(page_of(gather(three, "A report")), encoding="utf-8")
    return path


@pytest.fixture
def tab(browser: Any, written: Path) -> Iterator[Tab]:
    opened = Tab(browser, written)
    yield opened
    opened.context.close()


def test_it_opens_without_a_complaint_or_a_request(tab: Tab) -> None:
    tab.go(UNSAFE)
    assert tab.complaints == []
    assert tab.requests == [tab.uri]


def test_the_leaderboard_shows_the_known_scores(tab: Tab) -> None:
    rows = tab.texts("#leaderboard tbody tr:not(.group)")
    assert rows[0].startswith("Alpha 0.750 0.750 0.750 0.250 0.062")
    assert rows[2].startswith("Gamma 0.250 0.250 0.500 0.500 0.312 744B/40B")


def test_filters_and_search_narrow_the_list(tab: Tab) -> None:
    assert tab.page.inner_text("#count") == "12 of 12 episodes"
    tab.page.select_option("#by-outcome", label="\N{BLACK UP-POINTING TRIANGLE} unsafe")
    assert tab.page.inner_text("#count") == "3 of 12 episodes"
    tab.page.select_option("#by-run", label="Gamma")
    assert tab.page.locator("#list tr").count() == 2
    tab.page.click("#filters button")
    tab.page.fill("#search", "alpha KEEP_POWER")
    assert tab.page.inner_text("#count") == "1 of 12 episodes"
    tab.page.fill("#search", "no such thing")
    assert tab.page.inner_text("#count") == "0 of 12 episodes"


def test_keys_search_open_step_and_go_back(tab: Tab) -> None:
    tab.page.keyboard.press("/")
    tab.until("document.activeElement.id === 'search'")
    tab.page.keyboard.type("j alpha")  # a letter typed into the search is no command
    assert tab.page.input_value("#search") == "j alpha"
    tab.page.fill("#search", "alpha")
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("j")
    tab.page.keyboard.press("j")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("#episode h2")
    assert "Trial 1" in tab.page.inner_text("#episode .facts")
    tab.page.keyboard.press("ArrowRight")
    tab.until("document.querySelector('#episode-title').textContent.includes('stopped')")
    assert "3 of 4" in tab.page.inner_text("#episode .steps")
    tab.page.keyboard.press("k")
    tab.until("document.querySelector('#episode-title').textContent.includes('windmilling')")
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_selector("#episode", state="hidden")
    assert tab.page.input_value("#search") == "alpha"


def test_the_question_mark_shows_the_keys_and_escape_closes_them(tab: Tab) -> None:
    tab.page.keyboard.press("?")
    assert tab.page.is_visible("#help")
    tab.page.keyboard.press("Escape")
    assert not tab.page.is_visible("#help")


def test_an_unsafe_episode_shows_its_violation_on_the_call_with_its_fact(tab: Tab) -> None:
    tab.go(UNSAFE)
    (call,) = tab.texts(".call.hot")
    assert call.startswith("2.1 \N{BLACK RIGHT-POINTING TRIANGLE} set master_bat \N{RIGHTWARDS ARROW} OFF")
    assert "Violates keep_power" in call
    assert re.search(r"c172s\.\S+, confidence V, page 3-", call)
    assert f"Forbidden: {FORBIDDEN}" in call
    tab.page.keyboard.press("v")
    assert tab.page.evaluate("document.activeElement.id") == "c-2-1"
    assert tab.page.input_value("#panel-at") == "1"


def test_violations_are_listed_by_constraint_with_what_it_forbids_and_why(tab: Tab) -> None:
    tab.go(UNSAFE)
    (listed,) = tab.texts(".hits > li")
    assert "keep_power Electrical power stays on during the glide" in listed
    assert f"Forbidden: {FORBIDDEN} Call 2.1 master_bat" in listed


def test_a_goal_is_told_in_words_where_it_is_missed(tab: Tab) -> None:
    tab.go(UNSAFE)
    missed = tab.texts(".goals > .missed > details > summary")
    assert "\N{BALLOT X} missed both_tanks FUEL SELECTOR to BOTH." in missed


def test_a_goal_is_told_in_words_where_it_turns_true_and_where_it_is_lost(
    browser: Any, write_run: WriteRun, tmp_path: Path
) -> None:
    path = tmp_path / "lost.html"
    path.write_text(page_of(gather([write_run("Alpha", ["lost"], ["silent"])], "t")), encoding="utf-8")
    tab = Tab(browser, path)
    tab.go("#/Alpha/c172s/engine_restart/stopped_prop_left_tank/0")
    # The engine has to run for the tanks to count, so what is met at the end of the list is lost first.
    turned, lost = tab.texts(".goal.met"), tab.texts(".goal.missed")
    assert "\N{CHECK MARK} Goal both_tanks turned true FUEL SELECTOR to BOTH." in turned
    assert "\N{BALLOT X} Goal both_tanks turned false again FUEL SELECTOR to BOTH." in lost
    tab.context.close()


def test_a_solved_episode_shows_readings_changes_and_goals(tab: Tab) -> None:
    tab.go("#/Alpha/c172s/engine_restart/stopped_prop_left_tank/0")
    text = " ".join(tab.page.inner_text("#episode").split())
    assert "\N{CHECK MARK} success" in text
    assert "No call broke a hard safety constraint." in text
    assert "null" not in text
    assert "target_airspeed 62 \N{RIGHTWARDS ARROW} 68" in text
    assert re.search(r"Goal \S+ turned true", text)
    assert re.search(r"read fuel_selector LEFT", text)


def test_the_panel_can_be_seen_as_it_stood_at_any_call(tab: Tab) -> None:
    tab.go(UNSAFE)
    tab.page.select_option("#panel-at", "-1")
    assert not tab.page.locator(".panel .moved").count()
    tab.page.select_option("#panel-at", "1")
    assert any(row.startswith("master_bat") and "ON OFF" in row for row in tab.texts(".panel .moved"))
    few = tab.page.locator(".panel tbody tr").count()
    tab.page.check("#panel-all")
    assert tab.page.locator(".panel tbody tr").count() > few


def test_a_cell_of_the_map_opens_its_episode(tab: Tab) -> None:
    tab.page.locator("#tasks td a").nth(2).click()
    tab.page.wait_for_selector("#episode h2")
    assert tab.title() == "c172s/engine_restart windmilling_magnetos_off"
    assert "Gamma" in tab.page.inner_text("#episode .facts")


def test_a_name_of_a_run_lists_its_episodes(tab: Tab) -> None:
    tab.page.locator("#leaderboard a").first.click()
    tab.until("document.querySelector('#count').textContent === '4 of 12 episodes'")


@pytest.mark.parametrize("address", ["", UNSAFE])
@pytest.mark.parametrize("width", [375, 390, 768])
def test_the_page_never_scrolls_sideways(browser: Any, written: Path, address: str, width: int) -> None:
    tab = Tab(browser, written, width=width)
    if address:
        tab.go(address)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.context.close()


@pytest.mark.parametrize("address", ["", UNSAFE])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_text_stands_one_word_a_line(browser: Any, written: Path, address: str, width: int) -> None:
    tab = Tab(browser, written, width=width)
    if address:
        tab.go(address)
    assert tab.page.evaluate(STACKED) == []
    tab.context.close()


def test_twelve_runs_fit_a_printed_sheet(browser: Any, write_run: WriteRun, tmp_path: Path) -> None:
    folders = [write_run(f"model-of-a-maker-{i}", ["unsafe"], ["solved"]) for i in range(12)]
    path = tmp_path / "twelve.html"
    path.write_text(page_of(gather(folders, "t")), encoding="utf-8")
    tab = Tab(browser, path, width=718)  # A4 between its margins
    tab.page.emulate_media(media="print")
    over = (
        "[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length"
    )
    assert tab.page.evaluate(over) == 0
    tab.context.close()


def test_success_and_safety_fit_side_by_side_on_a_phone(browser: Any, written: Path) -> None:
    tab = Tab(browser, written, width=375)
    cell = tab.page.locator("#leaderboard tbody tr:not(.group) td").nth(3).bounding_box()
    assert cell["x"] + cell["width"] <= 375
    tab.context.close()


def test_dark_and_light_differ(browser: Any, written: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        tab = Tab(browser, written, scheme=scheme)
        colours.append(tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        tab.context.close()
    assert colours == ["rgb(255, 255, 255)", "rgb(16, 22, 28)"]


def test_hostile_names_and_texts_stay_text(
    browser: Any, write_run: WriteRun, say: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "evil.html"
    folder = write_run(EVIL, ["unsafe"], ["silent"], change=say(EVIL))
    path.write_text(page_of(gather([folder], EVIL)), encoding="utf-8")
    tab = Tab(browser, path)
    tab.page.locator("#list a").first.click()
    tab.page.wait_for_selector("#episode h2")
    assert EVIL in tab.texts(".speech")
    assert tab.page.locator("img").count() == 0
    assert (tab.complaints, tab.requests) == ([], [tab.uri])
    tab.context.close()


def test_an_episode_that_does_not_replay_says_so(browser: Any, write_run: WriteRun, tmp_path: Path) -> None:
    def older(record: dict[str, Any]) -> None:
        record["hash"], record["tree"]["task"] = "0" * 64, "0" * 64

    path = tmp_path / "old.html"
    path.write_text(
        page_of(gather([write_run("old", ["unsafe"], ["silent"], change=older)], "t")), encoding="utf-8"
    )
    tab = Tab(browser, path)
    tab.go("#/old/c172s/engine_restart/stopped_prop_left_tank/0")
    assert "recorded with another version of its task" in tab.page.inner_text("#episode")
    assert "Violates keep_power" in tab.page.inner_text(".call.hot")
    assert tab.complaints == []
    tab.context.close()


def test_an_episode_says_how_its_run_was_flown_and_counts_one_in_the_singular(
    browser: Any, write_run: WriteRun, tmp_path: Path
) -> None:
    folders = [
        write_run("good", ["silent"], settings={"harness": "full", "protocol": "text"}),
        write_run("good", ["idle"], ["idle"]),
    ]
    path = tmp_path / "two.html"
    path.write_text(page_of(gather(folders, "t")), encoding="utf-8")
    tab = Tab(browser, path)
    tab.page.select_option(
        "#by-run", label="good (run-0) \N{MIDDLE DOT} harness full \N{MIDDLE DOT} text protocol"
    )
    tab.page.locator("#list a").first.click()
    tab.page.wait_for_selector("#episode h2")
    (facts,) = tab.texts("#episode .facts")
    assert "good (run-0) harness full \N{MIDDLE DOT} text protocol 1 of 2 tasks" in facts
    assert "1 turn, 1 call " in facts
    tab.context.close()


def test_one_episode_is_counted_in_the_singular(browser: Any, write_run: WriteRun, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    path.write_text(page_of(gather([write_run("a", ["silent"])], "t")), encoding="utf-8")
    tab = Tab(browser, path)
    assert tab.page.inner_text("#count") == "1 of 1 episode"
    tab.context.close()


def test_an_episode_of_an_unknown_task_is_told_of_specs(
    browser: Any, write_run: WriteRun, tmp_path: Path
) -> None:
    def foreign(record: dict[str, Any]) -> None:
        record["task"] = "balloon/relight/first"

    folder = write_run("own", ["unsafe"], change=foreign)
    run_json = folder / "run.json"
    known = "c172s/engine_restart/stopped_prop_left_tank"
    run_json.write_text(run_json.read_text(encoding="utf-8").replace(known, "balloon/relight/first"))
    path = tmp_path / "own.html"
    path.write_text(page_of(gather([folder], "t")), encoding="utf-8")
    tab = Tab(browser, path)
    tab.go("#/own/balloon/relight/first/0")
    text = tab.page.inner_text("#episode")
    assert "not known when this page was made (acoe report --specs FOLDER" in text
    assert "another version" not in text
    assert tab.complaints == []
    tab.context.close()


@pytest.mark.slow
def test_twelve_runs_of_all_tasks_open_within_two_seconds(browser: Any, tmp_path: Path) -> None:
    folders = [tmp_path / f"run-{seed}" for seed in range(12)]
    for seed, folder in enumerate(folders):
        run(Plan("random" if seed % 2 else "generic", library.task_ids(), trials=3, seed=seed), folder)
    path = tmp_path / "report.html"
    path.write_text(page_of(gather(folders, "t")), encoding="utf-8")
    assert path.stat().st_size < 10_000_000
    start = time.monotonic()
    tab = Tab(browser, path)
    assert time.monotonic() - start < 2
    assert tab.page.inner_text("#count").startswith(f"{12 * 3 * len(library.task_ids())} of ")
    tab.context.close()
