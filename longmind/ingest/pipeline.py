"""The staged pipeline: plan, chunk, prepare (at once, within limits), commit (in order), finalize.

Preparing a document (reading, cutting, embedding, extracting) happens in worker threads; committing happens
in the caller's, strictly in the order of the documents, each in one transaction. So the result does not
depend on how many workers there are, and whatever is stopped leaves whole documents only.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Final

from longmind.base.recall_marks import without_echo
from longmind.ingest.budget import UNLIMITED, IngestBudget
from longmind.ingest.notes import Notes
from longmind.ingest.plan import cut_if_long
from longmind.ingest.report import ECHO, VECTORS, IngestReport, Skip, embedded, merged, report_of
from longmind.store.drafts import Draft
from longmind.store.parts import Part
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.write import Prepared, Put, look, put, retire

Cancelled = Callable[[], bool]
_MERGE: Final = 256
"""Reports of so many documents become one: a million files do not keep a million reports in memory."""


_ASK_SECONDS: Final = 0.5
"""How often a caller is asked whether it cancels while a long file is being read."""


@dataclass(frozen=True, slots=True)
class Job:
    """One document to come: `plan` reads and cuts it in a worker; `settle` runs inside its transaction.

    `settle` is told whether the document is there with all its chunks. `renews` names the frame that gives
    way although it says the same: it was cut otherwise.
    """

    uri: str
    plan: Callable[[], Draft | Skip]
    settle: Callable[[Transaction, Put, bool], IngestReport] | None = None
    renews: Callable[[Draft], int | None] | None = None
    finish: Callable[[Draft], Draft] | None = None
    """Adds to its metadata what depends on the documents before it; called in their order."""
    size: int = 0
    """About how many bytes it will be, as far as that is known before it is read."""


@dataclass(slots=True)
class _Spent:
    """What has been used of the budget, in the order of the documents."""

    documents: int = 0
    total_bytes: int = 0
    chunks: int = 0
    embeddings: int = 0
    embedding_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Work:
    """What the parts prepared for some drafts, and how long that took them."""

    prepared: Prepared = field(default_factory=dict)
    durations: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A document that can be committed."""

    job: Job
    outcome: Draft | Skip
    size: int
    renewed: int | None
    work: _Work
    spared: str
    """The limit for whose sake nothing was embedded, if one was reached."""
    planned: float


class _Stage:
    """What the workers of one ingest share: the limits of the kinds of work, and what waits to be written."""

    def __init__(self, store: Store, budget: IngestBudget) -> None:
        self.store = store
        self.budget = budget
        self.spent = _Spent()
        self.notes = Notes()
        self._embedding = threading.Semaphore(budget.embedding_parallelism)
        self._extraction = threading.Semaphore(budget.extraction_parallelism)
        self._pending = 0
        self._lock = threading.Lock()

    @property
    def has_room(self) -> bool:
        return self._pending < self.budget.max_pending_bytes

    def slots(self, part: Part) -> threading.Semaphore:
        return self._embedding if part.name == VECTORS else self._extraction

    def add_pending(self, size: int) -> None:
        """Count bytes that are prepared and not yet written; below zero, that are."""
        with self._lock:
            self._pending += size

    def spared(self) -> str:
        """Looked at early, so that what would be thrown away is not made; settled at commit, in order."""
        seconds, number = self.budget.max_embedding_seconds, self.budget.max_embeddings
        if seconds is not None and self.spent.embedding_seconds >= seconds:
            return "max_embedding_seconds"
        return "max_embeddings" if number is not None and self.spent.embeddings >= number else ""


Settle = Callable[[Transaction, Sequence[Draft], Sequence[Put]], None]
"""What is written with some drafts: called in their transaction, with what became of each."""


def remember(store: Store, drafts: Sequence[Draft], *, settle: Settle | None = None) -> IngestReport:
    """Write the drafts in one transaction, with everything that the store's parts derive from them.

    Recalled text that stands in them is cut out first; a draft that is nothing else is skipped.
    """
    new, skipped = _without_echoes(drafts)
    if not new and settle is None:
        return skipped
    with store.read() as snapshot:
        looked = look(snapshot, new)
    work = _prepare(store, new, targets=looked.targets)
    started = time.monotonic()
    with store.write() as tx:
        results = put(tx, new, parts=store.parts, prepared=work.prepared, looked=looked)
        if settle is not None:
            settle(tx, new, results)
    durations = {**work.durations, "commit": time.monotonic() - started}
    return replace(merged([skipped, report_of(new, results, work.prepared)]), durations=durations)


