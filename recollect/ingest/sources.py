"""Files and folders: unchanged ones are passed over, changed ones superseded, gone ones retired."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from recollect.base.checks import check_text
from recollect.base.errors import InvalidInput, NotFound
from recollect.ingest.budget import UNLIMITED, IngestBudget
from recollect.ingest.folder import Entry, walk
from recollect.ingest.pipeline import Cancelled, Job, ingest
from recollect.ingest.plan import Cutting, Labels, plan_source
from recollect.ingest.report import IngestReport, Skip, merged
from recollect.ingest.source import Readers, Source
from recollect.store.drafts import Draft
from recollect.store.engine import Rows
from recollect.store.frames import batches
from recollect.store.parts import Part, Problem
from recollect.store.store import Store
from recollect.store.transaction import Snapshot, Transaction
from recollect.store.visible import among
from recollect.store.writing import Put, retire


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest has come."""

    done: int
    total: int
    uri: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a file looked like when it was last read."""

    size: int
    modified: int
    options: str
    sha256: str
    frame_id: int | None


@dataclass(frozen=True, slots=True)
class FolderOptions:
    """Which files of a folder are read."""

    ignore: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class Sources(Part):
    """Keeps the account of what was read; forgets files whose frames are erased."""

    name: ClassVar[str] = "sources"

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        count = 0
        for batch in batches(ids):
            clause = among("frame_id", batch)
            count += tx.rows.run(f"DELETE FROM ingest_source WHERE {clause.sql}", clause.values)
        return {"ingest_source": count}

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        rows = snapshot.rows.all(
            "SELECT s.uri FROM ingest_source s JOIN frame f ON f.frame_id = s.frame_id "
            "WHERE f.uri <> s.uri LIMIT 20"
        )
        for (uri,) in rows:
            yield Problem("sources", f"the account of {uri} names the frame of another source")

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        row = snapshot.rows.one("SELECT count(*) FROM ingest_source")
        return {"files": int(row[0]) if row else 0}


def given_sources(
    source: str | os.PathLike[str] | bytes | None,
    *,
    text: str | None,
    uri: str | None,
    media_type: str | None,
) -> Source | Path:
    """What a caller handed over: a folder's path, or one source."""
    if (source is None) == (text is None):
        raise InvalidInput("Give a source or text=, and not both.")
    if text is not None:
        data = check_text(text, "text").encode()
        return Source.from_bytes(data, uri=uri or "", media_type=media_type or "text/plain")
    if isinstance(source, bytes | bytearray):
        return Source.from_bytes(bytes(source), uri=uri or "", media_type=media_type)
    if not isinstance(source, str | os.PathLike):
        raise InvalidInput(f"A source is a path or bytes, not {type(source).__name__}.")
    path = Path(source).expanduser()
    try:
        if path.is_dir():
            return path
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{str(path)[:200]!r} is no usable path: {error}.") from None
    return Source.from_path(path, uri=uri or path.resolve().as_uri(), media_type=media_type)


