"""Snapshots, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.cli.output import Block, Table, counted, minute, one_line

if TYPE_CHECKING:
    from longmind.store.rollback import Difference
    from longmind.store.snapshots import Differences, RollbackReport, SavedState, SavedStates

_SIGNS: Final = {"added": "+", "removed": "-", "changed": "~"}


def created(state: SavedState) -> Iterator[Block]:
    yield f"Snapshot {state.name}, {minute(state.created_at)}."


def deleted(state: SavedState) -> Iterator[Block]:
    yield f"Deleted the name {state.name}; nothing else changed."


def listed(states: SavedStates) -> Iterator[Block]:
    if not states:
        yield "There are no snapshots."
        return
    rows = [(state.name, minute(state.created_at), one_line(state.note)) for state in states]
    yield Table(("name", "made", "note"), rows)


def compared(found: Differences) -> Iterator[Block]:
    if not found:
        yield "Nothing differs."
        return
    yield _table(found.differences)


def rolled_back(report: RollbackReport) -> Iterator[Block]:
    if not report.differences and not report.counts:
        yield f"The memory is as it was at {report.snapshot}; nothing was changed."
        return
    if report.dry_run:
        yield f"Going back to {report.snapshot} would undo:"
        yield _table(report.differences)
    else:
        yield f"The memory is as it was at {report.snapshot}; what came in between is kept as history."
        if report.counts:
            yield "; ".join(f"{name}: {count}" for name, count in report.counts.items()) + "."
    if report.erased:
        yield f"Erased since, and not brought back: {_frames(report.erased)} at most."
    if report.expired:
        yield f"Expired since, and not brought back: {_frames(report.expired)}."


def _frames(count: int) -> str:
    return counted(count, "frame")


def _table(differences: Sequence[Difference]) -> Table:
    rows = [
        (_SIGNS[item.change], item.what, item.name, item.space, one_line(item.text)) for item in differences
    ]
    return Table(("", "what", "name", "space", "text"), rows)


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "snapshot.create": created,
    "snapshot.delete": deleted,
    "snapshot.list": listed,
    "snapshot.diff": compared,
    "snapshot.restore": rolled_back,
}
