"""The words of the ledger: keys, values, evidence and hits, each frozen and checked when it is made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, Self, TypeVar

from longmind.base.checks import check_label, check_text
from longmind.base.errors import InvalidInput
from longmind.base.expiry import TtlLike
from longmind.base.times import FOREVER, format_ms, from_ms, to_ms
from longmind.facts.canonical import ObjectKind, Stored, alias_norm, canonical_text

BY_HAND: Final = "hand"
"""The extractor of evidence that a caller gave without naming one."""

MAX_KEY_CHARACTERS: Final = 400
MAX_VALUE_BYTES: Final = 1024 * 1024
MAX_QUALIFIERS: Final = 32
_MAX_NORM_BYTES: Final = 2000

Cardinality = Literal["one", "many"]
Scope = Literal["space", "global"]


class _Open(Enum):
    OPEN = "open"

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open.OPEN
"""Given as `valid_to=`: no end, even where another value begins later."""

Open = Literal[_Open.OPEN]
Key = TypeVar("Key", bound="_Key")


@lru_cache(maxsize=8192)
def _key(kind: type[Key], key: str) -> Key:
    """A checked key: a few names are named again and again."""
    label = check_label(key, kind.__name__.lower())
    if len(label) > MAX_KEY_CHARACTERS or len(canonical_text(label).encode()) > _MAX_NORM_BYTES:
        raise InvalidInput(
            f"A key has at most {MAX_KEY_CHARACTERS} characters.",
            hint="Name the thing shortly; keep its description in a frame or a fact.",
        )
    if not alias_norm(label):
        raise InvalidInput(f"{label!r} has no letter left to match by.")
    return str.__new__(kind, label)


class _Key(str):
    """A string that names something: trimmed, not empty, and no longer than an index can hold."""

    __slots__ = ()

    def __new__(cls, key: str) -> Self:
        if type(key) is cls:
            return key
        if not isinstance(key, str):
            raise InvalidInput(f"{cls.__name__} is named by a string, not {type(key).__name__}.")
        checked: Self = _key(cls, key if type(key) is str else str(key))
        return checked

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def norm(self) -> str:
        """Its canonical form: two keys are the same if these are equal."""
        return canonical_text(self)


class Entity(_Key):
    """The key of a thing in the world. As a value it means that thing, where a plain string is a text."""

    __slots__ = ()


class Predicate(_Key):
    """The key of a relation or property: open-world, any short string."""

    __slots__ = ()


Value = str | int | float | bool | bytes | datetime | Entity


class Typed(NamedTuple):
    """A value with its kind, as a column holds it."""

    kind: ObjectKind
    stored: Stored


def typed(value: object) -> Typed:
    """Check a value. A bool is never an int; NaN and infinities are refused; -0.0 is 0.0."""
    if isinstance(value, Entity):
        return Typed(ObjectKind.ENTITY, str(value))
    if isinstance(value, str):
        return Typed(ObjectKind.TEXT, str(check_text(value, "value", most_bytes=MAX_VALUE_BYTES, empty=True)))
    if isinstance(value, bool):
        return Typed(ObjectKind.BOOL, int(value))
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InvalidInput(f"The whole number {value} does not fit 64 bits.", hint="Record it as a text.")
        return Typed(ObjectKind.INT, int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{value} is no value: only finite numbers are kept.")
        return Typed(ObjectKind.DOUBLE, float(value) or 0.0)
    if isinstance(value, bytes):
        if len(value) > MAX_VALUE_BYTES:
            raise InvalidInput(f"A value has at most {MAX_VALUE_BYTES} bytes, not {len(value)}.")
        return Typed(ObjectKind.DATA, bytes(value))
    if isinstance(value, datetime):
        return Typed(ObjectKind.TIME, to_ms(value, "value"))
    raise InvalidInput(
        f"A {type(value).__name__} is no value of a fact.",
        hint="Give a str, int, float, bool, bytes, aware datetime, or Entity('key').",
    )


def untyped(kind: int, stored: Any) -> Value:
    """A column's content as the value that was given."""
    if kind == ObjectKind.ENTITY:
        return Entity(stored)
    if kind == ObjectKind.BOOL:
        return bool(stored)
    if kind == ObjectKind.TIME:
        return from_ms(stored)
    value: Value = stored
    return value


