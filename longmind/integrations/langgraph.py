"""LangGraph: a `BaseStore` over a Longmind memory.

`create_agent(..., store=LongmindStore(memory))`. Items are frames, so that the rest of Longmind finds them
too: a new value supersedes the old one, and a deleted item stays in the history.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from longmind.base.filters import UserLike, Where
from longmind.base.frame import Frame
from longmind.base.names import ALL
from longmind.base.times import from_ms
from longmind.importers.items import ITEM, item_fields, item_uri, prefix_tag
from longmind.integrations.core import missing
from longmind.memory import Memory

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
    )
except ImportError as error:
    raise missing("LangGraph", "langgraph", error) from None

Namespace = tuple[str, ...]
_PAGE: Final = 10_000
_MINUTE: Final = 60_000


class LongmindStore(BaseStore):
    """A store for LangGraph.

    `user_at` is the place in a namespace that names a user: with `user_at=1`, what is put under
    `("memories", "ana")` is in Ana's part of the space. A search above that place sees all users.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        space: str | None = None,
        user_at: int | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self._memory = memory
        self._space = space
        self._user_at = user_at
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads see the state before the batch; of several puts to one key, the last one counts."""
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            elif isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            else:
                raise ValueError(f"Unknown operation type: {type(op)}")
        if puts:
            with self._memory.session(mode="write"):
                for put in puts.values():
                    self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Forget the items that have expired; returns how many."""
        gone = [frame for frame in self._items(()) if self._is_expired(frame)]
        for frame in gone:
            self._memory.forget(frame.id, space=self._space, user=frame.user)
        return len(gone)

    # One operation each

    def _get(self, op: GetOp) -> Item | None:
        frame = self._find(op.namespace, op.key)
        if frame is None or self._is_expired(frame):
            return None
        self._refresh(frame, op.refresh_ttl)
        return Item(**_fields(frame))

    def _put(self, op: PutOp) -> None:
        old = self._find(op.namespace, op.key)
        user = self._user(op.namespace)
        if op.value is None:
            if old is not None:
                self._memory.forget(old.id, space=self._space, user=old.user)
            return
        now = self._memory.store.clock.now()
        fields = item_fields(op.namespace, op.key, op.value)
        created = now if old is None else old.metadata.get("created_at", old.occurred_at)
        fields["metadata"] |= {"created_at": created, **self._expiry(op.ttl, now)}
        if op.index is False:
            fields["text"] = op.key or "(empty)"  # kept, and not to be found by what it says
        item = {**fields, "occurred_at": now, "source": "agent", "repeatable": True}
        report = self._memory.remember_many([item], space=self._space, user=user)
        if old is not None and report.ids:
            self._memory.supersede(old.id, report.ids[0], space=self._space, user=user)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        ranked: list[tuple[Frame, float | None]] = []
        if op.query:
            hits = self._memory.search(
                op.query, where=self._where(op.namespace_prefix), space=self._space,
                user=self._readers(op.namespace_prefix), limit=min(1000, 10 * (op.offset + op.limit) + 50),
            )  # fmt: skip
            ranked = [
                (hit.frame, float(hit.score)) for hit in hits if self._is_in(hit.frame, op.namespace_prefix)
            ]
        seen = {frame.id for frame, _ in ranked}
        newest = sorted(self._items(op.namespace_prefix), key=lambda frame: (-frame.occurred_at, -frame.id))
        # As LangGraph's own stores do: what matches comes first, and the rest fills the page.
        ranked += [(frame, None) for frame in newest if frame.id not in seen]
        matching = [
            (frame, score)
            for frame, score in ranked
            if not self._is_expired(frame) and _passes(frame.metadata["value"], op.filter)
        ]
        page = matching[op.offset : op.offset + op.limit]
        for frame, _ in page:
            self._refresh(frame, op.refresh_ttl)
        return [SearchItem(**_fields(frame), score=score) for frame, score in page]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        names = {
            tuple(frame.metadata["namespace"]) for frame in self._items(()) if not self._is_expired(frame)
        }
        matching = {
            name[: op.max_depth]
            for name in names
            if all(_matches(it, name) for it in op.match_conditions or ())
        }
        return sorted(matching)[op.offset : op.offset + op.limit]

    # Frames

    def _user(self, namespace: Sequence[str]) -> str | None:
        """Whose part of the space a namespace is in."""
        at = self._user_at
        return namespace[at] if at is not None and len(namespace) > at else None

    def _readers(self, prefix: Sequence[str]) -> UserLike:
        user = self._user(prefix)
        return ALL if user is None and self._user_at is not None else user

    def _where(self, prefix: Sequence[str]) -> Where:
        return Where(kind=ITEM, tags=[prefix_tag(prefix)] if prefix else ())

    def _is_in(self, frame: Frame, prefix: Sequence[str]) -> bool:
        namespace = tuple(frame.metadata.get("namespace", ()))
        return namespace[: len(prefix)] == tuple(prefix) and frame.user == self._user(namespace)

    def _items(self, prefix: Sequence[str]) -> Iterator[Frame]:
        cursor: str | None = None
        while True:
            page = self._memory.list(
                where=self._where(prefix), limit=_PAGE, cursor=cursor, space=self._space,
                user=self._readers(prefix),
            )  # fmt: skip
            yield from (frame for frame in page if self._is_in(frame, prefix))
            if page.cursor is None:
                return
            cursor = page.cursor

    def _find(self, namespace: Namespace, key: str) -> Frame | None:
        user = self._user(namespace)
        where = Where(kind=ITEM, uri=item_uri(namespace, key))
        page = self._memory.list(where=where, space=self._space, user=user)
        return next((frame for frame in reversed(page) if frame.user == user), None)

    # Expiry

    def _expiry(self, ttl: float | None, now: int) -> dict[str, Any]:
        if ttl is None:
            ttl = (self.ttl_config or {}).get("default_ttl")
        return {} if ttl is None else {"ttl_minutes": ttl, "expires_at": now + int(ttl * _MINUTE)}

    def _is_expired(self, frame: Frame) -> bool:
        at = frame.metadata.get("expires_at")
        return isinstance(at, int) and at <= self._memory.store.clock.now()

    def _refresh(self, frame: Frame, may_refresh: bool) -> None:
        minutes = frame.metadata.get("ttl_minutes")
        if not may_refresh or minutes is None:
            return
        expires = self._memory.store.clock.now() + int(minutes * _MINUTE)
        changed = {**frame.metadata, "expires_at": expires}
        self._memory.update(frame.id, metadata=changed, space=self._space, user=frame.user)


