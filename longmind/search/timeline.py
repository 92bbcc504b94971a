"""The timeline lane: newest first, for questions about time; and the range a question speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longmind.base.times import format_ms
from longmind.search.candidates import RankedFrame
from longmind.search.request import SearchRequest
from longmind.store.catalog import CatalogView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
else:
    Mask = Any


@dataclass(frozen=True, slots=True)
class TimeSense:
    """What a question says about time."""

    range: tuple[int | None, int | None] | None = None
    phrases: tuple[str, ...] = ()
    recency: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        assert self.range is not None
        since, until = (None if bound is None else format_ms(bound) for bound in self.range)
        named = ", ".join(repr(phrase) for phrase in self.phrases)
        return f"{named} is {since or 'any time'} to {until or 'any time'}"


def sense_of_time(request: SearchRequest) -> TimeSense:
    """Time phrases of the question, resolved where they can be; what cannot is noted."""
    if request.times == "ignore" or not request.query.strip():
        return TimeSense()
    from longmind.search.recency import asks_recency
    from longmind.when.find import find_times, time_range

    phrases = find_times(request.query, reference=request.reference, zone=request.zone)
    resolved = [phrase for phrase in phrases if not phrase.unresolved]
    found = time_range(resolved) if resolved else None
    notes = tuple(
        f"{phrase.text!r} could not be resolved without a reference time; pass reference="
        for phrase in phrases
        if phrase.unresolved
    )
    sense = TimeSense(found, tuple(phrase.text for phrase in resolved), asks_recency(request.query), notes)
    if found is not None:
        return TimeSense(found, sense.phrases, sense.recency, (*notes, sense.described))
    return sense


def newest(
    catalog: CatalogView, mask: Mask, sense: TimeSense, *, limit: int, asked: bool
) -> list[RankedFrame]:
    """Newest first: inside the range the question names, or because it asks for the latest.

    `asked` is for a question in which no other lane finds anything to look for.
    """
    import numpy as np

    if sense.range is None and sense.recency is None and not asked:
        return []
    columns = catalog.columns
    chosen = mask.copy()
    if sense.range is not None:
        since, until = sense.range
        if since is not None:
            chosen &= columns.occurred_at >= since
        if until is not None:
            chosen &= columns.occurred_at < until
        reason = sense.described
    elif sense.recency is not None:
        reason = f"asks for the newest: {sense.recency!r}"
    else:
        reason = "nothing to look for, so the newest"
    ids = np.flatnonzero(chosen & ~_has_chunks(catalog))
    if len(ids) > limit:
        times = columns.occurred_at[ids]
        ids = ids[times >= np.partition(times, len(times) - limit)[len(times) - limit]]
    placed = ids[np.lexsort((ids, columns.content[ids], -columns.occurred_at[ids]))][:limit]
    return [RankedFrame(int(frame_id), reason) for frame_id in placed]


def _has_chunks(catalog: CatalogView) -> Mask:
    """Documents that are found through their chunks."""
    import numpy as np

    found = np.zeros(catalog.size, dtype=bool)
    parents = catalog.columns.parent[catalog.columns.is_chunk]
    found[parents[parents > 0]] = True
    return found
