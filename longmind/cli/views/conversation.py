"""Turns, and the memories made of them, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.base.times import format_ms
from longmind.cli.output import Block, Table, minute, one_line
from longmind.cli.views.memory import erased

if TYPE_CHECKING:
    from longmind.base.frame import Frame, FrameList
    from longmind.conversation.values import (
        ConversationContext,
        ConversationStats,
        Found,
        MemoryItem,
        SweepReport,
        TurnReport,
        TurnReports,
        Why,
    )
    from longmind.operations.results import MemorySettings


def turn(report: TurnReport) -> Iterator[Block]:
    yield f"Wrote turn {report.turn_id}, read by: {report.extractor}."
    for memory in report.extracted:
        name = "" if memory.id is None else f" {memory.id}"
        against = f" (against {', '.join(map(str, memory.conflicts_with))})" if memory.conflicts_with else ""
        yield f"{memory.action}{name}: {one_line(memory.content)}{against}"
    yield from (f"warning: {warning}" for warning in report.warnings)


def turns(reports: TurnReports) -> Iterator[Block]:
    for report in reports.turns:
        yield from turn(report)


def window(listing: FrameList) -> Iterator[Block]:
    yield from _turn_table(listing.frames) if listing.frames else ["Nothing was said yet."]


def context(answer: ConversationContext) -> Iterator[Block]:
    yield "What was said last"
    yield from _turn_table(answer.short_term) if answer.short_term else ["Nothing was said yet."]
    for title, items in (("Mid term", answer.mid_term), ("Long term", answer.long_term_hint)):
        if items:
            yield ""
            yield title
            yield from (f"- {one_line(item.content)} [{item.id}]" for item in items)
    yield from (f"note: {note}" for note in answer.notes)


def one(item: MemoryItem) -> Iterator[Block]:
    rows = [
        ("status", f"{item.status}, {item.layer} term"),
        ("score", f"{item.score:.3f}"),
        ("seen", f"{item.hits} times"),
        ("created", format_ms(item.created_at)),
        ("frame", str(item.frame_id)),
    ]
    if item.tags:
        rows.append(("tags", ", ".join(item.tags)))
    yield Table((f"memory {item.id}", one_line(item.content)), rows)


def outline(item: MemoryItem) -> Iterator[Block]:
    yield f"Memory {item.id} ({item.status}, {item.layer} term): {one_line(item.content)}"


def forgotten(item: MemoryItem) -> Iterator[Block]:
    yield f"Forgot memory {item.id}; still there with --as-of before now."


def listed(memories: Found) -> Iterator[Block]:
    if not memories.items:
        yield "Nothing is remembered here."
    else:
        rows = [
            (item.id, item.layer, item.status, f"{item.score:.3f}", item.hits, one_line(item.content))
            for item in memories.items
        ]
        yield Table(("id", "layer", "status", "score", "hits", "memory"), rows)
    yield from (f"note: {note}" for note in memories.notes)


def why(answer: Why) -> Iterator[Block]:
    yield from one(answer.memory)
    yield ""
    yield Table(("term", "adds"), [(name, f"{value:+.3f}") for name, value in answer.terms.items()])
    if answer.rules:
        yield f"rules: {', '.join(answer.rules)}"
    if answer.links:
        yield ""
        yield Table(
            ("turn", "why", "rule"), [(link.turn_id, link.reason, link.rule) for link in answer.links]
        )
    if answer.decisions:
        yield ""
        rows = [(minute(item.at), item.action, one_line(str(dict(item.inputs)))) for item in answer.decisions]
        yield Table(("when (UTC)", "decided", "from"), rows)


def swept(report: SweepReport) -> Iterator[Block]:
    would = "would be " if report.dry_run else ""
    for word, ids in (
        ("promoted", report.promoted),
        ("archived", report.archived),
        ("deleted", report.deleted),
    ):
        names = f": {', '.join(map(str, ids))}" if ids else ""
        yield f"{len(ids)} {would}{word}{names}"
    if report.purged:
        yield f"{report.purged} erased for good"
    yield f"{report.scored} scored, {report.average_score:.3f} on average"


def stats(figures: ConversationStats) -> Iterator[Block]:
    rows: list[tuple[str, str]] = [("turns", str(figures.turns)), ("sessions", str(figures.sessions))]
    rows += [(f"{name} term", str(count)) for name, count in figures.by_layer.items()]
    rows += [(name, str(count)) for name, count in figures.by_status.items()]
    rows.append(("average score", f"{figures.average_score:.3f}"))
    if figures.average_age_days is not None:
        rows.append(("average age", f"{figures.average_age_days:.1f} days"))
    for title, groups in (("extraction", figures.extraction), ("spent", figures.spending)):
        for name, numbers in groups.items():
            rows.append((f"{title}, {name}", ", ".join(f"{key} {value:g}" for key, value in numbers.items())))
    yield Table((figures.space, ""), rows)


def settings(result: MemorySettings) -> Iterator[Block]:
    rows = [
        (f"{section}.{name}", str(value))
        for section, values in result.settings.items()
        for name, value in values.items()
    ]
    yield Table(("setting", "value"), rows)


def _turn_table(frames: Sequence[Frame]) -> Iterator[Block]:
    rows = [
        (frame.id, minute(frame.occurred_at), frame.speaker or frame.role or "", one_line(frame.text))
        for frame in frames
    ]
    yield Table(("turn", "when (UTC)", "who", "text"), rows)


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "turns.add": turn,
    "turns.add_many": turns,
    "turns.window": window,
    "turns.context": context,
    "memories.remember": outline,
    "memories.update": outline,
    "memories.forget": forgotten,
    "memories.erase": erased,
    "memories.gc": swept,
    "memories.get": one,
    "memories.list": listed,
    "memories.search": listed,
    "memories.like": one,
    "memories.why": why,
    "memories.stats": stats,
    "memories.config": settings,
    "memories.configure": settings,
}
