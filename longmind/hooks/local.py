"""The store itself, searched by words and facts: quick to open, since no model is loaded.

The resident process has the model loaded, and searches by meaning with the same code.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from longmind.base.filters import View, Where
from longmind.base.frame import Kind
from longmind.base.names import DEFAULT_SPACE
from longmind.base.partitions import check_user
from longmind.base.recall_marks import mark_id
from longmind.base.times import FOREVER, AsOf
from longmind.hooks.events import Turn
from longmind.hooks.source import NO_LONGER, Note

if TYPE_CHECKING:
    from longmind.base.frame import Frame
    from longmind.base.secret import Secret
    from longmind.memory import Memory
    from longmind.search.embedding import EmbedderBinding
    from longmind.search.engine import SearchEngine
    from longmind.search.results import SearchResults
    from longmind.store.store import Store

_EXPERIENCE: Final = ("problem", "solution", "failed_tactic", "fact", "preference", "change")
_ITEMS: Final = 12
_ITEM_TOKENS: Final = 80
_BUDGET: Final = 800
_BRIEF_BUDGET: Final = 500
_QUESTION_CHARACTERS: Final = 2_000
"""Of a prompt. Longer ones are mostly pasted files and logs, and every further word costs a lookup."""
_WAIT_SECONDS: Final = 5.0


class Local:
    """Reads with the parts it needs and no others; only briefs and writes open the whole memory."""

    def __init__(
        self,
        location: str,
        *,
        space: str | None,
        user: str | None = None,
        create: bool = False,
        read_only: bool = False,
        key: Secret | None = None,
    ) -> None:
        from longmind.store.store import open_store

        read_only = read_only or (not create and not _may_write(location))
        store = open_store(
            location,
            create=create,
            read_only=read_only,
            busy_timeout=_WAIT_SECONDS,
            actor=os.environ.get("LONGMIND_ACTOR") or None,
            key=key,
        )
        self._set(store, space, user)

    def _set(self, store: Store, space: str | None, user: str | None) -> None:
        self.store = store
        self._space = space or DEFAULT_SPACE
        self._user = None if user is None else check_user(user)
        self._memory: Memory | None = None
        self._embedding: EmbedderBinding | None = None
        self._engine: SearchEngine | None = None

    @classmethod
    def over(cls, memory: Memory) -> Local:
        """What is open already. Where a model is loaded, questions are then answered by meaning too."""
        local = cls.__new__(cls)
        local._set(memory.store, None, None)
        local._memory, local._engine = memory, memory._search
        local._embedding = memory._search.embedding if memory.embedder is not None else None
        return local

    def recall(
        self, question: str, *, session: str, space: str | None = None, user: str | None = None
    ) -> str:
        from longmind.context.lanes import whole
        from longmind.context.packing import Packer, pack_lanes
        from longmind.context.recipe import LaneRecipe, Recipe
        from longmind.context.render import renderer_for
        from longmind.context.shorten import Shortener
        from longmind.search.request import SearchRequest

        query = question[:_QUESTION_CHARACTERS]
        request = SearchRequest(
            query,
            self._view(space, user),
            limit=_ITEMS * 2,  # turns of this session are among them, and left out below
            lanes=("text", "facts") if self._embedding is None else ("text", "vector", "facts"),
            times="ignore",
        )
        hits = self._relevant(self._search_engine().search(request), session)
        if not hits:
            return ""
        recipe = Recipe("hook", (LaneRecipe("snippets", items=_ITEMS, item_tokens=_ITEM_TOKENS),))
        tokenizer = EstimatedTokens()
        mark = mark_id(self.store.id, *(str(frame.id) for frame in hits), query)
        return pack_lanes(
            Packer(
                budget=_BUDGET, tokenizer=tokenizer, mark=mark, renderer=renderer_for(recipe.layout, recipe)
            ),
            {"snippets": [whole(frame, "snippets", rank) for rank, frame in enumerate(hits, 1)]},
            recipe=recipe,
            shorten=Shortener(query, dict, tokenizer),
        ).text

    def _search_engine(self) -> SearchEngine:
        from longmind.search.embedding import EmbedderBinding
        from longmind.search.engine import FactsLane, SearchEngine

        if self._engine is None:
            embedding = EmbedderBinding(problem="hooks load no model")
            self._engine = SearchEngine(self.store, embedding=embedding, facts=FactsLane(self.store.mirrors))
        return self._engine

    def _relevant(self, results: SearchResults, session: str) -> list[Frame]:
        """What is worth a place in the prompt: no questions of before, nothing of this session, nothing that
        was replaced by another hit. Nothing at all, if nothing stored is about the question."""
        if self._embedding is not None and all(hit.confidence < results.known_from for hit in results):
            return []
        standing = {hit.frame.id for hit in results if hit.superseded is None}
        frames = []
        for hit in results:
            frame = hit.frame
            is_question = frame.kind == Kind.TURN and frame.text.rstrip().endswith("?")
            if is_question or hit.superseded in standing or (session and frame.session == session):
                continue
            if hit.superseded is not None:
                frame = replace(frame, text=f"{NO_LONGER} {frame.text}")
            frames.append(frame)
        return frames

    def brief(self, topic: str) -> str:
        if not self.notes(kinds=_EXPERIENCE, tags=(), session="", limit=1):
            return ""
        brief = self._opened().experience.brief(
            topic, budget=_BRIEF_BUDGET, lanes=("text", "facts"), repo=self._space
        )
        return brief.text if any(item.record_id for item in brief.items) else ""

    def notes(self, *, kinds: Sequence[str], tags: Sequence[str], session: str, limit: int) -> list[Note]:
        from longmind.search.standing import superseded
        from longmind.store.frames import timeline

        where = Where(kind=tuple(kinds) or None, any_tags=tuple(tags) or None, session=session or None)
        view = self._view()
        with self.store.read() as snapshot:
            frames = timeline(snapshot.db, self.store.engine.dialect, view, where, limit=limit)
            replaced = superseded(snapshot.db, [frame.id for frame in frames], view) if frames else {}
        return [
            Note(
                frame.id, frame.occurred_at, frame.text, frame.speaker or frame.role or "",
                replaced.get(frame.id),
            )
            for frame in frames
        ]  # fmt: skip

    def add(self, session: str, turns: Sequence[Turn]) -> None:
        items = [{"role": turn.role, "text": turn.text, "idempotency_key": turn.key} for turn in turns]
        self._opened().conversation(session).add_turns(items)

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
        self.store.close()

    def _opened(self) -> Memory:
        from longmind.memory import Memory
        from longmind.submemories import Components

        if self._memory is None:
            self._memory = Memory(
                self.store, space=self._space, user=self._user, components=Components(embedder=None)
            )
        return self._memory

    def _view(self, space: str | None = None, user: str | None = None) -> View:
        as_of = AsOf(system=FOREVER, valid=self.store.present())
        whose = self._user if user is None else check_user(user)
        return View.of(space or self._space, as_of, whose, now=self.store.now())


class EstimatedTokens:
    """A tokenizer without a vocabulary, which would take a third of a hook's time to load.

    Four characters a token, as in English prose. A text in another script may have more tokens than that;
    what agents take of a hook is limited in characters.
    """

    name = "estimated"

    def count(self, text: str) -> int:
        return -(-len(text) // 4)

    def encode(self, text: str) -> list[int]:
        return [0] * self.count(text)

    def truncate(self, text: str, budget: int) -> str:
        return text[: 4 * budget]


def _may_write(location: str) -> bool:
    if "://" in location:
        return True
    path = Path(location)
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
