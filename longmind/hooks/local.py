"""The store itself, by words and facts: quick to open, since no model is loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from longmind.base.filters import View, Where
from longmind.base.hashing import digest
from longmind.base.names import DEFAULT_SPACE
from longmind.base.recall_marks import CLOSE, OPEN
from longmind.base.times import FOREVER, AsOf
from longmind.hooks.events import Turn
from longmind.hooks.render import line, snippet
from longmind.hooks.source import Note

if TYPE_CHECKING:
    from longmind.base.frame import Frame
    from longmind.memory import Memory
    from longmind.store.store import Store

_EXPERIENCE: Final = ("problem", "solution", "failed_tactic", "fact", "preference", "change")
_HITS: Final = 12
_CHARACTERS: Final = 3_200
_SNIPPET: Final = 320
_BRIEF: Final = 500
_QUESTION: Final = 2_000
_WAIT_SECONDS: Final = 5.0


class Local:
    """Reads with the parts it needs and no others; only writing opens the whole memory."""

    how = "found by words and facts, not by meaning, since no server runs (longmind serve)"

    def __init__(self, location: str, *, space: str | None, create: bool = False) -> None:
        from longmind.store.store import open_store

        self._location = location
        self._space = space or DEFAULT_SPACE
        read_only = not create and not _may_write(location)
        self.store: Store = open_store(
            location, create=create, read_only=read_only, busy_timeout=_WAIT_SECONDS
        )
        self._memory: Memory | None = None

    def recall(self, question: str, *, session: str) -> str:
        from longmind.search.embedding import EmbedderBinding
        from longmind.search.engine import SearchEngine
        from longmind.search.facts_lane import FactsLane
        from longmind.search.request import SearchRequest

        engine = SearchEngine(self.store, embedding=EmbedderBinding(problem=self.how), facts=FactsLane())
        request = SearchRequest(
            question[:_QUESTION], self._view(), limit=_HITS * 2, lanes=("text", "facts"), times="ignore"
        )
        found = [hit.frame for hit in engine.search(request) if not session or hit.frame.session != session]
        words = set(re.findall(r"\w{3,}", question[:_QUESTION].casefold()))
        return marked(
            line(
                frame.id,
                frame.occurred_at,
                snippet(frame.text, words, _SNIPPET),
                frame.speaker or frame.role or "",
            )
            for frame in found[:_HITS]
        )

    def brief(self, topic: str) -> str:
        if not self.notes(kinds=_EXPERIENCE, tags=(), session="", limit=1):
            return ""
        made = self._whole().experience.brief(topic, budget=_BRIEF, lanes=("text", "facts"), repo=self._space)
        return made.text if any(item.record_id for item in made.items) else ""

    def notes(self, *, kinds: Sequence[str], tags: Sequence[str], session: str, limit: int) -> list[Note]:
        from longmind.store.frames import timeline

        where = Where(kind=tuple(kinds) or None, any_tags=tuple(tags) or None, session=session or None)
        with self.store.read() as snapshot:
            found = timeline(snapshot.db, self.store.engine.dialect, self._view(), where, limit=limit)
        return [_note(frame) for frame in found]

    def add(self, session: str, turns: Sequence[Turn]) -> None:
        told = [{"role": turn.role, "text": turn.text, "idempotency_key": turn.key} for turn in turns]
        self._whole().conversation(session).add_turns(told)

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
        self.store.close()

    def _whole(self) -> Memory:
        from longmind.memory import Memory
        from longmind.submemories import Components

        if self._memory is None:
            self._memory = Memory(self.store, space=self._space, components=Components(embedder=None))
        return self._memory

    def _view(self) -> View:
        return View.of(self._space, AsOf(system=FOREVER, valid=self.store.present()))


def _note(frame: Frame) -> Note:
    who = frame.speaker or frame.role or ""
    return Note(frame.id, frame.occurred_at, frame.text, who, frame.session or "")


def marked(lines: Iterable[str]) -> str:
    """Lines as recalled text: marked, so that it is known again and not kept; empty if there is none."""
    kept, room = [], _CHARACTERS
    for item in lines:
        room -= len(item)
        if room < 0:
            break
        kept.append(item)
    if not kept:
        return ""
    return "\n".join([OPEN.format(id=digest("hook", "\n".join(kept)).hex()[:16]), *kept, CLOSE])


def _may_write(location: str) -> bool:
    if "://" in location:
        return True
    path = Path(location)
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
