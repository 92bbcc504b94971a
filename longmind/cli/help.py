"""Lists of commands where there is no terminal: by topic and never cut, like the panels of a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from typer.core import TyperGroup

LISTED: Final = Path(__file__).with_name("listed.json")
"""The common operations with their topics and descriptions, written by docs/generate.py."""

_WHOLE = 10_000
"""More characters than any description has: lines are wrapped, not cut."""


class Topics(TyperGroup):
    """A group whose help has a section for each panel of its commands, also through a pipe."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, the sections in the order in which their first commands stand."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is None or command.hidden:
                continue
            panel = getattr(command, "rich_help_panel", None)
            topic = panel if isinstance(panel, str) else "Commands"
            sections.setdefault(topic, []).append((name, command.get_short_help_str(_WHOLE)))
        for topic, rows in sections.items():
            with formatter.section(topic):
                formatter.write_dl(rows)


def listed() -> list[tuple[str, str, str]]:
    """Name, topic and description of the common operations, without importing them."""
    return [(name, topic, text) for name, topic, text in json.loads(LISTED.read_text(encoding="utf-8"))]
