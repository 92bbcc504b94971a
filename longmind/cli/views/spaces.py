"""Project spaces, their objects and their log, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.base.times import format_ms
from longmind.cli.output import Block, Table, one_line
from longmind.cli.views.memory import backed_up, erased

if TYPE_CHECKING:
    from longmind.operations.results import (
        ActionContext,
        ContextBundle,
        Ordering,
        Section,
        SpacePolicy,
        SpaceText,
    )
    from longmind.spaces.sync import SyncReport
    from longmind.spaces.values import (
        AuditList,
        GcReport,
        ImportReport,
        LinkList,
        MemoryObject,
        ObjectList,
        Remembered,
        SpaceList,
        SpaceSummary,
        Spending,
    )


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


def listed(listing: SpaceList) -> Iterator[Block]:
    yield _spaces(listing.spaces) if listing.spaces else "There are no spaces yet."


def created(space: SpaceSummary) -> Iterator[Block]:
    yield _spaces([space])


def remembered(done: Remembered) -> Iterator[Block]:
    yield f"{done.status}: {done.object.path} ({done.object.id})"
    if done.linked:
        yield f"same content as: {', '.join(done.linked)}"
    yield from done.notes


def objects(listing: ObjectList) -> Iterator[Block]:
    rows = [_row(item, format_ms(item.updated_at)) for item in listing.objects]
    yield Table(_COLUMNS, rows) if rows else "Nothing."


def changed(item: MemoryObject) -> Iterator[Block]:
    yield leaf(item)


def forgotten(item: MemoryObject) -> Iterator[Block]:
    yield f"Forgot {item.path} ({item.id}); still there as of before now."


def bundled(bundle: ContextBundle) -> Iterator[Block]:
    yield bundle.global_summary
    if bundle.sections:
        yield Table(_COLUMNS, [_row(item, item.updated_at) for item in bundle.sections])
    for text in bundle.raw:
        yield f"\n--- {text.path}\n{text.raw}"
    for warning in bundle.warnings:
        yield f"note: {warning}"


def used(context: ActionContext) -> Iterator[Block]:
    yield context.text
    if context.left_out:
        yield f"({context.total_tokens} tokens; no room for {', '.join(context.left_out)})"


def ruled(rules: SpacePolicy) -> Iterator[Block]:
    rows = [(name, "-" if value in (None, [], {}) else str(value)) for name, value in rules.policy.items()]
    yield Table((rules.space, ""), rows)


def collected(report: GcReport) -> Iterator[Block]:
    word = "would go" if report.dry_run else "purged" if report.purged else "archived"
    summary = f"{len(report.expired)} expired objects {word}" if report.expired else "Nothing expired"
    yield f"{summary}; {report.kept_pinned} kept by their pins."
    yield from (f"  {name}" for name in report.expired)


def audited(log: AuditList) -> Iterator[Block]:
    rows = [
        (format_ms(one.at), one.action, one.object_id or "", str(dict(one.detail))) for one in log.entries
    ]
    yield Table(("at", "action", "object", "detail"), rows) if rows else "The log is empty."


def linked(result: LinkList) -> Iterator[Block]:
    rows = [
        (link.relation, "to" if link.direction == "outbound" else "from", link.space, link.path, link.kind)
        for link in result.links
    ]
    yield Table(("relation", "", "space", "path", "kind"), rows) if rows else "It has no links."


def spent(spending: Spending) -> Iterator[Block]:
    rows = [
        (name, ", ".join(f"{what} {amount:g}" for what, amount in costs.items()))
        for name, costs in spending.providers.items()
    ]
    yield Table(("provider", "spent"), rows) if rows else "Nothing was spent."


def ordered(ordering: Ordering) -> Iterator[Block]:
    yield ordering.backend


def text(export: SpaceText) -> Iterator[Block]:
    yield export.text.rstrip("\n")


def imported(report: ImportReport) -> Iterator[Block]:
    yield f"{report.objects} objects into space '{report.space}'; checked by {report.verified}."
    yield from report.notes


def synced(report: SyncReport) -> Iterator[Block]:
    yield (
        f"{len(report.created)} new, {len(report.updated)} changed, {report.unchanged} unchanged, "
        f"{len(report.forgotten)} gone, {len(report.skipped)} skipped"
    )


_COLUMNS: Final = ("", "path", "kind", "relevance", "updated", "summary")


def _row(item: MemoryObject | Section, updated: str) -> tuple[str, ...]:
    pin = "*" if item.pinned else ""
    return pin, item.path, item.kind, item.relevance, updated, one_line(item.summary_micro)


def _spaces(spaces: Sequence[SpaceSummary]) -> Table:
    rows = [(one.name, one.objects, one.pinned, format_ms(one.updated_at)) for one in spaces]
    return Table(("space", "objects", "pinned", "updated"), rows)


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "space.create": created,
    "space.list": listed,
    "space.delete": erased,
    "space.gc": collected,
    "space.policy": ruled,
    "space.set_policy": ruled,
    "space.link": linked,
    "space.links": linked,
    "space.audit": audited,
    "space.spent": spent,
    "space.backend": ordered,
    "space.set_backend": ordered,
    "space.export": backed_up,
    "space.export_text": text,
    "space.import": imported,
    "space.import_text": imported,
    "space.sync": synced,
    "space.remember": remembered,
    "space.remember_raw": remembered,
    "space.pin": changed,
    "space.unpin": changed,
    "space.forget": forgotten,
    "space.erase": erased,
    "space.get": detail,
    "space.objects": objects,
    "space.recall": bundled,
    "space.recall_kind": objects,
    "space.use_context": used,
}
