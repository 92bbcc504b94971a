"""What ends a fact or takes one back, as a checked claim."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from longmind.base.errors import InvalidInput
from longmind.base.times import to_ms
from longmind.facts.slots import standard
from longmind.facts.statements import Claim
from longmind.facts.values import (
    BY_HAND,
    Assertion,
    Entity,
    Evidence,
    FactHit,
    Predicate,
    Value,
    check_qualifiers,
    typed,
)


def ending(
    told: Assertion, *, at: datetime | int | None, evidence: tuple[Evidence, ...], reason: str
) -> Claim:
    """That something is over: one value, or whatever the predicate holds."""
    return Claim(
        Entity(told.subject),
        Predicate(standard(Predicate(told.predicate))),
        None if told.value is None else typed(told.value),
        check_qualifiers(told.qualifiers),
        action="end",
        start=None if at is None else to_ms(at, "at"),
        evidence=evidence,
        by_hand=not evidence or any(piece.extractor == BY_HAND for piece in evidence),
        reason=reason,
        lenient=True,
    )


def retraction(
    subject: str | FactHit,
    predicate: str | None,
    value: Value | None,
    qualifiers: Mapping[str, Value] | None,
    valid_to: datetime | int | None,
    reason: str,
) -> Claim:
    """That something is held to be so no longer, or only until a moment."""
    until = None if valid_to is None else to_ms(valid_to, "valid_to")
    span_id = None
    if isinstance(subject, FactHit):
        if predicate is not None or value is not None or qualifiers is not None:
            raise InvalidInput("Retract a hit, or name subject and predicate; not both.")
        fact, span_id = subject.fact, subject.span_id
        subject, predicate, value, qualifiers = (
            fact.subject,
            fact.predicate,
            fact.object,
            dict(fact.qualifiers),
        )
    if predicate is None:
        raise InvalidInput("Which predicate?", hint="Name it, or pass the hit to retract.")
    return Claim(
        Entity(subject),
        Predicate(standard(Predicate(predicate))),
        None if value is None else typed(value),
        check_qualifiers(qualifiers),
        action="retract" if until is None else "end",
        start=until,
        span_id=span_id,
        reason=reason,
        keep=False,
    )
