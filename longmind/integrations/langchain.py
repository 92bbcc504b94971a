"""LangChain: middleware for agents, a retriever, and a chat history.

`create_agent(model, middleware=[LongmindMiddleware(memory, user="ana")])`: what is relevant is in the system
message of every model call, and every exchange is kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from longmind.base.filters import UserLike
from longmind.integrations.core import AgentMemory, in_thread, missing, text_of
from longmind.memory import Memory

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, SystemMessage, messages_from_dict, messages_to_dict
    from langchain_core.retrievers import BaseRetriever
    from langgraph.runtime import Runtime
except ImportError as error:
    raise missing("LangChain", "langchain", error) from None

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system", "function": "tool"}


class LongmindMiddleware(AgentMiddleware):
    """Recalls before every model call, and keeps the exchange when the agent is done.

    The user and the session come from the run's configuration (`user_id` and `thread_id`), if it names them.
    """

    def __init__(self, memory: Memory, **options: Any) -> None:
        super().__init__()
        self._agent = AgentMemory(memory, **options)

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        text = self._here().instructions(_last_words(request.messages))
        return handler(_with_memory(request, text))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        text = await self._here().ainstructions(_last_words(request.messages))
        return await handler(_with_memory(request, text))

    def after_agent(self, state: AgentState, runtime: Runtime) -> None:
        self._here().keep(_exchange(state["messages"]))

    async def aafter_agent(self, state: AgentState, runtime: Runtime) -> None:
        await self._here().akeep(_exchange(state["messages"]))

    def _here(self) -> AgentMemory:
        from langgraph.config import get_config

        try:
            named = get_config().get("configurable", {})
        except RuntimeError:  # outside of a run
            named = {}
        user, thread = named.get("user_id"), named.get("thread_id")
        return self._agent.for_caller(
            user=str(user) if user is not None else None, session=str(thread) if thread is not None else None
        )


def _with_memory(request: ModelRequest, text: str) -> ModelRequest:
    if not text:
        return request
    own = "" if request.system_message is None else text_of(request.system_message.content)
    return request.override(system_message=SystemMessage(f"{own}\n\n{text}" if own else text))


def _last_words(messages: Sequence[BaseMessage]) -> str:
    return next((text_of(message.content) for message in reversed(messages) if message.type == "human"), "")


def _exchange(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """The last thing the user said and everything after it: what came before was kept before."""
    starts = [number for number, message in enumerate(messages) if message.type == "human"]
    return [_plain(message) for message in messages[starts[-1] :]] if starts else []


def _plain(message: BaseMessage) -> dict[str, Any]:
    calls = [
        {"id": call.get("id"), "function": {"name": call["name"], "arguments": call.get("args")}}
        for call in getattr(message, "tool_calls", None) or ()
    ]
    plain = {"role": _ROLES.get(message.type, "assistant"), "content": text_of(message.content)}
    return {**plain, "tool_calls": calls, "tool_call_id": getattr(message, "tool_call_id", None)}


class LongmindRetriever(BaseRetriever):
    """A retriever over a memory: hits as documents, with the id, the score and the metadata of each."""

    memory: Any
    k: int = 10
    space: str | None = None
    user: UserLike = None
    search_options: dict[str, Any] = {}  # noqa: RUF012 - a field of a pydantic model

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        hits = self.memory.search(
            query, limit=self.k if k is None else k, space=self.space, user=self.user, **self.search_options
        )
        return [
            Document(
                page_content=hit.frame.text,
                id=str(hit.frame.id),
                metadata={**hit.frame.metadata, "title": hit.frame.title, "score": float(hit.score),
                          "occurred_at": hit.frame.occurred.isoformat()},
            )
            for hit in hits
        ]  # fmt: skip


class LongmindChatHistory(BaseChatMessageHistory):
    """The messages of one session, as turns of the memory: found by search, and read back exactly."""

    def __init__(self, memory: Memory, session: str, **options: Any) -> None:
        self._agent = AgentMemory(memory, session=session, **options)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        return list(messages_from_dict(self._agent.items()))

    async def aget_messages(self) -> list[BaseMessage]:
        return await in_thread(lambda: self.messages)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        dicts = messages_to_dict(messages)
        self._agent.append_items(
            (_ROLES.get(message.type, "assistant"), text_of(message.content), item)
            for message, item in zip(messages, dicts, strict=True)
        )

    def clear(self) -> None:
        self._agent.clear_items()
