"""The text index: which frames say a word, kept beside the frames and changed with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from recollect.base.frame import Frame
from recollect.store.drafts import Draft
from recollect.store.engine import Dialect, Rows
from recollect.store.frames import batches, checked_text, load_query
from recollect.store.parts import Part, Problem
from recollect.store.store import Store
from recollect.store.transaction import Snapshot, Transaction
from recollect.store.typed import damaged, typed
from recollect.store.upkeep import scan
from recollect.store.visible import among
from recollect.store.writing import Written
from recollect.text.layout import BLOCK_BITS, REBUILT, RECORD, Counted, count_frame
from recollect.text.words import ANALYZER

_OFFSET: Final = (1 << BLOCK_BITS) - 1
_MOST_TIMES: Final = 255
_TIMES: Final = tuple(bytes([times]) for times in range(_MOST_TIMES + 1))
_SETTING: Final = "text.analyzer"
_REBUILD_BATCH: Final = 5000


class TextIndex(Part):
    """Follows the frames with postings of 3 bytes a word."""

    name = "text"

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object]:
        return [
            None if draft.chunks else count_frame(draft.text, draft.title, draft.speaker) for draft in drafts
        ]

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        if prepared is not None and isinstance(frames, Written):
            ready = [item for item in prepared if isinstance(item, tuple)]
            if len(ready) == len(frames):  # nothing is cut, nothing left to count
                add(tx.rows, dict(zip(frames.ids, ready, strict=True)))
                return
        cut = {frame.parent for frame in frames if frame.start is not None}
        counted: dict[int, Counted] = {}
        for place, frame in enumerate(frames):
            if frame.id in cut:
                continue
            item = prepared[place] if prepared is not None else None
            if isinstance(item, tuple):
                counted[frame.id] = item
            else:
                counted[frame.id] = count_frame(frame.text, frame.title, frame.speaker)
        add(tx.rows, counted)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        return remove(tx.rows, self._recount(tx.rows, ids))

    def _recount(self, rows: Rows, ids: Sequence[int]) -> dict[int, Counted]:
        counted = {}
        for batch in batches(sorted(ids)):
            clause = among("f.frame_id", batch)
            for row in rows.all(load_query(self._dialect, clause.sql), clause.values):
                frame, text = checked_text(row)
                counted[frame.frame_id] = count_frame(text, frame.title, frame.speaker)
        return counted

    def rebuild(self, store: Store) -> int:
        with store.write() as tx:
            store.set_setting(tx, _SETTING, ANALYZER)
            store.set_setting(tx, REBUILT, str(tx.system))
            tx.rows.run("DELETE FROM text_posting")
            tx.rows.run("DELETE FROM text_doc")
            total = 0
            for counted in _all_counted(tx.rows, self._dialect):
                add(tx.rows, counted)
                total += len(counted)
        return total

    def bind(self, store: Store) -> None:
        """Say by which rules this index is made; one made by others is made anew."""
        with store.read() as snapshot:
            found = store.setting(snapshot.rows, _SETTING)
            anything = snapshot.rows.one("SELECT 1 FROM frame LIMIT 1")
        if found == ANALYZER or store.engine.read_only:
            return
        if anything is not None:
            self.rebuild(store)
            return
        with store.write() as tx:
            store.set_setting(tx, _SETTING, ANALYZER)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        if not deep:
            return
        wanted: dict[tuple[str, int], bytes] = {}
        lengths: dict[int, int] = {}
        for counted in _all_counted(snapshot.rows, self._dialect):
            lengths.update((frame_id, length) for frame_id, (_, length) in counted.items())
            for block, found in _postings(counted).items():
                for term, data in found.items():
                    wanted[term, block] = wanted.get((term, block), b"") + data
        for term, block, data in snapshot.rows.all("SELECT term, block, data FROM text_posting"):
            if wanted.pop((term, block), None) != data:
                yield Problem("text", f"the index is wrong about {term!r} in block {block}", derived=True)
        for term, block in list(wanted)[:20]:
            yield Problem("text", f"the index lacks {term!r} in block {block}", derived=True)
        if dict(snapshot.rows.all("SELECT frame_id, length FROM text_doc")) != lengths:
            yield Problem("text", "the index has wrong lengths", derived=True)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        row = snapshot.rows.one("SELECT count(*) FROM text_doc")
        return {"frames": int(row[0]) if row else 0}


def add(rows: Rows, counted: Mapping[int, Counted]) -> None:
    """Append to the postings; ids must be higher than those already there."""
    if not counted:
        return
    first = min(counted) >> BLOCK_BITS
    for block, fresh in _postings(counted).items():
        terms = sorted(fresh)
        # Only the block of the first id can hold anything: in those behind it all ids are new.
        held = _read(rows, block, terms) if block == first else {}
        rows.many(
            "INSERT INTO text_posting (term, block, data) VALUES (?, ?, ?) "
            "ON CONFLICT (term, block) DO UPDATE SET data = excluded.data",
            [(term, block, held.get(term, b"") + fresh[term]) for term in terms],
        )
    rows.many(
        "INSERT INTO text_doc (frame_id, length) VALUES (?, ?)",
        [(frame_id, length) for frame_id, (_, length) in counted.items()],
    )


def remove(rows: Rows, counted: Mapping[int, Counted]) -> dict[str, int]:
    """Take frames out of every posting they are in."""
    gone = sorted(counted)
    removed = 0
    for block, doomed in _postings(counted).items():
        offsets = {frame_id & _OFFSET for frame_id in gone if frame_id >> BLOCK_BITS == block}
        for term, data in _read(rows, block, sorted(doomed)).items():
            kept = b"".join(
                RECORD.pack(*record) for record in RECORD.iter_unpack(data) if record[0] not in offsets
            )
            removed += (len(data) - len(kept)) // RECORD.size
            if kept:
                sql = "UPDATE text_posting SET data = ? WHERE term = ? AND block = ?"
                rows.run(sql, (kept, term, block))
            else:
                rows.run("DELETE FROM text_posting WHERE term = ? AND block = ?", (term, block))
    documents = 0
    for batch in batches(gone):
        clause = among("frame_id", batch)
        documents += rows.run(f"DELETE FROM text_doc WHERE {clause.sql}", clause.values)
    return {"text_posting": removed, "text_doc": documents}


def _postings(counted: Mapping[int, Counted]) -> dict[int, dict[str, bytearray]]:
    """What these frames are to each term, by block."""
    blocks: dict[int, dict[str, bytearray]] = {}
    for frame_id in sorted(counted):
        found = blocks.setdefault(frame_id >> BLOCK_BITS, {})
        offset = (frame_id & _OFFSET).to_bytes(2, "little")
        once = offset + _TIMES[1]
        for term, times in counted[frame_id][0].items():
            record = once if times == 1 else offset + _TIMES[min(times, _MOST_TIMES)]
            if term in found:
                found[term] += record
            else:
                found[term] = bytearray(record)
    return blocks


def _read(rows: Rows, block: int, terms: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for first in range(0, len(terms), 500):
        clause = among("term", terms[first : first + 500])
        sql = f"SELECT term, data FROM text_posting WHERE block = ? AND {clause.sql}"
        held = typed(rows.all(sql, (block, *clause.values)), "text_posting", str, bytes)
        if any(len(data) % RECORD.size for _, data in held):
            raise damaged("text_posting")
        found.update(held)
    return found


def _all_counted(rows: Rows, dialect: Dialect) -> Iterator[dict[int, Counted]]:
    """Every frame that is indexed (documents with chunks are not), in batches by id."""
    cut = {row[0] for row in rows.all("SELECT DISTINCT parent_id FROM frame WHERE start_byte IS NOT NULL")}
    counted: dict[int, Counted] = {}
    for row in scan(rows, load_query(dialect, "{after}"), "f.frame_id"):
        frame, text = checked_text(row)
        if frame.frame_id not in cut:
            counted[frame.frame_id] = count_frame(text, frame.title, frame.speaker)
        if len(counted) >= _REBUILD_BATCH:
            yield counted
            counted = {}
    if counted:
        yield counted
