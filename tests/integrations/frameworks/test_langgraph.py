from __future__ import annotations

import asyncio
import json
import random

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

from longmind import FrozenClock, Memory
from longmind.integrations.langchain import LongmindChatHistory, LongmindMiddleware, LongmindRetriever
from longmind.integrations.langgraph import LongmindStore
from longmind.integrations.tools import MemoryTools
from tests.integrations.frameworks.examples import run_example

NAMESPACES = [("a",), ("a", "b"), ("a", "b", "c"), ("b",), ("memories", "ana"), ("memories", "ben")]


class Model(GenericFakeChatModel):
    """Keeps what it was sent."""

    seen: list = []

    def _generate(self, messages, *args, **options):
        self.seen.append(messages)
        return super()._generate(messages, *args, **options)


def model(*answers: str) -> Model:
    return Model(messages=iter(map(AIMessage, answers)), seen=[])


def random_value(chance: random.Random) -> dict:
    return {
        "n": chance.randint(0, 5), "text": chance.choice(["tea", "coffee", "milk"]),
        "deep": {"x": chance.choice([1, "1", None])}, "list": [chance.randint(0, 1)],
    }  # fmt: skip


def as_set(items) -> list:
    return sorted((item.namespace, item.key, json.dumps(item.value, sort_keys=True)) for item in items)


class Awaited:
    """A store through its asynchronous methods only."""

    def __init__(self, store: LongmindStore) -> None:
        self._store = store

    def __getattr__(self, name: str):
        return lambda *args, **options: asyncio.run(getattr(self._store, f"a{name}")(*args, **options))


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("user_at", [None, 1])
def test_random_operations_give_the_answers_of_langgraphs_own_stores(
    memory: Memory, tmp_path, user_at, awaited
) -> None:
    chance = random.Random(3)
    reference = InMemoryStore()
    with SqliteStore.from_conn_string(str(tmp_path / "s.db")) as sqlite:
        sqlite.setup()
        ours = LongmindStore(memory, user_at=user_at)
        stores = [reference, sqlite, Awaited(ours) if awaited else ours]
        for _ in range(150):
            namespace, key = chance.choice(NAMESPACES), chance.choice("klm")
            kind = chance.randrange(6)
            if kind < 2:
                value = random_value(chance)
                for store in stores:
                    store.put(namespace, key, value)
            elif kind == 2:
                for store in stores:
                    store.delete(namespace, key)
            elif kind == 3:
                got = [store.get(namespace, key) for store in stores]
                assert (
                    len({None if item is None else json.dumps(item.value, sort_keys=True) for item in got})
                    == 1
                )
            elif kind == 4:
                conditions = chance.choice([
                    None, {"n": 2}, {"n": {"$gte": 3}}, {"text": {"$ne": "tea"}}, {"n": {"$lt": 4, "$gt": 0}},
                    {"text": "milk"},
                ])  # fmt: skip
                prefix = namespace[: chance.randint(1, len(namespace))]
                found = [as_set(store.search(prefix, filter=conditions, limit=100)) for store in stores]
                assert found[2] == found[0] == found[1]
            else:
                options = chance.choice(
                    [{}, {"prefix": ("a",)}, {"suffix": ("b",)}, {"max_depth": 1}, {"prefix": ("*", "b")}]
                )
                # InMemoryStore goes on listing namespaces whose last item was deleted.
                assert stores[2].list_namespaces(**options) == sqlite.list_namespaces(**options)


def test_search_ranks_by_what_items_say(memory: Memory) -> None:
    store = LongmindStore(memory)
    store.put(("m",), "1", {"text": "Ana likes green tea"})
    store.put(("m",), "2", {"text": "The build takes four minutes"})
    hits = store.search(("m",), query="which tea?")
    assert hits[0].key == "1"
    assert hits[0].score is not None
    assert len(hits) == 2


def test_a_new_value_supersedes_and_keeps_the_time_of_creation(tmp_path) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(tmp_path / "a.mind", embedder=None, clock=clock) as memory:
        store = LongmindStore(memory)
        store.put(("m",), "1", {"text": "tea"})
        first = store.get(("m",), "1")
        clock.advance(seconds=60)
        store.put(("m",), "1", {"text": "coffee"})
        second = store.get(("m",), "1")
        assert second.value == {"text": "coffee"}
        assert second.created_at == first.created_at < second.updated_at
        assert len(memory.list(where={"kind": "item"})) == 1


def test_items_expire_and_reading_renews_them(tmp_path) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(tmp_path / "a.mind", embedder=None, clock=clock) as memory:
        store = LongmindStore(memory, ttl={"default_ttl": 10})
        store.put(("m",), "1", {"text": "tea"})
        store.put(("m",), "2", {"text": "kept"}, ttl=None)
        clock.advance(seconds=360)
        assert store.get(("m",), "1") is not None
        clock.advance(seconds=360)
        assert store.get(("m",), "1", refresh_ttl=False) is not None
        clock.advance(seconds=360)
        assert store.get(("m",), "1") is None
        assert store.sweep_ttl() >= 1


