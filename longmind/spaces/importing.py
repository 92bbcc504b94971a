"""A space file into a space: planned under that space's rules, written in one transaction or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from longmind.base.checks import canonical_json
from longmind.base.errors import Conflict, InvalidInput, Unavailable
from longmind.spaces import rows, visibility, write
from longmind.spaces.file import SpaceFile
from longmind.spaces.objects import plan_object
from longmind.spaces.policies import Policy
from longmind.spaces.redaction import Redactor
from longmind.spaces.rows import SpaceRow
from longmind.spaces.space import ProjectSpace
from longmind.spaces.values import ImportReport
from longmind.store.engine import Connection
from longmind.store.partition_rows import is_in_use
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.when.arguments import parse_rfc3339

_ATTEMPTS: Final = 20
_KEPT, _REPLACED, _TAKEN = "kept", "replaced", "from the file"
"""What became of the rules of the space, in the words of the audit."""


def import_document(
    store: Store, space: ProjectSpace, document: SpaceFile, *, replace: bool, replace_policies: bool
) -> ImportReport:
    """Take over what a file holds. It is untrusted: the rules of a space that exists win over the file's."""
    stated = Policy().changed(document.policies)  # checked, also where they are not taken
    for _ in range(_ATTEMPTS):
        _, saved, own = space._rules()
        with store.read() as snapshot:
            begun = _is_begun(snapshot.db, space.name)
        outcome = _TAKEN if not begun else _REPLACED if replace_policies else _KEPT
        policy = own if outcome == _KEPT else stated
        redactor = Redactor(policy, space._key() if policy.pii_redaction else b"")
        metadata = canonical_json(redactor.value(dict(document.metadata)), "metadata")
        flags = set(redactor.flags)
        ready = _planned(store, space, document.objects, policy, flags)
        with store.write() as tx:
            before = rows.find_space(tx.db, space.name)
            if (None if before is None else before.policy) != saved or _is_begun(tx.db, space.name) != begun:
                continue  # other rules hold by now: plan again under them
            _make_room(store, tx, space.name, replace=replace)
            _put_record(tx, space.name, ready, metadata=metadata, policy=policy)
            for item in ready:
                write.upsert(tx, space.name, item, parts=store.parts)
            visibility.refresh(tx, space.name, policy)
            if outcome == _REPLACED and own != policy:
                rows.audit(tx, space.name, "policy", {"by": "import", "set": _changes(own, policy)})
            detail = {"objects": len(ready), "policies": outcome, "verified": document.verified}
            rows.audit(tx, space.name, "import", detail)
        notes = tuple(_notes(document, rules_differ=outcome == _KEPT and bool(_changes(own, stated))))
        return ImportReport(space.name, len(ready), document.verified, len(flags), notes)
    raise Unavailable("The policy of the space changed again and again.", hint="Try again.")


def _is_begun(db: Connection, space: str) -> bool:
    """Whether anything is kept in a space. One that nobody gave rules has the rules of a new space."""
    return rows.find_space(db, space) is not None or is_in_use(db, space)


def _planned(
    store: Store,
    space: ProjectSpace,
    objects: Sequence[Mapping[str, Any]],
    policy: Policy,
    flags: set[str],
) -> list[write.Ready]:
    """All objects, checked and redacted; the flags of what was redacted are added to `flags`."""
    ready = []
    for number, item in enumerate(objects):
        redactor = Redactor(policy, space._key() if policy.pii_redaction else b"")
        try:
            ready.append(_arriving(store, space.name, item, policy, redactor))
        except InvalidInput as error:
            raise InvalidInput(
                f"Invalid space file: object {number}: {error.message}",
                hint=error.hint or "Nothing was imported.",
            ) from None
        flags |= redactor.flags
    _check_distinct("id", (item.plan.id for item in ready))
    _check_distinct("path", (item.plan.path for item in ready))
    return ready


def _arriving(
    store: Store, space: str, item: Mapping[str, Any], policy: Policy, redactor: Redactor
) -> write.Ready:
    planned = plan_object(item, space=space, policy=policy, redactor=redactor, keep_times=True)
    times = [
        None if item.get(name) is None else parse_rfc3339(item[name], name)
        for name in ("created_at", "updated_at")
    ]
    created, updated = times[0], times[1] if times[1] is not None else times[0]
    return write.make_ready(
        store, planned, space=space, source="import", created_at=created, updated_at=updated, anew=True
    )


def _check_distinct(what: str, names: Iterable[str | None]) -> None:
    """Refuse what would be merged in silence: two objects of a file are two objects."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        if name is None:
            continue
        if name in seen:
            raise InvalidInput(
                f"Invalid space file: objects {seen[name]} and {number} have the same {what} {name!r}.",
                hint="Ask for a new export, or rename one of them; nothing was imported.",
            )
        seen[name] = number


def _make_room(store: Store, tx: Transaction, space: str, *, replace: bool) -> None:
    existing = rows.select(tx.db, rows.ObjectRow, "x.space = ? AND x.until IS NULL", (space,))
    if existing and not replace:
        raise Conflict(
            f"Space '{space}' has {len(existing)} objects already.",
            hint="Import into another space, or pass replace=True.",
        )
    write.archive(tx, existing, reason="replaced", parts=store.parts)


def _put_record(
    tx: Transaction, space: str, ready: Sequence[write.Ready], *, metadata: str, policy: Policy
) -> None:
    times = [item.updated_at for item in ready if item.updated_at is not None]
    latest = max(times, default=tx.now)
    first = min(times, default=latest)
    rows.put_space(tx, SpaceRow(space, 0, None, metadata, policy.to_json(), first, latest))


def _changes(before: Policy, after: Policy) -> list[str]:
    old, new = before.to_dict(), after.to_dict()
    return sorted(name for name in new if new[name] != old[name])


def _notes(document: SpaceFile, *, rules_differ: bool) -> Iterable[str]:
    if document.verified == "none":
        yield "the file has no hash: it could not be checked"
    if document.signed_with is not None and document.verified != "signature":
        yield (
            f"the file is signed with the key {document.signed_with}, and no key was given: its signature "
            "was not checked"
        )
    if rules_differ:
        yield "the space keeps its own rules, not those of the file; replace_policies takes the file's"
