"""Reading the audit log, noting what does not change rows, and heads that are kept elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

from longmind.base.caller import acting, calling
from longmind.base.checks import canonical_json, check_limit
from longmind.base.errors import Corrupt, InvalidInput
from longmind.base.filters import View
from longmind.base.hashing import checksum
from longmind.base.json_text import parse_json
from longmind.base.names import ALL
from longmind.base.results import Listing
from longmind.base.signatures import HMAC, check_signature, sign
from longmind.store.audit_log import Entry, Note, entries_before, entry_at, problems, read_head, user_names
from longmind.store.engine import Connection, Value
from longmind.store.store import Store
from longmind.store.tables import stored_json, stored_names

FORMAT: Final = "longmind.audit/1"
EVERYWHERE: Final = "*"
"""The space of what every space sees."""

MOST_ENTRIES: Final = 10_000
_MOST_DETAIL: Final = 2_000


@dataclass(frozen=True, slots=True)
class SpaceEvent:
    """What the rules of a project space did in a commit, and to which object."""

    action: str
    object_id: str | None
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One commit: who did what, when, through which interface, and how many rows it changed."""

    id: int
    at: int
    """The clock's reading."""
    recorded_at: int
    """The system time of the commit."""
    actor: str
    face: str
    action: str
    spaces: tuple[str, ...]
    users: tuple[str, ...]
    """Users whose partitions were changed; one who was erased since has no name."""
    changes: Mapping[str, tuple[int, int]]
    """Rows added and removed, by table. A row that was changed counts in both."""
    detail: Mapping[str, Any]
    events: tuple[SpaceEvent, ...]
    hash: str


