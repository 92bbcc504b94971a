"""How an object lies in its frame: the raw text first, then what its chunks say beyond it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from longmind.ingest.budget import CHUNK_OVERLAP, CHUNK_TOKENS
from longmind.ingest.chunk import plan_chunks
from longmind.ingest.plan import LONG_CHARACTERS
from longmind.ingest.source import Document
from longmind.spaces.objects import ObjectPlan
from longmind.spaces.values import ROLE, Chunk
from longmind.store.drafts import Draft, chunked, draft

Span = tuple[str, int, int]


def lay_out(plan: ObjectPlan) -> tuple[str, int, list[Span]]:
    """The frame's text, how many bytes of it are raw, and where each named chunk lies in it."""
    raw = plan.raw.encode()
    text = bytearray(raw or _said(plan).encode())
    spans: list[Span] = []
    position = 0
    for chunk in plan.chunks:
        piece = chunk.text.encode()
        start = raw.find(piece, position)
        start = raw.find(piece) if start < 0 else start
        if start < 0:
            text += b"\n\n"
            start = len(text)
            text += piece
        else:
            position = start + 1
        spans.append((chunk.chunk_id, start, start + len(piece)))
    return text.decode(), len(raw), spans


def plan_frame(
    plan: ObjectPlan, *, space: str, source: str, occurred_at: int | None
) -> tuple[Draft, int, list[Span]]:
    """The frame to write, with chunk frames for the named chunks and for what they do not cover."""
    text, raw_bytes, spans = lay_out(plan)
    whole = draft(
        text,
        space=space,
        kind=plan.kind,
        title=plan.summary_micro[:500],
        role=ROLE,
        uri=plan.path,
        source=source,
        tags=plan.tags,
        occurred_at=occurred_at,
        repeatable=True,
    )
    # Checked already; the frame carries it so that filters of search see it.
    whole = replace(whole, metadata=dict(plan.metadata))
    own = len(raw_bytes_of(text, raw_bytes))
    ranges: list[tuple[int, int, str | None]] = [(start, end, None) for _, start, end in spans]
    if spans and not _covers(spans, text.encode()[:own]):
        ranges += _pieces(text.encode()[:own].decode()) or [(0, own, None)]
    elif not spans and len(text) > LONG_CHARACTERS:
        ranges = _pieces(text)
    return (
        (chunked(whole, sorted(set(ranges), key=lambda item: item[:2])) if ranges else whole),
        raw_bytes,
        spans,
    )


def raw_bytes_of(text: str, raw_bytes: int) -> bytes:
    """The raw text; of an object without one, what stands in its place."""
    encoded = text.encode()
    return encoded[:raw_bytes] if raw_bytes else encoded.split(b"\n\n", 1)[0]


def read_chunks(text: str, stored: str) -> tuple[Chunk, ...]:
    encoded = text.encode()
    return tuple(Chunk(name, encoded[start:end].decode()) for name, start, end in json.loads(stored))


def _said(plan: ObjectPlan) -> str:
    return plan.summary_long or plan.summary_short or plan.summary_micro


def _covers(spans: Sequence[Span], raw: bytes) -> bool:
    """Whether the chunks leave nothing but blank space of the raw text uncovered."""
    position = 0
    for _, start, end in sorted(spans, key=lambda span: span[1:]):
        if start > position and raw[position:start].strip():
            return False
        position = max(position, end)
    return not raw[position:].strip()


def _pieces(text: str) -> list[tuple[int, int, str | None]]:
    from longmind.base.tokens import open_tokenizer

    if len(text) <= LONG_CHARACTERS:
        return []
    document = Document(uri="", title="", text=text)
    counter = open_tokenizer("cl100k_base")
    chunks = plan_chunks(document, tokenizer=counter, tokens=CHUNK_TOKENS, overlap=CHUNK_OVERLAP)
    return [(chunk.start, chunk.end, chunk.title or None) for chunk in chunks] if len(chunks) > 1 else []
