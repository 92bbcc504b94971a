"""The postings that one question reads: of each of its terms, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import Final

from longmind.base import posting_records
from longmind.base.arrays import Float64Array, Int64Array, np
from longmind.base.columns import FrameMask, Mask, is_shown
from longmind.base.posting_records import BLOCK_BITS
from longmind.store.engine import Connection
from longmind.store.tables import damaged
from longmind.store.transaction import Snapshot
from longmind.text.posting_table import TERMS

_AT_ONCE: Final = 16
"""The terms of a longer question are counted before any is read."""
_EXTENSIONS_READ: Final = 64
_BLOCKS_NAMED: Final = 200
"""Frames that lie in more blocks are looked for in all: naming so many costs more than reading them."""
_TERM, _NUMBER, _DATA = map(itemgetter, range(3))
"""Of a row of postings."""


def frames_of(db: Connection, term: str) -> Int64Array:
    """The frames that say a term, ascending."""
    rows = TERMS.rows(db, [term])
    return posting_records.arrays([*map(_NUMBER, rows)], [*map(_DATA, rows)])[0]


# The terms of one question


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The frames that say each of some terms, and how often; one term behind the other."""

    ids: Int64Array
    """Of each term ascending."""
    times: Float64Array
    sizes: dict[str, int]
    """Of each term, in their order."""

    def by_term(self) -> dict[str, Int64Array]:
        """The frames that say each term."""
        ends = accumulate(self.sizes.values())
        return {
            term: self.ids[end - size : end]
            for (term, size), end in zip(self.sizes.items(), ends, strict=True)
        }


Common = dict[str, tuple[int, int]]
"""Terms that earlier questions found too common to be looked at: when, and in how many frames."""


class Terms:
    """The terms of one question, each read once where that is likely to be wanted.

    Most terms that are counted are read then, so both is done at once. Those in `common`, which the caller
    keeps, are only counted, and that once for each revision. Given the frames that are `inside`, no other is
    counted or returned: of what stands outside, not even the number shows.
    """

    def __init__(self, snapshot: Snapshot, common: Common, inside: Mask | None = None) -> None:
        self._db = snapshot.db
        self._revision = snapshot.revision
        self._common = common
        self._inside = inside
        self._blocks = _blocks_of(inside)
        self._read: dict[str, _Blocks | _Inside] = {}

    def frames(self, terms: Sequence[str]) -> dict[str, int]:
        """How many frames say each of the terms; those that nobody says are left out."""
        common = {term: self._common[term] for term in terms if term in self._common}
        sizes = {term: frames for term, (revision, frames) in common.items() if revision == self._revision}
        if self._inside is not None:
            read = [term for term in terms if term not in sizes]
        else:
            read = [term for term in terms if term not in common] if len(terms) <= _AT_ONCE else []
        self._look_up([term for term in read if term not in self._read])
        sizes.update((term, self._read[term].size) for term in read)
        sizes.update(TERMS.counts(self._db, [term for term in terms if term not in sizes]))
        return {term: frames for term, frames in sizes.items() if frames}

    def postings(self, terms: Iterable[str]) -> Postings:

        ordered = sorted(terms)
        self._look_up([term for term in ordered if term not in self._read])
        read = {term: self._read[term] for term in ordered if self._read[term].size}
        sizes = {term: postings.size for term, postings in read.items()}
        if self._inside is None:
            blocks = [postings for postings in read.values() if isinstance(postings, _Blocks)]
            ids, times = posting_records.arrays(
                [number for postings in blocks for number in postings.numbers],
                [data for postings in blocks for data in postings.data],
            )
        else:
            arrays = [postings for postings in read.values() if isinstance(postings, _Inside)]
            ids = np.concatenate([np.zeros(0, dtype=np.int64), *(postings.ids for postings in arrays)])
            times = np.concatenate([np.zeros(0, dtype=np.uint8), *(postings.times for postings in arrays)])
        return Postings(ids, times.astype(np.float64), sizes)

    def frame_ids(self, term: str) -> Int64Array:
        """The frames that say a term, ascending."""
        self._look_up([term] if term not in self._read else [])
        postings = self._read[term]
        if isinstance(postings, _Inside):
            return postings.ids
        return posting_records.arrays(postings.numbers, postings.data)[0]

    def extensions(self, term: str) -> Iterator[str]:
        """Terms of the index that begin so, in order; some of them nobody inside may say."""
        sql = (
            "SELECT DISTINCT term FROM text_posting WHERE term > ? AND term < ? "
            f"ORDER BY term LIMIT {_EXTENSIONS_READ}"
        )
        last, end = term, term + "\U0010ffff"
        while rows := self._db.all(sql, (last, end)):
            yield from (str(row[0]) for row in rows)
            if str(rows[-1][0]) <= last:  # in the order of a damaged tree, which would be read for ever
                raise damaged("text_posting")
            last = str(rows[-1][0])

    def _look_up(self, terms: Sequence[str]) -> None:
        if not terms:
            return
        self._read.update((term, _NOTHING) for term in terms)
        rows = TERMS.rows(self._db, terms, self._blocks)
        numbers, data = [*map(_NUMBER, rows)], [*map(_DATA, rows)]
        sizes = posting_records.counts(data)
        first = 0
        for term, count in Counter(map(_TERM, rows)).items():
            here = slice(first, first + count)
            block_list = _Blocks(numbers[here], data[here], int(sizes[here].sum()))
            self._read[term] = block_list if self._inside is None else _Inside(block_list, self._inside)
            first += count


class _Blocks:
    """The blocks of a term, and what is in each."""

    __slots__ = ("data", "numbers", "size")

    def __init__(self, numbers: Sequence[int], data: Sequence[bytes], size: int) -> None:
        self.numbers = numbers
        self.data = data
        self.size = size


class _Inside:
    """Those postings of a term that are of frames inside."""

    __slots__ = ("ids", "size", "times")

    def __init__(self, blocks: _Blocks, inside: Mask) -> None:
        ids, times = posting_records.arrays(blocks.numbers, blocks.data)
        shown = is_shown(inside, ids)
        self.ids, self.times = ids[shown], times[shown]
        self.size = len(self.ids)


_NOTHING: Final = _Blocks((), (), 0)


def _blocks_of(inside: Mask | None) -> list[int]:
    """The blocks in which frames inside are, where they are few; none to look through all blocks."""
    if not isinstance(inside, FrameMask):
        return []
    blocks: set[int] = set()
    for frames, shown in inside.parts:
        numbers = (frames.ids >> BLOCK_BITS)[shown]
        if len(numbers) == 0:
            continue
        # The ids ascend, so that a block begins wherever the number changes.
        blocks.update(numbers[np.flatnonzero(np.diff(numbers, prepend=-1))].tolist())
        if len(blocks) > _BLOCKS_NAMED:
            return []
    return sorted(blocks)
