"""How experience looks to people; programs get the same values as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.cli.output import Block, Table, one_line
from longmind.cli.views import minute

if TYPE_CHECKING:
    from longmind.context.receipt import Replay
    from longmind.experience.brief import Brief
    from longmind.experience.values import (
        Attempt,
        Attempts,
        EventList,
        FactChain,
        FactUpdate,
        Record,
        Recorded,
        Records,
        RecordsMade,
        Utility,
        Vote,
        VoteList,
    )
    from longmind.operations.results import FoundRecords


def recorded(made: Recorded) -> Iterator[Block]:
    record = made.record
    named = f"{record.id} ({record.kind.replace('_', ' ')}, frame {record.frame_id})"
    if made.planned:
        yield f"Would record {named}."
    elif made.created:
        yield f"Recorded {named}."
    else:
        yield f"Already recorded as {named}; nothing changed."
    for link in made.attempts:
        yield f"Linked to {link.problem} as {link.role.replace('_', ' ')}."
    yield from (f"warning: {warning}" for warning in made.warnings)


def recorded_many(made: RecordsMade) -> Iterator[Block]:
    for item in made.recorded:
        yield from recorded(item)


def linked(link: Attempt) -> Iterator[Block]:
    yield f"{link.attempt} is linked to {link.problem} as {link.role.replace('_', ' ')}."


def updated(update: FactUpdate) -> Iterator[Block]:
    yield f"{update.new} holds in place of {update.old}, by {update.change} ({update.id})."


def voted(vote: Vote) -> Iterator[Block]:
    yield f"{vote.memory} got {vote.vote:+g} for {vote.problem} ({vote.id})."


def shown(record: Record) -> Iterator[Block]:
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


def records(found: Records) -> Iterator[Block]:
    if not found.records:
        yield "Nothing is recorded here."
        return
    yield _table(found.records)
    if found.truncated:
        yield "There are more; raise --limit."


def hits(found: FoundRecords) -> Iterator[Block]:
    yield from (f"note: {note}" for note in found.notes)
    if not found.hits:
        yield "Nothing recorded here answers that."
        return
    rows = []
    for hit in found.hits:
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


def votes(found: VoteList) -> Iterator[Block]:
    if not found.votes:
        yield "There are no votes."
        return
    rows = [
        (minute(vote.recorded_at), vote.problem, f"{vote.vote:+g}", one_line(vote.rationale or ""))
        for vote in found.votes
    ]
    yield Table(("when (UTC)", "problem", "vote", "why"), rows)


def history(found: EventList) -> Iterator[Block]:
    yield Table(
        ("when (UTC)", "what", "detail"),
        [(minute(event.at), event.what, one_line(event.detail)) for event in found.events],
    )


def brief(found: Brief) -> Iterator[Block]:
    yield found.text or "The budget is too small to say anything."
    yield from (f"note: {note}" for note in found.notes)


def explained(found: Brief) -> Iterator[Block]:
    yield found.text or "The budget is too small to say anything."
    yield ""
    yield found.explain()


def replayed(found: Replay) -> Iterator[Block]:
    yield "The brief is the same." if found else "The brief is another one now."
    yield from (*found.changes, *found.drift)


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


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "experience.record": recorded,
    "experience.record_many": recorded_many,
    "experience.revise": recorded,
    "experience.link_attempt": linked,
    "experience.update_fact": updated,
    "experience.vote": voted,
    "experience.attach_evidence": shown,
    "experience.archive": shown,
    "experience.brief": brief,
    "explain": explained,
    "experience.replay": replayed,
    "experience.find": hits,
    "experience.list": records,
    "experience.current_facts": records,
    "experience.get": shown,
    "experience.history": history,
    "experience.attempts": attempts,
    "experience.fact_chain": chain,
    "experience.utility": utility,
    "experience.votes": votes,
}