def ingest(
    store: Store,
    jobs: Iterable[Job],
    *,
    budget: IngestBudget = UNLIMITED,
    cancelled: Cancelled | None = None,
    progress: Callable[[str], None] | None = None,
    stopping: threading.Event | None = None,
) -> IngestReport:
    """Run the jobs through all stages; one document, one transaction, in order.

    `stopping` is set when the call ends early, for readers that are in the middle of a long file.
    """
    stopping = stopping or threading.Event()

    def stop() -> bool:
        if cancelled is not None and cancelled():
            stopping.set()
        return stopping.is_set()

    stage = _Stage(store, budget)
    reports: list[IngestReport] = []
    workers = ThreadPoolExecutor(budget.max_in_flight, thread_name_prefix="longmind-ingest")
    try:
        for ready in _ahead(stage, jobs, workers, stop, reports):
            if stop():
                reports.append(IngestReport(cancelled=True))
                break
            report, enough = _commit(stage, ready)
            reports.append(report)
            if len(reports) >= _MERGE:
                reports[:] = [merged(reports)]
            if progress is not None:
                progress(ready.job.uri)
            if enough:
                break
    finally:
        stopping.set()
        workers.shutdown(cancel_futures=True)
    return merged([*reports, IngestReport(warnings=stage.notes.lines())])


def _ahead(
    stage: _Stage,
    jobs: Iterable[Job],
    workers: ThreadPoolExecutor,
    stop: Cancelled,
    reports: list[IngestReport],
) -> Iterator[_Ready]:
    """Prepared documents in order, never more than the budget allows waiting."""
    budget = stage.budget
    started = time.monotonic()
    waiting: deque[Future[_Ready]] = deque()
    source = iter(jobs)
    exhausted = False
    while True:
        while not exhausted and len(waiting) < budget.max_in_flight and (stage.has_room or not waiting):
            job = next(source, None)
            if job is None:
                exhausted = True
            elif stop():
                reports.append(IngestReport(cancelled=True))
                exhausted = True
            elif budget.max_seconds is not None and time.monotonic() - started >= budget.max_seconds:
                reports.append(IngestReport(truncated=("max_seconds",)))
                exhausted = True
            else:
                stage.add_pending(job.size)
                waiting.append(workers.submit(_make_ready, stage, job))
        if not waiting:
            return
        ready = _awaited(waiting.popleft(), stop)
        yield ready
        stage.add_pending(-ready.size)


def _awaited(future: Future[_Ready], stop: Cancelled) -> _Ready:
    """The document, as soon as it is ready; meanwhile the caller is asked whether it still wants it."""
    while not wait([future], timeout=_ASK_SECONDS).done:
        stop()
    return future.result()


def _make_ready(stage: _Stage, job: Job) -> _Ready:
    started = time.monotonic()
    outcome = job.plan()
    planned = time.monotonic() - started
    size = 0 if isinstance(outcome, Skip) else len(outcome.text.encode())
    stage.add_pending(size - job.size)
    if isinstance(outcome, Skip):
        return _Ready(job, outcome, 0, None, _Work(), "", planned)
    renewed = job.renews(outcome) if job.renews is not None else None
    spared = stage.spared()
    targets: Sequence[int | None] = [None]
    if renewed is None:
        with stage.store.read() as snapshot:
            targets = look(snapshot, [outcome]).targets
    work = _prepare(stage.store, [outcome], targets=targets, stage=stage, spare=bool(spared))
    return _Ready(job, outcome, size, renewed, work, spared, planned)


