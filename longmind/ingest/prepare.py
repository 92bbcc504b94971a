"""The costly work before a transaction (embedding, extraction), in slices, within the budget."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from longmind.ingest.budget import IngestBudget
from longmind.ingest.notes import Notes
from longmind.ingest.report import VECTORS, Skip
from longmind.store.drafts import Draft
from longmind.store.parts import Part
from longmind.store.store import Store
from longmind.store.write import Prepared

SLICE: Final = 64
"""Drafts that are prepared between two looks at the deadline."""
IN_PARTS: Final = 2048
"""A document with more chunks is written in parts: at 400 tokens each, about three megabytes of text. Up to
that, one transaction with all of it takes less memory than the embedder does."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the parts prepared for some drafts, and how long that took them."""

    prepared: Prepared = field(default_factory=dict)
    durations: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Admitted:
    """What the budget lets through of a document."""

    outcome: Draft | Skip
    size: int = 0
    renewed: int | None = None
    is_new: bool = False
    vectors: int = 0
    """How many of its drafts may be embedded."""
    truncated: tuple[str, ...] = ()
    planned: float = 0.0


@dataclass(frozen=True, slots=True)
class Ready:
    """A document that can be committed."""

    uri: str
    job: object
    outcome: Draft | Skip
    size: int
    renewed: int | None
    work: Work
    truncated: tuple[str, ...]
    """The limits that cut something off."""
    planned: float
    parts: Admitted | None = None
    """Of a document that is prepared and committed in parts: what the budget lets through of it."""


@dataclass(slots=True)
class Spent:
    """What has been used of the budget, in the order of the documents."""

    documents: int = 0
    total_bytes: int = 0
    chunks: int = 0
    embeddings: int = 0
    embedding_seconds: float = 0.0


class Stage:
    """What the workers of one ingest share: the limits of the kinds of work, and what waits to be written."""

    def __init__(self, store: Store, budget: IngestBudget, *, stopped: threading.Event | None = None) -> None:
        self.store = store
        self.budget = budget
        self.parts = [part.within(budget.derived) for part in store.parts]
        self.embeds = any(part.name == VECTORS for part in store.parts)
        self.spent = Spent()
        self.notes = Notes()
        self.admitted: set[bytes] = set()
        """The names of the documents that were let through, of which a second one is not new."""
        self.stopped = stopped or threading.Event()
        self._embedding = threading.Semaphore(budget.embedding_parallelism)
        self._extraction = threading.Semaphore(budget.extraction_parallelism)
        self._pending = 0
        self._lock = threading.Lock()
        self._started = time.monotonic()

    @property
    def has_room(self) -> bool:
        return self._pending < self.budget.max_pending_bytes

    @property
    def is_late(self) -> bool:
        seconds = self.budget.max_seconds
        return seconds is not None and time.monotonic() - self._started >= seconds

    def may_admit(self, waiting: int) -> bool:
        """Whether one more document than those on their way could still be let through."""
        most = self.budget.max_documents
        return most is None or self.spent.documents + waiting < most

    def slots(self, part: Part) -> threading.Semaphore:
        return self._embedding if part.name == VECTORS else self._extraction

    def add_pending(self, size: int) -> None:
        """Count bytes that are prepared and not yet written; below zero, that are."""
        with self._lock:
            self._pending += size

    def add_embedding_seconds(self, seconds: float) -> None:
        with self._lock:
            self.spent.embedding_seconds += seconds

    @property
    def has_embedded_enough(self) -> bool:
        seconds = self.budget.max_embedding_seconds
        return seconds is not None and self.spent.embedding_seconds >= seconds


