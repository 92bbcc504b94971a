"""All terms of the index in memory, for the questions that no term answers as it stands."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import islice
from typing import Final

from longmind.store.engine import Connection, Dialect
from longmind.store.frames import batches, checked_text, load_query
from longmind.store.transaction import Snapshot
from longmind.store.visible import among
from longmind.text.index import REBUILT
from longmind.text.words import count_frame

_FRAMES: Final = 1000
_TERMS: Final = 20_000
"""So many new frames, and terms of new frames beside the others, are taken before all are read again."""


class Vocabulary:
    """Kept current by `at`; a term that no frame says any more may stay, and is found to be said by none."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._lock = threading.Lock()
        self._revision = -1
        self._frame = 0
        self._lines = "\n"
        """The terms in order, each between line ends: one look through it is one call."""
        self._newer: set[str] = set()
        """Terms of frames that came later; some of them may be among the others too."""

    def at(self, snapshot: Snapshot) -> Vocabulary:
        with self._lock:
            if snapshot.revision > self._revision:
                self._refresh(snapshot.db)
                self._revision = snapshot.revision
        return self

    def containing(self, piece: str, limit: int) -> list[str]:
        """The first terms that have this piece in them."""
        with self._lock:
            newer = [term for term in self._newer if piece in term]
            found = list(islice(self._matches(piece), limit))
        return sorted({*found, *newer})[:limit]

    def ending(self, pieces: list[str]) -> list[str]:
        """All terms that end so."""
        with self._lock:
            found = {term for piece in pieces for term in self._matches(f"{piece}\n")}
            found.update(term for term in self._newer if term.endswith(tuple(pieces)))
        return sorted(found)

    def _matches(self, piece: str) -> Iterator[str]:
        place = self._lines.find(piece)
        while place >= 0:
            start = self._lines.rfind("\n", 0, place) + 1
            end = self._lines.index("\n", place)
            yield self._lines[start:end]
            place = self._lines.find(piece, end)

    def _refresh(self, db: Connection) -> None:
        rebuilt = db.one("SELECT value FROM store_setting WHERE name = ?", (REBUILT,))
        remade = rebuilt is not None and int(rebuilt[0]) > self._revision
        added = db.all(
            f"SELECT frame_id FROM text_doc WHERE frame_id > ? ORDER BY frame_id LIMIT {_FRAMES + 1}",
            (self._frame,),
        )
        if self._revision < 0 or remade or len(added) > _FRAMES or len(self._newer) > _TERMS:
            self._reload(db)
        elif added:
            self._add(db, [int(frame_id) for (frame_id,) in added])

    def _reload(self, db: Connection) -> None:
        found = sorted(str(term) for (term,) in db.all("SELECT DISTINCT term FROM text_posting"))
        self._lines = "\n".join(("", *found, ""))
        self._newer.clear()
        last = db.one("SELECT max(frame_id) FROM text_doc")
        self._frame = int(last[0]) if last and last[0] is not None else 0

    def _add(self, db: Connection, ids: list[int]) -> None:
        for batch in batches(ids):
            clause = among("f.frame_id", batch)
            for row in db.all(load_query(self._dialect, clause.sql), clause.values):
                frame, text = checked_text(row)
                self._newer.update(count_frame(text, frame.title, frame.speaker)[0])
        self._frame = ids[-1]
