"""Operations on the objects of a project space: keep, pin, recall, look at, forget, erase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import AsOfMoment, Limit, Moment

if TYPE_CHECKING:
    from longmind.memory import Memory
    from longmind.operations.answers import ActionContext, ContextBundle, ObjectList
    from longmind.spaces.values import MemoryObject, Remembered
    from longmind.store.erasure import ErasureCertificate

SpaceName = Annotated[str, "The space."]
Which = Annotated[str, "An object, by its id or its path."]
Topic = Annotated[str, "What it is about."]
Source = Annotated[str, "Who writes: user, agent, tool, import or system."]
Stamp = Annotated[Moment, "Stamp this time, instead of now."]
Raw = Annotated[bool, "With the raw texts."]
RawLimit = Annotated[int | None, "At most this many raw texts."]
WithMetadata = Annotated[bool, "With the metadata."]
Hidden = Annotated[bool, "Also what the rules of visibility hide."]
PreferKinds = Annotated[list[str] | None, "Rather objects of these kinds."]
PreferTags = Annotated[list[str] | None, "Rather objects with these tags."]
High = Annotated[bool, "Only objects of high relevance."]
Backend = Annotated[str | None, "The ordering: basic, patricia, raptor, hybrid or search."]
Frozen = Annotated[Moment, "Say that it was made then, and reckon what is recent from there."]


@operation(
    "space.remember",
    effect="write",
    begins=True,
    repeatable=True,
    example={
        "space": "runtime",
        "object": {
            "path": "app/runtime/release_checklist",
            "kind": "decision",
            "raw": "Ship once recalls take less than 200 ms.",
            "tags": ["release"],
            "relevance": "high",
        },
    },
)
def remember(
    memory: Memory,
    space: SpaceName,
    object: Annotated[  # noqa: A002 - the word for it in this part
        dict[str, Any],
        "Its path, kind, raw text, summaries, tags, metadata, relevance, pinned, chunks: what is known.",
        Mark.TEXT,
    ],
    *,
    freeze_clock: Stamp = None,
    source: Source = "user",
) -> Remembered:
    """Keep an object that is complete already; summaries it lacks are taken from its text.

    An object with the same id or path is changed.
    """
    return memory.space(space).remember_structured(
        object, freeze_clock=values.stamp(freeze_clock, "freeze_clock"), source=source
    )


@operation(
    "space.remember_raw",
    effect="write",
    begins=True,
    repeatable=True,
    example={"space": "runtime", "kind": "guide", "text": "# Telemetry\n\nSpans are written for recalls."},
)
def remember_raw(
    memory: Memory,
    space: SpaceName,
    kind: Annotated[str, "What kind of thing it is, such as guide, decision, code."],
    text: Annotated[str, "The text to keep.", Mark.TEXT],
    *,
    path: Annotated[str | None, "Its place; inferred, if it is not given."] = None,
    project: Annotated[str | None, "The project it is about."] = None,
    tags: Annotated[list[str] | None, "Tags for it."] = None,
    metadata: Annotated[dict[str, Any] | None, "Keys with values.", Mark.PAIRS] = None,
    pin: Annotated[bool | None, "Pin it, or not, whatever the policy says."] = None,
    model: Annotated[str | None, "The language model to ask, by name."] = None,
    temperature: Annotated[float | None, "The temperature of the model."] = None,
    max_tokens: Annotated[int | None, "The most tokens that the model may answer."] = None,
    on_error: Annotated[Literal["extract", "raise"], "What to do when the model fails."] = "extract",
    freeze_clock: Stamp = None,
    source: Source = "user",
) -> Remembered:
    """Keep a text; place, summaries, tags and relevance come from a language model, or are extracted."""
    return memory.space(space).remember_raw(
        kind,
        text,
        path_hint=path,
        project=project,
        tags=tags,
        metadata=metadata,
        auto_pin=pin,
        model=model,
        temperature=temperature,
        max_tokens=max_tokens,
        on_error=on_error,
        freeze_clock=values.stamp(freeze_clock, "freeze_clock"),
        source=source,
    )


@operation(
    "space.pin",
    effect="write",
    repeatable=True,
    example={"space": "runtime", "which": "app/runtime/release_checklist"},
)
def pin(memory: Memory, space: SpaceName, which: Which, *, freeze_clock: Stamp = None) -> MemoryObject:
    """Put an object before others."""
    return memory.space(space).pin(which, freeze_clock=values.stamp(freeze_clock, "freeze_clock"))


@operation(
    "space.unpin",
    effect="write",
    repeatable=True,
    example={"space": "runtime", "which": "app/runtime/release_checklist"},
)
def unpin(memory: Memory, space: SpaceName, which: Which, *, freeze_clock: Stamp = None) -> MemoryObject:
    """Take a pin away."""
    return memory.space(space).unpin(which, freeze_clock=values.stamp(freeze_clock, "freeze_clock"))


@operation(
    "space.forget", effect="destroy", example={"space": "runtime", "which": "app/runtime/release_checklist"}
)
def forget(memory: Memory, space: SpaceName, which: Which) -> MemoryObject:
    """Take an object out of what is recalled; it is still there as of before."""
    return memory.space(space).forget(which)


@operation(
    "space.erase", effect="destroy", example={"space": "runtime", "which": "app/runtime/release_checklist"}
)
def erase(memory: Memory, space: SpaceName, which: Which) -> ErasureCertificate:
    """Remove an object with all its versions, and prove it by a certificate."""
    return memory.space(space).erase(which)


@operation("space.get", example={"space": "runtime", "which": "app/runtime/release_checklist"})
def get(memory: Memory, space: SpaceName, which: Which, *, as_of: AsOfMoment = None) -> MemoryObject:
    """One object, whole."""
    return memory.space(space).get(which, as_of=values.as_of(memory, as_of))


@operation("space.objects", example={"space": "runtime", "prefix": "app/runtime"})
def objects(
    memory: Memory,
    space: SpaceName,
    *,
    prefix: Annotated[str, "Only what lies at or below this path."] = "",
    kind: Annotated[str | None, "Only of this kind."] = None,
    after: Annotated[str, "Begin behind this path, where the page before ended."] = "",
    limit: Limit = 1000,
    as_of: AsOfMoment = None,
) -> ObjectList:
    """The objects of a space, by path."""
    from longmind.operations.answers import ObjectList

    found = memory.space(space).list(
        prefix=prefix, kind=kind, after=after, limit=limit, as_of=values.as_of(memory, as_of)
    )
    return ObjectList(found)


@operation("space.recall", example={"space": "runtime", "topic": "release", "limit": 3})
def recall(
    memory: Memory,
    space: SpaceName,
    topic: Topic,
    *,
    limit: Limit = 5,
    include_raw: Raw = False,
    raw_limit: RawLimit = None,
    include_metadata: WithMetadata = True,
    include_hidden: Hidden = False,
    prefer_kinds: PreferKinds = None,
    prefer_tags: PreferTags = None,
    require_high_relevance: High = False,
    backend: Backend = None,
    freeze_clock: Frozen = None,
    as_of: AsOfMoment = None,
) -> ContextBundle:
    """What a space knows of a topic, as a bundle: pinned and important first, then by score."""
    from longmind.operations.answers import ContextBundle, RawText, Section

    bundle = memory.space(space).recall_context(
        topic,
        limit=limit,
        raw_limit=raw_limit,
        include_raw=include_raw,
        include_metadata=include_metadata,
        include_hidden=include_hidden,
        prefer_kinds=prefer_kinds,
        prefer_tags=prefer_tags,
        require_high_relevance=require_high_relevance,
        backend=backend,
        **_when(memory, freeze_clock, as_of),
    )
    return ContextBundle(
        bundle.space,
        bundle.topic,
        bundle.generated_at,
        bundle.global_summary,
        tuple(Section(**{"metadata": {}, **section}) for section in bundle.sections),
        tuple(RawText(**text) for text in bundle.raw),
        bundle.limit,
        bundle.warnings,
    )


@operation("space.recall_kind", example={"space": "runtime", "kind": "decision"})
def recall_kind(
    memory: Memory,
    space: SpaceName,
    kind: Annotated[str, "The kind."],
    *,
    topic: Annotated[str, "What it is about, to order by."] = "",
    limit: Limit = 20,
    include_hidden: Hidden = False,
    prefer_tags: PreferTags = None,
    require_high_relevance: High = False,
    backend: Backend = None,
    freeze_clock: Frozen = None,
    as_of: AsOfMoment = None,
) -> ObjectList:
    """The objects of one kind, in the order of a recall."""
    from longmind.operations.answers import ObjectList

    found = memory.space(space).recall_kind(
        kind,
        topic=topic,
        limit=limit,
        include_hidden=include_hidden,
        prefer_tags=prefer_tags,
        require_high_relevance=require_high_relevance,
        backend=backend,
        **_when(memory, freeze_clock, as_of),
    )
    return ObjectList(found)


@operation("space.use_context", example={"space": "runtime", "topic": "release", "budget": 300})
def use_context(
    memory: Memory,
    space: SpaceName,
    topic: Annotated[str, "What the coming action is about."],
    *,
    budget: Annotated[int, "The most tokens the text may have."] = 1000,
    tokenizer: Annotated[str, "The tokenizer that counts the tokens."] = "cl100k_base",
    limit: Annotated[int, "At most this many objects."] = 5,
    include_hidden: Hidden = False,
    prefer_kinds: PreferKinds = None,
    prefer_tags: PreferTags = None,
    require_high_relevance: High = False,
    backend: Backend = None,
    freeze_clock: Frozen = None,
    as_of: AsOfMoment = None,
) -> ActionContext:
    """Text to put before an action: what the space knows of its topic, marked as data."""
    from longmind.operations.answers import ActionContext

    used = memory.space(space).use_context(
        topic,
        budget=budget,
        tokenizer=tokenizer,
        limit=limit,
        include_hidden=include_hidden,
        prefer_kinds=prefer_kinds,
        prefer_tags=prefer_tags,
        require_high_relevance=require_high_relevance,
        backend=backend,
        **_when(memory, freeze_clock, as_of),
    )
    return ActionContext(used.text, used.total_tokens, used.left_out)


def _when(memory: Memory, freeze_clock: str | int | None, as_of: str | int | None) -> dict[str, Any]:
    """From where recency is reckoned: the clock that was stopped, the moment looked back at, or now."""
    frozen = values.stamp(freeze_clock, "freeze_clock")
    return {
        "freeze_clock": frozen,
        "now": None if frozen else values.reference(memory, as_of),
        "as_of": values.as_of(memory, as_of),
    }
