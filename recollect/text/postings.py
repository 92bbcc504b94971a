"""Reading the postings: which frames say a term, how many, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from recollect.store.engine import Row, Rows
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
    """The frames that say each of some terms, and how often; one block of a term behind the other."""

    ids: Ids
    times: Scores
    terms: tuple[str, ...]
    """Of each block; ascending, and so are the ids of each term."""
    sizes: tuple[int, ...]
    """Of each block."""

    @classmethod
    def of(cls, blocks: Sequence[Row]) -> Postings:
        """From rows of (term, block, data), in this order."""
        import numpy as np

        sizes = tuple(len(data) // RECORD.size for _, _, data in blocks)
        raw = np.frombuffer(b"".join([data for _, _, data in blocks]), dtype=_RECORD)
        ids = np.repeat(np.array([block << BLOCK_BITS for _, block, _ in blocks], dtype=np.int64), sizes)
        ids += raw["offset"]
        return cls(ids, raw["times"].astype(np.float64), tuple(term for term, _, _ in blocks), sizes)


class Terms:
    """The terms of one question, each read once where that is likely to be wanted.

    Most terms that are counted are read then, so both is done at once. Not for those that earlier questions
    found too common to be looked at: `common` is kept by the caller, who adds to it.
    """

    def __init__(self, rows: Rows, common: Iterable[str] = ()) -> None:
        self._rows = rows
        self._common = common
        self._blocks: dict[str, list[Row]] = {}

    def frames(self, terms: Sequence[str]) -> dict[str, int]:
        """How many frames say each of the terms; those that nobody says are left out."""
        read = [term for term in terms if term not in self._common] if len(terms) <= _AT_ONCE else []
        counted = [term for term in terms if term not in read]
        self._read(read)
        found = {term: sum(len(row[2]) for row in self._blocks[term]) // RECORD.size for term in read}
        if counted:
            clause = among("term", counted)
            sql = f"SELECT term, sum(length(data)) FROM text_posting WHERE {clause.sql} GROUP BY term"
            sizes = self._rows.all(sql, clause.values)
            found.update((str(term), int(size) // RECORD.size) for term, size in sizes)
        return {term: frames for term, frames in found.items() if frames}

    def postings(self, terms: Iterable[str]) -> Postings:
        wanted = sorted(terms)
        self._read([term for term in wanted if term not in self._blocks])
        return Postings.of([row for term in wanted for row in self._blocks[term]])

    def _read(self, terms: Sequence[str]) -> None:
        self._blocks.update((term, []) for term in terms)
        for row in _blocks(self._rows, terms):
            self._blocks[row[0]].append(row)


def frames_of(rows: Rows, term: str) -> Ids:
    """The frames that say a term, ascending."""
    return Postings.of(_blocks(rows, [term])).ids


def _blocks(rows: Rows, terms: Sequence[str]) -> list[Row]:
    if not terms:
        return []
    clause = among("term", terms)
    sql = f"SELECT term, block, data FROM text_posting WHERE {clause.sql} ORDER BY term, block"
    return rows.all(sql, clause.values)
