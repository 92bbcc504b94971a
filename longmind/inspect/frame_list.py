"""The list of frames, a page at a time: which they are is known from the columns in memory.

A condition that few frames meet would otherwise have to be tested on every row of the store.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from longmind.base.arrays import Int64Array, np
from longmind.base.checks import check_limit, check_text
from longmind.base.filters import SpaceLike, View, Where
from longmind.base.parameters import AsUser, Limit
from longmind.base.partitions import split_partition
from longmind.base.times import AsOf
from longmind.inspect.results import FramePage, FrameRow
from longmind.inspect.scope import MOST, view_of
from longmind.memory import Memory
from longmind.store.catalog_view import CatalogView
from longmind.store.engine import Connection, Dialect, Row
from longmind.store.letters import containing
from longmind.store.tables import batched
from longmind.store.visible import Clause, among

_PREVIEW: Final = 280
_SEARCHED: Final = 2000
"""Texts that are looked through before the clock is asked whether it is enough for one page."""
_SECONDS: Final = 0.3
"""So long texts are looked through for one page; however few of them match, the others are the next's."""
_GAPS: Final = 4
"""Frames that are at least one in so many are read as one stretch of the table, and others one by one."""


def frames(
    memory: Memory,
    *,
    kinds: Annotated[list[str] | None, "Only of this kind, or these."] = None,
    session: Annotated[str | None, "Only of this session."] = None,
    text: Annotated[str | None, "Only with these letters in the title or the text."] = None,
    before: Annotated[int | None, "Where the page before ended."] = None,
    limit: Limit = 100,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> FramePage:
    """Frames with the beginning of their text, the newest first, a page at a time.

    A page of those with some text may have few frames, or none, and another page after it.
    """
    check_limit(limit, "limit", most=MOST)
    view = view_of(memory, space, user, as_of)
    where = Where(kind=kinds or None, session=session)
    dialect = memory.store.engine.dialect
    with memory.store.read() as snapshot:
        candidates = _newest(memory.store.catalog.at(snapshot, view), view, where, before)
        looked_to = None
        if text:
            ids, looked_to = _saying(
                snapshot.db, dialect, check_text(text, "text"), candidates, most=limit + 1
            )
        else:
            ids = candidates[: limit + 1].tolist()
        rows = _rows(snapshot.db, ids[:limit])
    return FramePage(rows, ids[limit - 1] if len(ids) > limit else looked_to)


def _newest(catalog: CatalogView, view: View, where: Where, before: int | None) -> Int64Array:
    """The whole frames of a view, those with the highest ids first."""
    parts = [part.frames.ids[mask & ~part.columns.is_chunk] for part, mask in catalog.masks(view, where)]
    ids = parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
    return (ids if before is None else ids[: ids.searchsorted(before)])[::-1]


def _saying(
    db: Connection, dialect: Dialect, letters: str, candidates: Int64Array, *, most: int
) -> tuple[list[int], int | None]:
    """Those of the frames with some letters in them; and where the search ended, if others remain."""
    deadline = time.monotonic() + _SECONDS
    saying: list[int] = []
    for first in range(0, len(candidates), _SEARCHED):
        group = candidates[first : first + _SEARCHED]
        matching = {
            int(row[0])
            for table, column in (("frame_text", "x.text"), ("frame", "x.title"))
            for clause in _located(group)
            for row in _matching(db, table, clause & containing(column, letters, dialect))
        }
        saying += [frame_id for frame_id in group.tolist() if frame_id in matching]
        is_last = first + len(group) == len(candidates)
        if len(saying) >= most or is_last:
            break
        if time.monotonic() >= deadline:
            return saying, int(group[-1])
    return saying[:most], None


def _located(ids: Int64Array) -> Iterator[Clause]:
    """Where these frames lie, which descend: in one stretch of ids, or in so many places."""
    highest, lowest = int(ids[0]), int(ids[-1])
    if highest - lowest < _GAPS * len(ids):
        yield Clause("x.frame_id >= ? AND x.frame_id <= ?", (lowest, highest))
    else:
        for batch in batched(ids.tolist()):
            yield among("x.frame_id", batch)


def _matching(db: Connection, table: str, clause: Clause) -> list[Row]:
    return db.all(f"SELECT x.frame_id FROM {table} x WHERE {clause.sql}", clause.values)


def _rows(db: Connection, ids: Sequence[int]) -> tuple[FrameRow, ...]:
    clause = among("f.frame_id", ids)
    sql = (
        "SELECT f.frame_id, f.kind, f.space, f.session, f.role, f.speaker, f.title, "
        f"substr(x.text, 1, {_PREVIEW}), length(x.text), f.occurred_at, f.recorded_at, f.retired_at "
        "FROM frame f LEFT JOIN frame_text x ON x.frame_id = f.frame_id "
        f"WHERE {clause.sql} ORDER BY f.frame_id DESC"
    )
    return tuple(_frame_row(row) for row in db.all(sql, clause.values))


def _frame_row(row: Row) -> FrameRow:
    frame_id, kind, partition, session, role, speaker, title, text, size, *times = row
    space, user = split_partition(partition)
    return FrameRow(frame_id, kind, space, user, session, role, speaker, title, text or "", size or 0, *times)
