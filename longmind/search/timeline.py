"""Time in a question: the range that its phrases mean, and the timeline lane, newest or oldest first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from longmind.base.arrays import Int64Array, np
from longmind.base.columns import Mask, ids_shown
from longmind.base.times import format_ms
from longmind.search.recency import asks_oldest, asks_recency
from longmind.search.request import SearchRequest
from longmind.search.results import RankedFrame
from longmind.search.wording import asking_part
from longmind.store.catalog import CatalogView
from longmind.text.times import Spoken
from longmind.when.anchors import may_name_a_time


@dataclass(frozen=True, slots=True)
class TimeSense:
    """What a question says about time."""

    range: tuple[int | None, int | None] | None = None
    phrases: tuple[str, ...] = ()
    recency: str | None = None
    oldest: str | None = None
    """The words that ask for what came first."""
    notes: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        assert self.range is not None
        since, until = (None if bound is None else format_ms(bound) for bound in self.range)
        named = ", ".join(repr(phrase) for phrase in self.phrases)
        return f"{named} is {since or 'any time'} to {until or 'any time'}"


def sense_of_time(request: SearchRequest) -> TimeSense:
    """The time phrases of the question, resolved where they can be, with a note where they cannot."""
    if request.times == "ignore" or not request.query.strip():
        return TimeSense()
    query = asking_part(request.query)
    recency = asks_recency(query)
    oldest = None if recency else asks_oldest(query)
    if not may_name_a_time(query):
        return TimeSense(recency=recency, oldest=oldest)
    from longmind.when.find import find_times, time_range

    phrases = find_times(query, reference=request.reference, zone=request.zone)
    resolved = [phrase for phrase in phrases if not phrase.unresolved]
    notes = tuple(
        f"{phrase.text!r} could not be resolved without a reference time; pass reference="
        for phrase in phrases
        if phrase.unresolved
    )
    bounds = time_range(resolved) if resolved else None
    sense = TimeSense(bounds, tuple(phrase.text for phrase in resolved), recency, oldest, notes)
    return sense if bounds is None else replace(sense, notes=(*notes, sense.described))


def newest(
    catalog: CatalogView,
    mask: Mask,
    sense: TimeSense,
    *,
    limit: int,
    unprompted: bool,
    spoken: Spoken | None = None,
) -> list[RankedFrame]:
    """Newest first: inside the range that the question names, or because it asks for the latest.

    Inside the range are frames of that time, and those whose texts speak of it. A question about the first or
    the oldest gets the oldest first.
    `unprompted` lets a question that says nothing about time have them too: one in which no other lane finds
    anything to look for.
    """
    if sense.range is None and sense.recency is None and sense.oldest is None and not unprompted:
        return []
    columns = catalog.columns
    ids = ids_shown(mask)
    ids = ids[~columns.has_chunks[ids]]
    moments = columns.occurred_at[ids]
    if sense.range is not None:
        ids, moments = _within(sense.range, ids, moments, spoken)
        reason = sense.described
    elif sense.oldest is not None:
        reason = f"asks for the oldest: {sense.oldest!r}"
    elif sense.recency is not None:
        reason = f"asks for the newest: {sense.recency!r}"
    else:
        reason = "nothing to look for, so the newest"
    sign = -1 if sense.oldest is not None else 1
    if len(ids) > limit:
        # Only those that reach the last rank, ties included, are sorted.
        times = sign * moments
        reach = times >= np.partition(times, len(times) - limit)[len(times) - limit]
        ids, moments = ids[reach], moments[reach]
    ordered = ids[np.lexsort((ids, columns.content[ids], -sign * moments))][:limit]
    return [RankedFrame(int(frame_id), reason) for frame_id in ordered]


def _within(
    bounds: tuple[int | None, int | None], ids: Int64Array, moments: Int64Array, spoken: Spoken | None
) -> tuple[Int64Array, Int64Array]:
    """The frames of a time and those that speak of it, each with the moment by which it lies in the range."""
    since, until = bounds
    inside = np.ones(len(ids), dtype=bool)
    if since is not None:
        inside &= moments >= since
    if until is not None:
        inside &= moments < until
    if spoken is not None and len(spoken.ids):
        positions = np.minimum(spoken.ids.searchsorted(ids), len(spoken.ids) - 1)
        speaks = ~inside & (spoken.ids[positions] == ids)
        moments = np.where(speaks, spoken.moments[positions], moments)
        inside |= speaks
    return ids[inside], moments[inside]
