"""Writing results: JSON for programs, tables for people, colour only on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TextIO, TypeVar

from longmind.base.times import format_ms
from longmind.operations.values import plain

Value = TypeVar("Value")

HELP_STYLE: Final[Literal["rich"] | None] = "rich" if sys.stdout is not None and sys.stdout.isatty() else None
"""Panels for people at a terminal; plain text, without importing Rich, for everyone else."""

_WIDEST_KEY: Final = 24

# Controls, and the marks that turn the direction of a line around: stored text must not drive a terminal.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings. Numbers are right-aligned; the last column takes the remaining width."""

    headings: tuple[str, ...]
    rows: Sequence[Sequence[str | int]]
    title: str | None = None


Block = str | Table
"""A line of text, or a table."""


def emit(value: Value, *, as_json: bool, view: Callable[[Value], Iterable[Block]]) -> None:
    """Write a result to standard output: the value itself as JSON, or the view of it for people."""
    if as_json:
        ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        print(json.dumps(plain(value), ensure_ascii=ascii_only, indent=2))
    else:
        show(view(value))
    sys.stdout.flush()


def show(blocks: Iterable[Block], stream: TextIO | None = None) -> None:
    target = stream or sys.stdout
    for block in blocks:
        if isinstance(block, str):
            print(clean(block), file=target)
        elif target.isatty():
            _show_rich(block, target)
        else:
            _show_plain(block, target)


def clean(text: str) -> str:
    """The same text with control characters made visible."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, *, most: int = 400) -> str:
    """The beginning of a text with its white space collapsed."""
    line = clean(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"


def minute(moment: int) -> str:
    """An instant for a table column: to the minute, without its zone (which is UTC)."""
    text = format_ms(moment)
    return text[:16].replace("T", " ") if text.endswith("Z") else text


def size(count: int) -> str:
    """Bytes in the unit a person would choose."""
    amount = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{count} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: '1 frame', '1,204 frames', '2 memories' where the plural is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def styled(text: str, codes: str, stream: TextIO) -> str:
    """Coloured if the terminal supports it, unchanged elsewhere."""
    colours = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[{codes}m{text}\x1b[0m" if colours else text


def _show_plain(table: Table, stream: TextIO) -> None:
    """Aligned columns without a width: what a pipe or a file gets is never cut off."""
    rows = [[clean(str(cell)) for cell in row] for row in table.rows]
    if table.title:
        print(clean(table.title), file=stream)
    lines = [list(table.headings), *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.headings))]
    right = _numeric(table)
    for line in lines:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip(), file=stream)


def _show_rich(table: Table, stream: TextIO) -> None:
    """One line a row; the last column gives way where the terminal is too narrow."""
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(file=stream)
    rows = [[Text(clean(str(cell))) for cell in row] for row in table.rows]
    columns = zip(table.headings, *([cell.plain for cell in row] for row in rows), strict=True)
    widths = [max(map(cell_len, column)) for column in columns]
    widths[:-1] = [min(width, _WIDEST_KEY) for width in widths[:-1]]
    between = 3 * len(widths)
    widths[-1] = max(8, min(widths[-1], console.width - sum(widths[:-1]) - between))
    right = _numeric(table)
    grid = RichTable(box=box.SIMPLE_HEAD, title=table.title, title_justify="left", pad_edge=False)
    for number, (heading, width) in enumerate(zip(table.headings, widths, strict=True)):
        grid.add_column(heading, justify="right" if number in right else "left", width=width, no_wrap=True)
    for row in rows:
        for cell, width in zip(row, widths, strict=True):
            cell.truncate(width, overflow="ellipsis")
        grid.add_row(*row)
    console.print(grid)


def _numeric(table: Table) -> set[int]:
    return {
        column
        for column in range(len(table.headings))
        if table.rows and all(isinstance(row[column], int) for row in table.rows)
    }
