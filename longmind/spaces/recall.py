"""Recall from a space: its index, an ordering, the objects that come first, the bundle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from longmind.base.arrays import BoolArray, np
from longmind.base.filters import View, Where
from longmind.base.partitions import parts_seen, split_partition
from longmind.base.times import AsOf, format_ms
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchRequest
from longmind.spaces import rows
from longmind.spaces.bundle import Bundle, Options, check_topic, summarise
from longmind.spaces.ordering import Question, Scores, choose, first
from longmind.spaces.policies import Policy
from longmind.spaces.space_index import LEVELS, SpaceIndex, SpaceIndexes
from longmind.spaces.values import ROLE, MemoryObject
from longmind.store.expiry import expired_frames
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from longmind.store.visible import among, during
from longmind.text.words import terms

_REACH: Final = 30
"""How many hits of the search engine are looked at, at least."""
_DUPLICATES: Final = 4
_MATCHING: Final = frozenset({"text", "vector", "facts"})
"""Lanes whose hits speak of the topic; the timeline's are only new."""


class Recaller:
    """Recalls from the in-memory indexes of one store's spaces."""

    def __init__(self, store: Store, search: SearchEngine | None, indexes: SpaceIndexes) -> None:
        self._store = store
        self._search = search
        self._indexes = indexes

    def context(self, space: str, topic: str, options: Options, *, default: str, now: int | None) -> Bundle:
        topic = check_topic(topic)
        name, user = split_partition(space)
        with self._store.one_state() as snapshot:
            record = rows.find_space(snapshot.db, name, options.as_of)
            chosen, moment, warnings, backend = self._choose(
                snapshot,
                space,
                topic,
                options,
                None,
                default,
                Policy() if record is None else record.rules(),
                now,
            )
            if record is None:
                warnings = [f"there is no space '{name}'", *warnings]
            objects = rows.objects(snapshot.db, space, options.as_of, chosen)
        return Bundle(
            space=name,
            user=user,
            topic=topic,
            generated_at=None if moment is None else format_ms(moment),
            global_summary=summarise(topic, objects),
            objects=tuple(objects),
            limit=options.limit,
            backend=backend,
            raw_limit=options.raw_limit if options.include_raw else None,
            include_metadata=options.include_metadata,
            warnings=tuple(warnings),
        )

    def kind(
        self, space: str, kind: str, options: Options, *, topic: str, default: str, now: int | None
    ) -> tuple[MemoryObject, ...]:
        topic = check_topic(topic)
        with self._store.one_state() as snapshot:
            record = rows.find_space(snapshot.db, split_partition(space)[0], options.as_of)
            policy = Policy() if record is None else record.rules()
            chosen, *_ = self._choose(snapshot, space, topic, options, kind, default, policy, now)
            return tuple(rows.objects(snapshot.db, space, options.as_of, chosen))

    def _choose(
        self,
        snapshot: Snapshot,
        space: str,
        topic: str,
        options: Options,
        kind: str | None,
        default: str,
        policy: Policy,
        now: int | None,
    ) -> tuple[list[str], int | None, list[str], str]:
        ordering, warning = choose(options.backend or default)
        warnings = [warning] if warning else []
        ranked: Mapping[str, float] = {}
        if ordering.name == "search" and topic:
            ranked, problem = self._ranked(snapshot, space, topic, options, now)
            warnings += [problem] if problem else []
        with self._indexes.lock:
            index = self._indexes.at(snapshot, space, options.as_of)
            moment = index.newest if options.moment is None else options.moment
            question = Question(
                topic,
                tuple(sorted(set(terms(topic)))),
                moment or 0,
                options.prefer_kinds,
                options.prefer_tags,
                ranked,
            )
            scores = ordering.score(index, question)
            allowed = _allowed(index, options, kind)
            view = View((space,), options.as_of, now=now)
            if expired := expired_frames(snapshot.db, view):
                allowed &= ~np.isin(index.frames, expired)
            ids = _visible(index, scores, allowed, policy, options, dedupe=ordering.name == "hybrid")
            return ids, moment, warnings, ordering.name

    def _ranked(
        self, snapshot: Snapshot, space: str, topic: str, options: Options, now: int | None
    ) -> tuple[dict[str, float], str | None]:
        """The hits of the search engine as objects, the best with 1."""
        if self._search is None:
            return {}, "there is no search engine here: nothing was found by search"
        request = SearchRequest.of(
            topic,
            View(parts_seen(space), options.as_of, with_hidden=True, now=now),
            where=Where(role=ROLE),
            limit=min(1000, max(_REACH, 4 * options.limit)),
            reference=options.moment,
        )
        results = self._search.search(request)
        scores: dict[int, float] = {}
        for hit in results:
            if _MATCHING.isdisjoint(hit.lanes):
                continue  # only because it is new, or beside something else
            whole = hit.frame.parent if hit.frame.start is not None else hit.frame.id
            if whole is not None:
                scores.setdefault(whole, hit.score)
        top = max(scores.values(), default=0.0)
        names = _objects_of(snapshot, space, list(scores), options.as_of)
        relative = {
            names[frame]: (score / top if top > 0 else 1.0) or 1e-6
            for frame, score in scores.items()
            if frame in names
        }
        silent = [lane.name for lane in results.lanes if not lane.ran and lane.name == "vector"]
        return relative, "searched without meaning: there is no embedder" if silent else None


def _allowed(index: SpaceIndex, options: Options, kind: str | None) -> BoolArray:

    allowed: BoolArray = index.created <= options.as_of.valid
    if kind is not None:
        of_kind = np.zeros(index.size, dtype=bool)
        of_kind[index.of_kind(kind)] = True
        allowed &= of_kind
    if options.require_high_relevance:
        allowed &= index.relevance == LEVELS["high"]
    return allowed


def _visible(
    index: SpaceIndex, scores: Scores, allowed: BoolArray, policy: Policy, options: Options, *, dedupe: bool
) -> list[str]:
    """The ids of the first objects; hidden objects and duplicates are replaced by the next ones."""
    names = {value: name for name, value in LEVELS.items()}
    rules = () if options.include_hidden else policy.visibility
    reach = options.limit * (_DUPLICATES if dedupe else 1)
    look = reach
    while True:
        slots = first(index, scores, allowed, limit=look)
        hidden = [
            slot
            for slot, entry in zip(slots, index.entries_of(slots) if rules else (), strict=False)
            if any(
                rule.covers(
                    kind=entry.kind,
                    tags=entry.tags,
                    path=entry.path,
                    relevance=names[int(index.relevance[slot])],
                )
                for rule in rules
            )
        ]
        if not hidden:
            break
        allowed[hidden] = False
        look = min(4 * look, index.size)
    if look > reach:
        slots = first(index, scores, allowed, limit=reach)
    if dedupe:
        twins: set[str] = set()
        for slot, entry in zip(slots, index.entries_of(slots), strict=True):
            if entry.hash is not None:
                allowed[slot] = entry.hash not in twins
                twins.add(entry.hash)
        slots = first(index, scores, allowed, limit=options.limit)
    return [index.ids[slot] for slot in slots]


def _objects_of(snapshot: Snapshot, space: str, frames: list[int], as_of: AsOf) -> dict[int, str]:
    if not frames:
        return {}
    # By frame alone: with the space in it, SQLite would rather read all versions of the space.
    clause = during("x", as_of) & among("x.frame_id", frames)
    sql = f"SELECT x.frame_id, x.object_id, x.space FROM space_object x WHERE {clause.sql}"
    records = snapshot.db.all(sql, clause.values)
    return {int(frame): str(name) for frame, name, where in records if where in parts_seen(space)}
