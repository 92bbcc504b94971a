from __future__ import annotations

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory as CrewMemory

from longmind import Memory
from longmind.integrations.crewai import LongmindStorage, crew_tools
from tests.integrations.frameworks.examples import run_example


class NoModel(BaseLLM):
    """Memory with scope, categories and importance given needs no model."""

    def call(self, *arguments, **options):
        raise AssertionError("a model was asked")


class Answers(BaseLLM):
    """Answers every task the same, and keeps what it was sent."""

    seen: list = []

    def call(self, messages, *arguments, **options):
        self.seen.append(str(messages))
        return "Thought: I now can give a great answer\nFinal Answer: Noted."


def embed(texts: list[str]) -> list[list[float]]:
    words = ["boat", "gavina", "tea", "build", "called"]
    return [[float(text.lower().count(word)) + 0.01 for word in words] for text in texts]


def work(memory: Memory, user: str, task: str) -> str:
    """Let a crew with the memory of a user do a task; returns the first request of its model."""
    model = Answers(model="fake", seen=[])
    kept = CrewMemory(storage=LongmindStorage(memory, user=user), llm=model, embedder=embed)
    agent = Agent(role="sailor", goal="to sail", backstory="an old hand", llm=model)
    job = Task(description=task, expected_output="an answer", agent=agent)
    assert "Noted." in str(Crew(agents=[agent], tasks=[job], memory=kept).kickoff())
    kept.drain_writes()
    return model.seen[0]


def test_what_one_crew_did_reaches_the_model_of_the_next_and_no_other_user(memory: Memory) -> None:
    work(memory, "ana", "Note that my boat is called Gavina.")
    assert "Gavina" in work(memory, "ana", "What is my boat called?")
    assert "Gavina" not in work(memory, "ben", "What is my boat called?")


def test_what_one_crew_remembers_another_recalls_and_no_other_user(memory: Memory) -> None:
    for user in ("ana", "ben"):
        storage = LongmindStorage(memory, user=user)
        assert isinstance(storage, StorageBackend)
        crew = CrewMemory(storage=storage, llm=NoModel(model="none"), embedder=embed)
        if user == "ana":
            crew.remember("The boat is called Gavina", scope="/boats", categories=["fact"], importance=0.9)
            crew.remember("The build takes four minutes", scope="/ci", categories=["fact"], importance=0.5)
            crew.drain_writes()
            again = CrewMemory(
                storage=LongmindStorage(memory, user="ana"), llm=NoModel(model="none"), embedder=embed
            )
            hits = again.recall("what is the boat called?", depth="shallow", scope="/boats")
            assert hits[0].record.content == "The boat is called Gavina"
        else:
            assert crew.recall("boat", depth="shallow") == []
    assert memory.search("Gavina", user="ana")[0].frame.kind == "crewai_record"


def test_records_are_updated_listed_counted_and_deleted(memory: Memory) -> None:
    storage = LongmindStorage(memory)
    [vector] = embed(["boat"])
    record = MemoryRecord(content="boat", scope="/a/b", categories=["x"], metadata={"k": 1}, embedding=vector)
    storage.save([record, MemoryRecord(content="tea", scope="/c", embedding=embed(["tea"])[0])])
    assert storage.get_record(record.id).content == "boat"
    storage.update(record.model_copy(update={"content": "big boat"}))
    assert storage.get_record(record.id).content == "big boat"
    assert storage.count() == 2
    assert storage.count("/a") == 1
    assert storage.list_scopes() == ["/a", "/c"]
    assert storage.list_scopes("/a") == ["/a/b"]
    assert storage.list_categories() == {"x": 1}
    assert storage.get_scope_info("/a").record_count == 1
    assert [hit.id for hit, _ in storage.search(vector, limit=1)] == [record.id]
    assert storage.search(vector, metadata_filter={"k": 2}) == []
    assert storage.delete(record_ids=[record.id]) == 1
    storage.reset()
    assert storage.count() == 0


def test_the_memory_is_offered_as_tools(memory: Memory) -> None:
    recall, remember, *_ = crew_tools(memory, user="ana")
    assert remember.run(text="The boat is called Gavina.").startswith("Remembered")
    assert "Gavina" in recall.run(query="boat")


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    model = Answers(model="fake", seen=[])
    names = run_example("crewai", monkeypatch, tmp_path, gpt_4o_mini=model)
    names["kept"].drain_writes()
    with names["memory"]:
        assert model.seen
