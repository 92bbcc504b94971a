"""Experience, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.cli.output import Block, Table, counted, minute, one_line

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


def recorded(result: Recorded) -> Iterator[Block]:
    record = result.record
    name = f"{record.id} ({record.kind.replace('_', ' ')}, frame {record.frame_id})"
    if result.planned:
        yield f"Would record {name}."
    elif result.created:
        yield f"Recorded {name}."
    else:
        yield f"Already recorded as {name}; nothing changed."
    for link in result.attempts:
        yield f"Linked to {link.problem} as {link.role.replace('_', ' ')}."
    yield from (f"warning: {warning}" for warning in result.warnings)


def recorded_many(results: RecordsMade) -> Iterator[Block]:
    for item in results.recorded:
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


def records(listing: Records) -> Iterator[Block]:
    if not listing.records:
        yield "Nothing is recorded here."
        return
    yield _table(listing.records)
    if listing.truncated:
        yield "There are more; raise --limit."


def hits(results: FoundRecords) -> Iterator[Block]:
    yield from (f"note: {note}" for note in results.notes)
    if not results.hits:
        yield "Nothing recorded here answers that."
        return
    rows = []
    for hit in results.hits:
        value = "" if hit.utility is None else f"{hit.utility.value:+.2f} ({hit.utility.observations})"
        kind = hit.record.kind.replace("_", " ")
        rows.append((hit.record.id, kind, f"{hit.score:.3f}", value, one_line(hit.record.text)))
    yield Table(("id", "kind", "score", "votes", "text"), rows)


def attempts(answer: Attempts) -> Iterator[Block]:
    yield f"{answer.problem.id}: {one_line(answer.problem.text)}"
    if not answer.tried:
        yield "Nothing was tried on it yet."
        return
    rows = [
        (
            item.record.id,
            "worked" if item.link.role == "solution" else "failed",
            minute(item.record.occurred_at),
            one_line(item.record.text) + (" [archived]" if item.record.archived else ""),
        )
        for item in answer
    ]
    yield Table(("id", "it", "when (UTC)", "text"), rows)


def chain(facts: FactChain) -> Iterator[Block]:
    rows = []
    for fact in facts.facts:
        by = [update for update in facts.updates if update.old == fact.id]
        state = "holds" if fact.id in facts.current else ("archived" if not by else "replaced")
        then = ", ".join(f"{update.new} by {update.change}" for update in by)
        rows.append((fact.id, state, then, one_line(fact.text)))
    yield Table(("fact", "now", "replaced by", "text"), rows)
    if facts.changes:
        yield ""
        yield Table(
            ("change", "when (UTC)", "text"),
            [(change.id, minute(change.occurred_at), one_line(change.text)) for change in facts.changes],
        )


def utility(answer: Utility) -> Iterator[Block]:
    if not answer.observations:
        yield f"{answer.memory} has no votes."
    else:
        votes = counted(answer.observations, "vote")
        yield f"{answer.memory}: {votes}, mean {answer.mean:+.2f}, counts {answer.value:+.2f}."


def votes(listing: VoteList) -> Iterator[Block]:
    if not listing.votes:
        yield "There are no votes."
        return
    rows = [
        (minute(vote.recorded_at), vote.problem, f"{vote.vote:+g}", one_line(vote.rationale or ""))
        for vote in listing.votes
    ]
    yield Table(("when (UTC)", "problem", "vote", "why"), rows)


def history(listing: EventList) -> Iterator[Block]:
    yield Table(
        ("when (UTC)", "what", "detail"),
        [(minute(event.at), event.what, one_line(event.detail)) for event in listing.events],
    )


def brief(answer: Brief) -> Iterator[Block]:
    yield answer.text or "The budget is too small to say anything."
    yield from (f"note: {note}" for note in answer.notes)


def explained(answer: Brief) -> Iterator[Block]:
    yield answer.text or "The budget is too small to say anything."
    yield ""
    yield answer.explain()


def replayed(replay: Replay) -> Iterator[Block]:
    yield "The brief is the same." if replay else "The brief is another one now."
    yield from (*replay.changes, *replay.drift)


def _table(items: Sequence[Record]) -> Table:
    rows = [
        (
            record.id,
            record.kind.replace("_", " "),
            minute(record.occurred_at),
            one_line(record.text) + (" [archived]" if record.archived else ""),
        )
        for record in items
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
