"""The terms of a small segment in memory, made from its own texts, which takes 50 microseconds for each.

In a store of a million frames, the postings of a common word are megabytes, of which a user with a hundred
notes has a few bytes. Counting the words of those notes once costs less than reading that for each question.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from longmind.base.arrays import Int64Array, UInt8Array, np
from longmind.base.columns import is_shown
from longmind.base.posting_records import MOST
from longmind.store.catalog import Corpus
from longmind.store.engine import Connection, Dialect
from longmind.store.frames import checked_text, load_rows
from longmind.store.segments import Segment
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot
from longmind.store.visible import among
from longmind.text.postings import Postings
from longmind.text.words import count_frame

_TERM_BYTES: Final = 40
"""Of a term in a list: its place, and its share of a string that other segments say too."""


class _Postings(NamedTuple):
    """The terms in order, and behind each other the frames that say each, ascending, and how often."""

    terms: list[str]
    starts: Int64Array
    """Where the frames of each term begin, and behind the last where they end."""
    ids: Int64Array
    times: UInt8Array


class SegmentTerms:
    """The mirror of one segment's postings."""

    def __init__(self, dialect: Dialect, segment: Segment) -> None:
        self._dialect = dialect
        self._segment = segment
        self._last = 0
        nothing = np.zeros(0, dtype=np.int64)
        self._postings = _Postings([], np.zeros(1, dtype=np.int64), nothing, nothing.astype(np.uint8))
        """Replaced as a whole: a question may be reading them."""

    @property
    def nbytes(self) -> int:
        terms, starts, ids, times = self._postings
        return _TERM_BYTES * len(terms) + starts.nbytes + ids.nbytes + times.nbytes

    @property
    def terms(self) -> list[str]:
        return self._postings.terms

    def advance(self, snapshot: Snapshot, since: int) -> None:
        terms_said: list[str] = []
        ids: list[int] = []
        times: list[int] = []
        for frame_id, counts in self._counted(snapshot.db):
            terms_said += counts
            ids += [frame_id] * len(counts)
            times += [min(count, MOST) for count in counts.values()]
        if not terms_said:
            return
        old = self._postings
        terms = sorted({*old.terms, *terms_said})
        numbers = {term: number for number, term in enumerate(terms)}
        term_numbers = np.array([numbers[term] for term in old.terms], dtype=np.int64).repeat(
            np.diff(old.starts)
        )
        by_term = np.concatenate(
            [term_numbers, np.array([numbers[term] for term in terms_said], dtype=np.int64)]
        )
        # New frames have higher ids, and a stable sort leaves them behind the old ones of their term.
        order = by_term.argsort(kind="stable")
        self._postings = _Postings(
            terms,
            by_term[order].searchsorted(np.arange(len(terms) + 1)),
            np.concatenate([old.ids, np.array(ids, dtype=np.int64)])[order],
            np.concatenate([old.times, np.array(times, dtype=np.uint8)])[order],
        )

    def of(self, term: str) -> tuple[Int64Array, UInt8Array] | None:
        terms, starts, ids, times = self._postings
        position = bisect.bisect_left(terms, term)
        if position == len(terms) or terms[position] != term:
            return None
        first, end = starts[position], starts[position + 1]
        return ids[first:end], times[first:end]

    def _counted(self, db: Connection) -> Iterator[tuple[int, dict[str, int]]]:
        """The terms of frames that came since; documents that are found by their chunks have none."""
        here = self._segment.clause()
        rows = db.all(
            "SELECT f.frame_id FROM frame f CROSS JOIN text_doc d WHERE d.frame_id = f.frame_id "
            f"AND {here.sql} AND f.frame_id > ? ORDER BY f.frame_id",
            (*here.values, self._last),
        )
        for batch in batched([int(frame_id) for (frame_id,) in rows]):
            clause = among("f.frame_id", batch)
            loaded = [checked_text(row) for row in load_rows(db, self._dialect, clause)]
            for frame, text in sorted(loaded, key=lambda pair: pair[0].frame_id):
                yield frame.frame_id, dict(count_frame(text, frame.title, frame.speaker)[0])
                self._last = frame.frame_id


class SmallTerms:
    """The terms of one question, in segments that are all in memory."""

    def __init__(self, segments: Sequence[SegmentTerms], corpus: Corpus) -> None:
        self._segments = segments
        self._corpus = corpus
        self._read: dict[str, tuple[Int64Array, UInt8Array]] = {}

    def frames(self, terms: Sequence[str]) -> dict[str, int]:
        sizes = {term: len(self._of(term)[0]) for term in terms}
        return {term: size for term, size in sizes.items() if size}

    def postings(self, terms: Iterable[str]) -> Postings:
        read = {term: self._of(term) for term in sorted(terms)}
        read = {term: pair for term, pair in read.items() if len(pair[0])}
        ids = np.concatenate([np.zeros(0, dtype=np.int64), *(ids for ids, _ in read.values())])
        times = np.concatenate([np.zeros(0, dtype=np.uint8), *(times for _, times in read.values())])
        return Postings(ids, times.astype(np.float64), {term: len(pair[0]) for term, pair in read.items()})

    def frame_ids(self, term: str) -> Int64Array:
        return self._of(term)[0]

    def extensions(self, term: str) -> Iterator[str]:
        longer: set[str] = set()
        for segment in self._segments:
            first = bisect.bisect_right(segment.terms, term)
            end = bisect.bisect_left(segment.terms, term + "\U0010ffff")
            longer.update(segment.terms[first:end])
        return iter(sorted(longer))

    def containing(self, piece: str) -> Iterable[str]:
        return sorted({term for segment in self._segments for term in segment.terms if piece in term})

    def ending(self, pieces: Sequence[str]) -> Iterable[str]:
        ends = tuple(pieces)
        return sorted({term for segment in self._segments for term in segment.terms if term.endswith(ends)})

    def _of(self, term: str) -> tuple[Int64Array, UInt8Array]:
        if term not in self._read:
            pairs = [pair for segment in self._segments if (pair := segment.of(term)) is not None]
            ids = np.concatenate([np.zeros(0, dtype=np.int64), *(ids for ids, _ in pairs)])
            times = np.concatenate([np.zeros(0, dtype=np.uint8), *(times for _, times in pairs)])
            if len(pairs) > 1:
                order = np.argsort(ids, kind="stable")
                ids, times = ids[order], times[order]
            inside = self._corpus.inside
            if inside is not None:
                shown = is_shown(inside, ids)
                ids, times = ids[shown], times[shown]
            self._read[term] = ids, times
        return self._read[term]
