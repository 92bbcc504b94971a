"""Operations that ask the ledger of facts: what is so, what was so, what was known when, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from longmind.base.times import AsOf
from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import AsOfMoment, Limit, Moment, Spaces, ValidAt

if TYPE_CHECKING:
    from longmind.facts.values import FactHit
    from longmind.memory import Memory
    from longmind.operations.answers import (
        ChangeList,
        EdgeList,
        EntityMatches,
        EvidenceList,
        FactList,
        FactsBySubject,
    )

Subject = Annotated[str, "What it is about: the key of an entity, such as a name."]
Relations = Annotated[list[str] | None, "Only these predicates."]
FactId = Annotated[int, "The id of a fact."]
Pieced = Annotated[int, "How many pieces of evidence to give with each."]


@operation("facts.about", tool=True, example={"subject": "ana", "predicates": ["lives_in"]})
def about(
    memory: Memory,
    subject: Subject,
    *,
    predicates: Relations = None,
    limit: Limit = 100,
    evidence: Pieced = 3,
    shadowed: Annotated[bool, "Also global values that a space has its own value for."] = False,
    as_of: AsOfMoment = None,
    valid_at: ValidAt = None,
    space: Spaces = None,
) -> FactList:
    """What is so of a person or thing, with periods and evidence.

    Use it for questions about one named entity: where someone lives, what a service runs on, who owns what.
    """
    from longmind.operations.answers import FactList

    found = memory.facts.about(
        subject,
        predicate=predicates,
        limit=limit,
        evidence=evidence,
        shadowed=shadowed,
        as_of=values.both_axes(memory, as_of, valid_at),
        space=values.spaces(space),
    )
    return FactList(found.items, found.truncated)


@operation("facts.about_many", example={"subjects": ["ana", "ben"]})
def about_many(
    memory: Memory,
    subjects: Annotated[list[str], "The keys of entities."],
    *,
    predicates: Relations = None,
    limit: Annotated[int, "At most this many of each."] = 100,
    evidence: Pieced = 3,
    as_of: AsOfMoment = None,
    valid_at: ValidAt = None,
    space: Spaces = None,
) -> FactsBySubject:
    """What is so of each of several subjects."""
    from longmind.operations.answers import FactList, FactsBySubject

    found = memory.facts.about_many(
        subjects,
        predicate=predicates,
        limit=limit,
        evidence=evidence,
        as_of=values.both_axes(memory, as_of, valid_at),
        space=values.spaces(space),
    )
    return FactsBySubject({key: FactList(facts.items, facts.truncated) for key, facts in found.items()})


@operation("facts.history", example={"subject": "ana"})
def history(
    memory: Memory,
    subject: Subject,
    *,
    predicates: Relations = None,
    limit: Limit = 1000,
    evidence: Pieced = 3,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> FactList:
    """Every period ever recorded of a subject, retracted ones too, in the order of learning."""
    from longmind.operations.answers import FactList

    found = memory.facts.history(
        subject,
        predicates,
        limit=limit,
        evidence=evidence,
        as_of=values.as_of(memory, as_of),
        space=values.spaces(space),
    )
    return FactList(found.items, found.truncated)


@operation("facts.diff", example={"before": "2024-01-01", "subject": "ana"})
def diff(
    memory: Memory,
    before: Annotated[str | int, "The earlier moment.", Mark.MOMENT],
    after: Annotated[Moment, "The later moment; now, if it is not given."] = None,
    *,
    subject: Annotated[str | None, "Only of this entity."] = None,
    predicates: Relations = None,
    axis: Annotated[
        Literal["both", "valid", "system"],
        "Compare what was known and so then; only what was so, as known now; only what was known of now.",
    ] = "both",
    limit: Limit = 1000,
    evidence: Pieced = 3,
    space: Spaces = None,
) -> ChangeList:
    """What began, ended and changed between two moments."""
    from longmind.operations.answers import ChangeList

    now = values.as_of(memory, None)
    found = memory.facts.diff(
        _side(now, values.moment(before, "before"), axis),
        _side(now, values.moment(after, "after"), axis),
        subject=subject,
        predicate=predicates,
        limit=limit,
        evidence=evidence,
        space=values.spaces(space),
    )
    return ChangeList(found.items, found.truncated)


@operation("facts.neighbors", example={"entity": "ana", "depth": 2})
def neighbors(
    memory: Memory,
    entity: Annotated[str, "The key of an entity."],
    *,
    predicates: Relations = None,
    direction: Annotated[
        Literal["out", "in", "both"], "Facts about it, facts that name it, or both."
    ] = "both",
    depth: Annotated[int, "How many steps to go."] = 1,
    max_edges: Annotated[int, "Look at no more links than this."] = 1000,
    limit: Limit = 100,
    as_of: AsOfMoment = None,
    valid_at: ValidAt = None,
    space: Spaces = None,
) -> EdgeList:
    """Entities that facts link to one, step by step."""
    from longmind.operations.answers import EdgeList

    found = memory.facts.neighbors(
        entity,
        predicates=predicates,
        direction=direction,
        depth=depth,
        max_edges=max_edges,
        limit=limit,
        as_of=values.both_axes(memory, as_of, valid_at),
        space=values.spaces(space),
    )
    return EdgeList(found.items, found.truncated)


@operation("facts.evidence", example={"fact": 1})
def evidence(
    memory: Memory, fact: FactId, *, limit: Limit = 100, as_of: AsOfMoment = None, space: Spaces = None
) -> EvidenceList:
    """What speaks for a fact, surest and newest first."""
    from longmind.operations.answers import EvidenceList

    found = memory.facts.evidence(
        fact, limit=limit, as_of=values.as_of(memory, as_of), space=values.spaces(space)
    )
    return EvidenceList(found.items, found.truncated)


@operation("facts.get", example={"fact": 1})
def get(memory: Memory, fact: FactId, *, as_of: AsOfMoment = None, space: Spaces = None) -> FactHit:
    """One fact by its id, in its newest period."""
    return memory.facts.get(fact, as_of=values.as_of(memory, as_of), space=values.spaces(space))


@operation("facts.resolve", example={"name": "Ana", "near": True})
def resolve(
    memory: Memory,
    name: Annotated[str, "A name or an alias."],
    *,
    near: Annotated[bool, "Also entities with a similar name."] = False,
    limit: Limit = 10,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> EntityMatches:
    """The entities that a name may mean."""
    from longmind.operations.answers import EntityMatches

    return EntityMatches(
        memory.facts.resolve(
            name, near=near, limit=limit, as_of=values.as_of(memory, as_of), space=values.spaces(space)
        )
    )


def _side(now: AsOf, moment: int | None, axis: str) -> AsOf:
    """One side of a comparison: the moment on one axis or both, and now on the other."""
    if moment is None:
        return now
    return AsOf(
        system=now.system if axis == "valid" else moment, valid=now.valid if axis == "system" else moment
    )