def test_users_are_kept_apart_in_the_memory(memory: Memory) -> None:
    store = LongmindStore(memory, user_at=1)
    store.put(("memories", "ana"), "k", {"text": "secret"})
    assert [frame.user for frame in memory.list(user="ana")] == ["ana"]
    assert len(memory.list(user="ben")) == 0
    assert store.get(("memories", "ben"), "k") is None
    assert len(store.search(("memories",))) == 1


def asked(agent, text: str, awaited: bool):
    messages = {"messages": [HumanMessage(text)]}
    return asyncio.run(agent.ainvoke(messages)) if awaited else agent.invoke(messages)


@pytest.mark.parametrize("awaited", [False, True])
def test_what_was_said_in_one_session_reaches_the_model_in_the_next(memory: Memory, awaited: bool) -> None:
    first = create_agent(model("Noted."), middleware=[LongmindMiddleware(memory, user="ana", session="one")])
    asked(first, "My boat is called Gavina.", awaited)
    said = [(turn.role, turn.text) for turn in memory.conversation("one", user="ana").window()]
    assert said == [("user", "My boat is called Gavina."), ("assistant", "Noted.")]
    chat = model("Gavina.")
    second = create_agent(
        chat, system_prompt="Be brief.", middleware=[LongmindMiddleware(memory, user="ana", session="two")]
    )
    asked(second, "What is my boat called?", awaited)
    [sent] = chat.seen
    assert sent[0].type == "system"
    assert "Be brief." in sent[0].content
    assert "Gavina" in sent[0].content
    other = model("I do not know.")
    third = create_agent(other, middleware=[LongmindMiddleware(memory, user="ben")])
    asked(third, "What is my boat called?", awaited)
    assert "Gavina" not in str(other.seen)


def test_user_and_session_come_from_the_configuration(memory: Memory) -> None:
    agent = create_agent(model("Hello.", "Hello."), middleware=[LongmindMiddleware(memory)])
    config = {"configurable": {"user_id": "ana", "thread_id": "t1"}}
    agent.invoke({"messages": [HumanMessage("Hi")]}, config)
    agent.invoke({"messages": [HumanMessage("Hi")]}, config)
    assert [turn.text for turn in memory.conversation("t1", user="ana").window()] == ["Hi", "Hello."] * 2


def test_an_agent_goes_on_when_its_memory_fails(memory: Memory) -> None:
    memory.close()
    agent = create_agent(model("Hello."), middleware=[LongmindMiddleware(memory)])
    assert agent.invoke({"messages": [HumanMessage("Hi")]})["messages"][-1].content == "Hello."


def test_a_chat_history_is_read_back_exactly(memory: Memory) -> None:
    history = LongmindChatHistory(memory, "s1", user="ana")
    call = {"name": "f", "args": {"x": 1}, "id": "c1", "type": "tool_call"}
    messages = [
        HumanMessage("Hi"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("1", tool_call_id="c1"),
        HumanMessage("Hi"),
    ]
    history.add_messages(messages)
    assert [(message.type, message.content) for message in history.messages] == [
        (message.type, message.content) for message in messages
    ]
    assert history.messages[1].tool_calls == [call]
    assert LongmindChatHistory(memory, "s1", user="ben").messages == []
    history.clear()
    assert history.messages == []

    async def awaited() -> None:
        await history.aadd_messages(messages)
        assert [message.content for message in await history.aget_messages()] == ["Hi", "", "1", "Hi"]
        await history.aclear()
        assert await history.aget_messages() == []

    asyncio.run(awaited())


class Opened:
    """A memory of ten sentences for the standard tests of LangChain."""

    @pytest.fixture(autouse=True)
    def opened(self, tmp_path):
        with Memory.open(tmp_path / "agent.mind", embedder=None) as memory:
            memory.remember_many([f"Fact number {number} about tea." for number in range(10)])
            self.memory = memory
            yield


class TestRetriever(Opened, RetrieversIntegrationTests):
    @property
    def retriever_constructor(self):
        return LongmindRetriever

    @property
    def retriever_constructor_params(self):
        return {"memory": self.memory}

    @property
    def retriever_query_example(self):
        return "tea"


class Tools(Opened):
    """Function tools, as `StructuredTool` takes them."""

    @property
    def tool_constructor(self):
        recall, *_ = MemoryTools(self.memory).functions()
        return StructuredTool.from_function(recall)

    @property
    def tool_invoke_params_example(self):
        return {"query": "tea"}


class TestToolsUnit(Tools, ToolsUnitTests):
    pass


class TestToolsIntegration(Tools, ToolsIntegrationTests):
    pass


@pytest.mark.parametrize("page", ["langgraph", "langchain"])
def test_the_example_of_the_page_runs(tmp_path, monkeypatch, page: str) -> None:
    names = run_example(page, monkeypatch, tmp_path, openai_gpt_4o_mini=model("Noted."))
    with names["memory"] as memory:
        assert len(memory.list(user="ana")) > 0
