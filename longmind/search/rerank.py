"""Bounded reranking: exact identifiers, quoted phrases and dates that agree; and a model, if one is given."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Protocol

from longmind.base.errors import InvalidInput, LongmindError
from longmind.base.filters import View
from longmind.search.candidates import Candidates
from longmind.search.results import Hit, Step
from longmind.search.timeline import TimeSense
from longmind.store.catalog import CatalogView
from longmind.store.engine import Dialect
from longmind.store.frames import fetch
from longmind.store.transaction import Snapshot
from longmind.text.postings import frames_of
from longmind.text.query import TextQuery, said_phrases

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
else:
    Floats = Any

IDENTIFIER: Final = 0.3
ONLY_IDENTIFIER: Final = 1.0
PHRASE: Final = 0.5
DATE: Final = 0.1
"""The most that each agreement adds to a score, which is at most about 1 without them."""

MODEL_REACH: Final = 20
_COMPOUND = re.compile(r"=[a-z]+(?:-+[a-z]+)+")


@dataclass(frozen=True, slots=True)
class Bonus:
    """What an agreement added, and which."""

    name: str
    amount: float
    reason: str


class Reranker(Protocol):
    """A cross-encoder: how well each text answers the query, higher is better."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]: ...


def agreements(
    *,
    plan: TextQuery,
    sense: TimeSense | None,
    candidates: Candidates,
    scores: Floats,
    catalog: CatalogView,
    snapshot: Snapshot,
    view: View,
    dialect: Dialect,
    reach: int,
    scale: float,
) -> dict[int, list[Bonus]]:
    """Bonuses by position in the pool."""
    found: dict[int, list[Bonus]] = defaultdict(list)
    _identifiers(found, plan, candidates, catalog, snapshot, scale)
    if plan.phrases:
        _phrases(found, plan, candidates, scores, snapshot, view, dialect, reach, scale)
    if sense is not None and sense.range is not None:
        _dates(found, sense, candidates, catalog, scale)
    return found


def rerank_by_model(reranker: Reranker, query: str, hits: Sequence[Hit]) -> tuple[list[Hit], str]:
    """The first few in the model's order, ties as they were; or all as they were, and why."""
    head, tail = list(hits[:MODEL_REACH]), list(hits[MODEL_REACH:])
    if not head:
        return list(hits), ""
    try:
        given = [float(score) for score in reranker.score(query, [hit.frame.text for hit in head])]
    except LongmindError as error:
        return list(hits), f"the reranker could not run: {error}"
    if len(given) != len(head) or not all(map(isfinite, given)):
        raise InvalidInput(
            f"The reranker gave {len(given)} scores for {len(head)} texts, or one that is no number."
        )
    placed = sorted(range(len(head)), key=lambda place: (-given[place], place))
    steps = [Step("reranker", given[place], "the cross-encoder's score") for place in placed]
    moved = [
        replace(head[place], steps=(*head[place].steps, step))
        for place, step in zip(placed, steps, strict=True)
    ]
    return moved + tail, ""


def _identifiers(
    found: dict[int, list[Bonus]],
    plan: TextQuery,
    candidates: Candidates,
    catalog: CatalogView,
    snapshot: Snapshot,
    scale: float,
) -> None:
    """The rarer an identifier, the more it says; words joined by hyphens are words, not identifiers.

    A question that is nothing but identifiers asks for the frames that say them, not for any like them.
    """
    import numpy as np

    names = [name for name in plan.identifiers if not _COMPOUND.fullmatch(name)]
    for name in names:
        ids = frames_of(snapshot.db, name)
        rarity = 1 - math.log1p(len(ids)) / math.log1p(max(catalog.size, len(ids) + 1))
        weight = ONLY_IDENTIFIER if plan.names_only else IDENTIFIER * rarity**2
        amount = scale * weight / len(names)
        for place in np.flatnonzero(np.isin(candidates.ids, ids)).tolist():
            found[place].append(Bonus("identifier", amount, f"says {name[1:]!r} exactly"))


def _phrases(
    found: dict[int, list[Bonus]],
    plan: TextQuery,
    candidates: Candidates,
    scores: Floats,
    snapshot: Snapshot,
    view: View,
    dialect: Dialect,
    reach: int,
    scale: float,
) -> None:
    import numpy as np

    # By words, not by fused score: what says the phrase has the words.
    first = np.lexsort((candidates.ids, -scores, -candidates.words))[:reach]
    texts: Mapping[int, str] = {
        frame.id: f"{frame.title or ''}\n{frame.text}"
        for frame in fetch(snapshot.db, dialect, candidates.ids[first].tolist(), view)
    }
    for place in first.tolist():
        text = texts.get(int(candidates.ids[place]), "")
        for phrase in said_phrases(text, plan.phrases):
            amount = scale * PHRASE / len(plan.phrases)
            found[place].append(Bonus("phrase", amount, f"says {phrase!r}"))


def _dates(
    found: dict[int, list[Bonus]],
    sense: TimeSense,
    candidates: Candidates,
    catalog: CatalogView,
    scale: float,
) -> None:
    import numpy as np

    assert sense.range is not None
    since, until = sense.range
    times = catalog.columns.occurred_at[candidates.ids]
    inside = np.ones(len(times), dtype=bool)
    if since is not None:
        inside &= times >= since
    if until is not None:
        inside &= times < until
    for place in np.flatnonzero(inside).tolist():
        found[place].append(Bonus("date", scale * DATE, sense.described))
