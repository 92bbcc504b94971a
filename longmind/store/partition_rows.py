"""All rows of a user's part of a space, in every table: to count them, to remove them, to write them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from longmind.base.filters import SpaceLike, View
from longmind.base.names import ALL
from longmind.base.partitions import Partition, split_partition
from longmind.store.engine import Connection
from longmind.store.tables import CANONICAL, LOG, batched
from longmind.store.visible import Clause, among, partitions, published

_OF_FRAMES: Final = "frame_id IN (SELECT frame_id FROM frame WHERE {space})"
_OF_MEMORIES: Final = "memory_id IN (SELECT memory_id FROM conversation_memory WHERE {space})"
_OF_RECORDS: Final = "{column} IN (SELECT record_id FROM experience_record WHERE {repo})"

_OF_ASSERTIONS: Final = "assertion_id IN (SELECT assertion_id FROM fact_assertion WHERE {space})"

PLACES: Final[Mapping[str, str]] = {
    "frame": "{space}",
    "frame_text": _OF_FRAMES,
    "frame_tag": _OF_FRAMES,
    "frame_meta": _OF_FRAMES,
    "frame_key": "{space}",
    "frame_expiry": _OF_FRAMES,
    "frame_absence": _OF_FRAMES,
    "frame_staged": _OF_FRAMES,
    "fact_entity": "{ledger}",
    "fact_alias": "entity_id IN (SELECT entity_id FROM fact_entity WHERE {ledger})",
    "fact_predicate": "{ledger}",
    "fact": "{ledger}",
    "fact_span": "{space}",
    "fact_assertion": "{space}",
    "fact_support": _OF_ASSERTIONS,
    "fact_ruling": _OF_ASSERTIONS,
    "fact_expiry": _OF_ASSERTIONS,
    "fact_lapse": _OF_ASSERTIONS,
    "fact_same": "entity_id IN (SELECT entity_id FROM fact_entity WHERE {ledger})",
    "fact_evidence": f"({_OF_ASSERTIONS} OR fact_id IN (SELECT fact_id FROM fact WHERE {{ledger}}))",
    "fact_premise": _OF_ASSERTIONS,
    "ingest_source": "{space}",
    "ingest_progress": "{space}",
    "media_thumbnail": _OF_FRAMES,
    "media_vector": _OF_FRAMES,
    "conversation_memory": "{space}",
    "conversation_version": _OF_MEMORIES,
    "conversation_state": _OF_MEMORIES,
    "conversation_link": _OF_MEMORIES,
    "conversation_run": "{space}",
    "conversation_decision": _OF_MEMORIES,
    "conversation_tombstone": "{space}",
    "conversation_outcome": "{space}",
    "experience_evidence": "{repo}",
    "experience_record_evidence": _OF_RECORDS.replace("{column}", "record_id"),
    "experience_record": "{repo}",
    "experience_attempt": _OF_RECORDS.replace("{column}", "attempt_id"),
    "experience_fact_update": _OF_RECORDS.replace("{column}", "new_fact_id"),
    "experience_vote": _OF_RECORDS.replace("{column}", "memory_id"),
    "experience_voter": "vote_id IN (SELECT vote_id FROM experience_vote WHERE "
    + _OF_RECORDS.replace("{column}", "memory_id")
    + ")",
    "experience_archive": _OF_RECORDS.replace("{column}", "record_id"),
    "experience_revision": _OF_RECORDS.replace("{column}", "new_id"),
    "space_object": "{space}",
    # The other end is looked after by the part of spaces, which knows when an object is gone.
    "space_link": "{space}",
    # Of users only: what was done to a space as a whole stays known when the space is deleted.
    "space_audit": "{space} AND space <> replace(space, '@', '')",
}
"""By table, which rows belong to a part of a space; `{space}` tests the column of that name."""

OF_THE_STORE: Final = frozenset(
    {
        "store_clock",
        "store_counter",
        "store_setting",
        "store_snapshot",
        "store_rollback",
        "erasure",
        "llm_call",
        "space_record",
        *LOG,
    }
)
"""Tables that have no rows of users: a space's rules and its spending are its own, and the audit log is the
store's. It names users by digests, and an erase takes away what connects a digest with a name."""

_NAMING: Final = {"frame": "space", "fact_entity": "ledger", "fact_predicate": "ledger"} | dict.fromkeys(
    (
        "frame_key",
        "ingest_source",
        "ingest_progress",
        "conversation_tombstone",
        "conversation_outcome",
        "space_object",
    ),
    "space",
)
"""Tables that name a part first; whoever is in none of them is in no other."""


GOLDEN_QUESTION: Final = "golden.question."
GOLDEN_RUN: Final = "golden.run."
"""How settings begin that belong to a part of a space: its name follows, and a slash."""


def users_parts(db: Connection, user: str, spaces: SpaceLike = ALL) -> list[Partition]:
    """The parts of spaces that belong to one user, in order; of all spaces, or of some."""
    return _parts(db, View.of(spaces, user=user, to_change=True))


def parts_of_space(db: Connection, space: str) -> list[Partition]:
    """The shared part of a space, whether or not anything is in it, and those of all its users."""
    partitions = {Partition(space), *_parts(db, View((space,), user=ALL))}
    return sorted(partitions)


