"""The regulation digest, its search and its upkeep scripts."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit.data import read_json
from acoe_gym.cockpit.information import regulations
from acoe_gym.cockpit.information.regulations import (
    NO_TEXT,
    TEXT_BUDGET,
    RegulationCorpus,
    bm25_scores,
    digest,
    lookup_regulation,
    packaged_corpus,
    terms_of,
    tokenize,
)
from acoe_gym.errors import CallRejected, SpecError

ROOT = Path(__file__).parents[3]
QUERIES = json.loads(Path(__file__).with_name("regulation_queries.json").read_text("utf-8"))["queries"]
TERMS = sorted(read_json("regulations/index.json")["terms"])
AIRCRAFT = re.compile(r"cessna|skyhawk|\b172|piper|seminole|pa-?44", re.IGNORECASE)
CONTROLS = re.compile(
    r"mixture|fuel shutoff|magneto|master switch|feather|cowl flap|throttle|carburetor heat|fuel pump",
    re.IGNORECASE,
)


def found(query: str) -> list[str]:
    """Return the citations of a reply."""
    return [f"{row['doc']} {row['section']}" for row in rows(query)]


def rows(query: str) -> list[dict[str, str]]:
    """Return the results of a reply."""
    results: Any = lookup_regulation(query)["results"]
    return list(results)


def script(name: str) -> ModuleType:
    """Import a file of the scripts folder."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corpus(folder: Path, *lines: str) -> RegulationCorpus:
    """Return the corpus of one file with these lines."""
    path = folder / "texts.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return RegulationCorpus.from_jsonl([path])


def provision_line(section: str, text: str) -> str:
    return json.dumps({"doc": "14 CFR", "section": section, "heading": "", "text": text})


def test_the_right_section_is_among_the_hits_for_nine_pilot_questions_in_ten() -> None:
    missed = [case["query"] for case in QUERIES if not set(case["sections"]) & set(found(case["query"]))]
    assert len(QUERIES) >= 40
    assert len(missed) <= len(QUERIES) // 10, missed


@pytest.mark.parametrize(
    ("query", "citation"),
    [
        ("91.151", "14 CFR 91.151"),
        ("14 CFR 91.151", "14 CFR 91.151"),
        ("14 C.F.R. \u00a7 91.151", "14 CFR 91.151"),
        ("\u00a791.151", "14 CFR 91.151"),
        ("FAR 91.151(a)", "14 CFR 91.151"),
        ("far/aim 91.155(a)(1)", "14 CFR 91.155"),
        ("FAR Part 91.3?", "14 CFR 91.3"),
        ("61.57c", "14 CFR 61.57"),
        ("AIM 6-4-1", "AIM 6-4-1"),
        ("AIM 6\u20134\u20131", "AIM 6-4-1"),
        ("aim 4-3-2", "AIM 4-3-2"),
        ("AIM, para 5-3-8 j", "AIM 5-3-8"),
        ("14 CFR Part 43 Appendix A", "14 CFR Part 43 Appendix A"),
        ("43 app. a", "14 CFR Part 43 Appendix A"),
    ],
)
def test_a_citation_answers_with_its_section_alone(query: str, citation: str) -> None:
    assert found(query) == [citation]


def test_a_citation_without_text_says_so() -> None:
    assert [(row["section"], row["text"]) for row in rows("91.23")] == [("91.23", NO_TEXT)]


@pytest.mark.parametrize("query", ["14 CFR 91.999", "the", "\u98db\u884c\u6a5f", "?!"])
def test_nothing_found_is_answered_with_a_hint(query: str) -> None:
    reply = lookup_regulation(query)
    assert reply["results"] == []
    assert "plain words" in str(reply["hint"])


def test_a_frequency_is_searched_and_not_taken_for_a_citation() -> None:
    assert "AIM 6-2-4" in found("121.5")


@pytest.mark.parametrize("query", ["", "  \t\n"])
def test_a_blank_query_is_rejected(query: str) -> None:
    with pytest.raises(CallRejected, match="expects words or a citation") as rejection:
        lookup_regulation(query)
    assert rejection.value.code == "bad_argument"


@given(st.text(min_size=1).filter(lambda text: bool(text.strip())))
def test_every_query_gets_a_short_strict_json_reply(query: str) -> None:
    reply = lookup_regulation(query)
    assert len(str(reply["query"])) <= 200
    assert str(reply["query"]).isascii()
    assert len(rows(query)) <= 3
    assert json.loads(json.dumps(reply, allow_nan=False)) == reply


@given(st.lists(st.sampled_from(TERMS), min_size=1, max_size=6))
def test_texts_of_one_reply_fit_the_budget_and_are_ascii(words: list[str]) -> None:
    texts = [row["text"] for row in rows(" ".join(words))]
    assert sum(map(len, texts)) <= TEXT_BUDGET
    assert all(text and text.isascii() for text in texts)


