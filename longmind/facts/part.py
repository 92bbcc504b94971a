"""Facts follow frames: read from new ones, retracted and erased with those they rest on."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import compress
from typing import Final

from longmind.base.errors import InvalidInput
from longmind.base.filters import View
from longmind.base.frame import PARTS, Frame, Kind
from longmind.base.partitions import split_partition
from longmind.base.processes import ExtractionProcesses
from longmind.base.recall_marks import blank_echo
from longmind.base.times import Clock
from longmind.extract.statements import Statement
from longmind.facts import expiry, names, persons, reassertion, removal, suppression, write
from longmind.facts import rollback as rollbacks
from longmind.facts.anchor import anchored
from longmind.facts.belief import UNKNOWN
from longmind.facts.canonical import fact_hash
from longmind.facts.checked_extraction import check_extraction
from longmind.facts.extraction import (
    Extraction,
    ExtractionLimits,
    Extractor,
    FoundEntity,
    FoundFact,
    Source,
    found_names,
    told_extraction,
)
from longmind.facts.extraction_pool import POOL
from longmind.facts.health import count_rows, find_problems
from longmind.facts.held_mirror import HeldMirror
from longmind.facts.names import NewEntity
from longmind.facts.rows import GLOBAL
from longmind.facts.slots import standard
from longmind.facts.statements import Claim
from longmind.facts.trust import Lineage, channel_of, is_held_back, lineage
from longmind.facts.values import (
    Entity,
    Evidence,
    Predicate,
    Recorded,
    check_qualifiers,
    typed,
)
from longmind.store.drafts import Draft
from longmind.store.engine import Connection
from longmind.store.parts import Budget, DerivedLimits, Failed, Part, Problem
from longmind.store.rollback import Difference, Rollback
from longmind.store.store import Store
from longmind.store.transaction import Snapshot, Transaction

_ON_PURPOSE: Final = frozenset({"note", "call"})
"""Channels of what somebody wrote down to be remembered."""
_MEDIA = frozenset((*PARTS, *PARTS.values()))


class FactsPart(Part):
    """The ledger's share in the life of frames; without an extractor, nothing is read from new ones."""

    name = "facts"
    needs_whole = True

    def __init__(
        self,
        extractor: Extractor | None = None,
        *,
        limits: ExtractionLimits | None = None,
        clock: Clock | None = None,
        processes: ExtractionProcesses = 0,
    ) -> None:
        """`clock` dates what is said without a moment of its own, so that "yesterday" is a day.

        Up to so many `processes` help to read a batch.
        """
        self.extractor = extractor
        self.clock = clock
        self.limits = limits or ExtractionLimits()
        self.processes = processes
        self._mirror = HeldMirror()

    def within(self, limits: DerivedLimits) -> FactsPart:
        if limits == DerivedLimits():
            return self
        part = FactsPart(
            self.extractor, limits=self.limits.within(limits), clock=self.clock, processes=self.processes
        )
        part._mirror = self._mirror
        return part

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        if self.extractor is None:
            return None
        most = self.limits.max_facts_per_chunk
        # Text in a picture is nobody's statement, and speech without a name could be anybody's.
        read = [not _is_nobodys(draft) for draft in drafts]
        sources = [
            _source(draft, self.clock, text=blank_echo(draft.text), max_facts=most)
            for draft in compress(drafts, read)
        ]
        found = iter(POOL.extract(self.extractor, sources, self.limits, self.processes))
        return [next(found) if is_read else Extraction() for is_read in read]

    def told(
        self, draft: Draft, statements: Sequence[Statement], *, read_by: str | None = None
    ) -> Extraction | Failed:
        """What a draft says by statements that were read elsewhere; nothing without an extractor."""
        if self.extractor is None:
            return Extraction()
        try:
            source = _source(draft, self.clock, text=draft.text)
            extraction = self.limits.cut(told_extraction(source, statements, read_by=read_by))
            check_extraction(extraction, draft.text)
            return extraction
        except InvalidInput as error:  # a statement that the ledger cannot hold must not keep its frame out
            return Failed(f"{read_by or self.extractor.id}: {error.message}")

    def written(
        self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None
    ) -> Mapping[str, int] | None:
        if prepared is None or self.extractor is None:
            return None
        self._mirror.follow(tx)
        ledgers: dict[tuple[str, str], list[tuple[Frame, Extraction]]] = defaultdict(list)
        for position, item in enumerate(prepared):
            if isinstance(item, Extraction) and item:
                frame = frames[position]
                ledger = GLOBAL if frame.scope == "global" else frame.partition
                ledgers[ledger, frame.partition].append((frame, item))
        if not ledgers:
            return None
        before = tx.last_number("fact_entity")
        counts: Counter[str] = Counter()
        for (ledger, space), items in ledgers.items():
            if len(items) == 1:
                [(frame, item)] = items
                items = [(frame, self._unsettled(tx, ledger, frame, item))]
            if items[0][1]:
                counts.update(self._apply(tx, self.extractor, ledger, space, items))
        return {**counts, "entities": tx.last_number("fact_entity") - before}

    def _unsettled(self, tx: Transaction, ledger: str, frame: Frame, item: Extraction) -> Extraction:
        """Without what a whole frame says by being there, once that is known on enough evidence.

        Every turn of a conversation names its session anew, and all but the first few add nothing.
        """
        for fact in item.facts:
            if fact.start is not None:
                continue  # read in the text
            if fact.value is None or isinstance(fact.value, Entity):
                continue
            norm = Entity(fact.subject).norm
            value = typed(fact.value)
            hashed = _hash_of(norm, Predicate(fact.predicate).norm, value.kind, value.stored)
            if not self._mirror.is_settled(
                ledger, hashed, at=frame.occurred_at, max_evidence=self.limits.max_evidence_per_fact
            ):
                continue
            entities = [entity for entity in item.entities if Entity(entity.key).norm == norm]
            alone = sum([_names(other, norm) for other in item.facts]) == 1
            bare = fact == FoundFact(fact.subject, fact.predicate, fact.value, cardinality=fact.cardinality)
            is_plain = bare and alone and not any(entity.aliases for entity in entities)
            if is_plain and not is_held_back(_lineage(frame), fact.subject, fact.predicate):
                item = replace(
                    item,
                    entities=tuple(entity for entity in item.entities if entity not in entities),
                    facts=tuple(other for other in item.facts if other is not fact),
                )
        return item

    def _apply(
        self,
        tx: Transaction,
        extractor: Extractor,
        ledger: str,
        space: str,
        items: Sequence[tuple[Frame, Extraction]],
    ) -> Mapping[str, int]:
        """Write what the frames say; return how many facts and pieces of evidence are new."""
        items = [(frame, persons.with_first_names(item)) for frame, item in items]
        items = [(frame, anchored(tx.db, ledger, frame, item, self._mirror)) for frame, item in items]
        tx.placed_facts.update((frame.id, item.facts) for frame, item in items)
        items = _without_erased(tx, ledger, items)
        entities = found_names([entity for _, item in items for entity in item.entities])
        existing = names.find_entities(tx.db, ledger, self._mirror.names(ledger).keys_among(entities))
        new_by_norm = {norm: _new(entity) for norm, entity in entities.items()}
        rows = names.ensure_entities(tx, ledger, new_by_norm, existing=existing)
        claims = [
            claim
            for frame, item in items
            for source in [_lineage(frame)]
            for fact in item.facts
            for claim in _claims(frame, fact, extractor, source, now=tx.now)
        ]
        outcome = write.write(
            tx,
            claims,
            ledger=ledger,
            space=space,
            max_evidence=self.limits.max_evidence_per_fact,
            cap_all=self.limits.cap_all,
            known=rows,
        )
        for frame, item in items:
            mentioned = {norm for fact in item.facts for norm in _mentioned(fact)}
            pairs = []
            for norm, entity in found_names(item.entities).items():
                # An entity that no fact mentions is tied to its frame by its own name.
                aliases = [alias for alias in entity.aliases if Entity(alias).norm != norm]
                if is_held_back(_lineage(frame), entity.key, "name"):
                    aliases = []
                pairs += [
                    (rows[norm], alias)
                    for alias in (aliases if norm in mentioned else [*aliases, entity.key])
                ]
            names.add_aliases(tx, pairs, frame_id=frame.id)
        recorded = sum(
            isinstance(result, Recorded) and result.status in ("recorded", "extended")
            for result in outcome.results
        )
        return {"facts": recorded, "evidence": outcome.evidence, "evidence over the limit": outcome.left_out}

    def repeated(self, tx: Transaction, frame_id: int, draft: Draft) -> int:
        """Assert again what the rows of a frame asserted, where something else was held in between.

        What was read then is in the ledger, so nothing is read again. What is dated by the text says nothing
        new: its period is the one that was said.
        """
        moment = tx.now if draft.occurred_at is None else draft.occurred_at
        return reassertion.assert_again(tx, frame_id, moment=moment, by_clock=draft.occurred_at is None)

    def retired(self, tx: Transaction, ids: Sequence[int], *, reason: str) -> None:
        removal.retire(tx, ids, reason=reason)

    def expired(self, tx: Transaction, numbers: Sequence[int]) -> None:
        expiry.lapse(tx, numbers)

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        return expiry.erase_expired(store, budget)

    def differences(self, db: Connection, before: View, after: View) -> Sequence[Difference]:
        return rollbacks.differences(db, before, after)

    def rewritten(self, tx: Transaction, old: int, new: int, *, at: int) -> None:
        rollbacks.cite_instead(tx, old, new, at=at)

    def rolled_back(self, tx: Transaction, rollback: Rollback) -> Mapping[str, int]:
        self._mirror.clear()
        return rollbacks.roll_back(tx, rollback)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        self._mirror.clear()
        return removal.erase(tx, ids)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return find_problems(snapshot, deep=deep)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return count_rows(snapshot)


