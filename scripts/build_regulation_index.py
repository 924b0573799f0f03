"""Build the search index of the regulation digest with the bm25s library (``pip install bm25s``).

``build_regulation_index.py`` writes ``acoe_gym/task_specs/regulations/index.json``; with ``--check`` it
writes nothing and returns 1 if that file is not what the digest gives.
"""

from __future__ import annotations

import argparse
import json
import sys

import bm25s

from acoe_gym.cockpit.data import CANARY, specs_root
from acoe_gym.cockpit.information.regulations import K1, SCORE_UNIT, B, digest, quantised, terms_of


def bm25s_scores(documents: list[list[str]]) -> dict[str, dict[int, float]]:
    """Return the score of every term in every document, in the order of the terms, computed by bm25s."""
    retriever = bm25s.BM25(k1=K1, b=B, method="lucene", dtype="float64")
    retriever.index(documents, show_progress=False)
    scores: dict[str, dict[int, float]] = {}
    for term in sorted({term for document in documents for term in document}):
        column = retriever.get_scores([term])
        scores[term] = {position: float(score) for position, score in enumerate(column) if score > 0}
    return scores


def index_text() -> str:
    """Return the index file: one line a term, scores in ten-thousandths."""
    provisions = digest()
    terms = quantised(bm25s_scores([terms_of(provision) for provision in provisions]))
    head = {
        "canary": CANARY,
        "version": 1,
        "k1": K1,
        "b": B,
        "score_unit": SCORE_UNIT,
        "entries": [f"{provision.doc} {provision.section}" for provision in provisions],
    }
    lines = [f"  {json.dumps(term)}: {json.dumps(sorted(row.items()))}" for term, row in terms.items()]
    return json.dumps(head)[:-1] + ', "terms": {\n' + ",\n".join(lines) + "\n}}\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the index; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    path = specs_root() / "regulations" / "index.json"
    if parser.parse_args(arguments).check:
        fresh = path.exists() and path.read_text(encoding="utf-8") == index_text()
        print("index is fresh" if fresh else f"{path.name} is stale: run this script without --check")
        return 0 if fresh else 1
    path.write_text(index_text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
