"""Is it whole, how large is it, and what may be tidied: verify, stats, reindex, maintain."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from longmind.base.errors import Corrupt, InvalidInput, LongmindError
from longmind.base.filters import View
from longmind.base.hashing import checksum
from longmind.base.names import ALL
from longmind.base.partitions import split_partition
from longmind.store import audit_log
from longmind.store.engine import Connection, Dialect, scalar
from longmind.store.erasure import ErasureCertificate, erase, note_pending, resume
from longmind.store.expiry import expired_documents
from longmind.store.frames import checked_text, scan_frames
from longmind.store.parts import Budget, Part, Problem
from longmind.store.staging import discard_abandoned
from longmind.store.store import Store
from longmind.store.tasks import advance, begin_stage
from longmind.store.transaction import Snapshot, read_clock
from longmind.store.visible import published, value_key, value_number

_SCAN: Final = 1000


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What `verify` looked at and found; truthy if all is well."""

    problems: tuple[Problem, ...]
    frames: int
    deep: bool
    seconds: float
    notes: tuple[str, ...] = ()
    """What is not damage but worth knowing: an unfinished rebuild, frames without vectors, unsealed pages."""

    def __bool__(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts and sizes of a store."""

    location: str
    engine: str
    format: int
    revision: int
    bytes: int
    frames: int
    live: int
    retired: int
    by_space: Mapping[str, int]
    by_kind: Mapping[str, int]
    parts: Mapping[str, Mapping[str, int]]
    memory: Mapping[str, int] = field(compare=False)
    """Bytes that this process keeps in memory, by mirror: a matter of what was read, not of the store."""


@dataclass(frozen=True, slots=True)
class MaintenancePolicy:
    """How much upkeep may be done at once, and when a file is worth rebuilding."""

    max_frames: int | None = 1000
    max_seconds: float | None = 5.0
    compact_above: float | None = 0.25
    """Rebuild the file when more than this share of it is unused; None never does."""
    work: Iterable[str] | None = None
    """Which work is done, by the names of parts ("vectors", "surrogates", "text" and so on); None does all.
    The file is rebuilt either way, as far as `compact_above` says."""
    prewarm: bool = False
    """Also load what a first search would load: the embedder, the tokenizer, and the columns in memory."""


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What `maintain` did."""

    done: Mapping[str, Mapping[str, int]]
    compacted: bool
    bytes_before: int
    bytes_after: int
    exhausted: bool
    """True: a budget ran out with work left over."""
    seconds: float = field(compare=False)
    certificate: ErasureCertificate | None = None
    """Of the frames that had expired and were erased."""


def verify(store: Store, *, deep: bool = False) -> VerifyReport:
    """Look for damage. `deep` reads everything: every page, every row's hash, every index entry."""
    store.check_process()
    stages = ["pages", "audit log", *(["frames"] if deep else []), *(part.name for part in store.parts)]
    with store.tasks.running("verify", stages) as work:
        report = work.result = _verify(store, deep=deep)
        return report


def _verify(store: Store, *, deep: bool) -> VerifyReport:
    started = time.monotonic()
    begin_stage("pages")
    report = store.engine.check(deep=deep)
    problems = [Problem(code, detail) for code, detail in report.problems]
    notes = list(report.notes)
    frames = 0
    try:
        with store.read() as snapshot:
            begin_stage("audit log")
            problems += audit_log.problems(snapshot.db, store.engine.dialect, deep=deep)
            if deep:
                frames = _verify_rows(snapshot, store.engine.dialect, problems)
            for part in store.parts:
                begin_stage(part.name)
                problems += part.verify(snapshot, deep=deep)
                notes += part.notes(snapshot)
            if snapshot.db.one("SELECT 1 FROM store_erasing") is not None:
                problems.append(
                    Problem("store_erasing", "the gate that only an erase opens stands open: rows could go")
                )
            notes += note_pending(snapshot.db)
    except Corrupt as error:
        problems.append(Problem("row", error.message))
    return VerifyReport(tuple(problems), frames, deep, time.monotonic() - started, tuple(notes))


def stats(store: Store) -> Stats:
    with store.read() as snapshot:
        db = snapshot.db
        # One pass for all: each takes as long as reading every frame.
        counts = db.all(
            "SELECT f.space, f.kind, f.retired_at IS NULL, count(*) FROM frame f "
            f"WHERE {published().sql} GROUP BY 1, 2, 3"
        )
        live = [(space, kind, int(count)) for space, kind, is_live, count in counts if is_live]
        total = sum(int(count) for *_, count in counts)
        in_use = sum(count for *_, count in live)
        return Stats(
            location=store.engine.location,
            engine=store.engine.dialect.name,
            format=store.engine.format(),
            revision=snapshot.revision,
            bytes=store.engine.size_bytes(db),
            frames=total,
            live=in_use,
            retired=total - in_use,
            by_space=_summed((split_partition(str(name))[0], count) for name, _, count in live),
            by_kind=_summed((str(kind), count) for _, kind, count in live),
            parts={part.name: dict(part.stats(snapshot)) for part in store.parts},
            memory=store.mirrors.bytes_kept(),
        )


def space_totals(db: Connection) -> dict[str, int]:
    """Frames in use by space: without looking at every frame, unlike `stats`.

    Each space with the parts of all its users, who are not named here: `users` is for that.
    """
    every = "SELECT f.space, count(*) FROM frame f{0} GROUP BY 1"
    # By an expression, for which no index stands ready: SQLite would rather go through all spaces with the
    # index of these than through the frames that are retired, which are few.
    gone = [*db.all("SELECT f.space || '', count(*) FROM frame f WHERE f.retired_at IS NOT NULL GROUP BY 1")]
    if db.one("SELECT 1 FROM frame_staged WHERE published_at IS NULL") is not None:
        hidden = f" WHERE f.retired_at IS NULL AND NOT ({published().sql})"
        gone += db.all(every.format(hidden))
    signed = [(name, int(count)) for name, count in db.all(every.format(""))]
    signed += [(name, -int(count)) for name, count in gone]
    totals = _summed((split_partition(str(name))[0], count) for name, count in signed)
    return {name: count for name, count in totals.items() if count}


def _summed(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for name, count in counts:
        totals[name] = totals.get(name, 0) + count
    return dict(sorted(totals.items()))


def reindex(store: Store, parts: Sequence[Part] | None = None) -> dict[str, int]:
    """Make everything derived anew from the canonical rows; answers stay as they are until it is whole."""
    chosen = list(store.parts if parts is None else parts)
    with store.tasks.running("reindex", [part.name for part in chosen]) as work:
        counts: dict[str, int] = {}
        for part in chosen:
            with store.read() as snapshot:
                # Parts go through the frames by id, so how far one has come is the id it has reached.
                begin_stage(part.name, last_id(snapshot.db))
            counts[part.name] = part.rebuild(store)
        work.result = counts
        return counts


def last_id(db: Connection) -> int:
    """The highest id of a frame, 0 where there is none."""
    return scalar(db, "SELECT coalesce(max(frame_id), 0) FROM frame")


def maintain(store: Store, policy: MaintenancePolicy) -> MaintenanceReport:
    with store.tasks.running("maintain", [part.name for part in _chosen(store, policy.work)]) as work:
        report = work.result = _maintain(store, policy)
        return report


def _maintain(store: Store, policy: MaintenancePolicy) -> MaintenanceReport:
    started = time.monotonic()
    resume(store)
    with store.read() as snapshot:
        before = store.engine.size_bytes(snapshot.db)
    chosen = _chosen(store, policy.work)
    budget = Budget(frames=policy.max_frames, seconds=policy.max_seconds)
    done: dict[str, dict[str, int]] = {}
    abandoned = discard_abandoned(store)
    if abandoned is not None:
        done["abandoned"] = dict(abandoned.counts)
    certificate = erase_expired(store, budget)
    if certificate is not None:
        done["expired"] = dict(certificate.counts)
    for part in chosen:
        if budget.exhausted:
            break
        begin_stage(part.name)
        counts = dict(part.maintain(store, budget))
        if counts:
            done[part.name] = counts
    wasteful = policy.compact_above is not None and store.engine.free_bytes() > before * policy.compact_above
    if wasteful and not budget.exhausted:
        store.engine.compact()
    with store.read() as snapshot:
        after = store.engine.size_bytes(snapshot.db)
    return MaintenanceReport(
        done=done,
        compacted=wasteful and not budget.exhausted,
        bytes_before=before,
        bytes_after=after,
        exhausted=budget.exhausted,
        seconds=time.monotonic() - started,
        certificate=certificate,
    )


def _chosen(store: Store, work: Iterable[str] | None) -> list[Part]:
    if work is None:
        return list(store.parts)
    names = [work] if isinstance(work, str) else list(work)
    part_names = [part.name for part in store.parts]
    unknown = [name for name in names if name not in part_names]
    if unknown:
        raise InvalidInput(
            f"There is no upkeep called {unknown[0]!r}.", hint=f"Choose from {', '.join(part_names)}."
        )
    return [part for part in store.parts if part.name in names]


def erase_expired(store: Store, budget: Budget) -> ErasureCertificate | None:
    """Remove what has expired, as an erase does; None if nothing had."""
    now = store.now()
    with store.read() as snapshot:
        ids = expired_documents(snapshot.db, now, most=budget.frames)
    if not ids:
        return None
    budget.spend(len(ids))
    return erase(store, ids, view=View(ALL, user=ALL, with_hidden=True))


def scan(db: Connection, sql: str, key: str) -> Iterator[tuple[object, ...]]:
    """All rows of a query with `{after}` in it, in batches by a rising integer key in the first column."""
    last = -(2**63)
    while True:
        batch = db.all(sql.format(after=f"{key} > ?") + f" ORDER BY {key} LIMIT {_SCAN}", (last,))
        yield from batch
        if len(batch) < _SCAN:
            return
        last = int(batch[-1][0])


def _verify_rows(snapshot: Snapshot, dialect: Dialect, problems: list[Problem]) -> int:
    db = snapshot.db
    read_clock(db)
    begin_stage("frames", scalar(db, "SELECT count(*) FROM frame"))
    latest = 0
    count = 0
    for row in scan_frames(db, dialect):
        count += 1
        if count % _SCAN == 0:
            advance(count)
        try:
            frame, _ = checked_text(row)
        except (LongmindError, UnicodeDecodeError) as error:
            problems.append(Problem("frame", f"frame {row[0]}: {error}"))
            continue
        latest = max(latest, frame.recorded_at, frame.retired_at or 0)
    if latest > snapshot.revision:
        problems.append(Problem("clock", f"the clock says {snapshot.revision}, a frame {latest}"))
    problems += _verify_labels(db)
    problems += _verify_small_tables(db)
    return count


def _verify_labels(db: Connection) -> Iterator[Problem]:
    sql = "SELECT frame_id, tag, since, until, checksum FROM frame_tag"
    for row in db.all(sql):
        if checksum("tag", *row[:-1]) != row[-1]:
            yield Problem("tag", f"a tag of frame {row[0]} is not what was written")
    sql = "SELECT frame_id, name, since, until, value, value_key, value_number, checksum FROM frame_meta"
    for row in db.all(sql):
        *fields, key, number, hashed = row
        if checksum("meta", *fields) != hashed or key != value_key(row[4]) or number != value_number(row[4]):
            yield Problem("meta", f"metadata of frame {row[0]} is not what was written")


def _verify_small_tables(db: Connection) -> Iterator[Problem]:
    plans = (
        ("key", "SELECT space, name, frame_id, checksum FROM frame_key", ("key",)),
        ("counter", "SELECT name, value, checksum FROM store_counter", ("counter",)),
        ("setting", "SELECT name, value, checksum FROM store_setting", ()),
        ("erasure", "SELECT erasure_id, certificate, checksum FROM erasure_pending", ("pending",)),
        ("expiry", "SELECT frame_id, expires_at, checksum FROM frame_expiry", ("frame_expiry",)),
        ("absence", "SELECT frame_id, since, until, checksum FROM frame_absence", ("frame_absence",)),
        (
            "staged",
            "SELECT first_id, last_id, frame_id, published_at, holder, checksum FROM frame_staged",
            ("frame_staged",),
        ),
        (
            "snapshot",
            "SELECT name, system, note, created_at, checksum FROM store_snapshot",
            ("store_snapshot",),
        ),
        ("snapshot", "SELECT restored_at, system, checksum FROM store_rollback", ("store_rollback",)),
        ("erasure", "SELECT erasure_id, erased_at, frames, certificate_hash, checksum FROM erasure", ()),
    )
    for code, sql, prefix in plans:
        for row in db.all(sql):
            if checksum(*prefix, *row[:-1]) != row[-1]:
                yield Problem(code, f"a row of {code} ({row[0]!r}) is not what was written")
    highest = db.one("SELECT max(frame_id) FROM frame")
    counter = db.one("SELECT value FROM store_counter WHERE name = 'frame'")
    if highest and highest[0] is not None and (counter is None or counter[0] < highest[0]):
        yield Problem("counter", "the counter of frames is behind the frames")
    duplicates = db.all(
        "SELECT min(f.frame_id) FROM frame f WHERE f.retired_at IS NULL AND f.repeatable = 0 "
        f"AND {published().sql} GROUP BY f.content_hash HAVING count(*) > 1"
    )
    for (frame_id,) in duplicates:
        yield Problem("duplicate", f"the content of frame {frame_id} stands more than once")
