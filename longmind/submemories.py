"""The sub-memories of a store, each imported when it is first used: most programs use one or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from longmind.store.parts import LaterPart, Part
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.context.lanes import ContextLane
    from longmind.conversation.memories import Memories
    from longmind.experience.interface import Experience
    from longmind.llm.guard import ModelGuard
    from longmind.llm.ledger import Budgets
    from longmind.llm.protocol import LanguageModel
    from longmind.search.engine import SearchEngine
    from longmind.spaces.registry import Spaces
    from longmind.spaces.telemetry import Telemetry
    from longmind.store.engine import Connection


def memories(
    store: Store,
    search: SearchEngine,
    space: str,
    *,
    model: LanguageModel | None,
    environment: Mapping[str, str],
) -> Memories:
    from longmind.conversation.memories import Memories
    from longmind.llm.models import Models

    models = Models(environment)
    return Memories(store, search, space, model=model, models=models, guard=_guard(store))


def experience(store: Store, search: SearchEngine, repo: str) -> Experience:
    from longmind.experience.interface import Experience

    return Experience(store, search, repo=repo)


def spaces(
    store: Store,
    search: SearchEngine,
    *,
    model: str | LanguageModel | None,
    environment: Mapping[str, str],
    ordering: str | None,
    telemetry: Telemetry | None,
) -> Spaces:
    from longmind.llm.models import Models
    from longmind.spaces.registry import Spaces

    models = Models(environment, default=model)
    guard = _guard(store)
    return Spaces(store, search, backend=ordering, models=models, guard=guard, telemetry=telemetry)


def _guard(store: Store) -> ModelGuard:
    """Whoever calls a model for a space keeps to all of its budgets: the configuration's and its policy's."""
    from longmind.llm.guard import ModelGuard
    from longmind.llm.ledger import SpendingLedger

    def of_configuration(db: Connection, space: str) -> Budgets:
        from longmind.conversation.config import configured_budgets

        return configured_budgets(store)(db, space)

    def of_policy(db: Connection, space: str) -> Budgets:
        from longmind.spaces.summarise import space_budgets

        return space_budgets(db, space)

    return ModelGuard(SpendingLedger(store, [of_configuration, of_policy]))


def parts(store: Store) -> list[Part]:
    """What follows the frames for them."""
    return [
        LaterPart("conversation", lambda: _conversation_part(store)),
        LaterPart("experience", _experience_part),
        LaterPart("spaces", _spaces_part),
    ]


def memories_lane(store: Store, search: SearchEngine) -> ContextLane:
    from longmind.conversation.lane import MemoriesLane

    return MemoriesLane(store, search)


def experience_lane(experience: Experience) -> ContextLane:
    from longmind.experience.lane import ExperienceLane

    return ExperienceLane(experience)


def _conversation_part(store: Store) -> Part:
    from longmind.conversation.part import ConversationPart

    return ConversationPart(store)


def _experience_part() -> Part:
    from longmind.experience.part import ExperiencePart

    return ExperiencePart()


def _spaces_part() -> Part:
    from longmind.spaces.part import SpacesPart

    return SpacesPart()
