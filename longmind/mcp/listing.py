"""What every kind of tool shares: its entry in the list of tools, and what a call of it is made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longmind.mcp.callers import Ask
from longmind.mcp.lazy_memory import Holder
from longmind.mcp.truncate import Count
from longmind.operations.operation import Operation


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a call of a tool is made with, beside its arguments."""

    holder: Holder
    """Opens the memory when it is first needed."""
    ask: Ask
    files: Path | None
    """The folder that paths in the arguments are confined to."""
    budget: int
    """How many tokens the answer may have."""
    count: Count


def entry_of(
    operation: Operation,
    *,
    name: str,
    title: str | None = None,
    description: str,
    inputs: Mapping[str, Any],
    answer: Mapping[str, Any],
) -> dict[str, Any]:
    """How an operation is listed: its schemas, and hints from which clients decide whether to ask first."""
    return {
        "name": name,
        **({} if title is None else {"title": title}),
        "description": description,
        "inputSchema": inputs,
        "outputSchema": answer,
        "annotations": {
            "readOnlyHint": operation.effect == "read",
            "destructiveHint": operation.effect == "destroy",
            "idempotentHint": operation.repeatable,
            "openWorldHint": False,
        },
    }
