"""Photos as a lane of search: those that show what a question says, by the vectors of an image embedder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from longmind.base.errors import LongmindError
from longmind.base.filters import View, Where
from longmind.search import constants
from longmind.search.results import RankedFrame
from longmind.store.transaction import Snapshot

if TYPE_CHECKING:
    from longmind.media.protocols import ImageEmbedder

_ASKS: Final = re.compile(
    r"\b(?:photos?|photographs?|pictures?|pics?|images?|screenshots?|snapshots?|selfies?)\b", re.IGNORECASE
)
_FEW: Final = 8
"""Of fewer photos none can stand two deviations above the others: the best one is taken."""


class ImagesLane:
    """Ranks photos by the cosine of what they show and what is asked; loads nothing before there are any."""

    def __init__(self, embedder: Callable[[], ImageEmbedder | None]) -> None:
        self._embedder = embedder

    def rank(
        self, query: str, *, snapshot: Snapshot, view: View, where: Where, limit: int
    ) -> Sequence[RankedFrame] | str:
        if snapshot.db.one("SELECT 1 FROM media_vector LIMIT 1") is None:
            return []
        from longmind.media.nearest import identity, nearest

        embedder = self._embedder()
        if embedder is None:
            return "no image embedder is set; LONGMIND_IMAGES names the folder of one"
        try:
            [vector] = embedder.embed_texts([query])
        except LongmindError as error:  # the other lanes answer without it
            return error.message
        model = identity(embedder)
        scores, _ = nearest(snapshot.db, view, where, model, vector)
        weight = constants.IMAGES_ASKED if _ASKS.search(query) else None
        return [
            RankedFrame(frame_id, f"shows it, by {model} ({score:.2f})", weight)
            for frame_id, score in _standing_out(scores)[:limit]
        ]


def _standing_out(scores: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """The photos that are clearly nearer than the others, best first."""
    from statistics import fmean, pstdev

    best = sorted(scores, key=lambda pair: (-pair[1], pair[0]))
    if len(best) < _FEW:
        return best[:1]
    cosines = [score for _, score in best]
    least = fmean(cosines) + constants.IMAGES_STAND_OUT * pstdev(cosines)
    return [(frame_id, score) for frame_id, score in best if score >= least] or best[:1]
