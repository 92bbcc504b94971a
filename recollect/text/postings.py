"""Reading the postings: which frames say a term, how many, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from recollect.store.engine import Rows
from recollect.store.visible import among
from recollect.text.layout import BLOCK_BITS, RECORD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
    Scores = NDArray[np.float64]
else:
    Ids = Scores = Any

_RECORD: Final = [("offset", "<u2"), ("times", "u1")]
_AT_ONCE: Final = 16
"""The terms of a longer question are counted before any is read."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The frames that say each of some terms, and how often; one term behind the other."""

    ids: Ids
    """Of each term ascending."""
    times: Scores
    sizes: dict[str, int]
    """Of each term, in their order."""


class Terms:
    """The terms of one question, each read once where that is likely to be wanted.

    Most terms that are counted are read then, so both is done at once. Not for those that earlier questions
    found too common to be looked at: `common` is kept by the caller, who adds to it.
    """

    def __init__(self, rows: Rows, common: Iterable[str] = ()) -> None:
        self._rows = rows
        self._common = common
        self._read: dict[str, _Blocks] = {}

    def frames(self, terms: Sequence[str]) -> dict[str, int]:
        """How many frames say each of the terms; those that nobody says are left out."""
        read = [term for term in terms if term not in self._common] if len(terms) <= _AT_ONCE else []
        counted = [term for term in terms if term not in read]
        self._look(read)
        found = {term: self._read[term].size for term in read}
        if counted:
            clause = among("term", counted)
            sql = f"SELECT term, sum(length(data)) FROM text_posting WHERE {clause.sql} GROUP BY term"
            sizes = self._rows.all(sql, clause.values)
            found.update((str(term), int(size) // RECORD.size) for term, size in sizes)
        return {term: frames for term, frames in found.items() if frames}

    def postings(self, terms: Iterable[str]) -> Postings:
        import numpy as np

        wanted = sorted(terms)
        self._look([term for term in wanted if term not in self._read])
        found = {term: self._read[term] for term in wanted if self._read[term].size}
        raw = np.frombuffer(
            b"".join([data for blocks in found.values() for data in blocks.data]), dtype=_RECORD
        )
        places = np.array([place for blocks in found.values() for place in blocks.places], dtype=np.int64)
        sizes = np.array([len(data) for blocks in found.values() for data in blocks.data], dtype=np.int64)
        ids = np.repeat(places << BLOCK_BITS, sizes // RECORD.size)
        ids += raw["offset"]
        times = raw["times"].astype(np.float64)
        return Postings(ids, times, {term: blocks.size for term, blocks in found.items()})

    def _look(self, terms: Sequence[str]) -> None:
        if not terms:
            return
        self._read.update((term, _NOTHING) for term in terms)
        clause = among("term", terms)
        sql = f"SELECT term, block, data FROM text_posting WHERE {clause.sql} ORDER BY term, block"
        found = self._rows.all(sql, clause.values)
        first = 0
        for term, count in Counter([row[0] for row in found]).items():
            blocks = found[first : first + count]
            self._read[term] = _Blocks([row[1] for row in blocks], [row[2] for row in blocks])
            first += count


class _Blocks:
    """A term's blocks, and what is in each."""

    __slots__ = ("data", "places", "size")

    def __init__(self, places: Sequence[int], data: Sequence[bytes]) -> None:
        self.places = places
        self.data = data
        self.size = sum(map(len, data)) // RECORD.size


_NOTHING: Final = _Blocks((), ())


def frames_of(rows: Rows, term: str) -> Ids:
    """The frames that say a term, ascending."""
    return Terms(rows).postings([term]).ids
