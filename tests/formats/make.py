"""Makes the kept files: `python -m tests.formats.make 1` writes a store of format 1, and what it must answer.

A file is made once, when its format is released, and kept for good; tests upgrade a copy and ask it again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from longmind import ALL, AsOf, FrozenClock
from longmind.base.filters import View, Where
from longmind.base.frame import Frame
from longmind.base.hashing import checksum
from longmind.store import expiry, frames, visible, write
from longmind.store.drafts import chunked, draft
from longmind.store.engine import Connection
from longmind.store.sqlite import SqliteEngine
from longmind.store.store import Store
from longmind.store.tables import CANONICAL, DROPPED, LOG
from longmind.store.write import put, relabel, retire, supersede

LOAD_QUERY = frames._load_query

FOLDER = Path(__file__).parent
START = 1_700_000_000_000
DAY = 86_400_000


def make(number: int) -> Path:
    path = FOLDER / f"format_{number}.mind"
    path.unlink(missing_ok=True)
    clock = FrozenClock(START)
    engine = SqliteEngine(
        str(path),
        clock=clock,
        read_only=False,
        create=True,
        durability="full",
        entropy=lambda count: bytes(range(count)),
    )
    engine.migrate(to=number)
    store = Store(engine, clock=clock, entropy=lambda count: bytes(range(count)))
    with store.write() as tx:
        store.set_setting(tx, "store_id", store.entropy(16).hex())
    with _without_tables_after(number):
        _fill(store, clock, number)
        engine.compact()
        (FOLDER / f"format_{number}.json").write_text(
            json.dumps(answers(store), ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8"
        )
    store.close()
    return path


@contextmanager
def _without_tables_after(number: int) -> Iterator[None]:
    """Today's code asks every store for its rules; a file of an older format has no tables for them."""
    hidden, check = visible._HIDDEN, write.check_rules
    absent, unexpired, staged = visible._ABSENT, visible.unexpired, visible._STAGED
    query, extend = frames._load_query, expiry.extend
    try:
        if number < 13:
            visible._STAGED = "SELECT 1 FROM (SELECT 0 AS published_at) fs WHERE 1 = 0 AND "  # type: ignore[misc]
        if number < 12:
            visible._ABSENT = "SELECT ? + ? WHERE 1 = 0"  # type: ignore[misc]
            visible.unexpired = lambda view, frame="": visible.Clause("1 = 1")
            expiry.extend = lambda tx, frame_id, expires_at: False
            frames._load_query = _query_without_expiry  # type: ignore[assignment]
        if number < 11:
            visible._HIDDEN = "SELECT 1 WHERE 1 = 0"  # type: ignore[misc]
            write.check_rules = lambda db, drafts: None
        yield
    finally:
        visible._HIDDEN, write.check_rules = hidden, check  # type: ignore[misc]
        visible._ABSENT, visible.unexpired, visible._STAGED = absent, unexpired, staged  # type: ignore[misc]
        expiry.extend, frames._load_query = extend, query


def _query_without_expiry(condition: str, *, expiry: bool) -> str:
    columns, rest = LOAD_QUERY(condition, expiry=False).split(" FROM frame f ", 1)
    return f"{columns}{', NULL, NULL' if expiry else ''} FROM frame f {rest}"


def _count(db: Connection, number: int) -> None:
    """The accounts of formats 9 and 10: by table the rows and the sum of their checksums, or of ids for texts."""
    there = {name for (name,) in db.all("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    tables = [table for table in CANONICAL if table in there and table not in ("store_clock", *LOG)]
    tables += [table for table, dropped in DROPPED.items() if number < dropped]
    for table in tables:
        if table == "ingest_source":
            weights = [checksum(*row) for row in db.all(f"SELECT * FROM {table}")]
        else:
            column = "frame_id" if table == "frame_text" else "checksum"
            weights = [row[0] for row in db.all(f"SELECT {column} FROM {table}")]
        account = (table, len(weights), (sum(weights) + 2**63) % 2**64 - 2**63)
        db.run(
            "INSERT INTO store_account VALUES (?, ?, ?, ?)", (*account, checksum("account", *account))
        )


def _fill(store: Store, clock: FrozenClock, number: int) -> None:
    with store.write() as tx:
        texts = ("Ana lives in Porto.", "Ben plays chess.")
        put(tx, [draft(text, space="default", tags=["first"]) for text in texts])
    clock.advance(days=1)
    with store.write() as tx:
        put(
            tx,
            [
                draft("Ana lives in Lisbon.", space="default", session="s1", role="user", speaker="Ana"),
                draft(
                    "Für alle: Schluss um 18 Uhr. 事務所", space="team/web", scope="global", source="system"
                ),
                draft(
                    "For the team.", space="team/web", metadata={"n": 3, "deep": {"a": [1, 2.5, None, "ü"]}}
                ),
                draft(
                    "Long ago.",
                    space="default",
                    occurred_at=START - 1000 * DAY,
                    title="Old",
                    uri="file:///old",
                ),
                draft("Keyed.", space="default", kind="note", idempotency_key="key-1"),
            ],
        )
    clock.advance(days=1)
    with store.write() as tx:
        supersede(tx, 1, 3, view=View(ALL))
    with store.write() as tx:
        retire(tx, [2], reason="forgotten")
    clock.advance(days=1)
    with store.write() as tx:
        relabel(tx, 5, add_tags=["seen"], set_metadata={"n": "4"}, drop_metadata=["deep"])
    text = "Première partie. Deuxième partie. Troisième partie."
    bounds = [len(text[:place].encode()) for place in (0, 17, 34, len(text))]
    whole = draft(text, space="default", kind="document", title="Document", tags=["doc"])
    with store.write() as tx:
        put(tx, [chunked(whole, [(bounds[i], bounds[i + 1], None) for i in range(3)])])
        if number in (9, 10):
            _count(tx.snapshot.db, number)  # with the counter of frames stored


def _told(frame: Frame) -> dict[str, Any]:
    """A frame without what no earlier format could say of it."""
    later = ("user", "expires_at")
    return {name: value for name, value in asdict(frame).items() if name not in later or value is not None}


def answers(store: Store) -> dict[str, Any]:
    """Every frame, as seen at several moments."""
    found: dict[str, Any] = {}
    with store.read() as snapshot:
        found["revision"] = snapshot.revision
        for days in (0, 1, 2, 3, None):
            system = AsOf.LATEST.system if days is None else START + days * DAY + 100
            view = View(ALL, AsOf(system=system, valid=AsOf.LATEST.valid))
            ids = frames.select_ids(snapshot.db, view, Where())
            seen = frames.fetch(snapshot.db, store.engine.dialect, ids, view)
            found[f"day {days}"] = [_told(frame) for frame in seen]
        for name, where in {
            "tagged": Where(tags=["first"]),
            "seen": Where(any_tags=["seen", "doc"]),
            "n": Where(metadata={"n": {"gte": 3}}),
            "session": Where(session="s1"),
            "old": Where(until=START),
        }.items():
            found[name] = frames.select_ids(snapshot.db, View(ALL), where)
        found["timeline"] = [
            frame.id
            for frame in frames.timeline(
                snapshot.db, store.engine.dialect, View(("default",)), limit=100, chunks=True
            )
        ]
    return json.loads(json.dumps(found))


if __name__ == "__main__":
    print(make(int(sys.argv[1])))
