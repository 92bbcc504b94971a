"""The words of an object by where they stand, as the compact row that recalls read in place of the object.

The raw text is not in it: the text index knows its words already. The row only says where the two disagree,
because the index also counts titles, and cuts long texts.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from longmind.base.times import FOREVER
from longmind.base.words import fold
from longmind.spaces.rows import ObjectRow, checked, columns
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, Row, Value
from longmind.store.visible import among
from longmind.text.layout import count_frame
from longmind.text.words import ANALYZER, terms

RULES: Final = f"{ANALYZER} 1"
"""Names how rows are made; one made otherwise is not read, but made anew from its object."""
LEVELS: Final = {"high": 2, "medium": 1, "low": 0}

PATH: Final = 1
TAGS: Final = 2
SUMMARY: Final = 4
METADATA: Final = 8
UNINDEXED: Final = 16
"""The raw text says the word, and the text index does not know."""
INDEXED: Final = 32
"""The text index has the word, and the raw text does not say it."""
TAG: Final = 64
KIND: Final = 128
"""With `TAG`: no word, but a whole tag or kind."""


class Numbers(NamedTuple):
    frame_id: int
    last_frame: int
    """The last of the frame's chunks, which follow it, or the frame itself."""
    level: int
    pinned: int
    covers: int
    """Whether the summaries say every word of the raw text; then only their other words are listed."""
    created_at: int
    updated_at: int


PACKED: Final = struct.Struct(f"<{len(Numbers._fields)}q")


class WordsRow(NamedTuple):
    space: str
    until: int
    frame_id: int
    since: int
    object_id: str
    place: str
    """The folded path with a slash at its end."""
    rules: str
    numbers: bytes
    words: bytes
    fields: bytes


LINE: Final = ("object_id", "place", "numbers", "words", "fields")
"""The columns that are kept in memory."""
_COLUMNS: Final = ", ".join(WordsRow._fields)
_INSERT: Final = (
    f"INSERT INTO space_words ({_COLUMNS}) VALUES ({', '.join('?' * len(WordsRow._fields))}) "
    "ON CONFLICT (space, until, frame_id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in WordsRow._fields[3:])
)
_BATCH: Final = 1000


@lru_cache(maxsize=65_536)
def name_of(word: str) -> bytes:
    """Eight bytes that stand for a word. Two words of one store never meet in practice."""
    return hashlib.blake2b(word.encode(), digest_size=8).digest()


def name_of_tag(tag: str) -> bytes:
    return name_of(f"tag {tag}")


def name_of_kind(kind: str) -> bytes:
    return name_of(f"kind {kind}")


