"""Searching records: the store's search restricted to records, near-equal hits ordered by their votes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from longmind.base.filters import View, Where
from longmind.base.results import Listing
from longmind.experience.load import load_by_frame, with_evidence
from longmind.experience.utility import UtilityRule, break_ties, group_end, utilities
from longmind.experience.values import Record, Utility
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchRequest
from longmind.search.results import Hit, SearchResults
from longmind.store.store import Store
from longmind.store.transaction import Snapshot

LANES: Final = ("text", "vector", "facts")
"""Without the timeline: a record that is merely recent says nothing about the question."""

_MOST: Final = 1000
_SPARE: Final = 8
"""Further hits, so that a group of near-equal scores is rarely cut at the limit and searched again."""


@dataclass(frozen=True, slots=True)
class RecordHit:
    """A record, the hit of its frame, and the sum of its votes if it has any."""

    record: Record
    hit: Hit
    utility: Utility | None = None

    @property
    def score(self) -> float:
        return self.hit.score


@dataclass(frozen=True, slots=True, eq=False)
class RecordHits(Listing[RecordHit]):
    """Records, best first; `results` is the search they came from."""

    hits: tuple[RecordHit, ...]
    results: SearchResults

    @property
    def notes(self) -> tuple[str, ...]:
        """Lanes that could not run, and how the text was understood."""
        missing = (f"{lane.name} did not run: {lane.detail}" for lane in self.results.missing)
        return tuple(dict.fromkeys([*missing, *self.results.notes]))


class Finder:
    """Searches records of one store."""

    def __init__(self, store: Store, search: SearchEngine, rule: UtilityRule) -> None:
        self._store = store
        self._search = search
        self._rule = rule

    def request(
        self, text: str, view: View, kinds: Iterable[str], *, limit: int, lanes: Iterable[str] | None
    ) -> SearchRequest:
        return SearchRequest.of(
            text,
            view,
            where=Where(kind=kinds),
            limit=limit,
            lanes=LANES if lanes is None else lanes,
            times="ignore",
        )

    def find(
        self,
        text: str,
        snapshot: Snapshot,
        view: View,
        kinds: Sequence[str],
        *,
        limit: int,
        lanes: Iterable[str] | None = None,
        archived: bool = False,
        evidence: bool = True,
        settled: bool = True,
    ) -> RecordHits:
        """The best records of these kinds.

        Frames that are not records may share the kinds, and a group of near-equal scores may reach past the
        limit: more is fetched until there are enough, and, if `settled`, until the group is complete.
        """
        chosen = None if lanes is None else list(lanes)
        depth = min(_MOST, limit + (_SPARE if settled else 0))
        while True:
            results = self._search.search(self.request(text, view, kinds, limit=depth, lanes=chosen))
            frames = {hit.frame.id: hit.frame for hit in results}
            records = load_by_frame(snapshot.db, self._store.engine.dialect, view, frames)
            hits = [
                RecordHit(records[hit.frame.id], hit)
                for hit in results
                if hit.frame.id in records and (archived or not records[hit.frame.id].archived)
            ]
            end = group_end([hit.score for hit in hits], limit, band=self._rule.band)
            enough = end is not None or (len(hits) >= limit and not settled)
            if enough or len(results) < depth or depth == _MOST:
                break
            depth = min(_MOST, 4 * depth)
        ordered = self._ordered(snapshot, view, hits)[:limit]
        if not evidence:
            return RecordHits(tuple(ordered), results)
        full = with_evidence(snapshot.db, view, [item.record for item in ordered])
        pairs = zip(ordered, full, strict=True)
        return RecordHits(tuple(replace(item, record=record) for item, record in pairs), results)

    def _ordered(self, snapshot: Snapshot, view: View, hits: Sequence[RecordHit]) -> list[RecordHit]:
        ids = [hit.record.id for hit in hits]
        votes = utilities(snapshot.db, ids, system=view.as_of.system, rule=self._rule)
        by_id = {hit.record.id: hit for hit in hits}
        values = {name: utility.value for name, utility in votes.items()}
        ordered = break_ties([(hit.record.id, hit.score) for hit in hits], values, band=self._rule.band)
        return [RecordHit(by_id[name].record, by_id[name].hit, votes.get(name)) for name in ordered]
