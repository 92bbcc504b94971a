"""Operations on conversations: turns, the context for the next one, and the memories made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import AsOfMoment, Limit, Moment, Space, Spaces

if TYPE_CHECKING:
    from longmind.conversation.values import (
        ConversationContext,
        ConversationStats,
        Found,
        MemoryItem,
        SweepReport,
        TurnReport,
        Why,
    )
    from longmind.memory import Memory
    from longmind.operations.answers import FrameList, MemorySettings, TurnReports
    from longmind.store.erasure import ErasureCertificate

Session = Annotated[str, "The conversation, by a name of your own."]
InSpace = Annotated[str | None, "The space it is in; the memory's own if it is not given."]
Extract = Annotated[bool, "Read what a user's turn tells into memories."]
MemoryId = Annotated[int, "The id of a memory."]
WithoutPersonal = Annotated[bool, "Leave out memories with personal data."]
Layer = Annotated[Literal["mid", "long"] | None, "Only this layer."]
Now = Annotated[Moment, "The moment to reckon with; now, if it is not given."]

# Turns


@operation(
    "turns.add",
    effect="write",
    begins=True,
    example={"session": "s1", "role": "user", "text": "I like trains, and my name is Ana."},
)
def add(
    memory: Memory,
    session: Session,
    role: Annotated[Literal["user", "assistant"], "Who speaks: user or assistant."],
    text: Annotated[str, "What was said.", Mark.TEXT],
    *,
    speaker: Annotated[str | None, "The name of who speaks."] = None,
    extract: Extract = True,
    idempotency_key: Annotated[str | None, "Write once for this key, however often it is tried."] = None,
    space: Space = None,
) -> TurnReport:
    """Write one turn of a conversation, and what a user's turn tells into the memories."""
    talk = memory.conversation(session, space=space)
    return talk.add_turn(role, text, extract=extract, speaker=speaker, idempotency_key=idempotency_key)


@operation(
    "turns.add_many",
    effect="write",
    begins=True,
    example={"session": "s1", "turns": [{"role": "user", "text": "I moved to Porto."}]},
)
def add_many(
    memory: Memory,
    session: Session,
    turns: Annotated[
        list[dict[str, Any]], "Each with role and text, maybe speaker and idempotency_key.", Mark.TEXT
    ],
    *,
    extract: Extract = True,
    space: Space = None,
) -> TurnReports:
    """Write several turns in order; all are checked before the first is written."""
    from longmind.operations.answers import TurnReports

    return TurnReports(tuple(memory.conversation(session, space=space).add_turns(turns, extract=extract)))


@operation("turns.window", example={"session": "s1", "limit": 10})
def window(
    memory: Memory,
    session: Session,
    *,
    limit: Annotated[int | None, "At most this many; as many as the settings say, if not given."] = None,
    as_of: AsOfMoment = None,
    space: InSpace = None,
) -> FrameList:
    """The last turns of a conversation, oldest first."""
    from longmind.operations.answers import FrameList

    talk = memory.conversation(session, space=space)
    return FrameList(talk.window(limit=limit, as_of=values.as_of(memory, as_of)))


@operation("turns.context", example={"session": "s1", "query": "what does Ana like?"})
def context(
    memory: Memory,
    session: Session,
    *,
    query: Annotated[str | None, "What it is about; the user's last words, if it is not given."] = None,
    k: Annotated[int, "At most this many memories of each layer."] = 20,
    exclude_pii: WithoutPersonal = False,
    as_of: AsOfMoment = None,
    space: InSpace = None,
) -> ConversationContext:
    """The last turns, the strongest memories, and the long-term ones that matter here."""
    talk = memory.conversation(session, space=space)
    return talk.context(k, query=query, exclude_pii=exclude_pii, as_of=values.as_of(memory, as_of))


# Memories: writing


@operation(
    "memories.remember",
    effect="write",
    begins=True,
    example={"content": "Ana prefers trains to planes.", "importance": 1},
)
def remember(
    memory: Memory,
    content: Annotated[str, "What to remember, as one sentence.", Mark.TEXT],
    *,
    importance: Annotated[int, "1 if it is important, else 0."] = 0,
    tags: Annotated[list[str] | None, "Tags for it."] = None,
    space: Space = None,
) -> MemoryItem:
    """Keep a memory in the middle layer; one that says the same is seen again instead."""
    return memory.memories.remember(content, importance=importance, tags=tags or (), space=space)


@operation("memories.update", effect="write", repeatable=True, example={"memory_id": 1, "tags": ["travel"]})
def update(
    memory: Memory,
    memory_id: MemoryId,
    *,
    content: Annotated[str | None, "Other words for it."] = None,
    status: Annotated[
        Literal["active", "archived", "deleted"] | None, "In use, put away, or retired."
    ] = None,
    tags: Annotated[list[str] | None, "The tags it shall have, as a whole."] = None,
    space: InSpace = None,
) -> MemoryItem:
    """Change a memory's words, status or tags; what held before stays visible as of before."""
    return memory.memories.update(memory_id, content=content, status=status, tags=tags, space=space)


