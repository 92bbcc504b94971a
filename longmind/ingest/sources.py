"""Files and folders: unchanged ones are passed over, changed ones superseded, gone ones retired."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from longmind.base.checks import MAX_LABEL_BYTES, check_text
from longmind.base.errors import Forbidden, InvalidInput, MissingExtra, NotFound, Unavailable
from longmind.base.store_files import StoreFile, refuse_store
from longmind.ingest.budget import UNLIMITED, IngestBudget
from longmind.ingest.checkpoints import TABLES, Checkpoints, ProgressRow, forget, forget_frames
from longmind.ingest.duplicates import Duplicates
from longmind.ingest.folder import Entry, walk
from longmind.ingest.ignore import Patterns
from longmind.ingest.pipeline import Cancelled, Job, ingest
from longmind.ingest.plan import UNREADABLE, Cutting, Labels, plan_source
from longmind.ingest.report import ECHO, IngestReport, Skip, merged
from longmind.ingest.source import Readers, Source
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, scalar
from longmind.store.parts import Part, Problem
from longmind.store.rules import redaction_rules, stamp
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among
from longmind.store.write import Put, retire

_STOPPED: Final = frozenset({"max_seconds", "max_documents", "max_total_bytes", "max_chunks"})
"""Limits after which further files are not looked at."""

_EMPTIED: Final = frozenset(
    {
        "empty",
        ECHO,
        "binary",
        "special",
        "store",
        "subtitles",
        "link",
        "link_outside",
        "link_loop",
        "link_broken",
    }
)
"""Skipped files whose old version no longer stands for what is there."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest has come: once before the first file, then after every one."""

    done: int
    """Files that are stored, those that were there unchanged among them."""
    total: int
    """0 where it is not known."""
    uri: str
    """The file that was stored last; empty before the first."""
    bytes_done: int = 0
    bytes_total: int = 0
    """Of the files that had to be read: what is unchanged says nothing about the time that is left."""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """What a file looked like when it was last read."""

    size: int
    modified: int
    options: str
    """How it was cut and labelled."""
    sha256: str
    """Of the text that was read, or of the bytes that were handed over."""
    frame_id: int | None


@dataclass(frozen=True, slots=True)
class FolderOptions:
    """Which files of a folder are read."""

    ignore: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class Sources(Part):
    """Keeps the account of what was read; forgets files whose frames are erased."""

    name = "sources"

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        count = 0
        for batch in batched(ids):
            clause = among("frame_id", batch)
            count += tx.db.run(f"DELETE FROM ingest_source WHERE {clause.sql}", clause.values)
        return {"ingest_source": count, "ingest_progress": forget_frames(tx, ids)}

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        rows = snapshot.db.all(
            "SELECT s.uri FROM ingest_source s JOIN frame f ON f.frame_id = s.frame_id "
            "WHERE f.uri <> s.uri LIMIT 20"
        )
        for (uri,) in rows:
            yield Problem("sources", f"the account of {uri} names the frame of another source")
        yield from TABLES.verify(snapshot.db, ProgressRow)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return {"files": scalar(snapshot.db, "SELECT count(*) FROM ingest_source")}


