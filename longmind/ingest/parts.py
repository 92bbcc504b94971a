"""A very large document: prepared and committed a part at a time, so that neither memory nor a transaction
grows with it, and published with the last part."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from longmind.base.errors import LongmindError
from longmind.ingest.prepare import Ready, Slice, Stage, joined, slices
from longmind.ingest.report import IngestReport, derived_report, merged
from longmind.store.drafts import Draft
from longmind.store.staging import StagedDocument
from longmind.store.transaction import Transaction
from longmind.store.write import Put

_SLICES: Final = 8
"""Slices of one transaction: some 500 chunks, which are committed in well under a second."""


def write_in_parts(
    stage: Stage,
    ready: Ready,
    draft: Draft,
    cancelled: Callable[[], bool],
    *,
    begin: Callable[[Transaction], None],
    settle: Callable[[Transaction, Put, bool], None],
) -> IngestReport:
    """Write the document; nothing of it is left if that is cancelled or fails."""
    assert ready.parts is not None
    truncated = list(ready.parts.truncated)
    durations: dict[str, float] = {"plan": ready.planned, "prepare": 0.0, "commit": 0.0}
    document = StagedDocument(stage.store, draft, stage.parts)
    reports: list[IngestReport] = []
    try:
        done = slices(stage, draft.flat(), ready.parts.vectors, truncated, durations)
        for part in _parts(done, cancelled):
            started = time.monotonic()
            prepared = joined(part)
            chunks = [item for drafts, _ in part for item in drafts if item is not draft]
            reports.append(derived_report(prepared, document.add(chunks, prepared)))
            durations["commit"] += time.monotonic() - started
        if stage.stopped.is_set():
            document.discard()
            return IngestReport(durations=durations)
        counts: dict[str, int] = {}
        whole = not {"max_chunks", "max_seconds"}.intersection(truncated)
        started = time.monotonic()
        result = document.publish(counts, begin, lambda tx, result: settle(tx, result, whole))
        durations["commit"] += time.monotonic() - started
    except BaseException:  # also Ctrl-C: a half-written document is never shown
        with suppress(LongmindError):  # what cannot be removed now is removed by the next ingest
            document.discard()
        raise
    if stage.budget.max_evidence_per_fact is not None and counts.get("evidence over the limit"):
        truncated.append("max_evidence_per_fact")
    is_new = result.status == "created"
    report = merged([*reports, derived_report({}, counts)]) if is_new else IngestReport()
    return replace(
        report,
        ids=(result.id,),
        created=int(is_new),
        updated=int(result.status == "updated"),
        unchanged=int(result.status == "unchanged"),
        chunks=len(result.chunks),
        reasserted=result.reasserted,
        truncated=tuple(sorted({*report.truncated, *truncated})),
        durations=durations,
    )


def _parts(done: Iterator[Slice], cancelled: Callable[[], bool]) -> Iterator[Sequence[Slice]]:
    """Slices, as many at a time as one transaction takes; none after the caller has cancelled."""
    part: list[Slice] = []
    for item in done:
        part.append(item)
        if cancelled():
            return
        if len(part) == _SLICES:
            yield part
            part = []
    if part:
        yield part
