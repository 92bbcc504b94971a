"""From a source to a draft with chunks: pure, whatever the source."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from longmind.base.checks import check_limit, cut_label
from longmind.base.errors import Forbidden, InvalidInput, NotFound, Unavailable
from longmind.base.frame import PARTS, Kind
from longmind.base.hashing import digest
from longmind.base.places import NAMES
from longmind.base.recall_marks import without_echo
from longmind.base.tokens import TOKENIZER, Tokenizer, open_tokenizer
from longmind.ingest.budget import CHUNK_OVERLAP, CHUNK_TOKENS
from longmind.ingest.chunk import FEWEST, plan_chunks
from longmind.ingest.pieces import redacted_pieces, without_line
from longmind.ingest.report import ECHO, Skip
from longmind.ingest.source import Document, Readers, Source, Unreadable, title_of
from longmind.store.drafts import Draft, chunked, draft
from longmind.store.rules import Redaction

UNREADABLE: Final = "unreadable"
LONG_CHARACTERS: Final = 16_000
"""A text remembered as it is is cut only if it is longer than this."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What the caller says of everything it ingests; checked before anything is read."""

    space: str
    scope: str = "space"
    session: str | None = None
    source: str = "import"
    kind: str = Kind.DOCUMENT
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: int | None = None
    title: str | None = None
    expires_at: int | None = None

    def __post_init__(self) -> None:
        self.draft("checked")

    def draft(
        self,
        text: str,
        *,
        title: str = "",
        uri: str = "",
        about: Mapping[str, Any] | None = None,
        kind: str | None = None,
        occurred_at: int | None = None,
    ) -> Draft:
        return draft(
            text,
            space=self.space,
            kind=kind if kind is not None and self.kind == Kind.DOCUMENT else self.kind,
            scope=self.scope,
            title=cut_label(self.title or title) or None,
            session=self.session,
            uri=cut_label(uri) or None,
            source=self.source,
            tags=self.tags,
            metadata={**(about or {}), **self.metadata},
            occurred_at=occurred_at if self.occurred_at is None else self.occurred_at,
            expires_at=self.expires_at,
        )

    @property
    def name(self) -> str:
        """Tells apart sources that were labelled differently."""
        labelled = self.draft("labels")
        pairs = [text for pair in labelled.metadata.items() for text in pair]
        return digest("labels", 1, labelled.content_hash(), len(labelled.tags), *labelled.tags, *pairs).hex()[
            :16
        ]


@dataclass(frozen=True, slots=True)
class Cutting:
    """How documents are cut."""

    tokens: int = CHUNK_TOKENS
    overlap: int = CHUNK_OVERLAP
    most: int | None = None
    """Chunks of a document that will be kept; it is cut no further than one more, which tells of the rest."""

    def __post_init__(self) -> None:
        check_limit(self.tokens, "chunk_tokens", least=FEWEST, most=100_000)
        check_limit(self.overlap, "chunk_overlap", least=0, most=self.tokens // 2)

    @property
    def name(self) -> str:
        """Tells apart sources that were cut differently."""
        return digest("cutting", 1, self.tokens, self.overlap).hex()[:16]


def plan_source(
    source: Source, readers: Readers, labels: Labels, cutting: Cutting, redaction: Redaction | None = None
) -> Draft | Skip:
    """Read, cut, label; what cannot be read is skipped with a code."""
    try:
        return plan_document(_named(readers.read(source), source), labels, cutting, redaction)
    except Unreadable as error:
        return Skip(source.uri, error.reason, error.message)
    except (NotFound, Forbidden, Unavailable) as error:
        return Skip(source.uri, UNREADABLE, error.message)
    except InvalidInput as error:
        return Skip(source.uri, "refused", error.message)


def plan_document(
    document: Document, labels: Labels, cutting: Cutting, redaction: Redaction | None = None
) -> Draft | Skip:
    text, echoes = without_echo(document.text)
    if echoes:
        # Sections point into the text as it was; without them it is cut by paragraphs.
        warnings = (*document.warnings, "recalled text was left out")
        document = replace(document, text=text, sections=(), pieces=(), warnings=warnings)
    title, echoed = without_echo(document.title)
    document = replace(document, title=title) if echoed else document
    if not document.text.strip():
        code, detail = (ECHO, "there is nothing in it but recalled text") if echoes else ("empty", "no text")
        return Skip(document.uri, code, detail)
    about = _described(document)
    if redaction is not None and document.kind in PARTS:
        about = redaction.placed(about, labels.space)
        for name, label in NAMES.items():
            if name in document.metadata and name not in about:
                line = f"{label}{document.metadata[name]}"
                text, pieces = without_line(document.text, document.pieces, line)
                document = replace(document, text=text, pieces=pieces)
    whole = labels.draft(
        document.text,
        title=document.title,
        uri=document.uri,
        about=about,
        kind=document.kind,
        occurred_at=document.occurred_at,
    )
    if redaction is not None:
        [whole] = redaction.drafts([whole])
        if whole.text != document.text or whole.ruled:
            # Cut behind the redaction, and by paragraphs if it moved anything: headings may name it as well.
            is_same = whole.text == document.text and whole.title == document.title
            redactor = redaction.redactor(whole.space) if document.pieces else None
            document = replace(
                document,
                text=whole.text,
                title=whole.title or "",
                sections=document.sections if is_same else (),
                pieces=document.pieces
                if redactor is None
                else redacted_pieces(document.text, document.pieces, redactor, whole.text),
            )
    whole = replace(whole, notes=document.warnings, attached=document.attached)
    return chunked(whole, document.pieces) if document.pieces else cut(whole, document, cutting)


def cut(whole: Draft, document: Document, cutting: Cutting, tokenizer: Tokenizer | None = None) -> Draft:
    """Chunks, unless the whole fits into one."""
    counter = tokenizer or open_tokenizer(TOKENIZER)
    limit = None if cutting.most is None else cutting.most + 1
    chunks = plan_chunks(
        document, tokenizer=counter, tokens=cutting.tokens, overlap=cutting.overlap, limit=limit
    )
    if len(chunks) < 2:
        return whole
    # By the title that the caller gave it, where there is one: every chunk is found by that.
    title = whole.title or document.title
    return chunked(whole, [(chunk.start, chunk.end, _heading(title, chunk.title)) for chunk in chunks])


def cut_if_long(whole: Draft, cutting: Cutting | None = None) -> Draft:
    """A very long text that was remembered as it is becomes a document with chunks."""
    if len(whole.text) <= LONG_CHARACTERS or whole.chunks:
        return whole
    document = Document(uri=whole.uri or "", title=whole.title or "", text=whole.text)
    return cut(whole, document, cutting or Cutting())


def _named(document: Document, source: Source) -> Document:
    """A file that states no title is called by its own name, not by the letters of its address."""
    if source.path is None or document.title != title_of(source):
        return document
    return replace(document, title=os.fsencode(source.path.stem).decode(errors="replace"))


def _described(document: Document) -> dict[str, Any]:
    metadata = {"media_type": document.media_type, **document.metadata}
    if document.warnings:
        metadata["warnings"] = list(document.warnings)
    return metadata


def _heading(title: str, section: str) -> str | None:
    if not section:
        return cut_label(title) or None
    says_both = not title or section.startswith(title)
    return cut_label(section if says_both else f"{title} › {section}")
