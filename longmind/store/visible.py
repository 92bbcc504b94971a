"""A view and a where as SQL over `frame f`: the one filter that every lane and listing pushes down."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from operator import and_
from typing import Any, Final, NamedTuple

from longmind.base.filters import EVERYTHING, Comparison, Condition, View, Where
from longmind.base.names import ALL
from longmind.base.partitions import MARK
from longmind.base.places import Near
from longmind.base.times import FOREVER, AsOf
from longmind.store.engine import Value

_HIDDEN: Final = "SELECT 1 FROM frame_hidden h WHERE h.frame_id = f.frame_id"
_ABSENT: Final = (
    "SELECT 1 FROM frame_absence fa WHERE fa.frame_id = f.frame_id AND fa.since <= ? AND fa.until > ?"
)
"""Retired at an instant, and back since: a restored snapshot brought it."""
_STAGED: Final = "SELECT 1 FROM frame_staged fs WHERE fs.first_id <= {frame} AND fs.last_id >= {frame} AND "


class _Marks(dict[int, str]):
    """Placeholders by how many."""

    def __missing__(self, size: int) -> str:
        self[size] = ", ".join("?" * size)
        return self[size]


_MARKS: Final = _Marks()


class Clause(NamedTuple):
    """A condition, and the values for its placeholders in order."""

    sql: str
    values: tuple[Value, ...] = ()

    @property
    def is_true(self) -> bool:
        """Whether it holds of every row."""
        return self.sql == "1 = 1"

    def __and__(self, other: Clause) -> Clause:
        return Clause(f"{self.sql} AND {other.sql}", self.values + other.values)


def among(column: str, values: Sequence[Value]) -> Clause:
    """`column IN (...)`, and never true for no values."""
    count = len(values)
    if not count:
        return Clause("1 = 0")
    if count == 1:
        return Clause(f"{column} IN (?)", tuple(values))
    # A list of every length would be a statement of its own to be prepared, and push others out of the cache:
    # lists have 2, 4, 16, 64, 256 or 512 values.
    bits = (count - 1).bit_length()
    size = 1 << (bits + 1 if bits in (3, 5, 7) else bits)
    filler = (values[-1],) * (size - count)
    return Clause(f"{column} IN ({_MARKS[size]})", (*values, *filler))


def visible(view: View, where: Where) -> Clause:
    """Frames of the view's spaces and of scope global, at its instant, under the caller's conditions."""
    return both([in_spaces(view), at_instant(view), matching(where, view)])


def visible_by_id(view: View, where: Where = EVERYTHING) -> Clause:
    """Like `visible`, for reads that come to a frame by its id, from a list or from a row that names it."""
    return both([_unindexed(in_spaces(view)), at_instant(view), matching(where, view)])


def in_spaces(view: View) -> Clause:
    here = partitions(view, "f.space")
    if here.is_true or view.is_own:
        return here
    return Clause(f"({here.sql} OR f.scope = 'global')", here.values)


def _unindexed(clause: Clause) -> Clause:
    """A condition on the space of a frame that no index serves.

    Otherwise SQLite may begin with the index of the space, and look at every frame of it for a handful.
    """
    sql = clause.sql.replace("f.space", "(f.space || '')").replace("f.scope", "(f.scope || '')")
    return Clause(sql, clause.values)


def partitions(view: View, column: str) -> Clause:
    """The parts of spaces that a view reads, by their names in a column; the same as `View.covers`."""
    if view.spaces is ALL:
        return _of_all_spaces(view, column)
    here = among(column, view.spaces)
    if view.user is not ALL:
        return here
    tests = [here] + [
        Clause(f"substr({column}, 1, {len(name) + 1}) = ?", (f"{name}{MARK}",)) for name in view.spaces
    ]
    return either(tests)


def _of_all_spaces(view: View, column: str) -> Clause:
    """In the SQL that both engines understand, which cannot look for a character from the left."""
    if view.user is ALL:
        return Clause("1 = 1")
    shared = Clause(f"replace({column}, '{MARK}', '') = {column}")
    if view.user is None:
        return shared
    end = f"{MARK}{view.user}"
    ends = f"substr({column}, length({column}) - {len(end) - 1}) = ?"
    # A user may be called x@ana, too: the mark that ends the space's name is the first one.
    marks = f"length({column}) - length(replace({column}, '{MARK}', '')) = {end.count(MARK)}"
    theirs = Clause(f"({ends} AND {marks})", (end,))
    return theirs if view.is_own else either([shared, theirs])


def at_instant(view: View) -> Clause:
    """Half-open on the system axis; on the valid axis a frame begins and does not end."""
    clauses = []
    if view.as_of.system == FOREVER:
        clauses.append(Clause("f.retired_at IS NULL"))
    else:
        system = view.as_of.system
        clauses.append(
            Clause("f.recorded_at <= ? AND (f.retired_at IS NULL OR f.retired_at > ?)", (system, system))
        )
        clauses.append(Clause(f"NOT EXISTS ({_ABSENT})", (system, system)))
    clauses.append(published(view.as_of.system))
    if view.as_of.valid != FOREVER:
        clauses.append(Clause("f.occurred_at <= ?", (view.as_of.valid,)))
    if not view.with_hidden:
        clauses.append(Clause(f"NOT EXISTS ({_HIDDEN})"))
    clauses.append(unexpired(view))
    return both(clauses)


def published(system: int = FOREVER, frame: str = "f.frame_id") -> Clause:
    """Frames, named by a column, that are not part of a document which was still being written then."""
    staged = _STAGED.format(frame=frame)
    if system == FOREVER:
        return Clause(f"NOT EXISTS ({staged}fs.published_at IS NULL)")
    return Clause(f"NOT EXISTS ({staged}(fs.published_at IS NULL OR fs.published_at > ?))", (system,))


def unexpired(view: View, frame: str = "f.frame_id") -> Clause:
    """Frames, named by a column, that had not expired at the view's instant."""
    moment = view.expiry_moment
    if moment is None:
        return Clause("1 = 1")
    return Clause(
        f"NOT EXISTS (SELECT 1 FROM frame_expiry fe WHERE fe.frame_id = {frame} AND fe.expires_at <= ?)",
        (moment,),
    )