def _without_erased(
    tx: Transaction, ledger: str, items: Sequence[tuple[Frame, Extraction]]
) -> list[tuple[Frame, Extraction]]:
    """Leave out what was erased and is only said again; what is noted on purpose may be read from now on."""
    secret = suppression.secret_of(tx, ledger)
    if secret is None:
        return list(items)
    remaining: list[tuple[Frame, Extraction]] = []
    for frame, item in items:
        fields = {
            fact: suppression.statement_fields(fact.subject, fact.predicate, fact.value, holds=fact.polarity)
            for fact in item.facts
            if fact.value is not None and fact.action != "end"
        }
        if _channel(frame, frame.metadata.get("channel")) in _ON_PURPOSE:
            suppression.lift(tx, ledger, fields.values())
            remaining.append((frame, item))
            continue
        names = {fact: suppression.keyed(secret, ledger, value) for fact, value in fields.items()}
        erased = suppression.suppressed(tx.db, ledger, names.values())
        facts = tuple(fact for fact in item.facts if names.get(fact) not in erased)
        remaining.append((frame, item if len(facts) == len(item.facts) else _only(item, facts)))
    return remaining


def _only(item: Extraction, facts: tuple[FoundFact, ...]) -> Extraction:
    """An extraction without some facts, and without the names that only these gave."""
    mentioned = {norm for fact in facts for norm in _mentioned(fact)}
    lost = {norm for fact in item.facts for norm in _mentioned(fact)} - mentioned
    entities = tuple(entity for entity in item.entities if Entity(entity.key).norm not in lost)
    return replace(item, entities=entities, facts=facts)


