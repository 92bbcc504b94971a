"""Reading memories: by id, by score, as of any moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.filters import View
from longmind.base.frame import Frame
from longmind.base.names import ALL
from longmind.base.partitions import split_partition
from longmind.base.times import FOREVER
from longmind.conversation.config import Scoring
from longmind.conversation.rows import (
    MemoryRow,
    RunRow,
    StateRow,
    VersionRow,
    join,
    select,
)
from longmind.conversation.scoring import score_memory
from longmind.conversation.values import MemoryItem
from longmind.store.engine import Connection, Dialect
from longmind.store.frames import checked_text, load_rows, tags_of
from longmind.store.letters import containing
from longmind.store.tables import batched, damaged, stored_json
from longmind.store.visible import Clause, among, both, during, partitions, unexpired

SORTS: Final = ("score", "created", "last_seen", "hits", "id")


class Run(NamedTuple):
    """The last sweep of a space: what scores were computed with."""

    now: int
    recorded_at: int
    weights: Scoring


def last_runs(db: Connection, *, system: int = FOREVER) -> dict[str, Run]:
    """By space, the last sweep that was recorded by `system`."""
    runs: dict[str, Run] = {}
    latest = (
        "x.recorded_at = (SELECT max(y.recorded_at) FROM conversation_run y "
        "WHERE y.space = x.space AND y.recorded_at <= ?)"
    )
    for row in select(db, RunRow, latest, (system,)):
        weights = stored_json(row.weights, dict, "conversation_run")
        try:
            runs[row.space] = Run(row.now, row.recorded_at, Scoring(**weights))
        except TypeError:
            raise damaged("conversation_run") from None
    return runs


def load(db: Connection, dialect: Dialect, ids: Sequence[int], view: View) -> dict[int, MemoryItem]:
    """The memories among `ids` that there were, in the view's spaces at its instant."""
    stored = _known(db, "v.memory_id", ids, view)
    frames = [rows.version.frame_id for rows in stored]
    texts, tags = _texts(db, dialect, frames), _tags(db, frames, view)
    runs = last_runs(db, system=view.as_of.system)
    items = {}
    for rows in stored:
        frame_id = rows.version.frame_id
        items[rows.memory.memory_id] = _item(rows, texts[frame_id], tags.get(frame_id, ()), runs)
    return items


def shown_by(db: Connection, frames: Sequence[Frame], view: View) -> list[MemoryItem]:
    """The memories that frames of the view are the wording of, in their order."""
    stored = {
        rows.version.frame_id: rows for rows in _known(db, "v.frame_id", [frame.id for frame in frames], view)
    }
    runs = last_runs(db, system=view.as_of.system) if stored else {}
    return [_item(stored[frame.id], frame.text, frame.tags, runs) for frame in frames if frame.id in stored]


class _Known(NamedTuple):
    """The rows of a memory at an instant."""

    memory: MemoryRow
    state: StateRow
    version: VersionRow


def _known(db: Connection, column: str, values: Sequence[int], view: View) -> list[_Known]:
    """By memory, in one query: who it is, how it stood, and its last wording by then."""
    newest: dict[int, _Known] = {}
    columns = join((MemoryRow, "m"), (StateRow, "s"), (VersionRow, "v"))
    for batch in batched(list(values)):
        clause = among(column, batch) & Clause("v.recorded_at <= ?", (view.as_of.system,))
        valid = during("s", view.as_of)
        sql = (
            f"SELECT {columns.sql} FROM conversation_version v "
            "JOIN conversation_memory m ON m.memory_id = v.memory_id "
            f"JOIN conversation_state s ON s.memory_id = v.memory_id AND {valid.sql} WHERE {clause.sql}"
        )
        for row in db.all(sql, (*valid.values, *clause.values)):
            memory, state, version = columns.read(row)
            old = newest.get(memory.memory_id)
            if _in(memory, view) and (old is None or old.version.number < version.number):
                newest[memory.memory_id] = _Known(memory, state, version)
    return _unexpired(db, list(newest.values()), view)


def _unexpired(db: Connection, states: list[_Known], view: View) -> list[_Known]:
    """Those whose last wording had not expired: an earlier one does not take its place."""
    clause = unexpired(view, "x.frame_id")
    if clause.is_true:
        return states
    standing: set[int] = set()
    for batch in batched([rows.version.frame_id for rows in states]):
        here = among("x.frame_id", batch) & clause
        sql = f"SELECT x.frame_id FROM frame x WHERE {here.sql}"
        standing.update(int(row[0]) for row in db.all(sql, here.values))
    return [rows for rows in states if rows.version.frame_id in standing]


def _item(rows: _Known, text: str, tags: tuple[str, ...], runs: Mapping[str, Run]) -> MemoryItem:
    memory, state, version = rows
    score, scored_at = standing(memory, state, runs.get(memory.space))
    space, user = split_partition(memory.space)
    return MemoryItem(
        id=memory.memory_id,
        space=space,
        layer=state.layer,
        status=state.status,
        content=text,
        created_at=memory.created_at,
        last_seen_at=state.last_seen_at,
        hits=state.hits,
        importance=state.importance,
        score=score,
        scored_at=scored_at,
        tags=tags,
        frame_id=version.frame_id,
        slot=version.slot,
        subject=version.subject,
        value=version.value,
        polarity=bool(version.polarity) and not version.ended,
        rule=version.rule,
        user=user,
    )


