"""Which formats of other memories are read and written, and what is reported of an import.

Apart from the modules that do it, which are loaded when something is imported or exported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from longmind.ingest.report import Skip

ImportSource = Literal[
    "mcp-memory", "mem0", "langgraph", "letta", "chatgpt", "claude", "graphiti", "vault", "jsonl", "csv"
]
ExportFormat = Literal["vault", "mcp-memory", "mem0"]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import wrote, or would write."""

    source: str
    path: str
    batches: int = 0
    """Conversations, notes or entities, each of them written as a whole."""
    created: int = 0
    unchanged: int = 0
    """Imported before: not written again."""
    superseded: int = 0
    """Older versions that newer ones took the place of."""
    retired: int = 0
    """What the source had deleted: kept in the history."""
    facts: int = 0
    """Facts that the source states as such; those read from texts are not counted."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """How many of each kind are new."""
    skip_counts: Mapping[str, int] = field(default_factory=dict)
    """How much was left out, by its code."""
    skipped: tuple[Skip, ...] = ()
    """The first of what was left out, and why."""
    warnings: tuple[str, ...] = ()
    dry_run: bool = False
    cancelled: bool = False
