from __future__ import annotations

import pytest
from haystack import Document, Pipeline
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.testing.document_store import DocumentStoreBaseTests

from longmind import Memory
from longmind.integrations.haystack import LongmindDocumentStore, LongmindRetriever


class TestDocumentStore(DocumentStoreBaseTests):
    """Haystack's own tests of document stores."""

    @pytest.fixture
    def document_store(self, tmp_path):
        path = tmp_path / "store.mind"
        with Memory.open(path, embedder=None) as memory:
            yield LongmindDocumentStore(str(path), memory=memory)

    def test_write_documents(self, document_store):
        assert document_store.write_documents([Document(content="test doc 1")]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([Document(content="test doc 1")], DuplicatePolicy.FAIL)


def test_a_pipeline_retrieves_by_what_documents_say_for_one_user(tmp_path) -> None:
    path = tmp_path / "store.mind"
    with Memory.open(path, embedder=None) as memory:
        store = LongmindDocumentStore(str(path), memory=memory, user="ana")
        store.write_documents([
            Document(content="Ana likes green tea", meta={"year": 2024}),
            Document(content="Ana likes black tea", meta={"year": 2020}),
            Document(content="The build takes four minutes"),
        ])  # fmt: skip
        pipeline = Pipeline()
        pipeline.add_component("retriever", LongmindRetriever(store))
        found = pipeline.run({"retriever": {"query": "tea"}})["retriever"]["documents"]
        assert {document.content for document in found} == {"Ana likes green tea", "Ana likes black tea"}
        assert all(document.score > 0 for document in found)
        newer = {"field": "meta.year", "operator": ">", "value": 2022}
        [only] = LongmindRetriever(store).run("tea", filters=newer)["documents"]
        assert only.content == "Ana likes green tea"
        other = LongmindDocumentStore(str(path), memory=memory, user="ben")
        assert other.count_documents() == 0
        assert LongmindRetriever(other).run("tea") == {"documents": []}


def test_components_are_saved_and_loaded(tmp_path) -> None:
    store = LongmindDocumentStore(str(tmp_path / "a.mind"), user="ana")
    written = LongmindRetriever(store, top_k=3).to_dict()
    store.memory.close()
    loaded = LongmindRetriever.from_dict(written)
    assert (loaded.top_k, loaded.document_store.user) == (3, "ana")
    loaded.document_store.memory.close()
