"""Facts follow frames: read from new ones, retracted and erased with those they rest on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from longmind.base.errors import Corrupt
from longmind.base.frame import PARTS, Frame
from longmind.base.recall_marks import blank_echo
from longmind.facts import names, removal, write
from longmind.facts.canonical import alias_norm, canonical_text, fact_hash, qualifiers_hash, span_key_hash
from longmind.facts.extraction import (
    Extraction,
    ExtractionLimits,
    Extractor,
    FoundEntity,
    FoundFact,
    Source,
    found_names,
)
from longmind.facts.names import OVERLAPS, NewEntity
from longmind.facts.rows import (
    GLOBAL,
    TABLES,
    AliasRow,
    EntityRow,
    EvidenceRow,
    FactRow,
    PredicateRow,
    SpanRow,
    join,
    load_qualifiers,
    stored_object,
)
from longmind.facts.rows import verify as verify_rows
from longmind.facts.statements import Claim, Retraction
from longmind.facts.values import CALENDAR_START, Entity, Evidence, Predicate, check_order, check_range, typed
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, scalar
from longmind.store.parts import Failed, Part, Problem
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.upkeep import scan


class FactsPart(Part):
    """The ledger's share in the life of frames; without an extractor, nothing is read from new ones."""

    name = "facts"

    def __init__(self, extractor: Extractor | None = None, *, limits: ExtractionLimits | None = None) -> None:
        self.extractor = extractor
        self.limits = limits or ExtractionLimits()

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        if self.extractor is None:
            return None
        return [self._extract(self.extractor, draft) for draft in drafts]

    def _extract(self, extractor: Extractor, draft: Draft) -> Extraction | Failed:
        if draft.speaker is None and (draft.kind in PARTS or draft.kind in PARTS.values()):
            # Text in a picture is nobody's statement, and speech without a name could be anybody's.
            return Extraction()
        try:
            extraction = self.limits.cut(
                extractor.extract(_source(replace(draft, text=blank_echo(draft.text))))
            )
            _check(extraction, draft.text)
            return extraction
        except Exception as error:  # foreign code must not keep a frame from being written
            return Failed(f"extractor {extractor.id}: {type(error).__name__}: {error}")

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        if prepared is None or self.extractor is None:
            return
        ledgers: dict[tuple[str, str], list[tuple[Frame, Extraction]]] = defaultdict(list)
        for frame, item in zip(frames, prepared, strict=True):
            if isinstance(item, Extraction) and item:
                ledger = GLOBAL if frame.scope == "global" else frame.space
                ledgers[ledger, frame.space].append((frame, item))
        for (ledger, space), items in ledgers.items():
            if len(items) == 1:
                [(frame, item)] = items
                items = [(frame, self._unsettled(tx, ledger, frame, item))]
            if items[0][1]:
                self._apply(tx, self.extractor, ledger, space, items)

    def _unsettled(self, tx: Transaction, ledger: str, frame: Frame, item: Extraction) -> Extraction:
        """Without what a whole frame says by being there, once that is known on enough evidence.

        Every turn of a conversation names its session anew, and all but the first few add nothing.
        """
        for fact in item.facts:
            norm = Entity(fact.subject).norm
            entities = [entity for entity in item.entities if Entity(entity.key).norm == norm]
            alone = sum(norm in _mentioned(other) for other in item.facts) == 1
            bare = fact == FoundFact(fact.subject, fact.predicate, fact.value, cardinality=fact.cardinality)
            if not (bare and alone) or isinstance(fact.value, Entity) or any(e.aliases for e in entities):
                continue
            if write.is_settled(
                tx.db,
                Entity(fact.subject),
                Predicate(fact.predicate),
                typed(fact.value),
                ledger=ledger,
                at=frame.occurred_at,
                max_evidence=self.limits.max_evidence_per_fact,
            ):
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
    ) -> None:
        entities = found_names([entity for _, item in items for entity in item.entities])
        existing = names.find_entities(tx.db, ledger, entities)
        new_by_norm = {norm: _new(entity) for norm, entity in entities.items()}
        rows = names.ensure_entities(tx, ledger, new_by_norm, existing=existing)
        operations = [
            operation
            for frame, item in items
            for fact in item.facts
            for operation in _operations(frame, fact, extractor, now=tx.now)
        ]
        write.write(
            tx, operations, ledger=ledger, space=space, max_evidence=self.limits.max_evidence_per_fact
        )
        for frame, item in items:
            mentioned = {norm for fact in item.facts for norm in _mentioned(fact)}
            pairs = []
            for norm, entity in found_names(item.entities).items():
                # An entity that no fact mentions is tied to its frame by its own name.
                aliases = [alias for alias in entity.aliases if Entity(alias).norm != norm]
                pairs += [
                    (rows[norm], alias)
                    for alias in (aliases if norm in mentioned else [*aliases, entity.key])
                ]
            names.add_aliases(tx, pairs, frame_id=frame.id)

    def retired(self, tx: Transaction, ids: Sequence[int], *, reason: str) -> None:
        removal.retire(tx, ids, reason=reason)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        return removal.erase(tx, ids)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        return find_problems(snapshot, deep=deep)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return count_rows(snapshot)


