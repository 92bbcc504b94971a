"""Writing what importers read: a batch is one transaction, and what was imported before is left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from longmind.base.errors import InvalidInput
from longmind.base.frame import Frame
from longmind.base.partitions import partition_name, split_partition
from longmind.facts import names, validate
from longmind.facts import write as facts_write
from longmind.facts.incoming import incoming, redacted_name
from longmind.facts.names import NewEntity
from longmind.facts.statements import Claim
from longmind.facts.trust import lineage
from longmind.facts.values import Assertion, Entity, Evidence
from longmind.importers.records import CHANNEL, Batch, Item, Name, Statement, source_key
from longmind.importers.values import kept, label_of, text_of
from longmind.ingest.report import Skip
from longmind.ingest.request import remember
from longmind.store.drafts import Draft, draft
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among
from longmind.store.write import Put, look, retire

_MOST_SKIPS: Final = 1000


@dataclass(slots=True)
class Tally:
    """What became of the batches so far."""

    created: int = 0
    unchanged: int = 0
    superseded: int = 0
    retired: int = 0
    facts: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    skip_counts: Counter[str] = field(default_factory=Counter)
    skips: list[Skip] = field(default_factory=list)
    """The first ones; a damaged file has as many as lines."""
    warnings: set[str] = field(default_factory=set)

    def skip(self, skip: Skip) -> None:
        self.skip_counts[skip.code] += 1
        if len(self.skips) < _MOST_SKIPS:
            self.skips.append(skip)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A batch that was checked: its drafts by key, and claims that still lack their evidence."""

    partition: str
    drafts: Mapping[str, Draft]
    items: Mapping[str, Item]
    claims: Sequence[tuple[Claim, tuple[str, ...]]]
    names: Sequence[Name]
    retires: Sequence[str]


