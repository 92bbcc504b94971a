"""The staged pipeline: plan, chunk, prepare (at once, within limits), commit (in order), finalize.

Preparing a document (reading, cutting, embedding, extracting) happens in worker threads; committing happens
in the caller's, strictly in the order of the documents, each in one transaction. So the result does not
depend on how many workers there are, and whatever is stopped leaves whole documents only.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from recollect.base.echo import without_echo
from recollect.ingest.budget import UNLIMITED, IngestBudget
from recollect.ingest.report import IngestReport, Skip, merged
from recollect.store.drafts import Draft
from recollect.store.parts import Failed, Part
from recollect.store.store import Store
from recollect.store.transaction import Transaction
from recollect.store.writing import Prepared, Put, existing, put

VECTORS: Final = "vectors"
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Job:
    """One document to come: `plan` reads and cuts it in a worker; `settle` runs inside its transaction."""

    uri: str
    plan: Callable[[], Draft | Skip]
    settle: Callable[[Transaction, Put], IngestReport] | None = None


@dataclass(slots=True)
class _Spent:
    """What has been used of the budget, in the order of the documents."""

    documents: int = 0
    total_bytes: int = 0
    chunks: int = 0
    embeddings: int = 0
    embedding_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Ready:
    """A document that can be committed."""

    job: Job
    outcome: Draft | Skip
    prepared: Prepared
    durations: Mapping[str, float]


@dataclass(slots=True)
class _Gates:
    """Separate limits for the kinds of work."""

    embedding: threading.Semaphore
    extraction: threading.Semaphore
    durations: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def through(self, part: Part) -> Iterator[None]:
        gate = self.embedding if part.name == VECTORS else self.extraction
        with gate:
            yield


def remember(store: Store, drafts: Sequence[Draft]) -> IngestReport:
    """Write the drafts in one transaction, with everything that the store's parts derive from them.

    Recalled text that stands in them is cut out first; a draft that is nothing else is skipped.
    """
    started = time.monotonic()
    kept, skips = _without_echoes(drafts)
    prepared = _prepare(store, kept)
    ready = time.monotonic()
    with store.write() as tx:
        results = put(tx, kept, parts=store.parts, prepared=prepared)
    done = time.monotonic()
    report = _report(results, prepared)
    return replace(report, skipped=skips, durations={"prepare": ready - started, "commit": done - ready})


def ingest(
    store: Store,
    jobs: Iterable[Job],
    *,
    budget: IngestBudget = UNLIMITED,
    cancelled: Cancelled | None = None,
    progress: Callable[[str], None] | None = None,
) -> IngestReport:
    """Run the jobs through all stages; one document, one transaction, in order."""
    started = time.monotonic()
    stop = cancelled or (lambda: False)
    gates = _Gates(
        threading.Semaphore(budget.embedding_parallelism), threading.Semaphore(budget.extraction_parallelism)
    )
    spent = _Spent()
    reports: list[IngestReport] = []
    with ThreadPoolExecutor(budget.max_in_flight, thread_name_prefix="recollect-ingest") as workers:
        for ready in _ahead(store, jobs, budget, gates, workers, stop, started, spent, reports):
            if stop():
                reports.append(IngestReport(cancelled=True))
                break
            report, enough = _commit(store, ready, budget, spent)
            reports.append(report)
            if progress is not None:
                progress(ready.job.uri)
            if enough:
                break
    return merged(reports)


def _ahead(
    store: Store,
    jobs: Iterable[Job],
    budget: IngestBudget,
    gates: _Gates,
    workers: ThreadPoolExecutor,
    stop: Cancelled,
    started: float,
    spent: _Spent,
    reports: list[IngestReport],
) -> Iterator[_Ready]:
    """Prepared documents in order, never more than the budget allows waiting."""
    waiting: deque[Future[_Ready]] = deque()
    source = iter(jobs)
    pending = _Pending(budget.max_pending_bytes)
    exhausted = False
    while True:
        while not exhausted and len(waiting) < budget.max_in_flight and pending.has_room:
            if stop():
                reports.append(IngestReport(cancelled=True))
                exhausted = True
            elif budget.max_seconds is not None and time.monotonic() - started >= budget.max_seconds:
                reports.append(IngestReport(truncated=("max_seconds",)))
                exhausted = True
            else:
                job = next(source, None)
                if job is None:
                    exhausted = True
                else:
                    waiting.append(workers.submit(_make_ready, store, job, budget, gates, spent, pending))
        if not waiting:
            return
        ready = waiting.popleft().result()
        yield ready
        pending.release(ready)


class _Pending:
    """Bytes of text prepared and not yet committed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def has_room(self) -> bool:
        return self._bytes < self._most

    def take(self, outcome: Draft | Skip) -> None:
        with self._lock:
            self._bytes += len(outcome.text) if isinstance(outcome, Draft) else 0

    def release(self, ready: _Ready) -> None:
        with self._lock:
            self._bytes -= len(ready.outcome.text) if isinstance(ready.outcome, Draft) else 0


