"""How experience looks to people; programs get the same values as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recollect.cli.output import Block, Table, one_line
from recollect.cli.views import minute

if TYPE_CHECKING:
    from recollect.experience.brief import Brief
    from recollect.experience.finding import RecordHit
    from recollect.experience.values import (
        Attempt,
        Attempts,
        Event,
        FactChain,
        FactUpdate,
        Record,
        Recorded,
        Records,
        Utility,
        Vote,
    )


def recorded(made: Recorded) -> Iterator[Block]:
    record = made.record
    named = f"{record.id} ({record.kind.replace('_', ' ')}, frame {record.frame_id})"
    if made.planned:
        yield f"Would record {named}; nothing was written."
    elif made.created:
        yield f"Recorded {named}."
    else:
        yield f"Already recorded as {named}; nothing changed."
    for link in made.attempts:
        yield f"Linked to {link.problem} as {link.role.replace('_', ' ')}."
    yield from (f"warning: {warning}" for warning in made.warnings)


def linked(link: Attempt, planned: bool = False) -> Iterator[Block]:
    yield f"{link.attempt} is linked to {link.problem} as {link.role.replace('_', ' ')}{_but(planned)}."


def updated(update: FactUpdate, planned: bool = False) -> Iterator[Block]:
    yield f"{update.new} holds in place of {update.old}, by {update.change} ({update.id}){_but(planned)}."


def voted(vote: Vote, planned: bool = False) -> Iterator[Block]:
    yield f"{vote.memory} got {vote.vote:+g} for {vote.problem} ({vote.id}){_but(planned)}."


def shown(record: Record, planned: bool = False) -> Iterator[Block]:
    rows = [
        ("kind", record.kind.replace("_", " ")),
        ("repository", record.repo + (" (global)" if record.scope == "global" else "")),
        ("when (UTC)", minute(record.occurred_at)),
        ("frame", str(record.frame_id)),
    ]
    if record.write_confidence is not None:
        rows.append(("confidence", f"{record.write_confidence:g}"))
    rows += [("evidence", ref) for ref in record.evidence] or [("evidence", "none")]
    if record.archived_at is not None:
        rows.append(("archived", f"{minute(record.archived_at)}  {record.archive_reason or ''}".strip()))
    yield Table((record.id, one_line(record.tactic)), rows)
    if record.why is not None:
        yield f"Why it failed: {one_line(record.why)}"
    if planned:
        yield "This would be so; nothing was written."


def records(found: Records) -> Iterator[Block]:
    if not found.records:
        yield "Nothing is recorded here."
        return
    yield _table(found.records)
    if found.truncated:
        yield "There are more; raise --limit."


def hits(found: Sequence[RecordHit]) -> Iterator[Block]:
    if not found:
        yield "Nothing recorded here answers that."
        return
    rows = []
    for hit in found:
        value = "" if hit.utility is None else f"{hit.utility.value:+.2f} ({hit.utility.observations})"
        kind = hit.record.kind.replace("_", " ")
        rows.append((hit.record.id, kind, f"{hit.score:.3f}", value, one_line(hit.record.text)))
    yield Table(("id", "kind", "score", "votes", "text"), rows)


def attempts(found: Attempts) -> Iterator[Block]:
    yield f"{found.problem.id}: {one_line(found.problem.text)}"
    if not found.tried:
        yield "Nothing was tried on it yet."
        return
    rows = [
        (
            item.record.id,
            "worked" if item.link.role == "solution" else "failed",
            minute(item.record.occurred_at),
            one_line(item.record.text) + (" [archived]" if item.record.archived else ""),
        )
        for item in found
    ]
    yield Table(("id", "it", "when (UTC)", "text"), rows)


def chain(found: FactChain) -> Iterator[Block]:
    rows = []
    for fact in found.facts:
        by = [update for update in found.updates if update.old == fact.id]
        state = "holds" if fact.id in found.current else ("archived" if not by else "replaced")
        then = ", ".join(f"{update.new} by {update.change}" for update in by)
        rows.append((fact.id, state, then, one_line(fact.text)))
    yield Table(("fact", "now", "replaced by", "text"), rows)
    if found.changes:
        yield ""
        yield Table(
            ("change", "when (UTC)", "text"),
            [(change.id, minute(change.occurred_at), one_line(change.text)) for change in found.changes],
        )


def utility(found: Utility) -> Iterator[Block]:
    if not found.observations:
        yield f"{found.memory} has no votes."
    else:
        votes = "1 vote" if found.observations == 1 else f"{found.observations} votes"
        yield f"{found.memory}: {votes}, mean {found.mean:+.2f}, counts {found.value:+.2f}."


def history(events: Sequence[Event]) -> Iterator[Block]:
    yield Table(
        ("when (UTC)", "what", "detail"),
        [(minute(event.at), event.what, one_line(event.detail)) for event in events],
    )


def brief(found: Brief, *, explain: bool) -> Iterator[Block]:
    yield found.text or "The budget is too small to say anything."
    if explain:
        yield ""
        yield found.explain()
    else:
        yield from (f"note: {note}" for note in found.notes)


def _table(found: Sequence[Record]) -> Table:
    rows = [
        (
            record.id,
            record.kind.replace("_", " "),
            minute(record.occurred_at),
            one_line(record.text) + (" [archived]" if record.archived else ""),
        )
        for record in found
    ]
    return Table(("id", "kind", "when (UTC)", "text"), rows)


def _but(planned: bool) -> str:
    return " (a dry run: nothing was written)" if planned else ""
