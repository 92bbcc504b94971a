"""The terms of a question's own frames: how many say each, which begin so, which have a piece in them.

The terms of a small segment in a large store are kept in memory, made from its own texts: the index would
have to be read as far as all other frames say them. For all others the index answers, and for questions that
no term answers as it stands, the list of all its terms. A piece of a word may reach into an ending, which
stems have lost: then the texts themselves are read.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final, Protocol

from longmind.base.arrays import Int64Array, np
from longmind.base.columns import Mask, is_shown
from longmind.store.catalog import Corpus
from longmind.store.engine import Connection, Dialect
from longmind.store.follower import Follower, Mirrors, settings_generation
from longmind.store.frames import checked_text, load_rows
from longmind.store.segments import EVERYTHING, SegmentMirrors
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot
from longmind.store.visible import among
from longmind.text.index import REBUILT
from longmind.text.postings import Common, Postings, Terms
from longmind.text.small import SegmentTerms, SmallTerms
from longmind.text.words import count_frame, folded

SMALL: Final = 1000
"""Segments of so many frames together have their terms in memory, in a store of more than this many ids:"""
LARGE_STORE: Final = 16_384

_FRAMES: Final = 1000
_TERMS: Final = 20_000
"""So many new frames, and terms of new frames beside the others, are taken before all are read again."""
_TERM_BYTES: Final = 100
"""Of a term in a set: the string, and its share of the table."""


class QuestionTerms(Protocol):
    """The terms of one question, as the frames of its corpus say them."""

    def frames(self, terms: Sequence[str]) -> dict[str, int]:
        """How many frames say each of the terms; those that nobody says are left out."""

    def postings(self, terms: Iterable[str]) -> Postings: ...

    def frame_ids(self, term: str) -> Int64Array: ...

    def extensions(self, term: str) -> Iterator[str]:
        """Terms that begin so, in order; some of them nobody may say."""

    def containing(self, piece: str) -> Iterable[str]:
        """Terms that have this piece in them, in order; some of them nobody may say."""

    def ending(self, pieces: Sequence[str]) -> Iterable[str]: ...


class Vocabulary:
    """The terms of a store, read when a question first needs them."""

    def __init__(self, mirrors: Mirrors, dialect: Dialect) -> None:
        generation = settings_generation(REBUILT)
        self._terms = Follower(mirrors, "vocabulary", partial(TermList, dialect), generation=generation)
        self._small = SegmentMirrors(mirrors, "terms", partial(SegmentTerms, dialect), generation=generation)

    def at(self, snapshot: Snapshot) -> TermList:
        return self._terms.at(snapshot)

    def terms(self, snapshot: Snapshot, common: Common, corpus: Corpus) -> QuestionTerms:
        """What answers about the terms of a question, for the frames of a corpus."""
        if corpus.inside is not None and _are_small(corpus, snapshot.db):
            kept = [self._small.of(part.segment).at(snapshot) for part in corpus.parts]
            return SmallTerms(kept, corpus)
        return _IndexTerms(snapshot, common, corpus, self)


def _are_small(corpus: Corpus, db: Connection) -> bool:
    frames = sum(len(part.frames) for part in corpus.parts)
    if frames > SMALL or any(part.segment == EVERYTHING for part in corpus.parts):
        return False
    # In a store of a few blocks the index is read as quickly as the segment itself.
    others = db.one("SELECT max(frame_id) FROM frame")
    return others is not None and int(others[0] or 0) > LARGE_STORE


class _IndexTerms(Terms):
    """By the index, and by the list of all its terms."""

    def __init__(self, snapshot: Snapshot, common: Common, corpus: Corpus, vocabulary: Vocabulary) -> None:
        super().__init__(snapshot, common, corpus.inside)
        self._snapshot = snapshot
        self._vocabulary = vocabulary

    def containing(self, piece: str) -> list[str]:
        return self._vocabulary.at(self._snapshot).containing(piece)

    def ending(self, pieces: Sequence[str]) -> list[str]:
        return self._vocabulary.at(self._snapshot).ending(list(pieces))


class TermList:
    """The mirror of the index's terms. One that no frame says any more may stay: it is said by none."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._lock = threading.Lock()
        self._frame = 0
        self._lines = "\n"
        """The terms in order, each between line ends: one look through it is one call."""
        self._newer: set[str] = set()
        """Terms of frames that came later; some of them may be among the others too."""

    def containing(self, piece: str) -> list[str]:
        """The terms that have this piece in them, in order: of all spaces, and some that none says now."""
        with self._lock:
            terms = {term for term in self._newer if piece in term}
            terms.update(self._matches(piece))
        return sorted(terms)

    def ending(self, pieces: Sequence[str]) -> list[str]:
        """All terms that end so."""
        with self._lock:
            terms = {term for piece in pieces for term in self._matches(f"{piece}\n")}
            terms.update(term for term in self._newer if term.endswith(tuple(pieces)))
        return sorted(terms)

    def _matches(self, piece: str) -> Iterator[str]:
        position = self._lines.find(piece)
        while position >= 0:
            start = self._lines.rfind("\n", 0, position) + 1
            end = self._lines.index("\n", position)
            yield self._lines[start:end]
            position = self._lines.find(piece, end)

    @property
    def nbytes(self) -> int:
        return sys.getsizeof(self._lines) + _TERM_BYTES * len(self._newer)

    def advance(self, snapshot: Snapshot, since: int) -> None:
        db = snapshot.db
        added = db.all(
            f"SELECT frame_id FROM text_doc WHERE frame_id > ? ORDER BY frame_id LIMIT {_FRAMES + 1}",
            (self._frame,),
        )
        if since < 0 or len(added) > _FRAMES or len(self._newer) > _TERMS:
            self._reload(db)
        elif added:
            self._add(db, [int(frame_id) for (frame_id,) in added])

    def _reload(self, db: Connection) -> None:
        terms = sorted(str(term) for (term,) in db.all("SELECT DISTINCT term FROM text_posting"))
        with self._lock:
            self._lines = "\n".join(("", *terms, ""))
            self._newer = set()
        last = db.one("SELECT max(frame_id) FROM text_doc")
        self._frame = int(last[0]) if last and last[0] is not None else 0

    def _add(self, db: Connection, ids: list[int]) -> None:
        for batch in batched(ids):
            clause = among("f.frame_id", batch)
            for row in load_rows(db, self._dialect, clause):
                frame, text = checked_text(row)
                counts, _ = count_frame(text, frame.title, frame.speaker)
                with self._lock:
                    self._newer.update(counts)
        self._frame = ids[-1]


