"""All vectors made anew: in place by the same embedder, beside the old ones by another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from longmind.store.engine import Connection, scalar
from longmind.store.rebuild import Progress, clear, clear_abandoned, rebuilding
from longmind.store.store import Store
from longmind.store.tasks import advance
from longmind.store.transaction import Transaction
from longmind.store.visible import among
from longmind.vectors.index import FILL_BATCH, NEXT, Embedded, add, indexed, texts_to_embed
from longmind.vectors.rows import REBUILT

if TYPE_CHECKING:
    from longmind.vectors.index import VectorIndex

_ROUNDS: Final = 8
"""After so many tries to switch while others wrote, what they wrote is embedded with the writers waiting."""


def mend(index: VectorIndex, store: Store) -> int:
    """Compare each frame's rows with what they should be, and replace those that differ.

    Always from the first frame on: a row found sound before a kill may have been damaged since.
    """
    clear_abandoned(store, index.name, NEXT)
    after = 0
    while ready := _next_batch(index, store, after=after):
        after = max(ready)
        advance(after)
        with store.read() as snapshot:
            is_sound = not _differing(index, snapshot.db, ready)
        if is_sound:
            continue
        with store.write() as tx:
            index.refuse_mismatch(tx.db)
            _mend_batch(index, store, tx, ready)
    with store.write() as tx:
        index.refuse_mismatch(tx.db)
        return _drop_surplus(index, store, tx)


def replace(index: VectorIndex, store: Store) -> int:
    """Make the vectors of another embedder beside those there are, and switch to both in one commit."""
    basis = index.make_basis().to_text() if index.embedder.supports_tokens else ""
    with rebuilding(store, index.name, index.identity, detail=basis, tables=NEXT) as work:
        index.use_basis(work.detail or None)
        done_to, rounds = work.done_to, 0
        while True:
            ready = _next_batch(index, store, after=done_to)
            with store.write() as tx:
                work.check(tx)
                if ready:
                    done_to = _keep(tx, ready)
                    work.advance(store, tx, done_to)
                    continue
                rounds += 1
                if rounds <= _ROUNDS and _ids(tx.db, after=done_to):
                    continue
                while rest := _ids(tx.db, after=done_to):
                    texts = texts_to_embed(tx.db, store.engine.dialect, rest)
                    done_to = _keep(tx, _embedded(index, texts))
                total = _switch(index, store, tx, work)
                break
    clear(store, index.name, NEXT)
    return total


def _keep(tx: Transaction, ready: Mapping[int, Embedded]) -> int:
    """Put into the next vectors what was not erased meanwhile; return the last frame."""
    present = set(indexed(tx.db, list(ready)))
    present_items = {frame_id: item for frame_id, item in ready.items() if frame_id in present}
    add(tx, present_items, written_at=0, suffix="_next")
    return max(ready)


def _switch(index: VectorIndex, store: Store, tx: Transaction, work: Progress) -> int:
    tx.db.run("DELETE FROM frame_token")
    tx.db.run("DELETE FROM frame_vector")
    total = tx.db.run(
        "INSERT INTO frame_vector (frame_id, text_key, written_at, windows, data) "
        "SELECT frame_id, text_key, ?, windows, data FROM frame_vector_next",
        (tx.system,),
    )
    tx.db.run("INSERT INTO frame_token (frame_id, data) SELECT frame_id, data FROM frame_token_next")
    if index.mirror is not None:
        index.mirror.drop(tx)
    index.set_identity(tx, work.detail or None)
    store.set_setting(tx, REBUILT, str(tx.system))
    work.finish(tx)
    return total


def _next_batch(index: VectorIndex, store: Store, *, after: int) -> dict[int, Embedded]:
    with store.read() as snapshot:
        ids = _ids(snapshot.db, after=after)
        texts = texts_to_embed(snapshot.db, store.engine.dialect, ids) if ids else {}
    return _embedded(index, texts)


def _embedded(index: VectorIndex, texts: Mapping[int, str]) -> dict[int, Embedded]:
    embedded = index.embed(list(texts.values()), anew=True) if texts else []
    return {frame_id: item for frame_id, item in zip(texts, embedded, strict=True) if item is not None}


def _ids(db: Connection, *, after: int) -> list[int]:
    sql = f"SELECT frame_id FROM text_doc WHERE frame_id > ? ORDER BY frame_id LIMIT {FILL_BATCH}"
    return [int(row[0]) for row in db.all(sql, (after,))]


def _mend_batch(index: VectorIndex, store: Store, tx: Transaction, ready: Mapping[int, Embedded]) -> None:
    differing = _differing(index, tx.db, ready)
    present = set(indexed(tx.db, list(ready)))
    wrong = {frame_id: item for frame_id, item in ready.items() if frame_id in present & differing.keys()}
    without = [frame_id for frame_id, item in wrong.items() if item.signs is None]
    if without:
        clause = among("frame_id", without)
        tx.db.run(f"DELETE FROM frame_token WHERE {clause.sql}", clause.values)
    index.add(tx, wrong)
    if any(differing[frame_id] for frame_id in wrong):
        # Whoever has the old vectors in memory must load them again; new ones are loaded anyway.
        store.set_setting(tx, REBUILT, str(tx.system))


def _differing(index: VectorIndex, db: Connection, ready: Mapping[int, Embedded]) -> dict[int, bool]:
    """Frames whose rows are not these, each with whether it has vectors at all."""
    clause = among("v.frame_id", sorted(ready))
    sql = (
        "SELECT v.frame_id, v.text_key, v.windows, v.data, t.data FROM frame_vector v "
        f"LEFT JOIN frame_token t ON t.frame_id = v.frame_id WHERE {clause.sql}"
    )
    stored = {
        int(frame_id): Embedded(bytes(key), windows, bytes(data), None if signs is None else bytes(signs))
        for frame_id, key, windows, data, signs in db.all(sql, clause.values)
    }
    wrong = {frame_id for frame_id, item in ready.items() if stored.get(frame_id) != item}
    wrong |= index.wrong_in_mirror(db, {k: item for k, item in ready.items() if k not in wrong})
    return {frame_id: frame_id in stored for frame_id in wrong}


def _drop_surplus(index: VectorIndex, store: Store, tx: Transaction) -> int:
    """Rows of frames that have no vectors by right; return how many have some."""
    surplus = tx.db.run("DELETE FROM frame_vector WHERE frame_id NOT IN (SELECT frame_id FROM text_doc)")
    surplus += tx.db.run("DELETE FROM frame_token WHERE frame_id NOT IN (SELECT frame_id FROM frame_vector)")
    if index.mirror is not None and index.mirror.exists(tx.db):
        surplus += tx.db.run(
            "DELETE FROM frame_window WHERE frame_id NOT IN (SELECT frame_id FROM frame_vector)"
        )
    if surplus:
        store.set_setting(tx, REBUILT, str(tx.system))
    return scalar(tx.db, "SELECT count(*) FROM frame_vector")
