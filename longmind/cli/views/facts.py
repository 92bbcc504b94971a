"""Facts, for people."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.cli.output import Block, Table, minute, one_line

if TYPE_CHECKING:
    from longmind.base.results import Added
    from longmind.facts.results import (
        AmbiguousNames,
        Changes,
        Decided,
        EdgesResult,
        EntityMatches,
        EvidenceResult,
        FactErasure,
        FactsBySubject,
        FactsResult,
        Merged,
        RecordReport,
        Removed,
        Retracted,
        StatedResult,
    )
    from longmind.facts.values import Evidence, FactHit, Recorded, Value
    from longmind.operations.results import EntityKnown, PredicateKnown

_MORE: Final = "There are more; raise --limit."


def recorded(result: Recorded) -> Iterator[Block]:
    sentences = {
        "recorded": f"Recorded fact {result.fact_id}.",
        "extended": f"Fact {result.fact_id} was known; its period is longer now.",
        "unchanged": f"Fact {result.fact_id} was known; it was asserted again.",
        "quarantined": f"Fact {result.fact_id} is in quarantine: see longmind facts quarantine.",
    }
    yield sentences[result.status]
    if result.superseded:
        yield f"Made room: fact {', '.join(map(str, result.superseded))}."


def recorded_many(report: RecordReport) -> Iterator[Block]:
    yield (
        f"{report.recorded} recorded, {report.extended} extended, {report.unchanged} unchanged, "
        f"{report.superseded} made room."
    )


def retracted(result: Retracted) -> Iterator[Block]:
    if result:
        yield f"Retracted fact {', '.join(map(str, result.fact_ids))}; still there with --as-of before now."
    else:
        yield "There was nothing to retract."


def chart(result: FactsResult) -> Iterator[Block]:
    from longmind.facts.chart import Timeline

    yield Timeline(result.facts).text(width=shutil.get_terminal_size((100, 24)).columns)
    if result.truncated:
        yield _MORE


def facts(result: FactsResult) -> Iterator[Block]:
    yield from _listed(result.facts, truncated=result.truncated)


def facts_by_subject(result: FactsBySubject) -> Iterator[Block]:
    for name, listed in result.subjects.items():
        yield f"{name}:"
        yield from _listed(listed.facts, truncated=listed.truncated)


def one_fact(hit: FactHit) -> Iterator[Block]:
    yield from _listed([hit], truncated=False)


def changes(log: Changes) -> Iterator[Block]:
    if not log.changes:
        yield "Nothing changed."
        return
    rows = []
    for change in log.changes:
        before = "" if change.before is None else _shown(change.before.fact.object)
        after = "" if change.after is None else _shown(change.after.fact.object)
        fact = change.fact
        rows.append((minute(change.at), change.kind, str(fact.subject), str(fact.predicate), before, after))
    yield Table(("when (UTC)", "what", "subject", "predicate", "before", "after"), rows)
    if log.truncated:
        yield _MORE


def edges(result: EdgesResult) -> Iterator[Block]:
    if not result.edges:
        yield "No fact links it to anything."
        return
    rows = []
    for edge in result.edges:
        ends = (str(edge.origin), str(edge.neighbor))
        subject, other = ends if edge.direction == "out" else ends[::-1]
        rows.append((edge.depth, edge.fact_id, subject, str(edge.predicate), other))
    yield Table(("steps", "fact", "subject", "predicate", "object"), rows)
    if result.truncated:
        yield _MORE


def evidence(result: EvidenceResult) -> Iterator[Block]:
    if not result.evidence:
        yield "Nothing speaks for it but whoever recorded it."
        return
    rows = [
        (
            item.frame,
            "" if item.start is None else f"{item.start}-{item.end}",
            "" if item.confidence is None else f"{item.confidence:g}",
            item.extractor,
        )
        for item in result.evidence
    ]
    yield Table(("frame", "bytes", "confidence", "by"), rows)


def matches(result: EntityMatches) -> Iterator[Block]:
    if not result.matches:
        yield "No entity goes by that name."
        return
    rows = [
        (str(item.key), item.kind, item.alias, f"{item.score:.2f}", item.space or "global")
        for item in result.matches
    ]
    yield Table(("entity", "kind", "by the name", "score", "space"), rows)


def assertions(result: StatedResult) -> Iterator[Block]:
    if not result.assertions:
        yield "No statements."
        return
    rows = [
        (
            item.id,
            minute(item.said_at),
            item.action if item.polarity else "deny",
            str(item.subject),
            str(item.predicate),
            "any" if item.object is None else _shown(item.object),
            item.channel,
            item.trust,
            item.state,
            _cited(item.evidence),
        )
        for item in result.assertions
    ]
    columns = (
        "id",
        "said (UTC)",
        "action",
        "subject",
        "predicate",
        "value",
        "channel",
        "trust",
        "state",
        "frames",
    )
    yield Table(columns, rows)
    if result.truncated:
        yield _MORE


def decided(result: Decided) -> Iterator[Block]:
    verdict = "confirmed" if result.confirmed else "rejected"
    yield (
        f"Assertion {result.id} is {verdict}."
        if result.changed
        else f"Assertion {result.id} already was {verdict}."
    )


def merged(result: Merged) -> Iterator[Block]:
    yield f"{result.key} stands for {result.other} too." if result.changed else "They already were the same."


def was_split(result: Merged) -> Iterator[Block]:
    yield f"{result.other} stands for itself." if result.changed else "It was not merged into another."


def removed(result: Removed) -> Iterator[Block]:
    yield "The alias was removed." if result.removed else "It had no such alias."


def ambiguous(result: AmbiguousNames) -> Iterator[Block]:
    if not result.names:
        yield "Every name means one entity."
        return
    yield Table(("name", "may mean"), [(item.name, ", ".join(map(str, item.keys))) for item in result.names])
    if result.truncated:
        yield _MORE


def entity(result: EntityKnown) -> Iterator[Block]:
    yield f"The entity {result.key} is known."


def predicate(result: PredicateKnown) -> Iterator[Block]:
    exact = ", told apart by case" if result.exact else ""
    values = "one value" if result.cardinality == "one" else "many values"
    yield f"{result.key} has {values} at a time{exact}."


def added(result: Added) -> Iterator[Block]:
    yield f"{result.added} added." if result.added else "Nothing was new."


def erased(erasure: FactErasure) -> Iterator[Block]:
    if not any(erasure.counts.values()):
        yield "Nothing was there to erase."
    else:
        rows = [(name, count) for name, count in erasure.counts.items() if count]
        yield Table(("erased", "rows"), rows)


def _listed(hits: Sequence[FactHit], *, truncated: bool) -> Iterator[Block]:
    if not hits:
        yield "Nothing is known of it."
        return
    closed = any(hit.reason for hit in hits)
    rows = []
    for hit in hits:
        row = [str(hit.fact_id), str(hit.fact.subject), str(hit.fact.predicate), minute(hit.valid_from)]
        row += ["" if hit.valid_to is None else minute(hit.valid_to), _cited(hit.evidence)]
        row += [hit.reason or ""] * closed
        rows.append([*row, _shown(hit.fact.object) + _aside(hit)])
    columns = ("fact", "subject", "predicate", "from (UTC)", "until", "frames")
    yield Table((*columns, *(["closed"] if closed else []), "value"), rows)
    if truncated:
        yield _MORE


def _aside(hit: FactHit) -> str:
    notes = [f"{key}: {_shown(value)}" for key, value in hit.fact.qualifiers]
    notes += ["a premise is gone"] if hit.lost_premises else []
    notes += ["global"] if hit.scope == "global" else []
    return f" ({', '.join(notes)})" if notes else ""


def _shown(value: Value) -> str:
    from longmind.facts.values import shown

    return one_line(shown(value))


def _cited(evidence: Sequence[Evidence]) -> str:
    return ", ".join(dict.fromkeys(str(item.frame) for item in evidence))


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "facts.record": recorded,
    "facts.record_many": recorded_many,
    "facts.replace": recorded,
    "facts.correct": recorded,
    "facts.end": retracted,
    "facts.retract": retracted,
    "facts.assertions": assertions,
    "facts.quarantine": assertions,
    "facts.confirm": decided,
    "facts.reject": decided,
    "facts.merge": merged,
    "facts.split": was_split,
    "facts.remove_alias": removed,
    "facts.ambiguous": ambiguous,
    "facts.about": facts,
    "facts.about_many": facts_by_subject,
    "facts.history": facts,
    "chart": chart,
    "facts.diff": changes,
    "facts.neighbors": edges,
    "facts.evidence": evidence,
    "facts.add_evidence": added,
    "facts.get": one_fact,
    "facts.resolve": matches,
    "facts.entity": entity,
    "facts.alias": added,
    "facts.predicate": predicate,
    "facts.erase": erased,
}