@dataclass(frozen=True, slots=True, eq=False)
class AuditPage(Listing[AuditRecord]):
    """Entries of the log, newest first; `cursor` asks for the next part, and is None at the end."""

    entries: tuple[AuditRecord, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class AuditHead:
    """The end of the log at a moment. Kept elsewhere, it shows later whether the log was rewritten."""

    format: str
    store: str
    entries: int
    hash: str
    recorded_at: int
    signature: Mapping[str, str] | None = None

    def message(self) -> bytes:
        """What is signed: everything but the signature."""
        fields = {name: value for name, value in asdict(self).items() if name != "signature"}
        return canonical_json(fields, "head").encode()

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> AuditHead:
        try:
            fields = parse_json(text)
            head = cls(**{name: value for name, value in fields.items() if name in cls.__dataclass_fields__})
        except (ValueError, TypeError, AttributeError):
            raise InvalidInput(
                "This is not the head of an audit log.", hint="Write one with: longmind audit head --json"
            ) from None
        numbers = (head.entries, head.recorded_at)
        texts = (head.format, head.store, head.hash)
        if not all(type(item) is int for item in numbers) or not all(type(item) is str for item in texts):
            raise InvalidInput(
                "This is not the head of an audit log: a field has another type.",
                hint="Pass what audit_head returned, unchanged.",
            )
        if head.format != FORMAT:
            raise InvalidInput(
                f"The head has the format {head.format!r}; this version reads {FORMAT}.",
                hint="Upgrade Longmind.",
            )
        return head


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """Whether a head is part of the log; falsy if it is not, or if the log has problems."""

    problems: tuple[str, ...]
    entry: int
    """The entry that the head names."""
    entries_since: int
    signature: Literal["valid", "unsigned", "not checked"]
    notes: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        return not self.problems


# Reading


def list_entries(
    store: Store,
    view: View,
    *,
    since: int | None,
    until: int | None,
    action: str | None,
    actor: str | None,
    user: str | None,
    limit: int,
    cursor: str | None,
) -> AuditPage:
    """Entries that concern a view, newest first; those of the whole store for all spaces only."""
    check_limit(limit, "limit", most=MOST_ENTRIES)
    before = None if cursor is None else _number(cursor)
    conditions, values = _conditions(since, until, action, actor)
    records: list[AuditRecord] = []
    with store.read() as snapshot:
        db = snapshot.db
        names = user_names(db)
        for entry in entries_before(db, before, conditions, values):
            record = _record(entry, view, names, user)
            if record is None:
                continue
            if len(records) == limit:
                return AuditPage(_with_events(db, records), str(records[-1].id))
            records.append(record)
        return AuditPage(_with_events(db, records), None)


def _number(cursor: str) -> int:
    if not cursor.isdecimal() or not cursor.isascii() or len(cursor) > 18:
        raise InvalidInput(f"{cursor!r} is not a cursor.", hint="Give the one that the last page came with.")
    return int(cursor)


def _conditions(
    since: int | None, until: int | None, action: str | None, actor: str | None
) -> tuple[str, list[Value]]:
    """An action also names those below it: `facts` stands for `facts.record` and the others."""
    parts: list[str] = []
    values: list[Value] = []
    for part, value in ((" AND at >= ?", since), (" AND at < ?", until), (" AND actor = ?", actor)):
        if value is not None:
            parts.append(part)
            values.append(value)
    if action is not None:
        parts.append(" AND (action = ? OR substr(action, 1, ?) = ?)")
        values += [action, len(action) + 1, f"{action}."]
    return "".join(parts), values


def _record(entry: Entry, view: View, names: Mapping[str, str], user: str | None) -> AuditRecord | None:
    """What a view may see of an entry; None if nothing."""
    try:
        return _visible_record(entry, view, names, user)
    except (TypeError, ValueError, AttributeError, RecursionError):
        # Listing does not check the chain of hashes, so that an altered entry is met as it is.
        raise Corrupt("A row of audit_entry is not what was written.", hint="Run verify.") from None


def _changes(entry: Entry) -> dict[str, tuple[int, int]]:
    changes = stored_json(entry.changes, dict, "audit_entry")
    return {name: (more, fewer) for name, (more, fewer) in changes.items()}


def _visible_record(
    entry: Entry, view: View, names: Mapping[str, str], user: str | None
) -> AuditRecord | None:
    spaces = [_Place(text, names) for text in stored_names(entry.spaces, "audit_entry")]
    shown = [
        partition
        for partition in spaces
        if partition.is_in(view) and (user is None or partition.user == user)
    ]
    if not shown and (view.spaces is not ALL or user is not None):
        return None
    whole = len(shown) == len(spaces)  # otherwise the numbers would tell of other spaces
    return AuditRecord(
        id=entry.entry_id,
        at=entry.at,
        recorded_at=entry.recorded_at,
        actor=entry.actor,
        face=entry.face,
        action=entry.action,
        spaces=tuple(sorted({partition.space for partition in shown})),
        users=tuple(sorted({partition.user for partition in shown if partition.user is not None})),
        changes=_changes(entry) if whole else {},
        detail=stored_json(entry.detail, dict, "audit_entry") if whole else {},
        events=(),
        hash=entry.hash.hex(),
    )


class _Place:
    """One of the spaces of an entry: its name, and the user's where it is a part of one."""

    def __init__(self, text: str, names: Mapping[str, str]) -> None:
        self.space, mark, digest = text.partition("@")
        self.user = names.get(digest, "(erased)") if mark else None

    def is_in(self, view: View) -> bool:
        return view.spaces is ALL or self.space in view.spaces or self.space == EVERYWHERE


def _with_events(db: Connection, records: list[AuditRecord]) -> tuple[AuditRecord, ...]:
    """With what the log of project spaces says of the same commits."""
    if not records:
        return ()
    sql = (
        "SELECT audit_id, space, action, object_id, detail, at, recorded_at, checksum FROM space_audit "
        "WHERE recorded_at BETWEEN ? AND ? ORDER BY audit_id"
    )
    times = [record.recorded_at for record in records]
    events: dict[tuple[int, str], list[SpaceEvent]] = {}
    for *row, seal in db.all(sql, (min(times), max(times))):
        if checksum("space_audit", *row) != seal:
            raise Corrupt("A row of space_audit is not what was written.", hint="Run verify.")
        _, space, action, object_id, detail, _, recorded_at = row
        event = SpaceEvent(action, object_id, stored_json(detail, dict, "space_audit"))
        events.setdefault((recorded_at, space), []).append(event)
    return tuple(_with_own(record, events) for record in records)


def _with_own(record: AuditRecord, events: Mapping[tuple[int, str], list[SpaceEvent]]) -> AuditRecord:
    own = [event for space in record.spaces for event in events.get((record.recorded_at, space), ())]
    return replace(record, events=tuple(own)) if own and "space_audit" in record.changes else record


# Writing


def note(
    store: Store,
    action: str,
    *,
    space: str | None = None,
    user: str | None = None,
    actor: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> bool:
    """Put down something that changes no row, such as the use of a key; False for a store open read-only.

    `detail` is for short facts, never for content: the log is kept when content is erased.
    """
    if store.engine.read_only:
        return False
    if len(canonical_json(dict(detail or {}), "detail")) > _MOST_DETAIL:
        raise InvalidInput(
            f"The detail of a note has more than {_MOST_DETAIL} characters.",
            hint="Remember the long text, and note the number of its frame.",
        )
    concerned = () if space is None else (space if user is None else f"{space}@{user}",)
    with calling(actor=actor), acting(action), store.write(makes_room=True) as tx:
        tx.note = Note(action, concerned, detail)
    return True


# Heads


def head_of(store: Store, *, key: bytes | None = None, algorithm: str = HMAC) -> AuditHead:
    """The end of the log, signed if there is a key."""
    with store.read() as snapshot:
        end = read_head(snapshot.db)
        last = entry_at(snapshot.db, end.entries)
        name = store.setting(snapshot.db, "store_id") or ""
    if last is None or last.hash != end.hash:
        raise Corrupt("The audit log does not end where it should.", hint="Run: longmind verify --deep")
    head = AuditHead(FORMAT, name, end.entries, end.hash.hex(), last.recorded_at)
    if key is None:
        return head
    return replace(head, signature=sign(head.message(), key=key, algorithm=algorithm))


def check_head(
    store: Store, head: AuditHead, *, key: bytes | None = None, algorithm: str = HMAC
) -> AuditCheck:
    """Whether the log still has the entry of a head, its entries are sound, and the rows agree with it."""
    signature: Literal["valid", "unsigned", "not checked"] = "unsigned"
    if key is not None:
        check_signature(head.message(), head.signature, key=key, algorithm=algorithm, what="head")
        signature = "valid"
    elif head.signature is not None:
        signature = "not checked"
    with store.read() as snapshot:
        db = snapshot.db
        details = [problem.detail for problem in problems(db, store.engine.dialect, deep=True)]
        if (store.setting(db, "store_id") or "") != head.store:
            details.insert(0, "the head is of another store")
        end = read_head(db).entries
        entry = entry_at(db, head.entries)
    if entry is None:
        details.insert(0, f"the log has lost entry {head.entries}: it was cut off or written anew")
    elif entry.hash.hex() != head.hash:
        details.insert(0, f"entry {head.entries} is not the one of the head: the log was written anew")
    notes = ("The signature was not checked: no key was given.",) if signature == "not checked" else ()
    return AuditCheck(tuple(details), head.entries, max(0, end - head.entries), signature, notes)
