"""The text index: which frames say a word, kept beside the frames and changed with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, cast

from longmind.base.frame import Frame
from longmind.base.languages import LANGUAGES
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, Dialect, scalar
from longmind.store.frames import checked_text, load_rows, scan_frames
from longmind.store.parts import Budget, Part, Problem
from longmind.store.rebuild import clear, clear_abandoned, left_over, read_progress, rebuilding
from longmind.store.store import Store
from longmind.store.tables import batched, damaged
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import Clause, among
from longmind.store.write import Written
from longmind.text import batches
from longmind.text.batches import Numbered
from longmind.text.languages import MARK
from longmind.text.posting_table import FIELDS, TERMS, Entries, PostingTable
from longmind.text.words import ANALYZER, Counted, count_frame, count_terms, whole_text

_SETTING: Final = "text.analyzer"
_INSERT_LENGTH: Final = "INSERT INTO {} (frame_id, length) VALUES (?, ?)"
_READ_BATCH: Final = 1000
_REBUILD_BATCH: Final = 5000
"""Frames whose postings are in memory, and in a transaction, at once."""


class Tables(NamedTuple):
    """Where postings and lengths are stored."""

    postings: PostingTable
    docs: str

    @property
    def names(self) -> tuple[str, str]:
        return self.postings.name, self.docs

    @property
    def keyed(self) -> list[tuple[str, str]]:
        return [(self.postings.name, "term"), (self.docs, "frame_id")]


CURRENT: Final = Tables(TERMS, "text_doc")
NEXT: Final = Tables(PostingTable("text_posting_next"), "text_doc_next")
"""What `rebuild` fills beside the tables that answer."""
REBUILT: Final = "text.rebuilt"
"""The setting that says when the index was last rebuilt: whoever mirrors a part of it in memory checks."""


class TextIndex(Part):
    """Follows the frames with postings of two bytes a word."""

    name = "text"

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object]:
        texts = [
            None if draft.chunks else whole_text(draft.text, draft.title, draft.speaker) for draft in drafts
        ]
        given = [text for text in texts if text is not None]
        if len(given) < batches.LEAST:
            return [None if text is None else count_terms(text) for text in texts]
        numbered = iter(batches.number_terms(given))
        return [None if text is None else next(numbered) for text in texts]

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        if prepared is not None and isinstance(frames, Written):
            ready = [item for item in prepared if isinstance(item, tuple)]
            if len(ready) == len(frames):  # nothing is cut, nothing left to count
                _add_prepared(tx.db, frames.ids, ready)
                return
        cut = {frame.parent for frame in frames if frame.start is not None}
        ids: list[int] = []
        items: list[Any] = []
        for position, frame in enumerate(frames):
            if frame.id in cut:
                continue
            item = prepared[position] if prepared is not None else None
            ids.append(frame.id)
            items.append(
                item if isinstance(item, tuple) else count_frame(frame.text, frame.title, frame.speaker)
            )
        _add_prepared(tx.db, ids, items)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        counts = self._remove(tx.db, ids, CURRENT)
        if tx.db.one(f"SELECT 1 FROM {NEXT.docs} LIMIT 1") is not None:
            counts |= self._remove_from_next(tx.db, ids)
        return counts

    def _remove(self, db: Connection, ids: Sequence[int], tables: Tables) -> dict[str, int]:
        """Take frames out of every posting they are in."""
        postings = tables.postings.remove(db, self._terms(db, ids))
        documents = 0
        for batch in batched(sorted(ids)):
            clause = among("frame_id", batch)
            documents += db.run(f"DELETE FROM {tables.docs} WHERE {clause.sql}", clause.values)
        return {tables.postings.name: postings, tables.docs: documents}

    def _remove_from_next(self, db: Connection, ids: Sequence[int]) -> dict[str, int]:
        work = read_progress(db, self.name)
        if work is not None and work.rules == ANALYZER:
            return self._remove(db, ids, NEXT)
        # Its terms are not those we would look for: only without any of it is it certainly without these.
        db.run("DELETE FROM rebuild WHERE name = ?", (self.name,))
        return {table: db.run(f"DELETE FROM {table}") for table in NEXT.names}

    def _terms(self, db: Connection, ids: Sequence[int]) -> Iterator[tuple[int, Iterable[str]]]:
        """Under which terms frames stand in the index, a few frames in memory at a time."""
        for batch in batched(sorted(ids)):
            cut = _cut(db, batch)  # the text of a whole book, which stands nowhere in the index
            clause = among("f.frame_id", [frame_id for frame_id in batch if frame_id not in cut])
            for row in sorted(load_rows(db, self._dialect, clause), key=itemgetter(0)):
                frame, text = checked_text(row)
                yield frame.frame_id, count_frame(text, frame.title, frame.speaker)[0]

    def rebuild(self, store: Store) -> int:
        """Make the index beside the old one and switch; see `store/rebuilding.py`."""
        with rebuilding(store, self.name, ANALYZER, tables=NEXT.keyed) as work:
            done_to = work.done_to
            while True:
                with store.read() as snapshot:
                    counted, last = _count_batch(snapshot.db, self._dialect, after=done_to)
                with store.write() as tx:
                    work.check(tx)
                    if last == done_to:
                        # Written since the read just now: few, unless many writers were quicker.
                        counted, last = _count_batch(tx.db, self._dialect, after=done_to)
                        if len(counted) < _REBUILD_BATCH:
                            add(tx.db, counted, NEXT)
                            total = self._switch(store, tx)
                            work.finish(tx)
                            break
                    add(tx.db, _present(tx.db, counted), NEXT)
                    work.advance(store, tx, last)
                done_to = last
        clear(store, self.name, NEXT.keyed)
        return total

    def _switch(self, store: Store, tx: Transaction) -> int:
        """Replace what differs: of a sound index nothing, and whoever keeps it in memory may go on."""
        changed = 0
        for old, new, key in zip(CURRENT.names, NEXT.names, (("term", "block"), ("frame_id",)), strict=True):
            value = "data" if "term" in key else "length"
            same_key = " AND ".join(f"n.{name} = o.{name}" for name in key)
            changed += tx.db.run(
                f"DELETE FROM {old} AS o WHERE NOT EXISTS "
                f"(SELECT 1 FROM {new} n WHERE {same_key} AND n.{value} = o.{value})"
            )
            columns = ", ".join((*key, value))
            changed += tx.db.run(
                f"INSERT INTO {old} ({columns}) SELECT {columns} FROM {new} n WHERE NOT EXISTS "
                f"(SELECT 1 FROM {old} o WHERE {same_key})"
            )
        if store.setting(tx.db, _SETTING) != ANALYZER:
            tx.db.run(f"DELETE FROM {FIELDS.name}")  # of terms by the old rules: spaces make it anew
            changed += 1
        if changed:
            store.set_setting(tx, _SETTING, ANALYZER)
            store.set_setting(tx, REBUILT, str(tx.system))
        return scalar(tx.db, f"SELECT count(*) FROM {CURRENT.docs}")

    def derive(self, tx: Transaction) -> None:
        for counted in _all_counted(tx.db, self._dialect):
            add(tx.db, counted)

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        cleared = clear_abandoned(store, self.name, NEXT.keyed)
        return {"cleared": cleared} if cleared else {}

    def bind(self, store: Store) -> None:
        """Say by which rules this index is made; one made by others is made anew."""
        with store.read() as snapshot:
            analyzer = store.setting(snapshot.db, _SETTING)
            anything = snapshot.db.one("SELECT 1 FROM frame LIMIT 1")
        if analyzer == ANALYZER or store.engine.read_only:
            return
        if anything is not None:
            self.rebuild(store)
            return
        with store.write() as tx:
            store.set_setting(tx, _SETTING, ANALYZER)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        if not deep:
            return
        lengths: dict[int, int] = {}

        def entries() -> Iterator[Entries]:
            for counted in _all_counted(snapshot.db, self._dialect):
                lengths.update((frame_id, length) for frame_id, (_, length) in counted.items())
                yield {frame_id: counts for frame_id, (counts, _) in counted.items()}

        for detail in TERMS.differences(snapshot.db, entries()):
            yield Problem("text", detail, derived=True)
        if dict(snapshot.db.all("SELECT frame_id, length FROM text_doc")) != lengths:
            yield Problem("text", "the index has wrong lengths", derived=True)

    def notes(self, snapshot: Snapshot) -> Iterable[str]:
        note = left_over(snapshot.db, self.name, NEXT.docs)
        return (note,) if note else ()

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        frames = scalar(snapshot.db, f"SELECT count(*) FROM {CURRENT.docs}")
        unfinished = scalar(snapshot.db, f"SELECT count(*) FROM {NEXT.docs}")
        foreign = sum(TERMS.counts(snapshot.db, [MARK + name for name in LANGUAGES]).values())
        return {
            "frames": frames,
            **({"not in English": foreign} if foreign else {}),
            **({"in an unfinished rebuild": unfinished} if unfinished else {}),
        }


def add(db: Connection, counted: Mapping[int, Counted], tables: Tables = CURRENT) -> None:
    """Write postings and lengths; ids must be higher than those already there."""
    tables.postings.add(db, {frame_id: counts for frame_id, (counts, _) in counted.items()})
    db.many(
        _INSERT_LENGTH.format(tables.docs),
        [(frame_id, length) for frame_id, (_, length) in counted.items()],
    )


def _add_prepared(db: Connection, ids: Sequence[int], items: Sequence[Counted | Numbered]) -> None:
    """`add` for what `prepare` has made of the frames, some or all of it in batches."""
    if not any(isinstance(item, Numbered) for item in items):
        add(db, dict(zip(ids, cast("Sequence[Counted]", items), strict=True)))
        return
    groups = batches.by_run(ids, items)
    CURRENT.postings.add_packed(db, batches.pack(groups), first_id=min(ids))
    lengths = [pair for group in groups for pair in group.lengths()]
    db.many(_INSERT_LENGTH.format(CURRENT.docs), lengths if len(groups) == 1 else sorted(lengths))


def _all_counted(db: Connection, dialect: Dialect) -> Iterator[dict[int, Counted]]:
    """Every frame that is indexed (documents with chunks are not), in batches by id."""
    cut = {row[0] for row in db.all("SELECT DISTINCT parent_id FROM frame WHERE start_byte IS NOT NULL")}
    counted: dict[int, Counted] = {}
    for row in scan_frames(db, dialect):
        frame, text = checked_text(row)
        if frame.frame_id not in cut:
            counted[frame.frame_id] = count_frame(text, frame.title, frame.speaker)
        if len(counted) >= _REBUILD_BATCH:
            yield counted
            counted = {}
    if counted:
        yield counted


def _count_batch(db: Connection, dialect: Dialect, *, after: int) -> tuple[dict[int, Counted], int]:
    """The words of the next frames by id, and the last id looked at: frames that were cut have no words."""
    counted: dict[int, Counted] = {}
    last = after
    while len(counted) < _REBUILD_BATCH:
        tail = f" ORDER BY f.frame_id LIMIT {_READ_BATCH}"
        rows = load_rows(db, dialect, Clause("f.frame_id > ?", (last,)), tail=tail)
        cut = _cut(db, [int(row[0]) for row in rows])
        for row in rows:
            if row[0] not in cut:
                frame, text = checked_text(row)
                counted[frame.frame_id] = count_frame(text, frame.title, frame.speaker)
        if rows:
            if int(rows[-1][0]) <= last:  # in the order of a damaged tree, which would be read for ever
                raise damaged("frame")
            last = int(rows[-1][0])
        if len(rows) < _READ_BATCH:
            break
    return counted, last


def _cut(db: Connection, ids: Sequence[int]) -> set[int]:
    """Which of these frames stand in chunks, and are not indexed themselves."""
    clause = among("parent_id", ids)
    sql = f"SELECT DISTINCT parent_id FROM frame WHERE start_byte IS NOT NULL AND {clause.sql}"
    return {int(row[0]) for row in db.all(sql, clause.values)} if ids else set()


def _present(db: Connection, counted: Mapping[int, Counted]) -> dict[int, Counted]:
    """Those not erased since they were read."""
    still: dict[int, Counted] = {}
    for batch in batched(sorted(counted)):
        clause = among("frame_id", batch)
        rows = db.all(f"SELECT frame_id FROM frame WHERE {clause.sql}", clause.values)
        still.update((int(frame_id), counted[int(frame_id)]) for (frame_id,) in rows)
    return still
