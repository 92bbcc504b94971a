"""One more round: names in the first hits that the question does not say, and the frames that say them too.

"Who is married to the singer of Green?" is answered by two texts, and only the first shares words with the
question. The second is found by the name that the first has. The round is bounded: the first hits, a few
names of each, and only names that few frames say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import reduce
from typing import Final

from longmind.base.arrays import Int64Array, np
from longmind.base.columns import is_shown
from longmind.base.words import STOP_WORDS
from longmind.search import constants
from longmind.search.candidates import Link
from longmind.search.ranking import Ranking
from longmind.search.request import SearchRequest
from longmind.search.state import SearchState
from longmind.store.frames import fetch
from longmind.text.lane import Measured
from longmind.text.query import plan_text
from longmind.text.words import terms

# Words with a capital, one after another, also over "of" and "the"; not the first word of a sentence, which
# has its capital from there.
_NAME: Final = re.compile(
    r"(?<![.!?]\s)(?<!^)(?<!\n)\b[^\W\d_a-z][\w'\u2019-]+(?:\s+(?:(?:of|the|de|van|von|and)\s+)?[^\W\d_a-z][\w'\u2019-]+)*"
)
_LETTERS: Final = 4
_READ_CHARACTERS: Final = 4000


def links_from(
    request: SearchRequest, state: SearchState, ranking: Ranking, lengths: Measured
) -> dict[int, Link]:
    """The frames that share a rare name with one of the first hits, each with what it gains by that."""
    first = ranking.order[: constants.LINK_HITS]
    ids = ranking.candidates.ids[first].tolist()
    frames = {frame.id: frame for frame in fetch(state.snapshot.db, state.dialect, ids, request.view)}
    asked = set(plan_text(request.query).terms)
    visible = state.catalog.visible(request.view, request.where)
    links: dict[int, Link] = {}
    for rank, (frame_id, score) in enumerate(zip(ids, ranking.scores[first].tolist(), strict=True)):
        if frame_id not in frames or score <= 0:
            continue
        frame = frames[frame_id]
        for name in _names(f"{frame.title or ''}\n {frame.text[:_READ_CHARACTERS]}", asked):
            others = _saying(state, lengths, name)
            others = others[(others != frame_id) & is_shown(visible, others)]
            if not 0 < len(others) <= constants.LINK_FRAMES:
                continue
            amount = constants.LINK * score / (math.log2(2 + rank) * math.sqrt(len(others)))
            link = Link(amount, f"names {name!r}, as frame {frame_id} does")
            for other in others.tolist():
                if other not in links or links[other].amount < amount:
                    links[other] = link
    return links


def _names(text: str, asked: set[str]) -> Iterator[str]:
    """The names in a text that say something which the question does not."""
    names = dict.fromkeys(match[0] for match in _NAME.finditer(text) if len(match[0]) >= _LETTERS)
    new = [
        name
        for name in names
        if name.lower() not in STOP_WORDS and not asked.issuperset(terms(name)) and terms(name)
    ]
    yield from new[: constants.LINK_NAMES]


def _saying(state: SearchState, lengths: Measured, name: str) -> Int64Array:
    """The frames that say every word of a name."""
    vocabulary = state.vocabulary.terms(state.snapshot, {}, lengths.corpus)
    return reduce(np.intersect1d, [vocabulary.frame_ids(word) for word in dict.fromkeys(terms(name))])
