"""CrewAI: a storage for its memory, and the memory as tools.

`Memory(storage=LongmindStorage(memory))`. CrewAI asks a storage by an embedding of its own, not by the text:
its recall compares vectors only. The tools ask Longmind itself, by words, meaning, facts and time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from longmind.base.arrays import np
from longmind.base.filters import Where
from longmind.base.frame import Frame
from longmind.importers.values import kept, moment
from longmind.integrations.core import in_thread, missing
from longmind.integrations.tools import FunctionTool, MemoryTools
from longmind.memory import Memory

try:
    from crewai.memory.types import MemoryRecord, ScopeInfo
    from crewai.tools import BaseTool
    from pydantic import Field, create_model
except ImportError as error:
    raise missing("CrewAI", "crewai", error) from None

RECORD: Final = "crewai_record"
_PAGE: Final = 10_000


class LongmindStorage:
    """Records as frames: an updated record is superseded, a deleted one stays in the history."""

    def __init__(self, memory: Memory, *, user: str | None = None, space: str | None = None) -> None:
        self._memory = memory
        self._user = memory.default_user if user is None else user
        self._space = space

    def save(self, records: list[MemoryRecord]) -> None:
        items = [_item(record) for record in records]
        if items:
            with self._memory.session(mode="write"):
                older = [self._find(record.id) for record in records]
                report = self._memory.remember_many(items, space=self._space, user=self._user)
                for old, new in zip(older, report.ids, strict=True):
                    if old is not None:
                        self._memory.supersede(old.id, new, space=self._space, user=self._user)

    def update(self, record: MemoryRecord) -> None:
        self.save([record])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        query = np.asarray(query_embedding, dtype=float)
        length = float(np.linalg.norm(query)) or 1.0
        scored: list[tuple[MemoryRecord, float]] = []
        for record in self._records(scope_prefix, categories, metadata_filter):
            vector = np.asarray(record.embedding or (), dtype=float)
            if vector.shape == query.shape and (size := float(np.linalg.norm(vector))):
                score = float(query @ vector) / (length * size)
                if score >= min_score:
                    scored.append((record, score))
        scored.sort(key=lambda pair: -pair[1])
        return scored[:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        bound = None if older_than is None else moment(older_than.isoformat())
        frames = [
            frame
            for frame, record in self._pairs()
            if _is_in(record, scope_prefix)
            and _has(record, categories, metadata_filter)
            and (record_ids is None or record.id in record_ids)
            and (bound is None or (moment(record.created_at.isoformat()) or 0) < bound)
        ]
        for frame in frames:
            self._memory.forget(frame.id, space=self._space, user=self._user)
        return len(frames)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        frame = self._find(record_id)
        return None if frame is None else _record(frame)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        records = sorted(self._records(scope_prefix), key=lambda record: record.created_at, reverse=True)
        return records[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        records = list(self._records(scope))
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        above = "/" + parent.strip("/")
        depth = len([part for part in above.split("/") if part])
        children = set()
        for record in self._records(parent):
            parts = [part for part in record.scope.split("/") if part]
            if len(parts) > depth:
                children.add("/" + "/".join(parts[: depth + 1]))
        return sorted(children)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        return dict(Counter(name for record in self._records(scope_prefix) for name in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        return sum(1 for _ in self._records(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        self.delete(scope_prefix=scope_prefix)

    async def asave(self, records: list[MemoryRecord]) -> None:
        await in_thread(self.save, records)

    async def asearch(
        self, query_embedding: list[float], *options: Any, **named: Any
    ) -> list[tuple[MemoryRecord, float]]:
        return await in_thread(lambda: self.search(query_embedding, *options, **named))

    async def adelete(self, *options: Any, **named: Any) -> int:
        return await in_thread(lambda: self.delete(*options, **named))

    def _find(self, record_id: str) -> Frame | None:
        where = Where(kind=RECORD, uri=f"crewai:{record_id}")
        page = self._memory.list(where=where, space=self._space, user=self._user)
        return next((frame for frame in reversed(page) if frame.user == self._user), None)

    def _pairs(self) -> Iterator[tuple[Frame, MemoryRecord]]:
        cursor: str | None = None
        while True:
            page = self._memory.list(
                where=Where(kind=RECORD), limit=_PAGE, cursor=cursor, space=self._space, user=self._user
            )
            yield from ((frame, _record(frame)) for frame in page if frame.user == self._user)
            if page.cursor is None:
                return
            cursor = page.cursor

    def _records(
        self,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> Iterator[MemoryRecord]:
        for _, record in self._pairs():
            if _is_in(record, scope) and _has(record, categories, metadata):
                yield record


def _item(record: MemoryRecord) -> dict[str, Any]:
    whole = {**record.model_dump(mode="json"), "embedding": record.embedding}
    return {
        "text": record.content if record.content.strip() else "(empty)", "kind": RECORD,
        "uri": f"crewai:{record.id}", "source": "agent", "repeatable": True,
        "occurred_at": moment(record.created_at.isoformat()), "metadata": kept({"record": whole}),
    }  # fmt: skip


def _record(frame: Frame) -> MemoryRecord:
    return MemoryRecord(**frame.metadata["record"])


def _is_in(record: MemoryRecord, scope: str | None) -> bool:
    prefix = "/" + (scope or "").strip("/")
    return prefix == "/" or record.scope == prefix or record.scope.startswith(f"{prefix}/")


def _has(record: MemoryRecord, categories: list[str] | None, metadata: dict[str, Any] | None) -> bool:
    """Any of the categories, and all of the metadata."""
    chosen = not categories or any(name in record.categories for name in categories)
    return chosen and all(record.metadata.get(key) == value for key, value in (metadata or {}).items())


def crew_tools(memory: Memory, **options: Any) -> list[BaseTool]:
    """The memory as tools: `Agent(..., tools=crew_tools(memory, user="ana"))`."""
    return [_tool(tool) for tool in MemoryTools(memory, **options)]


def _tool(tool: FunctionTool) -> BaseTool:
    kinds: dict[str, Any] = {"string": str, "integer": int, "array": list[str]}
    fields: dict[str, Any] = {}
    for name, schema in tool.parameters["properties"].items():
        kind, about = kinds[schema["type"]], schema.get("description", "")
        is_needed = name in tool.parameters["required"]
        fields[name] = (
            kind if is_needed else kind | None,
            Field(... if is_needed else None, description=about),
        )
    arguments = create_model(f"{tool.name}_arguments", **fields)

    class MemoryTool(BaseTool):
        name: str = tool.name
        description: str = tool.description
        args_schema: Any = arguments

        def _run(self, **given: Any) -> str:
            return tool(**{name: value for name, value in given.items() if value is not None})

    return MemoryTool()