def _make_ready(
    store: Store, job: Job, budget: IngestBudget, gates: _Gates, spent: _Spent, pending: _Pending
) -> _Ready:
    started = time.monotonic()
    outcome = job.plan()
    if isinstance(outcome, Draft):
        [*kept], skips = _without_echoes([outcome])
        outcome = kept[0] if kept else skips[0]
    planned = time.monotonic()
    pending.take(outcome)
    prepared: Prepared = {}
    if isinstance(outcome, Draft):
        embed = _may_embed(budget, spent)
        prepared = _prepare(store, [outcome], gates, leave_out=() if embed else (VECTORS,))
    done = time.monotonic()
    return _Ready(job, outcome, prepared, {"plan": planned - started, "prepare": done - planned})


def _may_embed(budget: IngestBudget, spent: _Spent) -> bool:
    """The soft limit in seconds is looked at early; the one in numbers is settled at commit, in order."""
    return budget.max_embedding_seconds is None or spent.embedding_seconds < budget.max_embedding_seconds


def _commit(store: Store, ready: _Ready, budget: IngestBudget, spent: _Spent) -> tuple[IngestReport, bool]:
    """Write one document, or say why not; True if the budget allows no further one."""
    if isinstance(ready.outcome, Skip):
        return IngestReport(skipped=(ready.outcome,), durations=ready.durations), False
    draft, prepared, truncated = ready.outcome, ready.prepared, []
    size = len(draft.text.encode())
    if budget.max_documents is not None and spent.documents >= budget.max_documents:
        return IngestReport(truncated=("max_documents",)), True
    if budget.max_total_bytes is not None and spent.total_bytes + size > budget.max_total_bytes:
        return IngestReport(truncated=("max_total_bytes",)), True
    if budget.max_chunks is not None and spent.chunks + len(draft.chunks) > budget.max_chunks:
        room = budget.max_chunks - spent.chunks
        if room <= 0:
            return IngestReport(truncated=("max_chunks",)), True
        draft = replace(draft, chunks=draft.chunks[:room])
        prepared = {name: items[: 1 + room] for name, items in prepared.items()}
        truncated.append("max_chunks")
    wanted = _embedded(prepared)
    if budget.max_embeddings is not None and spent.embeddings + wanted > budget.max_embeddings:
        prepared = {name: items for name, items in prepared.items() if name != VECTORS}
        truncated.append("max_embeddings")
    if budget.max_embedding_seconds is not None and VECTORS not in prepared:
        truncated.append("max_embedding_seconds")
    started = time.monotonic()
    with store.write() as tx:
        [result] = put(tx, [draft], parts=store.parts, prepared=prepared)
        settled = ready.job.settle(tx, result) if ready.job.settle is not None else IngestReport()
    spent.documents += 1
    spent.total_bytes += size
    spent.chunks += len(draft.chunks)
    spent.embeddings += _embedded(prepared)
    spent.embedding_seconds += ready.durations["prepare"]
    report = merged([_report([result], prepared), settled])
    durations = {**ready.durations, "commit": time.monotonic() - started}
    return replace(report, truncated=tuple(sorted(truncated)), durations=durations), False


def _report(results: Sequence[Put], prepared: Prepared) -> IngestReport:
    statuses = [result.status for result in results]
    failed = {
        f"{name}: {item.reason}"
        for name, items in prepared.items()
        for item in items
        if isinstance(item, Failed)
    }
    return IngestReport(
        ids=tuple(result.id for result in results),
        created=statuses.count("created"),
        updated=statuses.count("updated"),
        unchanged=statuses.count("unchanged"),
        chunks=sum(len(result.chunks) for result in results),
        embedded=_embedded(prepared),
        warnings=tuple(sorted(failed)),
    )


def _embedded(prepared: Prepared) -> int:
    return sum(item is not None and not isinstance(item, Failed) for item in prepared.get(VECTORS, ()))


def _without_echoes(drafts: Sequence[Draft]) -> tuple[list[Draft], tuple[Skip, ...]]:
    kept: list[Draft] = []
    skips: list[Skip] = []
    for draft in drafts:
        text, echoes = without_echo(draft.text)
        if not echoes:
            kept.append(draft)
        elif text and not draft.chunks:
            kept.append(replace(draft, text=text))
        else:
            skips.append(Skip(draft.uri or "", "echo", "it is recalled text, which is remembered already"))
    return kept, tuple(skips)


def _prepare(
    store: Store, drafts: Sequence[Draft], gates: _Gates | None = None, leave_out: Sequence[str] = ()
) -> Prepared:
    """Let each part do its costly work, for what seems new; the transaction looks again."""
    parts = [part for part in store.parts if part.name not in leave_out]
    if not parts or not drafts:
        return {}
    names = [draft.content_hash() for draft in drafts]
    with store.read() as snapshot:
        known = existing(snapshot.rows, drafts, names)
    flat: list[Draft] = []
    places: list[int] = []
    place = 0
    for draft, twin in zip(drafts, known, strict=True):
        pieces = draft.flat()
        if twin is None:
            flat += pieces
            places += range(place, place + len(pieces))
        place += len(pieces)
    prepared: dict[str, Sequence[object]] = {}
    for part in parts:
        items = _made(part, flat, gates) if flat else None
        if items is not None:
            spread: list[object] = [None] * place
            for where, item in zip(places, items, strict=True):
                spread[where] = item
            prepared[part.name] = spread
    return prepared


def _made(part: Part, flat: Sequence[Draft], gates: _Gates | None) -> Sequence[object] | None:
    if gates is None:
        return part.prepare(flat)
    with gates.through(part):
        return part.prepare(flat)
