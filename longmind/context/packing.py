"""What fits into a token budget: every text that is put before a model is packed here.

`Packer` keeps the account. Three orders use it: `pack_lanes` fills the lanes of a recipe one after the other
(recall), `pack_short_first` gives every candidate a short line before any gets a long one (brief), and
`pack_in_order` takes candidates as they come (project spaces). All of them keep to the budget exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from longmind.base.tokens import Tokenizer
from longmind.context.items import NO_ROOM, Card, Dropped, Item, Piece
from longmind.context.recipe import EXPANSION, GROWTH, LaneRecipe, Recipe
from longmind.context.render import Renderer, render
from longmind.store.parts import Origin

Shorten = Callable[[Piece, int], Iterable[Piece]]
"""Shorter forms of a piece, the preferred first, for about so many tokens of text."""

_OVERLAP: Final = 0.5
"""Two chunks that share more than this part of the shorter one repeat each other."""

_LEAST_ROOM: Final = 12
"""In fewer tokens no item can be said together with its source."""

_LEAST_SHORTENED: Final = 20
"""In fewer tokens a shortened text says nothing; a text that is short by itself may still fit."""

_MISSES_UNTIL_WHOLE: Final = 6
"""After this many items in a row of which no form fits, only whole items are tried: shortening is costly."""

_MISSES_UNTIL_FULL: Final = 24
"""After this many the lane counts as full; below it, a short item further down may still fit."""

_SOURCE_TOKENS: Final = 4
"""The least that a citation such as `[frame 1]` takes."""

_CHARACTERS_PER_TOKEN: Final = 7
"""A text with more characters for each token of room is not counted. Ordinary prose has about 4."""

_ITEM_SHARE: Final = 0.4
"""Of the budget: the most that one line of a brief may grow to, unless it is the only one."""


class Sized(Protocol):
    """A candidate in three sizes; each is made when it is first looked at."""

    def form(self, size: int) -> Card:
        """0 is the whole, 2 the shortest."""
        ...


@dataclass(frozen=True, slots=True)
class Packed:
    """The items that fit, the text they make, its exact size, and what was left out."""

    items: tuple[Item, ...]
    lines: tuple[str, ...]
    sizes: tuple[int, ...]
    text: str
    tokens: int
    dropped: tuple[Dropped, ...]


class Packer:
    """The account of one packing: what is in, what it should cost, and what was left out."""

    def __init__(self, *, budget: int, tokenizer: Tokenizer, mark: str, renderer: Renderer) -> None:
        self.budget = budget
        self.tokenizer = tokenizer
        self.chosen: list[Item] = []
        self._mark = mark
        self._renderer = renderer
        self._dropped: list[tuple[Sequence[Item], str, str]] = []
        self._headings: set[str] = set()
        self._lines: dict[object, str] = {}
        self._sizes: dict[object, int] = {}
        self._spent = tokenizer.count(render([], mark=mark, renderer=renderer))

    @property
    def room(self) -> int:
        return self.budget - self._spent

    def cost(self, item: Item, room: int) -> int:
        """What an item adds: its line, and its heading if that is not there yet."""
        heading = self.heading_cost(item)
        return heading + self.size(item, room - heading)

    def size(self, item: Item, room: int) -> int:
        """Tokens of an item's line; just more than the room where that is plain without counting."""
        most = (room - _SOURCE_TOKENS) * _CHARACTERS_PER_TOKEN
        if isinstance(item, Piece) and item.tier == "full" and len(item.frame.text) > most:
            return max(room, 0) + 1
        key = _identity(item)
        if key not in self._sizes:
            # With its line break: tokens do not span one, so that the lines add up to the whole.
            self._sizes[key] = self.tokenizer.count(self._line(item) + "\n")
        return self._sizes[key]

    def heading_cost(self, item: Item) -> int:
        heading = self._renderer.heading(item)
        if heading in self._headings:
            return 0
        if heading not in self._sizes:
            self._sizes[heading] = self.tokenizer.count(heading + "\n")
        return self._sizes[heading]

    def first_fitting(self, forms: Iterable[Item], room: int) -> Item | None:
        return next((form for form in forms if self.cost(form, room) <= room), None)

    def add(self, item: Item) -> int:
        """Take an item in that was found to fit; return what it cost."""
        cost = self.cost(item, self.budget)
        self.chosen.append(item)
        self._spent += cost
        self._headings.add(self._renderer.heading(item))
        return cost

    def replace(self, before: Item, after: Item) -> int:
        """Show an item in another form; the packing takes it as its newest item."""
        self.chosen.remove(before)
        self._spent -= self.size(before, self.budget)
        return self.add(after)

    def take_out(self, item: Item, reason: str) -> None:
        """Leave an item out after all."""
        self.chosen.remove(item)
        self._spent -= self.size(item, self.budget)
        self.drop((item,), item.lane, reason)

    def drop(self, items: Sequence[Item], lane: str, reason: str) -> None:
        self._dropped.append((items, lane, reason))

    def settle(self) -> Packed:
        """Count the whole exactly, and take out the newest item until it fits; the text may be empty then."""
        while self.chosen:
            text = render(self.chosen, mark=self._mark, renderer=self._renderer, line=self._line)
            tokens = self.tokenizer.count(text)
            if tokens <= self.budget:
                break
            last = self.chosen.pop()
            self.drop((last,), last.lane, f"{NO_ROOM} in the whole")
        else:
            text, tokens = "", 0
        lines = tuple(map(self._line, self.chosen))
        sizes = tuple(self.size(item, self.budget) for item in self.chosen)
        return Packed(tuple(self.chosen), lines, sizes, text, tokens, self._left_out())

    def _line(self, item: Item) -> str:
        key = _identity(item)
        if key not in self._lines:
            self._lines[key] = self._renderer.line(item)
        return self._lines[key]

    def _left_out(self) -> tuple[Dropped, ...]:
        """Each candidate once, with the last reason; one that another lane took is not left out."""
        seen: set[object] = {_subject(item) for item in self.chosen}
        dropped: list[Dropped] = []
        for items, lane, reason in reversed(self._dropped):
            for item in reversed(items):
                subject = _subject(item)
                if subject not in seen:
                    seen.add(subject)
                    dropped.append(Dropped(item.frame_ids, lane, item.rank, reason))
        return tuple(reversed(dropped))


