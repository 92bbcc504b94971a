"""The staged pipeline: plan, admit (in order), prepare (at once, within limits), commit (in order), finalize.

Reading and cutting a document happens in worker threads. The caller's thread then admits documents in their
order: what the budget has no room for is cut off or left out before anything is embedded or extracted from
it. Preparing the rest is again the workers' part, and committing the caller's, strictly in the order of the
documents, each in one transaction. So the result does not depend on how many workers there are, and whatever
is stopped leaves whole documents only.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, Final

from longmind.base.recall_marks import may_echo, without_echo
from longmind.ingest.budget import UNLIMITED, IngestBudget
from longmind.ingest.parts import write_in_parts
from longmind.ingest.plan import cut_if_long
from longmind.ingest.prepare import Admitted, Ready, Stage, prepare, prepare_all
from longmind.ingest.report import ECHO, IngestReport, Skip, merged, report_of
from longmind.store.drafts import Draft
from longmind.store.staging import discard_abandoned
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.write import Put, look, put, retire

Cancelled = Callable[[], bool]
_ASK_EVERY: Final = 0.05
"""Seconds between two questions to the caller whether to go on, while a document is being prepared."""
_LOOKED_AT: Final = 64
"""Texts that are looked through as one for recalled text: a word that is like its mark sends them all to be
looked through one by one."""
_MERGE: Final = 256
"""Reports of so many documents become one: a million files do not keep a million reports in memory."""


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
    work = prepare_all(store.parts, new, targets=looked.targets)
    started = time.monotonic()
    counts: dict[str, int] = {}
    with store.write() as tx:
        results = put(tx, new, parts=store.parts, prepared=work.prepared, looked=looked, counts=counts)
        if settle is not None:
            settle(tx, new, results)
    durations = {**work.durations, "commit": time.monotonic() - started}
    return replace(merged([skipped, report_of(new, results, work.prepared, counts)]), durations=durations)


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
    discard_abandoned(store)
    stage = Stage(store, budget, stopped=stopping)
    reports: list[IngestReport] = []
    workers = ThreadPoolExecutor(budget.max_in_flight, thread_name_prefix="longmind-ingest")
    run = _Run(stage, iter(jobs), workers, cancelled or (lambda: False), reports)
    try:
        for ready in run.prepared():
            if run.is_cancelled():
                break
            reports.append(_commit(stage, ready, run.is_cancelled))
            if len(reports) >= _MERGE:
                reports[:] = [merged(reports)]
            if progress is not None:
                progress(ready.uri)
    finally:
        stage.stopped.set()
        workers.shutdown(cancel_futures=True)
    return merged([*reports, IngestReport(warnings=stage.notes.lines())])


class _Run:
    """The documents of one ingest on their way from being read to being ready."""

    def __init__(
        self,
        stage: Stage,
        jobs: Iterator[Job],
        workers: ThreadPoolExecutor,
        stop: Cancelled,
        reports: list[IngestReport],
    ) -> None:
        self._stage = stage
        self._jobs = jobs
        self._workers = workers
        self._stop = stop
        self._reports = reports
        self._planning: deque[tuple[Job, Future[_Planned]]] = deque()
        self._preparing: deque[tuple[Job, Future[Ready]]] = deque()
        self._is_exhausted = False

    def is_cancelled(self) -> bool:
        """Ask the caller; from then on nothing further is prepared."""
        if not self._stage.stopped.is_set() and self._stop():
            self._stage.stopped.set()
            self._reports.append(IngestReport(cancelled=True))
            self._is_exhausted = True
        return self._stage.stopped.is_set()

    def prepared(self) -> Iterator[Ready]:
        """What can be committed, in order, never more of it waiting than the budget allows."""
        while not self._stage.stopped.is_set():
            self._read_ahead()
            self._admit_planned()
            if not self._preparing:
                if not self._planning and self._is_exhausted:
                    return
                continue
            _, future = self._preparing[0]
            ready = self._result(future)
            if ready is None:
                return
            self._preparing.popleft()
            yield ready
            self._stage.add_pending(-ready.size)

    def _read_ahead(self) -> None:
        stage, budget = self._stage, self._stage.budget
        while not self._is_exhausted and self._waiting < budget.max_in_flight:
            if self._waiting and not (stage.has_room and stage.may_admit(self._waiting)):
                return
            if self.is_cancelled():
                return
            job = next(self._jobs, None)
            if job is None:
                self._is_exhausted = True
            elif stage.is_late:
                self._leave_out("max_seconds", job)
            else:
                stage.add_pending(job.size)
                self._planning.append((job, self._workers.submit(_plan, stage, job)))

    def _admit_planned(self) -> None:
        """In the order of the documents: begin to prepare those that are read and that the budget allows."""
        while self._planning:
            job, future = self._planning[0]
            # One that could not be read raises when its turn has come, after those before it are committed.
            if self._preparing and (not future.done() or future.exception() is not None):
                return
            planned = self._result(future)
            if planned is None:
                return
            self._planning.popleft()
            admitted = _admit(self._stage, job, planned)
            if isinstance(admitted, str):
                self._leave_out(admitted, job)
            else:
                future_ready = self._workers.submit(prepare, self._stage, admitted, job.uri, job)
                self._preparing.append((job, future_ready))

    def _result(self, future: Future[Any]) -> Any:
        """Wait for it, and keep asking the caller meanwhile; None once the run is cancelled."""
        while not wait([future], timeout=_ASK_EVERY).done:
            if self.is_cancelled():
                return None
        return future.result()

    def _leave_out(self, limit: str, job: Job) -> None:
        """End the run at a limit, and name every document that it leaves out."""
        detail = f"left out at the limit {limit}"
        dropped = [job, *(job for job, _ in self._planning), *self._jobs]
        self._planning.clear()
        self._is_exhausted = True
        skips = tuple(Skip(each.uri, limit, detail) for each in dropped)
        self._reports.append(IngestReport(truncated=(limit,), skipped=skips))

    @property
    def _waiting(self) -> int:
        return len(self._planning) + len(self._preparing)


@dataclass(frozen=True, slots=True)
class _Planned:
    """A document that was read and cut."""

    outcome: Draft | Skip
    size: int
    renewed: int | None
    name: bytes
    is_known: bool
    """Whether a frame says the same already."""
    seconds: float


def _plan(stage: Stage, job: Job) -> _Planned:
    started = time.monotonic()
    outcome = job.plan()
    size = 0 if isinstance(outcome, Skip) else len(outcome.text.encode())
    stage.add_pending(size - job.size)
    if isinstance(outcome, Skip):
        return _Planned(outcome, 0, None, b"", False, time.monotonic() - started)
    renewed = job.renews(outcome) if job.renews is not None else None
    name = outcome.content_hash()
    is_known = False
    if renewed is None:
        with stage.store.read() as snapshot:
            is_known = look(snapshot, [outcome], names=[name]).targets[0] is not None
    return _Planned(outcome, size, renewed, name, is_known, time.monotonic() - started)


def _admit(stage: Stage, job: Job, planned: _Planned) -> Admitted | str:
    """What of a document the budget has room for; or the limit that leaves it out, and all after it.

    Spent here, before the work is done: so the budget bounds the work, whoever does it and in which order.
    """
    if isinstance(planned.outcome, Skip):
        return Admitted(planned.outcome, planned=planned.seconds)
    budget, spent, draft = stage.budget, stage.spent, planned.outcome
    if budget.max_documents is not None and spent.documents >= budget.max_documents:
        return "max_documents"
    if budget.max_total_bytes is not None and spent.total_bytes + planned.size > budget.max_total_bytes:
        return "max_total_bytes"
    truncated: tuple[str, ...] = ()
    if budget.max_chunks is not None and spent.chunks + len(draft.chunks) > budget.max_chunks:
        room = budget.max_chunks - spent.chunks
        if room <= 0:
            return "max_chunks"
        draft = replace(draft, chunks=draft.chunks[:room])
        truncated = ("max_chunks",)
    is_new = not planned.is_known and planned.name not in stage.admitted
    stage.admitted.add(planned.name)
    vectors = (len(draft.chunks) or 1) if is_new and stage.embeds else 0
    if budget.max_embeddings is not None and vectors > budget.max_embeddings - spent.embeddings:
        vectors = budget.max_embeddings - spent.embeddings
        truncated = (*truncated, "max_embeddings")
    spent.documents += 1
    spent.total_bytes += planned.size
    spent.chunks += len(draft.chunks)
    spent.embeddings += vectors
    return Admitted(draft, planned.size, planned.renewed, is_new, vectors, truncated, planned.seconds)


def _commit(stage: Stage, ready: Ready, cancelled: Cancelled) -> IngestReport:
    """Write one document, or say why not."""
    if isinstance(ready.outcome, Skip):
        return IngestReport(skipped=(ready.outcome,), durations={"plan": ready.planned})
    store, job, draft = stage.store, ready.job, ready.outcome
    assert isinstance(job, Job)
    if job.finish is not None:
        draft = job.finish(draft)
    if ready.parts is not None:
        return _commit_in_parts(stage, job, replace(ready, outcome=draft), cancelled)
    whole = not {"max_chunks", "max_seconds"}.intersection(ready.truncated)
    started = time.monotonic()
    counts: dict[str, int] = {}
    with store.write() as tx:
        if ready.renewed is not None:
            # Only then is it new. What is retired stays as it is, so the old one cannot name its successor.
            retire(tx, [ready.renewed], reason="superseded", parts=stage.parts)
        [result] = put(tx, [draft], parts=stage.parts, prepared=ready.work.prepared, counts=counts)
        settled = job.settle(tx, result, whole) if job.settle is not None else IngestReport()
    stage.notes.add(job.uri, draft.notes)
    done = report_of([draft], [result], ready.work.prepared, counts)
    truncated = [
        name for name in ready.truncated if not name.startswith("max_embedding") or result.status == "created"
    ]
    if stage.budget.max_evidence_per_fact is not None and counts.get("evidence over the limit"):
        truncated.append("max_evidence_per_fact")
    seconds = time.monotonic() - started
    durations = {"plan": ready.planned, **ready.work.durations, "commit": seconds}
    return merged([done, settled, IngestReport(truncated=tuple(truncated), durations=durations)])


def _commit_in_parts(stage: Stage, job: Job, ready: Ready, cancelled: Cancelled) -> IngestReport:
    """Write one very large document, which is there when all of it is; one that is cancelled never was."""
    draft = ready.outcome
    assert isinstance(draft, Draft)
    settled = IngestReport()

    def begin(tx: Transaction) -> None:
        if ready.renewed is not None:
            retire(tx, [ready.renewed], reason="superseded", parts=stage.parts)

    def settle(tx: Transaction, result: Put, whole: bool) -> None:
        nonlocal settled
        settled = job.settle(tx, result, whole) if job.settle is not None else IngestReport()

    report = write_in_parts(stage, ready, draft, cancelled, begin=begin, settle=settle)
    stage.notes.add(job.uri, draft.notes)
    return merged([report, settled])


def _without_echoes(drafts: Sequence[Draft]) -> tuple[list[Draft], IngestReport]:
    suspects: set[int] = set()
    first = 0
    for some in batched(drafts, _LOOKED_AT):
        texts = [f"{draft.title}\n{draft.text}" if draft.title else draft.text for draft in some]
        if may_echo("\n".join(texts)):
            suspects.update(range(first, first + len(some)))
        first += len(some)
    if not suspects:
        return list(drafts), IngestReport()
    cleaned: list[Draft] = []
    skips: list[Skip] = []
    warnings: list[str] = []
    for number, draft in enumerate(drafts, 1):
        if number - 1 not in suspects:
            cleaned.append(draft)
            continue
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
