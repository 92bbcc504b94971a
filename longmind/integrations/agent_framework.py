"""Microsoft Agent Framework: a context provider.

`Agent(client=client, context_providers=[LongmindProvider(memory, user="ana")])`
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from longmind.integrations.core import AgentMemory, missing
from longmind.memory import Memory

try:
    from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun
except ImportError as error:
    raise missing("Microsoft's Agent Framework", "agent-framework", error) from None


class LongmindProvider(ContextProvider):
    """Recalls into the instructions before a run, and keeps its messages after it.

    The session is that of the run; the user is `user=`, or what `session.state["user"]` names.
    """

    def __init__(self, memory: Memory, *, source_id: str = "longmind", **options: Any) -> None:
        super().__init__(source_id)
        self._agent = AgentMemory(memory, **options)

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        user_texts = [message.text for message in context.input_messages if _role(message) == "user"]
        text = await self._here(session).ainstructions(user_texts[-1] if user_texts else "")
        if text:
            context.extend_instructions(self.source_id, text)

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        answered = context.response.messages if context.response is not None else ()
        await self._here(session).akeep([*_plain(context.input_messages), *_plain(answered)])

    def _here(self, session: AgentSession) -> AgentMemory:
        named = session.state.get("user") if isinstance(session.state, dict) else None
        return self._agent.for_caller(
            user=named if isinstance(named, str) else None, session=session.session_id or None
        )


def _role(message: Message) -> str:
    return str(getattr(message.role, "value", message.role))


def _plain(messages: Iterable[Message]) -> list[dict[str, Any]]:
    return [
        {"role": _role(message), "content": message.text}
        for message in messages
        if message.text and _role(message) in ("user", "assistant")
    ]
