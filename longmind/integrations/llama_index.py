"""LlamaIndex: a memory block and a retriever.

`Memory.from_defaults(memory_blocks=[LongmindMemoryBlock(memory=memory, user="ana")])`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longmind.base.filters import UserLike
from longmind.integrations.core import AgentMemory, missing
from longmind.memory import Memory

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from pydantic import PrivateAttr
except ImportError as error:
    raise missing("LlamaIndex", "llama-index", error) from None

_ROLES = ("user", "assistant", "tool", "system", "developer")


class LongmindMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory as a block: recalls for what was said last, keeps what leaves the short-term memory.

    The text counts against the `token_limit` of LlamaIndex's memory, which drops whole blocks when it is too
    small: leave room for `budget`. Priority 0 means that it is never dropped.
    """

    name: str = "longmind"
    budget: int = 1000

    _agent: AgentMemory = PrivateAttr()

    def __init__(
        self,
        memory: Memory,
        *,
        user: str | None = None,
        session: str = "chat",
        space: str | None = None,
        budget: int = 1000,
        **options: Any,
    ) -> None:
        super().__init__(budget=budget, **options)
        self._agent = AgentMemory(memory, user=user, session=session, space=space, budget=budget)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        user_texts = [message.content or "" for message in messages or () if message.role.value == "user"]
        return await self._agent.ainstructions(user_texts[-1] if user_texts else "")

    async def _aput(self, messages: list[ChatMessage]) -> None:
        for session, exchange in _by_session(messages):
            await self._agent.for_caller(session=session).akeep(exchange)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Recall less, instead of dropping all of it."""
        kept_characters = len(content) - 4 * tokens_to_truncate  # about four characters a token
        return content[:kept_characters].rpartition("\n")[0] or None if kept_characters > 0 else None


def _by_session(messages: Sequence[ChatMessage]) -> list[tuple[str | None, list[dict[str, Any]]]]:
    groups: dict[str | None, list[dict[str, Any]]] = {}
    for message in messages:
        if message.role.value in _ROLES and message.content:
            session = message.additional_kwargs.get("session_id")
            groups.setdefault(session, []).append({"role": message.role.value, "content": message.content})
    return list(groups.items())


class LongmindRetriever(BaseRetriever):
    """Hits of a memory as nodes with scores."""

    def __init__(
        self,
        memory: Memory,
        *,
        k: int = 10,
        space: str | None = None,
        user: UserLike = None,
        search_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._memory = memory
        self._search = {"limit": k, "space": space, "user": user, **(search_options or {})}
        super().__init__(**options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._memory.search(query_bundle.query_str, **self._search)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=str(hit.frame.id), text=hit.frame.text,
                    metadata={**hit.frame.metadata, "title": hit.frame.title or "",
                              "occurred_at": hit.frame.occurred.isoformat()},
                ),
                score=float(hit.score),
            )
            for hit in hits
        ]  # fmt: skip
