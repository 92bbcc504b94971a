"""Runs the lanes and gathers what each knows of the frames that any of them found."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import LongmindError
from longmind.base.ordering import best, distinct, numbered
from longmind.embed.protocol import Embedder, Encoding
from longmind.embed.windows import encodable
from longmind.search.fusion import SHORT_TURN, Signals, Talk
from longmind.search.results import LaneReport
from longmind.store.catalog import CatalogView
from longmind.store.transaction import Snapshot
from longmind.text.lane import TermUse, TextScores
from longmind.text.words import stem
from longmind.vectors.late_interaction import Basis, LateQuery, content_pieces, late_query, score_late
from longmind.vectors.nearest import NearestFrames, VectorHits

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Cosines = tuple[NDArray[np.int64], NDArray[np.float64]]
    Counts = NDArray[np.int32]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Cosines = Counts = Ids = Mask = Any

DEPTH: Final = 96
"""How many frames the text lane and the vector lane bring in."""

BESIDE: Final = 64
"""Of so many of these the turns beside them are looked at too."""

LATE_FRAMES: Final = 128
LATE_TOKENS: Final = 8000
"""Late interaction looks at this many frames and word pieces at most."""

QUERY_CHARACTERS: Final = 2000
"""Of a longer question the embedder and the facts' lane read the beginning."""

