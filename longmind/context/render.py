"""Items as text: dated, cited, grouped to be read, and marked as data.

What stands at the left margin is ours: a stored text of several lines is set in, so that no line of it can
pass for a heading, an item or the end of the block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.base.recall_marks import CLOSE, OPEN, harmless
from longmind.base.times import from_ms
from longmind.context.items import Card, Item, Piece
from longmind.context.sentences import cut

FACTS: Final = "Known facts"
_INDENT: Final = "  "
_DAY: Final = 86_400_000
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def render(items: Sequence[Item], *, mark: str, order: str, line: Callable[[Item], str] | None = None) -> str:
    """The whole context; the same items give the same bytes. `line` may know what they say already."""
    said = line or line_of
    lines = [OPEN.format(id=mark)]
    cards = [item for item in items if isinstance(item, Card)]
    if cards:
        lines += [FACTS, *(said(card) for card in cards)]
    heading = None
    for piece in laid_out([item for item in items if isinstance(item, Piece)], order):
        above = heading_of(piece)
        if above != heading:
            heading = above
            lines.append(heading)
        lines.append(said(piece))
    return "\n".join([*lines, CLOSE])


def line_of(item: Item) -> str:
    """What an item says, with its source; a text of several lines comes after its source, set in."""
    cited = " ".join(f"[frame {frame_id}]" for frame_id in item.frame_ids)
    if isinstance(item, Card):
        return f"- {harmless(_one_line(item.text))} {cited}".rstrip()
    shown = _shown(item)
    lines = [line.rstrip() for line in _BREAK.split(shown) if line.strip()]
    who = _one_line(item.frame.speaker or item.frame.role or "")
    if len(lines) == 1:
        says_so = not who or lines[0][: len(who) + 1].lower() == f"{who.lower()}:"
        return f"{harmless(lines[0].strip() if says_so else f'{who}: {lines[0].strip()}')} {cited}"
    source = f"{harmless(who)}: {cited}" if who else cited
    return ("\n" + _INDENT).join([source, *map(harmless, lines)])


def _shown(piece: Piece) -> str:
    text = cut(piece.frame.text, piece.ranges)
    if piece.tier != "cut":
        return text
    return f"{'… ' if piece.ranges and piece.ranges[0][0] > 0 else ''}{text} …"


def heading_of(piece: Piece) -> str:
    """The day, and the document where there is one; said once for what follows it."""
    frame = piece.frame
    title = frame.title
    if title is None and frame.kind in (Kind.DOCUMENT, Kind.CHUNK):
        title = frame.uri
    day = _day(frame.occurred_at // _DAY) or str(frame.occurred_at)
    return harmless(f"{day} {_one_line(title)}") if title else day


def laid_out(pieces: Sequence[Piece], order: str) -> list[Piece]:
    """For reading: by time, or best first; what shares a heading stands together."""
    if order == "time":
        return sorted(pieces, key=_by_time)
    best: dict[str, int] = {}
    for piece in pieces:
        heading = heading_of(piece)
        best[heading] = min(best.get(heading, piece.rank), piece.rank)
    return sorted(
        pieces, key=lambda piece: (best[heading_of(piece)], heading_of(piece), piece.rank, piece.frame.id)
    )


def _by_time(piece: Piece) -> tuple[int, str, int, int, int]:
    frame = piece.frame
    day = frame.occurred_at // _DAY
    place = frame.start if frame.start is not None else frame.ordinal if frame.ordinal is not None else 0
    return day, heading_of(piece), frame.occurred_at, place, frame.id


def _one_line(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=1024)
def _day(number: int) -> str:
    """A day, by its number since the beginning of 1970; empty outside the calendar."""
    try:
        return from_ms(number * _DAY).date().isoformat()
    except InvalidInput:
        return ""