def _fields(frame: Frame) -> dict[str, Any]:
    return {
        "value": frame.metadata["value"],
        "key": frame.metadata["key"],
        "namespace": tuple(frame.metadata["namespace"]),
        "created_at": from_ms(frame.metadata.get("created_at") or frame.occurred_at),
        "updated_at": from_ms(frame.occurred_at),
    }


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(label in ("*", name) for name, label in zip(part, path, strict=True))


def _passes(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    return all(_equals(value.get(key), condition) for key, condition in (conditions or {}).items())


def _equals(value: Any, condition: Any) -> bool:
    """Whether a value is as a filter says: equal, or by its operators, also inside of objects and lists."""
    if isinstance(condition, Mapping):
        if any(str(key).startswith("$") for key in condition):
            return all(_compares(value, name, bound) for name, bound in condition.items())
        return isinstance(value, Mapping) and all(
            _equals(value.get(key), it) for key, it in condition.items()
        )
    if isinstance(condition, list | tuple):
        same_length = isinstance(value, list | tuple) and len(value) == len(condition)
        return same_length and all(_equals(a, b) for a, b in zip(value, condition, strict=True))
    return bool(value == condition)


def _compares(value: Any, operator: str, bound: Any) -> bool:
    if operator == "$eq":
        return bool(value == bound)
    if operator == "$ne":
        return bool(value != bound)
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        number, limit = float(value), float(bound)
    except (TypeError, ValueError):
        return False
    above, same = number > limit, number == limit
    return {"$gt": above, "$gte": above or same, "$lt": not (above or same), "$lte": not above}[operator]
