"""What a project space does with the links of its objects."""

from __future__ import annotations

from typing import Annotated

from longmind.base.caller import audited
from longmind.base.checks import check_label
from longmind.base.errors import NotFound
from longmind.base.names import canonical_space
from longmind.base.partitions import partition_name, parts_seen
from longmind.base.results import Counts
from longmind.base.times import AsOf
from longmind.spaces import links, rows
from longmind.spaces.objects import places_of
from longmind.spaces.parameters import IdOrPath
from longmind.spaces.policies import Policy
from longmind.spaces.redaction import Redactor
from longmind.spaces.rows import ObjectRow
from longmind.spaces.values import LinkList
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.visible import Clause, among

ToSpace = Annotated[str | None, "The space of the other object, if it is another one."]
Relation = Annotated[str, "What the link says, such as depends_on."]


@audited("space.")
class LinkedSpace:
    """The links of the objects of one space, within it and to other spaces."""

    name: str
    user: str | None
    _part: str
    _store: Store

    def link(
        self,
        id_or_path: IdOrPath,
        to: Annotated[str, "The other object, by its id or its path."],
        *,
        to_space: ToSpace = None,
        relation: Relation = links.RELATES,
    ) -> LinkList:
        """Link an object to another one, of this space or of another; return the links it has then.

        The name of the link is redacted by the rules of both spaces. A link goes with its objects, and is
        not shown while the rules of either space hide one of them.
        """
        target_space = self.name if to_space is None else canonical_space(to_space)
        with self._store.read() as snapshot:
            redactors = [_redactor(self._store, snapshot.db, space) for space in (self.name, target_space)]
        wording = links.check_relation(relation, redactors)
        with self._store.write() as tx:
            start, end = self._end(tx.db, self.name, id_or_path), self._end(tx.db, target_space, to)
            links.add(tx, start, end, wording)
            return self._links(tx.db, start, AsOf.LATEST, hidden=False)

    def unlink(
        self,
        id_or_path: IdOrPath,
        to: Annotated[str, "The other object, by its id or its path."],
        *,
        to_space: ToSpace = None,
        relation: Annotated[str | None, "Only the link of this name; all of them, if left out."] = None,
    ) -> Counts:
        """Take links from one object to another away; they are still there as of before."""
        target_space = self.name if to_space is None else canonical_space(to_space)
        wording = None if relation is None else check_label(relation, "relation")
        with self._store.write() as tx:
            start, end = self._end(tx.db, self.name, id_or_path), self._end(tx.db, target_space, to)
            return Counts({"removed": links.remove(tx, start, end, wording)})

    def links(
        self,
        id_or_path: IdOrPath,
        *,
        include_hidden: Annotated[bool, "Also ends that the rules of visibility hide."] = False,
        as_of: AsOf = AsOf.LATEST,
    ) -> LinkList:
        """What an object is linked with, in this space and in others, both ways."""
        with self._store.read() as snapshot:
            here = self._end(snapshot.db, self.name, id_or_path, as_of)
            return self._links(snapshot.db, here, as_of, hidden=include_hidden)

    def _links(self, db: Connection, here: ObjectRow, as_of: AsOf, *, hidden: bool) -> LinkList:
        seen = () if self.user is None else (self.user,)
        return LinkList(tuple(links.links_of(db, here, seen=seen, as_of=as_of, hidden=hidden)))

    def _end(self, db: Connection, space: str, id_or_path: str, as_of: AsOf = AsOf.LATEST) -> ObjectRow:
        """An object of a space as this handle sees it: the user's own stands before a shared one."""
        name = check_label(id_or_path, "id_or_path")
        here = among("x.space", parts_seen(partition_name(space, self.user)))
        here &= rows.standing(as_of, self._store.now())
        for column, value in (("object_id", name), *(("path", path) for path in places_of(name))):
            clause = here & Clause(f"x.{column} = ?", (value,))
            versions = rows.select(db, ObjectRow, f"{clause.sql} ORDER BY x.space DESC", clause.values)
            if versions:
                return versions[0]
        raise NotFound(f"Memory '{name}' not found in space '{space}'", hint="Give its id or its path.")


def _redactor(store: Store, db: Connection, space: str) -> Redactor:
    record = rows.find_space(db, space)
    if record is None or not (policy := record.rules()).pii_redaction:
        return Redactor(Policy(), b"")
    return Redactor(policy, store.redaction.key())
