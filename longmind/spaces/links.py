"""Links between objects, also of two spaces: made under the rules of both, shown as far as both allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from longmind.base.checks import check_label
from longmind.base.errors import InvalidInput
from longmind.base.partitions import split_partition
from longmind.base.times import AsOf
from longmind.spaces import rows, visibility
from longmind.spaces.policies import Policy
from longmind.spaces.redaction import Redactor
from longmind.spaces.rows import LinkRow, ObjectRow
from longmind.spaces.values import SpaceLink
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among, during

RELATES: Final = "relates_to"
_MOST_RELATION_BYTES: Final = 200


def check_relation(relation: str, redactors: Sequence[Redactor]) -> str:
    """The name of a link, without what either of its spaces redacts."""
    name = check_label(relation, "relation")
    for redactor in redactors:
        name = redactor.text(name)
    if len(name.encode()) > _MOST_RELATION_BYTES:
        raise InvalidInput(f"relation has more than {_MOST_RELATION_BYTES} bytes.", hint="Shorten it.")
    return name


def add(tx: Transaction, start: ObjectRow, end: ObjectRow, relation: str) -> bool:
    """Link two objects; False if they are linked so already."""
    if (start.space, start.object_id) == (end.space, end.object_id):
        raise InvalidInput("An object is not linked to itself.", hint="Name another object.")
    if _open(tx.db, start, end, relation):
        return False
    number = tx.allocate("space_link")
    link = LinkRow(
        number, start.space, start.object_id, end.space, end.object_id, relation, tx.system, None, tx.now
    )
    rows.insert(tx.db, [link])
    return True


def remove(tx: Transaction, start: ObjectRow, end: ObjectRow, relation: str | None) -> int:
    """End the links from one object to another, or the one of this name; return how many there were."""
    links = _open(tx.db, start, end, relation)
    rows.close(tx, links)
    return len(links)


def links_of(
    db: Connection, here: ObjectRow, *, seen: Sequence[str], as_of: AsOf, hidden: bool
) -> list[SpaceLink]:
    """The links of an object at an instant, both ways; `seen` are the users' parts that the reader sees.

    An end that is forgotten, or that the rules of its space hide, is not shown.
    """
    links: list[SpaceLink] = []
    policies: dict[str, Policy] = {}
    for relation, direction, part, object_id in _ends(db, here, as_of):
        space, user = split_partition(part)
        if user is not None and user not in seen:
            continue
        clause = Clause("x.space = ? AND x.object_id = ?", (part, object_id)) & during("x", as_of)
        versions = rows.select(db, ObjectRow, clause.sql, clause.values)
        if not versions:
            continue
        if space not in policies:
            record = rows.find_space(db, space, as_of)
            policies[space] = Policy() if record is None else record.rules()
        far = versions[0]
        if hidden or not visibility.is_hidden(policies[space], far):
            links.append(
                SpaceLink(
                    relation, direction, space, far.object_id, far.path, far.kind, far.summary_micro, user
                )
            )
    return sorted(links, key=lambda link: (link.relation, link.direction, link.space, link.path))


def _ends(
    db: Connection, here: ObjectRow, as_of: AsOf
) -> Iterator[tuple[str, Literal["outbound", "inbound"], str, str]]:
    """Relation, direction and the other end of each link."""
    end = (here.space, here.object_id)
    in_force = during("x", as_of)
    outbound = Clause("x.space = ? AND x.object_id = ?", end) & in_force
    for row in rows.select(db, LinkRow, f"{outbound.sql} ORDER BY x.link_id", outbound.values):
        yield row.relation, "outbound", row.to_space, row.to_object_id
    inbound = Clause("x.to_space = ? AND x.to_object_id = ?", end) & in_force
    for row in rows.select(db, LinkRow, f"{inbound.sql} ORDER BY x.link_id", inbound.values):
        yield row.relation, "inbound", row.space, row.object_id


def _open(db: Connection, start: ObjectRow, end: ObjectRow, relation: str | None) -> list[LinkRow]:
    clause = Clause(
        "x.space = ? AND x.object_id = ? AND x.to_space = ? AND x.to_object_id = ? AND x.until IS NULL",
        (start.space, start.object_id, end.space, end.object_id),
    )
    if relation is not None:
        clause &= among("x.relation", [relation])
    return rows.select(db, LinkRow, clause.sql, clause.values)
