"""A history as a picture: valid time across, system time down; SVG for notebooks, text for terminals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape  # xml.sax would load the network libraries
from typing import Final

from longmind.base.results import Listing
from longmind.base.times import format_ms, from_ms
from longmind.facts.values import FactHit, shown

WIDTH: Final = 900
_LEFT: Final = 96
_RIGHT: Final = 12
_TOP: Final = 26
_TITLE: Final = 20
_BELOW: Final = 26
"""Between two panels."""
_TALLEST: Final = 420
"""Pixels that the bands of one predicate take at most; with many of them, each gets thinner."""
_BAND: Final = (9.0, 34.0)
_FAR: Final = 2**52
"""Beyond any date: the ends of what has always been so, or will always be."""
_DAY: Final = 86_400_000
_YEAR: Final = 365.2425 * _DAY
_COLOURS: Final = ("#2a58c6", "#1a7a6a", "#a04c1c", "#7c3fb0", "#a3285f", "#5d7d1a", "#0c7cae", "#7d6a50")
_STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#59626d}.name{font-weight:600;fill:#1c2127}"
    ".value{font-weight:600;fill:#1c2127}.line{stroke:#dcdcd6}"
    "@media(prefers-color-scheme:dark){text{fill:#a3adb8}.name,.value{fill:#e7e9ec}.line{stroke:#333a44}}"
)


@dataclass(frozen=True, slots=True, eq=False)
class Timeline(Listing[FactHit]):
    """Every period of a subject, to be looked at: a notebook shows it as a picture, `print` as text.

    A box is one period as the store held it: across when it was so, down while the store held it. A dashed
    box is a period that the store no longer holds.
    """

    facts: tuple[FactHit, ...]
    subject: str = ""
    truncated: bool = False

    def panels(
        self, *, apart: bool = False, now: int | None = None, most: int | None = None
    ) -> tuple[Panel, ...]:
        """Where everything lies in the picture, one panel for each predicate; `most` boxes in each.

        A moment has the same place in every panel, unless each is looked at by itself (`apart`). With `now`,
        that moment has its place, too.
        """
        panels = []
        for predicate, hits in self._by_predicate().items():
            scale = _Scale.of(hits if apart else self.facts, _LEFT, WIDTH - _RIGHT, now)
            now_x = None if now is None else round(scale.place(now, at_open=scale.right), 1)
            panels.append(_panel(predicate, hits[:most], scale, now_x))
        return tuple(panels)

    def svg(self) -> str:
        """The picture as SVG, one panel for each predicate."""
        drawn: list[str] = []
        hits = {hit.span_id: hit for hit in self.facts}
        height = 0.0
        for panel in self.panels():
            drawn.append(_drawn(panel, hits, height))
            height += _TITLE + panel.height + _BELOW
        label = f'"{escape(_clean(f"The history of {self.subject}"))}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height or 20:.0f}" '
            f'width="{WIDTH}" role="img" aria-label={label}><style>{_STYLE}</style>{"".join(drawn)}</svg>'
        )

    def text(self, *, width: int = 100) -> str:
        """The same for a terminal, one line for each period."""
        if not self.facts:
            return "There is no history."
        column = min(24, max(len(_clean(shown(hit.fact.object))) for hit in self.facts))
        size = max(20, max(60, width) - column - max(len(_known(hit)) for hit in self.facts) - 6)
        scale = _Scale.of(self.facts, 0, size - 1)
        lines = [f"  {'':{column}}  {_heading(scale, size)}"]
        for predicate, hits in self._by_predicate().items():
            lines.append(_clean(predicate))
            for hit in hits:
                name = _clean(shown(hit.fact.object))
                short = name if len(name) <= column else name[: column - 1] + "…"
                lines.append(f"  {short:{column}}  {_bar(hit, scale, size)}  {_known(hit)}")
        return "\n".join(lines)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'

    def __str__(self) -> str:
        return self.text()

    def _by_predicate(self) -> dict[str, list[FactHit]]:
        groups: dict[str, list[FactHit]] = {}
        for hit in self.facts:
            groups.setdefault(str(hit.fact.predicate), []).append(hit)
        return groups


@dataclass(frozen=True, slots=True)
class Tick:
    """A date above a panel, and its line through it."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Band:
    """A moment at which the store learned something; not every one has room for its date."""

    y: float
    at: int
    labelled: bool


