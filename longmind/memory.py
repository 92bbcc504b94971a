"""Memory: opens a store, holds the parts, forwards."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from longmind import submemories
from longmind.base.checks import check_limit, check_metadata, check_tags, optional_label
from longmind.base.clock import Clock
from longmind.base.errors import Busy, InvalidInput
from longmind.base.filters import SpaceLike, View, Where
from longmind.base.frame import Frame, Kind, Page
from longmind.base.names import DEFAULT_SPACE, canonical_space
from longmind.base.times import AsOf, to_ms
from longmind.context.surrogates import Surrogates
from longmind.embed import Embedder, open_embedder
from longmind.embed.models import default_cache
from longmind.facts.extraction import Extractor, ReferenceExtractor
from longmind.facts.ledger import Ledger
from longmind.facts.part import FactsPart
from longmind.ingest.budget import CHUNK_OVERLAP, CHUNK_TOKENS, UNLIMITED, IngestBudget
from longmind.search.embedding import AUTO, bind_embedder, rebind_embedder
from longmind.search.engine import SearchEngine
from longmind.search.facts_lane import FactsLane
from longmind.search.request import SearchOptions, SearchRequest
from longmind.search.rerank import Reranker
from longmind.search.results import SearchResults, WhyNot
from longmind.store import erasure, frames, transfer, upkeep, write
from longmind.store.drafts import Draft, draft
from longmind.store.erasure import ErasureCertificate, ErasureCheck
from longmind.store.lease import LeasePolicy
from longmind.store.line_files import read_lines, write_lines
from longmind.store.parts import LaterPart, Part
from longmind.store.scope import Mapped, Scope
from longmind.store.store import BUSY_SECONDS, Store, open_store
from longmind.store.upkeep import MaintenancePolicy, MaintenanceReport, Stats, VerifyReport
from longmind.text.index import TextIndex

if TYPE_CHECKING:
    from longmind.context.builder import ContextBuilder
    from longmind.context.items import Context
    from longmind.context.receipt import Receipt, Replay
    from longmind.context.recipe import Recipe
    from longmind.conversation.memories import Memories
    from longmind.conversation.turns import Conversation
    from longmind.experience.interface import Experience
    from longmind.ingest.report import IngestReport
    from longmind.ingest.source import Readers
    from longmind.ingest.sources import Progress
    from longmind.llm.protocol import LanguageModel
    from longmind.spaces.registry import Spaces
    from longmind.spaces.space import ProjectSpace
    from longmind.spaces.telemetry import Telemetry
    from longmind.store.restore import Restored

WhereLike = Where | Mapping[str, Any] | None


class Memory:
    """Long-term memory in one file, or in one schema of PostgreSQL.

    Every call takes `space=`; without it, the handle's own space is meant, never all of them.
    Reads take `as_of=`, and never look at the clock.
    """

    def __init__(
        self,
        store: Store,
        *,
        space: str = DEFAULT_SPACE,
        embedder: str | Embedder | None = AUTO,
        cache: str | os.PathLike[str] | None = None,
        reranker: Reranker | None = None,
        extractor: Extractor | Literal["auto"] | None = AUTO,
        llm: LanguageModel | None = None,
        surrogates: bool = True,
        ordering: str | None = None,
        telemetry: Telemetry | None = None,
        after_remember: MaintenancePolicy | None = None,
    ) -> None:
        self.store = store
        self.default_space = canonical_space(space)
        self._cache = default_cache() if cache is None else Path(cache)
        self._embedder = embedder
        self._reranker = reranker
        self._extractor = ReferenceExtractor() if extractor == AUTO else extractor
        self._llm = llm
        self._surrogates = surrogates
        self._ordering = ordering
        self._telemetry = telemetry
        self._after_remember = after_remember
        self._wire()

    def _wire(self) -> None:
        """Put together what follows the frames and what reads them; anew after the rows were exchanged."""
        store = self.store
        store.parts.clear()
        for name in ("memories", "experience", "spaces", "_contexts"):
            self.__dict__.pop(name, None)
        text = TextIndex(store.engine.dialect)
        text.bind(store)
        embedding = bind_embedder(store, self._embedder, cache=self._cache)
        store.parts.append(text)
        if embedding.index is not None:
            store.parts.append(embedding.index)
        store.parts += [
            Surrogates(store.engine.dialect, at_ingest=self._surrogates),
            LaterPart("sources", _sources),
        ]
        extractor = self._extractor
        store.parts.append(FactsPart(None if isinstance(extractor, str) else extractor))
        store.parts += submemories.parts(store)
        self.facts = Ledger(store, self.default_space)
        self._search = SearchEngine(store, embedding=embedding, facts=FactsLane(), reranker=self._reranker)

    @cached_property
    def readers(self) -> Readers:
        """What reads files; further ones can be registered."""
        from longmind.ingest.readers import default_readers

        return default_readers()

    @cached_property
    def _contexts(self) -> ContextBuilder:
        from longmind.context.builder import ContextBuilder
        from longmind.facts.cards import FactCards

        made = ContextBuilder(self.store, self._search, facts=FactCards())
        made.register("memories", lambda: submemories.memories_lane(self.store, self._search))
        made.register("experience", lambda: submemories.experience_lane(self.experience))
        return made

    @property
    def embedder(self) -> str | None:
        """The identity of the embedder that vectors are made with; None without one."""
        found = self._search.embedding.embedder
        return None if found is None else found.identity.text()

    @cached_property
    def memories(self) -> Memories:
        """What is remembered of conversations, and fades."""
        environment = os.environ  # for the API key that the configuration names
        return submemories.memories(
            self.store, self._search, self.default_space, model=self._llm, environment=environment
        )

    @cached_property
    def experience(self) -> Experience:
        """What was tried, what worked, what failed, and what is so."""
        return submemories.experience(self.store, self._search, self.default_space)

    @cached_property
    def spaces(self) -> Spaces:
        """Project spaces: objects with rules."""
        return submemories.spaces(
            self.store, self._search, model=self._llm, ordering=self._ordering, telemetry=self._telemetry
        )

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        embedder: str | Embedder | None = AUTO,
        reranker: Reranker | None = None,
        extractor: Extractor | Literal["auto"] | None = AUTO,
        llm: LanguageModel | None = None,
        surrogates: bool = True,
        ordering: str | None = None,
        telemetry: Telemetry | None = None,
        cache: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
        create: bool = True,
        durability: Literal["normal", "full"] = "normal",
        max_bytes: int | None = None,
        busy_timeout: float = BUSY_SECONDS,
        accept_lost_log: bool = False,
        on_open: MaintenancePolicy | None = None,
        after_remember: MaintenancePolicy | None = None,
    ) -> Memory:
        """Open a path, `:memory:` or `postgresql://…?store=name`; create it unless `create=False`.

        `embedder` names one ("minilm", "hash", "onnx:/folder", "openai:…", "ollama:…"), is one, or is None
        for none. By default it is the one the store remembers, or for a new store the installed default;
        `cache` is the folder where models are installed. `extractor` reads facts from what is remembered;
        None reads none. `llm` is a language model for turns and raw notes; none is needed.
        `surrogates=False` leaves the short forms of long frames to `maintain`. `ordering` is how project
        spaces order what they recall, and `telemetry` where they count and trace it. `accept_lost_log`
        opens a file whose log is missing or damaged with what is left; without it, that is `Corrupt`.
        """
        canonical_space(space)  # before a file is made
        store = open_store(
            location,
            clock=clock,
            read_only=read_only,
            create=create,
            durability=durability,
            max_bytes=max_bytes,
            busy_timeout=busy_timeout,
            accept_lost_log=accept_lost_log,
        )
        try:
            memory = cls(
                store,
                space=space,
                embedder=embedder,
                cache=cache,
                reranker=reranker,
                extractor=extractor,
                llm=llm,
                surrogates=surrogates,
                ordering=ordering,
                telemetry=telemetry,
                after_remember=after_remember,
            )
            if not read_only:
                with suppress(
                    Busy
                ):  # someone else writes or reads: the next open, or `maintain`, completes it
                    erasure.resume(store)
            if on_open is not None and not read_only:
                memory.maintain(on_open)
            return memory
        except BaseException:
            store.close()
            raise

    # Writing

    def remember(
        self,
        text: str,
        *,
        space: str | None = None,
        kind: str = Kind.TEXT,
        scope: Literal["space", "global"] = "space",
        title: str | None = None,
        session: str | None = None,
        role: str | None = None,
        speaker: str | None = None,
        uri: str | None = None,
        source: str = "user",
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        occurred_at: datetime | int | None = None,
        idempotency_key: str | None = None,
    ) -> IngestReport:
        """Keep a text. The same text in the same place is kept once, and the report says so."""
        item = draft(
            text,
            space=self.default_space if space is None else space,
            kind=kind,
            scope=scope,
            title=title,
            session=session,
            role=role,
            speaker=speaker,
            uri=uri,
            source=source,
            tags=tags,
            metadata=metadata,
            occurred_at=occurred_at,
            idempotency_key=idempotency_key,
        )
        return self._write([item])

    def remember_many(
        self, items: Iterable[str | Mapping[str, Any]], *, space: str | None = None
    ) -> IngestReport:
        """Keep several texts in one transaction; an item is a text, or the arguments of `remember`."""
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput(
                "remember_many takes a list of texts or mappings.", hint="For one text, use remember."
            )
        return self._write([self._item(item, space) for item in items])

    def ingest(
        self,
        source: str | os.PathLike[str] | bytes | None = None,
        *,
        text: str | None = None,
        space: str | None = None,
        uri: str | None = None,
        media_type: str | None = None,
        title: str | None = None,
        scope: Literal["space", "global"] = "space",
        session: str | None = None,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        occurred_at: datetime | int | None = None,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        ignore: bool = True,
        chunk_tokens: int = CHUNK_TOKENS,
        chunk_overlap: int = CHUNK_OVERLAP,
        budget: IngestBudget = UNLIMITED,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Read a file, a folder, bytes or a text into documents with chunks.

        A folder is kept in step: what is unchanged is passed over, what changed supersedes its old version,
        what is gone is retired. Interrupted, the next call goes on. What cannot be read is skipped.
        """
        from longmind.ingest.plan import Cutting, Labels
        from longmind.ingest.sources import FolderOptions, given_sources, ingest_folder, ingest_sources

        labels = Labels(
            space=canonical_space(self.default_space if space is None else space),
            scope=scope,
            session=optional_label(session, "session"),
            tags=check_tags(tags),
            metadata=check_metadata(metadata or {}),
            occurred_at=None if occurred_at is None else to_ms(occurred_at, "occurred_at"),
            title=optional_label(title, "title"),
        )
        cutting = Cutting(chunk_tokens, chunk_overlap)
        given = given_sources(
            source,
            text=text,
            uri=optional_label(uri, "uri"),
            media_type=optional_label(media_type, "media_type"),
        )
        if isinstance(given, Path):
            options = FolderOptions(ignore, tuple(include), tuple(exclude))
            report = ingest_folder(
                self.store,
                given,
                readers=self.readers,
                labels=labels,
                cutting=cutting,
                options=options,
                budget=budget,
                cancelled=cancelled,
                progress=progress,
            )
        else:
            report = ingest_sources(
                self.store,
                [given],
                readers=self.readers,
                labels=labels,
                cutting=cutting,
                budget=budget,
                cancelled=cancelled,
                progress=progress,
            )
        return self._maintained(report)

    def watch(
        self, folder: str | os.PathLike[str], *, stop: Callable[[], bool], **options: Any
    ) -> Iterator[IngestReport]:
        """Ingest a folder now, and again whenever something in it changes, until `stop()` is true."""
        from longmind.ingest.sources import watch_folder

        changes = watch_folder(Path(folder), stop=stop)  # listens before the first look, so nothing is missed
        yield self.ingest(folder, **options)
        for _ in changes:
            yield self.ingest(folder, **options)

    def update(
        self,
        frame_id: int,
        *,
        tags: Iterable[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        space: SpaceLike | None = None,
    ) -> Frame:
        """Set a frame's tags or metadata (as wholes); what held before stays visible as of before."""
        view = self._view(space)
        new_tags = None if tags is None else check_tags(tags)
        new_values = None if metadata is None else check_metadata(metadata)
        with self.store.write() as tx:
            frame = frames.get(tx.db, self.store.engine.dialect, _one_id(frame_id), view)
            if frame.start is not None:
                raise InvalidInput(f"Frame {frame_id} is a chunk.", hint=f"Update its parent {frame.parent}.")
            write.relabel(
                tx,
                frame_id,
                add_tags=new_tags or (),
                drop_tags=() if new_tags is None else set(frame.tags) - set(new_tags),
                set_metadata=new_values,
                drop_metadata=() if new_values is None else set(frame.metadata) - set(new_values),
            )
            return frames.get(tx.db, self.store.engine.dialect, frame_id, view)

    def supersede(self, old: int, new: int, *, space: SpaceLike | None = None) -> None:
        """Retire `old` in favour of `new`; the history links them."""
        ids = _one_id(old), _one_id(new)
        with self.store.write() as tx:
            write.supersede(tx, *ids, view=self._view(space), parts=self.store.parts)

    def forget(
        self, frame_id: int | None = None, *, where: WhereLike = None, space: SpaceLike | None = None
    ) -> tuple[int, ...]:
        """Retire a frame, or all that match: gone from reads at LATEST, still there as of before.

        Returns the ids retired now; forgetting twice changes nothing.
        """
        view = self._view(space)
        with self.store.write(makes_room=True) as tx:
            if where is None:
                ids = write.resolve(tx.db, [_one_id(frame_id)], view)
            else:
                ids = frames.select_ids(tx.db, view, _one_filter(frame_id, where))
            return tuple(write.retire(tx, ids, reason="forgotten", parts=self.store.parts))

    def erase(
        self, frame_id: int | None = None, *, where: WhereLike = None, space: SpaceLike | None = None
    ) -> ErasureCertificate:
        """Remove a frame, or all that match, with everything derived from it, and prove it."""
        view = self._view(space)
        if where is None:
            return erasure.erase(self.store, [_one_id(frame_id)], view=view)
        condition = _one_filter(frame_id, where)
        with self.store.read() as snapshot:
            ids = frames.select_whole_ids(snapshot.db, view, condition)
        return erasure.erase(self.store, ids, view=view)

    def verify_erasure(self, certificate: ErasureCertificate) -> ErasureCheck:
        """Check that a certificate was issued here and that nothing of it is back."""
        return erasure.verify_erasure(self.store, certificate)

    def unfinished_erasures(self) -> tuple[ErasureCertificate, ...]:
        """Complete erasures that were cut off, and return the certificates that nobody received."""
        return erasure.unfinished(self.store)

    # Reading

    def get(self, frame_id: int, *, space: SpaceLike | None = None, as_of: AsOf = AsOf.LATEST) -> Frame:
        """One frame, or `NotFound`."""
        with self.store.read() as snapshot:
            return frames.get(
                snapshot.db, self.store.engine.dialect, _one_id(frame_id), self._view(space, as_of)
            )

    def list(
        self,
        *,
        where: WhereLike = None,
        limit: int = 100,
        cursor: str | None = None,
        space: SpaceLike | None = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> Page:
        """Frames by id, a page at a time."""
        check_limit(limit, "limit", most=10_000)
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            dialect = self.store.engine.dialect
            return frames.page(snapshot.db, dialect, view, Where.of(where), limit=limit, cursor=cursor)

    def timeline(
        self,
        *,
        where: WhereLike = None,
        since: datetime | int | None = None,
        until: datetime | int | None = None,
        limit: int = 100,
        newest_first: bool = True,
        space: SpaceLike | None = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> tuple[Frame, ...]:
        """Frames by the time they happened, newest first."""
        check_limit(limit, "limit", most=10_000)
        bounds = Where(since=since, until=until)
        condition = Where.of(where).within(since=bounds.since, until=bounds.until)
        view = self._view(space, as_of)
        with self.store.read() as snapshot:
            dialect = self.store.engine.dialect
            found = frames.timeline(
                snapshot.db, dialect, view, condition, limit=limit, newest_first=newest_first
            )
        return tuple(found)

    def search(
        self,
        query: str,
        *,
        space: SpaceLike | None = None,
        limit: int = 10,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> SearchResults:
        """The frames that answer, best first, each with its reasons.

        The further options are those of `SearchOptions`: `where`, `mode` or `lanes`, `fusion`, `reference`,
        `times`, `zone`.
        """
        view = self._view(space, as_of)
        return self._search.search(SearchRequest.of(query, view, limit=limit, **options))

    def why_not(
        self,
        query: str,
        frame_id: int,
        *,
        space: SpaceLike | None = None,
        limit: int = 10,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> WhyNot:
        """Where a named frame was lost in that search, or which place it has."""
        request = SearchRequest.of(query, self._view(space, as_of), limit=limit, **options)
        return self._search.why_not(request, _one_id(frame_id))

    def recall(
        self,
        query: str,
        *,
        budget: int = 1000,
        recipe: str | Recipe | Mapping[str, Any] = "default",
        space: SpaceLike | None = None,
        session: str | None = None,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> Context:
        """What an agent needs to know of this, as text inside a token budget, with a receipt.

        `recipe` names one ("default", "chat", "coding", "facts", "timeline", or one you saved) or is one;
        `session` is the conversation the question is asked in, for the recipes that show recent turns.
        """
        from longmind.context.builder import check_recall

        chosen = self._contexts.recipe(recipe)
        request = SearchRequest.of(query, self._view(space, as_of), limit=chosen.depth, **options)
        return self._contexts.recall(check_recall(request, recipe=chosen, budget=budget, session=session))

    def replay(self, receipt: Receipt | str) -> Replay:
        """Make a context again from its receipt, and say what changed if it is not the same."""
        from longmind.context.receipt import Receipt

        return self._contexts.replay(Receipt.from_json(receipt) if isinstance(receipt, str) else receipt)

    def save_recipe(self, recipe: Recipe | Mapping[str, Any]) -> Recipe:
        """Keep a recipe in the store, under its name."""
        from longmind.context.recipe import Recipe

        chosen = self._contexts.recipe(recipe) if isinstance(recipe, Recipe) else Recipe.from_json(recipe)
        with self.store.write() as tx:
            self._contexts.save_recipe(tx, chosen)
        return chosen

    def recipes(self) -> tuple[str, ...]:
        """Names of the recipes that `recall` knows."""
        return self._contexts.recipes()

    def conversation(self, session: str, *, space: str | None = None) -> Conversation:
        """One conversation: its turns, its window, and what it taught."""
        return self.memories.conversation(session, space=space)

    def space(self, name: str) -> ProjectSpace:
        """One project space: objects with rules."""
        return self.spaces.space(name)

    def session(
        self, *, mode: Literal["read", "write"], policy: LeasePolicy | str | float = "wait"
    ) -> Scope[Memory]:
        """`read`: all reads inside see one state. `write`: no other writer until it ends."""
        return Mapped(self.store.session(mode=mode, policy=policy), lambda _: self)

    # The life of the file

    @property
    def revision(self) -> int:
        """Changes exactly when the store does, whoever wrote."""
        return self.store.revision()

    def wait_for_change(self, since: int, *, seconds: float, poll: float = 0.05) -> bool:
        """Wait until the revision is no longer `since`; False if the time ran out first."""
        deadline = time.monotonic() + seconds
        while self.revision == since:
            if time.monotonic() >= deadline:
                return False
            time.sleep(poll)
        return True

    def flush(self) -> None:
        """Make everything committed survive a power loss too."""
        self.store.flush()

    def backup(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> int:
        """Write a consistent copy while in use; return its size in bytes."""
        return self.store.backup(path, overwrite=overwrite)

    @staticmethod
    def restore(
        backup: str | os.PathLike[str],
        to: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        deep: bool = False,
    ) -> Restored:
        """Put a checked copy of a backup in the place of a store that nobody has open."""
        from longmind.store.restore import restore

        return restore(backup, to, overwrite=overwrite, deep=deep)

    def export(self, path: str | os.PathLike[str], *, derived: bool = False, overwrite: bool = False) -> int:
        """Write the whole store as JSON Lines, the same bytes for the same state; return how many.

        With `derived`, also what can be made anew: text index, vectors, short forms.
        """
        return write_lines(path, transfer.export_lines(self.store, derived=derived), overwrite=overwrite)

    def import_(self, path: str | os.PathLike[str]) -> transfer.Moved:
        """Fill this memory, which must be empty, from an export; what it lacks of derived rows is made.

        Interrupted, it has done nothing, or all but some vectors; calling it again succeeds either way.
        """
        with read_lines(path) as lines:
            moved = transfer.import_lines(self.store, lines)
        self._wire()
        transfer.finish_import(self.store)
        self._wire()
        return moved

    def copy(self, location: str | os.PathLike[str]) -> transfer.Moved:
        """Copy everything to a new store of either engine."""
        with closing(open_store(location)) as target:
            return transfer.copy_rows(self.store, target)

    def compact(self) -> None:
        """Give unused space back."""
        self.store.compact()

    def verify(self, *, deep: bool = False) -> VerifyReport:
        """Look for damage; `deep` reads everything."""
        return upkeep.verify(self.store, deep=deep)

    def reindex(self, *, embedder: str | Embedder | None = None) -> dict[str, int]:
        """Make everything derived anew from the canonical rows; with `embedder`, by another embedder.

        Until it is whole, the old index and the old embedder answer. Interrupted, it changes no answer, and
        calling it again goes on.
        """
        if embedder is None:
            return upkeep.reindex(self.store)
        embedding = rebind_embedder(self.store, open_embedder(embedder, cache=self._cache))
        assert embedding.index is not None
        # Vectors come last, and only then do this handle's searches and writes use the new embedder.
        parts = [part for part in self.store.parts if part.name != embedding.index.name]
        done = upkeep.reindex(self.store, [*parts, embedding.index])
        self.store.parts[:] = [*parts, embedding.index]
        self._search.embedding = embedding
        return done

    def stats(self) -> Stats:
        return upkeep.stats(self.store)

    def maintain(self, policy: MaintenancePolicy | None = None) -> MaintenanceReport:
        """Upkeep within a budget; never happens by itself during reads."""
        return upkeep.maintain(self.store, policy or MaintenancePolicy())

    def close(self) -> None:
        """Leave one file behind. Safe to call twice."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _view(self, space: SpaceLike | None, as_of: AsOf = AsOf.LATEST) -> View:
        return View.of(self.default_space if space is None else space, as_of)

    def _item(self, item: str | Mapping[str, Any], space: str | None) -> Draft:
        given = {"text": item} if isinstance(item, str) else item
        if not isinstance(given, Mapping) or "text" not in given:
            raise InvalidInput("An item to remember is a text, or a mapping with 'text'.")
        make: Callable[..., Draft] = draft
        try:
            return make(**{"space": self.default_space if space is None else space, **given})
        except TypeError as error:
            raise InvalidInput(f"An item to remember has an unknown field: {error}.") from None

    def _write(self, drafts: Sequence[Draft]) -> IngestReport:
        from longmind.ingest import pipeline
        from longmind.ingest.plan import cut_if_long

        return self._maintained(pipeline.remember(self.store, [cut_if_long(item) for item in drafts]))

    def _maintained(self, report: IngestReport) -> IngestReport:
        if self._after_remember is not None:
            self.maintain(self._after_remember)
        return report


def _sources() -> Part:
    from longmind.ingest.sources import Sources

    return Sources()


def _one_id(frame_id: object) -> int:
    if isinstance(frame_id, bool) or not isinstance(frame_id, int) or not 0 < frame_id < 2**63:
        raise InvalidInput(f"{frame_id!r} is no frame id.", hint="Give a positive whole number, or where=.")
    return frame_id


def _one_filter(frame_id: int | None, where: WhereLike) -> Where:
    if frame_id is not None:
        raise InvalidInput("Give an id or where=, not both.")
    condition = Where.of(where)
    if condition.is_empty:
        raise InvalidInput("An empty where= would match everything.", hint="Say at least one condition.")
    return condition
