"""How results look where people see them: one short line in a shell, a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

_MOST_CHARACTERS: Final = 60


def shortened(text: str) -> str:
    """The beginning of a text, in one line and quoted."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _MOST_CHARACTERS else f"{line[: _MOST_CHARACTERS - 1]}…")


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook; whatever the cells hold is shown as text."""
    from html import escape  # only notebooks need it

    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
