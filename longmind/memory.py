"""Memory: what a user holds in hand. It opens a store, holds its parts and sub-memories, and forwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind import submemories
from longmind.base.caller import audited
from longmind.base.checks import check_limit
from longmind.base.expiry import ExpiresAt, Ttl, expiry
from longmind.base.filters import SpaceLike, UserLike, View, Where
from longmind.base.frame import Frame, FrameList, Kind, Page
from longmind.base.garbage import collection_paused
from longmind.base.names import DEFAULT_SPACE, canonical_space
from longmind.base.parameters import (
    AsUser,
    FrameId,
    IdempotencyKey,
    InSpace,
    Limit,
    Mark,
    Metadata,
    PathLike,
    Scope,
    SessionName,
    Source,
    Tags,
    User,
    WhereLike,
    WriteSpace,
)
from longmind.base.partitions import Partition, check_user, partition_name
from longmind.base.processes import ExtractionProcesses, check_extraction_processes
from longmind.base.secret import KeyLike
from longmind.base.times import AsOf, Clock
from longmind.editing import Editing
from longmind.embed import Embedder
from longmind.exchange import Exchange
from longmind.ingest.budget import CHUNK_OVERLAP, CHUNK_TOKENS, UNLIMITED, IngestBudget
from longmind.lifecycle import Lifecycle
from longmind.people import People
from longmind.questions import Questions
from longmind.recipes import Recipes
from longmind.rerank import Reranker
from longmind.search.embedding import AUTO
from longmind.store import edit, frames, scope
from longmind.store.drafts import Draft, draft
from longmind.store.follower import MEMORY_LIMIT
from longmind.store.lease import LeasePolicy
from longmind.store.store import BUSY_SECONDS, Store, open_store
from longmind.submemories import Components
from longmind.vectors.device import Device, check_device

if TYPE_CHECKING:
    from longmind.base.access import Access
    from longmind.context.builder import ContextBuilder
    from longmind.context.receipt import Receipt, Replay
    from longmind.conversation.memories import Memories
    from longmind.conversation.turns import Conversation
    from longmind.experience.interface import Experience
    from longmind.facts.extraction import Extractor
    from longmind.facts.lane import LaneOptions
    from longmind.facts.ledger import Ledger
    from longmind.ingest.report import IngestReport
    from longmind.ingest.source import Readers
    from longmind.ingest.sources import Progress
    from longmind.llm.protocol import LanguageModel
    from longmind.media.interface import Media
    from longmind.media.tools import MediaTools
    from longmind.search.golden import Golden
    from longmind.spaces.registry import Spaces
    from longmind.spaces.space import ProjectSpace
    from longmind.spaces.telemetry import Telemetry
    from longmind.store.upkeep import MaintenancePolicy

_MOST_FRAMES = 10_000
"""The largest page that `list` and `timeline` give at once."""


@audited("")
class Memory(Lifecycle, Editing, Exchange, People, Questions, Recipes):
    """Long-term memory in one file, or in one schema of PostgreSQL.

    Every call takes `space=`; without it, the handle's own space is meant, never all of them. `user=` is one
    person's part of a space: what is written there, only reads with the same `user=` see.
    Reads take `as_of=`, and never look at the clock.
    """

    def __init__(
        self,
        store: Store,
        *,
        space: str = DEFAULT_SPACE,
        user: str | None = None,
        components: Components | None = None,
        after_remember: MaintenancePolicy | None = None,
    ) -> None:
        self.store = store
        self.default_space = canonical_space(space)
        self.default_user = None if user is None else check_user(user)
        self._components = components or Components()
        self._after_remember = after_remember
        self._wire()

    def _wire(self) -> None:
        self._drop_submemories("facts", "memories", "experience", "spaces", "golden", "_contexts")
        super()._wire()
        self._search.images = submemories.images_lane(lambda: self.media.tools.images)

    def _drop_submemories(self, *names: str) -> None:
        """Those that were made already; each is made again when it is next used."""
        for name in names:
            self.__dict__.pop(name, None)

    @classmethod
    def open(
        cls,
        location: PathLike,
        *,
        space: str = DEFAULT_SPACE,
        user: str | None = None,
        embedder: str | Embedder | None = AUTO,
        reranker: str | Reranker | None = None,
        extractor: Extractor | Literal["auto"] | None = AUTO,
        llm: LanguageModel | None = None,
        semantic_model: str | None = None,
        surrogates: bool = True,
        ordering: str | None = None,
        telemetry: Telemetry | None = None,
        cache: PathLike | None = None,
        access: Access | None = None,
        media: MediaTools | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
        create: bool = True,
        durability: Literal["normal", "full"] = "normal",
        max_bytes: int | None = None,
        memory_limit: int = MEMORY_LIMIT,
        busy_timeout: float = BUSY_SECONDS,
        accept_lost_log: bool = False,
        key: KeyLike | None = None,
        facts_lane: LaneOptions | None = None,
        device: Device = "auto",
        extraction_processes: ExtractionProcesses = "auto",
        on_open: MaintenancePolicy | None = None,
        after_remember: MaintenancePolicy | None = None,
        actor: str | None = None,
    ) -> Memory:
        """Open a path, `:memory:` or `postgresql://…?store=name`; create it unless `create=False`.

        `embedder` names one ("minilm", "minilm+use", "onnx:/folder", "openai:…", "ollama:…"), is one, or is
        None; by default it is the one the store remembers, or the installed default. `cache` is the folder
        where models are installed. `reranker` orders the first hits again ("onnx:/folder", or an object).
        `extractor` reads facts from what is remembered; None reads none. `llm` is a language model for turns
        and raw notes, `semantic_model` names another for raw notes ("openai:gpt-4o-mini"); none is needed.
        `surrogates=False` leaves the short forms of long frames to `maintain`. `ordering` is how project
        spaces order what they recall, `telemetry` where they count and trace it. `access` is what stores and
        requests may reach; by default, what the environment and the configuration file allow. `media` are the
        tools that read photos, videos and sound. `memory_limit` is how many bytes of the store stay in memory
        between calls; `facts_lane` limits that lane. `accept_lost_log` opens a file whose log is missing or
        damaged; without it, that is `Corrupt`. `actor` is who the audit log names; by default LONGMIND_ACTOR,
        else "local". `key` opens an encrypted file, or makes one: 32 bytes, a passphrase, or a function that
        returns one of them. `device` is where vectors are made and searched: "cuda", "cpu" or "auto".
        `extraction_processes` is how many processes may help to read facts where there is much to read: by
        default one less than there are cores, four at most; 0 leaves it all to this process.
        """
        partition_name(space, user)  # checked before a file is made
        check_device(device)
        check_extraction_processes(extraction_processes)
        store = open_store(
            location, clock=clock, read_only=read_only, create=create, durability=durability,
            max_bytes=max_bytes, memory_limit=memory_limit, busy_timeout=busy_timeout,
            accept_lost_log=accept_lost_log, key=key,
            actor=actor or os.environ.get("LONGMIND_ACTOR") or None)  # fmt: skip
        components = Components(
            embedder, reranker, extractor, llm, semantic_model, surrogates, ordering, telemetry, cache,
            access, facts_lane, media, device, extraction_processes)  # fmt: skip
        options = {"space": space, "user": user, "after_remember": after_remember}
        return cls._over(store, on_open, components=components, **options)

    @classmethod
    def _over(cls, store: Store, on_open: MaintenancePolicy | None, **options: Any) -> Memory:
        try:
            memory = cls(store, **options)
            memory._complete(on_open)
        except BaseException:  # also Ctrl-C: nobody else would close the store
            store.close()
            raise
        return memory

    # Parts and sub-memories

    @property
    def embedder(self) -> str | None:
        """The identity of the embedder that vectors are made with; None without one."""
        embedder = self._search.embedding.embedder
        return None if embedder is None else embedder.identity.text()

    @cached_property
    def readers(self) -> Readers:
        """What reads files; further ones can be registered."""
        return submemories.readers(self.media.tools)

    @cached_property
    def media(self) -> Media:
        """Photos, videos and sound: reading them, and finding pictures that look alike."""
        return self._components.media_memory(
            self.store, self.default_space, os.environ, self.ingest, user=self.default_user
        )

    @cached_property
    def golden(self) -> Golden:
        """Golden questions: what this store must find."""
        from longmind.search.golden import Golden

        return Golden(
            self.store,
            self._search,
            view=lambda space: self._view(space, None, AsOf.LATEST),
            home=lambda space: str(self._home(space, None, "space")),
        )

    @cached_property
    def facts(self) -> Ledger:
        """What was true and what was known, on two time axes."""
        return submemories.ledger(self.store, self.default_space, self.default_user)

    @cached_property
    def memories(self) -> Memories:
        """What is remembered of conversations, and fades."""
        return self._components.memories(
            self.store, self._search, self.default_space, os.environ, user=self.default_user
        )

    @cached_property
    def experience(self) -> Experience:
        """What was tried, what worked, what failed, and what is so."""
        return self._components.experience(self.store, self._search, self.default_space, self.default_user)

    @cached_property
    def spaces(self) -> Spaces:
        """Project spaces: objects with rules."""
        return self._components.spaces(self.store, self._search, os.environ, user=self.default_user)

    def conversation(self, session: SessionName, *, space: InSpace = None, user: User = None) -> Conversation:
        """One conversation: its turns, its window, and what it taught."""
        return self.memories.conversation(session, space=space, user=user)

    def space(self, name: Annotated[str, "The space."], *, user: User = None) -> ProjectSpace:
        """One project space: objects with rules."""
        return self.spaces.space(name, user=user)

    @cached_property
    def _contexts(self) -> ContextBuilder:
        return submemories.contexts(self.store, self._search, lambda: self.experience)

    # Writing

    def remember(
        self,
        text: Annotated[str, "The text to keep.", Mark.TEXT],
        *,
        title: Annotated[str | None, "A title for it."] = None,
        kind: Annotated[str, "What kind of thing it is."] = Kind.TEXT,
        tags: Tags = (),
        metadata: Metadata = None,
        session: Annotated[str | None, "The session it belongs to."] = None,
        role: Annotated[str | None, "The role of who said it, such as user."] = None,
        speaker: Annotated[str | None, "The name of who said it."] = None,
        uri: Annotated[str | None, "Where it comes from."] = None,
        source: Source = "user",
        scope: Scope = "space",
        occurred_at: Annotated[datetime | int | None, "When it happened; now, if it is not given."] = None,
        idempotency_key: IdempotencyKey = None,
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
        space: WriteSpace = None,
        user: User = None,
    ) -> IngestReport:
        """Keep a text for later. The same text in the same place is kept once.

        Use it for what should still be known in another session: decisions, preferences, findings, events.
        """
        item = draft(
            text, space=self._home(space, user, scope), kind=kind, scope=scope, title=title,
            session=session, role=role, speaker=speaker, uri=uri, source=source, tags=tags,
            metadata=metadata, occurred_at=occurred_at, idempotency_key=idempotency_key,
            expires_at=expiry(expires_at, ttl, now=self.store.now()))  # fmt: skip
        return self._write([item])

    def remember_many(
        self,
        items: Annotated[
            Iterable[str | Mapping[str, Any]], "Each with `text` and what else `remember` takes."
        ],
        *,
        space: WriteSpace = None,
        user: User = None,
    ) -> IngestReport:
        """Keep several texts in one transaction: all of them or none."""
        from longmind.ingest.request import drafts_of

        own_space = self.default_space if space is None else space
        whose = self.default_user if user is None else user
        with collection_paused():
            return self._write(drafts_of(items, space=own_space, user=whose, now=self.store.now()))

    def ingest(
        self,
        source: Annotated[PathLike | bytes | None, "A file or a folder."] = None,
        *,
        text: Annotated[str | None, "A document's text, instead of a path."] = None,
        uri: Annotated[
            str | None, "What a document given as text is called; the next one of that name replaces it."
        ] = None,
        media_type: Annotated[str | None, "What the text is, such as text/markdown."] = None,
        title: Annotated[str | None, "A title, instead of the one it has."] = None,
        tags: Tags = (),
        metadata: Metadata = None,
        include: Annotated[Iterable[str], "Only files that match, as in .gitignore."] = (),
        exclude: Annotated[Iterable[str], "No files that match, as in .gitignore."] = (),
        ignore: Annotated[bool, "Leave out what .gitignore ignores."] = True,
        scope: Scope = "space",
        session: str | None = None,
        occurred_at: datetime | int | None = None,
        chunk_tokens: int = CHUNK_TOKENS,
        chunk_overlap: int = CHUNK_OVERLAP,
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
        budget: IngestBudget = UNLIMITED,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[Progress], None] | None = None,
        space: WriteSpace = None,
        user: User = None,
    ) -> IngestReport:
        """Read a file, a folder or a text into documents with chunks.

        Of a folder, a second run reads only what changed: a changed file supersedes its old version, a file
        that is gone is retired, and an interrupted run is continued. What cannot be read is skipped.
        """
        from longmind.ingest.plan import Cutting
        from longmind.ingest.request import ingest
        from longmind.ingest.sources import FolderOptions

        report = ingest(
            self.store, self.readers, source, text=text, uri=uri, media_type=media_type, title=title,
            tags=tags, metadata=metadata, session=session, occurred_at=occurred_at,
            space=self._home(space, user, scope), scope=scope, cutting=Cutting(chunk_tokens, chunk_overlap),
            files=FolderOptions(ignore, tuple(include), tuple(exclude)), budget=budget,
            cancelled=cancelled, progress=progress,
            expires_at=expiry(expires_at, ttl, now=self.store.now()))  # fmt: skip
        return self._maintained(report)

    def watch(self, folder: PathLike, *, stop: Callable[[], bool], **options: Any) -> Iterator[IngestReport]:
        """Ingest a folder now, and again whenever something in it changes, until `stop()` is true."""
        from longmind.ingest.sources import watch_folder

        changes = watch_folder(Path(folder), stop=stop)  # listens before the first look, so nothing is missed
        yield self.ingest(folder, **options)
        for _ in changes:
            yield self.ingest(folder, **options)

    # Reading

    def get(
        self,
        frame_id: FrameId,
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> Frame:
        """One frame, whole."""
        view, number = self._view(space, user, as_of), edit.check_frame_id(frame_id)
        with self.store.read() as snapshot:
            return frames.get(snapshot.db, self.store.engine.dialect, number, view)

    def list(
        self,
        *,
        where: WhereLike = None,
        limit: Limit = 100,
        cursor: Annotated[str | None, "Where the page before ended."] = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> Page:
        """Frames by id, a page at a time."""
        check_limit(limit, "limit", most=_MOST_FRAMES)
        view, dialect = self._view(space, user, as_of), self.store.engine.dialect
        with self.store.read() as snapshot:
            return frames.page(snapshot.db, dialect, view, Where.of(where), limit=limit, cursor=cursor)

    def timeline(
        self,
        *,
        limit: Limit = 100,
        since: Annotated[datetime | int | None, "What happened then or later."] = None,
        until: Annotated[datetime | int | None, "What happened before then."] = None,
        where: WhereLike = None,
        newest_first: bool = True,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> FrameList:
        """What happened when, newest first."""
        check_limit(limit, "limit", most=_MOST_FRAMES)
        bounds = Where(since=since, until=until)
        condition = Where.of(where).within(since=bounds.since, until=bounds.until)
        view, dialect = self._view(space, user, as_of), self.store.engine.dialect
        with self.store.read() as snapshot:
            rows = frames.timeline(
                snapshot.db, dialect, view, condition, limit=limit, newest_first=newest_first
            )
        return FrameList(tuple(rows))

    def replay(
        self, receipt: Annotated[Receipt | str, "The receipt of a context, as JSON.", Mark.TEXT]
    ) -> Replay:
        """Make a context again from its receipt, and say what changed if it is not the same."""
        from longmind.context.receipt import Receipt
        from longmind.context.render import SPACE

        parsed = Receipt.from_json(receipt) if isinstance(receipt, str) else receipt
        if parsed.order == SPACE:
            request = parsed.request
            return self.space(request.get("space", ""), user=request.get("user")).replay(parsed)
        return self._contexts.replay(parsed)

    def session(
        self, *, mode: Literal["read", "write"], policy: LeasePolicy | str | float = "wait"
    ) -> scope.Scope[Memory]:
        """`read`: all reads inside see one state. `write`: no other writer until it ends."""
        return scope.Mapped(self.store.session(mode=mode, policy=policy), lambda _: self)

    # Steps

    def _home(self, space: str | None, user: str | None, scope: str) -> Partition:
        own = None if scope == "global" else self.default_user
        return partition_name(self.default_space if space is None else space, own if user is None else user)

    def _view(self, space: SpaceLike | None, user: UserLike, as_of: AsOf) -> View:
        own_space = self.default_space if space is None else space
        return View.of(own_space, as_of, self.default_user if user is None else user, now=self.store.now())

    def _write(self, drafts: Sequence[Draft]) -> IngestReport:
        from longmind.ingest.request import remember

        return self._maintained(remember(self.store, drafts))

    def _maintained(self, report: IngestReport) -> IngestReport:
        if self._after_remember is not None:
            self.maintain(self._after_remember)
        return report


def without_default_user(memory: Memory) -> Memory:
    """The same memory where who names no user means what all share, and not the user it was opened for.

    For those who may not see that user's part. It is open as long as the memory itself.
    """
    if memory.default_user is None:
        return memory
    shared = copy(memory)
    shared.default_user = None
    shared._drop_submemories("facts", "memories", "experience", "spaces", "media", "golden", "_contexts")
    return shared
