"""Asking the ledger: every read is one snapshot, as of any instant, from one space or several."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from longmind.base.checks import check_choice, check_limit
from longmind.base.filters import SpaceLike, View
from longmind.base.names import canonical_space
from longmind.base.times import AsOf
from longmind.facts import changes, graph, resolve, views
from longmind.facts.hits import of_predicates, of_subject
from longmind.facts.results import Changes, EdgesResult, EntityMatch, EvidenceResult, FactsResult
from longmind.facts.values import Entity, FactHit, Predicate
from longmind.store.store import Store
from longmind.store.visible import both

MOST: Final = 10_000
"""The largest number of results that one read may be asked for."""


class Reader:
    """The reading half of the ledger."""

    def __init__(self, store: Store, default_space: str) -> None:
        self.store = store
        self.default_space = canonical_space(default_space)

    def resolve(
        self,
        name: str,
        *,
        near: bool = False,
        limit: int = 10,
        space: SpaceLike | None = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> tuple[EntityMatch, ...]:
        """Entities that go by this name; `near=True` adds those with a similar one, best first."""
        entity, view = Entity(name), self._view(space, as_of)
        check_limit(limit, "limit", most=MOST)
        with self.store.read() as snapshot:
            return tuple(resolve.resolve(snapshot.db, view, entity, near=near, limit=limit))

    def about(
        self,
        subject: str,
        *,
        predicate: str | Iterable[str] | None = None,
        as_of: AsOf = AsOf.LATEST,
        limit: int = 100,
        evidence: int = views.EVIDENCE_EACH,
        shadowed: bool = False,
        space: SpaceLike | None = None,
    ) -> FactsResult:
        """What is so of a subject, with evidence. `shadowed=True` also lists hidden global values."""
        whom, relations = Entity(subject), _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            return views.about(
                snapshot.db,
                view,
                whom,
                predicates=relations,
                limit=limit,
                evidence=evidence,
                shadowed=shadowed,
            )

    def about_many(
        self,
        subjects: Iterable[str],
        *,
        predicate: str | Iterable[str] | None = None,
        as_of: AsOf = AsOf.LATEST,
        limit: int = 100,
        evidence: int = views.EVIDENCE_EACH,
        space: SpaceLike | None = None,
    ) -> dict[str, FactsResult]:
        """`about` for many subjects in a few queries; `limit` counts for each of them."""
        whom, relations = [Entity(subject) for subject in subjects], _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            return views.about_each(
                snapshot.db, view, whom, predicates=relations, limit=limit, evidence=evidence
            )

    def history(
        self,
        subject: str,
        predicate: str | Iterable[str] | None = None,
        *,
        as_of: AsOf = AsOf.LATEST,
        limit: int = 1000,
        evidence: int = views.EVIDENCE_EACH,
        space: SpaceLike | None = None,
    ) -> FactsResult:
        """Every period ever recorded, retracted ones too, in the order in which the store learned them."""
        whom, relations = Entity(subject), _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            return views.history(
                snapshot.db, view, whom, predicates=relations, limit=limit, evidence=evidence
            )

    def diff(
        self,
        before: AsOf | datetime | int,
        after: AsOf | datetime | int = AsOf.LATEST,
        *,
        subject: str | None = None,
        predicate: str | Iterable[str] | None = None,
        limit: int = 1000,
        evidence: int = views.EVIDENCE_EACH,
        space: SpaceLike | None = None,
    ) -> Changes:
        """What began, ended, changed and was revised between two states; an instant stands for both axes."""
        first, second = _as_of(before), _as_of(after)
        relations = _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, second)
        with self.store.read() as snapshot:
            condition = of_predicates(relations)
            if subject is not None:
                norm = resolve.one_key(snapshot.db, view, Entity(subject)) or Entity(subject).norm
                condition = both([of_subject(view, norm), condition])
            return changes.diff(
                snapshot.db, view, first, second, condition=condition, limit=limit, evidence=evidence
            )

    def neighbors(
        self,
        of: str,
        *,
        predicates: str | Iterable[str] | None = None,
        direction: graph.Direction = "both",
        depth: int = 1,
        max_edges: int = 1000,
        limit: int = 100,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
    ) -> EdgesResult:
        """Entities that facts link to this one, up to `depth` steps away, within the budgets."""
        whom, relations = Entity(of), _predicates(predicates)
        check_choice(direction, "direction", ("out", "in", "both"))
        check_limit(depth, "depth", most=16)
        check_limit(max_edges, "max_edges", most=100_000)
        check_limit(limit, "limit", most=MOST)
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            start = resolve.one_key(snapshot.db, view, whom)
            if start is None:
                return EdgesResult(())
            return graph.neighbors(
                snapshot.db,
                view,
                start,
                predicates=relations,
                direction=direction,
                depth=depth,
                max_edges=max_edges,
                limit=limit,
            )

    def evidence(
        self,
        fact: FactHit | int,
        *,
        limit: int = 100,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
    ) -> EvidenceResult:
        """What speaks for a hit's period, or for a fact in any period; surest and newest first."""
        check_limit(limit, "limit", most=MOST)
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            return views.evidence_for(snapshot.db, view, fact, limit=limit)

    def get(self, fact_id: int, *, as_of: AsOf = AsOf.LATEST, space: SpaceLike | None = None) -> FactHit:
        """A fact by its id: its newest period, open or closed; `NotFound` outside the space."""
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            return views.get(snapshot.db, view, fact_id)

    def _view(self, space: SpaceLike | None, as_of: AsOf) -> View:
        return View.of(self.default_space if space is None else space, as_of)


def _predicates(names: str | Iterable[str] | None) -> tuple[Predicate, ...]:
    if names is None:
        return ()
    return tuple(Predicate(key) for key in ([names] if isinstance(names, str) else names))


def _check_limits(limit: int, evidence: int) -> None:
    check_limit(limit, "limit", most=MOST)
    check_limit(evidence, "evidence", most=1000, least=0)


def _as_of(moment: AsOf | datetime | int) -> AsOf:
    return moment if isinstance(moment, AsOf) else AsOf.at(moment)