def pack_in_order(packer: Packer, candidates: Iterable[Sequence[Item]]) -> Packed:
    """Each candidate in the first of its forms that fits, in the order given."""
    for forms in candidates:
        fitting = packer.first_fitting(forms, packer.room)
        if fitting is None:
            packer.drop(forms[:1], forms[0].lane, f"{NO_ROOM} in the budget")
        else:
            packer.add(fitting)
    return packer.settle()


def pack_short_first(packer: Packer, candidates: Sequence[Sized]) -> Packed:
    """Every candidate in short that fits, in the order given; then the room left makes the first ones fuller.

    A reader gets something of everything before everything of something.
    """
    chosen: list[Sized] = []
    for candidate in candidates:
        short = candidate.form(2)
        if packer.cost(short, packer.room) <= packer.room:
            packer.add(short)
            chosen.append(candidate)
        else:
            packer.drop((short,), short.lane, f"{NO_ROOM} in the budget")
    most = packer.budget if len(chosen) == 1 else int(_ITEM_SHARE * packer.budget)
    for candidate in chosen:
        short = candidate.form(2)
        freed = packer.size(short, packer.budget)
        room = max(freed, min(most, packer.room + freed))
        longer = packer.first_fitting((candidate.form(size) for size in (0, 1)), room)
        # Also where nothing longer fits: the order of the items stays that of the candidates.
        packer.replace(short, longer or short)
    return packer.settle()


def pack_lanes(
    packer: Packer,
    candidates: Mapping[str, Sequence[Item]],
    *,
    recipe: Recipe,
    shorten: Shorten,
    told_by: Mapping[int, Sequence[Origin]] | None = None,
) -> Packed:
    """Fill the lanes in the recipe's order.

    `told_by` says of frames that were made of others where these say it: what is shown there is not said
    twice.
    """
    filling = _LaneFilling(packer, candidates, recipe, shorten, told_by or {})
    for lane in recipe.lanes:
        step = filling.grow if lane.kind == GROWTH else filling.fill
        step(lane, candidates.get(lane.kind, ()))
    return packer.settle()


