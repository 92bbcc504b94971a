"""What is done of a source that takes long to read: an interrupted read goes on from there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from longmind.base.checks import canonical_json
from longmind.ingest.source import Source, Unreadable
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.tables import Tables, batched
from longmind.store.transaction import Transaction
from longmind.store.visible import among


class ProgressRow(NamedTuple):
    space: str
    uri: str
    step: str
    number: int
    result: str


TABLES = Tables({ProgressRow: "ingest_progress"}, keys={ProgressRow: 4})


class Checkpoints:
    """Keeps results of one source in the store until the source is read to its end.

    A space with redaction rules keeps none: what is not yet whole cannot be searched for what they name. A
    changed file begins anew, because its size and its time are part of the name of every step.
    """

    def __init__(self, store: Store, space: str, source: Source, is_stopped: Callable[[], bool]) -> None:
        self._store = store
        self._space = space
        self._uri = source.uri
        self._version = f"{source.size}-{source.changed}"
        self._is_stopped = is_stopped
        self._is_kept = bool(source.uri) and source.path is not None

    def check(self) -> None:
        """Stop here if the call that reads the source was cancelled."""
        if self._is_stopped():
            raise Unreadable("interrupted", "Reading it was interrupted; the next run goes on from there.")

    def done(self, step: str) -> dict[int, Any]:
        """The results of a step by their numbers."""
        if not self._is_kept:
            return {}
        with self._store.read() as snapshot:
            rows = TABLES.select(
                snapshot.db,
                ProgressRow,
                "x.space = ? AND x.uri = ? AND x.step = ? ORDER BY x.number",
                (self._space, self._uri, self._named(step)),
            )
        return {row.number: json.loads(row.result) for row in rows}

    def keep(self, step: str, number: int, result: Any) -> None:
        if self._is_kept and self._store.redaction.redactor(self._space) is None:
            text = canonical_json(result, "result")
            with self._store.write() as tx:
                TABLES.upsert(tx.db, ProgressRow(self._space, self._uri, self._named(step), number, text))

    def _named(self, step: str) -> str:
        return f"{self._version} {step}"


def forget(db: Connection, space: str, uris: Sequence[str]) -> int:
    """Remove what is kept of sources, because they are read or gone."""
    count = 0
    for batch in batched(uris):
        clause = among("uri", batch)
        sql = f"DELETE FROM ingest_progress WHERE space = ? AND {clause.sql}"
        count += db.run(sql, (space, *clause.values))
    return count


def forget_frames(tx: Transaction, ids: Sequence[int]) -> int:
    """Remove what is kept of the sources of frames that are being erased."""
    count = 0
    for batch in batched(ids):
        clause = among("frame_id", batch)
        rows = tx.db.all(
            f"SELECT DISTINCT space, uri FROM frame WHERE uri IS NOT NULL AND {clause.sql}", clause.values
        )
        count += sum(forget(tx.db, str(space), [str(uri)]) for space, uri in rows)
    return count
