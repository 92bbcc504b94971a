"""LlamaIndex: a memory block and a retriever.

`Memory.from_defaults(memory_blocks=[LongmindMemoryBlock(memory=memory, user="ana")])`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longmind.base.filters import UserLike
from longmind.integrations.core import AgentMemory, in_thread, missing
from longmind.memory import Memory

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.memory import Memory as ChatMemory
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.core.storage.chat_store.base_db import MessageStatus
    from pydantic import PrivateAttr
except ImportError as error:
    raise missing("LlamaIndex", "llama-index", error) from None

_ROLES = ("user", "assistant", "tool", "system", "developer")
_LOOKED_BACK = 1000


class LongmindMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory as a block: recalls for what was said last, and keeps what was said.

    LlamaIndex shows a block the chat before each model call and not the answer: the last answer is kept with
    the next message, when it leaves the short-term memory, or by `keep_chat`.

    The text counts against the `token_limit` of LlamaIndex's memory, which drops whole blocks when it is too
    small: leave room for `budget`. Priority 0 means that it is never dropped.
    """

    name: str = "longmind"
    budget: int = 1000

    _agent: AgentMemory = PrivateAttr()
    _kept: dict[str, list[dict[str, Any]]] = PrivateAttr(default_factory=dict)
    """Of each session, what is kept already and still in the short-term memory."""

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
        chat = list(messages or ())
        user_texts = [message.content or "" for message in chat if message.role.value == "user"]
        recalled = await self._agent.ainstructions(user_texts[-1] if user_texts else "")
        if len(chat) > 1 and _plain(chat[-1]) == _plain(chat[-2]) and chat[-1].role.value == "user":
            # The question that is being asked comes with the chat and again behind it. If it was said twice,
            # the second one is kept with what follows it.
            chat.pop()
        await self._keep_new(block_kwargs.get("session_id"), chat)
        return recalled

    async def _aput(self, messages: list[ChatMessage]) -> None:
        for session, leaving in _by_session(messages):
            name = self._session(session)
            kept = self._kept.get(name)
            await self._keep_new(session, leaving)
            if kept is None:
                del self._kept[name]  # what follows may be kept or not: look back again
            else:
                self._kept[name] = kept[sum(_plain(message) is not None for message in leaving) :]

    async def keep_chat(self, chat: ChatMemory) -> None:
        """Keep what is new in a chat: call it when a conversation ends, so that its last answer is kept."""
        await self._keep_new(chat.session_id, await chat.aget_all(status=MessageStatus.ACTIVE))

    def _session(self, session: str | None) -> str:
        return session or self._agent.session

    async def _keep_new(self, session: str | None, chat: Sequence[ChatMessage]) -> None:
        """Keep what follows on the messages that are kept; the same words said twice are two messages."""
        messages = [plain for message in chat if (plain := _plain(message)) is not None]
        name, agent = self._session(session), self._agent.for_caller(session=session)
        if name in self._kept:
            kept = self._kept[name]
        else:  # a chat that an earlier process may have begun
            kept = await in_thread(agent.safely, "look back", lambda: _kept_before(agent, messages), [])
        same = _same_beginning(kept, messages)
        new = messages[same:]
        if not new or await agent.akeep(new):
            self._kept[name] = messages
        else:
            self._kept[name] = messages[:same]

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Recall less, instead of dropping all of it."""
        kept_characters = len(content) - 4 * tokens_to_truncate  # about four characters a token
        return content[:kept_characters].rpartition("\n")[0] or None if kept_characters > 0 else None


def _plain(message: ChatMessage) -> dict[str, Any] | None:
    """A message as the memory takes it; None for one that says nothing."""
    if message.role.value not in _ROLES or not message.content:
        return None
    return {"role": message.role.value, "content": message.content}


def _same_beginning(earlier: Sequence[Any], messages: Sequence[Any]) -> int:
    return next(
        (
            position
            for position, (one, other) in enumerate(zip(earlier, messages, strict=False))
            if one != other
        ),
        min(len(earlier), len(messages)),
    )


def _kept_before(agent: AgentMemory, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How much of the beginning of a chat is what the session ends with."""
    turns = [{"role": role, "content": text} for role, text, _ in agent.conversation().said(_LOOKED_BACK)]
    most = min(len(turns), len(messages))
    return next(
        (messages[:length] for length in range(most, 0, -1) if turns[-length:] == messages[:length]), []
    )


def _by_session(messages: Sequence[ChatMessage]) -> list[tuple[str | None, list[ChatMessage]]]:
    groups: dict[str | None, list[ChatMessage]] = {}
    for message in messages:
        groups.setdefault(message.additional_kwargs.get("session_id"), []).append(message)
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