def _is_nobodys(draft: Draft) -> bool:
    named = draft.speaker is not None or (draft.start is not None and "speakers" in draft.metadata)
    return draft.kind in _MEDIA and not named


def _source(draft: Draft, clock: Clock | None, *, text: str, max_facts: int | None = None) -> Source:
    space, user = split_partition(draft.space)
    metadata = {key: json.loads(value) for key, value in draft.metadata.items()}
    now = None if clock is None else clock.now()
    return Source(
        text=text,
        space=space,
        kind=draft.kind,
        session=draft.session,
        role=draft.role,
        speaker=draft.speaker,
        uri=draft.uri,
        title=draft.title,
        occurred_at=now if draft.occurred_at is None else draft.occurred_at,
        chunk=draft.ordinal if draft.start is not None else None,
        cut=bool(draft.chunks),
        user=user,
        channel=_channel(draft, metadata.get("channel")),
        metadata=metadata,
        max_facts=max_facts,
    )


def _channel(origin: Draft | Frame, stated: object) -> str:
    return channel_of(
        kind=origin.kind,
        role=origin.role,
        source=origin.source,
        uri=origin.uri,
        speaker=origin.speaker,
        metadata_channel=stated if isinstance(stated, str) else None,
    )


def _lineage(frame: Frame) -> Lineage:
    return lineage(_channel(frame, frame.metadata.get("channel")), speaker=frame.speaker)