class _LaneFilling:
    """Fills lanes one after the other, and passes over what was said before."""

    def __init__(
        self,
        packer: Packer,
        offers: Mapping[str, Sequence[Item]],
        recipe: Recipe,
        shorten: Shorten,
        told_by: Mapping[int, Sequence[Origin]],
    ) -> None:
        self._packer = packer
        self._offers = offers
        self._recipe = recipe
        self._shorten = shorten
        self._told_by = told_by
        self._frames: set[int] = set()
        self._statements: dict[tuple[str | None, str], int] = {}
        """Who says what, by the first frame that says it."""
        self._chunks: dict[int, list[Piece]] = {}
        """The chosen chunks of each document."""
        self._normalized: dict[int, tuple[str | None, str]] = {}

    def fill(self, lane: LaneRecipe, items: Sequence[Item]) -> None:
        """Take what fits, in the order given; then cut what is only above the cap of a single item."""
        packer = self._packer
        before = len(packer.chosen)
        above_cap: list[Item] = []
        room, count = self._take_fitting(lane, items, above_cap)
        for item in above_cap:
            reason = self._repeats(item)
            shorter = None
            if not reason and count < lane.items:
                shorter = self._cut(item, min(room, lane.item_tokens))
            if shorter is None:
                packer.drop((item,), lane.kind, reason or f"{NO_ROOM} left in the lane {lane.kind}")
                continue
            room -= packer.add(shorter)
            self._note(shorter)
            count += 1
        if above_cap:
            # In the order in which the lane offered them.
            position = {(item.rank, item.frame_ids): index for index, item in enumerate(items)}
            packer.chosen[before:] = sorted(
                packer.chosen[before:], key=lambda item: position[item.rank, item.frame_ids]
            )

    def _take_fitting(
        self, lane: LaneRecipe, items: Sequence[Item], above_cap: list[Item]
    ) -> tuple[int, int]:
        """The room that is left, and how many items were taken."""
        packer = self._packer
        room = min(packer.room, int(packer.budget * lane.share))
        full = f"{NO_ROOM} left in the lane {lane.kind}"
        count = misses = 0
        for position, candidate in enumerate(items):
            if isinstance(candidate, Piece) and candidate.frame.id in self._frames:
                continue
            if count >= lane.items:
                limit = f"{NO_ROOM} for more than {lane.items} items in the lane {lane.kind}"
                packer.drop(items[position:], lane.kind, limit)
                break
            if room < _LEAST_ROOM or misses >= _MISSES_UNTIL_FULL:
                packer.drop(items[position:], lane.kind, full)
                break
            reason = self._repeats(candidate)
            if reason:
                packer.drop((candidate,), lane.kind, reason)
                continue
            item = _taken_by(candidate, lane)
            # Extracts of the best hits wait for the lanes that shorten: until then, whole ones come first.
            is_extract = lane.kind == EXPANSION and self._comes_again(item)
            shortening = misses < _MISSES_UNTIL_WHOLE and not is_extract
            fitting = self._fitting(item, min(room, lane.item_tokens), shortening=shortening)
            if fitting is None and lane.item_tokens <= room and not self._comes_again(item):
                # There is room, and only the cap of a single item is in the way: after those that fit.
                above_cap.append(item)
                continue
            if fitting is None:
                packer.drop((item,), lane.kind, full)
                misses += 1
                continue
            room -= packer.add(fitting)
            self._note(fitting)
            count += 1
            misses = 0
        return room, count

    def grow(self, lane: LaneRecipe, items: Sequence[Item]) -> None:
        """Show more of what had to be shortened, the best first, in the room that all lanes have left."""
        packer = self._packer
        shortened = {
            item.frame.id: item for item in packer.chosen if isinstance(item, Piece) and item.tier != "full"
        }
        room = int(packer.budget * lane.share)
        count = 0
        for item in items:
            before = shortened.get(item.frame.id) if isinstance(item, Piece) else None
            if before is None or count >= lane.items:
                continue
            freed = packer.size(before, packer.budget)
            free = min(room, packer.room + freed, lane.item_tokens)
            if free <= freed:
                continue
            longer = self._fitting(_taken_by(item, lane), free, shortening=True)
            if longer is not None and packer.cost(longer, free) > freed and longer != before:
                room -= packer.replace(before, longer)
                self._note(longer)
                count += 1

    def _fitting(self, item: Item, room: int, *, shortening: bool) -> Item | None:
        """The item, or its first shorter form that fits."""
        packer = self._packer
        if packer.cost(item, room) <= room:
            return item
        if isinstance(item, Card) or not shortening or room < _LEAST_SHORTENED:
            return None
        around = packer.heading_cost(item) + _LEAST_ROOM // 2
        # The bare beginning says least of all: where a later lane may have room for more, it is passed over.
        forms = (
            form
            for form in self._shorten(item, room - around)
            if form.tier != "cut" or not self._comes_again(form)
        )
        return packer.first_fitting(forms, room)

    def _cut(self, item: Item, room: int) -> Item | None:
        """The beginning of an item that fits into the cap of its lane; None if not even a word does."""
        packer = self._packer
        text = item.text if isinstance(item, Card) else item.frame.text
        tokens = room
        while tokens > 0:
            beginning = packer.tokenizer.truncate(text, tokens).rstrip()
            if not beginning:
                return None
            shorter: Item
            if isinstance(item, Card):
                shorter = Card(f"{beginning} …", item.lane, item.rank, item.frame_ids, "cut")
            else:
                ranges = ((0, len(beginning.encode())),)
                shorter = replace(item, tier="cut", ranges=ranges)
            over = packer.cost(shorter, room) - room
            if over <= 0:
                return shorter
            tokens -= max(1, over)
        return None

    def _comes_again(self, piece: Item) -> bool:
        """Whether a later lane offers its frame too."""
        if isinstance(piece, Card):
            return False
        kinds = [lane.kind for lane in self._recipe.lanes if lane.kind != GROWTH]
        later = kinds[kinds.index(piece.lane) + 1 :] if piece.lane in kinds else []
        return any(
            isinstance(item, Piece) and item.frame.id == piece.frame.id
            for kind in later
            for item in self._offers.get(kind, ())
        )

    def _note(self, item: Item) -> None:
        self._take_out_told(item)
        self._statements.setdefault(self._statement(item), item.frame_ids[0] if item.frame_ids else 0)
        if isinstance(item, Piece):
            self._frames.add(item.frame.id)
            if item.frame.start is not None and item.frame.parent is not None:
                self._chunks.setdefault(item.frame.parent, []).append(item)

    def _take_out_told(self, item: Item) -> None:
        """What was made of this item, and is in already, makes room: the item says it itself."""
        if not isinstance(item, Piece) or not self._told_by:
            return
        for other in [other for other in self._packer.chosen if isinstance(other, Piece)]:
            if any(_says(item, origin) for origin in self._told_by.get(other.frame.id, ())):
                self._packer.take_out(other, f"frame {item.frame.id} says it itself")

    def _statement(self, item: Item) -> tuple[str | None, str]:
        """Who says what; case and white space make no difference."""
        if isinstance(item, Card):
            return None, item.text
        frame = item.frame
        if frame.id not in self._normalized:
            text = " ".join(frame.text.lower().split())
            self._normalized[frame.id] = frame.speaker or frame.role or "", text
        return self._normalized[frame.id]

    def _repeats(self, item: Item) -> str:
        """Why an item says nothing new: the same words, or much the same bytes of a document."""
        if isinstance(item, Card):
            return "said already" if self._statement(item) in self._statements else ""
        same = self._statements.get(self._statement(item))
        if same is not None:
            return f"says the same as frame {same}"
        for origin in self._told_by.get(item.frame.id, ()):
            for shown in self._packer.chosen:
                if isinstance(shown, Piece) and _says(shown, origin):
                    return f"frame {shown.frame.id} says it itself"
        for other in self._chunks.get(item.frame.parent or 0, ()):
            if _overlap(other, item) > _OVERLAP:
                return f"overlaps with frame {other.frame.id}"
        return ""


