"""Checking what a caller gives before it is written: assertions, premises, evidence against its frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Final, Literal

from longmind.base.errors import InvalidInput, NotFound
from longmind.base.expiry import expiry
from longmind.base.filters import View
from longmind.base.partitions import split_partition
from longmind.facts.rows import GLOBAL, FactRow, select_among
from longmind.facts.slots import standard
from longmind.facts.statements import Claim
from longmind.facts.values import (
    BY_HAND,
    Assertion,
    Entity,
    Evidence,
    FactHit,
    Predicate,
    Recorded,
    check_period,
    check_qualifiers,
    check_range,
    typed,
)
from longmind.store.engine import Connection, Dialect
from longmind.store.frames import FrameRow, fetch, stored
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

_NAMES: Final = tuple(item.name for item in fields(Assertion))
_KNOWN: Final = frozenset(_NAMES)


def assertion_of(item: Assertion | Mapping[str, Any]) -> Assertion:
    return item if isinstance(item, Assertion) else _assertion(item)


Stating = Literal["record", "correct", "replace"]


def claim(assertion: Assertion | Mapping[str, Any], *, action: Stating = "record", now: int) -> Claim:
    """A checked assertion. It counts as made by hand unless all its evidence names an extractor."""
    item = assertion_of(assertion)
    start, end = check_period(item.valid_from, item.valid_to)
    evidence = check_evidence(item.evidence)
    return Claim(
        subject=Entity(item.subject),
        predicate=_relation(item.predicate) if type(item.predicate) is str else _spelled(item.predicate),
        value=typed(item.value),
        qualifiers=check_qualifiers(item.qualifiers),
        start=start,
        end=end,
        evidence=evidence,
        premises=_premises(item.derived_from),
        by_hand=not evidence or any(piece.extractor == BY_HAND for piece in evidence),
        action=action,
        polarity=_polarity(item.polarity),
        expires_at=expiry(item.expires_at, item.ttl, now=now),
    )


def _spelled(predicate: str) -> Predicate:
    return Predicate(standard(Predicate(predicate)))


_relation: Final = lru_cache(maxsize=2048)(_spelled)


def _polarity(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"polarity must be True or False, not {value!r}.")
    return value


def check_evidence(items: Iterable[Evidence | int]) -> tuple[Evidence, ...]:
    """Evidence, or ids of frames, as evidence."""
    if type(items) is tuple and not items:
        return ()
    if isinstance(items, Evidence | int | str):
        raise InvalidInput("evidence must be a list.", hint="Write evidence=[Evidence(12)] or evidence=[12].")
    pieces = []
    for item in items:
        if isinstance(item, Evidence):
            pieces.append(item)
        elif isinstance(item, int):
            pieces.append(Evidence(item))
        else:
            raise InvalidInput(
                f"A {type(item).__name__} is not evidence.", hint="Give Evidence or a frame id."
            )
    return tuple(pieces)


def check_frames(tx: Transaction, claims: Sequence[Claim], *, space: str, dialect: Dialect) -> list[Claim]:
    """The claims with evidence that is known to be there: live, in the space or global, inside the text."""
    cited = [piece for item in claims for piece in item.evidence]
    if not cited:
        return list(claims)
    placed = iter(located(tx.db, cited, space=space, dialect=dialect))
    return [item._replace(evidence=tuple(next(placed) for _ in item.evidence)) for item in claims]


def located(db: Connection, cited: Sequence[Evidence], *, space: str, dialect: Dialect) -> list[Evidence]:
    """The pieces, each with its chunk's place; or an error that says which one is wrong."""
    frames = stored(db, sorted({piece.frame for piece in cited}))
    for piece in cited:
        row = frames.get(piece.frame)
        if row is None or not (row.space == space or row.scope == "global") or row.retired_at is not None:
            raise NotFound(
                f"There is no frame {piece.frame} in the space {split_partition(space)[0]} to be evidence.",
                hint="It may be forgotten, in another space, or in another part of this one: see user=.",
            )
    ranged = sorted({piece.frame for piece in cited if piece.start is not None})
    texts = {frame.id: frame.text.encode() for frame in fetch(db, dialect, ranged, View((space,)))}
    for piece in cited:
        if piece.start is not None and piece.end is not None:
            check_range(f"frame {piece.frame}", piece.start, piece.end, texts[piece.frame])
    return [_placed(piece, frames[piece.frame]) for piece in cited]


def check_premises(db: Connection, claims: Sequence[Claim], *, ledger: str) -> None:
    """Facts that others are derived from must be in the same ledger, or global."""
    premises = {premise for item in claims for premise in item.premises}
    in_ledger = Clause("1 = 1") if not premises else among("x.ledger", [ledger, GLOBAL])
    fact_ids = {row.fact_id for row in select_among(db, FactRow, "fact_id", premises, also=in_ledger)}
    for premise in sorted(premises - fact_ids):
        raise NotFound(f"There is no fact {premise} here to derive from.", hint="It may be in another space.")


def _assertion(values: Mapping[str, Any]) -> Assertion:
    if not isinstance(values, Mapping):
        raise InvalidInput(f"An assertion is an Assertion or a mapping, not {type(values).__name__}.")
    missing = [name for name in _NAMES[:3] if name not in values]
    if missing or not values.keys() <= _KNOWN:
        unknown = sorted(set(map(str, values)) - _KNOWN)
        wrong = f"has no {', '.join(missing)}" if missing else f"knows no {', '.join(unknown)}"
        raise InvalidInput(f"An assertion {wrong}.", hint=f"It has {', '.join(_NAMES)}.")
    return Assertion(**values)


def _premises(items: Iterable[FactHit | Recorded | int]) -> tuple[int, ...]:
    if type(items) is tuple and not items:
        return ()
    if isinstance(items, FactHit | Recorded | int | str):
        raise InvalidInput("derived_from must be a list of facts.", hint="Write derived_from=[hit].")
    fact_ids = []
    for item in items:
        fact_id = item.fact_id if isinstance(item, FactHit | Recorded) else item
        if isinstance(fact_id, bool) or not isinstance(fact_id, int) or not 0 < fact_id < 2**63:
            raise InvalidInput(
                f"{item!r} is not a fact to derive from.",
                hint="Give a hit, what record returned, or a fact's id.",
            )
        fact_ids.append(fact_id)
    return tuple(dict.fromkeys(fact_ids))


def _placed(piece: Evidence, row: FrameRow) -> Evidence:
    if piece.chunk is not None or row.start_byte is None:
        return piece
    return replace(piece, chunk=row.ordinal)