def plan_words(row: ObjectRow, text: str, indexed: Iterable[str], last_frame: int) -> WordsRow:
    """The row of a version whose frame has this text, and these terms in the text index."""
    tags = json.loads(row.tags)
    known = {word for word in indexed if not word.startswith("=")}
    raw, summary, covers = _said(row, text, known if last_frame == row.frame_id else None)
    found: dict[bytes, int] = {}
    for mark, words in (
        (PATH, {*terms(row.path), *terms(row.kind)}),
        (TAGS, {word for tag in tags for word in terms(tag)}),
        (SUMMARY, summary),
        (METADATA, said(" ".join(_strings(json.loads(row.metadata))))),
        (UNINDEXED, raw - known),
        (INDEXED, known - raw),
    ):
        for word in words:
            name = name_of(word)
            found[name] = found.get(name, 0) | mark
    found.update((name_of_tag(tag), TAG) for tag in tags)
    found[name_of_kind(row.kind)] = KIND
    ordered = sorted(found)
    numbers = Numbers(
        frame_id=row.frame_id,
        last_frame=last_frame,
        level=LEVELS[row.relevance],
        pinned=row.pinned,
        covers=int(covers),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
    return WordsRow(
        space=row.space,
        until=FOREVER if row.until is None else row.until,
        frame_id=row.frame_id,
        since=row.since,
        object_id=row.object_id,
        place=fold(row.path) + "/",
        rules=RULES,
        numbers=PACKED.pack(*numbers),
        words=b"".join(ordered),
        fields=bytes(found[name] for name in ordered),
    )


def _said(row: ObjectRow, text: str, known: set[str] | None) -> tuple[set[str], set[str], bool]:
    """Words of the raw text, words of the summaries, and whether these cover those, which are then left out.

    Most summaries are cut from the text. Terms never reach over blank space, so that pieces without blanks
    tell, at a tenth of the cost, what one text says beyond another; `known` are the terms of text and title.
    """
    forms = [form.split() for form in {row.summary_micro, row.summary_short, row.summary_long}]
    pieces = set(text.split())
    own = known is not None and pieces.issuperset(row.summary_micro[:500].split())
    raw = known if own and known is not None else said(text)
    if any(pieces.issubset(form) for form in forms):
        more = {piece for form in forms for piece in form if piece not in pieces}
        return raw, said(" ".join(sorted(more))) - raw, True
    summary = said("\n".join((row.summary_micro, row.summary_short, row.summary_long)))
    return (raw, summary - raw, True) if raw <= summary else (raw, summary, False)


def said(text: str) -> set[str]:
    # The ellipsis that extraction puts in would send a plain text down the slow path for all scripts.
    return set(terms(text.replace("…", " ")))


def drafted_words(
    row: ObjectRow, draft: Draft, prepared: Mapping[str, Sequence[object]], last_frame: int
) -> WordsRow:
    """The row of a version whose frame was written just now, from what the text index prepared for it."""
    counted = prepared.get("text") or ()
    indexed: set[str] = set()
    for place, piece in enumerate(draft.flat()):
        if place or not draft.chunks:
            ready = counted[place] if place < len(counted) else None
            counts = ready if isinstance(ready, tuple) else count_frame(piece.text, piece.title, None)
            indexed.update(counts[0])
    return plan_words(row, draft.text, indexed, last_frame)


def stored_words(db: Connection, row: ObjectRow, text: str) -> WordsRow:
    """The row of a version, made anew from what is stored."""
    chunks = db.all(
        "SELECT frame_id, title, start_byte, end_byte FROM frame "
        "WHERE parent_id = ? AND start_byte IS NOT NULL ORDER BY frame_id",
        (row.frame_id,),
    )
    encoded = text.encode()
    pieces = [(encoded[start:end].decode(), title) for _, title, start, end in chunks]
    if not chunks:
        title = db.one("SELECT title FROM frame WHERE frame_id = ?", (row.frame_id,))
        pieces = [(text, title[0] if title else None)]
    indexed = {word for piece, title in pieces for word in count_frame(piece, title, None)[0]}
    return plan_words(row, text, indexed, int(chunks[-1][0]) if chunks else row.frame_id)


# Rows


def put_words(db: Connection, found: Iterable[WordsRow]) -> None:
    db.many(_INSERT, list(found))


def lines(db: Connection, condition: str, values: Sequence[Value]) -> list[Row]:
    """Of the rows made by the rules of today, what is kept in memory; in the order of their frames."""
    sql = (
        f"SELECT {', '.join(LINE)} FROM space_words WHERE {condition} AND rules = ? ORDER BY until, frame_id"
    )
    return db.all(sql, (*values, RULES))


def line(row: WordsRow) -> Row:
    return tuple(getattr(row, name) for name in LINE)


def lacking(db: Connection, most: int) -> list[tuple[ObjectRow, str]]:
    """Versions without a row by the rules of today, with their texts."""
    sql = (
        f"SELECT {columns(ObjectRow)}, t.text FROM space_object x "
        "JOIN frame_text t ON t.frame_id = x.frame_id WHERE NOT EXISTS "
        "(SELECT 1 FROM space_words w WHERE w.space = x.space AND w.until = coalesce(x.until, ?) "
        f"AND w.frame_id = x.frame_id AND w.rules = ?) LIMIT {most}"
    )
    return [(checked(ObjectRow, row[:-1]), str(row[-1])) for row in db.all(sql, (FOREVER, RULES))]


def derive(db: Connection, *, most: int) -> int:
    """Make rows that are lacking, and say how many."""
    found = lacking(db, most)
    put_words(db, [stored_words(db, row, text) for row, text in found])
    return len(found)


def differing(db: Connection) -> Iterator[str]:
    """What is wrong with the rows, when each is compared with one made anew."""
    for row, _ in lacking(db, 20):
        yield f"the words of {row.object_id} in {row.space} are missing"
    after: tuple[Value, ...] = ("", 0, 0)
    while True:
        held = db.all(
            f"SELECT {_COLUMNS} FROM space_words WHERE (space, until, frame_id) > (?, ?, ?) "
            f"ORDER BY space, until, frame_id LIMIT {_BATCH}",
            after,
        )
        clause = among("x.frame_id", sorted({row[2] for row in held}))
        sql = (
            f"SELECT {columns(ObjectRow)}, t.text FROM space_object x "
            f"JOIN frame_text t ON t.frame_id = x.frame_id WHERE {clause.sql}"
        )
        wanted = {}
        for found in db.all(sql, clause.values):
            made = stored_words(db, checked(ObjectRow, found[:-1]), found[-1])
            wanted[made[:3]] = made
        for kept in (WordsRow(*found) for found in held):
            if wanted.get(kept[:3]) != kept and kept.rules == RULES:
                yield f"the words of {kept.object_id} in {kept.space} are not those of the object"
        if len(held) < _BATCH:
            return
        after = held[-1][:3]


def repin(db: Connection, before: ObjectRow, after: ObjectRow) -> None:
    """The row of a version that differs from the one before, closed just now, in its pin and time."""
    found = db.one(
        f"SELECT {_COLUMNS} FROM space_words WHERE space = ? AND until = ? AND frame_id = ?",
        (before.space, after.since, before.frame_id),
    )
    if found is not None:
        held = WordsRow(*found)
        numbers = Numbers(*PACKED.unpack(held.numbers))._replace(
            pinned=after.pinned, updated_at=after.updated_at
        )
        put_words(db, [held._replace(until=FOREVER, since=after.since, numbers=PACKED.pack(*numbers))])


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, Iterable):
        for item in value:
            yield from _strings(item)