def _says(piece: Piece, origin: Origin) -> bool:
    """Whether the part of a frame that is shown is where something is said."""
    frame = piece.frame
    first = 0
    if frame.id != origin.frame_id:
        if frame.parent != origin.frame_id or frame.start is None:
            return False
        first = frame.start
    if origin.start is None or origin.end is None:
        return piece.tier == "full"
    if piece.tier == "full":
        return frame.start is None or (
            first <= origin.start and origin.end <= first + len(frame.text.encode())
        )
    return any(first + start <= origin.start and origin.end <= first + end for start, end in piece.ranges)


def _subject(item: Item) -> object:
    """What an item is about, in whatever form."""
    return item.frame.id if isinstance(item, Piece) else (item.lane, item.rank)


def _identity(item: Item) -> object:
    """What an item says, in whatever lane."""
    if isinstance(item, Card):
        return item.text, item.frame_ids
    return item.frame.id, item.ranges, item.tier == "cut"


def _taken_by(item: Item, lane: LaneRecipe) -> Item:
    """An item as one of this lane: the hits of a search are offered to several."""
    if item.lane == lane.kind:
        return item
    if isinstance(item, Card):
        return Card(item.text, lane.kind, item.rank, item.frame_ids)
    return replace(item, lane=lane.kind)


def _overlap(one: Piece, other: Piece) -> float:
    """The part of the shorter chunk that both share."""
    a, b = one.frame, other.frame
    if a.start is None or b.start is None or a.end is None or b.end is None:
        return 0.0
    shared = min(a.end, b.end) - max(a.start, b.start)
    return shared / min(a.end - a.start, b.end - b.start)
