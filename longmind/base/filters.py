"""Which frames a request may see: spaces and instant (the view), and the caller's own conditions (where)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from math import isnan
from typing import Any, Final, Literal

from longmind.base.checks import canonical_json, check_label, check_tags
from longmind.base.errors import InvalidInput
from longmind.base.names import ALL, AllSpaces
from longmind.base.partitions import check_user, partition_name, split_partition
from longmind.base.places import Near
from longmind.base.times import FOREVER, AsOf, to_ms

OneOrMore = str | Iterable[str]
SpaceLike = str | Iterable[str] | AllSpaces
UserLike = str | AllSpaces | None

MOST_VALUES = 10_000
"""Values that one filter may name; the engines take some tens of thousands in a whole statement."""

_MOST_SPACES = 100
_MOST_CONDITIONS = 32


@dataclass(frozen=True, slots=True)
class View:
    """The parts of spaces that a read is made from, and the instant it is made as of."""

    spaces: tuple[str, ...] | AllSpaces
    """Names of partitions: `work` for what all of a space share, `work@ana` for one user's part."""
    as_of: AsOf = AsOf.LATEST
    user: UserLike = None
    """Whose parts are read beside the shared ones. ALL is everybody's, for those who look after the store."""
    is_own: bool = False
    """True: only the user's parts, neither what is shared nor what is global. Who changes or removes
    something as a user does it to what is theirs."""
    with_hidden: bool = False
    """Also what the rules of visibility of a space hide: for who keeps or erases, not for answers."""
    now: int | None = None
    """The clock's reading when a read began: what has expired by then is not in LATEST. None inside writes,
    which retire it before anything else."""

    @classmethod
    def of(
        cls,
        space: SpaceLike,
        as_of: AsOf = AsOf.LATEST,
        user: UserLike = None,
        *,
        to_change: bool = False,
        now: int | None = None,
    ) -> View:
        """What a reader sees: the shared part of each space, and that of the user, if one is named.

        `to_change`: what may be changed, which is only the user's own part if one is named.
        """
        if not isinstance(as_of, AsOf):
            raise InvalidInput(
                f"as_of must be an AsOf, not {type(as_of).__name__}.", hint="Write AsOf.at(moment)."
            )
        whose = user if user is None or user is ALL else check_user(user)
        is_own = to_change and isinstance(whose, str)
        if space is ALL:
            return cls(ALL, as_of, whose, is_own, now=now)
        if not isinstance(space, Iterable):
            raise InvalidInput(f"space must be a name or several, not {type(space).__name__}.")
        names = [space] if isinstance(space, str) else list(space)
        if len(names) > _MOST_SPACES:
            raise InvalidInput(f"At most {_MOST_SPACES} spaces can be named.", hint="Pass space=ALL.")
        if not names:
            raise InvalidInput("No space was named.", hint="Name one, or pass space=ALL.")
        parts = {partition_name(name) for name in names}
        if isinstance(whose, str):
            theirs = {partition_name(name, whose) for name in parts}
            parts = theirs if is_own else parts | theirs
        return cls(tuple(sorted(parts)), as_of, whose, is_own, now=now)

    @property
    def expiry_moment(self) -> int | None:
        """By which moment something has to have expired not to be seen: that of `as_of`, else `now`."""
        return self.now if self.as_of.system == FOREVER else self.as_of.system

    def at(self, as_of: AsOf) -> View:
        """The same parts as of another instant."""
        return replace(self, as_of=as_of)

    def own(self) -> View:
        """Only the user's parts of it, where a user looks: what is not shared even if names are the same."""
        if not isinstance(self.user, str):
            return self
        if self.spaces is ALL:
            return replace(self, is_own=True)
        theirs = tuple(name for name in self.spaces if split_partition(name)[1] == self.user)
        return replace(self, spaces=theirs, is_own=True)

    def covers(self, partition: str) -> bool:
        """Whether the view reads a part of a space, by its name."""
        space, user = split_partition(partition)
        if self.spaces is ALL:
            return self.user is ALL or user == self.user or (user is None and not self.is_own)
        return partition in self.spaces or (self.user is ALL and space in self.spaces)

    def sees(self, partition: str, scope: str) -> bool:
        """Whether the view shows a frame, by the part of a space that it is in and by its scope."""
        return self.covers(partition) or (scope == "global" and not self.is_own)

    @property
    def space_names(self) -> tuple[str, ...] | AllSpaces:
        """The spaces, whoever's part of them is read."""
        if self.spaces is ALL:
            return ALL
        return tuple(sorted({split_partition(name)[0] for name in self.spaces}))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Bounds on a number in the metadata."""

    gt: float | None = None
    gte: float | None = None
    lt: float | None = None
    lte: float | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one column of `frame`: `in` several values, or `>=` or `<` one."""

    column: str
    test: Literal["in", ">=", "<"]
    value: Any


