"""Items as text: dated, cited, grouped for reading, and marked as recalled data.

Only our own words start at the left margin. The further lines of a stored text are indented, so that none of
them can pass for a heading, an item or the end of the block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Protocol

from longmind.base.checks import check_label
from longmind.base.errors import InvalidInput, NotFound
from longmind.base.frame import Kind
from longmind.base.recall_marks import harmless, marked
from longmind.base.times import from_ms
from longmind.context.items import Card, Item, Piece
from longmind.context.recipe import LANES, Recipe
from longmind.context.sentences import cut

INDENT: Final = "\n  "
_FACTS: Final = "Known facts"
_DAY: Final = 86_400_000


class Renderer(Protocol):
    """How items read: in which order, under which headings, each as which line."""

    def layout(self, items: Sequence[Item]) -> Sequence[Item]: ...

    def heading(self, item: Item) -> str: ...

    def line(self, item: Item) -> str: ...


def render(
    items: Sequence[Item], *, mark: str, renderer: Renderer, line: Callable[[Item], str] | None = None
) -> str:
    """The whole block; the same items give the same bytes. `line` may be a cache of the renderer's own."""
    lines: list[str] = []
    current = ""
    for item in renderer.layout(items):
        heading = renderer.heading(item)
        if heading != current:
            current = heading
            lines.append(heading)
        lines.append((line or renderer.line)(item))
    return marked(mark, lines)


