"""Which fields of an object contain a word: postings beside those of the text index.

The text index knows the words of an object's frame, but not that a word stands in the path, and it does not
have the summaries, tags and metadata at all. `text_field` adds just that. Most words stand in the raw text
and in summaries cut from it, so these are not listed again: under `UNLISTED` every object has one posting
that says in which fields the words stand that the frame has and that are not listed.

Versions of an object share a frame while its text stays the same. The postings are those of the newest one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final

from longmind.spaces.rows import ObjectRow, checked, columns
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.tables import batched, stored_json, stored_names
from longmind.store.visible import Clause, among
from longmind.text.posting_table import FIELDS
from longmind.text.words import terms

PATH: Final = 1
TAGS: Final = 2
SUMMARY: Final = 4
METADATA: Final = 8
RAW: Final = 16
NAMES: Final = PATH | TAGS | METADATA
"""The fields whose words name things."""
UNLISTED: Final = ""
"""No term of a text is empty."""
_BATCH: Final = 1000


def field_terms(row: ObjectRow, text: str, title: str | None, *, chunked: bool) -> dict[str, int]:
    """The postings of an object whose frame has this text and title.

    The text index has the chunks of a cut text in place of the whole, so then all of its words are listed.
    """
    raw = _distinct(text)
    forms = {row.summary_micro, row.summary_short, row.summary_long}
    summary = _distinct("\n".join(sorted(forms - {text}))) | (raw if text in forms else set())
    unlisted = RAW | SUMMARY if raw <= summary else RAW
    tags = stored_names(row.tags, "space_object")
    metadata = stored_json(row.metadata, dict, "space_object")
    fields: dict[str, int] = {}
    for field, words in (
        (PATH, {*terms(row.path), *terms(row.kind)}),
        (TAGS, {word for tag in tags for word in terms(tag)}),
        (SUMMARY, summary),
        (METADATA, _distinct(" ".join(_strings(metadata)))),
        (RAW, raw),
    ):
        for word in words:
            fields[word] = fields.get(word, 0) | field
    for word in terms(title or ""):
        fields.setdefault(word, 0)  # the frame has it, and no field: a title may end within a word
    if not chunked:
        fields = {word: said_in for word, said_in in fields.items() if said_in != unlisted}
    fields[UNLISTED] = unlisted
    return fields


def _distinct(text: str) -> set[str]:
    # The ellipsis that extraction puts in would send a plain text down the slow path for all scripts.
    return set(terms(text.replace("…", " ")))


def add(db: Connection, row: ObjectRow, text: str, title: str | None, *, chunked: bool) -> None:
    """Write the postings of an object whose frame is new."""
    FIELDS.add(db, {row.frame_id: field_terms(row, text, title, chunked=chunked)})


def change(
    db: Connection, before: ObjectRow, after: ObjectRow, text: str, title: str | None, *, chunked: bool
) -> None:
    """Replace a frame's postings by those of another version."""
    old = field_terms(before, text, title, chunked=chunked)
    new = field_terms(after, text, title, chunked=chunked)
    FIELDS.remove(db, [(before.frame_id, old.keys() - new.keys())])
    changed = {word: said_in for word, said_in in new.items() if old.get(word) != said_in}
    FIELDS.add(db, {after.frame_id: changed} if changed else {})


def remove(db: Connection, frame_ids: Sequence[int]) -> int:
    """Take out what there is about the objects of these frames; return the number of postings."""
    removed = 0
    for batch in batched(frame_ids):
        removed += FIELDS.remove(db, sorted(_stored(db, among("x.frame_id", batch)), key=itemgetter(0)))
    return removed


def rebuild(db: Connection) -> int:
    """Make all postings anew; return the number of objects' frames."""
    count = 0
    db.run(f"DELETE FROM {FIELDS.name}")
    for entries in expected(db):
        FIELDS.add(db, entries)
        count += len(entries)
    return count


def ensure(store: Store) -> None:
    """Make the postings of a store that has none: one of an older format, or by other rules for terms."""
    with store.read() as snapshot:
        has_objects = snapshot.db.one("SELECT 1 FROM space_object LIMIT 1") is not None
        missing = has_objects and FIELDS.is_empty(snapshot.db)
    if missing and not store.engine.read_only:
        with store.write() as tx:
            rebuild(tx.db)


def expected(db: Connection) -> Iterator[dict[int, dict[str, int]]]:
    """What `text_field` should hold, in batches by frame."""
    last = 0
    while True:
        entries = dict(_stored(db, Clause("x.frame_id > ?", (last,)), f" ORDER BY x.frame_id LIMIT {_BATCH}"))
        if entries:
            yield entries
        if len(entries) < _BATCH:
            return
        last = max(entries)


def of_versions(db: Connection, clause: Clause) -> Iterator[tuple[ObjectRow, dict[str, int]]]:
    """Versions of objects with what their postings are, or would be if they were the newest."""
    yield from _versions(db, clause, "")


def _stored(db: Connection, clause: Clause, tail: str = "") -> Iterator[tuple[int, dict[str, int]]]:
    """By frame, the postings of the newest version on it."""
    newest = Clause("x.since = (SELECT max(y.since) FROM space_object y WHERE y.frame_id = x.frame_id)")
    for row, fields in _versions(db, clause & newest, tail):
        yield row.frame_id, fields


def _versions(db: Connection, clause: Clause, tail: str) -> Iterator[tuple[ObjectRow, dict[str, int]]]:
    sql = (
        f"SELECT {columns(ObjectRow)}, t.text, f.title, "
        "EXISTS (SELECT 1 FROM frame c WHERE c.parent_id = x.frame_id AND c.start_byte IS NOT NULL) "
        "FROM space_object x JOIN frame f ON f.frame_id = x.frame_id "
        f"JOIN frame_text t ON t.frame_id = x.frame_id WHERE {clause.sql}{tail}"
    )
    for *row, text, title, chunked in db.all(sql, clause.values):
        version = checked(ObjectRow, tuple(row))
        yield version, field_terms(version, text, title, chunked=bool(chunked))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, Iterable):
        for item in value:
            yield from _strings(item)
