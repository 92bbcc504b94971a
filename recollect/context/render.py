"""Items as text: dated, cited, grouped to be read, and marked as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recollect.base.echo import CLOSE, OPEN, harmless
from recollect.base.errors import InvalidInput
from recollect.base.times import from_ms
from recollect.context.items import Card, Item, Piece
from recollect.context.sentences import cut

FACTS: Final = "Known facts"


def render(items: Sequence[Item], *, mark: str, order: str) -> str:
    """The whole context; the same items give the same bytes."""
    lines = [OPEN.format(id=mark)]
    cards = [item for item in items if isinstance(item, Card)]
    if cards:
        lines += [FACTS, *(line_of(card) for card in cards)]
    heading = None
    for piece in laid_out([item for item in items if isinstance(item, Piece)], order):
        if heading_of(piece) != heading:
            heading = heading_of(piece)
            lines.append(heading)
        lines.append(line_of(piece))
    return "\n".join([*lines, CLOSE])


def line_of(item: Item) -> str:
    """What an item says, with its source."""
    cited = " ".join(f"[frame {frame_id}]" for frame_id in item.frame_ids)
    if isinstance(item, Card):
        return f"- {harmless(item.text)} {cited}".rstrip()
    frame = item.frame
    text = cut(frame.text, item.ranges)
    who = frame.speaker or frame.role
    if who and not text.lower().startswith(f"{who.lower()}:"):
        text = f"{who}: {text}"
    before = "… " if item.tier == "cut" and item.ranges and item.ranges[0][0] > 0 else ""
    after = " …" if item.tier == "cut" else ""
    return f"{before}{harmless(text)}{after} {cited}"


def heading_of(piece: Piece) -> str:
    """The day, and the document where there is one; said once for what follows it."""
    title = piece.frame.title or piece.frame.uri
    day = _day(piece.frame.occurred_at)
    return harmless(f"{day} {title}" if title else day)


def laid_out(pieces: Sequence[Piece], order: str) -> list[Piece]:
    """For reading: by time, with a conversation and a document kept together; or best first."""
    if order == "rank":
        return sorted(pieces, key=lambda piece: (piece.rank, piece.frame.id))
    return sorted(pieces, key=_by_time)


def _by_time(piece: Piece) -> tuple[int, str, int, int, int]:
    frame = piece.frame
    day = frame.occurred_at // 86_400_000
    place = frame.start if frame.start is not None else frame.ordinal if frame.ordinal is not None else 0
    return day, heading_of(piece), frame.occurred_at, place, frame.id


def _day(moment: int) -> str:
    try:
        return from_ms(moment).strftime("%Y-%m-%d")
    except InvalidInput:
        return str(moment)