def _source(draft: Draft) -> Source:
    return Source(
        text=draft.text,
        space=draft.space,
        kind=draft.kind,
        session=draft.session,
        role=draft.role,
        speaker=draft.speaker,
        uri=draft.uri,
        title=draft.title,
        occurred_at=draft.occurred_at,
        chunk=draft.ordinal if draft.start is not None else None,
        cut=bool(draft.chunks),
    )


def _check(extraction: Extraction, text: str) -> None:
    """Refuse what could not be written, while there is still time."""
    raw = text.encode()
    for entity in extraction.entities:
        for name in (entity.key, *entity.aliases):
            Entity(name)
    for fact in extraction.facts:
        Entity(fact.subject), Predicate(fact.predicate), typed(fact.value)
        if fact.valid_from is not None and fact.valid_to is not None:
            check_order(fact.valid_from, fact.valid_to)
        if fact.start is not None and fact.end is not None:
            Evidence(1, fact.start, fact.end, confidence=fact.confidence)
            check_range("the text", fact.start, fact.end, raw)


def _mentioned(fact: FoundFact) -> set[str]:
    """The canonical keys of the entities in it."""
    named = {fact.value.norm} if isinstance(fact.value, Entity) else set()
    return {Entity(fact.subject).norm, *named}


def _new(entity: FoundEntity) -> NewEntity:
    return NewEntity(entity.key.strip(), kind=entity.kind, by_hand=False)


def _operations(frame: Frame, fact: FoundFact, extractor: Extractor, *, now: int) -> list[Claim | Retraction]:
    # A frame that names its own moment is dated by it; any other by the clock, which may be set back.
    by_clock = frame.occurred_at == now
    evidence = Evidence(
        frame.id,
        fact.start,
        fact.end,
        chunk=frame.ordinal if frame.start is not None else None,
        extractor=extractor.id,
        version=extractor.version,
        confidence=fact.confidence,
        asserted_at=frame.occurred_at,
    )
    subject, predicate, value = Entity(fact.subject), Predicate(fact.predicate), typed(fact.value)
    ending = Retraction(
        subject,
        predicate,
        value,
        until=frame.occurred_at,
        reason="said to be over",
        evidence=(evidence,),
        lenient=True,
        flexible=True,
        by_clock=by_clock,
    )
    claim = Claim(
        subject,
        predicate,
        value,
        start=frame.occurred_at,
        evidence=(evidence,),
        by_hand=False,
        cardinality=fact.cardinality,
        flexible=True,
        by_clock=by_clock,
    )
    start, end = fact.valid_from, fact.valid_to
    is_over = end is not None and end <= frame.occurred_at
    if fact.action == "end":
        return _endings(ending, end)
    if start is None and is_over:
        # "I lived in Porto until 2019": from when is not told, so it takes what room is left before.
        unknown_start = replace(claim, start=CALENDAR_START, end=end, fills=True, by_clock=False)
        return [*_endings(ending, end), unknown_start]
    if end is not None:
        dated_claim = claim if start is None else replace(claim, start=start, by_clock=False)
        return [replace(dated_claim, end=end)]
    if start is None:
        return [claim]
    dated = replace(claim, start=start, by_clock=False)
    if start >= frame.occurred_at:
        return [dated]
    # "I moved to Lisbon in 2021": so when it was said, whatever was recorded then; and since 2021.
    return [claim, replace(dated, end=frame.occurred_at)]


def _endings(ending: Retraction, end: int | None) -> list[Claim | Retraction]:
    """The end that was said, and the end of whatever was recorded to have begun between it and now."""
    if end is None:
        return [ending]
    at_that_time = replace(ending, until=end, by_clock=False)
    return [at_that_time] if ending.until is None or end >= ending.until else [at_that_time, ending]


_COUNTED: Final = (EntityRow, AliasRow, PredicateRow, FactRow, SpanRow, EvidenceRow)


def find_problems(snapshot: Snapshot, *, deep: bool) -> Iterator[Problem]:
    """What is wrong with the ledger; without `deep`, only what a few queries can tell."""
    db = snapshot.db
    yield from _overlaps(db)
    yield from _loose_ends(db, snapshot.revision)
    if deep:
        for kind in TABLES:
            yield from verify_rows(db, kind, _abnormal)
        yield from _hashes(db)


