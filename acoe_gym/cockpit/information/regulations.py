"""The tool ``lookup_regulation``: BM25 search over a digest of 14 CFR and the AIM.

The package ships provisions in its own words (``task_specs/regulations/digest.jsonl``), the list of
provisions that count as known (``sections.json``) and the term scores of the digest (``index.json``, computed
by the bm25s library). A citation is answered by its section, any other query by the three entries with the
highest score. Scores are whole ten-thousandths: sums are exact and ties are the same on every machine.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from acoe_gym.cockpit.data import read_json, read_jsonl
from acoe_gym.errors import CallRejected, SpecError

K1, B = 1.2, 0.75
HEADING_WEIGHT = 3
SCORE_UNIT = 1e-4
HITS = 3
TEXT_BUDGET = 1500
"""Characters of text in one reply, all hits together."""
QUERY_ECHO = 200
"""Characters of the query that a reply repeats."""

NO_TEXT = "This provision is known, but the digest has no text for it."
HINT = (
    "Nothing found. Name the subject in plain words, such as 'VFR fuel reserve at night', "
    "or cite a section, such as '91.151' or 'AIM 6-4-1'."
)

_STOP_WORD_LIST = (
    "a about am an and are as at be been by can could did do does for from had has have he how i if in into "
    "is it its may me must my no not of on or shall should so that the their them there they this to was we "
    "were what when which who will with would you your"
)
STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
WORD = re.compile(r"[a-z0-9]+(?:[.-]\d+)*")
CITATION = re.compile(
    r"(?:title\s+)?(?:14\s*c\.?f\.?r\.?|f\.?a\.?r\.?(?:/aim)?|c\.?f\.?r\.?|aim)?[\s,]*"
    r"(?:parts?|sections?|sec\.?|paragraphs?|para\.?|\u00a7+)?\s*"
    r"(?:(?P<section>\d+\.\d+|\d+-\d+-\d+)|(?P<part>\d+),?\s+app(?:endix|\.)?\s+(?P<letter>[a-z]))"
    r"\s*(?:\(\w+\)\s*)*(?:[.,]?\s*[a-z]\d*)?[\s.?!]*",
    re.IGNORECASE,
)

Postings = Mapping[str, Mapping[int, int]]
"""Term to entry position to score in ten-thousandths."""


class Provision(NamedTuple):
    """One provision of 14 CFR or the AIM."""

    doc: str
    """``14 CFR`` or ``AIM``."""
    section: str
    """As cited: ``91.151``, ``6-4-1``, ``Part 43 Appendix A``."""
    edition: str
    """Date of the edition that the text states."""
    heading: str
    text: str

    def order(self) -> tuple[str, list[int], str]:
        """Sort key: document, then the section's numbers, then its letters."""
        return self.doc, [int(number) for number in re.findall(r"\d+", self.section)], self.section


class RegulationCorpus:
    """Provisions with the index that searches them.

    Args:
        provisions: what can be found, in the order that the postings count them.
        postings: term scores, as ``quantised`` or the shipped index gives them.
        known: provisions that may be cited although there is no text for them.
    """

    def __init__(
        self, provisions: list[Provision], postings: Postings, known: Iterable[Provision] = ()
    ) -> None:
        self.provisions = provisions
        self._postings = postings
        self._by_section = {p.section.casefold(): p for p in (*known, *provisions)}

    @classmethod
    def from_jsonl(cls, paths: Iterable[Path]) -> RegulationCorpus:
        """Read full texts: JSON lines ``{doc, section, heading, text}``, with an optional ``edition``.

        Raises:
            SpecError: a line is not such an object; the message names file and line.
        """
        provisions = [p for path in paths for p in _read_provisions(path)]
        scores = bm25_scores([terms_of(p) for p in provisions])
        return cls(provisions, quantised(scores))

    def lookup(self, query: str) -> dict[str, object]:
        """Answer one query; see ``lookup_regulation``."""
        if not query.strip():
            raise CallRejected(
                "bad_argument", "query expects words or a citation such as 91.151; actual: blank"
            )
        section = cited_section(query)
        provision = self._by_section.get(section)
        found = [provision] if provision else self.search(section or query)
        reply: dict[str, object] = {"query": ascii_echo(query), "results": clipped(found)}
        return reply if found else {**reply, "hint": HINT}

    def search(self, query: str) -> list[Provision]:
        """Return at most three provisions, best first; equal scores in the order of citation."""
        scores: Counter[int] = Counter()
        for term in dict.fromkeys(tokenize(query)):
            scores.update(self._postings.get(term, {}))
        ranked = sorted(scores, key=lambda position: (-scores[position], self.provisions[position].order()))
        return [self.provisions[position] for position in ranked[:HITS]]


def lookup_regulation(query: str) -> dict[str, object]:
    """Search 14 CFR and the AIM.

    Args:
        query: plain words, or a citation ("91.151", "14 CFR 91.151(a)", "AIM 6-4-1").

    Returns:
        ``query`` (at most 200 characters, ASCII) and ``results``: one provision for a citation, else at most
        three, best first, each ``{doc, section, edition, heading, text}``. The texts have at most 1,500
        characters together. Without a result there is a ``hint``.

    Raises:
        CallRejected: the query is blank.
    """
    return packaged_corpus().lookup(query)


