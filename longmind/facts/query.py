"""Asking the ledger: every read is one snapshot, as of any instant, from one space or several."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final

from longmind.base.checks import check_choice, check_limit
from longmind.base.filters import SpaceLike, UserLike, View
from longmind.base.names import canonical_space
from longmind.base.parameters import AsUser, Limit
from longmind.base.times import AsOf
from longmind.facts import changes, graph, names, quarantine, resolve, views
from longmind.facts.chart import Timeline
from longmind.facts.hits import of_predicates, of_subject
from longmind.facts.parameters import EvidenceEach, FactId, MinTrust, Relations, Subject
from longmind.facts.results import (
    AmbiguousName,
    AmbiguousNames,
    Changes,
    EdgesResult,
    EntityMatches,
    EvidenceResult,
    FactsBySubject,
    FactsResult,
    StatedResult,
)
from longmind.facts.slots import standard
from longmind.facts.trust import level
from longmind.facts.values import Entity, FactHit, Predicate
from longmind.store.store import Store
from longmind.store.visible import among, both

MOST: Final = 10_000
"""The largest number of results that one read may be asked for."""


class Reader:
    """The reading half of the ledger."""

    def __init__(self, store: Store, default_space: str, default_user: str | None = None) -> None:
        self.store = store
        self.default_space = canonical_space(default_space)
        self.default_user = default_user

    def resolve(
        self,
        name: Annotated[str, "A name or an alias."],
        *,
        near: Annotated[bool, "Also entities with a similar name."] = False,
        limit: Limit = 10,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> EntityMatches:
        """The entities that a name may mean, best first."""
        entity, view = Entity(name), self._view(space, as_of, user)
        check_limit(limit, "limit", most=MOST)
        with self.store.read() as snapshot:
            return EntityMatches(tuple(resolve.resolve(snapshot.db, view, entity, near=near, limit=limit)))

    def about(
        self,
        subject: Subject,
        *,
        predicate: Relations = None,
        as_of: AsOf = AsOf.LATEST,
        limit: Limit = 100,
        evidence: EvidenceEach = views.EVIDENCE_EACH,
        shadowed: Annotated[bool, "Also values that a space or a user has an own value in front of."] = False,
        min_trust: MinTrust = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> FactsResult:
        """What is so of a person or thing, with periods and evidence.

        Use it for questions about one named entity: where someone lives, what a service runs on, who owns
        what.
        """
        whom, relations = Entity(subject), _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            return views.about(
                snapshot.db,
                view,
                whom,
                predicates=relations,
                limit=limit,
                evidence=evidence,
                shadowed=shadowed,
                min_trust=level(min_trust),
            )

    def about_many(
        self,
        subjects: Annotated[Iterable[str], "The keys of entities."],
        *,
        predicate: Relations = None,
        as_of: AsOf = AsOf.LATEST,
        limit: Annotated[int, "At most this many of each."] = 100,
        evidence: EvidenceEach = views.EVIDENCE_EACH,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> FactsBySubject:
        """What is so of each of several subjects, in a few queries for all of them."""
        whom, relations = [Entity(subject) for subject in subjects], _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            return FactsBySubject(
                views.about_each(
                    snapshot.db, view, whom, predicates=relations, limit=limit, evidence=evidence
                )
            )

    def history(
        self,
        subject: Subject,
        predicate: Relations = None,
        *,
        as_of: AsOf = AsOf.LATEST,
        limit: Limit = 1000,
        evidence: EvidenceEach = views.EVIDENCE_EACH,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> FactsResult:
        """Every period ever recorded of a subject, retracted ones too, in the order of learning."""
        whom, relations = Entity(subject), _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            return views.history(
                snapshot.db, view, whom, predicates=relations, limit=limit, evidence=evidence
            )

    def timeline(
        self,
        subject: Subject,
        predicate: Relations = None,
        *,
        as_of: AsOf = AsOf.LATEST,
        limit: Limit = 1000,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> Timeline:
        """The history of a subject as a picture: notebooks show it, `.svg()` gives it, `print` writes it.

        Valid time runs across, system time down; a box is one period as the store held it.
        """
        history = self.history(
            subject, predicate, as_of=as_of, limit=limit, evidence=3, space=space, user=user
        )
        return Timeline(history.facts, str(Entity(subject)), history.truncated)

    def diff(
        self,
        before: AsOf | datetime | int,
        after: AsOf | datetime | int = AsOf.LATEST,
        *,
        subject: str | None = None,
        predicate: Relations = None,
        limit: Limit = 1000,
        evidence: EvidenceEach = views.EVIDENCE_EACH,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> Changes:
        """What began, ended, changed and was revised between two states; an instant stands for both axes."""
        first, second = _as_of(before), _as_of(after)
        relations = _predicates(predicate)
        _check_limits(limit, evidence)
        view = self._view(space, second, user)
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
        of: Annotated[str, "The key of an entity."],
        *,
        predicates: Relations = None,
        direction: Annotated[graph.Direction, "Facts about it, facts that name it, or both."] = "both",
        depth: Annotated[int, "How many steps to go."] = 1,
        max_edges: Annotated[int, "Look at no more links than this."] = 1000,
        limit: Limit = 100,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> EdgesResult:
        """Entities that facts link to one, step by step, the nearest first."""
        whom, relations = Entity(of), _predicates(predicates)
        check_choice(direction, "direction", ("out", "in", "both"))
        check_limit(depth, "depth", most=16)
        check_limit(max_edges, "max_edges", most=100_000)
        check_limit(limit, "limit", most=MOST)
        view = self._view(space, as_of, user)
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

    def assertions(
        self,
        subject: Subject,
        *,
        predicate: Relations = None,
        limit: Limit = 1000,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> StatedResult:
        """Everything that was said of a subject, one assertion at a time: who said it, when, and how.

        What is held follows from these; `about` shows that.
        """
        whom, relations = Entity(subject), _predicates(predicate)
        check_limit(limit, "limit", most=MOST)
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            ids = views.entities_named(snapshot.db, view, whom)
            condition = both([among("x.subject_entity_id", ids), of_predicates(relations)])
            return quarantine.stated(snapshot.db, view, condition, limit=limit) if ids else StatedResult(())

    def quarantine(
        self,
        *,
        limit: Limit = 100,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> StatedResult:
        """What was said but is not believed, until it is confirmed or rejected.

        Statements from sources of low trust about the user, about credentials or instructions wait here.
        """
        check_limit(limit, "limit", most=MOST)
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            return quarantine.waiting(snapshot.db, view, limit=limit)

    def ambiguous(
        self,
        *,
        limit: Limit = 100,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> AmbiguousNames:
        """Names that may mean several entities; `merge` those that are the same."""
        check_limit(limit, "limit", most=MOST)
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            page, more = names.ambiguous(snapshot.db, view, limit=limit)
        listed = (AmbiguousName(name, tuple(map(Entity, keys)), is_key) for name, keys, is_key in page)
        return AmbiguousNames(tuple(listed), truncated=more)

    def evidence(
        self,
        fact: FactId,
        *,
        limit: Limit = 100,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> EvidenceResult:
        """What speaks for a fact, or for the period of a hit, surest and newest first."""
        check_limit(limit, "limit", most=MOST)
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            return views.evidence_for(snapshot.db, view, fact, limit=limit)

    def get(
        self,
        fact_id: Annotated[int, "The id of a fact."],
        *,
        as_of: AsOf = AsOf.LATEST,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> FactHit:
        """A fact by its id: its newest period, open or closed."""
        view = self._view(space, as_of, user)
        with self.store.read() as snapshot:
            return views.get(snapshot.db, view, fact_id)

    def _view(self, space: SpaceLike | None, as_of: AsOf, user: UserLike) -> View:
        chosen = self.default_space if space is None else space
        return View.of(chosen, as_of, self.default_user if user is None else user, now=self.store.now())


def _predicates(names: str | Iterable[str] | None) -> tuple[Predicate, ...]:
    if names is None:
        return ()
    return tuple(
        Predicate(standard(Predicate(key))) for key in ([names] if isinstance(names, str) else names)
    )


def _check_limits(limit: int, evidence: int) -> None:
    check_limit(limit, "limit", most=MOST)
    check_limit(evidence, "evidence", most=1000, least=0)


def _as_of(moment: AsOf | datetime | int) -> AsOf:
    return moment if isinstance(moment, AsOf) else AsOf.at(moment)