@operation("memories.forget", effect="destroy", repeatable=True, example={"memory_id": 1})
def forget(memory: Memory, memory_id: MemoryId, *, space: InSpace = None) -> MemoryItem:
    """Retire a memory: gone from answers, still there as of before."""
    return memory.memories.forget(memory_id, space=space)


@operation("memories.erase", effect="destroy", example={"memory_id": 1})
def erase(
    memory: Memory,
    memory_id: MemoryId,
    *,
    with_sources: Annotated[bool, "Also the turns that it was made of."] = False,
    space: InSpace = None,
) -> ErasureCertificate:
    """Remove a memory for good, so that it is not extracted again, and prove it by a certificate."""
    return memory.memories.erase(memory_id, with_sources=with_sources, space=space)


@operation("memories.gc", effect="destroy", example={"dry_run": True})
def gc(
    memory: Memory,
    *,
    dry_run: Annotated[bool, "Say what would be, and write nothing."] = False,
    purge: Annotated[bool, "Erase what is deleted, for good."] = False,
    now: Now = None,
    space: InSpace = None,
) -> SweepReport:
    """Sweep the memories: score, promote, let old ones go, keep to the capacity."""
    return memory.memories.gc(_now(memory, now), dry_run=dry_run, purge=purge, space=space)


@operation(
    "memories.configure",
    effect="write",
    begins=True,
    repeatable=True,
    example={"settings": {"mid.capacity": 200}},
)
def configure(
    memory: Memory,
    settings: Annotated[dict[str, Any], "Settings by name, such as mid.capacity, or by section.", Mark.PAIRS],
) -> MemorySettings:
    """Change settings of conversation memory; all are checked before any is written."""
    from longmind.operations.answers import MemorySettings

    return MemorySettings(memory.memories.configure(settings).to_mapping())


# Memories: reading


@operation("memories.get", example={"memory_id": 1})
def get(memory: Memory, memory_id: MemoryId, *, as_of: AsOfMoment = None, space: Spaces = None) -> MemoryItem:
    """One memory."""
    return memory.memories.get(memory_id, as_of=values.as_of(memory, as_of), space=values.spaces(space))


@operation("memories.list", example={"layer": "mid", "limit": 20})
def list_memories(
    memory: Memory,
    *,
    layer: Layer = None,
    status: Annotated[
        Literal["active", "archived", "deleted", "any"], "In use, put away, retired, or whichever."
    ] = "active",
    sort: Annotated[Literal["score", "created", "last_seen", "hits", "id"], "The order."] = "score",
    limit: Limit = 50,
    exclude_pii: WithoutPersonal = False,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> Found:
    """Memories, the strongest first."""
    return memory.memories.list(
        layer=layer,
        status=None if status == "any" else status,
        sort=sort,
        limit=limit,
        exclude_pii=exclude_pii,
        as_of=values.as_of(memory, as_of),
        space=values.spaces(space),
    )


@operation("memories.search", example={"query": "how does Ana like to travel?"})
def search(
    memory: Memory,
    query: Annotated[str, "What you want to know."],
    *,
    layer: Layer = None,
    limit: Limit = 50,
    exclude_pii: WithoutPersonal = False,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> Found:
    """Memories in use that answer a question, best first."""
    return memory.memories.search(
        query,
        layer=layer,
        limit=limit,
        exclude_pii=exclude_pii,
        as_of=values.as_of(memory, as_of),
        space=values.spaces(space),
    )


@operation("memories.like", example={"text": "Ana prefers trains to planes."})
def like(
    memory: Memory, text: Annotated[str, "What it says, in these or similar words."], *, space: InSpace = None
) -> MemoryItem:
    """The memory in use that says this."""
    return memory.memories.like(text, space=space)


@operation("memories.why", example={"memory_id": 1})
def why(
    memory: Memory,
    memory_id: MemoryId,
    *,
    now: Annotated[Moment, "As the score would be then; as it was last reckoned, if not given."] = None,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> Why:
    """Why a memory is there and how strong it is: its score, its turns, what was decided."""
    return memory.memories.why(
        memory_id,
        now=values.moment(now, "now"),
        as_of=values.as_of(memory, as_of),
        space=values.spaces(space),
    )


@operation("memories.stats")
def stats(memory: Memory, *, now: Now = None, space: InSpace = None) -> ConversationStats:
    """How many memories there are, how old and how strong, how extraction went, and what it cost."""
    return memory.memories.stats(now=_now(memory, now), space=space)


@operation("memories.config")
def config(memory: Memory) -> MemorySettings:
    """The settings of conversation memory."""
    from longmind.operations.answers import MemorySettings

    return MemorySettings(memory.memories.config.to_mapping())


def _now(memory: Memory, given: str | int | None) -> int:
    chosen = values.moment(given, "now")
    return memory.store.clock.now() if chosen is None else chosen