LABELS: Final = ("kind", "session", "role", "speaker", "uri", "source")
"""What `Where` tests by the column of the same name: any of the values, and no test for none."""


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions on frames; those given must all hold.

    `kind`, `session`, `role`, `speaker`, `uri` and `source` take one value or several (any of them; of an
    empty list, none). `tags` must all be there; `any_tags` at least one. `since` and `until` bound
    `occurred_at`, half-open. `metadata` maps a top-level key to a value, a list (any of), or
    bounds such as `{"gte": 3, "lt": 9}`. `near` is a latitude, a longitude and kilometres, and keeps what was
    taken (`lat` and `lon` in its metadata) within that distance.
    """

    kind: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    speaker: tuple[str, ...] = ()
    uri: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    any_tags: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    ids: tuple[int, ...] | None = None
    parent: tuple[int, ...] | None = None
    metadata: Mapping[str, tuple[str, ...] | Comparison] = field(default_factory=dict)
    near: Near | None = None

    def __init__(
        self,
        *,
        kind: OneOrMore | None = None,
        session: OneOrMore | None = None,
        role: OneOrMore | None = None,
        speaker: OneOrMore | None = None,
        uri: OneOrMore | None = None,
        source: OneOrMore | None = None,
        tags: Iterable[str] = (),
        any_tags: Iterable[str] | None = None,
        since: datetime | int | None = None,
        until: datetime | int | None = None,
        ids: Iterable[int] | None = None,
        parent: int | Iterable[int] | None = None,
        metadata: Mapping[str, Any] | None = None,
        near: Near | str | Iterable[float] | None = None,
    ) -> None:
        labels = dict(zip(LABELS, (kind, session, role, speaker, uri, source), strict=True))
        for name, value in labels.items():
            object.__setattr__(self, name, () if value is None else _labels(value, name))
        object.__setattr__(self, "tags", check_tags(tags))
        object.__setattr__(self, "any_tags", () if any_tags is None else check_tags(any_tags))
        chosen = {**labels, "any_tags": any_tags}
        if any(value is not None and not getattr(self, name) for name, value in chosen.items()):
            ids = ()  # one of no values: nothing is one of them
        object.__setattr__(self, "since", None if since is None else to_ms(since, "since"))
        object.__setattr__(self, "until", None if until is None else to_ms(until, "until"))
        object.__setattr__(self, "ids", None if ids is None else _ids(ids, "ids"))
        parents = (parent,) if isinstance(parent, int) else parent
        object.__setattr__(self, "parent", None if parents is None else _ids(parents, "parent"))
        object.__setattr__(self, "metadata", _conditions({} if metadata is None else metadata))
        object.__setattr__(self, "near", None if near is None else Near.of(near))
        values = [getattr(self, name) or () for name in (*LABELS, "ids", "parent")]
        values += [condition for condition in self.metadata.values() if isinstance(condition, tuple)]
        if sum(map(len, values)) > MOST_VALUES:
            raise InvalidInput(f"where names more than {MOST_VALUES} values.", hint="Ask in parts.")

    @classmethod
    def of(cls, where: Where | Mapping[str, Any] | None) -> Where:
        """A `Where`, from itself, from a mapping with the same names, or from nothing."""
        if where is None:
            return EVERYTHING
        if isinstance(where, Where):
            return where
        if not isinstance(where, Mapping):
            raise InvalidInput(
                f"where must be a Where or a mapping, not {type(where).__name__}.",
                hint="Write it as Where(...) or as a dict: {'kind': 'note'}.",
            )
        names = {item.name for item in fields(cls)}
        unknown = sorted(set(map(str, where)) - names)
        if unknown:
            raise InvalidInput(
                f"where knows no {', '.join(unknown)}.", hint=f"It knows {', '.join(sorted(names))}."
            )
        return cls(**where)

    @property
    def is_empty(self) -> bool:
        return self == EVERYTHING

    def conditions(self) -> Iterator[Condition]:
        """What can be decided by the frame's own columns; the rest is about tags and metadata.

        SQL and the catalog in memory are both made of these, so that the two cannot differ.
        """
        for name in LABELS:
            if values := getattr(self, name):
                yield Condition(name, "in", values)
        if self.since is not None:
            yield Condition("occurred_at", ">=", self.since)
        if self.until is not None:
            yield Condition("occurred_at", "<", self.until)
        if self.ids is not None:
            yield Condition("frame_id", "in", self.ids)
        if self.parent is not None:
            yield Condition("parent_id", "in", self.parent)

    def to_mapping(self) -> dict[str, Any]:
        """The conditions as plain values that `of` takes back."""
        mapping: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value not in ((), None, {}) or (value == () and item.name in ("ids", "parent")):
                mapping[item.name] = list(value) if isinstance(value, tuple) else value
        if self.near is not None:
            mapping["near"] = self.near.values()
        if self.metadata:
            mapping["metadata"] = {
                name: [json.loads(text) for text in condition]
                if isinstance(condition, tuple)
                else {bound: value for bound, value in asdict(condition).items() if value is not None}
                for name, condition in self.metadata.items()
            }
        return mapping

    def with_kinds(self, kinds: Iterable[str]) -> Where:
        """The same conditions, with further kinds allowed."""
        copy = _copy(self)
        object.__setattr__(copy, "kind", tuple(sorted({*self.kind, *kinds})))
        return copy

    def within(self, *, since: int | None, until: int | None) -> Where:
        """The same conditions, with the time range narrowed."""
        starts = [moment for moment in (self.since, since) if moment is not None]
        ends = [moment for moment in (self.until, until) if moment is not None]
        copy = _copy(self)
        object.__setattr__(copy, "since", max(starts) if starts else None)
        object.__setattr__(copy, "until", min(ends) if ends else None)
        return copy


def _copy(where: Where) -> Where:
    copy = object.__new__(Where)
    for item in fields(Where):
        object.__setattr__(copy, item.name, getattr(where, item.name))
    return copy


def _labels(value: OneOrMore, name: str) -> tuple[str, ...]:
    if not isinstance(value, Iterable):
        raise InvalidInput(f"{name} must be a string or several, not {type(value).__name__}.")
    values = [value] if isinstance(value, str) else list(value)
    return tuple(sorted({check_label(item, name) for item in values}))


def _ids(values: Iterable[int], name: str) -> tuple[int, ...]:
    if not isinstance(values, Iterable):
        raise InvalidInput(f"{name} must be a list of frame ids, not {type(values).__name__}.")
    ids = set()
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
            raise InvalidInput(f"{name} must hold positive whole numbers, not {value!r}.")
        ids.add(int(value))
    return tuple(sorted(ids))


def _conditions(metadata: Mapping[str, Any]) -> dict[str, tuple[str, ...] | Comparison]:
    if not isinstance(metadata, Mapping):
        raise InvalidInput(
            f"metadata must be a mapping, not {type(metadata).__name__}.", hint="Write it as {'key': value}."
        )
    if len(metadata) > _MOST_CONDITIONS:
        raise InvalidInput(
            f"metadata sets {len(metadata)} conditions; the most is {_MOST_CONDITIONS}.",
            hint="Ask for fewer, and filter the hits yourself.",
        )
    by_name = {check_label(key, "metadata key"): value for key, value in metadata.items()}
    if len(by_name) != len(metadata):
        raise InvalidInput(
            "Two keys of metadata differ only in white space around them.", hint="Keep one of them."
        )
    conditions: dict[str, tuple[str, ...] | Comparison] = {}
    for name, value in sorted(by_name.items()):
        if isinstance(value, Comparison):
            conditions[name] = value
        elif isinstance(value, Mapping) and value and set(value) <= {"gt", "gte", "lt", "lte"}:
            conditions[name] = _comparison(name, value)
        elif isinstance(value, list | tuple | set | frozenset):
            conditions[name] = tuple(sorted({canonical_json(item, name) for item in value}))
        else:
            conditions[name] = (canonical_json(value, name),)
    return conditions


def _comparison(name: str, bounds: Mapping[str, Any]) -> Comparison:
    numbers: dict[str, float] = {}
    for key, bound in bounds.items():
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise InvalidInput(
                f"The bounds of metadata[{name!r}] must be numbers, not {bound!r}.",
                hint="Write them as {'gte': 1, 'lt': 10}.",
            )
        try:
            numbers[key] = float(bound)
        except OverflowError:
            raise InvalidInput(f"A bound of metadata[{name!r}] is too large to compare with.") from None
        if isnan(numbers[key]):
            raise InvalidInput(f"A bound of metadata[{name!r}] is not a number.")
    return Comparison(**numbers)


EVERYTHING = Where()
