"""AutoGen: a `Memory` that is recalled into the context of a model.

`AssistantAgent("assistant", client, memory=[LongmindMemory(memory, user="ana")])`
"""

from __future__ import annotations

from typing import Any

from longmind.base.filters import Where
from longmind.integrations.core import AgentMemory, in_thread, missing
from longmind.memory import Memory as Store

try:
    from autogen_core import CancellationToken
    from autogen_core.memory import (
        Memory,
        MemoryContent,
        MemoryMimeType,
        MemoryQueryResult,
        UpdateContextResult,
    )
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import AssistantMessage, SystemMessage, UserMessage
except ImportError as error:
    raise missing("AutoGen", "autogen", error) from None

_KIND = "autogen_memory"


class LongmindMemory(Memory):
    """Adds what is relevant to the context before a model is called, and keeps what was said before.

    AutoGen tells a memory of the context before each call, not of the answer: the last answer is kept with
    the next message, or by `keep_context` when a conversation ends.
    """

    component_type = "memory"

    def __init__(self, memory: Store, *, keep_turns: bool = True, limit: int = 10, **options: Any) -> None:
        self._agent = AgentMemory(memory, **options)
        self._keep_turns = keep_turns
        self._limit = limit

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        messages = await model_context.get_messages()
        user_messages = [message for message in messages if isinstance(message, UserMessage)]
        query = _text(user_messages[-1].content) if user_messages else ""
        text = await self._agent.ainstructions(query)
        await self.keep_context(model_context)
        if text:
            await model_context.add_message(SystemMessage(content=text))
        contents = [MemoryContent(content=text, mime_type=MemoryMimeType.TEXT)] if text else []
        return UpdateContextResult(memories=MemoryQueryResult(results=contents))

    async def keep_context(self, model_context: ChatCompletionContext) -> None:
        """Keep what is new in a context."""
        if not self._keep_turns:
            return
        plain = [
            {
                "role": "user" if isinstance(message, UserMessage) else "assistant",
                "content": _text(message.content),
            }
            for message in await model_context.get_messages()
            if isinstance(message, UserMessage | AssistantMessage) and _text(message.content)
        ]
        if plain:
            await in_thread(self._agent.keep_all, plain)

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,
    ) -> MemoryQueryResult:
        words = query if isinstance(query, str) else str(query.content)
        agent = self._agent
        hits = await in_thread(
            lambda: agent.memory.search(words, limit=self._limit, space=agent.space, user=agent.user)
        )
        return MemoryQueryResult(
            results=[
                MemoryContent(
                    content=hit.frame.text, mime_type=MemoryMimeType.TEXT,
                    metadata={"id": hit.frame.id, "score": float(hit.score), **hit.frame.metadata},
                )
                for hit in hits
            ]
        )  # fmt: skip

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        text = content.content if isinstance(content.content, str) else str(content.content)
        metadata = {
            **(content.metadata or {}),
            "mime_type": str(getattr(content.mime_type, "value", content.mime_type)),
        }
        agent = self._agent
        await in_thread(
            lambda: agent.memory.remember(
                text, kind=_KIND, metadata=metadata, source="agent", space=agent.space, user=agent.user
            )
        )

    async def clear(self) -> None:
        """Forget what was added by `add`; conversations and everything else in the memory stay."""
        agent = self._agent
        await in_thread(
            lambda: agent.memory.forget(where=Where(kind=_KIND), space=agent.space, user=agent.user)
        )

    async def close(self) -> None:
        """The memory is closed by whoever opened it."""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part for part in content if isinstance(part, str)) if isinstance(content, list) else ""