def test_long_texts_are_clipped_between_words_and_all_hits_kept(tmp_path: Path) -> None:
    lines = [provision_line(f"1.{number}", "fuel reserve " * 200) for number in range(3)]
    results: Any = corpus(tmp_path, *lines).lookup("fuel")["results"]
    assert [len(row["text"]) > 480 for row in results] == [True] * 3
    assert all(row["text"].endswith((" fuel ...", " reserve ...")) for row in results)
    assert sum(len(row["text"]) for row in results) <= TEXT_BUDGET


def test_short_texts_leave_their_room_to_a_long_one(tmp_path: Path) -> None:
    texts = ["fuel", "fuel reserve", "fuel. " * 400]
    lines = map(provision_line, ("1.1", "1.2", "1.3"), texts)
    results: Any = corpus(tmp_path, *lines).lookup("fuel")["results"]
    assert sorted(len(row["text"]) for row in results)[2] > 1400


def test_a_query_of_many_blanks_is_answered_at_once() -> None:
    assert found(f"91.151{' ' * 20_000}(a)") == ["14 CFR 91.151"]


def test_equal_scores_come_in_the_order_of_citation(tmp_path: Path) -> None:
    lines = [provision_line(section, "same words") for section in ("91.103", "91.13", "61.113", "91.3")]
    assert [p.section for p in corpus(tmp_path, *lines).search("words")] == ["61.113", "91.3", "91.13"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "texts.jsonl:1: expected a JSON object, got a syntax error"),
        ("[]", "texts.jsonl:1: expected a JSON object, got list"),
        ('{"doc": "14 CFR", "section": 91, "heading": "x"}', "wrong: section, text"),
    ],
)
def test_a_wrong_line_of_full_texts_names_file_and_fault(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        corpus(tmp_path, line)


def test_an_index_of_other_entries_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regulations, "digest", lambda: digest()[1:])
    with pytest.raises(SpecError, match="rebuild the index"):
        packaged_corpus.__wrapped__()


def test_terms_keep_section_numbers_and_join_thousands() -> None:
    expected = ["91.155", "10000", "feet", "two", "way", "battery", "approach"]
    assert tokenize("The 91.155 for 10,000 feet: two-way batteries, approaches") == expected


def test_the_lists_are_long_enough_and_without_duplicates() -> None:
    listed = [(row["doc"], row["section"]) for row in read_json("regulations/sections.json")["sections"]]
    assert len(listed) == len(set(listed)) >= 350
    assert len(digest()) == len({p.section for p in digest()}) >= 120


def test_every_entry_agrees_with_the_section_list() -> None:
    listed = {(row["doc"], row["section"]): row for row in read_json("regulations/sections.json")["sections"]}
    for entry in digest():
        row = listed[entry.doc, entry.section]
        assert (row["heading"], row["edition"]) == (entry.heading, entry.edition)


def test_entries_are_ascii_and_name_no_aircraft_and_no_cockpit_control() -> None:
    for entry in digest():
        words = f"{entry.heading} {entry.text}"
        assert words.isascii(), entry.section
        assert not AIRCRAFT.search(words), entry.section
        assert not CONTROLS.search(words), entry.section


@pytest.mark.parametrize(
    "procedure",
    [
        "engine fire in flight checklist",
        "electrical fire",
        "engine restart",
        "propeller overspeed",
        "forced landing",
        "standby battery",
        "feather",
        "gear extension emergency",
    ],
)
def test_a_search_for_a_procedure_returns_no_checklist_step(procedure: str) -> None:
    assert not CONTROLS.search(" ".join(row["text"] for row in rows(procedure)))


def test_scores_equal_those_of_bm25s() -> None:
    pytest.importorskip("bm25s")
    documents = [terms_of(entry) for entry in digest()]
    ours, theirs = bm25_scores(documents), script("build_regulation_index").bm25s_scores(documents)
    assert list(ours) == list(theirs)
    for term, row in ours.items():
        assert row == pytest.approx(theirs[term], abs=1e-6)


def test_the_shipped_index_is_fresh() -> None:
    pytest.importorskip("bm25s")
    assert script("build_regulation_index").main(["--check"]) == 0


def test_the_check_finds_a_wrong_number_and_a_copied_run() -> None:
    check = script("check_regulations")
    assert check.numbers("forty hours, 12,500 ft and 0.04") == {40.0, 12500.0, 0.04}
    assert check.copied("we say a b c d e f g h i here", "A, b c d e f g h i.") == "a b c d e f g h i"
    assert check.copied("we say a b c d e f g h here", "A, b c d e f g h i.") is None
