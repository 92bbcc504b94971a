"""Pydantic AI: a capability that recalls before a run and keeps it after, and the memory as a toolset.

`Agent(model, capabilities=[LongmindCapability(memory, user="ana")])`
"""

from __future__ import annotations

from typing import Any

from longmind.integrations.core import AgentMemory, missing, text_of
from longmind.integrations.tools import MemoryTools
from longmind.memory import Memory

try:
    from pydantic_ai import AgentRunResult, FunctionToolset, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
except ImportError as error:
    raise missing("Pydantic AI", "pydantic-ai", error) from None


class LongmindCapability(AbstractCapability[Any]):
    """Puts what is relevant into the instructions, keeps the exchange, and offers tools if you ask for them.

    The user and the session come from the dependencies of the run (`user` or `user_id`, `session` or
    `session_id`), if they have them.
    """

    def __init__(self, memory: Memory, *, tools: bool = False, **options: Any) -> None:
        self._agent = AgentMemory(memory, **options)
        self._tools = tools

    def get_instructions(self) -> Any:
        async def recalled(ctx: RunContext[Any]) -> str:
            return await self._here(ctx).ainstructions(_prompt(ctx))

        return recalled

    def get_toolset(self) -> Any:
        return toolset(self._agent.memory, user=self._agent.user) if self._tools else None

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        await self._here(ctx).akeep(_messages(result.new_messages()))
        return result

    def _here(self, ctx: RunContext[Any]) -> AgentMemory:
        user = getattr(ctx.deps, "user", None) or getattr(ctx.deps, "user_id", None)
        session = getattr(ctx.deps, "session", None) or getattr(ctx.deps, "session_id", None)
        return self._agent.for_caller(
            user=user if isinstance(user, str) else None,
            session=session if isinstance(session, str) else None,
        )


def toolset(memory: Memory, **options: Any) -> FunctionToolset[Any]:
    """The memory as tools: `Agent(model, toolsets=[toolset(memory, user="ana")])`."""
    tools: FunctionToolset[Any] = FunctionToolset()
    for function in MemoryTools(memory, **options).functions():
        tools.add_function(function)
    return tools


def _prompt(ctx: RunContext[Any]) -> str:
    return text_of(ctx.prompt)


def _messages(messages: list[ModelMessage]) -> list[dict[str, Any]]:
    """What the user and the assistant said; tools are the business of the run."""
    plain: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            user_texts = [text_of(part.content) for part in message.parts if isinstance(part, UserPromptPart)]
            plain += [{"role": "user", "content": text} for text in user_texts if text]
        elif isinstance(message, ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            plain += [{"role": "assistant", "content": text}] if text.strip() else []
    return plain
