"""Random histories of a store, told to a real memory and to the plain lists of `reference` at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from longmind import ALL, AsOf, FrozenClock, Memory
from longmind.base.checks import canonical_json
from longmind.base.times import FOREVER
from longmind.store.drafts import chunked, draft
from longmind.store.write import put
from tests.conftest import START
from tests.search.reference import Dated, Known, content_number

WORDS = ("zebra", "lions", "river", "stone", "lamp", "ERR_42", "a_b.c", "猫が好き", "the", "Zürich", "zebras")
SPACES = ("alpha", "beta")
DAY = 86_400_000

days = st.integers(-1, 1)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
labels = st.fixed_dictionaries(
    {},
    optional={
        "tags": st.lists(st.sampled_from(("red", "blue", "green")), unique=True, max_size=2),
        "metadata": st.dictionaries(
            st.sampled_from(("page", "kind of")),
            st.sampled_from((1, 2.5, 7, "x", True, None, [1])),
            max_size=2,
        ),
    },
)
frames = st.fixed_dictionaries(
    {"text": texts, "space": st.sampled_from(SPACES)},
    optional={
        "scope": st.sampled_from(("space", "global")),
        "kind": st.sampled_from(("text", "note")),
        "title": st.sampled_from(("zebra", "On lamps")),
        "session": st.sampled_from(("s1", "s2")),
        "role": st.sampled_from(("user", "assistant")),
        "speaker": st.sampled_from(("Ana", "Ben")),
        "uri": st.sampled_from(("file:a", "file:b")),
        "source": st.sampled_from(("user", "agent")),
        "occurred_at": days.map(lambda day: START + day * DAY),
    },
)
places = st.integers(0, 30)
acts = st.one_of(
    st.tuples(st.just("remember"), frames, labels),
    st.tuples(st.just("remember"), frames, labels),
    st.tuples(st.just("remember"), frames, labels),
    st.tuples(st.just("cut"), frames, labels),
    st.tuples(st.just("forget"), places),
    st.tuples(st.just("supersede"), places, places),
    st.tuples(st.just("erase"), places),
    st.tuples(st.just("relabel"), places, labels),
)
histories = st.lists(acts, min_size=1, max_size=14)

CONDITIONS: tuple[dict[str, Any], ...] = (
    *({"kind": "text"}, {"kind": ["note", "chunk"]}, {"kind": "document"}),
    *({"session": "s1"}, {"session": ["s1", "s2"]}, {"session": "unheard of"}, {"role": "user"}),
    *({"speaker": "Ana"}, {"uri": "file:a"}, {"uri": ["file:a", "file:b"]}, {"source": "agent"}),
    *({"tags": ["red"]}, {"tags": ["red", "blue"]}, {"any_tags": ["red", "green"]}, {"any_tags": ["blue"]}),
    *(
        {"since": START},
        {"until": START},
        {"since": START - DAY, "until": START + DAY},
        {"since": START + 9 * DAY},
    ),
    *({"ids": [1, 2, 3, 4, 5]}, {"ids": []}, {"parent": 1}, {"parent": [2, 3, 4, 5, 6]}),
    *({"metadata": {"page": 1}}, {"metadata": {"page": [1, 7]}}, {"metadata": {"page": "x"}}),
    *({"metadata": {"page": True}}, {"metadata": {"page": [[1]]}}, {"metadata": {"page": [None]}}),
    *({"metadata": {"page": {"gte": 2.5}}}, {"metadata": {"page": {"gt": 1, "lte": 7}}}),
    *({"metadata": {"page": {"lt": 7}}}, {"metadata": {"page": {"lt": 2}, "kind of": {"gte": 0}}}),
)
one_condition = st.sampled_from(CONDITIONS)
# Mostly no condition or one: with several at once little would be left to find.
conditions = st.one_of(
    st.just({}),
    one_condition,
    one_condition,
    st.builds(lambda a, b: {**a, **b}, one_condition, one_condition),
)


@dataclass(frozen=True)
class Ask:
    """A search; the instant is named by places in the history."""

    query: str
    space: Any
    where: Mapping[str, Any]
    system: int | None
    valid: int | None


asks = st.builds(
    Ask,
    query=st.one_of(texts, st.sampled_from(("zeb", "amp", "猫が", "", 'ERR_42 "river stone"'))),
    space=st.sampled_from(("alpha", "beta", ALL, ("alpha", "beta"), "nowhere")),
    where=conditions,
    system=st.one_of(st.none(), st.integers(0, 14)),
    valid=st.one_of(st.none(), days),
)


@dataclass
class World:
    """A memory, and what must be in it."""

    memory: Memory
    clock: FrozenClock
    known: dict[int, Known] = field(default_factory=dict)
    instants: list[int] = field(default_factory=list)

    def live(self) -> list[Known]:
        return [frame for frame in self.known.values() if frame.retired_at is None]

    def whole(self) -> list[Known]:
        return [frame for frame in self.live() if frame.kind != "chunk"]

    def tell(self, history: list[Any]) -> None:
        for verb, *details in history:
            self.clock.advance(seconds=1)
            getattr(self, f"_{verb}")(*details)
            self.instants.append(self.memory.revision)

    def as_of(self, ask: Ask) -> AsOf:
        system = FOREVER if ask.system is None else self.instants[ask.system % len(self.instants)]
        return AsOf(system, FOREVER if ask.valid is None else START + ask.valid * DAY)

    def _remember(self, fields: dict[str, Any], given: dict[str, Any]) -> None:
        report = self.memory.remember(**fields, **given)
        if report.created:
            self._add(report.id, fields)
        self._label(self.known[report.id], given, whole=False)

    def _cut(self, fields: dict[str, Any], given: dict[str, Any]) -> None:
        """A document in two chunks, or a frame like any other where there is nothing to cut."""
        raw = fields["text"].encode()
        if b" " not in raw:
            self._remember(fields, given)
            return
        middle = raw.index(b" ")
        document = chunked(
            draft(**{**fields, "kind": "document"}, **given),
            [(0, middle, None), (middle, len(raw), "On lamps")],
        )
        parts = self.memory.store.parts
        pieces = document.flat()
        prepared = {part.name: items for part in parts if (items := part.prepare(pieces)) is not None}
        with self.memory.store.write() as tx:
            [done] = put(tx, [document], parts=parts, prepared=prepared)
        if done.status == "created":
            whole = self._add(done.id, {**fields, "kind": "document"})
            whole.has_chunks = True
            for place, piece in zip(done.chunks, document.chunks, strict=True):
                chunk = self._add(
                    place, {**fields, "kind": "chunk", "title": piece.title, "text": piece.text}
                )
                chunk.parent, chunk.tags, chunk.metadata = done.id, whole.tags, whole.metadata
        self._label(self.known[done.id], given, whole=False)

    def _forget(self, place: int) -> None:
        if chosen := self.whole():
            self._retire(chosen[place % len(chosen)])

    def _supersede(self, old: int, new: int) -> None:
        chosen = self.whole()
        if len(chosen) > 1 and old % len(chosen) != new % len(chosen):
            self._retire(chosen[old % len(chosen)], by=chosen[new % len(chosen)].id)

    def _erase(self, place: int) -> None:
        if chosen := [frame for frame in self.known.values() if frame.kind != "chunk"]:
            doomed = chosen[place % len(chosen)].id
            self.memory.erase(doomed, space=ALL)
            self.known = {
                key: frame for key, frame in self.known.items() if doomed not in (key, frame.parent)
            }

    def _relabel(self, place: int, given: dict[str, Any]) -> None:
        if chosen := self.whole():
            frame = chosen[place % len(chosen)]
            self.memory.update(frame.id, **given, space=ALL)
            self._label(frame, given, whole=True)

    def _retire(self, frame: Known, *, by: int | None = None) -> None:
        if by is None:
            self.memory.forget(frame.id, space=ALL)
        else:
            self.memory.supersede(frame.id, by, space=ALL)
        for other in self.known.values():
            if frame.id in (other.id, other.parent):
                other.retired_at = self.memory.revision

    def _add(self, frame_id: int, fields: dict[str, Any]) -> Known:
        content = content_number(self.memory.get(frame_id, space=ALL).content_hash)
        times = {"occurred_at": self.clock.now(), "recorded_at": self.memory.revision}
        self.known[frame_id] = Known(id=frame_id, content=content, **{**times, **fields})
        return self.known[frame_id]

    def _label(self, frame: Known, given: dict[str, Any], *, whole: bool) -> None:
        now = self.memory.revision
        for kind, held in (("tags", frame.tags), ("metadata", frame.metadata)):
            if kind not in given:
                continue
            if kind == "tags":
                wanted = dict.fromkeys(given[kind], "")
            else:
                wanted = {name: canonical_json(value) for name, value in given[kind].items()}
            open_now = {item.name: item for item in held if item.until is None}
            for name, item in open_now.items():
                if (whole and name not in wanted) or (name in wanted and wanted[name] != item.value):
                    item.until = now
            kept = {item.name for item in held if item.until is None}
            held += [Dated(name, value, now) for name, value in wanted.items() if name not in kept]
