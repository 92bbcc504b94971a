"""Documents that are too large for one transaction: written in parts, and there for nobody until the last.

Each part is a transaction of its own with frames of its own range of ids: the text index takes only ids above
those it has, and other writers come in between. No read shows a range before it is published, and publishing
is one small transaction, with whatever must not be seen earlier, such as facts. If the writer is killed, what
it left is removed by the next ingest or by maintenance, as an erase removes it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from longmind.base.errors import Conflict
from longmind.base.processes import host_name, is_alive
from longmind.store.drafts import Draft
from longmind.store.engine import Connection
from longmind.store.erasure import ErasureCertificate, erase_staged
from longmind.store.frames import FrameRow
from longmind.store.parts import Part
from longmind.store.rules import check_rules
from longmind.store.store import Store
from longmind.store.tables import Tables
from longmind.store.transaction import Transaction
from longmind.store.write import Prepared, Put, Written, existing, insert_frames, new_row, put, tell_parts

_SILENT: Final = 3_600_000
"""Milliseconds after which a writer that cannot be asked counts as gone: one on another machine, or one whose
process number another process has by now. A part takes seconds to minutes."""

_HERE: Final[set[str]] = set()
"""Whoever is writing in this process."""


class StagedRow(NamedTuple):
    first_id: int
    last_id: int
    frame_id: int
    """The document."""
    published_at: int | None
    holder: str | None


_SEALED: Final = Tables({StagedRow: "frame_staged"})


class StagedDocument:
    """One document that is being written in parts."""

    def __init__(self, store: Store, document: Draft, parts: Sequence[Part]) -> None:
        self._store = store
        self._document = document
        self._parts = parts
        self._name = document.content_hash()
        self._holder = f"{host_name()} {os.getpid()} {uuid.uuid4().hex}"
        self._whole: FrameRow | None = None
        self._chunks: list[int] = []
        self._told_later: list[tuple[FrameRow, Draft, dict[str, object]]] = []
        """Frames that the parts which need the whole have something for."""
        _HERE.add(self._holder)

    def add(self, chunks: Sequence[Draft], prepared: Prepared) -> dict[str, int]:
        """Commit some more chunks; with the first ones comes the document itself, also in `prepared`.

        Returns what the parts counted.
        """
        counts: dict[str, int] = {}
        with self._store.write() as tx:
            frames = self._frames(tx, chunks)
            row = StagedRow(
                frames.ids[0], frames.ids[-1], frames.rows[0].parent_id or frames.ids[0], None, self._holder
            )
            check_rules(tx, [self._document])
            if self._whole is not None:
                self._check_ours(tx.db)
            insert_frames(tx, frames)
            _SEALED.insert(tx.db, [row])
            now = [part for part in self._parts if not part.needs_whole]
            tell_parts(tx, now, frames, prepared, counts)
        self._whole = self._whole or frames.rows[0]
        self._chunks += [each.frame_id for each in frames.rows if each.parent_id is not None]
        self._keep_for_later(frames, prepared)
        return counts

    def publish(
        self,
        counts: dict[str, int],
        begin: Callable[[Transaction], None],
        settle: Callable[[Transaction, Put], None],
    ) -> Put:
        """Let all of it be there at once. `begin` and `settle` are called in the same transaction."""
        assert self._whole is not None
        document = replace(self._document, chunks=())
        with self._store.write() as tx:
            check_rules(tx, [document])
            self._check_ours(tx.db)
            begin(tx)
            is_twin = existing(tx.db, [document], [self._name])[0] is not None
            if is_twin:  # somebody else was quicker
                [result] = put(tx, [document], parts=self._parts)
            else:
                self._show(tx)
                self._tell_rest(tx, counts)
                result = Put(self._whole.frame_id, "created", tuple(self._chunks))
            settle(tx, result)
        if is_twin:
            self.discard()
        _HERE.discard(self._holder)
        return result

    def discard(self) -> None:
        """Remove what was written, and its bytes."""
        _HERE.discard(self._holder)
        if self._whole is not None:
            discard(self._store, lambda db: [row.frame_id for row in self._rows(db)])

    def _frames(self, tx: Transaction, chunks: Sequence[Draft]) -> Written:
        document, whole = self._document, self._whole
        first = tx.allocate("frame", len(chunks) + (whole is None))
        rows: list[FrameRow] = []
        drafts: list[tuple[Draft, Draft]] = []
        if whole is None:
            whole = new_row(tx, document, first, name=self._name, parent=None)
            rows.append(whole)
            drafts.append((document, document))
            first += 1
        for frame_id, chunk in enumerate(chunks, first):
            name = chunk.content_hash(self._name)
            rows.append(
                new_row(tx, chunk, frame_id, name=name, parent=whole.frame_id, undated=whole.occurred_at)
            )
            drafts.append((chunk, document))
        return Written(rows, drafts)

    def _rows(self, db: Connection) -> list[StagedRow]:
        return _SEALED.select(db, StagedRow, "x.holder = ? AND x.published_at IS NULL", (self._holder,))

    def _check_ours(self, db: Connection) -> None:
        if not self._rows(db):
            raise Conflict(
                "What was written so far of a large document was removed meanwhile.", hint="Ingest it again."
            )

    def _keep_for_later(self, frames: Written, prepared: Prepared) -> None:
        names = [part.name for part in self._parts if part.needs_whole and part.name in prepared]
        for index, (row, (draft, _)) in enumerate(zip(frames.rows, frames.drafts, strict=True)):
            items = {name: prepared[name][index] for name in names if prepared[name][index]}
            if items:
                self._told_later.append((row, draft, items))

    def _show(self, tx: Transaction) -> None:
        shown = [row._replace(published_at=tx.system, holder=None) for row in self._rows(tx.db)]
        _SEALED.update(tx.db, shown, ("published_at", "holder"))

    def _tell_rest(self, tx: Transaction, counts: dict[str, int]) -> None:
        later = [part for part in self._parts if part.needs_whole]
        if not self._told_later:
            return
        frames = Written(
            [row for row, _, _ in self._told_later],
            [(draft, self._document) for _, draft, _ in self._told_later],
        )
        prepared = {part.name: [items.get(part.name) for _, _, items in self._told_later] for part in later}
        tell_parts(tx, later, frames, prepared, counts)


def discard(store: Store, find: Callable[[Connection], Sequence[int]]) -> ErasureCertificate | None:
    """Remove unpublished documents, found in the transaction that removes them; None if there are none."""
    with store.read() as snapshot:
        if not find(snapshot.db):
            return None
    return erase_staged(store, find)


def discard_abandoned(store: Store) -> ErasureCertificate | None:
    """Remove what writers left that are gone."""
    return discard(store, lambda db: _abandoned(db, store.now()))


def _abandoned(db: Connection, now: int) -> list[int]:
    rows = _SEALED.select(db, StagedRow, "x.published_at IS NULL ORDER BY x.first_id")
    latest: dict[int, tuple[str, int]] = {}
    for row in rows:
        written = db.one("SELECT recorded_at FROM frame WHERE frame_id = ?", (row.last_id,))
        latest[row.frame_id] = (row.holder or "", 0 if written is None else int(written[0]))
    return [
        frame_id for frame_id, (holder, written_at) in latest.items() if _is_gone(holder, now - written_at)
    ]


def _is_gone(holder: str, silent: int) -> bool:
    host, _, rest = holder.rpartition(" ")[0].rpartition(" ")
    if host == host_name() and rest == str(os.getpid()):
        return holder not in _HERE
    if host == host_name() and rest.isdigit() and not is_alive(int(rest)):
        return True
    return silent > _SILENT
