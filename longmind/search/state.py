"""What one search reads: a snapshot of the store, and the indexes in memory as of that snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from longmind.base.filters import View, Where
from longmind.search.embedding import EmbedderBinding
from longmind.search.results import RankedFrame
from longmind.store.catalog import CatalogView
from longmind.store.engine import Dialect
from longmind.store.transaction import Snapshot
from longmind.text.lane import Lengths
from longmind.text.postings import Common
from longmind.text.times import SaidTimes
from longmind.text.vocabulary import Vocabulary
from longmind.vectors.samples import VectorSamples

if TYPE_CHECKING:
    from concurrent.futures import Executor


class RankingLane(Protocol):
    """A lane that ranks frames without scores: the facts lane."""

    def is_empty(self, snapshot: Snapshot) -> bool:
        """Whether there is nothing to rank by in the whole store."""

    def rank(
        self,
        query: str,
        *,
        snapshot: Snapshot,
        view: View,
        where: Where,
        limit: int,
        min_trust: str | None = None,
    ) -> Sequence[RankedFrame]: ...


class ImagesLane(Protocol):
    """A lane that ranks photos by what they show."""

    def rank(
        self, query: str, *, snapshot: Snapshot, view: View, where: Where, limit: int
    ) -> Sequence[RankedFrame] | str:
        """Photos that stand out for the question, best first; or why it cannot be told."""


@runtime_checkable
class KnowsPersons(Protocol):
    """A lane that knows what the person who asks likes, avoids, owns and is."""

    def personal(
        self, *, snapshot: Snapshot, view: View, where: Where, min_trust: str | None = None
    ) -> Sequence[RankedFrame]: ...


@dataclass(frozen=True, slots=True, eq=False)
class SearchState:
    """Passed from step to step; nothing in it changes during a search."""

    snapshot: Snapshot
    dialect: Dialect
    catalog: CatalogView
    lengths: Lengths
    vocabulary: Vocabulary
    common: Common
    times: SaidTimes
    binding: EmbedderBinding
    samples: VectorSamples
    facts: RankingLane | None
    images: ImagesLane | None
    threads: Callable[[], Executor]