@dataclass(frozen=True, slots=True)
class Box:
    """One period: across when it was so, down while the store held it."""

    span_id: int
    left: float
    top: float
    width: float
    height: float
    held: bool
    colour: int
    """A position in a palette of eight; periods with the same value share it."""
    label: str
    """As much of the value as has room."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The history of one predicate as a picture, in pixels; every interface draws these numbers."""

    predicate: str
    width: float
    height: float
    left: float
    """Where the plot begins, to the right of the dates of learning."""
    top: float
    """Where it begins, below the dates of valid time."""
    ticks: tuple[Tick, ...]
    bands: tuple[Band, ...]
    boxes: tuple[Box, ...]
    now: float | None = None


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where a moment of valid time lies between the left and the right edge."""

    low: float
    high: float
    left: float
    right: float

    @classmethod
    def of(cls, hits: Sequence[FactHit], left: float, right: float, now: int | None = None) -> _Scale:
        moments = [now, *(end for hit in hits for end in (hit.valid_from, hit.valid_to))]
        ends = [moment for moment in moments if moment is not None]
        finite = [end for end in ends if abs(end) < _FAR] or [0]
        # What is open on the right needs room to be seen as open.
        pad = max((max(finite) - min(finite)) * 0.08, 30 * _DAY)
        return cls(min(finite) - pad / 2, max(finite) + pad, left, right)

    def place(self, moment: int | None, *, at_open: float) -> float:
        if moment is None or abs(moment) >= _FAR:
            return at_open
        share = (moment - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Years, or months where there are few years."""
        years = (self.high - self.low) / _YEAR
        if not -62_000_000_000_000 < self.low < self.high < 253_000_000_000_000:
            return  # before the year 1 or after 9999 there are no dates to write
        begin = from_ms(int(self.low))
        months = 12 * max(1, round(years / 10)) if years > 1.6 else 3 if years > 0.7 else 1
        year, month = begin.year, begin.month
        while True:
            month += 1
            if month > 12:
                year, month = year + 1, 1
            if year > 9998:
                return
            if (year * 12 + month - 1) % months:
                continue
            moment = datetime(year, month, 1, tzinfo=UTC)
            at = int(moment.timestamp() * 1000)
            if at >= self.high:
                return
            yield self.place(at, at_open=self.right), f"{year}" if months >= 12 else f"{moment:%b %Y}"


def _panel(predicate: str, hits: Sequence[FactHit], scale: _Scale, now: float | None) -> Panel:
    learned = sorted({at for hit in hits for at in (hit.system_from, hit.system_to) if at is not None})
    # One band for each moment of learning, all alike: by the clock, most would be too thin to read.
    band = min(_BAND[1], max(_BAND[0], _TALLEST / len(learned)))
    rows = {moment: round(_TOP + index * band, 1) for index, moment in enumerate(learned)}
    bottom = _TOP + len(learned) * band
    every = max(1, round(15 / band))
    values = list(dict.fromkeys(shown(hit.fact.object) for hit in hits))
    colours = {value: index % len(_COLOURS) for index, value in enumerate(values)}
    return Panel(
        predicate,
        WIDTH,
        round(bottom, 1),
        _LEFT,
        _TOP,
        tuple(Tick(round(x, 1), label) for x, label in scale.ticks()),
        tuple(Band(y, moment, index % every == 0) for index, (moment, y) in enumerate(rows.items())),
        tuple(
            _box(
                hit, scale, rows[hit.system_from], bottom if hit.system_to is None else rows[hit.system_to],
                colours[shown(hit.fact.object)],
            )
            for hit in hits
        ),
        now,
    )  # fmt: skip


def _box(hit: FactHit, scale: _Scale, top: float, bottom: float, colour: int) -> Box:
    left = scale.place(hit.valid_from, at_open=scale.left)
    right = scale.place(hit.valid_to, at_open=scale.right)
    width, height = max(3.0, right - left), max(5.0, bottom - top - 2)
    value = _clean(shown(hit.fact.object))
    room = int((width - 14) / 7)
    label = "" if room < 3 or height <= 12 else value if len(value) <= room else value[: room - 1] + "…"
    return Box(
        hit.span_id,
        round(left, 1),
        top,
        round(width, 1),
        round(height, 1),
        hit.system_to is None,
        colour,
        label,
    )


