"""Is conversation memory whole, and how large is it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from longmind.conversation.current import expected_words
from longmind.conversation.rows import TABLES
from longmind.conversation.rows import verify as verify_rows
from longmind.store.engine import scalar
from longmind.store.parts import Problem
from longmind.store.transaction import Snapshot
from longmind.text.postings import WORDS

_RULES: Final = (
    (
        "conversation_state",
        "memory {0} does not stand in exactly one state",
        (
            "SELECT m.memory_id FROM conversation_memory m LEFT JOIN conversation_state s "
            "ON s.memory_id = m.memory_id AND s.until IS NULL "
            "GROUP BY m.memory_id HAVING count(s.since) <> 1"
        ),
        False,
    ),
    (
        "conversation_version",
        "memory {0} has no frame",
        (
            "SELECT m.memory_id FROM conversation_memory m LEFT JOIN conversation_version v "
            "ON v.memory_id = m.memory_id LEFT JOIN frame f ON f.frame_id = v.frame_id "
            "GROUP BY m.memory_id HAVING count(f.frame_id) = 0"
        ),
        False,
    ),
    (
        "conversation_current",
        "what stands of memory {0} is not in the index",
        (
            "SELECT m.memory_id FROM conversation_memory m JOIN conversation_state s "
            "ON s.memory_id = m.memory_id AND s.until IS NULL LEFT JOIN conversation_current c "
            "ON c.memory_id = m.memory_id AND c.space = m.space AND c.layer = s.layer "
            "AND c.status = s.status WHERE c.memory_id IS NULL"
        ),
        True,
    ),
)


def verify(snapshot: Snapshot, *, deep: bool) -> Iterator[Problem]:
    db = snapshot.db
    for code, text, sql, derived in _RULES:
        for (name,) in db.all(f"{sql} LIMIT 20"):
            yield Problem(code, text.format(name), derived)
    if deep:
        for detail in WORDS.differences(db, expected_words(db)):
            yield Problem(WORDS.name, detail, derived=True)
        for kind in TABLES:
            yield from verify_rows(db, kind)


def stats(snapshot: Snapshot) -> Mapping[str, int]:
    db = snapshot.db
    counts = {}
    for table in TABLES.values():
        counts[table.removeprefix("conversation_")] = scalar(db, f"SELECT count(*) FROM {table}")
    for layer, count in db.all(
        "SELECT layer, count(*) FROM conversation_current WHERE status = 'active' "
        "GROUP BY layer ORDER BY layer"
    ):
        counts[f"active_{layer}"] = int(count)
    return counts
