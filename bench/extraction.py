"""Precision and recall of statements and conflicts on the sentences labelled by hand."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from longmind.extract.finder import find_statements
from tests.extract.labelled import rows, score_conflicts, score_statements

BARS = {"facts.jsonl": 0.97, "utterances.jsonl": 0.95}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print every disagreement")
    show = parser.parse_args().show
    failed = False
    for name, bar in BARS.items():
        for part in ("dev", "held", None):
            score = score_statements(name, part)
            print(f"{name:18}{part or 'all':6}{score.line()}")
            if show and part is None:
                print(*score.wrong, *score.missed, sep="\n")
        failed = failed or score.precision < bar
    for conflict in (True, False):
        for part in ("dev", "held", None):
            score = score_conflicts(conflict=conflict, part=part)
            name = "conflicts" if conflict else "no conflicts"
            print(f"{name:18}{part or 'all':6}{score.found} of {score.labelled} seen as such")
            if show and part is None:
                print(*score.missed, sep="\n")
        failed = failed or score.recall < 0.95
    texts = [row["text"] for name in BARS for row in rows(name)]
    start = time.perf_counter()
    for text in texts:
        find_statements(text)
    print(f"{(time.perf_counter() - start) / len(texts) * 1e6:.0f} us a text")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