def _commit(stage: _Stage, ready: _Ready) -> tuple[IngestReport, bool]:
    """Write one document, or say why not; True if the budget allows no further one."""
    if isinstance(ready.outcome, Skip):
        return IngestReport(skipped=(ready.outcome,), durations={"plan": ready.planned}), False
    budget, spent, store = stage.budget, stage.spent, stage.store
    draft, prepared, spared = ready.outcome, ready.work.prepared, ready.spared
    if budget.max_documents is not None and spent.documents >= budget.max_documents:
        return IngestReport(truncated=("max_documents",)), True
    if budget.max_total_bytes is not None and spent.total_bytes + ready.size > budget.max_total_bytes:
        return IngestReport(truncated=("max_total_bytes",)), True
    truncated = []
    if budget.max_chunks is not None and spent.chunks + len(draft.chunks) > budget.max_chunks:
        room = budget.max_chunks - spent.chunks
        if room <= 0:
            return IngestReport(truncated=("max_chunks",)), True
        draft = replace(draft, chunks=draft.chunks[:room])
        prepared = {name: items[: 1 + room] for name, items in prepared.items()}
        truncated.append("max_chunks")
    embeddings = embedded(prepared.get(VECTORS, ()))
    if budget.max_embeddings is not None and spent.embeddings + embeddings > budget.max_embeddings:
        prepared = {name: items for name, items in prepared.items() if name != VECTORS}
        spared = "max_embeddings"
    if ready.job.finish is not None:
        draft = ready.job.finish(draft)
    started = time.monotonic()
    with store.write() as tx:
        result = _renew(tx, store, draft, prepared, ready.renewed)
        whole = not truncated
        settled = ready.job.settle(tx, result, whole) if ready.job.settle is not None else IngestReport()
    stage.notes.add(ready.job.uri, draft.notes)
    done = report_of([draft], [result], prepared)
    if spared and result.status == "created" and any(part.name == VECTORS for part in store.parts):
        truncated.append(spared)
    spent.documents += 1
    spent.total_bytes += ready.size
    spent.chunks += len(draft.chunks)
    spent.embeddings += done.embedded
    spent.embedding_seconds += ready.work.durations.get("embed", 0.0)
    seconds = time.monotonic() - started
    durations = {"plan": ready.planned, **ready.work.durations, "commit": seconds}
    mine = IngestReport(truncated=tuple(truncated), durations=durations)
    return merged([done, settled, mine]), False


def _renew(tx: Transaction, store: Store, draft: Draft, prepared: Prepared, old: int | None) -> Put:
    """Write a document; the one it takes the place of, if it says the same, is retired first.

    Only then is it new. What is retired stays as it is, so the old one cannot name its successor.
    """
    if old is not None:
        retire(tx, [old], reason="superseded", parts=store.parts)
    [result] = put(tx, [draft], parts=store.parts, prepared=prepared)
    return result


def _without_echoes(drafts: Sequence[Draft]) -> tuple[list[Draft], IngestReport]:
    cleaned: list[Draft] = []
    skips: list[Skip] = []
    warnings: list[str] = []
    for number, draft in enumerate(drafts, 1):
        text, echoes = without_echo(draft.text)
        if draft.title is not None and (title := without_echo(draft.title))[1]:
            draft = replace(draft, title=title[0] or None)
        name = draft.uri or f"item {number}"
        if not echoes:
            cleaned.append(draft)
        elif text:
            cleaned.append(cut_if_long(replace(draft, text=text, chunks=())))
            warnings.append(f"{name}: recalled text was left out")
        else:
            skips.append(Skip(name, ECHO, "it is recalled text, which is remembered already"))
    return cleaned, IngestReport(skipped=tuple(skips), warnings=tuple(sorted(warnings)))


def _prepare(
    store: Store,
    drafts: Sequence[Draft],
    *,
    targets: Sequence[int | None],
    stage: _Stage | None = None,
    spare: bool = False,
) -> _Work:
    """Let each part do its costly work for the drafts that are new.

    `targets` are the frames that say the same already. The transaction looks again, because another writer
    may have come first.
    """
    parts = [part for part in store.parts if not (spare and part.name == VECTORS)]
    flat: list[Draft] = []
    positions: list[int] = []
    position = 0
    for draft, twin in zip(drafts, targets, strict=True):
        size = 1 + len(draft.chunks)
        if twin is None:
            flat += draft.flat()
            positions += range(position, position + size)
        position += size
    prepared: dict[str, Sequence[object]] = {}
    durations: dict[str, float] = {"prepare": 0.0}
    for part in parts if flat else ():
        with stage.slots(part) if stage is not None else nullcontext():
            started = time.monotonic()
            items = part.prepare(flat)
            kind = "embed" if part.name == VECTORS else "prepare"
            durations[kind] = durations.get(kind, 0.0) + time.monotonic() - started
        if items is not None:
            spread: list[object] = [None] * position
            for where, item in zip(positions, items, strict=True):
                spread[where] = item
            prepared[part.name] = spread
    return _Work(prepared, durations)
