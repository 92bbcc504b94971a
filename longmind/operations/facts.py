"""Operations on the ledger of facts: writing it, and asking what was true and what was known."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Final, Literal

from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import SpaceLike
from longmind.base.parameters import AsUser, Limit, Scope, User, WriteSpace
from longmind.base.times import FOREVER, AsOf, to_ms
from longmind.facts.ledger import Ledger
from longmind.facts.parameters import EvidenceEach, MaybeValue, Qualifiers, Relation, Relations, Subject
from longmind.facts.query import MOST
from longmind.facts.results import Changes, Retracted
from longmind.facts.slots import cardinality as built_in
from longmind.facts.values import Cardinality, Entity
from longmind.memory import Memory
from longmind.operations.operation import Operation
from longmind.operations.results import EntityKnown, PredicateKnown


def _ledger(memory: Memory) -> Ledger:
    return memory.facts


def _retract(
    memory: Memory,
    subject: Subject,
    predicate: Relation,
    value: MaybeValue = None,
    *,
    valid_to: Annotated[datetime | int | None, "It was so until then; only the rest is retracted."] = None,
    period: Annotated[int | None, "Only this period, by the span_id it has in an answer."] = None,
    qualifiers: Qualifiers = None,
    reason: Annotated[str, "Why."] = "retracted",
    scope: Scope = "space",
    space: WriteSpace = None,
    user: User = None,
) -> Retracted:
    """Hold something to be so no longer: one value, all values of a predicate, or one period.

    What held before stays visible as of before.
    """
    ledger = memory.facts
    if period is None:
        return ledger.retract(
            subject, predicate, value,
            valid_to=valid_to, qualifiers=qualifiers, reason=reason, scope=scope, space=space, user=user,
        )  # fmt: skip
    if value is not None or qualifiers is not None:
        raise InvalidInput("A period belongs to one value.", hint="Leave value and qualifiers out.")
    for hit in ledger.history(subject, predicate, limit=MOST, evidence=0, space=space, user=user):
        if hit.span_id == period:
            return ledger.retract(hit, valid_to=valid_to, reason=reason, space=space, user=user)
    raise NotFound(
        f"There is no period {period} of {subject} {predicate}.", hint="See its span_id in facts.history."
    )


def _predicate(
    memory: Memory,
    key: Relation,
    *,
    cardinality: Annotated[
        Cardinality | None, "How many values it has at a time: many, unless it is built in."
    ] = None,
    exact: Annotated[bool, "Texts that differ only in case are different values."] = False,
    scope: Scope = "space",
    space: WriteSpace = None,
    user: User = None,
) -> PredicateKnown:
    """Declare how a predicate behaves."""
    declared = memory.facts.define_predicate(
        key, cardinality=cardinality, exact=exact, scope=scope, space=space, user=user
    )
    return PredicateKnown(str(declared), cardinality or built_in(declared.norm) or "many", exact)


def _diff(
    memory: Memory,
    before: Annotated[datetime | int, "The earlier moment."],
    after: Annotated[datetime | int | None, "The later moment; now, if it is not given."] = None,
    *,
    subject: Annotated[str | None, "Only of this entity."] = None,
    predicates: Relations = None,
    axis: Annotated[
        Literal["both", "valid", "system"],
        "Compare what was known and so then; only what was so, as known now; only what was known of now.",
    ] = "both",
    limit: Limit = 1000,
    evidence: EvidenceEach = 3,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> Changes:
    """What began, ended and changed between two moments."""
    now = AsOf(system=FOREVER, valid=memory.store.present())
    return memory.facts.diff(
        _side(now, before, axis),
        now if after is None else _side(now, after, axis),
        subject=subject,
        predicate=predicates,
        limit=limit,
        evidence=evidence,
        space=space,
        user=user,
    )


def _side(now: AsOf, moment: datetime | int, axis: str) -> AsOf:
    """One side of a comparison: the moment on one axis or both, and now on the other."""
    at = to_ms(moment, "moment")
    return AsOf(system=now.system if axis == "valid" else at, valid=now.valid if axis == "system" else at)


def _entity_known(entity: Entity) -> EntityKnown:
    return EntityKnown(str(entity))


_on_ledger = partial(Operation, receiver=_ledger)
_write = partial(_on_ledger, effect="write", begins=True, repeatable=True)
_PREDICATES: Final = {"predicate": "predicates"}
_FACT: Final = {"fact_id": "fact"}
_EVIDENCE: Final = {"evidence": 3}
"""Fewer pieces than in Python: an answer is read by people and agents, who pay for its length."""

OPERATIONS: Final = (
    _write(
        "facts.record",
        Ledger.record,
        tool=True,
        example={"subject": "ana", "predicate": "lives_in", "value": "Porto", "valid_from": "2023-01-01"},
    ),
    _write(
        "facts.record_many",
        Ledger.record_many,
        rename={"assertions": "facts"},
        example={
            "facts": [
                {"subject": "ana", "predicate": "likes", "value": "trains"},
                {"subject": "ana", "predicate": "knows", "value": {"entity": "ben"}},
            ]
        },
    ),
    _write(
        "facts.replace",
        Ledger.replace,
        example={"subject": "ana", "predicate": "lives_in", "value": "Lisbon", "valid_from": "2024-05-01"},
    ),
    _write(
        "facts.correct",
        Ledger.correct,
        example={"subject": "ana", "predicate": "lives_in", "value": "Porto"},
    ),
    _write(
        "facts.end",
        Ledger.end,
        example={"subject": "ana", "predicate": "likes", "value": "trains", "at": "2024-06-01"},
    ),
    Operation(
        "facts.retract",
        _retract,
        effect="destroy",
        repeatable=True,
        example={"subject": "ana", "predicate": "lives_in"},
    ),
    _on_ledger(
        "facts.add_evidence",
        Ledger.add_evidence,
        effect="write",
        repeatable=True,
        example={"fact": 1, "evidence": [1]},
    ),
    _write(
        "facts.entity",
        Ledger.upsert_entity,
        result=_entity_known,
        example={"key": "ana", "kind": "person", "aliases": ["Ana Luísa"]},
    ),
    _on_ledger(
        "facts.alias",
        Ledger.add_alias,
        effect="write",
        repeatable=True,
        example={"key": "ana", "alias": "Aninha"},
    ),
    _on_ledger(
        "facts.remove_alias",
        Ledger.remove_alias,
        effect="write",
        repeatable=True,
        example={"key": "ana", "alias": "Aninha"},
    ),
    _on_ledger(
        "facts.merge",
        Ledger.merge,
        effect="write",
        repeatable=True,
        example={"key": "ana", "other": "ben"},
    ),
    _on_ledger("facts.split", Ledger.split, effect="write", repeatable=True, example={"key": "ben"}),
    _on_ledger("facts.ambiguous", Ledger.ambiguous, example={}),
    _on_ledger("facts.quarantine", Ledger.quarantine, example={}),
    _on_ledger("facts.confirm", Ledger.confirm, effect="write", repeatable=True),
    _on_ledger("facts.reject", Ledger.reject, effect="write", repeatable=True),
    Operation(
        "facts.predicate",
        _predicate,
        effect="write",
        begins=True,
        repeatable=True,
        example={"key": "lives_in", "cardinality": "one"},
    ),
    _on_ledger(
        "facts.erase",
        Ledger.erase,
        effect="destroy",
        repeatable=True,
        example={"subject": "ana", "predicate": "likes"},
    ),
    _on_ledger(
        "facts.about",
        Ledger.about,
        tool=True,
        both_axes=True,
        rename=_PREDICATES,
        defaults=_EVIDENCE,
        example={"subject": "ana", "predicates": ["lives_in"]},
    ),
    _on_ledger(
        "facts.about_many",
        Ledger.about_many,
        both_axes=True,
        rename=_PREDICATES,
        defaults=_EVIDENCE,
        example={"subjects": ["ana", "ben"]},
    ),
    _on_ledger(
        "facts.history",
        Ledger.history,
        rename=_PREDICATES,
        defaults=_EVIDENCE,
        options=("predicates",),
        example={"subject": "ana"},
    ),
    Operation("facts.diff", _diff, example={"before": "2024-01-01", "subject": "ana"}),
    _on_ledger(
        "facts.neighbors",
        Ledger.neighbors,
        both_axes=True,
        rename={"of": "entity"},
        example={"entity": "ana", "depth": 2},
    ),
    _on_ledger(
        "facts.assertions",
        Ledger.assertions,
        rename=_PREDICATES,
        options=("predicates",),
        example={"subject": "ana"},
    ),
    _on_ledger("facts.evidence", Ledger.evidence, example={"fact": 1}),
    _on_ledger("facts.get", Ledger.get, rename=_FACT, example={"fact": 1}),
    _on_ledger("facts.resolve", Ledger.resolve, example={"name": "Ana", "near": True}),
)
