"""The union of what the lanes found, with every lane's score for each frame in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from longmind.base.arrays import Float64Array, Int64Array, np
from longmind.base.columns import AnyColumn, Mask, is_shown
from longmind.base.ordering import best, distinct, numbered, positions_among
from longmind.embed.protocol import Encoding
from longmind.search import constants
from longmind.search.fusion import Neighbourhood, Signals
from longmind.search.late import late_scores
from longmind.search.results import RankedFrame
from longmind.search.state import SearchState
from longmind.store.catalog import CatalogView
from longmind.text.lane import TextScores
from longmind.vectors.late_interaction import LateQuery
from longmind.vectors.nearest import VectorHits

Cosines = tuple[Int64Array, Float64Array]
"""Ids that ascend, and the cosine of each."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a frame gains from a hit that names what it names, and why."""

    amount: float
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """What each lane found; None for a lane that was not asked for or could not run."""

    text: TextScores | None
    text_ids: Int64Array | None
    """The best of them by words, best first."""
    vectors: VectorHits | None
    ranked: Mapping[str, Sequence[RankedFrame]]
    """The lanes without scores that ran, by name."""
    personal: Mapping[int, str] = field(default_factory=dict)
    """Of a request: frames about the person who asks, each with what they say of them."""
    linked: Mapping[int, Link] = field(default_factory=dict)
    """Frames that the first hits lead to."""

    @property
    def ids(self) -> list[Int64Array]:
        """The frames of each lane, best first."""
        scored = [self.text_ids, None if self.vectors is None else self.vectors.ids]
        ranked = [np.array([item.id for item in items], dtype=np.int64) for items in self.ranked.values()]
        named = [np.array(list(frames), dtype=np.int64) for frames in (self.personal, self.linked)]
        return [ids for ids in scored if ids is not None] + [ids for ids in (*ranked, *named) if len(ids)]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Frames by ascending id, and arrays parallel to them."""

    ids: Int64Array
    signals: Signals
    lanes: Lanes


def best_by_words(text: TextScores, limit: int, content: Int64Array) -> Int64Array:
    """Ids by falling score. Content decides ties and the cut, so that the order of writing never does."""
    return text.found[best(text.values, text.found, limit, content=content)]


def with_neighbours(ids: Int64Array, catalog: CatalogView, mask: Mask) -> Int64Array:
    """These frames and the turns beside the first of them, ascending."""
    return distinct(np.concatenate([ids, _beside(ids[: constants.BESIDE], catalog, mask)]))


def gather(
    lanes: Lanes,
    state: SearchState,
    mask: Mask,
    *,
    encoding: Encoding | None,
    late_query: LateQuery | None,
    early: Cosines | None,
) -> Candidates:
    """All frames that a lane found and the turns beside the best, with every signal filled in.

    A frame that only one lane found gets the other lanes' scores too, so that fusion compares like with like.
    """
    members = [np.zeros(0, dtype=np.int64), *lanes.ids]
    first = np.concatenate([ids[: constants.BESIDE] for ids in members])
    ids = distinct(np.concatenate([*members, _beside(first, state.catalog, mask)]))
    words = np.zeros(len(ids)) if lanes.text is None else lanes.text.of(ids)
    cosine = late = None
    neighbours = state.binding.neighbours
    if lanes.vectors is not None and neighbours is not None and encoding is not None:
        computed = [lanes.vectors.looked_at] if early is None else [lanes.vectors.looked_at, early]
        cosine = _cosines(ids, computed, encoding, state)
        if late_query is not None:
            late = late_scores(
                late_query,
                ids,
                words=words,
                cosine=cosine,
                neighbours=neighbours,
                snapshot=state.snapshot,
                content=state.catalog.columns.content,
            )
    is_turn = state.catalog.columns.is_turn[ids]
    return Candidates(ids, Signals(words, cosine, late, is_turn), lanes)


def neighbourhood(ids: Int64Array, catalog: CatalogView, lengths: AnyColumn) -> Neighbourhood:
    """Sessions and neighbours of the candidates, as positions among them."""
    columns = catalog.columns
    sessions = columns.talk[ids]
    return Neighbourhood(
        session=np.where(sessions >= 0, numbered(sessions), -1),
        previous=positions_among(ids, columns.previous[ids]),
        next=positions_among(ids, columns.next[ids]),
        is_short=lengths[ids] <= constants.SHORT_TURN,
    )


def _beside(ids: Int64Array, catalog: CatalogView, mask: Mask) -> Int64Array:
    """The visible frames before and after those of these that are turns."""
    columns = catalog.columns
    turns = ids[columns.is_turn[ids]]
    beside = np.concatenate([columns.previous[turns], columns.next[turns]])
    beside = beside[(beside > 0) & (beside < catalog.size)]
    visible: Int64Array = beside[is_shown(mask, beside)]
    return visible


def _cosines(
    ids: Int64Array, computed: Sequence[Cosines], encoding: Encoding, state: SearchState
) -> Float64Array:
    """From what was computed on the way, and for the rest from the stored vectors; NaN without a vector."""
    cosine = np.full(len(ids), np.nan)
    for known_ids, values in computed:
        positions = positions_among(known_ids, ids)
        present = positions >= 0
        cosine[present] = values[positions[present]]
    missing = np.isnan(cosine)
    if missing.any():
        assert state.binding.neighbours is not None
        others, values = state.binding.neighbours.cosines(encoding.vectors[0], ids[missing], state.snapshot)
        cosine[ids.searchsorted(others)] = values
    return cosine
