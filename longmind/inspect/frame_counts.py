"""Frames counted from their columns in memory: by kind, by space, over time, by session.

Queries that count every frame of a store take longer than a page may take; the columns that searches keep in
memory answer the same in a few milliseconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, Final, NamedTuple

from longmind.base.arrays import BoolArray, Int64Array, np
from longmind.base.filters import EVERYTHING, View
from longmind.base.partitions import split_partition
from longmind.base.times import FOREVER
from longmind.inspect.results import Activity, SessionRow
from longmind.store.catalog_view import CatalogView, PartView

DAY: Final = 86_400_000
_STRETCHES: Final = 120
"""About as many bars as a chart of activity has room for."""
_STEPS: Final = (DAY // 24, DAY // 4, *(DAY * days for days in (1, 7, 30, 91, 365, 1826, 3652, 36525)))


class FrameBounds(NamedTuple):
    """Of all frames in the spaces of a view, at any time: when they are from, and how many were retired."""

    recorded_from: int | None
    recorded_to: int | None
    occurred_from: int | None
    occurred_to: int | None
    retired: int
    recorded_since: int
    retired_since: int


class FrameCounts(NamedTuple):
    """The frames of a view: whole ones by kind, by part of a space and by time; and the number of chunks."""

    kinds: Counter[str]
    partitions: Counter[str]
    activity: tuple[Activity, ...]
    chunks: int


def frame_bounds(catalog: CatalogView, view: View, since: int) -> FrameBounds:
    """The bounds, and what was recorded and retired after `since`."""
    recorded: list[int] = []
    occurred: list[int] = []
    retired = recorded_since = retired_since = 0
    for part, mask in catalog.inside(view):
        if not mask.any():
            continue
        columns = part.columns
        recorded += _ends(columns.recorded_at[mask])
        occurred += _ends(columns.occurred_at[mask])
        whole = mask & ~columns.is_chunk
        ends = columns.retired_at[whole]
        has_ended = ends != FOREVER
        retired += int(np.count_nonzero(has_ended))
        retired_since += int(np.count_nonzero(has_ended & (ends > since)))
        recorded_since += int(np.count_nonzero(columns.recorded_at[whole] > since))
    if not recorded:
        return FrameBounds(None, None, None, None, 0, 0, 0)
    return FrameBounds(
        min(recorded), max(recorded), min(occurred), max(occurred), retired, recorded_since, retired_since
    )


def _ends(moments: Int64Array) -> tuple[int, int]:
    return int(moments.min()), int(moments.max())


def step_of(bounds: FrameBounds) -> int:
    """A length of time that divides what happened into not too many stretches."""
    span = (bounds.occurred_to or 0) - (bounds.occurred_from or 0)
    return next((step for step in _STEPS if span / step <= _STRETCHES), _STEPS[-1])


def frame_counts(catalog: CatalogView, view: View, step: int) -> FrameCounts:
    kinds: Counter[str] = Counter()
    partitions: Counter[str] = Counter()
    by_time: dict[int, Counter[str]] = defaultdict(Counter)
    chunks = 0
    kind_names = list(catalog.codes["kind"])
    for part, mask in catalog.masks(view, EVERYTHING):
        columns = part.columns
        whole = mask & ~columns.is_chunk
        chunks += int(np.count_nonzero(mask)) - int(np.count_nonzero(whole))
        space_names = list(part.table.codes["space"])
        for code, count in _counted(columns.space[whole]):
            partitions[space_names[code]] += count
        stretches = columns.occurred_at[whole] // step
        if not len(stretches):
            continue
        lowest = int(stretches.min())
        pairs = (stretches - lowest) * len(kind_names) + columns.kind[whole]
        for pair, count in _counted(pairs):
            stretch, code = divmod(pair, len(kind_names))
            kinds[kind_names[code]] += count
            by_time[stretch + lowest][kind_names[code]] += count
    activity = tuple(Activity(stretch * step, dict(counts)) for stretch, counts in sorted(by_time.items()))
    return FrameCounts(kinds, partitions, activity, chunks)


def _counted(values: Any) -> list[tuple[int, int]]:
    distinct, counts = np.unique(values, return_counts=True)
    return list(zip(distinct.tolist(), counts.tolist(), strict=True))


def latest_sessions(catalog: CatalogView, view: View, *, most: int) -> list[SessionRow]:
    """The conversations of a view, the one with the latest turn first."""
    turn = catalog.code("kind", "turn")
    rows = [
        row
        for part, mask in catalog.masks(view, EVERYTHING)
        for row in _sessions(part, mask & (part.columns.kind == turn) & (part.columns.session >= 0), most)
    ]
    return sorted(rows, key=lambda row: (-row.last, row.session, row.space, row.user or ""))[:most]


def _sessions(part: PartView, mask: BoolArray, most: int) -> list[SessionRow]:
    """The latest of a segment, and those that ended at the same moment as the last of these."""
    columns = part.columns
    talks, first_slots, inverse, counts = np.unique(
        columns.talk[mask], return_index=True, return_inverse=True, return_counts=True
    )
    if not len(talks):
        return []
    slots = np.flatnonzero(mask)[first_slots]
    occurred = columns.occurred_at[mask]
    first = np.full(len(talks), FOREVER, dtype=np.int64)
    last = np.full(len(talks), -FOREVER, dtype=np.int64)
    np.minimum.at(first, inverse, occurred)
    np.maximum.at(last, inverse, occurred)
    if len(talks) > most:
        latest = last >= np.partition(last, -most)[-most]
        slots, counts, first, last = slots[latest], counts[latest], first[latest], last[latest]
    sessions, spaces = list(part.table.codes["session"]), list(part.table.codes["space"])
    columns_of_rows = (
        (sessions[code] for code in columns.session[slots].tolist()),
        (split_partition(spaces[code]) for code in columns.space[slots].tolist()),
        counts.tolist(),
        first.tolist(),
        last.tolist(),
        part.frames.ids[slots].tolist(),
    )
    return [SessionRow(name, *whose, *rest) for name, whose, *rest in zip(*columns_of_rows, strict=True)]
