"""Types of the arguments of project spaces, with the help that every interface shows for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from longmind.base.parameters import Mark

SpaceName = Annotated[str, "The space."]
IdOrPath = Annotated[str, "An object, by its id or its path."]
Stamp = Annotated[str | None, "Stamp this time, instead of now.", Mark.STAMP]
ObjectFields = Annotated[
    Mapping[str, Any] | str,
    "Its path, kind, raw text, summaries, tags, metadata, relevance, pinned, chunks: what is known.",
    Mark.TEXT,
]
Rules = Annotated[
    Mapping[str, Any] | str,
    "Rules to set: ttl_days, pii_redaction, export_path, allow_delete, auto_pin, visibility, budgets, "
    "places.",
    Mark.TEXT,
]