def prepare(stage: Stage, admitted: Admitted, uri: str, job: object) -> Ready:
    """Let the parts do their work for one document, a slice at a time, until it is done or time is up."""
    draft = admitted.outcome
    if isinstance(draft, Skip):
        return Ready(uri, job, draft, 0, None, Work(), (), admitted.planned)
    if admitted.is_new and len(draft.chunks) > IN_PARTS:
        return Ready(
            uri, job, draft, admitted.size, admitted.renewed, Work(), (), admitted.planned, parts=admitted
        )
    flat = draft.flat() if admitted.is_new else ()
    truncated = list(admitted.truncated)
    durations: dict[str, float] = {"prepare": 0.0}
    done = list(slices(stage, flat, admitted.vectors, truncated, durations))
    count = sum(len(drafts) for drafts, _ in done)
    if admitted.is_new and count < len(flat):
        draft = replace(draft, chunks=draft.chunks[: count - 1])
    work = Work(joined(done), durations)
    return Ready(uri, job, draft, admitted.size, admitted.renewed, work, tuple(truncated), admitted.planned)


Slice = tuple[Sequence[Draft], Mapping[str, Sequence[object] | None]]
"""Some drafts, and what each part has made of them."""


def slices(
    stage: Stage, flat: Sequence[Draft], vectors: int, truncated: list[str], durations: dict[str, float]
) -> Iterator[Slice]:
    """Let the parts do their work a slice at a time, until it is done or time is up.

    Limits that were hit are added to `truncated`, and seconds by the kind of work to `durations`.
    """
    done = 0
    while done < len(flat) and not stage.stopped.is_set():
        if done and stage.is_late:
            truncated.append("max_seconds")
            return
        drafts = flat[done : done + SLICE]
        embedded = min(vectors, sum(not item.chunks for item in drafts))
        if embedded and stage.has_embedded_enough:
            truncated.append("max_embedding_seconds")
            embedded = vectors = 0
        yield drafts, _slice(stage, drafts, embedded, durations)
        vectors -= embedded
        done += len(drafts)


def prepare_all(parts: Sequence[Part], drafts: Sequence[Draft], *, targets: Sequence[int | None]) -> Work:
    """Let each part do its work for the drafts that are new.

    `targets` are the frames that say the same already. The transaction looks again, because another writer
    may have come first.
    """
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
        items = _timed(part, flat, durations)
        if items is not None and len(flat) == position:
            prepared[part.name] = items
        elif items is not None:
            spread: list[object] = [None] * position
            for where, item in zip(positions, items, strict=True):
                spread[where] = item
            prepared[part.name] = spread
    return Work(prepared, durations)


def _slice(
    stage: Stage, drafts: Sequence[Draft], embedded: int, durations: dict[str, float]
) -> dict[str, Sequence[object] | None]:
    """What each part makes of some drafts; only the first `embedded` of them that have words get vectors."""
    prepared: dict[str, Sequence[object] | None] = {}
    for part in stage.parts:
        chosen = drafts
        if part.name == VECTORS:
            with_words = [index for index, draft in enumerate(drafts) if not draft.chunks]
            if not embedded and with_words:
                continue
            chosen = drafts[: with_words[embedded - 1] + 1] if with_words else drafts
        with stage.slots(part):
            before = durations.get("embed", 0.0)
            items = _timed(part, chosen, durations)
            stage.add_embedding_seconds(durations.get("embed", 0.0) - before)
        if items is not None:
            prepared[part.name] = [*items, *([None] * (len(drafts) - len(items)))]
    return prepared


def _timed(part: Part, drafts: Sequence[Draft], durations: dict[str, float]) -> Sequence[object] | None:
    started = time.monotonic()
    items = part.prepare(drafts)
    kind = "embed" if part.name == VECTORS else "prepare"
    durations[kind] = durations.get(kind, 0.0) + time.monotonic() - started
    return items


def joined(done: Sequence[Slice]) -> Prepared:
    """The slices as one; what a part has nothing for in one of them is None there."""
    names = {name: None for _, prepared in done for name in prepared}
    items: dict[str, list[object]] = {name: [] for name in names}
    for drafts, prepared in done:
        for name, extras in items.items():
            extras += prepared.get(name) or [None] * len(drafts)
    return items
