"""Records that answer a text: the one search, records only, near-equal ones ordered by their votes."""

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
"""Those that look at what is asked; what is merely recent is no experience with it."""

_MOST: Final = 1000
_SPARE: Final = 8


@dataclass(frozen=True, slots=True)
class RecordHit:
    """A record that answers, the hit of its frame, and what its votes come to if it has any."""

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
        """What could not run."""
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

        Frames that are no records may share the kinds, and a group of near-equal scores may reach past the
        limit: more is fetched until there are enough, and, unless told otherwise, until the group is whole.
        """
        chosen = None if lanes is None else list(lanes)
        wanted = min(_MOST, limit + (_SPARE if settled else 0))
        while True:
            results = self._search.search(self.request(text, view, kinds, limit=wanted, lanes=chosen))
            frames = {hit.frame.id: hit.frame for hit in results}
            records = load_by_frame(snapshot.db, self._store.engine.dialect, view, frames)
            found = [
                RecordHit(records[hit.frame.id], hit)
                for hit in results
                if hit.frame.id in records and (archived or not records[hit.frame.id].archived)
            ]
            end = group_end([item.score for item in found], limit, band=self._rule.band)
            enough = end is not None or (len(found) >= limit and not settled)
            if enough or len(results) < wanted or wanted == _MOST:
                break
            wanted = min(_MOST, 4 * wanted)
        ordered = self._ordered(snapshot, view, found)[:limit]
        if not evidence:
            return RecordHits(tuple(ordered), results)
        full = with_evidence(snapshot.db, view, [item.record for item in ordered])
        pairs = zip(ordered, full, strict=True)
        return RecordHits(tuple(replace(item, record=record) for item, record in pairs), results)

    def _ordered(self, snapshot: Snapshot, view: View, found: Sequence[RecordHit]) -> list[RecordHit]:
        ids = [item.record.id for item in found]
        votes = utilities(snapshot.db, ids, system=view.as_of.system, rule=self._rule)
        by_id = {item.record.id: item for item in found}
        values = {name: utility.value for name, utility in votes.items()}
        placed = break_ties([(item.record.id, item.score) for item in found], values, band=self._rule.band)
        return [RecordHit(by_id[name].record, by_id[name].hit, votes.get(name)) for name in placed]
