"""How spaces, their objects and what was done to them look to a person."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from recollect.base.times import format_ms
from recollect.cli.output import Block, Table, one_line, show

if TYPE_CHECKING:
    from recollect.spaces.bundle import Bundle
    from recollect.spaces.values import AuditEntry, GcReport, MemoryObject, Remembered, SpaceSummary
    from recollect.spaces.watching import SyncReport


def speaks_of(item: MemoryObject, text: str) -> bool:
    from recollect.text.words import terms

    said = set(terms(f"{item.path} {' '.join(item.tags)} {item.kind} {item.summary_long} {item.raw}"))
    wanted = set(terms(text))
    return wanted <= said or text.lower() in item.path.lower()


def show_tree(name: str, items: Sequence[MemoryObject]) -> None:
    """Branches by path; drawn with Rich on a terminal, with plain lines elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text
        from rich.tree import Tree

        root = Tree(Text(f"{name} ({len(items)})", style="bold"))
        branches: dict[str, Tree] = {"": root}
        for item in items:
            parts = item.path.split("/")
            for depth in range(1, len(parts)):
                place, above = "/".join(parts[:depth]), "/".join(parts[: depth - 1])
                if place not in branches:
                    branches[place] = branches[above].add(Text(parts[depth - 1] + "/", style="cyan"))
            branches["/".join(parts[:-1])].add(Text(leaf(item)))
        Console().print(root)
        return
    show([f"{name} ({len(items)})"])
    shown: set[str] = set()
    for item in items:
        parts = item.path.split("/")
        for depth in range(1, len(parts)):
            place = "/".join(parts[:depth])
            if place not in shown:
                shown.add(place)
                show(["  " * depth + parts[depth - 1] + "/"])
        show(["  " * len(parts) + leaf(item)])


def leaf(item: MemoryObject) -> str:
    pin_mark = "* " if item.pinned else ""
    last = item.path.rsplit("/", 1)[-1]
    return f"{pin_mark}{last} [{item.kind}, {item.relevance}] {one_line(item.summary_micro, most=80)}"


def detail(item: MemoryObject) -> Iterator[Block]:
    yield f"{item.path} ({item.id})"
    yield f"kind: {item.kind}  relevance: {item.relevance}  pinned: {'yes' if item.pinned else 'no'}"
    yield f"tags: {', '.join(item.tags) or '-'}"
    yield f"created: {format_ms(item.created_at)}  updated: {format_ms(item.updated_at)}"
    yield f"metadata: {dict(item.metadata)}"
    yield f"\n{item.summary_short}\n"
    yield item.raw
    for chunk in item.chunks:
        yield f"\n[{chunk.chunk_id}] {chunk.text}"


def listed(found: Iterable[SpaceSummary]) -> Iterator[Block]:
    rows = [(one.name, one.objects, one.pinned, format_ms(one.updated_at)) for one in found]
    yield Table(("space", "objects", "pinned", "updated"), rows) if rows else "There are no spaces yet."


def remembered(done: Remembered) -> Iterator[Block]:
    yield f"{done.status}: {done.object.path} ({done.object.id})"
    if done.linked:
        yield f"same content as: {', '.join(done.linked)}"
    yield from done.notes


def objects(found: Sequence[MemoryObject]) -> Iterator[Block]:
    rows = [
        (
            "*" if item.pinned else "",
            item.path,
            item.kind,
            item.relevance,
            format_ms(item.updated_at),
            one_line(item.summary_micro),
        )
        for item in found
    ]
    yield Table(("", "path", "kind", "relevance", "updated", "summary"), rows) if rows else "Nothing."


def bundled(bundle: Bundle) -> Iterator[Block]:
    yield bundle.global_summary
    yield from objects(bundle.objects)
    for item in bundle.raw if bundle.raw_limit is not None else ():
        yield f"\n--- {item['path']}\n{item['raw']}"
    for warning in bundle.warnings:
        yield f"note: {warning}"


def collected(report: GcReport) -> Iterator[Block]:
    word = "would go" if report.dry_run else "archived" if report.archived else "purged"
    yield f"{len(report.expired)} expired objects {word}; {report.kept_pinned} kept by their pins."
    yield from (f"  {name}" for name in report.expired)


def audited(entries: Iterable[AuditEntry]) -> Iterator[Block]:
    rows = [(format_ms(one.at), one.action, one.object_id or "", str(dict(one.detail))) for one in entries]
    yield Table(("at", "action", "object", "detail"), rows) if rows else "The log is empty."


def synced(report: SyncReport) -> Iterator[Block]:
    yield (
        f"{len(report.created)} new, {len(report.updated)} changed, {report.unchanged} unchanged, "
        f"{len(report.forgotten)} gone, {len(report.skipped)} skipped"
    )