def ingest_sources(
    store: Store,
    sources: Sequence[Source],
    *,
    readers: Readers,
    labels: Labels,
    cutting: Cutting,
    budget: IngestBudget = UNLIMITED,
    root: str = "",
    cancelled: Cancelled | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Read what is new or changed, in the order given."""
    with store.read() as snapshot:
        known = _known(snapshot.rows, labels.space, [source.uri for source in sources])
    fresh = [source for source in sources if not _is_unchanged(source, known.get(source.uri), cutting)]
    reread = {source.uri for source in fresh}
    untouched = len(sources) - len(fresh)
    done = untouched

    def advance(uri: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(Progress(done, len(sources), uri))

    jobs = [_job(store, source, known.get(source.uri), readers, labels, cutting, root) for source in fresh]
    report = ingest(store, jobs, budget=budget, cancelled=cancelled, progress=advance)
    ids = [known[source.uri].frame_id for source in sources if source.uri not in reread]
    same = IngestReport(ids=tuple(frame_id for frame_id in ids if frame_id is not None), unchanged=untouched)
    return merged([same, report]) if untouched else report


def ingest_folder(
    store: Store,
    folder: Path,
    *,
    readers: Readers,
    labels: Labels,
    cutting: Cutting,
    options: FolderOptions,
    budget: IngestBudget = UNLIMITED,
    cancelled: Cancelled | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Make the store hold what the folder holds. Interrupted, it goes on where it stopped."""
    started = time.monotonic()
    root = folder.resolve().as_uri()
    sources: list[Source] = []
    skips: list[Skip] = []
    found = walk(
        folder, ignore=options.ignore, include=options.include, exclude=options.exclude, limits=readers.limits
    )
    for entry in found:
        if isinstance(entry, Entry):
            sources.append(_source_of(entry))
        else:
            skips.append(Skip(f"{root}/{entry.relative}", entry.code, entry.detail))
    walked = time.monotonic() - started
    report = ingest_sources(
        store,
        sources,
        readers=readers,
        labels=labels,
        cutting=cutting,
        budget=budget,
        root=root,
        cancelled=cancelled,
        progress=progress,
    )
    gone = IngestReport()
    complete = not report.cancelled and not report.truncated
    if complete:
        present = {source.uri for source in sources} | {skip.uri for skip in skips}
        gone = _retire_missing(store, labels.space, root, present)
    whole = merged([IngestReport(skipped=tuple(skips), durations={"walk": walked}), report, gone])
    return replace(whole, skipped=tuple(sorted(whole.skipped, key=lambda skip: (skip.uri, skip.code))))


def watch_folder(folder: Path, *, stop: Callable[[], bool], every: float = 0.5) -> Iterator[int]:
    """Yields the number of changes each time something in the folder changed, until told to stop."""
    import threading

    from watchfiles import watch

    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.")
    event = threading.Event()
    for changes in watch(
        folder, stop_event=event, yield_on_timeout=True, rust_timeout=int(every * 1000), raise_interrupt=False
    ):
        if stop():
            event.set()
            return
        if changes:
            yield len(changes)


def _source_of(entry: Entry) -> Source:
    return Source.from_path(entry.path, uri=entry.path.as_uri())


def _is_unchanged(source: Source, known: Known | None, cutting: Cutting) -> bool:
    return (
        known is not None
        and known.frame_id is not None
        and (known.size, known.modified, known.options) == (source.size, source.modified or 0, cutting.name)
    )


def _job(
    store: Store,
    source: Source,
    known: Known | None,
    readers: Readers,
    labels: Labels,
    cutting: Cutting,
    root: str,
) -> Job:
    state = {"sha256": ""}

    def plan() -> Draft | Skip:
        outcome = plan_source(source, readers, labels, cutting)
        if isinstance(outcome, Draft):
            state["sha256"] = hashlib.sha256(outcome.text.encode()).hexdigest()
        return outcome

    def settle(tx: Transaction, result: Put) -> IngestReport:
        """In the document's own transaction: retire what it replaces, and note how the file looked."""
        superseded = 0
        if known is not None and known.frame_id is not None and known.frame_id != result.id:
            superseded = bool(
                retire(tx, [known.frame_id], successor=result.id, reason="superseded", parts=store.parts)
            )
        row = (labels.space, source.uri, root, source.size, source.modified or 0, cutting.name)
        tx.rows.run(
            "INSERT INTO ingest_source (space, uri, root, size, modified, options, sha256, frame_id) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (space, uri) DO UPDATE SET root = excluded.root, "
            "size = excluded.size, modified = excluded.modified, options = excluded.options, "
            "sha256 = excluded.sha256, frame_id = excluded.frame_id",
            (*row, state["sha256"], result.id),
        )
        return IngestReport(superseded=int(superseded))

    return Job(source.uri, plan, settle)


def _known(rows: Rows, space: str, uris: Sequence[str]) -> dict[str, Known]:
    found: dict[str, Known] = {}
    for first in range(0, len(uris), 500):
        clause = among("s.uri", uris[first : first + 500])
        sql = (
            "SELECT s.uri, s.size, s.modified, s.options, s.sha256, f.frame_id FROM ingest_source s "
            "LEFT JOIN frame f ON f.frame_id = s.frame_id AND f.retired_at IS NULL "
            f"WHERE s.space = ? AND {clause.sql}"
        )
        found.update((row[0], Known(*row[1:])) for row in rows.all(sql, (space, *clause.values)))
    return found


def _retire_missing(store: Store, space: str, root: str, present: set[str]) -> IngestReport:
    with store.read() as snapshot:
        sql = "SELECT uri, frame_id FROM ingest_source WHERE space = ? AND root = ? ORDER BY uri"
        rows = snapshot.rows.all(sql, (space, root))
    gone = [(uri, frame_id) for uri, frame_id in rows if uri not in present]
    if not gone:
        return IngestReport()
    with store.write() as tx:
        ids = [frame_id for _, frame_id in gone if frame_id is not None]
        retire(tx, ids, reason="its file is gone", parts=store.parts)
        tx.rows.many(
            "DELETE FROM ingest_source WHERE space = ? AND uri = ?", [(space, uri) for uri, _ in gone]
        )
    return IngestReport(retired=len(gone))
