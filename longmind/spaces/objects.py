"""From what a caller passes to a complete object, checked and redacted, and to the frame that stores it."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import methodcaller
from typing import Any, Final

from longmind.base.checks import canonical_json, check_label, check_metadata, check_text
from longmind.base.errors import InvalidInput
from longmind.base.hashing import digest
from longmind.base.json_text import parse_json
from longmind.base.recall_marks import without_echo
from longmind.base.words import fold
from longmind.context.sentences import cut, salient
from longmind.ingest.budget import CHUNK_OVERLAP, CHUNK_TOKENS
from longmind.ingest.chunk import plan_chunks
from longmind.ingest.plan import LONG_CHARACTERS
from longmind.ingest.source import Document
from longmind.spaces.policies import Policy
from longmind.spaces.redaction import FLAGS, Redactor
from longmind.spaces.values import DEFAULT_KIND, RELEVANCES, ROLE, Chunk
from longmind.store.drafts import Draft, chunked, draft
from longmind.store.rules import stamp

MICRO_CHARACTERS: Final = 200
MICRO_WORDS: Final = 25
SHORT_WORDS: Final = 60
LONG_WORDS: Final = 200
MOST_PATH_BYTES: Final = 1000
MOST_ID_BYTES: Final = 300
_MOST_CHUNKS: Final = 10_000
_KNOWN: Final = frozenset(
    "id path kind raw summary_micro summary_short summary_long tags metadata relevance pinned chunks "
    "created_at updated_at".split()
)
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """An object as it is to be stored; `id` and `pinned` are None if the caller did not set them."""

    id: str | None
    path: str
    kind: str
    raw: str
    summary_micro: str
    summary_short: str
    summary_long: str
    tags: tuple[str, ...]
    metadata: Mapping[str, str]
    """Canonical JSON by top-level key."""
    relevance: str
    pinned: bool | None
    pinned_by_rule: bool
    chunks: tuple[Chunk, ...]
    hash: str
    notes: tuple[str, ...] = ()
    ruled: str = ""
    """The redaction rules that were applied, by name."""
    hidden: bool = False
    """Whether the rules of visibility hide it."""


def read_payload(payload: Mapping[str, Any] | str) -> dict[str, Any]:
    if isinstance(payload, str):
        try:
            payload = parse_json(payload)
        except ValueError:
            raise InvalidInput(
                "The object is not valid JSON.", hint='Write it as {"path": "...", "raw": "..."}.'
            ) from None
    if not isinstance(payload, Mapping):
        raise InvalidInput("An object is a JSON object.", hint='Write {"path": "…", "raw": "…"}.')
    unknown = sorted(str(key) for key in set(payload) - _KNOWN)
    if unknown:
        raise InvalidInput(
            f"An object has no {', '.join(unknown)}.", hint="Put what is your own under metadata."
        )
    return dict(payload)


def plan_object(
    payload: Mapping[str, Any] | str,
    *,
    space: str,
    policy: Policy,
    redactor: Redactor,
    keep_times: bool = False,
) -> ObjectPlan:
    """Check the fields of an object, redact what must not be stored, fill in what is missing."""
    fields = read_payload(payload)
    notes = []
    if not keep_times and (fields.get("created_at") or fields.get("updated_at")):
        notes.append("created_at and updated_at are the store's; those given were not taken")
    cleaned, echoes = without_echo(_text(fields.get("raw"), "raw"))
    if echoes:
        notes.append("recalled text was left out of raw")
    raw = redactor.text(cleaned)
    summaries = [redactor.text(without_echo(_text(fields.get(name), name))[0]) for name in _SUMMARIES]
    if not raw.strip() and not any(text.strip() for text in summaries):
        raise InvalidInput("The object says nothing.", hint="Give raw, or at least one of the summaries.")
    micro, short, long = fill_summaries(raw, *summaries)
    kind = redactor.text(check_label(fields.get("kind") or DEFAULT_KIND, "kind"))
    metadata = _metadata(fields.get("metadata"), redactor)
    tags = slugs([redactor.text(tag) for tag in _strings(fields.get("tags"), "tags")])
    chunks = _chunks(fields.get("chunks"), redactor)
    relevance = _relevance(fields.get("relevance"))
    path = fields.get("path")
    if path is None:
        path = infer_path(raw or micro, kind=kind, project=str(metadata.get("project") or space))
    path = normal_path(redactor.name(check_text(path, "path")))
    object_id = _object_id(fields.get("id"), redactor)
    pinned = _pinned(fields.get("pinned"))
    covers = methodcaller("covers", kind=kind, tags=tags, path=path, relevance=relevance)
    by_rule = pinned is None and any(map(covers, policy.auto_pin))
    if redactor.flags and metadata.get("hash") == content_name(cleaned):
        # A hash of what was redacted would let whoever guesses it check the guess.
        metadata["hash"] = content_name(raw)
    stated = metadata.get("hash")
    return ObjectPlan(
        id=object_id,
        path=path,
        kind=kind,
        raw=raw,
        summary_micro=micro,
        summary_short=short,
        summary_long=long,
        tags=tags,
        # Last: the flags tell of everything that was redacted above.
        metadata=check_metadata(_flagged(metadata, redactor.flags)),
        relevance=relevance,
        pinned=True if by_rule else pinned,
        pinned_by_rule=by_rule,
        chunks=chunks,
        hash=stated if isinstance(stated, str) and stated else content_name(raw or micro),
        notes=tuple(notes),
        ruled=stamp(policy.pii_redaction),
        hidden=any(map(covers, policy.visibility)),
    )


_SUMMARIES: Final = ("summary_micro", "summary_short", "summary_long")


def content_name(raw: str) -> str:
    return "sha256:" + hashlib.sha256(raw.encode()).hexdigest()


def fill_summaries(raw: str, micro: str, short: str, long: str) -> tuple[str, str, str]:
    """What is missing is extracted from the raw text, or from the longest summary there is."""
    source = raw if raw.strip() else (long or short or micro)
    micro = micro.strip() or short_line(extract(source, MICRO_WORDS))
    return micro, short.strip() or extract(source, SHORT_WORDS), long.strip() or extract(source, LONG_WORDS)


def extract(text: str, words: int) -> str:
    """The sentences that say most, none of them new; a text that is short enough is its own."""
    if len(text.split()) <= words:
        return text.strip()
    sentences = cut(text, salient(text, words=words)).strip()
    pieces = sentences.split()
    return sentences if len(pieces) <= 2 * words else " ".join(pieces[: 2 * words]) + " …"


def short_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MICRO_CHARACTERS else line[: MICRO_CHARACTERS - 1].rstrip() + "…"


def derived_id(space: str, path: str, number: int = 0) -> str:
    """The id of an object that was given none: the same for the same place."""
    return "mem_" + digest("space object", space, path, number).hex()[:16]


def normal_path(path: str) -> str:
    """Slashes between segments, none at the ends, composed characters (NFC); the case is kept."""
    composed = unicodedata.normalize("NFC", path)
    parts = [part.strip() for part in composed.replace("\\", "/").split("/")]
    parts = [" ".join(part.split()) for part in parts if part and part != "."]
    if ".." in parts:
        raise InvalidInput(f"path {path!r} leads out of its space.", hint="Leave out the '..'.")
    normal = "/".join(parts)
    if not normal:
        raise InvalidInput("path is empty.", hint="Write project/module/topic.")
    if len(normal.encode()) > MOST_PATH_BYTES:
        raise InvalidInput(f"path has more than {MOST_PATH_BYTES} bytes.", hint="Shorten it.")
    return normal


def places_of(name: str) -> tuple[str, ...]:
    """The paths that a name given by a caller may mean: its normal form, and that of earlier versions."""
    as_given = name.strip("/")
    try:
        return tuple(dict.fromkeys((normal_path(name), as_given)))
    except InvalidInput:
        return (as_given,)  # nothing is stored there, which is what the caller is told


def slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", fold(text)).strip("-_")


def slugs(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags in lower case, without white space or signs, each once."""
    return tuple(sorted({name for tag in tags if (name := slug(check_label(tag, "tag")))}))


