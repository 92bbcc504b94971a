"""Google's Agent Development Kit: a memory service.

`Runner(..., memory_service=LongmindMemoryService(memory))`, with the tool `preload_memory` or `load_memory`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from longmind.base.frame import Frame
from longmind.integrations.core import AgentMemory, in_thread, missing
from longmind.memory import Memory

try:
    from google.adk.events import Event
    from google.adk.memory import BaseMemoryService
    from google.adk.memory.base_memory_service import SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import Session
    from google.genai import types
except ImportError as error:
    raise missing("Google's ADK", "google-adk", error) from None


class LongmindMemoryService(BaseMemoryService):
    """Sessions as conversations of their user. Apps share a space unless each is given its own."""

    def __init__(self, memory: Memory, *, limit: int = 10, **options: Any) -> None:
        self._agent = AgentMemory(memory, **options)
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """A session may be added again when it has grown: what is there already is not written twice."""
        await self._keep(session.app_name, session.user_id, session.events, session.id)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        await self._keep(app_name, user_id, events, session_id)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        items = [
            {"text": text, "source": "agent", "metadata": {"app": app_name, **(entry.custom_metadata or {})}}
            for entry in memories
            if (text := _text(entry.content))
        ]
        if items:
            await in_thread(
                lambda: self._agent.memory.remember_many(items, space=self._agent.space, user=user_id)
            )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        return await in_thread(self._search, user_id, query)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        if memory_id is not None:
            await in_thread(
                lambda: self._agent.memory.forget(int(memory_id), space=self._agent.space, user=user_id)
            )

    def _search(self, user: str, query: str) -> SearchMemoryResponse:
        agent = self._agent.for_caller(user=user)
        frames: list[Frame] = agent.safely("search", lambda: self._found(agent, query), [])
        return SearchMemoryResponse(memories=[_entry(frame) for frame in frames])

    def _found(self, agent: AgentMemory, query: str) -> list[Frame]:
        hits = agent.memory.search(query, limit=self._limit, space=agent.space, user=agent.user)
        return [hit.frame for hit in hits]

    async def _keep(self, app: str, user: str, events: Sequence[Event], session: str | None) -> None:
        messages = [
            {"id": event.id, "role": "user" if event.author == "user" else "assistant", "content": text}
            for event in events
            if not event.partial and (text := _text(event.content))
        ]
        await self._agent.for_caller(user=user, session=session or app).akeep(messages)


def _text(content: types.Content | None) -> str:
    parts = (content.parts if content is not None else None) or ()
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _entry(frame: Frame) -> MemoryEntry:
    role = "user" if frame.role == "user" else "model"
    return MemoryEntry(
        id=str(frame.id),
        content=types.Content(role=role, parts=[types.Part(text=frame.text)]),
        author=frame.speaker or frame.role or frame.source,
        timestamp=frame.occurred.isoformat(),
    )
