"""A search as a value: the question, the frames it may see, and the lanes that look for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any, Final, Literal, Self, TypedDict, Unpack

from longmind.base.checks import check_choice, check_limit, check_share
from longmind.base.errors import InvalidInput
from longmind.base.filters import EVERYTHING, View, Where
from longmind.base.frame import PARTS
from longmind.base.times import to_ms
from longmind.facts.trust import level

LANES: Final = ("text", "vector", "facts", "timeline", "images")
MODES: Final = {
    "hybrid": LANES,
    "text": ("text",),
    "vector": ("vector",),
    "facts": ("facts",),
    "timeline": ("timeline",),
    "images": ("images",),
}
FUSIONS: Final = ("score", "rrf")
TIMES: Final = ("boost", "filter", "ignore")
MOST_CHARACTERS: Final = 2_000_000
MOST_RESULTS: Final = 1000
MOST_QUERIES: Final = 1000

Fusion = Literal["score", "rrf"]
Times = Literal["boost", "filter", "ignore"]


class SearchOptions(TypedDict, total=False):
    """Keyword arguments that `search`, `why_not` and `recall` share.

    `mode` is "hybrid" or the name of one lane; `lanes` names several instead. `reference` is the moment that
    phrases such as 'last week' are relative to. `times` says what a date in the question does: raise frames
    of that time, filter out all others, or nothing.
    """

    where: Where | Mapping[str, Any] | None
    mode: str
    lanes: Annotated[Iterable[str] | None, "Only these of: text, vector, facts, timeline, images."]
    fusion: Annotated[Fusion, "How the lanes are put together."]
    reference: datetime | int | None
    times: Annotated[
        Times, "Whether a date in the question raises frames of that time, keeps only them, or is ignored."
    ]
    zone: tzinfo
    min_trust: Annotated[
        Literal["low", "normal", "high"] | None, "Only facts that rest on a source of at least this trust."
    ]
    min_score: Annotated[
        float | None,
        "Only hits of at least this confidence, from 0 to 1. recall has a default (0.35; 0.15 about "
        "whom the ledger knows; 0.05 by words alone), search none; 0.85 refuses most questions that are "
        "strange to the store.",
    ]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Everything that decides the result: the same request on the same store gives the same bytes.

    Checked when it is made, so that no step of a search has to look again.
    """

    query: str
    view: View
    where: Where = EVERYTHING
    limit: int = 10
    lanes: tuple[str, ...] = LANES
    fusion: Fusion = "score"
    reference: int | None = None
    """Unix milliseconds. Without it, relative time phrases are not resolved, and a note says so."""
    times: Times = "boost"
    zone: tzinfo = UTC
    min_trust: str | None = None
    """Facts of sources that are trusted less are left out, of the lane and of cards."""
    min_score: float | None = None
    """Hits of less confidence are left out, before the limit."""

    def __post_init__(self) -> None:
        if not isinstance(self.query, str):
            raise InvalidInput(f"A query is a string, not {type(self.query).__name__}.")
        if len(self.query) > MOST_CHARACTERS:
            raise InvalidInput(f"The query has {len(self.query)} characters; the most is {MOST_CHARACTERS}.")
        if not self.lanes:
            raise InvalidInput("No lane was chosen.", hint=f"Choose among {', '.join(LANES)}.")
        check_choice(self.fusion, "fusion", FUSIONS)
        check_choice(self.times, "times", TIMES)
        level(self.min_trust)
        if self.min_score is not None:
            check_share(self.min_score, "min_score")
        if not isinstance(self.zone, tzinfo):
            raise InvalidInput("zone must be a tzinfo.", hint="Write zone=ZoneInfo('Europe/Lisbon').")
        check_limit(self.limit, "limit", most=MOST_RESULTS)

    @classmethod
    def of(cls, query: str, view: View, *, limit: int = 10, **options: Unpack[SearchOptions]) -> Self:
        """From a caller's arguments, which may be mappings, names of lanes in any order, and datetimes."""
        fields: dict[str, Any] = {**options}
        fields["lanes"] = _lanes(fields.pop("mode", "hybrid"), fields.pop("lanes", None))
        fields["where"] = _with_parts(Where.of(fields.pop("where", None)))
        if fields.get("reference") is not None:
            fields["reference"] = to_ms(fields["reference"], "reference")
        return cls(query, view, limit=limit, **fields)


def check_queries(queries: Iterable[str]) -> list[str]:
    """Several questions, as a list of them; each is checked when its request is made."""
    if isinstance(queries, str):
        raise InvalidInput("queries must be a list of questions, not one string.", hint="Write [query].")
    chosen = list(queries)
    if len(chosen) > MOST_QUERIES:
        raise InvalidInput(
            f"There are {len(chosen)} questions; the most at once is {MOST_QUERIES}.", hint="Ask in parts."
        )
    return chosen


def _with_parts(where: Where) -> Where:
    """Hits are chunks: who looks for photos also means the text in them, and for videos their seconds."""
    more = {PARTS[kind] for kind in where.kind if kind in PARTS} - set(where.kind)
    return where.with_kinds(more) if more else where


def _lanes(mode: str, names: Iterable[str] | None) -> tuple[str, ...]:
    """The lanes by name, always in the same order; without names, those of the mode."""
    check_choice(mode, "mode", tuple(MODES))
    if names is None:
        return MODES[mode]
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInput(
            f"lanes must be a list of names, not one {type(names).__name__}.", hint="Write lanes=['text']."
        )
    chosen = {check_choice(name, "lanes", LANES) for name in names}
    return tuple(lane for lane in LANES if lane in chosen)
