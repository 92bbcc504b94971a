"""What is derived of memories: how each stands now, and its words as postings, so that its like can be found.

Duplicates are decided by the overlap of all words, those that say nothing included and none of them stemmed,
so the terms of the text index cannot find them. The words are postings of their own, in the same layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from longmind.conversation.candidates import Candidate, subject_key, value_key
from longmind.conversation.rows import StateRow, VersionRow, select, select_among
from longmind.conversation.similarity import jaccard, probes, word_postings, word_term, words_of
from longmind.extract.conflicts import conflicts
from longmind.extract.statements import Statement
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.visible import Clause, among
from longmind.text.posting_table import WORDS

_TIES: Final = tuple("fiance fiancee boyfriend girlfriend partner wife husband engaged_to".split())
_OPPOSITES: Final = {"likes": ("dislikes",), "dislikes": ("likes",), **dict.fromkeys(_TIES, _TIES)}
"""Slots whose statements can rule each other out."""
_MOST_OF_SLOT: Final = 50
_MOST_LIKE: Final = 200
_BATCH: Final = 1000


class CurrentRow(NamedTuple):
    memory_id: int
    space: str
    frame_id: int
    layer: str
    status: str
    score: float
    scored_at: int
    pii: int
    subject_key: str | None
    slot: str | None
    value_key: str | None


def current_row(version: VersionRow, state: StateRow, *, space: str, pii: bool) -> CurrentRow:
    return CurrentRow(
        memory_id=version.memory_id,
        space=space,
        frame_id=version.frame_id,
        layer=state.layer,
        status=state.status,
        score=state.score,
        scored_at=state.scored_at,
        pii=int(pii),
        subject_key=None if version.subject is None else subject_key(version.subject),
        slot=version.slot,
        value_key=None if version.value is None else value_key(version.value),
    )


def write_current(db: Connection, rows: Sequence[CurrentRow]) -> None:
    """Put the rows in place of what stood there, if anything did."""
    names = CurrentRow._fields
    changed = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
    db.many(
        f"INSERT INTO conversation_current ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}) "
        f"ON CONFLICT (memory_id) DO UPDATE SET {changed}",
        list(rows),
    )


def statement_of(version: VersionRow) -> Statement | None:
    if version.subject is None or version.slot is None or version.value is None:
        return None
    return Statement(
        subject=version.subject,
        slot=version.slot,
        value=version.value,
        kind="state",
        cardinality="one" if version.cardinality == "one" else "many",
        polarity=bool(version.polarity),
        ended=bool(version.ended),
        start=0,
        end=0,
        value_start=0,
        value_end=0,
        rule=version.rule,
    )


class Match(NamedTuple):
    """What the store holds that concerns a candidate."""

    same: int | None
    """The memory that already says it."""
    likeness: float
    opposed: tuple[tuple[int, str], ...]
    """Memories that cannot be so if it is, with the reason."""


class _Near(NamedTuple):
    """An active memory that shares words or a slot with a candidate."""

    memory_id: int
    subject_key: str | None
    slot: str | None
    value_key: str | None


def match(db: Connection, space: str, candidate: Candidate, *, threshold: float) -> Match:
    """Find the memory that says the same, and those that say the opposite, among the active ones."""
    words = candidate.words
    near = {*_by_value(db, space, candidate.statement), *_by_words(db, space, words, threshold)}
    versions = newest_versions(db, _comparable(near, candidate.statement, threshold))
    free = [
        version.frame_id
        for version in versions.values()
        if candidate.statement is None or version.slot is None
    ]
    texts = contents(db, free)
    best: tuple[float, int] | None = None
    opposed = []
    for memory_id, version in sorted(versions.items()):
        stored = statement_of(version)
        if candidate.statement is not None and stored is not None:
            reason = conflicts(stored, candidate.statement)
            if reason is not None:
                opposed.append((memory_id, reason))
                continue
            likeness = _same_slot(candidate.statement, stored)
        else:
            likeness = jaccard(words, words_of(texts.get(version.frame_id, "")))
        if likeness >= threshold and (best is None or likeness > best[0]):
            best = likeness, memory_id
    return Match(None if best is None else best[1], 0.0 if best is None else best[0], tuple(opposed))


def _comparable(near: Iterable[_Near], statement: Statement | None, threshold: float) -> list[int]:
    """Those that can be like or opposed: free texts, and statements of the slot with a like value."""
    if statement is None:
        return [item.memory_id for item in near]
    subject, value = subject_key(statement.subject), value_key(statement.value)
    slots = (statement.slot, *_OPPOSITES.get(statement.slot, ()))
    # One value excludes every other, and a preference may be turned around: their wordings say nothing.
    any_value = statement.cardinality == "one" or statement.slot == "prefers"
    memory_ids = []
    for item in near:
        if item.slot is not None:
            if item.subject_key != subject or item.slot not in slots:
                continue
            if not (any_value or item.value_key == value):
                overlap = jaccard(frozenset(value.split()), frozenset((item.value_key or "").split()))
                if overlap < threshold:
                    continue
        memory_ids.append(item.memory_id)
    return memory_ids


def _same_slot(new: Statement, old: Statement) -> float:
    """Two statements are compared by value, inside one slot."""
    same_slot = subject_key(new.subject) == subject_key(old.subject) and new.slot == old.slot
    if not same_slot or (new.polarity, new.ended) != (old.polarity, old.ended):
        return 0.0
    left, right = frozenset(value_key(new.value).split()), frozenset(value_key(old.value).split())
    if new.cardinality == "one" and (left <= right or right <= left):
        return 1.0  # "Lisbon" and "Lisbon, Portugal"
    return jaccard(left, right)


def _by_value(db: Connection, space: str, statement: Statement | None) -> list[_Near]:
    if statement is None:
        return []
    subject, value = subject_key(statement.subject), value_key(statement.value)
    slots = list(dict.fromkeys((statement.slot, *_OPPOSITES.get(statement.slot, ()))))
    sql = (
        "SELECT memory_id, subject_key, slot, value_key FROM conversation_current "
        "WHERE space = ? AND subject_key = ? AND slot {} AND slot IS NOT NULL AND status = 'active' "
    )
    marks = f"IN ({', '.join('?' * len(slots))})"
    rows = db.all(sql.format(marks) + "AND value_key = ?", (space, subject, *slots, value))
    if statement.cardinality == "one":
        rows += db.all(sql.format("= ?") + f"LIMIT {_MOST_OF_SLOT}", (space, subject, statement.slot))
    return [_Near._make(row) for row in rows]


def _by_words(db: Connection, space: str, words: frozenset[str], threshold: float) -> list[_Near]:
    """Active memories that can share enough words, without a look at their texts."""
    terms = {word: word_term(space, word) for word in words}
    counts = WORDS.counts(db, list(terms.values()))
    near: list[_Near] = []
    rarest_first = sorted(words, key=lambda word: (counts.get(terms[word], 0), word))
    for word, least, most in probes(rarest_first, threshold):
        if terms[word] in counts:
            sized = WORDS.pairs(db, terms[word], least=least, most=most)
            frame_ids = [frame_id for frame_id, _ in sorted(sized, key=lambda pair: (pair[1], pair[0]))]
            near += _active(db, frame_ids)
    return near


def _active(db: Connection, frame_ids: Sequence[int]) -> list[_Near]:
    """The active memories that these frames are the wording of; when there are very many, the first."""
    near: list[_Near] = []
    for batch in batched(frame_ids):
        clause = among("v.frame_id", batch)
        sql = (
            "SELECT c.memory_id, c.subject_key, c.slot, c.value_key FROM conversation_version v "
            "JOIN conversation_current c ON c.memory_id = v.memory_id AND c.frame_id = v.frame_id "
            f"WHERE c.status = 'active' AND {clause.sql}"
        )
        near += [_Near._make(row) for row in db.all(sql, clause.values)]
        if len(near) >= _MOST_LIKE:
            break
    return near


def newest_versions(db: Connection, ids: Sequence[int]) -> dict[int, VersionRow]:
    """The last version of each memory."""
    newest: dict[int, VersionRow] = {}
    for row in select_among(db, VersionRow, "memory_id", list(ids)):
        if row.memory_id not in newest or newest[row.memory_id].number < row.number:
            newest[row.memory_id] = row
    return newest


def contents(db: Connection, frame_ids: Sequence[int]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for batch in batched(list(frame_ids)):
        marks = ", ".join("?" * len(batch))
        sql = f"SELECT frame_id, text FROM frame_text WHERE frame_id IN ({marks})"
        texts.update((int(frame_id), str(text)) for frame_id, text in db.all(sql, batch))
    return texts


def rebuild(db: Connection) -> int:
    """Make the derived rows and postings anew from the canonical rows."""
    from longmind.conversation.query import last_runs, standing
    from longmind.conversation.rows import MemoryRow

    db.run("DELETE FROM conversation_current")
    memories = {row.memory_id: row for row in select(db, MemoryRow, "1 = 1")}
    states = {row.memory_id: row for row in select(db, StateRow, "x.until IS NULL")}
    versions = newest_versions(db, list(memories))
    tagged = {
        int(row[0]) for row in db.all("SELECT frame_id FROM frame_tag WHERE tag = 'pii' AND until IS NULL")
    }
    runs = last_runs(db)
    rows = []
    for memory_id, memory in memories.items():
        version, state = versions[memory_id], states[memory_id]
        score, scored_at = standing(memory, state, runs.get(memory.space))
        state = state._replace(score=score, scored_at=scored_at)
        rows.append(current_row(version, state, space=memory.space, pii=version.frame_id in tagged))
    write_current(db, rows)
    rebuild_words(db)
    return len(rows)


def rebuild_words(db: Connection) -> None:
    db.run(f"DELETE FROM {WORDS.name}")
    for entries in expected_words(db):
        WORDS.add(db, entries)


def ensure_words(store: Store) -> None:
    """Make the postings of a store of an older format, which has none."""
    with store.read() as snapshot:
        has_memories = snapshot.db.one("SELECT 1 FROM conversation_version LIMIT 1") is not None
        missing = has_memories and WORDS.is_empty(snapshot.db)
    if missing and not store.engine.read_only:
        with store.write() as tx:
            rebuild_words(tx.db)


def expected_words(db: Connection) -> Iterator[dict[int, dict[str, int]]]:
    """What `text_word` should hold, in batches by frame: the words of every version, whatever its state."""
    last = 0
    while True:
        tail = f"ORDER BY v.frame_id LIMIT {_BATCH}"
        entries = _word_entries(db, Clause("v.frame_id > ?", (last,)), tail)
        if entries:
            yield entries
        if len(entries) < _BATCH:
            return
        last = max(entries)


def remove_words(db: Connection, memory_ids: Sequence[int]) -> int:
    return sum(
        WORDS.remove(db, sorted(_word_entries(db, among("v.memory_id", batch)).items(), key=itemgetter(0)))
        for batch in batched(memory_ids)
    )


def _word_entries(db: Connection, clause: Clause, tail: str = "") -> dict[int, dict[str, int]]:
    sql = (
        "SELECT v.frame_id, m.space, t.text FROM conversation_version v "
        "JOIN conversation_memory m ON m.memory_id = v.memory_id "
        f"JOIN frame_text t ON t.frame_id = v.frame_id WHERE {clause.sql} {tail}"
    )
    rows = db.all(sql, clause.values)
    return {int(frame_id): word_postings(str(space), str(text)) for frame_id, space, text in rows}
