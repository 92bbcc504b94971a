"""What a memory is put together from: the parts beside the frames, search, and the sub-memories.

Each sub-memory is imported when it is first used: most programs use one or none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from longmind.base.errors import LongmindError
from longmind.base.processes import ExtractionProcesses
from longmind.embed import Embedder
from longmind.embed.models import default_cache
from longmind.facts.lane import LaneOptions
from longmind.rerank import Reranker, open_reranker
from longmind.search.embedding import AUTO, bind_embedder
from longmind.search.engine import FactsLane, SearchEngine
from longmind.store.block_part import Blocks
from longmind.store.parts import LaterPart, LaterWriter, Part
from longmind.store.rules import TextRedactor
from longmind.store.store import Store
from longmind.text.index import TextIndex
from longmind.text.times import TimeIndex
from longmind.vectors.device import Device

if TYPE_CHECKING:
    from longmind.base.access import Access
    from longmind.context.builder import ContextBuilder
    from longmind.context.lanes import ContextLane
    from longmind.conversation.memories import Memories
    from longmind.experience.interface import Experience
    from longmind.facts.extraction import Extractor
    from longmind.facts.ledger import Ledger
    from longmind.ingest.report import IngestReport
    from longmind.ingest.source import Readers
    from longmind.llm.guard import ModelGuard
    from longmind.llm.ledger import Budgets
    from longmind.llm.protocol import LanguageModel
    from longmind.media.interface import Media
    from longmind.media.lane import ImagesLane
    from longmind.media.protocols import Captioner, ImageEmbedder
    from longmind.media.tools import MediaTools
    from longmind.spaces.registry import Spaces
    from longmind.spaces.telemetry import Telemetry
    from longmind.store.engine import Connection
    from longmind.store.snapshots import Snapshots


@dataclass(frozen=True, slots=True)
class Components:
    """What a caller chose when opening a memory; `Memory.open` says what each is."""

    embedder: str | Embedder | None = AUTO
    reranker: str | Reranker | None = None
    extractor: Extractor | Literal["auto"] | None = AUTO
    llm: LanguageModel | None = None
    semantic_model: str | None = None
    surrogates: bool = True
    ordering: str | None = None
    telemetry: Telemetry | None = None
    cache: str | os.PathLike[str] | None = None
    access: Access | None = None
    facts_lane: LaneOptions | None = None
    media: MediaTools | None = None
    device: Device = "auto"
    extraction_processes: ExtractionProcesses = "auto"

    @property
    def cache_folder(self) -> Path:
        return default_cache() if self.cache is None else Path(self.cache)

    def attach(self, store: Store) -> SearchEngine:
        """Give a store its parts, in the order in which they are written, and the search over them."""
        text = TextIndex(store.engine.dialect)
        text.bind(store)
        times = TimeIndex(store.engine.dialect)
        times.bind(store)
        store.redaction.make = _redactor
        embedding = bind_embedder(store, self.embedder, cache=self.cache_folder, device=self.device)
        store.parts[:] = [
            text,
            times,
            Blocks(),
            *([] if embedding.part is None else [embedding.part]),
            LaterWriter("surrogates", lambda: _surrogates_part(store, at_ingest=self.surrogates)),
            LaterPart("sources", _sources_part),
            LaterWriter("media", _media_part),
            LaterWriter(
                "facts",
                lambda: _facts_part(store, self.extractor, self.extraction_processes),
                needs_whole=True,
            ),
            LaterPart(
                "conversation",
                lambda: _conversation_part(store),
                follows="conversation_memory",
            ),
            LaterPart("experience", _experience_part),
            LaterPart("spaces", _spaces_part),
        ]
        return SearchEngine(
            store,
            embedding=embedding,
            facts=FactsLane(store.mirrors, self.facts_lane),
            reranker=None if self.reranker is None else open_reranker(self.reranker),
        )

    def memories(
        self,
        store: Store,
        search: SearchEngine,
        space: str,
        environment: Mapping[str, str],
        *,
        user: str | None = None,
    ) -> Memories:
        from longmind.conversation.memories import Memories
        from longmind.llm.models import Models

        access = self.allowed(environment)
        # Named, the model for notes may also read turns; it is the process's own.
        models = Models(environment, default=self.semantic_model, access=access)
        guard = _guard(store, access)
        return Memories(store, search, space, user=user, model=self.llm, models=models, guard=guard)

    def experience(
        self, store: Store, search: SearchEngine, space: str, user: str | None = None
    ) -> Experience:
        from longmind.experience.interface import Experience

        return Experience(store, search, repo=space, user=user)

    def spaces(
        self,
        store: Store,
        search: SearchEngine,
        environment: Mapping[str, str],
        *,
        user: str | None = None,
    ) -> Spaces:
        from longmind.llm.models import Models
        from longmind.spaces.registry import Spaces

        access = self.allowed(environment)
        models = Models(environment, default=self.semantic_model or self.llm, access=access)
        return Spaces(
            store, search, backend=self.ordering, models=models, guard=_guard(store, access),
            telemetry=self.telemetry, access=access, user=user,
        )  # fmt: skip

    def media_memory(
        self,
        store: Store,
        space: str,
        environment: Mapping[str, str],
        ingest: Callable[..., IngestReport],
        *,
        user: str | None = None,
    ) -> Media:
        from longmind.media.interface import Media
        from longmind.media.tools import CAPTIONS_VARIABLE, MediaTools

        if self.media is not None:
            return Media(store, space, self.media, ingest, user=user)
        tools = MediaTools.of_process(environment, self.cache_folder)
        if name := environment.get(CAPTIONS_VARIABLE, "").strip():
            tools.captions = self._captioner(name, store, space, environment)
        return Media(store, space, tools, ingest, user=user)

    def _captioner(
        self, name: str, store: Store, space: str, environment: Mapping[str, str]
    ) -> Captioner | None:
        """The model that the process names for pictures; what it costs is on the memory's own space."""
        from longmind.llm.models import Models
        from longmind.llm.protocol import Prompt
        from longmind.media.captions import ModelCaptioner
        from longmind.media.tools import Unusable

        access = self.allowed(environment)
        try:
            model = Models(environment, default=name, access=access).default()
        except LongmindError as error:  # such as a key that is missing
            return Unusable(name.partition("@")[0], error)
        guard = _guard(store, access)

        def ask(model: LanguageModel, prompt: Prompt, check: Callable[[str], str]) -> str:
            return guard.ask(model, prompt, check, space=space).value

        return None if model is None else ModelCaptioner(model, ask=ask)

    def allowed(self, environment: Mapping[str, str]) -> Access:
        """What the process lets this memory reach: as it said when opening, or by its environment."""
        from longmind.base.access import Access

        return Access.of_process(environment) if self.access is None else self.access