def _drawn(panel: Panel, hits: Mapping[int, FactHit], above: float) -> str:
    """A panel as SVG, below what is drawn already."""
    y = above + _TITLE
    parts = [f'<text class="name" x="0" y="{above + 16:.0f}">{escape(_clean(panel.predicate))}</text>']
    for tick in panel.ticks:
        parts.append(_line(tick.x, y + panel.top - 8, tick.x, y + panel.height))
        parts.append(
            f'<text x="{tick.x}" y="{y + panel.top - 14:.0f}" text-anchor="middle">{tick.label}</text>'
        )
    for band in panel.bands:
        parts.append(_line(panel.left, y + band.y - 1, panel.width - _RIGHT, y + band.y - 1))
        if band.labelled:
            parts.append(f'<text x="0" y="{y + band.y + 13:.1f}">{_date(band.at)}</text>')
    parts += [_svg_box(box, hits[box.span_id], y) for box in panel.boxes]
    return "".join(parts)


def _svg_box(box: Box, hit: FactHit, above: float) -> str:
    colour = _COLOURS[box.colour]
    look = "" if box.held else ' stroke-dasharray="4 3" stroke-opacity=".6"'
    top = above + box.top
    label = ""
    if box.label:
        name = ' class="value"' if box.held else ""
        baseline = top + min(box.height - 4, 17)
        label = f'<text{name} x="{box.left + 7:.1f}" y="{baseline:.1f}">{escape(box.label)}</text>'
    return (
        f"<g><title>{escape(_clean(_described(hit)))}</title>"
        f'<rect x="{box.left}" y="{top:.1f}" width="{box.width}" height="{box.height}" rx="4" '
        f'fill="{colour}" fill-opacity="{".2" if box.held else ".07"}" stroke="{colour}"{look}/>{label}</g>'
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="line" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _described(hit: FactHit) -> str:
    begun = "always" if hit.valid_from <= -_FAR else f"from {_date(hit.valid_from)}"
    end = "" if hit.valid_to is None else f" to {_date(hit.valid_to)}"
    until = "still" if hit.system_to is None else f"to {_date(hit.system_to)} ({hit.reason or 'closed'})"
    frames = ", ".join(f"frame {piece.frame}" for piece in hit.evidence)
    source = f"; {frames}" if frames else ""
    return f"{shown(hit.fact.object)}: so {begun}{end}; known from {_date(hit.system_from)}, {until}{source}"


def _date(moment: int) -> str:
    if abs(moment) >= _FAR:
        return "always"
    return format_ms(moment)[:10]


def _clean(text: str) -> str:
    """Without what XML and terminals cannot show: control characters, and lone halves of characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _heading(scale: _Scale, size: int) -> str:
    """The dates above the bars, as many as have room."""
    letters = [" "] * (size + 12)
    free = 0
    for x, label in scale.ticks():
        at = round(x)
        if at >= free and at + len(label) <= len(letters):
            letters[at : at + len(label)] = label
            free = at + len(label) + 1
    return "".join(letters).rstrip()


def _bar(hit: FactHit, scale: _Scale, size: int) -> str:
    begin = round(scale.place(hit.valid_from, at_open=0))
    end = max(begin + 1, round(scale.place(hit.valid_to, at_open=size - 1)))
    fill = "━" if hit.system_to is None else "┄"
    first = "◀" if hit.valid_from <= -_FAR else "┣" if hit.system_to is None else "├"
    last = "▶" if hit.valid_to is None else "┫" if hit.system_to is None else "┤"
    line = " " * begin + first + fill * (end - begin - 1) + last
    return f"{line[:size]:{size}}"


def _known(hit: FactHit) -> str:
    if hit.system_to is None:
        return f"since {_date(hit.system_from)}"
    return f"{_date(hit.system_from)} to {_date(hit.system_to)}, {_clean(hit.reason or 'closed')}"
