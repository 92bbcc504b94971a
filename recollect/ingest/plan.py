"""From a source to a draft with chunks: pure, whatever the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from recollect.base.checks import MAX_LABEL_BYTES
from recollect.base.echo import without_echo
from recollect.base.errors import Forbidden, NotFound, Unavailable
from recollect.base.frame import Kind
from recollect.base.hashing import digest
from recollect.base.tokens import Tokenizer, open_tokenizer
from recollect.ingest.chunk import plan_chunks
from recollect.ingest.report import Skip
from recollect.ingest.source import Document, Readers, Source, Unreadable
from recollect.store.drafts import Draft, chunked, draft

CHUNK_TOKENS: Final = 400
CHUNK_OVERLAP: Final = 40
_TOKENIZER: Final = "cl100k_base"
LONG_CHARACTERS: Final = 16_000
"""A text remembered as it is is cut only if it is longer than this."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What the caller says of everything it ingests."""

    space: str
    scope: str = "space"
    session: str | None = None
    source: str = "import"
    kind: str = Kind.DOCUMENT
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: int | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Cutting:
    """How documents are cut."""

    tokens: int = CHUNK_TOKENS
    overlap: int = CHUNK_OVERLAP

    @property
    def name(self) -> str:
        """Tells apart sources that were cut differently."""
        return digest("cutting", 1, self.tokens, self.overlap).hex()[:16]


def plan_source(source: Source, readers: Readers, labels: Labels, cutting: Cutting) -> Draft | Skip:
    """Read, cut, label; what cannot be read is skipped with a code."""
    try:
        document = readers.read(source)
    except Unreadable as error:
        return Skip(source.uri, error.reason, error.message)
    except (NotFound, Forbidden, Unavailable) as error:
        return Skip(source.uri, "unreadable", error.message)
    return plan_document(document, labels, cutting)


def plan_document(document: Document, labels: Labels, cutting: Cutting) -> Draft | Skip:
    text, echoes = without_echo(document.text)
    if echoes:
        # Sections point into the text as it was; without them it is cut by paragraphs.
        document = replace(document, text=text, sections=())
    if not document.text.strip():
        code = "echo" if echoes else "empty"
        return Skip(
            document.uri, code, "there is no text in it but what was recalled" if echoes else "no text"
        )
    whole = draft(
        document.text,
        space=labels.space,
        kind=labels.kind,
        scope=labels.scope,
        title=_short(labels.title or document.title) or None,
        session=labels.session,
        uri=_short(document.uri) or None,
        source=labels.source,
        tags=labels.tags,
        metadata={**_described(document), **labels.metadata},
        occurred_at=labels.occurred_at,
    )
    return cut(whole, document, cutting)


def cut(whole: Draft, document: Document, cutting: Cutting, tokenizer: Tokenizer | None = None) -> Draft:
    """Chunks, unless the whole is no larger than one."""
    counter = tokenizer or open_tokenizer(_TOKENIZER)
    chunks = plan_chunks(document, tokenizer=counter, tokens=cutting.tokens, overlap=cutting.overlap)
    if len(chunks) < 2:
        return whole
    return chunked(whole, [(chunk.start, chunk.end, _heading(document, chunk.title)) for chunk in chunks])


def cut_if_long(whole: Draft, cutting: Cutting | None = None) -> Draft:
    """A very long text that was remembered as it is becomes a document with chunks."""
    if len(whole.text) <= LONG_CHARACTERS or whole.chunks:
        return whole
    document = Document(uri=whole.uri or "", title=whole.title or "", text=whole.text)
    return cut(whole, document, cutting or Cutting())


def _described(document: Document) -> dict[str, Any]:
    found = {"media_type": document.media_type, **document.metadata}
    if document.warnings:
        found["warnings"] = list(document.warnings)
    return found


def _heading(document: Document, title: str) -> str | None:
    if not title:
        return _short(document.title) or None
    says_both = not document.title or title.startswith(document.title)
    return _short(title if says_both else f"{document.title} › {title}")


def _short(text: str) -> str:
    return text.strip().encode()[:MAX_LABEL_BYTES].decode(errors="ignore").strip()
