from __future__ import annotations

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory as ChatMemory

from longmind import Memory
from longmind.integrations.llama_index import LongmindMemoryBlock, LongmindRetriever
from tests.integrations.frameworks.examples import run_example


def chat(memory: Memory, user: str, session: str, **options) -> tuple[ChatMemory, LongmindMemoryBlock]:
    block = LongmindMemoryBlock(memory, user=user, budget=300)
    made = ChatMemory.from_defaults(
        session_id=session, memory_blocks=[block], insert_method="system", **options
    )
    return made, block


class Answers:
    """A model that notes everything, and keeps what it was sent."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.model = MockFunctionCallingLLM(response_generator=self._answer, is_chat_model=True)

    def _answer(self, messages, **options) -> ChatMessage:
        self.seen.append(str(messages))
        return ChatMessage(role="assistant", content="Noted.")


def texts(memory: Memory, session: str, user: str = "ana") -> list[str]:
    return [turn.text for turn in memory.conversation(session, user=user).window(limit=1000)]


async def say(memory: Memory, user: str, session: str, *said: str) -> str:
    """Talk to an agent, and return what its model was sent last."""
    answers = Answers()
    agent = FunctionAgent(tools=[], llm=answers.model, system_prompt="Be brief.")
    remembered, block = chat(memory, user, session, token_limit=30_000)
    for text in said:
        await agent.run(text, memory=remembered)
    await block.keep_chat(remembered)
    return answers.seen[-1]


def test_what_was_said_in_one_session_reaches_the_model_in_the_next() -> None:
    async def run() -> None:
        with Memory.open(":memory:", embedder=None) as memory:
            await say(memory, "ana", "one", "My boat is called Gavina.", "Good.", "Good.")
            said = ["My boat is called Gavina.", "Noted.", "Good.", "Noted.", "Good.", "Noted."]
            assert texts(memory, "one") == said
            sent = await say(memory, "ana", "two", "What is my boat called?")
            assert "Be brief." in sent
            assert "Gavina" in sent
            assert "Gavina" not in await say(memory, "ben", "two", "What is my boat called?")

    asyncio.run(run())


def test_what_leaves_the_short_term_memory_is_kept_once_and_repeats_are_not_lost() -> None:
    async def run() -> None:
        with Memory.open(":memory:", embedder=None) as memory:
            small = {"token_limit": 600, "chat_history_token_ratio": 0.1, "token_flush_size": 10}
            remembered, block = chat(memory, "ana", "one", **small)
            said: list[str] = []
            for number in range(12):
                text = f"I sail in the bay on day {number % 4}, weather permitting."
                for role in ("user", "assistant"):
                    await remembered.aput(ChatMessage(role=role, content=f"{role}: {text}"))
                    said.append(f"{role}: {text}")
                if number % 3 == 0:
                    await remembered.aget()
            await block.keep_chat(remembered)
            assert texts(memory, "one") == said
            await block.keep_chat(remembered)
            assert texts(memory, "one") == said

    asyncio.run(run())


def test_a_chat_that_goes_on_in_another_process_is_not_kept_twice(tmp_path) -> None:
    async def run() -> None:
        with Memory.open(":memory:", embedder=None) as memory:
            address = f"sqlite+aiosqlite:///{tmp_path}/chat.db"
            for text in ("My boat is called Gavina.", "It is green."):
                remembered, block = chat(memory, "ana", "one", async_database_uri=address)
                await remembered.aput(ChatMessage(role="user", content=text))
                await remembered.aget()
                await remembered.aput(ChatMessage(role="assistant", content="Noted."))
                await block.keep_chat(remembered)
            assert texts(memory, "one") == ["My boat is called Gavina.", "Noted.", "It is green.", "Noted."]

    asyncio.run(run())


def test_a_chat_engine_gets_the_memory_too(memory: Memory) -> None:
    for user, session in (("ana", "one"), ("ana", "two"), ("ben", "three")):
        answers = Answers()
        remembered, _ = chat(memory, user, session)
        engine = SimpleChatEngine.from_defaults(llm=answers.model, memory=remembered)
        engine.chat("My boat is called Gavina." if session == "one" else "What is my boat called?")
        assert ("Gavina" in answers.seen[-1]) is (user == "ana")


def test_the_retriever_gives_nodes_with_scores(memory: Memory) -> None:
    memory.remember("Ana likes green tea.", title="Tea", user="ana")
    [node] = LongmindRetriever(memory, user="ana").retrieve("tea")
    assert node.text == "Ana likes green tea."
    assert node.score > 0
    assert LongmindRetriever(memory, user="ben").retrieve("tea") == []


def test_a_block_that_is_too_long_is_shortened_and_a_failing_memory_breaks_nothing(memory: Memory) -> None:
    block = LongmindMemoryBlock(memory)
    text = "\n".join(f"line {number}" for number in range(100))
    short = asyncio.run(block.atruncate(text, 100))
    assert text.startswith(short)
    assert 0 < len(short) <= len(text) - 400
    memory.close()
    assert asyncio.run(block.aget([ChatMessage(role="user", content="Hi")])) == ""
    asyncio.run(block.aput([ChatMessage(role="user", content="Hi")]))


def test_the_example_of_the_page_runs(tmp_path, monkeypatch) -> None:
    names = run_example("llama-index", monkeypatch, tmp_path, llm=Answers().model)
    with names["memory"] as memory:
        assert texts(memory, "monday") == ["What is my boat called?", "Noted."]