_RUN: Final = re.compile(rb"[0-9A-Za-z\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class RankedFrame:
    """A frame that a lane without scores found, in its place, with the reason."""

    id: int
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedQuery:
    """The question as the embedder sees it, or why it could not."""

    encoding: Encoding | None
    text: str = ""
    problem: str = ""


@dataclass(slots=True, eq=False)
class Candidates:
    """The candidates, ascending by id, with every lane's opinion of each."""

    ids: Ids
    words: Floats
    cosine: Floats | None
    late: Floats | None
    is_turn: Mask
    most_words: float
    terms: tuple[TermUse, ...] = ()
    ranked: Mapping[str, Sequence[RankedFrame]] = field(default_factory=dict)
    reports: list[LaneReport] = field(default_factory=list)

    def signals(self) -> Signals:
        return Signals(self.words, self.cosine, self.late, self.is_turn)


def beginning(query: str) -> str:
    """What is read of a long question, in characters that every engine and model can take."""
    return encodable(query[:QUERY_CHARACTERS]).replace("\0", " ")


class Embedding:
    """A question's encoding: made at once, or on its way on another thread.

    A model in this process works without Python and ends soon, so that the lanes for words need not wait for
    it. A server may take long: it is asked before the snapshot is taken.
    """

    def __init__(
        self, embedder: Embedder | None, problem: str, query: str, candidates: Callable[[], Executor]
    ) -> None:
        self._made: EmbeddedQuery | None = None
        self._coming: Future[EmbeddedQuery] | None = None
        if getattr(embedder, "runs_here", False):
            self._coming = candidates().submit(embed_query, embedder, problem, query)
            time.sleep(0)  # lets the other thread have Python for the moment in which it begins
        else:
            self._made = embed_query(embedder, problem, query)

    @classmethod
    def none(cls, problem: str) -> Embedding:
        return cls(None, problem, "", _no_pool)

    @property
    def may_come(self) -> bool:
        return self._made is None or self._made.encoding is not None

    def result(self) -> EmbeddedQuery:
        if self._made is None:
            assert self._coming is not None
            self._made = self._coming.result()
        return self._made


def _no_pool() -> Executor:
    raise AssertionError("nothing is embedded")


def embed_query(embedder: Embedder | None, problem: str, query: str) -> EmbeddedQuery:
    if embedder is None:
        return EmbeddedQuery(None, problem=problem or "no embedder is set")
    text = beginning(query)
    try:
        [encoding] = embedder.encode([text], tokens=embedder.supports_tokens)
    except LongmindError as error:
        return EmbeddedQuery(None, problem=str(error))
    return EmbeddedQuery(encoding, text)


def gather(
    *,
    catalog: CatalogView,
    snapshot: Snapshot,
    mask: Mask,
    text: TextScores | None,
    said: Ids | None,
    near: VectorHits | None,
    ranked: Mapping[str, Sequence[RankedFrame]],
    neighbours: NearestFrames | None,
    query: EmbeddedQuery,
    early: Cosines | None,
    late: LateQuery | None,
) -> Candidates:
    """The union of what the lanes found, and of the turns beside it, with all signals filled in."""
    import numpy as np

    members = [np.zeros(0, dtype=np.int64)]
    if said is not None:
        members.append(said)
    if near is not None:
        members.append(near.ids)
    members += [np.array([item.id for item in items], dtype=np.int64) for items in ranked.values() if items]
    beside = _beside(np.concatenate([found[:BESIDE] for found in members]), catalog, mask)
    ids = distinct(np.concatenate([*members, beside]))
    candidates = Candidates(
        ids=ids,
        words=np.zeros(len(ids)) if text is None else text.of(ids),
        cosine=None,
        late=None,
        is_turn=catalog.columns.is_turn[ids],
        most_words=0.0 if text is None else float(text.values.max(initial=0.0)),
        terms=() if text is None else text.terms,
        ranked=ranked,
    )
    if near is not None and neighbours is not None and query.encoding is not None:
        looked_at = [near.looked_at] if early is None else [near.looked_at, early]
        candidates.cosine = _cosines(ids, looked_at, neighbours, query.encoding, snapshot)
        if late is not None:
            candidates.late = _late(candidates, late, neighbours, snapshot, catalog.columns.content)
    return candidates


def _beside(found: Ids, catalog: CatalogView, mask: Mask) -> Ids:
    """The frames beside the turns among these."""
    import numpy as np

    columns = catalog.columns
    turns = found[columns.is_turn[found]]
    beside = np.concatenate([columns.previous[turns], columns.next[turns]])
    beside = beside[(beside > 0) & (beside < catalog.size)]
    shown: Ids = beside[mask[beside]]
    return shown


def talk_of(candidates: Candidates, catalog: CatalogView, lengths: Counts) -> Talk:
    """Sessions and neighbours of the candidates, as positions among them."""
    import numpy as np

    columns = catalog.columns
    talks = columns.talk[candidates.ids]
    return Talk(
        session=np.where(talks >= 0, numbered(talks), -1),
        previous=_positions(candidates.ids, columns.previous[candidates.ids]),
        next=_positions(candidates.ids, columns.next[candidates.ids]),
        is_short=lengths[candidates.ids] <= SHORT_TURN,
    )


def best_of(text: TextScores, limit: int, content: Ids) -> Ids:
    """Ids by falling score; ties are ordered and cut by content, never by order of writing."""
    return text.found[best(text.values, text.found, limit, content=content)]


def early_cosines(
    said: Ids,
    catalog: CatalogView,
    mask: Mask,
    neighbours: NearestFrames,
    query: EmbeddedQuery,
    snapshot: Snapshot,
) -> Cosines | None:
    """Those of what the words found, where vectors are read one by one: while others look for neighbours."""
    import numpy as np

    if query.encoding is None or not neighbours.reads_vectors(snapshot):
        return None
    ids = distinct(np.concatenate([said, _beside(said[:BESIDE], catalog, mask)]))
    return neighbours.cosines(query.encoding.vectors[0], ids, snapshot)


def _cosines(
    ids: Ids, looked_at: Sequence[Cosines], neighbours: NearestFrames, encoding: Encoding, snapshot: Snapshot
) -> Floats:
    import numpy as np

    cosine = np.full(len(ids), np.nan)
    for seen, values in looked_at:
        places = _positions(seen, ids)
        known = places >= 0
        cosine[known] = values[places[known]]
    missing = np.isnan(cosine)
    if missing.any():
        others, values = neighbours.cosines(encoding.vectors[0], ids[missing], snapshot)
        cosine[ids.searchsorted(others)] = values
    return cosine


def _late(
    candidates: Candidates, asked: LateQuery, neighbours: NearestFrames, snapshot: Snapshot, content: Ids
) -> Floats | None:
    import numpy as np

    assert candidates.cosine is not None
    if asked.is_empty or len(candidates.ids) == 0:
        return None
    words = candidates.words / candidates.most_words if candidates.most_words > 0 else candidates.words
    known = np.where(np.isnan(candidates.cosine), 0.0, candidates.cosine)
    highest = known.max(initial=0.0)
    embedding = known / highest if highest > 0 else np.zeros(len(words))
    first = best(words + embedding, candidates.ids, LATE_FRAMES, content=content)
    pieces = neighbours.pieces(candidates.ids[first], snapshot, most=LATE_TOKENS)
    late = np.full(len(candidates.ids), np.nan)
    late[first[: len(pieces.sizes)]] = score_late(asked, pieces)
    late[~np.isfinite(late)] = np.nan
    return late if np.isfinite(late).any() else None


def pieces_asked(query: EmbeddedQuery, basis: Basis | None, terms: Sequence[TermUse]) -> LateQuery | None:
    """The question's content pieces, each weighted by how rare its word is in the store."""
    import numpy as np

    tokens = None if query.encoding is None else query.encoding.tokens
    if tokens is None or basis is None:
        return None
    keep = content_pieces(query.text, tokens)
    if not keep.any():
        keep[:] = True
    rarity = {use.term: use.weight for use in terms if use.frames}
    rarest = max(rarity.values(), default=1.0)
    words = _words_at(query.text, tokens.spans[keep][:, 0].tolist())
    weights = [rarity.get(stem(word.lower()), rarest) for word in words]
    return late_query(basis, tokens.states[keep], np.array(weights, dtype=np.float32))


def _words_at(text: str, places: Sequence[int]) -> list[str]:
    """The run of letters and digits around each of these bytes; empty where there is none."""
    runs = list(_RUN.finditer(text.encode()))
    starts = [run.start() for run in runs]
    found = []
    for place in places:
        before = bisect_right(starts, place) - 1
        inside = before >= 0 and place < runs[before].end()
        found.append(runs[before][0].decode() if inside else "")
    return found


def _positions(ids: Ids, wanted: Ids) -> Ids:
    import numpy as np

    if len(ids) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    positions: Ids = np.where((wanted > 0) & (ids[places] == wanted), places, -1)
    return positions