@cache
def packaged_corpus() -> RegulationCorpus:
    """Return the digest and its shipped index.

    Raises:
        SpecError: the index was built from other entries than the digest holds.
    """
    index = read_json("regulations/index.json")
    provisions = digest()
    if index["entries"] != [f"{p.doc} {p.section}" for p in provisions]:
        raise SpecError("regulations/index.json: expected the entries of digest.jsonl; rebuild the index")
    postings = {term: dict(pairs) for term, pairs in index["terms"].items()}
    known = [Provision(**row, text=NO_TEXT) for row in read_json("regulations/sections.json")["sections"]]
    return RegulationCorpus(provisions, postings, known)


def digest() -> list[Provision]:
    """Return the entries of the digest, in file order."""
    return [Provision(**row) for row in read_jsonl("regulations/digest.jsonl")]


def cited_section(query: str) -> str:
    """Return the section that a query cites and does nothing else, in lower case; "" for any other query."""
    match = CITATION.fullmatch(_plain(query))
    if match is None:
        return ""
    return match["section"] or f"part {match['part']} appendix {match['letter']}".casefold()


def tokenize(text: str) -> list[str]:
    """Return the index terms of a text: lower case, stop words dropped, plural endings cut.

    Section numbers and decimals stay whole ("91.155", "5-3-8", "121.5"), and 10,000 is 10000.
    """
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", _plain(text).casefold())
    return [_stem(word) for word in WORD.findall(plain) if word not in STOP_WORDS]


def terms_of(provision: Provision) -> list[str]:
    """Return the terms of a provision; those of its section number and heading count three times."""
    return tokenize(f"{provision.section} {provision.heading}") * HEADING_WEIGHT + tokenize(provision.text)


def bm25_scores(documents: list[list[str]]) -> dict[str, dict[int, float]]:
    """Return the BM25 score of every term in every document (the Lucene form, as bm25s computes it)."""
    mean_length = sum(map(len, documents)) / max(len(documents), 1)
    counts = [Counter(document) for document in documents]
    spread = Counter(term for count in counts for term in count)
    scores: dict[str, dict[int, float]] = {term: {} for term in sorted(spread)}
    for position, count in enumerate(counts):
        damping = K1 * (1 - B + B * len(documents[position]) / mean_length) if mean_length else K1
        for term, frequency in count.items():
            rarity = math.log(1 + (len(documents) - spread[term] + 0.5) / (spread[term] + 0.5))
            scores[term][position] = rarity * frequency / (frequency + damping)
    return scores


def quantised(scores: Mapping[str, Mapping[int, float]]) -> dict[str, dict[int, int]]:
    """Round scores to whole ten-thousandths."""
    return {
        term: {at: round(score / SCORE_UNIT) for at, score in row.items()} for term, row in scores.items()
    }


def clipped(provisions: list[Provision]) -> list[dict[str, str]]:
    """Return the provisions as reply rows; short texts stay whole and leave their room to longer ones."""
    left, allowance = TEXT_BUDGET, {}
    by_length = sorted(range(len(provisions)), key=lambda at: len(provisions[at].text))
    for done, at in enumerate(by_length):
        allowance[at] = min(len(provisions[at].text), left // (len(provisions) - done))
        left -= allowance[at]
    return [{**p._asdict(), "text": _clip(p.text, allowance[at])} for at, p in enumerate(provisions)]


def ascii_echo(query: str) -> str:
    """Return the start of a query with everything outside ASCII as a question mark."""
    return query[:QUERY_ECHO].encode("ascii", "replace").decode("ascii")


def _clip(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    room = text[: length - 3]
    sentence_end = max(room.rfind(". "), room.rfind("; "))
    # A sentence is kept whole only if that does not throw away half of the room.
    end = sentence_end + 1 if sentence_end > length // 2 else room.rfind(" ")
    return f"{room[: max(end, 0)].rstrip()} ..."


def _plain(text: str) -> str:
    """Return the text with typographic dashes and digits in their ASCII form and single blanks."""
    return " ".join(re.sub(r"[\u2010-\u2015\u2212]", "-", unicodedata.normalize("NFKC", text)).split())


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


def _read_provisions(path: Path) -> Iterator[Provision]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        place = f"{path}:{number}"
        row = _read_object(line, place) if line.strip() else {}
        if set(row) - {"canary"}:
            yield _provision(row, place)


def _read_object(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise SpecError(f"{place}: expected a JSON object, got a syntax error: {error}") from None
    if not isinstance(row, dict):
        raise SpecError(f"{place}: expected a JSON object, got {type(row).__name__}")
    return row


def _provision(row: Mapping[str, Any], place: str) -> Provision:
    texts = {field: row.get(field, "" if field == "edition" else None) for field in Provision._fields}
    wrong = sorted(field for field, value in texts.items() if not isinstance(value, str))
    if wrong:
        raise SpecError(f"{place}: expected strings doc, section, heading, text; wrong: {', '.join(wrong)}")
    return Provision(**texts)