def contexts(store: Store, search: SearchEngine, experience: Callable[[], Experience]) -> ContextBuilder:
    """What recall builds its contexts with: facts, and the lanes of the sub-memories."""
    from longmind.context.builder import ContextBuilder
    from longmind.facts.cards import FactCards

    builder = ContextBuilder(store, search, facts=FactCards(index=search.fact_index))
    builder.register("memories", lambda: _memories_lane(store, search))
    builder.register("experience", lambda: _experience_lane(experience()))
    return builder


def _guard(store: Store, access: Access) -> ModelGuard:
    """Whoever calls a model for a space keeps to all of its budgets: the process's, the configuration's and
    those of its policy."""
    from longmind.llm.guard import ModelGuard
    from longmind.llm.ledger import Cap, SpendingLedger
    from longmind.llm.prices import Price

    def of_configuration(db: Connection, space: str) -> Budgets:
        from longmind.conversation.config import configured_budgets

        return configured_budgets(store)(db, space)

    def of_policy(db: Connection, space: str) -> Budgets:
        from longmind.spaces.summarise import space_budgets

        return space_budgets(db, space)

    limit = Cap(access.max_usd, access.max_tokens)
    prices = {name: Price(*price) for name, price in access.prices.items()}
    return ModelGuard(SpendingLedger(store, [of_configuration, of_policy], limit=limit), prices=prices)


def _redactor(rules: Sequence[str], key: bytes) -> TextRedactor:
    from longmind.spaces.policies import Policy
    from longmind.spaces.redaction import Redactor

    return Redactor(Policy(pii_redaction=tuple(rules)), key)


def _memories_lane(store: Store, search: SearchEngine) -> ContextLane:
    from longmind.conversation.lane import MemoriesLane

    return MemoriesLane(store, search)


def _experience_lane(experience: Experience) -> ContextLane:
    from longmind.experience.lane import ExperienceLane

    return ExperienceLane(experience)


def _surrogates_part(store: Store, *, at_ingest: bool) -> Part:
    from longmind.context.surrogates import Surrogates

    return Surrogates(store.engine.dialect, at_ingest=at_ingest)


def _media_part() -> Part:
    from longmind.media.part import MediaPart

    return MediaPart()


def _facts_part(store: Store, extractor: Extractor | str | None, processes: ExtractionProcesses) -> Part:
    from longmind.facts.extraction import ReferenceExtractor
    from longmind.facts.part import FactsPart

    chosen = ReferenceExtractor() if extractor == AUTO else extractor
    return FactsPart(None if isinstance(chosen, str) else chosen, clock=store.clock, processes=processes)


def _sources_part() -> Part:
    from longmind.ingest.sources import Sources

    return Sources()


def _conversation_part(store: Store) -> Part:
    from longmind.conversation.part import ConversationPart

    return ConversationPart(store)


def _experience_part() -> Part:
    from longmind.experience.part import ExperiencePart

    return ExperiencePart()


def _spaces_part() -> Part:
    from longmind.spaces.part import SpacesPart

    return SpacesPart()


def ledger(store: Store, space: str, user: str | None) -> Ledger:
    from longmind.facts.ledger import Ledger

    return Ledger(store, space, user)


def snapshots(store: Store) -> Snapshots:
    from longmind.store.snapshots import Snapshots

    return Snapshots(store)


def images_lane(embedder: Callable[[], ImageEmbedder | None]) -> ImagesLane:
    """Photos by what they show, as a lane of search; nothing of it is loaded before there are any."""
    from longmind.media.lane import ImagesLane

    return ImagesLane(embedder)


def readers(media: MediaTools) -> Readers:
    """Every reader that comes with the package, those of media among them."""
    from longmind.ingest.readers import default_readers
    from longmind.media.readers import media_readers

    registry = default_readers()
    for reader in media_readers(media, registry.limits):
        registry.register(reader)
    return registry
