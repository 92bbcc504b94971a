"""Late interaction in search: which word pieces of the question count, and how well frames match them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from longmind.base.arrays import Float64Array, Int64Array, np
from longmind.base.ordering import best
from longmind.search import constants
from longmind.search.pending import EmbeddedQuery
from longmind.store.transaction import Snapshot
from longmind.text.lane import TermUse
from longmind.text.words import stem
from longmind.vectors.late_interaction import Basis, LateQuery, content_pieces, late_query, score_late
from longmind.vectors.nearest import NearestFrames

_RUN: Final = re.compile(rb"[0-9A-Za-z\x80-\xff]+")


def weighted_pieces(query: EmbeddedQuery, basis: Basis | None, terms: Sequence[TermUse]) -> LateQuery | None:
    """The content pieces of the question, each weighted by how rare its word is in the store."""
    tokens = None if query.encoding is None else query.encoding.tokens
    if tokens is None or basis is None:
        return None
    [keep] = content_pieces([query.text], [tokens])
    if not keep.any():  # nothing but stop words: they are all there is to match
        keep[:] = True
    rarity = {use.term: use.weight for use in terms if use.frames}
    # A word that no frame says is as telling as the rarest one.
    rarest = max(rarity.values(), default=1.0)
    words = _words_at(query.text, tokens.spans[keep][:, 0].tolist())
    weights = [rarity.get(stem(word.lower()), rarest) for word in words]
    return late_query(basis, tokens.states[keep], np.array(weights, dtype=np.float32))


def familiarity(query: EmbeddedQuery) -> float:
    """From 0 to 1: how far the embedder knows the question's language, by the pieces it makes of each word.

    A model keeps whole words of the languages it was made for, and spells out those of others. What an
    embedder without pieces knows cannot be told, and is taken as given.
    """
    if query.encoding is not None and query.encoding.familiar is not None:
        return query.encoding.familiar
    tokens = None if query.encoding is None else query.encoding.tokens
    raw = query.text.encode()
    words = len(_RUN.findall(raw))
    if tokens is None or not words:
        return 1.0
    pieces = sum(_RUN.search(raw, start, end) is not None for start, end in tokens.spans.tolist())
    least, most = constants.PIECES_FAMILIAR, constants.PIECES_UNFAMILIAR
    return min(1.0, max(constants.LEAST_FAMILIAR, (most - pieces / words) / (most - least)))


def late_scores(
    query: LateQuery,
    ids: Int64Array,
    *,
    words: Float64Array,
    cosine: Float64Array,
    neighbours: NearestFrames,
    snapshot: Snapshot,
    content: Int64Array,
) -> Float64Array | None:
    """Scores of the frames that words and meaning together put first; NaN for the others.

    Only these, since the word pieces are what takes longest to read.
    """
    if query.is_empty or len(ids) == 0:
        return None
    likely = _share_of_best(words) + _share_of_best(np.where(np.isnan(cosine), 0.0, cosine))
    first = best(likely, ids, constants.LATE_FRAMES, content=content)
    pieces = neighbours.pieces(ids[first], snapshot, most=constants.LATE_TOKENS)
    late = np.full(len(ids), np.nan)
    late[first[: len(pieces.sizes)]] = score_late(query, pieces)
    late[~np.isfinite(late)] = np.nan
    return late if np.isfinite(late).any() else None


def _share_of_best(values: Float64Array) -> Float64Array:
    highest = values.max(initial=0.0)
    return values / highest if highest > 0 else np.zeros(len(values))


def _words_at(text: str, offsets: Sequence[int]) -> list[str]:
    """The run of letters and digits around each byte offset; empty where there is none."""
    runs = list(_RUN.finditer(text.encode()))
    starts = [run.start() for run in runs]
    words = []
    for offset in offsets:
        before = bisect_right(starts, offset) - 1
        inside = before >= 0 and offset < runs[before].end()
        words.append(runs[before][0].decode() if inside else "")
    return words
