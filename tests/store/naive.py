"""The store as one would write it in an afternoon: plain dicts, every version kept, nothing clever."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from longmind import AsOf, Conflict, InvalidInput, NotFound
from longmind.base.names import ALL


@dataclass
class Version:
    """Tags and metadata from one system time on."""

    since: int
    tags: frozenset[str]
    metadata: dict[str, Any]


@dataclass
class NaiveFrame:
    id: int
    fields: dict[str, Any]
    """kind, space, scope, session, title, text, occurred_at, parent, start, end."""
    identity: tuple[Any, ...]
    recorded_at: int
    retired_at: int | None = None
    superseded_by: int | None = None
    versions: list[Version] = field(default_factory=list)

    @property
    def is_chunk(self) -> bool:
        return self.fields["start"] is not None


class NaiveStore:
    """The same verbs as `Memory`, on dicts."""

    def __init__(self, *, last: int, now: Callable[[], int]) -> None:
        self.frames: dict[int, NaiveFrame] = {}
        self.keys: dict[tuple[str, str], int] = {}
        self.last = last
        self.next_id = 1
        self.instants: set[int] = {last}
        self._now = now
        self._system: int | None = None

    # Writing

    def remember(self, drafts: list[dict[str, Any]]) -> list[tuple[int, str]]:
        """(id, status) for each."""
        self._begin()
        fresh: dict[int, NaiveFrame] = {}
        targets = []
        for draft in drafts:
            target = self._known(draft, fresh)
            if target is None:
                target = self._create(draft)
                fresh[target.id] = target
                targets.append((target.id, "created"))
            else:
                targets.append((target.id, "merge"))
        results = []
        for draft, (frame_id, status) in zip(drafts, targets, strict=True):
            if status == "merge":
                frame = self.frames[frame_id]
                now = frame.versions[-1]
                changed = self._label(frame, now.tags | draft["tags"], {**now.metadata, **draft["metadata"]})
                status = "updated" if changed else "unchanged"
            results.append((frame_id, status))
        return results

    def _known(self, draft: dict[str, Any], fresh: dict[int, NaiveFrame]) -> NaiveFrame | None:
        if draft["key"] is not None:
            held = self.keys.get((draft["space"], draft["key"]))
            if held is not None and held not in fresh:
                return self.frames[held]
        same = [
            frame
            for frame in self.frames.values()
            if frame.retired_at is None and not frame.is_chunk and frame.identity == identity(draft)
        ]
        if same:
            return same[0]
        held = self.keys.get((draft["space"], draft["key"])) if draft["key"] is not None else None
        return None if held is None else self.frames[held]

    def _create(self, draft: dict[str, Any]) -> NaiveFrame:
        system = self._take_system()
        common = {name: draft[name] for name in ("space", "scope", "session")}
        common["occurred_at"] = self._now() if draft["occurred_at"] is None else draft["occurred_at"]
        whole = {**common, "kind": draft["kind"], "title": draft["title"], "text": draft["text"]}
        frame = self._add({**whole, "parent": None, "start": None, "end": None}, identity(draft), system)
        frame.versions.append(Version(system, draft["tags"], dict(draft["metadata"])))
        raw = draft["text"].encode()
        for start, end in draft["chunks"]:
            piece = {**whole, "kind": "chunk", "text": raw[start:end].decode()}
            chunk = {**piece, "parent": frame.id, "start": start, "end": end}
            self._add(chunk, (frame.id, start), system).versions = frame.versions
        if draft["key"] is not None:
            self.keys[draft["space"], draft["key"]] = frame.id
        return frame

    def _add(self, fields: dict[str, Any], name: tuple[Any, ...], system: int) -> NaiveFrame:
        frame = NaiveFrame(self.next_id, fields, name, system)
        self.frames[self.next_id] = frame
        self.next_id += 1
        return frame

    def update(
        self, frame_id: int, space: Any, *, tags: frozenset[str] | None, metadata: dict[str, Any] | None
    ) -> None:
        self._begin()
        frame = self.get(frame_id, space, AsOf.LATEST)
        if frame.is_chunk:
            raise InvalidInput("a chunk")
        now = frame.versions[-1]
        self._label(frame, now.tags if tags is None else tags, now.metadata if metadata is None else metadata)

    def supersede(self, old: int, new: int, space: Any) -> None:
        self._begin()
        if old == new:
            raise InvalidInput("itself")
        pair = [self._held(old, space), self._held(new, space)]
        for frame in pair:
            if frame.is_chunk:
                raise InvalidInput("a chunk")
            if frame.retired_at is not None:
                raise Conflict("retired")
        self._retire([pair[0]], successor=new)

    def forget(self, frame_id: int, space: Any) -> list[int]:
        self._begin()
        return self._retire([self._held(frame_id, space)])

    def forget_where(self, space: Any, wanted: Callable[[NaiveFrame, Version], bool]) -> list[int]:
        self._begin()
        return self._retire([frame for frame, _ in self._select(space, AsOf.LATEST, wanted, chunks=True)])

    def erase(self, frame_id: int, space: Any) -> list[int]:
        self._begin()
        frame = self._held(frame_id, space)
        if frame.is_chunk:
            raise InvalidInput("a chunk")
        return self._remove([frame.id])

    def erase_where(self, space: Any, wanted: Callable[[NaiveFrame, Version], bool]) -> list[int]:
        self._begin()
        found = [frame for frame, _ in self._select(space, AsOf.LATEST, wanted, chunks=True)]
        return self._remove([frame.fields["parent"] if frame.is_chunk else frame.id for frame in found])

    def _remove(self, ids: list[int]) -> list[int]:
        self._take_system()
        doomed = {frame.id for frame in self.frames.values() if {frame.id, frame.fields["parent"]} & set(ids)}
        for frame_id in doomed:
            del self.frames[frame_id]
        for frame in self.frames.values():
            if frame.superseded_by in doomed:
                frame.superseded_by = None
        self.keys = {key: frame_id for key, frame_id in self.keys.items() if frame_id not in doomed}
        return sorted(doomed)

    def _retire(self, frames: list[NaiveFrame], successor: int | None = None) -> list[int]:
        ids = {frame.id for frame in frames}
        whole = [frame for frame in self.frames.values() if ids & {frame.id, frame.fields["parent"]}]
        live = [frame for frame in whole if frame.retired_at is None]
        for frame in live:
            frame.retired_at = self._take_system()
            frame.superseded_by = successor
        return sorted(frame.id for frame in live)

    def _label(self, frame: NaiveFrame, tags: frozenset[str], metadata: dict[str, Any]) -> bool:
        now = frame.versions[-1]
        if now.tags == tags and dumped(now.metadata) == dumped(metadata):
            return False
        frame.versions.append(Version(self._take_system(), tags, metadata))
        return True

    def _held(self, frame_id: int, space: Any) -> NaiveFrame:
        frame = self.frames.get(frame_id)
        if frame is None or not seen_from(frame, space):
            raise NotFound(str(frame_id))
        return frame

    def _begin(self) -> None:
        self._system = None

    def _take_system(self) -> int:
        if self._system is None:
            self._system = self.last = max(self._now(), self.last + 1)
            self.instants.add(self._system)
        return self._system

    # Reading

    def get(self, frame_id: int, space: Any, as_of: AsOf) -> NaiveFrame:
        for frame, _ in self._select(space, as_of, lambda frame, _: frame.id == frame_id, chunks=True):
            return frame
        raise NotFound(str(frame_id))

    def select(
        self, space: Any, as_of: AsOf, wanted: Callable[[NaiveFrame, Version], bool] = lambda frame, now: True
    ) -> list[tuple[NaiveFrame, Version]]:
        """Visible whole frames with the labels they had, by id."""
        return list(self._select(space, as_of, wanted, chunks=False))

    def _select(
        self, space: Any, as_of: AsOf, wanted: Callable[[NaiveFrame, Version], bool], *, chunks: bool
    ) -> Iterator[tuple[NaiveFrame, Version]]:
        for frame in self.frames.values():
            known = frame.recorded_at <= as_of.system
            gone = frame.retired_at is not None and frame.retired_at <= as_of.system
            begun = frame.fields["occurred_at"] <= as_of.valid
            if known and not gone and begun and seen_from(frame, space) and (chunks or not frame.is_chunk):
                now = version(frame, as_of)
                if wanted(frame, now):
                    yield frame, now


def version(frame: NaiveFrame, as_of: AsOf) -> Version:
    return [item for item in frame.versions if item.since <= as_of.system][-1]


def seen_from(frame: NaiveFrame, space: Any) -> bool:
    if space is ALL or frame.fields["scope"] == "global":
        return True
    spaces: Iterable[str] = [space] if isinstance(space, str) else space
    return frame.fields["space"] in spaces


def identity(draft: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        draft[name] for name in ("space", "scope", "kind", "session", "title", "text", "occurred_at")
    )


def dumped(metadata: dict[str, Any]) -> str:
    """1, 1.0 and True are three values."""
    return json.dumps(metadata, sort_keys=True)