def text_lines(text: str) -> list[str]:
    """The lines of a stored text that are not blank. Every Unicode line break counts, not only line feeds."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def one_line(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Recalled:
    """Fact cards first, then pieces of frames under their day and document, by time or best first."""

    order: str
    """'time' or 'rank'."""

    def layout(self, items: Sequence[Item]) -> list[Item]:
        pieces = [item for item in items if isinstance(item, Piece)]
        ordered = sorted(pieces, key=_by_time) if self.order == "time" else _by_rank(pieces)
        return [*(item for item in items if isinstance(item, Card)), *ordered]

    def heading(self, item: Item) -> str:
        return _heading(item) if isinstance(item, Piece) else _FACTS

    def line(self, item: Item) -> str:
        return _line(item)


@dataclass(frozen=True, slots=True)
class ByLane(Recalled):
    """Lane after lane, as the recipe lists them, each by time or best first."""

    order: str = "time"
    orders: Mapping[str, str] = field(default_factory=dict)

    def layout(self, items: Sequence[Item]) -> list[Item]:
        ordered: list[Item] = []
        lanes = [*self.orders, *dict.fromkeys(item.lane for item in items if item.lane not in self.orders)]
        for lane in lanes:
            inside = [item for item in items if item.lane == lane]
            ordered += Recalled(self.orders.get(lane, self.order)).layout(inside)
        return ordered


@dataclass(frozen=True, slots=True)
class Plain(Recalled):
    """Without headings: every line stands for itself, with its day."""

    def heading(self, item: Item) -> str:
        return ""

    def line(self, item: Item) -> str:
        return _line(item) if isinstance(item, Card) else f"{_heading(item)}: {_line(item)}"


@dataclass(frozen=True, slots=True)
class Sections:
    """Cards that are complete lines, in sections by lane, each under its title."""

    titles: Mapping[str, str]
    """By lane, in the order of reading."""

    def layout(self, items: Sequence[Item]) -> list[Item]:
        order = {lane: position for position, lane in enumerate(self.titles)}
        # A forged receipt may name any lane.
        return sorted(items, key=lambda item: (order.get(item.lane, len(order)), item.rank))

    def heading(self, item: Item) -> str:
        return self.titles.get(item.lane, "")

    def line(self, item: Item) -> str:
        return _line(item) if isinstance(item, Piece) else item.text


@dataclass(frozen=True, slots=True)
class Listing:
    """Cards that are complete lines, in the order given, each under the title that its lane is."""

    def layout(self, items: Sequence[Item]) -> Sequence[Item]:
        return items

    def heading(self, item: Item) -> str:
        return item.lane

    def line(self, item: Item) -> str:
        return _line(item) if isinstance(item, Piece) else item.text


BRIEF: Final = Sections(
    {
        "problem": "Similar problems",
        "failed_tactic": "Did not work",
        "solution": "Worked",
        "fact": "True now",
        "preference": "Preferences",
        "contradiction": "Contradictions",
        "gap": "Not known",
    }
)
SPACE: Final = "space"
PLAIN: Final = "plain"
_BUILT_IN: Final[Mapping[str, Renderer]] = {
    "time": Recalled("time"),
    "rank": Recalled("rank"),
    "brief": BRIEF,
    SPACE: Listing(),
}
"""By the name that a receipt has in its field `order`."""
_registered: dict[str, Renderer] = {}


def register_renderer(name: str, renderer: Renderer) -> None:
    """Let recipes of this process name a renderer of your own.

    A store and a receipt keep only the name: a process that did not register it cannot use such a recipe.
    """
    label = check_label(name, "renderer")
    if label in (*_BUILT_IN, PLAIN, LANES):
        raise InvalidInput(f"The renderer {label!r} is built in.", hint="Choose another name.")
    _registered[label] = renderer


def has_renderer(name: str) -> bool:
    return name in _BUILT_IN or name in _registered or name in (PLAIN, LANES)


def renderer_for(layout: str, recipe: Recipe | None = None) -> Renderer:
    """The renderer of a recipe, of a brief or of a space, by the name that its receipt has."""
    if layout in _BUILT_IN:
        return _BUILT_IN[layout]
    if layout in _registered:
        return _registered[layout]
    lanes = () if recipe is None else recipe.lanes
    fallback = "time" if recipe is None else recipe.order
    if layout == PLAIN:
        return Plain(fallback)
    if layout == LANES:
        return ByLane(fallback, {lane.kind: lane.order or fallback for lane in lanes})
    names = ", ".join(sorted({*_registered, PLAIN}))
    raise NotFound(
        f"There is no renderer {layout!r}.", hint=f"Known are {names}; register_renderer() adds one."
    )


def _line(item: Item) -> str:
    """The text with its source; a text of several lines follows its source, indented."""
    cited = " ".join(f"[frame {frame_id}]" for frame_id in item.frame_ids)
    if isinstance(item, Card):
        return f"- {harmless(one_line(item.text))} {cited}".rstrip()
    if item.superseded is not None:
        cited += f" (superseded, see frame {item.superseded})"
    lines = text_lines(_shown(item))
    if (citation := item.frame.citation) is not None:
        # A photo or a few seconds of a talk read as one line, with the place to look at.
        lines = [one_line(" ".join(lines))]
        cited = f"({harmless(one_line(citation))}) {cited}"
    speaker = one_line(item.frame.speaker or item.frame.role or "")
    if len(lines) == 1:
        text = lines[0].strip()
        names_speaker = not speaker or lines[0][: len(speaker) + 1].lower() == f"{speaker.lower()}:"
        return f"{harmless(text if names_speaker else f'{speaker}: {text}')} {cited}"
    source = f"{harmless(speaker)}: {cited}" if speaker else cited
    return INDENT.join([source, *map(harmless, lines)])


def _shown(piece: Piece) -> str:
    text = cut(piece.frame.text, piece.ranges)
    if piece.tier != "cut":
        return text
    return f"{'… ' if piece.ranges and piece.ranges[0][0] > 0 else ''}{text} …"


def _heading(piece: Piece) -> str:
    """The day, and the document if there is one: printed once for all the pieces below it."""
    frame = piece.frame
    title = frame.title
    if title is None and frame.kind in (Kind.DOCUMENT, Kind.CHUNK):
        title = frame.uri
    day = _date(frame.occurred_at // _DAY) or str(frame.occurred_at)
    return harmless(f"{day} {one_line(title)}") if title else day


def _by_rank(pieces: Sequence[Piece]) -> list[Piece]:
    """Best first, but pieces under one heading stay together, at the rank of the best of them."""
    best: dict[str, int] = {}
    for piece in pieces:
        heading = _heading(piece)
        best[heading] = min(best.get(heading, piece.rank), piece.rank)
    return sorted(
        pieces, key=lambda piece: (best[_heading(piece)], _heading(piece), piece.rank, piece.frame.id)
    )


def _by_time(piece: Piece) -> tuple[int, str, int, int, int]:
    # By day before heading, so that a document's pieces stay together within a day.
    frame = piece.frame
    position = frame.start if frame.start is not None else frame.ordinal or 0
    return frame.occurred_at // _DAY, _heading(piece), frame.occurred_at, position, frame.id


@lru_cache(maxsize=1024)
def _date(day: int) -> str:
    """A day by its number since 1970-01-01; empty outside the calendar."""
    try:
        return from_ms(day * _DAY).date().isoformat()
    except InvalidInput:
        return ""
