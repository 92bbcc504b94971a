"""Inverted index: for each term the frames that have it, and a value up to 255 that says more about each.

Three tables share this layout. They differ in what a term and the value are:

| table | terms | value |
| --- | --- | --- |
| `text_posting` | the terms of every frame | how often the frame says the term |
| `text_field` | the terms of an object's path, tags, summaries and metadata | which of these say it |
| `text_word` | the plain words of memories, with the name of their space | how many words the memory has |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import Final

from longmind.base import posting_records
from longmind.base.arrays import Float64Array, Int64Array, UInt8Array, np
from longmind.base.columns import FrameMask, Mask, is_shown
from longmind.base.posting_records import BLOCK_BITS, MOST, OFFSET, RECORD_COUNT
from longmind.store.engine import Connection, Row
from longmind.store.tables import batched, damaged, typed
from longmind.store.transaction import Snapshot
from longmind.store.visible import among

_AT_ONCE: Final = 16
"""The terms of a longer question are counted before any is read."""
_EXTENSIONS_READ: Final = 64
_BLOCKS_NAMED: Final = 200
"""Frames that lie in more blocks are looked for in all: naming so many costs more than reading them."""
_REMOVED_AT_ONCE: Final = 250_000
"""Postings in memory while frames are taken out: some tens of megabytes if no two are of the same term."""
_TERM, _NUMBER, _DATA = map(itemgetter, range(3))
"""Of a row of postings."""
_TERMS_PER_QUERY: Final = 500
"""Well below the number of parameters that either engine takes."""

Entries = Mapping[int, Mapping[str, int]]
"""By frame: its terms, each with its value."""


@dataclass(frozen=True, slots=True)
class PostingTable:
    """One table of postings, in rows of (term, block, records)."""

    name: str

    def add(self, db: Connection, entries: Entries) -> None:
        """Write the postings of frames; one that is there already gets its new value."""
        self.add_packed(db, _pack(entries))

    def add_packed(self, db: Connection, blocks: Mapping[int, Mapping[str, bytes]]) -> None:
        """The same for records that are packed by block and term, each in the order of frames."""
        if not blocks:
            return
        oldest = min(blocks)
        for block, fresh in blocks.items():
            terms = sorted(fresh)
            # Frame ids only grow, so that blocks behind the first are new, except when old frames change.
            stored = self._read_block(db, block, terms) if block == oldest else {}
            merged = {term: posting_records.merge(data, fresh[term]) for term, data in stored.items()}
            db.many(
                f"INSERT INTO {self.name} (term, block, data) VALUES (?, ?, ?) "
                "ON CONFLICT (term, block) DO UPDATE SET data = excluded.data",
                [(term, block, merged.get(term, fresh[term])) for term in terms],
            )

    def remove(self, db: Connection, entries: Iterable[tuple[int, Iterable[str]]]) -> int:
        """Take frames out of the postings of these terms; return how many postings that were.

        The frames come in order, so that a row is rewritten once, or a few times where a block has very many
        postings. What is in memory does not grow with the number of frames.
        """
        return sum(self._remove_from(db, block, offsets) for block, offsets in _by_block(entries))

    def _remove_from(self, db: Connection, block: int, doomed: Mapping[str, bytearray]) -> int:
        removed = 0
        for terms in batched(sorted(doomed), _TERMS_PER_QUERY):
            changed, emptied = [], []
            for term, data in self._read_block(db, block, terms).items():
                rest = posting_records.without(data, _offsets(doomed[term]))
                removed += posting_records.count(data) - posting_records.count(rest)
                if rest:
                    changed.append((rest, term, block))
                else:
                    emptied.append((term, block))
            if changed:
                db.many(f"UPDATE {self.name} SET data = ? WHERE term = ? AND block = ?", changed)
            if emptied:
                db.many(f"DELETE FROM {self.name} WHERE term = ? AND block = ?", emptied)
        return removed

    def counts(self, db: Connection, terms: Sequence[str]) -> dict[str, int]:
        """How many frames have each of the terms; those that none has are left out."""
        sizes: dict[str, int] = {}
        for batch in batched(terms, _TERMS_PER_QUERY):
            clause = among("term", batch)
            sql = f"SELECT term, sum({RECORD_COUNT}) FROM {self.name} WHERE {clause.sql} GROUP BY term"
            sizes.update((str(term), int(size)) for term, size in db.all(sql, clause.values))
        return sizes

    def pairs(self, db: Connection, term: str, *, least: int, most: int) -> Iterator[tuple[int, int]]:
        """Frame and value of those postings of a term whose value is in a range; needs no numpy."""
        least, most = min(least, MOST), min(most, MOST)
        for _, block, data in self.rows(db, [term]):
            values = posting_records.values(data)
            # Of a common word a block has thousands: most blocks have no value of a narrow range.
            if any(value in values for value in range(least, most + 1)):
                for offset, value in posting_records.unpack(data):
                    if least <= value <= most:
                        yield (block << BLOCK_BITS) + offset, value

    def arrays(self, db: Connection, terms: Sequence[str]) -> dict[str, tuple[Int64Array, UInt8Array]]:
        """Frames and values of the postings of each term, as arrays; terms that none has are left out."""
        blocks: dict[str, tuple[list[int], list[bytes]]] = {}
        for batch in batched(terms, _TERMS_PER_QUERY):
            for term, block, data in self.rows(db, batch):
                numbers, pieces = blocks.setdefault(term, ([], []))
                numbers.append(block)
                pieces.append(data)
        return {term: posting_records.arrays(numbers, pieces) for term, (numbers, pieces) in blocks.items()}

    def rows(self, db: Connection, terms: Sequence[str], blocks: Sequence[int] = ()) -> Sequence[Row]:
        """Rows of (term, block, records) that can be taken apart, in order; of a few blocks, or of all."""
        clause = among("term", terms)
        if blocks:
            clause = clause & among("block", blocks)
        sql = f"SELECT term, block, data FROM {self.name} WHERE {clause.sql} ORDER BY term, block"
        rows = typed(db.all(sql, clause.values), self.name, str, int, bytes)
        if rows:  # of a common word in a large store there are hundreds
            numbers, sizes = [*map(_NUMBER, rows)], {*map(len, map(_DATA, rows))}
            if min(numbers) < 0 or max(numbers) >= 1 << 40 or not all(map(posting_records.is_whole, sizes)):
                raise damaged(self.name)
        return rows

    def is_empty(self, db: Connection) -> bool:
        return db.one(f"SELECT 1 FROM {self.name} LIMIT 1") is None

    def differences(self, db: Connection, batches: Iterable[Entries]) -> Iterator[str]:
        """What is wrong with the table, given what it should hold, in batches by frame id."""
        expected: dict[tuple[str, int], bytes] = {}
        for entries in batches:
            for block, terms in _pack(entries).items():
                for term, data in terms.items():
                    expected[term, block] = posting_records.merge(expected.get((term, block), b""), data)
        for term, block, data in db.all(f"SELECT term, block, data FROM {self.name}"):
            if expected.pop((term, block), None) != data:
                yield f"the index is wrong about {term!r} in block {block}"
        for term, block in list(expected)[:20]:
            yield f"the index lacks {term!r} in block {block}"

    def _read_block(self, db: Connection, block: int, terms: Sequence[str]) -> dict[str, bytes]:
        stored: dict[str, bytes] = {}
        for batch in batched(terms, _TERMS_PER_QUERY):
            clause = among("term", batch)
            sql = f"SELECT term, data FROM {self.name} WHERE block = ? AND {clause.sql}"
            rows = typed(db.all(sql, (block, *clause.values)), self.name, str, bytes)
            if not all(posting_records.is_whole(len(data)) for _, data in rows):
                raise damaged(self.name)
            stored.update(rows)
        return stored


TERMS: Final = PostingTable("text_posting")
FIELDS: Final = PostingTable("text_field")
WORDS: Final = PostingTable("text_word")


def _pack(entries: Entries) -> dict[int, dict[str, bytes]]:
    """The records of these frames by block and term."""
    blocks: dict[int, dict[str, bytearray]] = {}
    large: dict[tuple[int, str], dict[int, int]] = {}
    for frame_id in sorted(entries):
        number, offset = frame_id >> BLOCK_BITS, frame_id & OFFSET
        block = blocks.setdefault(number, {})
        once = posting_records.narrow(offset, 1)
        for term, value in entries[frame_id].items():
            if value == 1:
                record = once
            elif posting_records.is_large(value):
                record = once  # its place; the value comes when the row is complete
                large.setdefault((number, term), {})[offset] = min(value, MOST)
            else:
                record = posting_records.narrow(offset, value)
            if term in block:
                block[term] += record
            else:
                block[term] = bytearray(record)
    packed = {number: {term: bytes(row) for term, row in block.items()} for number, block in blocks.items()}
    for (number, term), values in large.items():
        row = packed[number][term]
        packed[number][term] = posting_records.pack(dict(posting_records.unpack(row)) | values)
    return packed


def _by_block(
    entries: Iterable[tuple[int, Iterable[str]]],
) -> Iterator[tuple[int, dict[str, bytearray]]]:
    """Blocks, and by term the offsets of the frames in them, each of two bytes."""
    current, size = -1, 0
    offsets: dict[str, bytearray] = {}
    for frame_id, terms in entries:
        block = frame_id >> BLOCK_BITS
        if offsets and (block != current or size > _REMOVED_AT_ONCE):
            yield current, offsets
            offsets, size = {}, 0
        current = block
        offset = (frame_id & OFFSET).to_bytes(2, "little")
        for term in terms:
            size += 1
            if term in offsets:
                offsets[term] += offset
            else:
                offsets[term] = bytearray(offset)
    if offsets:
        yield current, offsets


def _offsets(of_two_bytes: bytearray) -> set[int]:
    return {low | high << 8 for low, high in zip(of_two_bytes[::2], of_two_bytes[1::2], strict=True)}


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
