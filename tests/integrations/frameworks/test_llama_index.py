from __future__ import annotations

import asyncio

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as ChatMemory

from longmind import Memory
from longmind.integrations.llama_index import LongmindMemoryBlock, LongmindRetriever


def chat(memory: Memory, user: str, session: str, **options) -> ChatMemory:
    block = LongmindMemoryBlock(memory, user=user, budget=300)
    return ChatMemory.from_defaults(
        session_id=session, memory_blocks=[block], insert_method="system", **options
    )


def test_what_was_said_in_one_session_reaches_the_prompt_of_the_next() -> None:
    asyncio.run(_check_sessions())


async def _check_sessions() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        first = chat(memory, "ana", "one", token_limit=900, chat_history_token_ratio=0.02, token_flush_size=5)
        await first.aput(ChatMessage(role="user", content="My boat is called Gavina. " * 3))
        await first.aput(ChatMessage(role="assistant", content="Noted. " * 10))
        await first.aput(ChatMessage(role="user", content="And I sail it every Sunday in the bay. " * 3))
        assert any("Gavina" in turn.text for turn in memory.conversation("one", user="ana").window())
        for user, known in (("ana", True), ("ben", False)):
            second = chat(memory, user, "two", token_limit=4000)
            await second.aput(ChatMessage(role="user", content="What is my boat called?"))
            sent = await second.aget()
            assert ("Gavina" in str(sent[0])) is known


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