Qualifier = tuple[str, ObjectKind, Stored]


def check_qualifiers(qualifiers: Mapping[str, Value] | None) -> tuple[Qualifier, ...]:
    """Pairs in the order of their canonical keys; a key given twice is refused."""
    if qualifiers is None:
        return ()
    if not isinstance(qualifiers, Mapping):
        raise InvalidInput(f"qualifiers must be a mapping, not {type(qualifiers).__name__}.")
    checked: dict[str, Qualifier] = {}
    for key, value in qualifiers.items():
        name = Predicate(key)
        if name.norm in checked:
            raise InvalidInput(f"The qualifier {key!r} is given twice.")
        checked[name.norm] = (str(name), *typed(value))
    if len(checked) > MAX_QUALIFIERS:
        raise InvalidInput(f"There are {len(checked)} qualifiers; the most is {MAX_QUALIFIERS}.")
    return tuple(checked[norm] for norm in sorted(checked))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a fact is said: a frame, and if known the UTF-8 bytes `[start, end)` of its text.

    A chunk is a frame of its own: `frame` is its id, and `chunk` its place in the document.
    """

    frame: int
    start: int | None = None
    end: int | None = None
    chunk: int | None = None
    extractor: str = BY_HAND
    version: str = ""
    confidence: float | None = None
    asserted_at: int | None = None
    """Unix milliseconds; None when recording: the clock's reading."""

    def __post_init__(self) -> None:
        if isinstance(self.frame, bool) or not isinstance(self.frame, int) or not 0 < self.frame < 2**63:
            raise InvalidInput(f"{self.frame!r} is not a frame id.")
        if (self.start is None) != (self.end is None):
            raise InvalidInput("Evidence has both start and end, or neither.")
        for name, offset in (("start", self.start), ("end", self.end), ("chunk", self.chunk)):
            if offset is not None and (isinstance(offset, bool) or not isinstance(offset, int) or offset < 0):
                raise InvalidInput(f"The {name} of evidence must be 0 or more, not {offset!r}.")
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise InvalidInput(f"The byte range [{self.start}, {self.end}) of evidence is empty.")
        check_label(self.extractor, "extractor")
        if self.version:
            check_label(self.version, "version")
        sure = self.confidence
        if sure is not None:
            if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
                raise InvalidInput(f"confidence must lie between 0 and 1, not {sure!r}.")
            object.__setattr__(self, "confidence", float(sure))
        if self.asserted_at is not None:
            object.__setattr__(self, "asserted_at", to_ms(self.asserted_at, "asserted_at"))

    @property
    def place(self) -> tuple[int, int | None, int | None, int | None, str, str]:
        """What makes two pieces the same."""
        return self.frame, self.chunk, self.start, self.end, self.extractor, self.version


@dataclass(frozen=True, slots=True)
class Fact:
    """A proposition: what is said, without when it was so or who says so."""

    subject: Entity
    predicate: Predicate
    object: Value
    kind: ObjectKind
    """Tells values apart that Python calls equal: 1, 1.0 and True; a text and an entity's key."""
    qualifiers: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        aside = ", ".join(f"{key}: {shown(value)}" for key, value in self.qualifiers)
        return f"{self.subject} {self.predicate} {shown(self.object)}{f' ({aside})' if aside else ''}"


