"""The audit log, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from longmind.base.times import format_ms
from longmind.cli.output import Block, Table, counted

if TYPE_CHECKING:
    from longmind.store.audit import AuditCheck, AuditHead, AuditPage, AuditRecord


def listed(page: AuditPage) -> Iterator[Block]:
    if not page.entries:
        yield "The audit log has no entries for this. For all spaces and the store itself: --space '*'"
        return
    rows = [
        (
            entry.id,
            format_ms(entry.at),
            entry.actor,
            entry.face,
            entry.action,
            ", ".join((*entry.spaces, *(f"user {name}" for name in entry.users))),
            _what(entry),
        )
        for entry in page.entries
    ]
    yield Table(("entry", "at", "actor", "through", "action", "space", "rows"), rows)
    if page.cursor is not None:
        yield f"More: --cursor {page.cursor}"


def head(shown: AuditHead) -> Iterator[Block]:
    # The JSON itself: it is to be kept as it is.
    yield shown.to_json()


def checked(check: AuditCheck) -> Iterator[Block]:
    yield from (f"problem: {problem}" for problem in check.problems)
    if check:
        since = counted(check.entries_since, "entry", "entries")
        yield f"The log holds the head: entry {check.entry}, and {since} since."
    yield f"Signature: {check.signature}."
    yield from check.notes


def _what(entry: AuditRecord) -> str:
    counts = [f"{table} +{more} -{fewer}" for table, (more, fewer) in entry.changes.items()]
    details = [f"{name}={value}" for name, value in entry.detail.items()]
    events = [f"{event.action}{f' {event.object_id}' if event.object_id else ''}" for event in entry.events]
    shown = ", ".join(counts[:3]) + (f" and {len(counts) - 3} tables" if len(counts) > 3 else "")
    return "; ".join(part for part in (", ".join(events), ", ".join(details), shown) if part)


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "audit.list": listed,
    "audit.head": head,
    "audit.check": checked,
}
