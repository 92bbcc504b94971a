"""A checked search: what is asked, of which frames, by which lanes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final, Literal

from longmind.base.checks import check_choice, check_limit
from longmind.base.errors import InvalidInput
from longmind.base.filters import View, Where
from longmind.base.times import to_ms

LANES: Final = ("text", "vector", "facts", "timeline")
MODES: Final = {
    "hybrid": LANES,
    "text": ("text",),
    "vector": ("vector",),
    "facts": ("facts",),
    "timeline": ("timeline",),
}
MOST_CHARACTERS: Final = 2_000_000
Times = Literal["boost", "filter", "ignore"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Everything that decides the answer; the same request on the same store gives the same bytes."""

    query: str
    view: View
    where: Where
    limit: int
    lanes: tuple[str, ...]
    fusion: str
    reference: int | None
    """The instant from which phrases like 'last week' are reckoned; without it they are reported."""
    times: Times
    zone: tzinfo


def plan_request(
    query: str,
    *,
    view: View,
    where: Where,
    limit: int,
    mode: str,
    lanes: Iterable[str] | None,
    fusion: str,
    reference: datetime | int | None,
    times: Times,
    zone: tzinfo,
) -> SearchRequest:
    """Check the arguments of a search."""
    if not isinstance(query, str):
        raise InvalidInput(f"A query is a string, not {type(query).__name__}.")
    if len(query) > MOST_CHARACTERS:
        raise InvalidInput(f"The query has {len(query)} characters; the most is {MOST_CHARACTERS}.")
    check_choice(mode, "mode", tuple(MODES))
    chosen = MODES[mode]
    if lanes is not None:
        if isinstance(lanes, str):
            raise InvalidInput("lanes must be a list of names, not one string.", hint="Write lanes=['text'].")
        wanted = [check_choice(lane, "lanes", LANES) for lane in lanes]
        chosen = tuple(lane for lane in LANES if lane in wanted)
    if not chosen:
        raise InvalidInput("No lane was chosen.", hint=f"Choose among {', '.join(LANES)}.")
    check_choice(fusion, "fusion", ("score", "rrf"))
    check_choice(times, "times", ("boost", "filter", "ignore"))
    if not isinstance(zone, tzinfo):
        raise InvalidInput("zone must be a tzinfo.", hint="Write zone=ZoneInfo('Europe/Lisbon').")
    return SearchRequest(
        query=query,
        view=view,
        where=where,
        limit=check_limit(limit, "limit", most=1000),
        lanes=chosen,
        fusion=fusion,
        reference=None if reference is None else to_ms(reference, "reference"),
        times=times,
        zone=zone,
    )
