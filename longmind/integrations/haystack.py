"""Haystack: a document store and a retriever over a Longmind memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from longmind.base.filters import Where
from longmind.base.frame import Frame
from longmind.importers.values import kept
from longmind.integrations.core import missing
from longmind.memory import Memory

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.document_stores.errors import DuplicateDocumentError
    from haystack.document_stores.types import DuplicatePolicy
    from haystack.utils.filters import document_matches_filter
except ImportError as error:
    raise missing("Haystack", "haystack", error) from None

DOCUMENT: Final = "haystack_document"
_PAGE: Final = 10_000
_EMPTY: Final = "(empty)"


class LongmindDocumentStore:
    """Documents as frames: an overwritten document is superseded, a deleted one stays in the history.

    Embeddings of documents are kept with them and not used: search is the memory's own.
    """

    def __init__(
        self, path: str, *, space: str | None = None, user: str | None = None, memory: Memory | None = None
    ) -> None:
        """Opens the store at `path`; `memory` is one that is open already."""
        self.path = path
        self.space = space
        self.user = user
        self.memory = Memory.open(path) if memory is None else memory

    def to_dict(self) -> dict[str, Any]:
        return dict(default_to_dict(self, path=self.path, space=self.space, user=self.user))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LongmindDocumentStore:
        store: LongmindDocumentStore = default_from_dict(cls, data)
        return store

    def count_documents(self) -> int:
        return sum(1 for _ in self._frames())

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        if filters and "operator" not in filters and "conditions" not in filters:
            raise ValueError("Invalid filter syntax. See Haystack's documentation on metadata filtering.")
        documents = [_document(frame) for frame in self._frames()]
        return [it for it in documents if not filters or document_matches_filter(filters, it)]

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        if not isinstance(documents, list) or not all(isinstance(it, Document) for it in documents):
            raise ValueError("Please provide a list of Documents.")
        policy = DuplicatePolicy.FAIL if policy == DuplicatePolicy.NONE else policy
        written = 0
        with self.memory.session(mode="write"):
            for document in documents:
                written += self._write(document, policy)
        return written

    def delete_documents(self, document_ids: list[str]) -> None:
        for document_id in document_ids:
            frame = self._find(document_id)
            if frame is not None:
                self.memory.forget(frame.id, space=self.space, user=self.user)

    def search(self, query: str, *, top_k: int = 10, filters: dict[str, Any] | None = None) -> list[Document]:
        """Documents that answer a query, best first, with their scores."""
        hits = self.memory.search(
            query, limit=min(1000, top_k * 10 if filters else top_k), where=Where(kind=DOCUMENT),
            space=self.space, user=self.user,
        )  # fmt: skip
        documents = [_document(hit.frame, float(hit.score)) for hit in hits]
        return [it for it in documents if not filters or document_matches_filter(filters, it)][:top_k]

    def _write(self, document: Document, policy: DuplicatePolicy) -> int:
        old = self._find(document.id)
        if old is not None and policy == DuplicatePolicy.FAIL:
            raise DuplicateDocumentError(f"ID '{document.id}' already exists.")
        if old is not None and policy == DuplicatePolicy.SKIP:
            return 0
        whole = kept({"document": document.to_dict(flatten=False)})
        text = document.content or ""
        item = {
            "text": text if text.strip() else _EMPTY, "kind": DOCUMENT, "uri": _uri(document.id),
            "source": "import", "repeatable": True, "metadata": {"document_id": document.id, **whole},
        }  # fmt: skip
        report = self.memory.remember_many([item], space=self.space, user=self.user)
        if old is not None:
            self.memory.supersede(old.id, report.ids[0], space=self.space, user=self.user)
        return 1

    def _find(self, document_id: str) -> Frame | None:
        page = self.memory.list(
            where=Where(kind=DOCUMENT, uri=_uri(document_id)), space=self.space, user=self.user
        )
        return page[-1] if len(page) else None

    def _frames(self) -> Iterator[Frame]:
        cursor: str | None = None
        while True:
            page = self.memory.list(
                where=Where(kind=DOCUMENT), limit=_PAGE, cursor=cursor, space=self.space, user=self.user
            )
            yield from page
            if page.cursor is None:
                return
            cursor = page.cursor


def _uri(document_id: str) -> str:
    return f"haystack:{document_id}"


def _document(frame: Frame, score: float | None = None) -> Document:
    whole = dict(frame.metadata["document"])
    whole["score"] = score if score is not None else whole.get("score")
    return Document.from_dict(whole)


@component
class LongmindRetriever:
    """Retrieves documents of a `LongmindDocumentStore` by words, meaning, facts and time."""

    def __init__(
        self, document_store: LongmindDocumentStore, top_k: int = 10, filters: dict[str, Any] | None = None
    ) -> None:
        self.document_store = document_store
        self.top_k = top_k
        self.filters = filters

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, filters: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        documents = self.document_store.search(
            query, top_k=top_k or self.top_k, filters=filters or self.filters
        )
        return {"documents": documents}

    def to_dict(self) -> dict[str, Any]:
        return dict(
            default_to_dict(
                self, document_store=self.document_store.to_dict(), top_k=self.top_k, filters=self.filters
            )
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LongmindRetriever:
        inner = data["init_parameters"]["document_store"]
        data["init_parameters"]["document_store"] = LongmindDocumentStore.from_dict(inner)
        retriever: LongmindRetriever = default_from_dict(cls, data)
        return retriever
