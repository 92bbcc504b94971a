"""Reading the postings: which frames say a term, how many, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from longmind.store.engine import Connection, Row
from longmind.store.transaction import Snapshot
from longmind.store.typed import damaged, typed
from longmind.store.visible import among
from longmind.text.layout import BLOCK_BITS, RECORD

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


Common = dict[str, tuple[int, int]]
"""Terms that earlier questions found too common to be looked at: when, and in how many frames."""


class Terms:
    """The terms of one question, each read once where that is likely to be wanted.

    Most terms that are counted are read then, so both is done at once. Those in `common`, which the caller
    keeps, are only counted, and that once for each revision.
    """

    def __init__(self, snapshot: Snapshot, common: Common) -> None:
        self._rows = snapshot.db
        self._revision = snapshot.revision
        self._common = common
        self._read: dict[str, _Blocks] = {}

    def frames(self, terms: Sequence[str]) -> dict[str, int]:
        """How many frames say each of the terms; those that nobody says are left out."""
        known = {term: self._common[term] for term in terms if term in self._common}
        found = {term: frames for term, (revision, frames) in known.items() if revision == self._revision}
        read = [term for term in terms if term not in known] if len(terms) <= _AT_ONCE else []
        counted = [term for term in terms if term not in read and term not in found]
        self._look(read)
        found.update((term, self._read[term].size) for term in read)
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
        ids, raw = _ids(
            [place for blocks in found.values() for place in blocks.places],
            [data for blocks in found.values() for data in blocks.data],
        )
        sizes = {term: blocks.size for term, blocks in found.items()}
        return Postings(ids, raw["times"].astype(np.float64), sizes)

    def _look(self, terms: Sequence[str]) -> None:
        if not terms:
            return
        self._read.update((term, _NOTHING) for term in terms)
        clause = among("term", terms)
        sql = f"SELECT term, block, data FROM text_posting WHERE {clause.sql} ORDER BY term, block"
        found = _checked(self._rows.all(sql, clause.values))
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


def _checked(found: Sequence[Row]) -> Sequence[Row]:
    """Rows of (term, block, postings) that can be taken apart."""
    typed(found, "text_posting", str, int, bytes)
    if any(len(data) % RECORD.size or not 0 <= block < 1 << 40 for _, block, data in found):
        raise damaged("text_posting")
    return found


def _ids(places: Sequence[int], data: Sequence[bytes]) -> tuple[Ids, Any]:
    """The frames in these blocks, and the records they are in."""
    import numpy as np

    raw = np.frombuffer(b"".join(data), dtype=_RECORD)
    sizes = np.array([len(piece) for piece in data], dtype=np.int64) // RECORD.size
    ids = np.repeat(np.array(places, dtype=np.int64) << BLOCK_BITS, sizes)
    ids += raw["offset"]
    return ids, raw


def frames_of(db: Connection, term: str) -> Ids:
    """The frames that say a term, ascending."""
    sql = "SELECT term, block, data FROM text_posting WHERE term = ? ORDER BY block"
    blocks = _checked(db.all(sql, (term,)))
    return _ids([row[1] for row in blocks], [row[2] for row in blocks])[0]
