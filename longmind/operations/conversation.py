"""Operations on conversations: turns, the context for the next one, and the memories made of them."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal

from longmind.base.filters import SpaceLike
from longmind.base.parameters import AsUser, Limit
from longmind.base.times import AsOf
from longmind.conversation.config import Config
from longmind.conversation.memories import Memories
from longmind.conversation.turns import Conversation
from longmind.conversation.values import ExcludePersonal, Found
from longmind.memory import Memory
from longmind.operations import values
from longmind.operations.operation import Operation
from longmind.operations.results import MemorySettings

Layer = Literal["mid", "long"]
Status = Literal["active", "archived", "deleted"]


def _memories(memory: Memory) -> Memories:
    return memory.memories


def _list(
    memory: Memory,
    *,
    layer: Annotated[Layer | None, "Only this layer."] = None,
    status: Annotated[
        Literal["active", "archived", "deleted", "any"], "In use, put away, retired, or whichever."
    ] = "active",
    sort: Annotated[Literal["score", "created", "last_seen", "hits", "id"], "The order."] = "score",
    limit: Limit = 50,
    exclude_pii: ExcludePersonal = False,
    as_of: AsOf = AsOf.LATEST,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> Found:
    """Memories, the strongest first."""
    return memory.memories.list(
        layer=layer,
        status=None if status == "any" else status,
        sort=sort,
        limit=limit,
        exclude_pii=exclude_pii,
        as_of=as_of,
        space=space,
        user=user,
    )


def _config(memory: Memory) -> MemorySettings:
    """The settings of conversation memory."""
    return _settings(memory.memories.config)


def _settings(config: Config) -> MemorySettings:
    return MemorySettings(config.to_mapping())


_on_conversation = partial(Operation, receiver=Memory.conversation)
_on_memories = partial(Operation, receiver=_memories)
_NOW: Final = {"now": values.now}

OPERATIONS: Final = (
    _on_conversation(
        "turns.add",
        Conversation.add_turn,
        types={"role": Literal["user", "assistant", "system", "tool"]},
        effect="write",
        begins=True,
        example={"session": "s1", "role": "user", "text": "I like trains, and my name is Ana."},
    ),
    _on_conversation(
        "turns.add_many",
        Conversation.add_turns,
        effect="write",
        begins=True,
        example={"session": "s1", "turns": [{"role": "user", "text": "I moved to Porto."}]},
    ),
    _on_conversation("turns.window", Conversation.window, example={"session": "s1", "limit": 10}),
    _on_conversation(
        "turns.context",
        Conversation.context,
        options=("k",),
        example={"session": "s1", "query": "what does Ana like?"},
    ),
    _on_memories(
        "memories.remember",
        Memories.remember,
        effect="write",
        begins=True,
        example={"content": "Ana prefers trains to planes.", "importance": 1},
    ),
    _on_memories(
        "memories.update",
        Memories.update,
        types={"status": Status | None},
        effect="write",
        repeatable=True,
        example={"memory_id": 1, "tags": ["travel"]},
    ),
    _on_memories(
        "memories.forget", Memories.forget, effect="destroy", repeatable=True, example={"memory_id": 1}
    ),
    _on_memories("memories.erase", Memories.erase, effect="destroy", example={"memory_id": 1}),
    _on_memories("memories.gc", Memories.gc, effect="destroy", fill=_NOW, example={"dry_run": True}),
    _on_memories(
        "memories.configure",
        Memories.configure,
        effect="write",
        begins=True,
        repeatable=True,
        rename={"changes": "settings"},
        result=_settings,
        example={"settings": {"mid.capacity": 200}},
    ),
    _on_memories("memories.get", Memories.get, example={"memory_id": 1}),
    Operation("memories.list", _list, example={"layer": "mid", "limit": 20}),
    _on_memories(
        "memories.search",
        Memories.search,
        types={"layer": Layer | None},
        example={"query": "how does Ana like to travel?"},
    ),
    _on_memories("memories.like", Memories.like, example={"text": "Ana prefers trains to planes."}),
    _on_memories("memories.why", Memories.why, example={"memory_id": 1}),
    _on_memories("memories.stats", Memories.stats, fill=_NOW),
    Operation("memories.config", _config),
)