def standing(memory: MemoryRow, state: StateRow, run: Run | None) -> tuple[float, int]:
    """The score as last computed: by the sweep if that came after the state began, else with the state."""
    if run is None or run.recorded_at <= state.since or state.status != "active":
        return state.score, state.scored_at
    score = score_memory(
        run.weights,
        now=run.now,
        hits=state.hits,
        importance=state.importance,
        created_at=memory.created_at,
        last_seen_at=state.last_seen_at,
    )
    return score.total, run.now


def listed(
    db: Connection,
    dialect: Dialect,
    view: View,
    *,
    layer: str | None,
    status: str | None,
    sort: str,
    limit: int,
    exclude_pii: bool,
    holding: str = "",
) -> list[MemoryItem]:
    """Memories in order; the strongest first comes straight from an index.

    `holding` keeps those that have these characters in them, whatever their case.
    """
    if view.as_of.system == FOREVER and view.as_of.valid == FOREVER:
        cut = limit if sort == "score" else None
        inside = containing("t.text", holding, dialect) if holding else None
        ids = _current_ids(db, view, layer, status, cut, exclude_pii, inside)
        loaded = load(db, dialect, ids, view)
        if len(loaded) != len(ids):  # nothing but damage takes a memory away and leaves it listed
            raise damaged("conversation_current")
    else:
        spaces = partitions(view, "space")
        sql = f"SELECT memory_id FROM conversation_memory WHERE {spaces.sql}"
        ids = [int(row[0]) for row in db.all(sql, spaces.values)]
        loaded = load(db, dialect, ids, view)
    items = [
        item
        for item in loaded.values()
        if layer in (None, item.layer)
        and status in (None, item.status)
        and not (exclude_pii and "pii" in item.tags)
        and holding.lower() in item.content.lower()
    ]
    return ordered(items, sort)[:limit]


def ordered(items: Iterable[MemoryItem], sort: str) -> list[MemoryItem]:
    keys = {
        "score": lambda item: (-item.score, item.id),
        "created": lambda item: (-item.created_at, item.id),
        "last_seen": lambda item: (-(item.last_seen_at or item.created_at), item.id),
        "hits": lambda item: (-item.hits, item.id),
        "id": lambda item: (item.id, 0),
    }
    return sorted(items, key=keys[sort])


def _current_ids(
    db: Connection,
    view: View,
    layer: str | None,
    status: str | None,
    limit: int | None,
    exclude_pii: bool,
    inside: Clause | None,
) -> list[int]:
    shared = [unexpired(view, "conversation_current.frame_id")]
    if exclude_pii:
        shared.append(Clause("pii = 0"))
    if status is not None:
        shared.append(Clause("status = ?", (status,)))
    if layer is not None:
        shared.append(Clause("layer = ?", (layer,)))
    if inside is not None:
        texts = (
            f"SELECT 1 FROM frame_text t WHERE t.frame_id = conversation_current.frame_id AND {inside.sql}"
        )
        shared.append(Clause(f"EXISTS ({texts})", inside.values))
    cut = "" if limit is None else f" LIMIT {limit}"
    if view.spaces is ALL or view.user is ALL:
        spaces = [partitions(view, "space")]
    else:
        spaces = [Clause("space = ?", (name,)) for name in view.spaces]
    memory_ids: list[int] = []
    for space in spaces:
        clause = both([space, *shared])
        sql = (
            f"SELECT memory_id FROM conversation_current WHERE {clause.sql} "
            f"ORDER BY score DESC, memory_id DESC{cut}"
        )
        memory_ids += [int(row[0]) for row in db.all(sql, clause.values)]
    return memory_ids


def has_any(db: Connection, view: View, layer: str) -> bool:
    """Whether there can be an active memory in a layer; of the past nothing is ruled out."""
    if view.as_of.system != FOREVER or view.spaces is ALL:
        return True
    clause = partitions(view, "space") & Clause("status = 'active' AND layer = ?", (layer,))
    sql = f"SELECT 1 FROM conversation_current WHERE {clause.sql} LIMIT 1"
    return db.one(sql, clause.values) is not None


def _in(row: MemoryRow, view: View) -> bool:
    is_visible = row.recorded_at <= view.as_of.system and row.created_at <= view.as_of.valid
    return is_visible and view.covers(row.space)


def _texts(db: Connection, dialect: Dialect, frame_ids: Sequence[int]) -> dict[int, str]:
    texts = {}
    for batch in batched(list(frame_ids)):
        clause = among("f.frame_id", batch)
        for row in load_rows(db, dialect, clause):
            frame, text = checked_text(row)
            texts[frame.frame_id] = text
    missing = sorted(set(frame_ids) - set(texts))
    if missing:
        raise Corrupt(
            f"Frame {missing[0]}, the wording of a memory, is missing.",
            hint=RESTORE_HINT,
        )
    return texts


def _tags(db: Connection, frame_ids: Sequence[int], view: View) -> dict[int, tuple[str, ...]]:
    tags = tags_of(db, list(frame_ids), view)
    return {frame_id: tuple(sorted(names)) for frame_id, names in tags.items()}
