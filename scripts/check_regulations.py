"""Check the regulation digest against the full texts: ``check_regulations.py REFERENCE_FOLDER``.

The folder holds JSON lines ``{section, text, ...}``: files ``14cfr*.jsonl`` for 14 CFR, ``aim*.jsonl`` for
the AIM (several editions of one section are joined, since one may keep a table that another lost). Checked
are: each listed section exists, each number of an entry occurs in its section, and no run of more than eight
words is copied.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from acoe_gym.cockpit.data import read_json, read_jsonl

LONGEST_COPY = 8
# "one" and "zero" are left out: in prose they are rarely numbers.
SPELLED = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
}  # fmt: skip
NUMBER = re.compile(r"\d+(?:\.\d+)?")
Texts = dict[tuple[str, str], str]


def load_reference(folder: Path) -> Texts:
    """Return the joined text of every section, by (document, section)."""
    texts: Texts = {}
    for pattern, doc in (("14cfr*.jsonl", "14 CFR"), ("aim*.jsonl", "AIM")):
        for path in sorted(folder.glob(pattern)):
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                key = (doc, row["section"])
                texts[key] = f"{texts.get(key, '')} {row['text']}"
    return texts


def numbers(text: str) -> set[float]:
    """Return the numbers of a text, spelled-out ones up to fifty included."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", unicodedata.normalize("NFKC", text))
    found = {float(match) for match in NUMBER.findall(plain)}
    return found | {float(SPELLED[word]) for word in re.findall(r"[a-z]+", plain.lower()) if word in SPELLED}


def copied(text: str, source: str, longest: int = LONGEST_COPY) -> str | None:
    """Return the first run of more than ``longest`` words that both texts share, or None."""
    words, source_words = (re.findall(r"[a-z0-9]+", part.lower().replace(",", "")) for part in (text, source))
    haystack = f" {' '.join(source_words)} "
    for start in range(len(words) - longest):
        run = " ".join(words[start : start + longest + 1])
        if f" {run} " in haystack:
            return run
    return None


def problems(texts: Texts) -> Iterator[str]:
    """Yield one line for each fault of the section list and of the digest."""
    for row in read_json("regulations/sections.json")["sections"]:
        if (row["doc"], row["section"]) not in texts:
            yield f"{row['doc']} {row['section']}: no such section in the reference folder"
    for entry in read_jsonl("regulations/digest.jsonl"):
        name, source = f"{entry['doc']} {entry['section']}", texts.get((entry["doc"], entry["section"]), "")
        unknown = sorted(numbers(f"{entry['heading']} {entry['text']}") - numbers(source))
        if unknown:
            yield f"{name}: not in the section: {', '.join(f'{number:g}' for number in unknown)}"
        if run := copied(entry["text"], source):
            yield f"{name}: copied: {run}"


def main(arguments: list[str] | None = None) -> int:
    """Print the problems; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reference", type=Path, metavar="REFERENCE_FOLDER")
    found = list(problems(load_reference(parser.parse_args(arguments).reference)))
    print("\n".join(found) if found else "every number found, nothing copied")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
