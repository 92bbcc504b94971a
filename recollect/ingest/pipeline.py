"""From checked drafts to frames: prepare outside the transaction, apply inside it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from recollect.ingest.report import IngestReport
from recollect.store.drafts import Draft
from recollect.store.parts import Failed
from recollect.store.store import Store
from recollect.store.writing import Prepared, existing, put


def remember(store: Store, drafts: Sequence[Draft]) -> IngestReport:
    """Write the drafts in one transaction, with everything that the store's parts derive from them."""
    started = time.monotonic()
    prepared = _prepare(store, drafts)
    ready = time.monotonic()
    with store.write() as tx:
        results = put(tx, drafts, parts=store.parts, prepared=prepared)
    done = time.monotonic()
    statuses = [result.status for result in results]
    return IngestReport(
        ids=tuple(result.id for result in results),
        created=statuses.count("created"),
        updated=statuses.count("updated"),
        unchanged=statuses.count("unchanged"),
        chunks=sum(len(result.chunks) for result in results),
        warnings=_warnings(prepared),
        durations={"prepare": ready - started, "commit": done - ready},
    )


def _warnings(prepared: Prepared) -> tuple[str, ...]:
    failed = {
        f"{name}: {item.reason}"
        for name, items in prepared.items()
        for item in items
        if isinstance(item, Failed)
    }
    return tuple(sorted(failed))


def _prepare(store: Store, drafts: Sequence[Draft]) -> Prepared:
    """Let each part do its costly work, for what seems new; the transaction looks again."""
    if not store.parts:
        return {}
    names = [draft.content_hash() for draft in drafts]
    with store.read() as snapshot:
        known = existing(snapshot.rows, drafts, names)
    flat: list[Draft] = []
    places: list[int] = []
    place = 0
    for draft, twin in zip(drafts, known, strict=True):
        pieces = draft.flat()
        if twin is None:
            flat += pieces
            places += range(place, place + len(pieces))
        place += len(pieces)
    prepared = {}
    for part in store.parts:
        items = part.prepare(flat) if flat else None
        if items is not None:
            spread: list[object] = [None] * place
            for where, item in zip(places, items, strict=True):
                spread[where] = item
            prepared[part.name] = spread
    return prepared
