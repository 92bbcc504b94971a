"""SQLite's FTS5 as it comes: porter over unicode61, any of the question's words, its own bm25."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from bench.peers.exchange import Vectors, run

_WORD = re.compile(r"\w+")


class Fts5:
    def __init__(self, folder: Path) -> None:
        self._rows = sqlite3.connect(folder / "rows.db")
        self._rows.execute(
            "CREATE VIRTUAL TABLE said USING fts5(id UNINDEXED, text, tokenize='porter unicode61')"
        )

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Vectors) -> None:
        with self._rows:
            self._rows.executemany("INSERT INTO said VALUES (?, ?)", zip(ids, texts, strict=True))

    def search(self, text: str, vector: Vectors, limit: int) -> Sequence[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(text.lower())))
        rows = self._rows.execute(
            "SELECT id FROM said WHERE said MATCH ? ORDER BY bm25(said), rowid LIMIT ?", (words, limit)
        )
        return [row[0] for row in rows] if words else []


if __name__ == "__main__":
    run(Fts5, packages=[])
