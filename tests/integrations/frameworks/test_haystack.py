from __future__ import annotations

import pytest
from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ChatMessage
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.testing.document_store import DocumentStoreBaseTests

from longmind import Memory
from longmind.integrations.haystack import LongmindDocumentStore, LongmindRetriever
from tests.integrations.frameworks.examples import run_example


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


@component
class Answers:
    """A chat generator that keeps what it was sent."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        self.seen.append(str([message.text for message in messages]))
        return {"replies": [ChatMessage.from_assistant("Noted.")]}


def test_what_one_session_wrote_reaches_the_model_in_the_next_and_no_other_user(tmp_path) -> None:
    path = tmp_path / "store.mind"
    with Memory.open(path, embedder=None) as memory:
        written = LongmindDocumentStore(str(path), memory=memory, user="ana")
        DocumentWriter(written).run([Document(content="Ana's boat is called Gavina.")])
        for user in ("ana", "ben"):
            store = LongmindDocumentStore(str(path), memory=memory, user=user)
            model, pipeline = Answers(), Pipeline()
            template = "{% for it in documents %}{{ it.content }}\n{% endfor %}{{ question }}"
            pipeline.add_component("retriever", LongmindRetriever(store))
            prompt = ChatPromptBuilder([ChatMessage.from_user(template)], required_variables="*")
            pipeline.add_component("prompt", prompt)
            pipeline.add_component("model", model)
            pipeline.connect("retriever.documents", "prompt.documents")
            pipeline.connect("prompt.prompt", "model.messages")
            question = "What is my boat called?"
            pipeline.run({"retriever": {"query": question}, "prompt": {"question": question}})
            assert question in model.seen[0]
            assert ("Gavina" in model.seen[0]) is (user == "ana")


def test_components_are_saved_and_loaded(tmp_path) -> None:
    store = LongmindDocumentStore(str(tmp_path / "a.mind"), user="ana")
    written = LongmindRetriever(store, top_k=3).to_dict()
    store.memory.close()
    loaded = LongmindRetriever.from_dict(written)
    assert (loaded.top_k, loaded.document_store.user) == (3, "ana")
    loaded.document_store.memory.close()


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    names = run_example("haystack", monkeypatch, tmp_path)
    with names["store"].memory:
        assert names["store"].count_documents() == 1