def heading(text: str) -> str:
    """The first heading, or the beginning of the first line that says something."""
    match = HEADING.search(text[:4000])
    line = match[1] if match else next((line for line in text.splitlines() if line.strip()), "")
    return short_line(line)


def infer_path(text: str, *, kind: str, project: str) -> str:
    words = slug(heading(text)).split("-")
    return f"{project}/{slug(kind) or DEFAULT_KIND}/{'_'.join(words[:6]) or 'note'}"


def _text(value: object, name: str) -> str:
    return "" if value is None else check_text(value, name, empty=True)


def _strings(value: object, name: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InvalidInput(f"{name} must be a list of strings.")
    return list(value)


def _metadata(value: object, redactor: Redactor) -> dict[str, Any]:
    metadata = {} if value is None else value
    canonical_json(metadata, "metadata")  # refused before anything looks inside
    if not isinstance(metadata, Mapping):
        raise InvalidInput("metadata must be a JSON object.", hint='Write it as {"key": "value"}.')
    redacted: dict[str, Any] = dict(redactor.value(metadata))
    return redacted


def _flagged(metadata: Mapping[str, Any], flags: set[str]) -> Mapping[str, Any]:
    """Metadata with the flags of what was redacted added."""
    if not flags:
        return metadata
    before = metadata.get(FLAGS)
    strings = {flag for flag in before if isinstance(flag, str)} if isinstance(before, list) else set()
    return {**metadata, FLAGS: sorted(strings | flags)}


def _object_id(value: object, redactor: Redactor) -> str | None:
    if value is None:
        return None
    name = redactor.name(check_label(value, "id"))
    if len(name.encode()) > MOST_ID_BYTES:
        raise InvalidInput(
            f"id has more than {MOST_ID_BYTES} bytes.", hint="Shorten it; a path can hold the long form."
        )
    return name


def _pinned(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise InvalidInput(f"pinned must be true or false, not {value!r}.")
    return value


def _relevance(value: object) -> str:
    if value is None:
        return "medium"
    level = value.strip().lower() if isinstance(value, str) else value
    if level not in RELEVANCES:
        raise InvalidInput(f"relevance must be one of {', '.join(RELEVANCES)}, not {value!r}.")
    return str(level)


def _chunks(value: object, redactor: Redactor) -> tuple[Chunk, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or len(value) > _MOST_CHUNKS:
        raise InvalidInput(
            f"chunks must be a list of at most {_MOST_CHUNKS}.",
            hint="Leave them out, and they are made from raw.",
        )
    chunks = []
    for item in value:
        if not isinstance(item, Mapping) or set(item) != {"chunk_id", "text"}:
            raise InvalidInput(
                "A chunk has a chunk_id and a text, and nothing else.",
                hint='Write it as {"chunk_id": "a", "text": "..."}.',
            )
        name = redactor.text(check_label(item["chunk_id"], "chunk_id"))
        text, _ = without_echo(check_text(item["text"], "chunk text"))
        if text.strip():
            chunks.append(Chunk(name, redactor.text(text)))
    if len({chunk.chunk_id for chunk in chunks}) != len(chunks):
        raise InvalidInput(
            "Two chunks have the same chunk_id.", hint="Give each its own chunk_id, or leave chunks out."
        )
    return tuple(chunks)


# The frame: the raw text first, then what the chunks say beyond it

Span = tuple[str, int, int]
"""A named chunk, and the bytes of the frame's text where it lies."""


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
    whole = replace(whole, metadata=dict(plan.metadata), ruled=plan.ruled)
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
    """The raw text; for an object without one, the summary stored instead."""
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