_LEAST: Final = 3
"""So many characters of a piece must be left of the ending."""

_LONGEST_ENDING: Final = 8
_SHOWN: Final = 500
"""Of a piece, so many frames are read."""


def stems_before(vocabulary: QuestionTerms | TermList, piece: str) -> list[str]:
    """Stems that end as the piece begins, those that share most of it first."""
    if not piece.isascii() or not piece.isalpha():
        return []
    shortest = max(_LEAST, len(piece) - _LONGEST_ENDING)
    beginnings = [piece[:size] for size in range(len(piece) - 1, shortest - 1, -1)]
    if not beginnings:
        return []
    shared = {
        stem: max(len(beginning) for beginning in beginnings if stem.endswith(beginning))
        for stem in vocabulary.ending(beginnings)
        if stem.isalpha()
    }
    return sorted(shared, key=lambda stem: (-shared[stem], stem))


def frames_saying(db: Connection, dialect: Dialect, piece: str, ids: Int64Array, mask: Mask) -> Int64Array:
    """Those of the frames, as far as the mask shows them, whose text has the piece in it."""

    shown = ids[is_shown(mask, ids)][:_SHOWN]
    matching = [frame_id for frame_id, text in _texts(db, dialect, shown.tolist()) if piece in folded(text)]
    return np.array(sorted(matching), dtype=np.int64)


def _texts(db: Connection, dialect: Dialect, ids: list[int]) -> Iterator[tuple[int, str]]:
    for batch in batched(ids):
        clause = among("f.frame_id", batch)
        for row in load_rows(db, dialect, clause):
            frame, text = checked_text(row)
            yield frame.frame_id, "\n".join((frame.speaker or "", frame.title or "", text))