def _mentioned(fact: FoundFact) -> set[str]:
    """The canonical keys of the entities in it."""
    named = {fact.value.norm} if isinstance(fact.value, Entity) else set()
    return {Entity(fact.subject).norm, *named}


def _names(fact: FoundFact, norm: str) -> bool:
    """Whether an entity is in it, by its canonical key."""
    return Entity(fact.subject).norm == norm or (isinstance(fact.value, Entity) and fact.value.norm == norm)


_hash_of: Final = lru_cache(maxsize=256)(fact_hash)
"""Every turn of a conversation names its session anew."""


def _new(entity: FoundEntity) -> NewEntity:
    return NewEntity(entity.key.strip(), kind=entity.kind, by_hand=False)


def _claims(
    frame: Frame, fact: FoundFact, extractor: Extractor, lineage_of_frame: Lineage, *, now: int
) -> list[Claim]:
    """What a fact found in a frame asserts, dated by what the text says, else by when the frame happened."""
    evidence = Evidence(
        frame.id,
        fact.start,
        fact.end,
        chunk=frame.ordinal if frame.start is not None else None,
        extractor=extractor.id if fact.read_by is None else fact.read_by,
        version=extractor.version if fact.read_by is None else "",
        confidence=fact.confidence,
        asserted_at=frame.occurred_at,
    )
    claim = Claim(
        Entity(fact.subject),
        Predicate(standard(Predicate(fact.predicate))),
        None if fact.value is None else typed(fact.value),
        check_qualifiers(dict(fact.qualifiers)),
        start=frame.occurred_at,
        polarity=fact.polarity,
        evidence=(evidence,),
        # A memory's own words were given to be remembered: they count until somebody takes them back.
        by_hand=frame.kind == Kind.MEMORY,
        lineage=lineage_of_frame,
        cardinality=fact.cardinality,
        flexible=True,
        # A frame that names its own moment is dated by it; any other by the clock, which may be set back.
        by_clock=frame.occurred_at == now,
    )
    if fact.action == "end" or fact.value is None:
        return _endings(_ending(claim), fact.valid_to)
    start, end = fact.valid_from, fact.valid_to
    if fact.action == "correct" and fact.replaces is not None:
        never = _ending(claim)._replace(action="retract", reason="corrected")
        wrong = [never._replace(value=typed(value)) for value in (Entity(fact.replaces), fact.replaces)]
        return [*wrong, claim if start is None else claim._replace(start=start, by_clock=False)]
    over = None if end is None or not fact.polarity else _ending(claim)._replace(start=end, by_clock=False)
    if fact.action == "correct":
        claim = claim._replace(action="correct")
    if start is not None:
        claim = claim._replace(start=start, by_clock=False)
    elif end is not None and end <= frame.occurred_at:
        # "I lived in Porto until 2019": from when is not told.
        claim = claim._replace(start=UNKNOWN, by_clock=False)
    if end is not None:
        claim = claim._replace(end=end)
    return [claim] if over is None else [claim, over]


def _ending(claim: Claim) -> Claim:
    """That what a claim says is over when the claim begins."""
    return claim._replace(action="end", polarity=True, reason="said to be over", lenient=True)


def _endings(ending: Claim, end: int | None) -> list[Claim]:
    """The end that was said, and the end of whatever was recorded to have begun between it and now."""
    if end is None:
        return [ending]
    at_that_time = ending._replace(start=end, by_clock=False)
    assert ending.start is not None
    return [at_that_time] if end >= ending.start else [at_that_time, ending]
