"""Redaction on the way in: what the rules of a space name is replaced before any part of the store sees it.

The rules are a space's policy. What applies them is given to the store when it is put together, since the
store itself never looks inside a text. Frames that were not treated by the rules in force are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from longmind.base.checks import canonical_json, check_tags
from longmind.base.errors import Conflict, Unsupported
from longmind.base.hashing import digest
from longmind.base.names import canonical_space
from longmind.base.partitions import split_partition
from longmind.base.places import ruled_place
from longmind.store.drafts import Draft
from longmind.store.engine import Connection
from longmind.store.tables import damaged
from longmind.store.transaction import Transaction

if TYPE_CHECKING:
    from longmind.store.store import Store

KEY: Final = "spaces_pii_key"
"""The setting with the store's own key, by which what was redacted is flagged."""
FLAGS: Final = "pii_flags"


class TextRedactor(Protocol):
    """Replaces what the rules of one space name, and collects flags of it."""

    flags: set[str]

    def text(self, text: str) -> str: ...

    def name(self, text: str) -> str: ...

    def value(self, value: Any) -> Any: ...


def redaction_rules(db: Connection, space: str) -> tuple[str, ...]:
    """What a space's policy redacts; the parts of a space that belong to users follow the same rules."""
    # However it is spelled: a name that is not canonical would find no rules, and nothing would be redacted.
    name = canonical_space(space.partition("@")[0])
    row = db.one("SELECT policy FROM space_record WHERE space = ? AND until IS NULL", (name,))
    if row is None or '"pii_redaction"' not in row[0]:
        return ()
    try:
        return tuple(str(item) for item in json.loads(row[0]).get("pii_redaction") or ())
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise damaged("space_record") from None


def place_rule(db: Connection, space: str) -> str:
    """What a space keeps of where photos and videos were taken: keep, coarse or drop."""
    # However it is spelled: a name that is not canonical would find no rules, and nothing would be redacted.
    name = canonical_space(space.partition("@")[0])
    row = db.one("SELECT policy FROM space_record WHERE space = ? AND until IS NULL", (name,))
    if row is None or '"places"' not in row[0]:
        return "keep"
    try:
        return str(json.loads(row[0]).get("places") or "keep")
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise damaged("space_record") from None


def stamp(rules: Sequence[str]) -> str:
    """Names a set of rules; empty for none."""
    return digest("redaction", len(rules), *rules).hex()[:16] if rules else ""


def _ruling_space(partition: str) -> str:
    """The space whose rules hold: its users have none of their own, so they are looked up once for all."""
    return split_partition(partition)[0]


def rules_now(tx: Transaction, space: str) -> tuple[str, ...]:
    """The same as `redaction_rules`, inside a transaction."""
    return tx.known("space_record", space, lambda: redaction_rules(tx.db, space))


def last_rules(store: Store, partition: str) -> tuple[tuple[Any, ...], tuple[str, ...] | None]:
    """What is redacted in the last state that is known here, with the end of that state's audit log."""
    return store.kept.last("space_record", _ruling_space(partition), None)


def check_rules(tx: Transaction, drafts: Iterable[Draft]) -> None:
    """Refuse drafts that the rules in force have not been applied to."""
    stamps: dict[str, str] = {}
    for partition, ruled in sorted({(draft.space, draft.ruled) for draft in drafts}):
        space = _ruling_space(partition)
        if space not in stamps:
            stamps[space] = stamp(rules_now(tx, space))
        if ruled != stamps[space]:
            raise Conflict(
                f"The redaction rules of the space {partition} changed while this was being written.",
                hint="Nothing was written. Try again.",
            )


class Redaction:
    """The redactors of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.make: Callable[[Sequence[str], bytes], TextRedactor] | None = None
        """Makes a redactor of rules and the store's key."""

    def redactor(self, space: str, tx: Transaction | None = None) -> TextRedactor | None:
        """A new redactor for a space; None where nothing is redacted. Inside a transaction, pass it."""
        return self._made(self._rules(space, tx), tx)

    def placed(self, metadata: Mapping[str, Any], space: str) -> dict[str, Any]:
        """Metadata of a photo or a recording, with as much of its place as the space keeps."""
        with self._store.read() as snapshot:
            return ruled_place(metadata, place_rule(snapshot.db, space))

    def drafts(self, drafts: Sequence[Draft], tx: Transaction | None = None) -> list[Draft]:
        """The drafts as they may be stored. Cut them into chunks afterwards: a border may divide a secret."""
        partitions = {draft.space for draft in drafts}
        spaces = sorted({_ruling_space(partition) for partition in partitions})
        rules = {space: self._rules(space, tx) for space in spaces}
        if not any(rules.values()):
            return list(drafts)
        return [self._treated(draft, rules[_ruling_space(draft.space)], tx) for draft in drafts]

    def _treated(self, draft: Draft, rules: tuple[str, ...], tx: Transaction | None) -> Draft:
        redactor = self._made(rules, tx)
        return draft if redactor is None else redacted(draft, redactor, stamp(rules))

    def _rules(self, space: str, tx: Transaction | None) -> tuple[str, ...]:
        if tx is not None:
            return rules_now(tx, space)
        with self._store.read() as snapshot:
            return redaction_rules(snapshot.db, space)

    def _made(self, rules: tuple[str, ...], tx: Transaction | None) -> TextRedactor | None:
        if not rules:
            return None
        if self.make is None:
            raise Unsupported(
                "This space redacts what is written to it, and this store was opened without.",
                hint="Open it with Memory.open, which knows the space's rules.",
            )
        return self.make(rules, self.key(tx))

    def key(self, tx: Transaction | None = None) -> bytes:
        """The store's own key for the hashes of what was redacted, made when it is first needed."""
        store = self._store
        if tx is not None:
            secret = store.setting(tx.db, KEY)
            if secret is None:
                secret = store.entropy(32).hex()
                store.set_setting(tx, KEY, secret)
            return bytes.fromhex(secret)
        with store.read() as snapshot:
            secret = store.setting(snapshot.db, KEY)
        if secret is not None:
            return bytes.fromhex(secret)
        with store.write() as writing:
            return self.key(writing)


def redacted(draft: Draft, redactor: TextRedactor, ruled: str) -> Draft:
    """Every text of a draft, its labels and its metadata; names stay different where they were."""

    def name(text: str | None) -> str | None:
        return None if text is None else redactor.name(text)

    text, title = redactor.text(draft.text), draft.title
    values = redactor.value({key: json.loads(value) for key, value in draft.metadata.items()})
    clean = replace(
        draft,
        text=text,
        title=None if title is None else redactor.text(title),
        kind=redactor.text(draft.kind),
        session=name(draft.session),
        role=name(draft.role),
        speaker=name(draft.speaker),
        uri=name(draft.uri),
        tags=check_tags([redactor.text(tag) for tag in draft.tags]),
        idempotency_key=name(draft.idempotency_key),
        ruled=ruled,
    )
    if redactor.flags:
        values[FLAGS] = sorted({*values.get(FLAGS, ()), *redactor.flags})
    return replace(clean, metadata={key: canonical_json(value, key) for key, value in values.items()})
