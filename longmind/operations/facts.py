"""Operations that write facts: record, replace and retract them, name entities, declare predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind.base.errors import InvalidInput, NotFound
from longmind.operations import claims, values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import Moment, Space

if TYPE_CHECKING:
    from longmind.facts.results import FactErasure, Recorded, RecordReport, Retracted
    from longmind.facts.values import FactHit
    from longmind.memory import Memory
    from longmind.operations.answers import Added, EntityKnown, PredicateKnown

_PERIODS = 10_000

Subject = Annotated[str, "What it is about: the key of an entity, such as a name."]
Relation = Annotated[str, "What is said of it, such as lives_in."]
Given = Annotated[
    str | int | float | bool | dict[str, Any],
    'The value: a text, number or truth value; {"entity": KEY}, {"datetime": TIME} or {"bytes": BASE64}.',
]
MaybeGiven = Annotated[
    str | int | float | bool | dict[str, Any] | None, "Only this value, written as in facts.record."
]
From = Annotated[Moment, "Since when it is so; now, if it is not given."]
Until = Annotated[Moment, "Until when it is so; 'open' for no end even where another value begins later."]
Pieces = Annotated[
    list[int | dict[str, Any]] | None,
    "Frames that say it: their ids, or objects with frame, start and end (UTF-8 bytes), confidence.",
]
Qualifiers = Annotated[dict[str, Any] | None, "Keys with values that belong to the fact.", Mark.PAIRS]
Premises = Annotated[list[int] | None, "Ids of the facts that it follows from."]
Scope = Annotated[Literal["space", "global"], "Who sees it: its space, or every space."]
FactId = Annotated[int, "The id of a fact."]


@operation(
    "facts.record",
    effect="write",
    begins=True,
    repeatable=True,
    tool=True,
    example={"subject": "ana", "predicate": "lives_in", "value": "Porto", "valid_from": "2023-01-01"},
)
def record(
    memory: Memory,
    subject: Subject,
    predicate: Relation,
    value: Given,
    *,
    valid_from: From = None,
    valid_to: Until = None,
    evidence: Pieces = None,
    qualifiers: Qualifiers = None,
    derived_from: Premises = None,
    scope: Scope = "space",
    space: Space = None,
) -> Recorded:
    """Record that something is so over a period, by default from now on.

    Use it for a single checkable statement about a person or thing. A predicate declared to have one value
    at a time lets the new value end the old one.
    """
    return memory.facts.record(
        subject,
        predicate,
        claims.value(value),
        valid_from=values.moment(valid_from, "valid_from"),
        valid_to=claims.until(valid_to),
        evidence=claims.evidence(evidence),
        qualifiers=claims.qualifiers(qualifiers),
        derived_from=derived_from or (),
        scope=scope,
        space=space,
    )


@operation(
    "facts.record_many",
    effect="write",
    begins=True,
    repeatable=True,
    example={
        "facts": [
            {"subject": "ana", "predicate": "likes", "value": "trains"},
            {"subject": "ana", "predicate": "knows", "value": {"entity": "ben"}},
        ]
    },
)
def record_many(
    memory: Memory,
    facts: Annotated[
        list[dict[str, Any]],
        "Each with subject, predicate, value and what else facts.record takes.",
        Mark.TEXT,
    ],
    *,
    scope: Scope = "space",
    space: Space = None,
) -> RecordReport:
    """Record several facts in order and in one transaction: all of them or none."""
    return memory.facts.record_many([claims.assertion(item) for item in facts], scope=scope, space=space)


@operation(
    "facts.replace",
    effect="write",
    begins=True,
    repeatable=True,
    example={"subject": "ana", "predicate": "lives_in", "value": "Lisbon", "valid_from": "2024-05-01"},
)
def replace(
    memory: Memory,
    subject: Subject,
    predicate: Relation,
    value: Given,
    *,
    valid_from: From = None,
    valid_to: Until = None,
    evidence: Pieces = None,
    qualifiers: Qualifiers = None,
    derived_from: Premises = None,
    scope: Scope = "space",
    space: Space = None,
) -> Recorded:
    """Record a fact, and let other values make room even where the predicate holds many."""
    return memory.facts.replace(
        subject,
        predicate,
        claims.value(value),
        valid_from=values.moment(valid_from, "valid_from"),
        valid_to=claims.until(valid_to),
        evidence=claims.evidence(evidence),
        qualifiers=claims.qualifiers(qualifiers),
        derived_from=derived_from or (),
        scope=scope,
        space=space,
    )


@operation(
    "facts.retract", effect="destroy", repeatable=True, example={"subject": "ana", "predicate": "lives_in"}
)
def retract(
    memory: Memory,
    subject: Subject,
    predicate: Relation,
    value: MaybeGiven = None,
    *,
    valid_to: Annotated[Moment, "It was so until then; only the rest is retracted."] = None,
    period: Annotated[int | None, "Only this period, by the span_id it has in an answer."] = None,
    qualifiers: Qualifiers = None,
    reason: Annotated[str, "Why."] = "retracted",
    scope: Scope = "space",
    space: Space = None,
) -> Retracted:
    """Hold something to be so no longer: one value, all values of a predicate, or one period.

    What held before stays visible as of before.
    """
    until = values.moment(valid_to, "valid_to")
    if period is None:
        return memory.facts.retract(
            subject,
            predicate,
            None if value is None else claims.value(value),
            valid_to=until,
            qualifiers=claims.qualifiers(qualifiers),
            reason=reason,
            scope=scope,
            space=space,
        )
    if value is not None or qualifiers is not None:
        raise InvalidInput("A period is one of one value.", hint="Leave value and qualifiers out.")
    hit = _period(memory, subject, predicate, period, space)
    return memory.facts.retract(hit, valid_to=until, reason=reason, space=space)


@operation("facts.add_evidence", effect="write", repeatable=True, example={"fact": 1, "evidence": [1]})
def add_evidence(
    memory: Memory,
    fact: FactId,
    evidence: Annotated[
        list[int | dict[str, Any]], "Frames that say it: their ids, or objects with frame, start and end."
    ],
    *,
    space: Space = None,
) -> Added:
    """Add evidence for a fact, whatever its period."""
    from longmind.operations.answers import Added

    return Added(memory.facts.add_evidence(fact, claims.evidence(evidence), space=space))


@operation(
    "facts.entity",
    effect="write",
    begins=True,
    repeatable=True,
    example={"key": "ana", "kind": "person", "aliases": ["Ana Luísa"]},
)
def entity(
    memory: Memory,
    key: Annotated[str, "What it is called in facts."],
    *,
    kind: Annotated[str, "What kind of thing it is, such as person."] = "",
    aliases: Annotated[list[str] | None, "Other names for it."] = None,
    scope: Scope = "space",
    space: Space = None,
) -> EntityKnown:
    """Make an entity, or add a kind and other names to it."""
    from longmind.operations.answers import EntityKnown

    made = memory.facts.upsert_entity(key, kind=kind, aliases=aliases or (), scope=scope, space=space)
    return EntityKnown(str(made))


@operation("facts.alias", effect="write", repeatable=True, example={"key": "ana", "alias": "Aninha"})
def alias(
    memory: Memory,
    key: Annotated[str, "The entity."],
    alias: Annotated[str, "Another name for it."],
    *,
    scope: Scope = "space",
    space: Space = None,
) -> Added:
    """Give an entity another name."""
    from longmind.operations.answers import Added

    return Added(int(memory.facts.add_alias(key, alias, scope=scope, space=space)))


@operation(
    "facts.predicate",
    effect="write",
    begins=True,
    repeatable=True,
    example={"key": "lives_in", "cardinality": "one"},
)
def predicate(
    memory: Memory,
    key: Relation,
    *,
    cardinality: Annotated[Literal["one", "many"], "How many values it has at a time."] = "many",
    exact: Annotated[bool, "Texts that differ only in case are different values."] = False,
    scope: Scope = "space",
    space: Space = None,
) -> PredicateKnown:
    """Declare how a predicate behaves."""
    from longmind.operations.answers import PredicateKnown

    made = memory.facts.define_predicate(key, cardinality=cardinality, exact=exact, scope=scope, space=space)
    return PredicateKnown(str(made), cardinality, exact)


@operation("facts.erase", effect="destroy", repeatable=True, example={"subject": "ana", "predicate": "likes"})
def erase(
    memory: Memory,
    subject: Subject,
    predicate: Annotated[str | None, "Only this predicate."] = None,
    value: MaybeGiven = None,
    *,
    scope: Scope = "space",
    space: Space = None,
) -> FactErasure:
    """Remove what is recorded of a subject for good, history included."""
    wanted = None if value is None else claims.value(value)
    return memory.facts.erase(subject, predicate, wanted, scope=scope, space=space)


def _period(memory: Memory, subject: str, predicate: str, period: int, space: str | None) -> FactHit:
    for hit in memory.facts.history(subject, predicate, limit=_PERIODS, evidence=0, space=space):
        if hit.span_id == period:
            return hit
    raise NotFound(
        f"There is no period {period} of {subject} {predicate}.", hint="See its span_id in facts.history."
    )