def matching(where: Where, view: View, *, besides: Collection[str] = ()) -> Clause:
    """The caller's conditions, less those on columns that were looked at elsewhere."""
    clauses = [_clause(condition) for condition in where.conditions() if condition.column not in besides]
    if where.tags:
        clauses.append(_tagged(where.tags, view, least=len(where.tags)))
    if where.any_tags:
        clauses.append(_tagged(where.any_tags, view))
    clauses += [_described(name, condition, view) for name, condition in where.metadata.items()]
    if where.near is not None:
        clauses.append(_near(where.near, view))
    return both(clauses)


def _clause(condition: Condition) -> Clause:
    column = f"f.{condition.column}"
    if condition.test == "in":
        return among(column, condition.value)
    return Clause(f"{column} {condition.test} ?", (condition.value,))


def both(clauses: Iterable[Clause]) -> Clause:
    """All of them; a tautology if there is none."""
    tests = [clause for clause in clauses if not clause.is_true]
    return reduce(and_, tests) if tests else Clause("1 = 1")


def either(clauses: Sequence[Clause]) -> Clause:
    """At least one of them."""
    values = tuple(value for clause in clauses for value in clause.values)
    return Clause(f"({' OR '.join(clause.sql for clause in clauses)})", values)


def differing(first: Clause, second: Clause) -> Clause:
    """Rows of which one of two conditions holds, and not the other."""
    return Clause(
        f"CASE WHEN {first.sql} THEN 1 ELSE 0 END <> CASE WHEN {second.sql} THEN 1 ELSE 0 END",
        first.values + second.values,
    )


def during(alias: str, as_of: AsOf) -> Clause:
    """A dated row (`since`, `until` on the system axis) that held at the instant."""
    if as_of.system == FOREVER:
        return Clause(f"{alias}.until IS NULL")
    system = as_of.system
    return Clause(f"{alias}.since <= ? AND ({alias}.until IS NULL OR {alias}.until > ?)", (system, system))


def value_key(canonical: str) -> int:
    """Eight bytes that stand for a metadata value in the index."""
    raw = hashlib.blake2b(canonical.encode(), digest_size=8).digest()
    return int.from_bytes(raw, "little", signed=True)


def value_number(canonical: str) -> float | None:
    """The value as a number, where it is one that a double can order."""
    value: Any = json.loads(canonical)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


# Tags and metadata belong to the whole document: a chunk answers with its parent's.
_OWNER = "CASE WHEN f.start_byte IS NULL THEN f.frame_id ELSE f.parent_id END"


def _tagged(tags: Sequence[str], view: View, least: int = 1) -> Clause:
    """At least so many of the tags: in one subquery, for planners take long over many."""
    inner = among("t.tag", tags) & during("t", view.as_of)
    enough = "" if least == 1 else f" GROUP BY t.frame_id HAVING count(*) >= {least}"
    return Clause(f"{_OWNER} IN (SELECT t.frame_id FROM frame_tag t WHERE {inner.sql}{enough})", inner.values)


def _described(name: str, condition: tuple[str, ...] | Comparison, view: View) -> Clause:
    clauses = [Clause("m.name = ?", (name,)), during("m", view.as_of)]
    if isinstance(condition, Comparison):
        bounds = ((">", condition.gt), (">=", condition.gte), ("<", condition.lt), ("<=", condition.lte))
        clauses += [
            Clause(f"m.value_number {sign} ?", (bound,)) for sign, bound in bounds if bound is not None
        ]
    else:
        clauses.append(among("m.value_key", [value_key(value) for value in condition]))
        clauses.append(among("m.value", condition))
    inner = both(clauses)
    return Clause(f"{_OWNER} IN (SELECT m.frame_id FROM frame_meta m WHERE {inner.sql})", inner.values)


def _near(near: Near, view: View) -> Clause:
    """Taken within a circle: by the index of latitudes first, then by the distance."""
    height, _ = near.box()
    distance, values = near.distance_sql("m.value_number", "n.value_number")
    inner = both(
        [
            Clause("m.name = 'lat' AND n.name = 'lon'"),
            during("m", view.as_of),
            during("n", view.as_of),
            Clause("m.value_number >= ? AND m.value_number <= ?", (near.lat - height, near.lat + height)),
            Clause(distance, values),
        ]
    )
    return Clause(
        f"{_OWNER} IN (SELECT m.frame_id FROM frame_meta m JOIN frame_meta n ON n.frame_id = m.frame_id "
        f"WHERE {inner.sql})",
        inner.values,
    )
