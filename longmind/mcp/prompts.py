"""The prompt `use_context`: a project's knowledge before a task, as an agent's user would ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from longmind.base.errors import InvalidInput
from longmind.mcp.arguments import Arguments
from longmind.mcp.callers import Ask
from longmind.mcp.contexts import use_context

if TYPE_CHECKING:
    from longmind.memory import Memory


def listed() -> list[dict[str, Any]]:
    arguments = [
        {"name": item.name, "description": item.help, "required": item.required}
        for item in use_context.parameters
    ]
    return [{"name": use_context.name, "description": use_context.summary, "arguments": arguments}]


def message_of(memory: Memory, arguments: Mapping[str, str] | None, ask: Ask) -> dict[str, Any]:
    """The message to send: what the space knows, marked as data."""
    read = Arguments(use_context).read(arguments, files=None)
    for name in ("project", "topic"):
        if not isinstance(read.get(name), str):
            raise InvalidInput(f"{name}: it is required.")
    context = ask(memory, use_context, read)
    message = {"role": "user", "content": {"type": "text", "text": context.text}}
    return {"description": use_context.summary, "messages": [message]}
