"""Types of the ledger's arguments, with the help that every interface shows for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated

from longmind.base.parameters import Mark
from longmind.facts.trust import Trust
from longmind.facts.values import Evidence, FactHit, Open, Recorded, Value

Subject = Annotated[str, "What it is about: the key of an entity, such as a name."]
Relation = Annotated[str, "What is said of it, such as lives_in."]
Relations = Annotated[str | Iterable[str] | None, "Only these predicates."]
GivenValue = Annotated[
    Value,
    'The value: a text, number or truth value; {"entity": KEY}, {"datetime": TIME} or {"bytes": BASE64}.',
]
MaybeValue = Annotated[Value | None, "Only this value, written as in facts.record."]
ValidFrom = Annotated[datetime | int | None, "Since when it is so; now, if it is not given."]
ValidTo = Annotated[
    datetime | int | Open | None,
    "Until when it is so; 'open' for no end even where another value begins later.",
]
GivenEvidence = Annotated[
    Iterable[Evidence | int],
    "Frames that say it: their ids, or objects with frame, start and end (UTF-8 bytes), confidence.",
]
Qualifiers = Annotated[Mapping[str, Value] | None, "Keys with values that belong to the fact.", Mark.PAIRS]
Premises = Annotated[Iterable[FactHit | Recorded | int], "Ids of the facts that it follows from."]
MinTrust = Annotated[Trust | None, "Only what rests on a source of at least this trust: low, normal or high."]
FactId = Annotated[FactHit | int, "The id of a fact."]
EvidenceEach = Annotated[int, "How many pieces of evidence to give with each."]