class Writer:
    """Writes batches of one source into one space."""

    def __init__(self, store: Store, *, source: str, space: str, user: str | None) -> None:
        self._store = store
        self._source = source
        self._space = space
        self._user = user
        self.tally = Tally()
        self._planned: set[tuple[str, str]] = set()
        """What a dry run would have written by now."""

    def plan(self, batch: Batch) -> None:
        """Count what `write` would do."""
        ready = self._ready(batch)
        drafts = list(ready.drafts.values())
        with self._store.read() as snapshot:
            stored = look(snapshot, drafts).targets
            targets = [
                0 if target is None and (ready.partition, key) in self._planned else target
                for key, target in zip(ready.drafts, stored, strict=True)
            ]
            replaced = [
                frame_id
                for item, target in zip(ready.items.values(), targets, strict=True)
                if item.replaces and item.uri is not None and target is None
                for frame_id in self._with_uri(snapshot.db, ready.partition, item.uri)
            ]
        self._count(drafts, ["created" if target is None else "unchanged" for target in targets])
        self.tally.superseded += len(replaced)
        new = {key for key, target in zip(ready.drafts, targets, strict=True) if target is None}
        self._planned.update((ready.partition, key) for key in new)
        self.tally.facts += sum(any(key in new for key in evidence) for _, evidence in ready.claims)

    def write(self, batch: Batch) -> None:
        """Write a batch in one transaction."""
        ready = self._ready(batch)
        if not (ready.drafts or ready.claims or ready.names or ready.retires):
            return

        def settle(tx: Transaction, drafts: Sequence[Draft], results: Sequence[Put]) -> None:
            self._settle(tx, ready, drafts, results)
            self._count(drafts, [result.status for result in results])

        report = remember(self._store, list(ready.drafts.values()), settle=settle)
        for skip in report.skipped:
            self.tally.skip(skip)
        self.tally.warnings.update(report.warnings)

    def _count(self, drafts: Sequence[Draft], statuses: Sequence[str]) -> None:
        for item, status in zip(drafts, statuses, strict=True):
            if status == "created":
                self.tally.created += 1
                self.tally.kinds[item.kind] += 1
            else:
                self.tally.unchanged += 1

    # Before the transaction

    def _ready(self, batch: Batch) -> _Ready:
        partition = partition_name(
            self._space, self._user if self._user is not None else label_of(batch.user)
        )
        drafts: dict[str, Draft] = {}
        items: dict[str, Item] = {}
        for item in batch.items:
            key = self._key(item.id, partition)
            if not text_of(item.text).strip():
                self._skip(f"{batch.name}: {item.id}", "empty", "there is no text in it")
            elif key not in drafts:
                try:
                    drafts[key] = self._draft(item, key, partition)
                    items[key] = item
                except InvalidInput as error:
                    self._skip(f"{batch.name}: {item.id}", "refused", error.message)
        claims = [claim for item in batch.statements for claim in self._claim(batch, item, items, partition)]
        retires = [self._key(item_id, partition) for item_id in batch.retires]
        return _Ready(partition, drafts, items, claims, list(self._names(batch)), retires)

    def _draft(self, item: Item, key: str, partition: str) -> Draft:
        origin = {"source": self._source, "id": text_of(item.id)[:2000]}
        metadata: dict[str, Any] = {**item.metadata, "channel": CHANNEL, CHANNEL: {**item.unknown, **origin}}
        return draft(
            text_of(item.text), space=partition, kind=item.kind, title=label_of(item.title),
            session=label_of(item.session), role=label_of(item.role), speaker=label_of(item.speaker),
            uri=label_of(item.uri), source="import", tags=item.tags, metadata=kept(metadata),
            occurred_at=item.occurred_at, repeatable=True, idempotency_key=key,
        )  # fmt: skip

    def _claim(
        self, batch: Batch, item: Statement, items: Mapping[str, Item], partition: str
    ) -> Iterator[tuple[Claim, tuple[str, ...]]]:
        keys = tuple(self._key(item_id, partition) for item_id in item.evidence)
        started = [items[key].occurred_at for key in keys if key in items]
        start = item.valid_from if item.valid_from is not None else next(iter(started), None)
        try:
            statement = incoming(
                self._store,
                Assertion(
                    item.subject, item.predicate, item.value, start, item.valid_to, dict(item.qualifiers)
                ),
                space=partition,
            )
            claim = validate.claim(statement, now=self._store.now())
        except InvalidInput as error:
            self._skip(f"{batch.name}: {item.subject} {item.predicate}"[:300], "refused", error.message)
            return
        import_lineage = lineage(CHANNEL, user=split_partition(partition)[1])
        yield claim._replace(lineage=import_lineage, by_hand=False), keys

    def _names(self, batch: Batch) -> Iterator[Name]:
        for name in batch.names:
            try:
                for text in (name.key, *name.aliases):
                    Entity(text)
                yield replace(name, kind=label_of(name.kind) or "")
            except InvalidInput as error:
                self._skip(f"{batch.name}: {name.key}"[:300], "refused", error.message)

    def _key(self, item_id: str, partition: str) -> str:
        """Under which a record is stored: the rules of the space hold for its id, too."""
        return redacted_name(self._store, source_key(self._source, item_id), space=partition)

    def _with_uri(self, db: Any, partition: str, uri: str) -> list[int]:
        """The live frames of a name, chunks left out."""
        sql = (
            "SELECT frame_id FROM frame "
            "WHERE uri = ? AND space = ? AND retired_at IS NULL AND start_byte IS NULL"
        )
        stored = redacted_name(self._store, label_of(uri) or "", space=partition)
        return [int(row[0]) for row in db.all(sql, (stored, partition))]

    def _skip(self, name: str, code: str, detail: str) -> None:
        self.tally.skip(Skip(text_of(name), code, detail))

    # Inside it

    def _settle(
        self, tx: Transaction, ready: _Ready, drafts: Sequence[Draft], results: Sequence[Put]
    ) -> None:
        new = {
            str(item.idempotency_key): result.id
            for item, result in zip(drafts, results, strict=True)
            if result.status == "created"
        }
        for key, frame_id in new.items():
            item = ready.items[key]
            if item.replaces and item.uri is not None:
                older = [old for old in self._with_uri(tx.db, ready.partition, item.uri) if old != frame_id]
                done = retire(tx, older, successor=frame_id, reason="superseded", parts=self._store.parts)
                self.tally.superseded += bool(done)
        if ready.retires:
            gone = _by_key(tx.db, ready.partition, ready.retires)
            done = retire(tx, sorted(gone.values()), reason="deleted", parts=self._store.parts)
            self.tally.retired += bool(done)
        self._settle_names(tx, ready)
        self._settle_claims(tx, ready, new)

    def _settle_names(self, tx: Transaction, ready: _Ready) -> None:
        for name in ready.names:
            entity = Entity(redacted_name(self._store, name.key, space=ready.partition))
            existing = names.find_entities(tx.db, ready.partition, [entity.norm])
            kind = redacted_name(self._store, name.kind, space=ready.partition)
            fresh = {entity.norm: NewEntity(str(entity), kind=kind, by_hand=False)}
            row = names.ensure_entities(tx, ready.partition, fresh, existing=existing)[entity.norm]
            others = [redacted_name(self._store, alias, space=ready.partition) for alias in name.aliases]
            names.add_aliases(tx, [(row, alias) for alias in others])

    def _settle_claims(self, tx: Transaction, ready: _Ready, new: Mapping[str, int]) -> None:
        cited = sorted({key for _, keys in ready.claims for key in keys} - set(new))
        older = _by_key(tx.db, ready.partition, cited)
        claims = []
        for claim, keys in ready.claims:
            if not any(key in new for key in keys):
                continue  # imported before, with what it rests on
            frames = [new[key] if key in new else older[key] for key in keys if key in new or key in older]
            extractor = f"{CHANNEL}:{self._source}"
            pieces = tuple(Evidence(frame_id, extractor=extractor) for frame_id in frames)
            claims.append(claim._replace(evidence=pieces))
        if not claims:
            return
        dialect = self._store.engine.dialect
        checked = validate.check_frames(tx, claims, space=ready.partition, dialect=dialect)
        facts_write.write(tx, checked, ledger=ready.partition, space=ready.partition)
        self.tally.facts += len(checked)


def _by_key(db: Any, partition: str, keys: Sequence[str]) -> dict[str, int]:
    """The live frames that some keys name."""
    if not keys:
        return {}
    clause = Clause("k.space = ?", (partition,)) & among("k.name", list(keys))
    rows = db.all(
        "SELECT k.name, k.frame_id FROM frame_key k JOIN frame f ON f.frame_id = k.frame_id "
        f"WHERE f.retired_at IS NULL AND {clause.sql}",
        clause.values,
    )
    return {str(name): int(frame_id) for name, frame_id in rows}


def origin_of(frame: Frame) -> Mapping[str, Any]:
    """Where an imported frame comes from: its source, its id there, and the fields that were kept."""
    origin = frame.metadata.get(CHANNEL)
    return origin if isinstance(origin, Mapping) else {}