def is_in_use(db: Connection, space: str) -> bool:
    """Whether anything is kept in a space, of all or of any user."""
    return bool(_parts(db, View((space,), user=ALL)))


def _parts(db: Connection, view: View) -> list[Partition]:
    names: set[str] = set()
    for table, column in _NAMING.items():
        clause = partitions(view, column)
        names.update(
            str(row[0])
            for row in db.all(f"SELECT DISTINCT {column} FROM {table} WHERE {clause.sql}", clause.values)
        )
    return [Partition(name) for name in sorted(names)]


def all_users(db: Connection, spaces: SpaceLike = ALL) -> dict[str, list[Partition]]:
    """Every user that has anything, and their parts."""
    users: dict[str, list[Partition]] = {}
    for part in _parts(db, View.of(spaces, user=ALL)):
        user = split_partition(part)[1]
        if user is not None:
            users.setdefault(user, []).append(part)
    return dict(sorted(users.items()))


def rows_of(table: str, parts: Sequence[str]) -> Clause:
    """The rows of a table that belong to one of these parts."""
    template = PLACES[table]
    columns = [column for column in ("space", "ledger", "repo") if f"{{{column}}}" in template]
    tests = {column: among(column, parts) for column in columns}
    sql = template.format(**{column: test.sql for column, test in tests.items()})
    return Clause(sql, tuple(value for test in tests.values() for value in test.values))


def remove_rows(db: Connection, parts: Iterable[str]) -> dict[str, int]:
    """Delete whatever is left of these parts; inside an erase transaction, after their frames are gone."""
    counts: dict[str, int] = {}
    doomed = list(parts)
    for start in (f"{name}{part}/" for name in (GOLDEN_QUESTION, GOLDEN_RUN) for part in doomed):
        gone = db.run("DELETE FROM store_setting WHERE substr(name, 1, ?) = ?", (len(start), start))
        counts["store_setting"] = counts.get("store_setting", 0) + gone
    for batch in batched(doomed, 100):
        for table in reversed(CANONICAL):
            if table not in OF_THE_STORE:
                clause = rows_of(table, batch)
                counts[table] = counts.get(table, 0) + db.run(
                    f"DELETE FROM {table} WHERE {clause.sql}", clause.values
                )
    return {table: count for table, count in counts.items() if count}


def whole_frames(db: Connection, parts: Iterable[str]) -> list[int]:
    """The frames of these parts that are not chunks, live or retired."""
    ids: list[int] = []
    for batch in batched(list(parts), 100):
        clause = among("space", batch)
        sql = f"SELECT frame_id FROM frame WHERE start_byte IS NULL AND {clause.sql}"
        ids += [int(row[0]) for row in db.all(sql, clause.values)]
    return sorted(ids)


def count_rows(db: Connection, table: str, parts: Sequence[str], condition: str = "1 = 1") -> int:
    """How many rows of a table belong to these parts."""
    clause = rows_of(table, parts)
    row = db.one(f"SELECT count(*) FROM {table} WHERE {condition} AND {clause.sql}", clause.values)
    return 0 if row is None else int(row[0])


def each_row(
    db: Connection, parts: Sequence[str], columns: Callable[[str], Sequence[str]]
) -> Iterator[tuple[str, dict[str, object]]]:
    """Every row of these parts, table after table in the order of an export, rows in that of their columns.

    What refers to rows outside (a global fact as a premise, say) is left out: it would refer to nothing.
    """
    for table in CANONICAL:
        if table in OF_THE_STORE:
            continue
        names = columns(table)
        order = ", ".join(f"{name} NULLS FIRST" for name in names)
        clause = rows_of(table, parts)
        outside = _inside(table, parts)
        sql = f"SELECT {', '.join(names)} FROM {table} WHERE {clause.sql} AND {outside.sql} ORDER BY {order}"
        for row in db.all(sql, clause.values + outside.values):
            yield table, dict(zip(names, row, strict=True))


def _inside(table: str, parts: Sequence[str]) -> Clause:
    """Rows that refer to nothing outside of the parts."""
    space, repo = among("space", parts), among("repo", parts)
    frames = f"frame_id IN (SELECT frame_id FROM frame WHERE {space.sql})"
    ledger = among("ledger", parts)
    facts = f"SELECT fact_id FROM fact WHERE {ledger.sql}"
    records = f"SELECT record_id FROM experience_record WHERE {repo.sql}"
    tests = {
        "fact_evidence": Clause(frames, space.values),
        "fact_premise": Clause(f"(premise_fact_id IS NULL OR premise_fact_id IN ({facts}))", ledger.values),
        "experience_attempt": Clause(f"problem_id IN ({records})", repo.values),
        "experience_fact_update": Clause(
            f"old_fact_id IN ({records}) AND change_id IN ({records})", repo.values * 2
        ),
        "experience_vote": Clause(f"problem_id IN ({records})", repo.values),
        "experience_evidence": Clause(f"(frame_id IS NULL OR {frames})", space.values),
        "experience_record_evidence": Clause(
            f"evidence_id IN (SELECT evidence_id FROM experience_evidence WHERE {repo.sql} "
            f"AND (frame_id IS NULL OR {frames}))",
            repo.values + space.values,
        ),
    }
    if PLACES[table] == _OF_FRAMES or table == "frame":
        return published(frame=f"{table}.frame_id")  # a document that is being written is not there yet
    return tests.get(table, Clause("1 = 1"))