def given_sources(
    source: str | os.PathLike[str] | bytes | None,
    *,
    text: str | None,
    uri: str | None,
    media_type: str | None,
) -> Source | Path:
    """What a caller handed over: a folder's path, or one source."""
    if (source is None) == (text is None):
        raise InvalidInput("Give a source or text=, and not both.", hint="Pass a path, or text= with uri=.")
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
        address = uri or _address(path.resolve())
        refuse_store(path)
    except StoreFile:
        raise
    except (OSError, ValueError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
        raise InvalidInput(
            f"{str(path)[:200]!r} is not a usable path: {reason}.",
            hint="A source is a path or bytes; give text as text=….",
        ) from None
    return Source.from_path(path, uri=address, media_type=media_type)


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
    rename = _stored_name(store, labels.space)
    sources = [replace(source, uri=rename(source.uri)) for source in sources]
    with store.read() as snapshot:
        rules = stamp(redaction_rules(snapshot.db, labels.space))
        records = _read_records(snapshot.db, labels.space, [source.uri for source in sources if source.uri])
    options = f"{cutting.name}-{labels.name}{rules}"
    cutting = replace(cutting, most=budget.max_chunks)
    run = _Run(store, readers, labels, cutting, rename(root), options, Duplicates(store, labels.space))
    fresh = [source for source in sources if not run.is_unchanged(source, records.get(source.uri))]
    passed = len(sources) - len(fresh)
    sizes = {source.uri: source.size for source in fresh}
    steps = Progress(passed, len(sources), "", 0, sum(sizes.values()))
    if progress is not None:
        progress(steps)

    def advance(uri: str) -> None:
        nonlocal steps
        size = sizes.get(uri, 0)
        steps = replace(steps, done=steps.done + 1, uri=uri, bytes_done=steps.bytes_done + size)
        if progress is not None:
            progress(steps)

    jobs = (run.job(source, records.get(source.uri)) for source in fresh)
    report = ingest(store, jobs, budget=budget, cancelled=cancelled, progress=advance, stopping=run.stopping)
    if not passed:
        return report
    reread = {source.uri for source in fresh}
    present = {uri: was.frame_id for uri, was in records.items() if uri not in reread} | run.written
    ids = (present.get(source.uri) for source in sources)
    same = replace(report, unchanged=report.unchanged + passed)
    return replace(same, ids=tuple(frame_id for frame_id in ids if frame_id is not None))


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
    """Make the store hold what the folder holds. Interrupted, it goes on where it stopped.

    What `include` does not name stays as it is; everything else below the folder is kept in step.
    """
    started = time.monotonic()
    rename = _stored_name(store, labels.space)
    base = folder.resolve()
    sources: list[Source] = []
    skips: list[Skip] = []
    entries = walk(
        folder, ignore=options.ignore, include=options.include, exclude=options.exclude, limits=readers.limits
    )
    for entry in entries:
        if isinstance(entry, Entry):
            try:
                sources.append(Source.from_path(entry.path, uri=_address(entry.path)))
            except (NotFound, Forbidden, Unavailable) as error:  # gone since it was listed
                skips.append(Skip(_address(entry.path), UNREADABLE, error.message))
            except StoreFile as error:  # put there since it was listed
                skips.append(Skip(_address(entry.path), "store", error.message))
        else:
            skips.append(Skip(_address(base / entry.relative), entry.code, entry.detail))
    walked = time.monotonic() - started
    report = ingest_sources(
        store,
        sources,
        readers=readers,
        labels=labels,
        cutting=cutting,
        budget=budget,
        root=base.as_uri(),
        cancelled=cancelled,
        progress=progress,
    )
    skips += report.skipped
    skips.sort(key=lambda skip: (skip.uri, skip.code))
    removal = IngestReport()
    if not report.cancelled and _STOPPED.isdisjoint(report.truncated):
        renamed = tuple(replace(skip, uri=rename(skip.uri)) for skip in skips)
        files = {rename(source.uri) for source in sources}
        listed = Listing(rename(base.as_uri()), files, renamed, options.include)
        removal = _retire_missing(store, labels.space, listed)
    whole = merged([IngestReport(durations={"walk": walked}), report, removal])
    return replace(whole, skipped=tuple(skips))


@dataclass(frozen=True, slots=True)
class Listing:
    """What a walk saw below a folder, to tell what is no longer there."""

    root: str
    files: set[str]
    skips: tuple[Skip, ...] = ()
    include: tuple[str, ...] = ()

    def gone(self, recorded: Iterable[tuple[str, str]]) -> list[str]:
        """Which of the known files (address, and the folder it was read with) hold nothing any more.

        A file that cannot be read now is not gone, nor is what lies in a folder that cannot be read.
        """
        emptied = {skip.uri for skip in self.skips if skip.code in _EMPTIED}
        present = (self.files | {skip.uri for skip in self.skips}) - emptied
        closed = tuple(f"{skip.uri}/" for skip in self.skips if skip.code == UNREADABLE)
        included = Patterns.parse(self.include)
        missing = []
        for uri, root in recorded:
            if uri in present or uri.startswith(closed):
                continue
            path = unquote(uri[len(self.prefix) :])
            asked_for_itself = not root and uri not in emptied and _is_file(uri)
            if asked_for_itself or (self.include and not included.covers(path)):
                continue
            missing.append(uri)
        return missing

    @property
    def prefix(self) -> str:
        return self.root.rstrip("/") + "/"


def watch_folder(folder: Path, *, stop: Callable[[], bool], every: float = 0.5) -> Iterator[tuple[str, ...]]:
    """Listens from now on; yields the paths that changed, each time something in the folder did.

    Ends when `stop` says so, which is asked at least every so many seconds.
    """
    try:
        from watchfiles import watch
    except ImportError:
        raise MissingExtra("Watching a folder needs watchfiles.", extra="watch") from None
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", hint="Name a folder that exists.")
    changes = watch(
        folder,
        watch_filter=None,
        yield_on_timeout=True,
        rust_timeout=max(1, int(every * 1000)),
        step=50,
        raise_interrupt=False,
    )
    return _changes(changes, next(changes), stop)


def _changes(
    later: Iterator[AbstractSet[tuple[Any, str]]],
    first: AbstractSet[tuple[Any, str]],
    stop: Callable[[], bool],
) -> Iterator[tuple[str, ...]]:
    """`first` was waited for already: the watcher begins to listen when it is asked for the first time."""
    for changes in chain((first,), later):
        if stop():
            return
        if changes:
            yield tuple(sorted({str(change[1]) for change in changes}))


def _stored_name(store: Store, space: str) -> Callable[[str], str]:
    """How addresses are stored: as they are, or without what the space redacts.

    A file is known again by that name, so it must be the same in every run and different for every file.
    """
    redactor = store.redaction.redactor(space)
    return (lambda uri: uri) if redactor is None else redactor.name


def _address(path: Path) -> str:
    """A file's address; a very long one is cut and told apart by its hash, as labels have a limit."""
    uri = path.as_uri()
    if len(uri) <= MAX_LABEL_BYTES:
        return uri
    return f"{uri[: MAX_LABEL_BYTES - 100]}#{hashlib.sha256(uri.encode()).hexdigest()}"


def _is_file(uri: str) -> bool:
    try:
        return Path(unquote(uri.removeprefix("file://"))).is_file()
    except (OSError, ValueError):
        return False


@dataclass(slots=True)
class _Run:
    """One call of `ingest`: what is the same for all its sources."""

    store: Store
    readers: Readers
    labels: Labels
    cutting: Cutting
    root: str
    options: str
    duplicates: Duplicates
    written: dict[str, int] = field(default_factory=dict)
    stopping: threading.Event = field(default_factory=threading.Event)

    def is_unchanged(self, source: Source, record: SourceRecord | None) -> bool:
        if record is None or record.frame_id is None or record.options != self.options:
            return False
        if source.data is not None:
            return record.sha256 == hashlib.sha256(source.data).hexdigest()
        return (record.size, record.modified) == (source.size, source.changed)

    def job(self, source: Source, record: SourceRecord | None) -> Job:
        old = None if record is None else record.frame_id
        space = self.labels.space
        source = replace(source, steps=Checkpoints(self.store, space, source, self.stopping.is_set))
        read: dict[str, Any] = {"sha256": ""}

        def plan() -> Draft | Skip:
            outcome = plan_source(source, self.readers, self.labels, self.cutting, self.store.redaction)
            if isinstance(outcome, Draft):
                # Of what was redacted, not even a hash: whoever guesses it could check the guess.
                stored = source.data is None or outcome.ruled
                data = outcome.text.encode() if stored or source.data is None else source.data
                read["sha256"] = hashlib.sha256(data).hexdigest()
            return outcome

        def renews(draft: Draft) -> int | None:
            """The same text, which was cut otherwise or not to its end."""
            same = record is not None and record.sha256 == read["sha256"]
            recut = record is not None and record.options.split("-")[0] != self.cutting.name
            return old if same and recut else None

        def settle(tx: Transaction, result: Put, whole: bool) -> IngestReport:
            """In the document's own transaction: retire what it replaces, and note how the file looked."""
            self.written[source.uri] = result.id
            self.duplicates.add(result.id, read["draft"])
            if not source.uri:
                return IngestReport()
            forget(tx.db, space, [source.uri])
            superseded = 0
            if old is not None and old != result.id:
                retire(tx, [old], successor=result.id, reason="superseded", parts=self.store.parts)
                superseded = 1
            options = self.options if whole else "partial"
            row = (space, source.uri, self.root, source.size, source.changed, options)
            tx.db.run(
                "INSERT INTO ingest_source (space, uri, root, size, modified, options, sha256, frame_id) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (space, uri) DO UPDATE "
                "SET root = excluded.root, size = excluded.size, modified = excluded.modified, "
                "options = excluded.options, sha256 = excluded.sha256, frame_id = excluded.frame_id",
                (*row, read["sha256"], result.id),
            )
            return IngestReport(superseded=superseded)

        def finish(draft: Draft) -> Draft:
            read["draft"] = marked = self.duplicates.marked(draft)
            return marked

        return Job(source.uri, plan, settle, renews, finish, size=source.size)


def _read_records(db: Connection, space: str, uris: Sequence[str]) -> dict[str, SourceRecord]:
    records: dict[str, SourceRecord] = {}
    for batch in batched(uris):
        clause = among("s.uri", batch)
        sql = (
            "SELECT s.uri, s.size, s.modified, s.options, s.sha256, f.frame_id FROM ingest_source s "
            "LEFT JOIN frame f ON f.frame_id = s.frame_id AND f.retired_at IS NULL "
            f"WHERE s.space = ? AND {clause.sql}"
        )
        records.update((row[0], SourceRecord(*row[1:])) for row in db.all(sql, (space, *clause.values)))
    return records


def _retire_missing(store: Store, space: str, listed: Listing) -> IngestReport:
    with store.read() as snapshot:
        rows = snapshot.db.all(
            "SELECT uri, root, frame_id FROM ingest_source "
            "WHERE space = ? AND substr(uri, 1, ?) = ? ORDER BY uri",
            (space, len(listed.prefix), listed.prefix),
        )
    missing = listed.gone((str(uri), str(root)) for uri, root, _ in rows)
    if not missing:
        return IngestReport()
    frames = {str(uri): frame_id for uri, _, frame_id in rows}
    with store.write() as tx:
        ids = [int(frames[uri]) for uri in missing if frames[uri] is not None]
        retired = retire(tx, ids, reason="its file is gone", parts=store.parts)
        tx.db.many("DELETE FROM ingest_source WHERE space = ? AND uri = ?", [(space, uri) for uri in missing])
        forget(tx.db, space, missing)
    return IngestReport(retired=len(set(ids).intersection(retired)))