def count_rows(snapshot: Snapshot) -> Mapping[str, int]:
    db = snapshot.db
    counts = {TABLES[kind]: scalar(db, f"SELECT count(*) FROM {TABLES[kind]}") for kind in TABLES}
    return {
        "entities": counts["fact_entity"],
        "aliases": counts["fact_alias"],
        "predicates": counts["fact_predicate"],
        "facts": counts["fact"],
        "spans": counts["fact_span"],
        "open_spans": scalar(db, "SELECT count(*) FROM fact_span WHERE system_to IS NULL"),
        "evidence": counts["fact_evidence"],
    }


def _overlaps(db: Connection) -> Iterator[Problem]:
    for predicate_id, key in db.all("SELECT predicate_id, key FROM fact_predicate WHERE cardinality = 'one'"):
        row = db.one(OVERLAPS, (predicate_id,))
        if row is not None and row[0] is not None:
            yield Problem("fact_span", f"{row[0]} has two values of {key} at the same time")
    twice = (
        "SELECT s.fact_id FROM fact_span s JOIN fact_span r ON r.fact_id = s.fact_id "
        "AND r.span_id > s.span_id WHERE s.system_to IS NULL AND r.system_to IS NULL "
        "AND (r.valid_to IS NULL OR s.valid_from < r.valid_to) "
        "AND (s.valid_to IS NULL OR r.valid_from < s.valid_to) LIMIT 10"
    )
    for (fact_id,) in db.all(twice):
        yield Problem("fact_span", f"fact {fact_id} has two open periods that overlap")


def _loose_ends(db: Connection, revision: int) -> Iterator[Problem]:
    empty = (
        "SELECT c.fact_id FROM fact c "
        "WHERE NOT EXISTS (SELECT 1 FROM fact_span s WHERE s.fact_id = c.fact_id) LIMIT 10"
    )
    for (fact_id,) in db.all(empty):
        yield Problem("fact", f"fact {fact_id} has no period")
    late = db.one("SELECT max(system_from), max(system_to) FROM fact_span")
    if late is not None and max(late[0] or 0, late[1] or 0) > revision:
        yield Problem("clock", f"the clock says {revision}, a span of a fact is later")
    for kind in _COUNTED:
        table = TABLES[kind]
        highest = scalar(db, f"SELECT coalesce(max({kind._fields[0]}), 0) FROM {table}")
        if highest > scalar(db, "SELECT value FROM store_counter WHERE name = ?", (table,)):
            yield Problem("counter", f"the counter of {table} is behind its rows")
    strayed = (
        "SELECT c.fact_id FROM fact c JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
        "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
        "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
        "WHERE e.ledger <> c.ledger OR p.ledger <> c.ledger OR o.ledger <> c.ledger LIMIT 10"
    )
    for (fact_id,) in db.all(strayed):
        yield Problem("fact", f"fact {fact_id} mixes two ledgers")


def _abnormal(item: Any) -> str:
    if _is_normal(item):
        return ""
    return f"row {item[0]} of {TABLES[type(item)]} does not have the normal form of its name or period"


def _is_normal(item: Any) -> bool:
    """Whether what is derived from a row's own columns agrees with them."""
    if isinstance(item, EntityRow | PredicateRow):
        return item.key_norm == canonical_text(item.key)
    if isinstance(item, AliasRow):
        return item.alias_norm == alias_norm(item.alias)
    if isinstance(item, SpanRow):
        return item.span_key_hash == span_key_hash(
            item.fact_id, item.valid_from, item.valid_to, item.system_from
        )
    return True


def _hashes(db: Connection) -> Iterator[Problem]:
    columns = join((FactRow, "c"), (EntityRow, "e"), (PredicateRow, "p"), (EntityRow, "o"))
    sql = (
        f"SELECT {columns.sql} FROM fact c JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
        "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
        "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id WHERE {after}"
    )
    for row in scan(db, sql, "c.fact_id"):
        try:
            fact, subject, predicate, entity = columns.read(row)
        except Corrupt:
            continue  # already reported
        qualifiers = qualifiers_hash(load_qualifiers(fact.qualifiers))
        expected = fact_hash(
            subject.key_norm,
            predicate.key_norm,
            fact.object_kind,
            stored_object(fact, entity),
            qualifiers=qualifiers,
            exact=bool(predicate.exact),
        )
        if (fact.fact_hash, fact.qualifiers_hash) != (expected, qualifiers):
            yield Problem("fact", f"the hash of fact {fact.fact_id} does not fit what it says")
