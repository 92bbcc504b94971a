"""OpenAI Agents SDK: a session that remembers, and the memory as tools.

`Runner.run(agent, "…", session=LongmindSession(memory, "s1", user="ana"))`
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from longmind.integrations.core import AgentMemory, in_thread, missing, text_of
from longmind.integrations.tools import FunctionTool as MemoryTool
from longmind.integrations.tools import MemoryTools
from longmind.memory import Memory

try:
    from agents import Agent, FunctionTool, RunContextWrapper, TResponseInputItem
    from agents.memory import SessionABC, SessionSettings
except ImportError as error:
    raise missing("the OpenAI Agents SDK", "openai-agents", error) from None


class LongmindSession(SessionABC):
    """The items of one session, kept as turns: read back exactly, and found from any other session."""

    def __init__(self, memory: Memory, session_id: str, **options: Any) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = None
        self._agent = AgentMemory(memory, session=session_id, **options)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items: list[TResponseInputItem] = await in_thread(self._agent.items, limit)
        return items

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        rows = [(*_said(item), json.loads(json.dumps(item, default=str))) for item in items]
        await in_thread(self._agent.append_items, rows)

    async def pop_item(self) -> TResponseInputItem | None:
        item: TResponseInputItem | None = await in_thread(self._agent.pop_item)
        return item

    async def clear_session(self) -> None:
        await in_thread(self._agent.clear_items)


def _said(item: Any) -> tuple[str, str]:
    """Who said or did it, and in words what."""
    kind, role = item.get("type"), item.get("role")
    if kind in (None, "message") and role in ("user", "assistant"):
        return str(role), text_of(item.get("content"))
    if kind == "function_call":
        return "assistant", f"Called {item.get('name')}({item.get('arguments', '')})"
    if kind == "function_call_output":
        output = item.get("output")
        return "tool", output if isinstance(output, str) else json.dumps(output, default=str)
    return ("tool" if role == "tool" else "assistant"), text_of(item.get("content")) or f"({kind or role})"


def memory_instructions(memory: Memory, base: str = "", **options: Any) -> Any:
    """Instructions for an `Agent` that add what is recalled for what the user said last.

    `Agent(name="…", instructions=memory_instructions(memory, "You are helpful.", user="ana"))`. The user may
    also come from the context of the run: its `user` or `user_id`.
    """
    bridge = AgentMemory(memory, **options)

    async def instructions(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        turn = getattr(context, "turn_input", None) or ()
        user_texts = [
            text_of(item.get("content"))
            for item in turn
            if isinstance(item, Mapping) and item.get("role") == "user"
        ]
        inner = context.context
        named = getattr(inner, "user", None) or getattr(inner, "user_id", None)
        if isinstance(inner, Mapping):
            named = inner.get("user") or inner.get("user_id")
        recalled = await bridge.for_caller(user=named).ainstructions(user_texts[-1] if user_texts else "")
        return "\n\n".join(text for text in (base, recalled) if text)

    return instructions


def function_tools(memory: Memory, **options: Any) -> list[FunctionTool]:
    """The memory as tools: `Agent(..., tools=function_tools(memory, user="ana"))`."""
    return [_tool(tool) for tool in MemoryTools(memory, **options)]


def _tool(tool: MemoryTool) -> FunctionTool:
    async def invoke(context: Any, arguments: str) -> str:
        return await in_thread(lambda: tool(**(json.loads(arguments) if arguments else {})))

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=dict(tool.parameters),
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )
