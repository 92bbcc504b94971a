"""Inverted index: for each term the frames that have it, and a value up to 255 that says more about each.

Three tables share this layout. They differ in what a term and the value are:

| table | terms | value |
| --- | --- | --- |
| `text_posting` | the terms of every frame | how often the frame says the term |
| `text_field` | the terms of an object's path, tags, summaries and metadata | which of these say it |
| `text_word` | the plain words of memories, with the name of their space | how many words the memory has |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from types import NoneType
from typing import Final

from longmind.base import posting_records
from longmind.base.arrays import Int64Array, UInt8Array
from longmind.base.posting_records import BLOCK_BITS, GATHERED, MOST, OFFSET, RECORD_COUNT, RUN, RUN_BITS
from longmind.store.engine import Connection, Row
from longmind.store.tables import batched, damaged, typed
from longmind.store.visible import among

_REMOVED_AT_ONCE: Final = 250_000
"""Postings in memory while frames are taken out: some tens of megabytes if no two are of the same term."""
_TERMS_PER_QUERY: Final = 500
"""Well below the number of parameters that either engine takes."""

_NUMBER, _DATA = itemgetter(1), itemgetter(2)
"""Of a row of postings."""
_IN_RUN: Final = (1 << RUN_BITS) - 1
_LONGEST_GATHERED: Final = 3 * GATHERED + 1

Entries = Mapping[int, Mapping[str, int]]
"""By frame: its terms, each with its value."""
_Rows = dict[int, dict[str, bytes]]
"""By block: the rows of some terms."""


@dataclass(frozen=True, slots=True)
class PostingTable:
    """One table of postings, in rows of (term, block, records)."""

    name: str

    def add(self, db: Connection, entries: Entries) -> None:
        """Write the postings of frames; one that is there already gets its new value."""
        if entries:
            self.add_packed(db, _pack(entries), first_id=min(entries))

    def add_packed(self, db: Connection, runs: Mapping[int, Mapping[str, bytes]], *, first_id: int) -> None:
        """The same for wide records by the first block of a run and by term, each in the order of frames."""
        oldest = first_id >> BLOCK_BITS
        for first, fresh in sorted(runs.items()):
            # Frame ids only grow, so that blocks behind the oldest are new, except when old frames change.
            is_new = _first_of_run(oldest) != first
            heads = {} if is_new else self._heads(db, first, sorted(fresh), whole=first == oldest)
            grown = posting_records.gathered(heads, fresh)
            rest = {term: fresh[term] for term in sorted(fresh.keys() - grown.keys())}
            stored = {} if is_new or first == oldest else self._rows_in(db, oldest, list(rest))
            changed, late = _added(first, rest, heads, {oldest: stored})
            changed[first] |= grown
            self._write(db, changed)
            if late:
                self._arrange(db, first, late)

    def remove(self, db: Connection, entries: Iterable[tuple[int, Iterable[str]]]) -> int:
        """Take frames out of the postings of these terms; return how many postings that were.

        The frames come in order, so that a row is rewritten once for each block of them, or a few times where
        one has very many postings. What is in memory does not grow with the number of frames.
        """
        return sum(self._remove_from(db, block, offsets) for block, offsets in _by_block(entries))

    def _remove_from(self, db: Connection, block: int, doomed: Mapping[str, bytearray]) -> int:
        removed, first = 0, _first_of_run(block)
        for terms in batched(sorted(doomed), _TERMS_PER_QUERY):
            changed: _Rows = {first: {}, block: {}}
            short: list[str] = []
            heads = self._heads(db, first, terms, whole=first == block)
            stored = {} if first == block else self._rows_in(db, block, terms)
            for number, rows in ((first, heads), (block, stored)):
                for term, data in rows.items():
                    if data is None:
                        continue
                    shift = (block - number) << BLOCK_BITS
                    rest = posting_records.without(data, _offsets(doomed[term], shift))
                    count, left = posting_records.count(data), posting_records.count(rest)
                    if left < count:
                        removed += count - left
                        changed[number][term] = rest
                        if number == first and left < GATHERED <= count:
                            short.append(term)
            self._write(db, changed)
            self._refill(db, first, short)
        return removed

    def _refill(self, db: Connection, first: int, terms: Sequence[str]) -> None:
        """Move records into the first rows of a run that have lost some, from the rows behind them."""
        rows = self._rows_of_run(db, first, terms) if terms else ()
        changed: _Rows = {first + place: {} for place in range(RUN)}
        for term, of_term in groupby(rows, key=itemgetter(0)):
            values: dict[int, int] = {}
            for _, number, data in of_term:
                block, missing = number - first, GATHERED - len(values)
                if block == 0:
                    values = posting_records.in_run(data, 0)
                elif missing > 0:
                    taken = dict(islice(posting_records.unpack(data), missing))
                    values.update(((block << BLOCK_BITS) + offset, value) for offset, value in taken.items())
                    changed[number][term] = posting_records.without(data, taken.keys())
            changed[first][term] = posting_records.pack(values)
        self._write(db, changed)

    def _rows_of_run(self, db: Connection, first: int, terms: Sequence[str]) -> Sequence[Row]:
        clause = among("term", terms)
        sql = (
            f"SELECT term, block, data FROM {self.name} WHERE {clause.sql} AND block >= ? AND block < ? "
            "ORDER BY term, block"
        )
        return self._checked(db.all(sql, (*clause.values, first, first + RUN)))

    def _arrange(self, db: Connection, first: int, added: Mapping[str, Mapping[int, int]]) -> None:
        """Lay out the rows of some terms in a run anew, with records that are added."""
        for terms in batched(sorted(added), _TERMS_PER_QUERY):
            values: dict[str, dict[int, int]] = {term: {} for term in terms}
            changed: _Rows = {first + place: {} for place in range(RUN)}
            for term, number, data in self._rows_of_run(db, first, terms):
                values[term] |= posting_records.in_run(data, number - first)
                changed[number][term] = b""
            for term in terms:
                ordered = dict(sorted({**values[term], **added[term]}.items()))
                laid_out = posting_records.lay_out(posting_records.wide_of(ordered))
                for place, data in laid_out.items():
                    changed[first + place][term] = data
            self._write(db, changed)

    def _write(self, db: Connection, changed: _Rows) -> None:
        """Write rows, and delete those that are empty now."""
        for number, rows in changed.items():
            emptied = [(term, number) for term, data in rows.items() if not data]
            if emptied:
                db.many(f"DELETE FROM {self.name} WHERE term = ? AND block = ?", emptied)
            if len(emptied) < len(rows):
                db.many(
                    f"INSERT INTO {self.name} (term, block, data) VALUES (?, ?, ?) "
                    "ON CONFLICT (term, block) DO UPDATE SET data = excluded.data",
                    [(term, number, rows[term]) for term in sorted(rows) if rows[term]],
                )

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
            clause = clause & among("block", sorted({*blocks, *map(_first_of_run, blocks)}))
        sql = f"SELECT term, block, data FROM {self.name} WHERE {clause.sql} ORDER BY term, block"
        return self._checked(db.all(sql, clause.values))

    def _checked(self, rows: Sequence[Row]) -> Sequence[Row]:
        typed(rows, self.name, str, int, bytes)
        if rows:  # of a common word in a large store there are hundreds
            numbers, sizes = [*map(_NUMBER, rows)], {*map(len, map(_DATA, rows))}
            if min(numbers) < 0 or max(numbers) >= 1 << 40 or not all(map(posting_records.is_whole, sizes)):
                raise damaged(self.name)
        return rows

    def is_empty(self, db: Connection) -> bool:
        return db.one(f"SELECT 1 FROM {self.name} LIMIT 1") is None

    def differences(self, db: Connection, batches: Iterable[Entries]) -> Iterator[str]:
        """What is wrong with the table, given what it should hold, in batches by frame id."""
        runs: dict[tuple[str, int], bytearray] = {}
        for entries in batches:
            for first, fresh in _pack(entries).items():
                for term, records in fresh.items():
                    runs.setdefault((term, first), bytearray()).extend(records)
        expected: dict[tuple[str, int], bytes] = {}
        for (term, first), unordered in runs.items():
            laid_out = posting_records.lay_out(posting_records.in_order(unordered))
            expected.update(((term, first + block), data) for block, data in laid_out.items())
        for term, block, data in db.all(f"SELECT term, block, data FROM {self.name}"):
            if expected.pop((term, block), None) != data:
                yield f"the index is wrong about {term!r} in block {block}"
        for term, block in list(expected)[:20]:
            yield f"the index lacks {term!r} in block {block}"

    def _heads(
        self, db: Connection, first: int, terms: Sequence[str], *, whole: bool
    ) -> dict[str, bytes | None]:
        """The first rows of a run, `whole`; or None for one too long to have frames of other blocks."""
        data = "data" if whole else f"CASE WHEN length(data) <= {_LONGEST_GATHERED} THEN data END"
        rows: dict[str, bytes | None] = {}
        for batch in batched(terms, _TERMS_PER_QUERY):
            clause = among("term", batch)
            sql = f"SELECT term, {data} FROM {self.name} WHERE {clause.sql} AND block = ?"
            rows.update(typed(db.all(sql, (*clause.values, first)), self.name, str, (bytes, NoneType)))
        self._check_sizes(filter(None, rows.values()))
        if whole and None in rows.values():
            raise damaged(self.name)
        return rows

    def _rows_in(self, db: Connection, block: int, terms: Sequence[str]) -> dict[str, bytes]:
        """The rows of a block other than the first of its run."""
        rows: dict[str, bytes] = {}
        for batch in batched(terms, _TERMS_PER_QUERY):
            clause = among("term", batch)
            sql = f"SELECT term, data FROM {self.name} WHERE {clause.sql} AND block = ?"
            rows.update(typed(db.all(sql, (*clause.values, block)), self.name, str, bytes))
        self._check_sizes(rows.values())
        return rows

    def _check_sizes(self, rows: Iterable[bytes]) -> None:
        if not all(map(posting_records.is_whole, {*map(len, rows)})):
            raise damaged(self.name)


TERMS: Final = PostingTable("text_posting")
FIELDS: Final = PostingTable("text_field")
WORDS: Final = PostingTable("text_word")


def _pack(entries: Entries) -> dict[int, dict[str, bytes]]:
    """Wide records of these frames by the first block of a run and by term."""
    runs: dict[int, dict[str, bytearray]] = {}
    for frame_id in sorted(entries):
        run, offset = runs.setdefault(frame_id >> RUN_BITS, {}), frame_id & _IN_RUN
        once = posting_records.wide(offset, 1)
        for term, value in entries[frame_id].items():
            record = once if value == 1 else posting_records.wide(offset, value)
            if term in run:
                run[term] += record
            else:
                run[term] = bytearray(record)
    return {number * RUN: {term: bytes(row) for term, row in run.items()} for number, run in runs.items()}


def _first_of_run(block: int) -> int:
    return block - block % RUN


def _added(
    first: int,
    fresh: Mapping[str, bytes],
    heads: Mapping[str, bytes | None],
    stored: Mapping[int, Mapping[str, bytes]],
) -> tuple[_Rows, dict[str, dict[int, int]]]:
    """The rows of a run that change with fresh records, and records that are not behind all others of theirs.

    `heads` are the first rows of the run that there are.
    """
    changed: _Rows = {number: {} for number in range(first, first + RUN)}
    late: dict[str, dict[int, int]] = {}
    for term, records in fresh.items():
        head = heads.get(term, b"")
        in_first = posting_records.in_first(records)
        if in_first and head is not None and not posting_records.has_gathered(head):  # as in small stores
            changed[first][term] = posting_records.merge(head, in_first)
            continue
        if head is not None and posting_records.count(head) < GATHERED:  # it has all there are
            laid_out = posting_records.lay_out(posting_records.joined(head, records))
            for block, row in laid_out.items():
                changed[first + block][term] = row
            continue
        for block, row in posting_records.by_block(records):
            if block == 0 and head is not None and not posting_records.has_gathered(head):
                head = changed[first][term] = posting_records.merge(head, row)
            elif posting_records.is_behind(head, row, block):
                own = stored.get(first + block, {}).get(term, b"")
                changed[first + block][term] = posting_records.merge(own, row)
            else:
                late.setdefault(term, {}).update(posting_records.in_run(row, block))
    return changed, late


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


def _offsets(of_two_bytes: bytearray, shift: int) -> set[int]:
    pairs = zip(of_two_bytes[::2], of_two_bytes[1::2], strict=True)
    return {shift + (low | high << 8) for low, high in pairs}
