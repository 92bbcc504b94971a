"""Surrogates: extractive short forms of long frames, stored at ingest or by maintenance."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from longmind.base.frame import Frame
from longmind.context.sentences import Range, salient_of_sizes
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, Dialect, Row, scalar
from longmind.store.frames import checked_text, load_rows
from longmind.store.parts import Budget, Part, Problem
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.tasks import advance
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among
from longmind.store.write import ids_of

VERSION: Final = 1
"""Of the rules that choose the sentences; a surrogate of another version is stale."""

LONG_BYTES: Final = 480
"""A frame up to this long needs no surrogate: its gist would not be much shorter."""

GIST_WORDS: Final = 60
MICRO_WORDS: Final = 18
_BATCH: Final = 200


class Surrogate(NamedTuple):
    """The byte ranges that stand for a frame where the whole does not fit."""

    gist: tuple[Range, ...]
    micro: tuple[Range, ...]


def make_surrogate(text: str) -> Surrogate | None:
    """None for a frame that needs none."""
    if len(text) <= LONG_BYTES and len(text.encode()) <= LONG_BYTES:
        return None
    gist, micro = salient_of_sizes(text, (GIST_WORDS, MICRO_WORDS))
    return Surrogate(tuple(gist), tuple(micro))


class Surrogates(Part):
    """Follows the frames with their short forms."""

    name = "surrogates"

    def __init__(self, dialect: Dialect, *, at_ingest: bool = True) -> None:
        self._dialect = dialect
        self._at_ingest = at_ingest
        self._seen = 0
        """Frames up to this id are done, so that maintenance after every write costs little."""

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        if not self._at_ingest:
            return None
        return [None if draft.chunks else make_surrogate(draft.text) for draft in drafts]

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        if prepared is not None:
            pairs = zip(ids_of(frames), prepared, strict=True)
            _add(tx.db, {frame_id: item for frame_id, item in pairs if isinstance(item, Surrogate)})

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        count = 0
        for batch in batched(ids):
            clause = among("frame_id", batch)
            count += tx.db.run(f"DELETE FROM surrogate WHERE {clause.sql}", clause.values)
        return {"surrogate": count}

    def rebuild(self, store: Store) -> int:
        """Replace each surrogate that differs from what its text gives; none is missing meanwhile."""
        total = after = 0
        while True:
            with store.read() as snapshot:
                ids = _next_ids(snapshot.db, after)
                surrogates = _compute(snapshot.db, self._dialect, ids)
                is_sound = _stored(snapshot.db, ids) == _as_rows(surrogates)
            if not ids:
                break
            if not is_sound:
                with store.write() as tx:
                    self.erased(tx, ids)
                    _add_indexed(tx.db, surrogates)
                    assert tx.system
            total += len(surrogates)
            after = ids[-1]
            advance(after)
        with store.write() as tx:
            surplus = "DELETE FROM surrogate WHERE frame_id NOT IN (SELECT frame_id FROM text_doc)"
            if tx.db.run(surplus):
                assert tx.system
        return total

    def derive(self, tx: Transaction) -> None:
        after = 0
        while ids := _next_ids(tx.db, after):
            _add(tx.db, _compute(tx.db, self._dialect, ids))
            after = ids[-1]

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        refreshed = self._refresh(store, budget)
        return {"refreshed": refreshed} if refreshed else {}

    def _refresh(self, store: Store, budget: Budget) -> int:
        total = 0
        while not budget.exhausted:
            batch = _BATCH if budget.frames is None else min(_BATCH, budget.frames)
            with store.read() as snapshot:
                ids = _stale(snapshot.db, after=self._seen, limit=batch)
                if not ids:
                    newest = snapshot.db.one("SELECT max(frame_id) FROM text_doc")
                    self._seen = int(newest[0]) if newest and newest[0] is not None else self._seen
                    break
                ready = _compute(snapshot.db, self._dialect, ids)
            with store.write() as tx:
                _add_indexed(tx.db, ready)
                assert tx.system
            self._seen = ids[-1]
            total += len(ready)
            budget.spend(len(ready))
        return total

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        rows = snapshot.db.all(
            "SELECT s.frame_id FROM surrogate s LEFT JOIN text_doc d ON d.frame_id = s.frame_id "
            "WHERE d.frame_id IS NULL LIMIT 20"
        )
        for (frame_id,) in rows:
            yield Problem("surrogate", f"frame {frame_id} has a short form and is not indexed", derived=True)
        if deep and self._at_ingest:
            for frame_id in _stale(snapshot.db, after=0, limit=20):
                yield Problem("surrogate", f"frame {frame_id} is long and has no short form", derived=True)
        if deep:
            for frame_id, gist, micro in snapshot.db.all("SELECT frame_id, gist, micro FROM surrogate"):
                if _parsed(gist) is None or _parsed(micro) is None:
                    yield Problem("surrogate", f"the short form of frame {frame_id} is damaged", derived=True)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return {"frames": scalar(snapshot.db, "SELECT count(*) FROM surrogate")}


def read_surrogates(db: Connection, ids: Sequence[int]) -> dict[int, Surrogate]:
    """The current short forms of these frames; those without one are left out."""
    surrogates = {}
    for batch in batched(ids):
        clause = among("frame_id", batch)
        sql = f"SELECT frame_id, gist, micro FROM surrogate WHERE version = {VERSION} AND {clause.sql}"
        for frame_id, gist, micro in db.all(sql, clause.values):
            ranges = _parsed(gist), _parsed(micro)
            if ranges[0] is not None and ranges[1] is not None:
                surrogates[int(frame_id)] = Surrogate(ranges[0], ranges[1])
    return surrogates


def _add(db: Connection, surrogates: Mapping[int, Surrogate]) -> None:
    if surrogates:
        db.many(
            "INSERT INTO surrogate (frame_id, version, gist, micro) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (frame_id) DO UPDATE "
            "SET version = excluded.version, gist = excluded.gist, micro = excluded.micro",
            _as_rows(surrogates),
        )


def _as_rows(surrogates: Mapping[int, Surrogate]) -> list[Row]:
    return [
        (frame_id, VERSION, json.dumps(surrogate.gist), json.dumps(surrogate.micro))
        for frame_id, surrogate in sorted(surrogates.items())
    ]


def _stored(db: Connection, ids: Sequence[int]) -> list[Row]:
    clause = among("frame_id", ids)
    sql = f"SELECT frame_id, version, gist, micro FROM surrogate WHERE {clause.sql} ORDER BY frame_id"
    return db.all(sql, clause.values) if ids else []


def _compute(db: Connection, dialect: Dialect, ids: Sequence[int]) -> dict[int, Surrogate]:
    """The surrogates of these frames, without frames that need none."""
    clause = among("f.frame_id", ids)
    rows = load_rows(db, dialect, clause) if ids else []
    surrogates = {row.frame_id: make_surrogate(text) for row, text in map(checked_text, rows)}
    return {frame_id: item for frame_id, item in surrogates.items() if item is not None}


def _next_ids(db: Connection, after: int) -> list[int]:
    sql = f"SELECT frame_id FROM text_doc WHERE frame_id > ? ORDER BY frame_id LIMIT {_BATCH}"
    return [int(row[0]) for row in db.all(sql, (after,))]


def _parsed(text: str) -> tuple[Range, ...] | None:
    try:
        return tuple((int(start), int(end)) for start, end in json.loads(text))
    except (ValueError, TypeError):
        return None


def _stale(db: Connection, *, after: int, limit: int) -> list[int]:
    """Indexed frames, long enough to need a short form, that have none of this version."""
    size = "coalesce(f.end_byte - f.start_byte, octet_length(t.text))"
    rows = db.all(
        "SELECT d.frame_id FROM text_doc d JOIN frame f ON f.frame_id = d.frame_id "
        "LEFT JOIN frame_text t ON t.frame_id = f.frame_id "
        "LEFT JOIN surrogate s ON s.frame_id = d.frame_id "
        f"WHERE d.frame_id > ? AND {size} > {LONG_BYTES} "
        f"AND (s.version IS NULL OR s.version <> {VERSION}) "
        f"ORDER BY d.frame_id LIMIT {limit}",
        (after,),
    )
    return [int(row[0]) for row in rows]


def _add_indexed(db: Connection, surrogates: Mapping[int, Surrogate]) -> None:
    """Those whose frames are still indexed: a frame may have been erased since its text was read."""
    clause = among("frame_id", list(surrogates))
    indexed = db.all(f"SELECT frame_id FROM text_doc WHERE {clause.sql}", clause.values)
    _add(db, {int(frame_id): surrogates[int(frame_id)] for (frame_id,) in indexed})