@dataclass(frozen=True, slots=True)
class FactHit:
    """One period of a fact, as the store knew it at the `as_of` of the read."""

    fact_id: int
    fact: Fact
    evidence: tuple[Evidence, ...]
    valid_from: int
    valid_to: int | None
    system_from: int
    system_to: int | None
    span_id: int
    space: str
    scope: Scope
    by_hand: bool
    """True: recorded by a caller, so it stays when the frames it came from are forgotten."""
    reason: str | None = None
    """Why it was closed, in a history."""
    shadows_global: bool = False
    """True: every other space sees a global value here that this one stands in front of."""
    shadowed: bool = False
    """True: a value behind another of the view: a global one behind a space's, or a space's behind its
    user's (listed only on request)."""
    derived_from: tuple[int, ...] = ()
    lost_premises: tuple[int, ...] = ()
    """Facts this one rested on, directly or not, that were retracted since; 0 stands for an erased one."""
    evidence_truncated: bool = False
    user: str | None = None
    """Whose part of the space it is in; None for what all share."""
    shadows_space: bool = False
    """True: other users see a value of the space here that this user's own stands in front of."""
    channel: str = "call"
    """How the most trusted of what it rests on came in, such as user_turn, note, document or call."""
    speaker: str | None = None
    trust: str = "high"
    """low, normal or high: that of the most trusted of what it rests on."""

    @property
    def is_open_ended(self) -> bool:
        """Whether it has an end on neither axis."""
        return self.valid_to is None and self.system_to is None

    @property
    def flagged(self) -> bool:
        """Whether a premise is gone, so that this should be looked at again."""
        return bool(self.lost_premises)

    def __str__(self) -> str:
        end = "" if self.valid_to is None else f" until {format_ms(self.valid_to)}"
        return f"{self.fact} since {format_ms(self.valid_from)}{end}{cited(self.evidence)}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one assertion."""

    fact_id: int
    status: Literal["recorded", "extended", "unchanged", "quarantined"]
    """`extended`: joined with periods of the same value. `unchanged`: already known, and asserted again.
    `quarantined`: kept, but not believed until it is confirmed."""
    superseded: tuple[int, ...] = ()
    """Facts of other values that had to make room."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """The arguments of `record`, for recording many at once."""

    subject: str
    predicate: str
    value: Value
    valid_from: datetime | int | None = None
    """None: the clock's reading when it is written."""
    valid_to: datetime | int | Open | None = None
    """None: until the next other value of a `one` predicate begins, else open. `OPEN`: no end in any case."""
    qualifiers: Mapping[str, Value] | None = None
    evidence: Iterable[Evidence | int] = ()
    derived_from: Iterable[FactHit | Recorded | int] = ()
    polarity: bool = True
    """False: it is not so over this period."""
    expires_at: datetime | int | None = None
    """From then on no read holds it to be so; None: it stays."""
    ttl: TtlLike = None


def check_period(
    valid_from: datetime | int | None, valid_to: datetime | int | Open | None
) -> tuple[int | None, int | Open | None]:
    """Both ends in milliseconds; an end at or before the start is refused."""
    start = None if valid_from is None else to_ms(valid_from, "valid_from")
    if valid_to is None or valid_to is OPEN:
        return start, OPEN if valid_to is OPEN else None
    end = to_ms(valid_to, "valid_to")
    if end == FOREVER:
        return start, OPEN
    if start is not None:
        check_order(start, end)
    return start, end


def check_order(start: int, end: int) -> None:
    if end <= start:
        raise InvalidInput(
            f"The period ends at {format_ms(end)}, not after it begins at {format_ms(start)}.",
            hint="Periods are half-open: valid_to must be later than valid_from.",
        )


def check_range(name: str, start: int, end: int, text: bytes) -> None:
    """Bytes that lie within a text, and cut no character in two."""
    if end > len(text):
        raise InvalidInput(f"The bytes [{start}, {end}) do not lie within the {len(text)} bytes of {name}.")
    try:
        text[start:end].decode()
    except UnicodeDecodeError:
        raise InvalidInput(
            f"The bytes [{start}, {end}) of {name} cut a character in two.",
            hint="Count the bytes of the text's UTF-8 form.",
        ) from None


def cited(evidence: Sequence[Evidence]) -> str:
    """The frames of some evidence as a reader cites them."""
    frames = list(dict.fromkeys(item.frame for item in evidence))
    return f" [frame {', '.join(map(str, frames))}]" if frames else ""


def shown(value: Value) -> str:
    if isinstance(value, datetime):
        return format_ms(to_ms(value))
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    return str(value).lower() if isinstance(value, bool) else str(value)
