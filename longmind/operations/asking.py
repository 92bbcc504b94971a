"""Operations that ask: search, and contexts inside a token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import AsOfMoment, Conditions, FrameId, Kinds, Limit, Sessions, Spaces, Tags

if TYPE_CHECKING:
    from longmind.context.items import Context
    from longmind.context.receipt import Replay
    from longmind.context.recipe import Recipe
    from longmind.memory import Memory
    from longmind.operations.answers import Names
    from longmind.search.results import SearchResults, WhyNot

Question = Annotated[str, "What you want to know."]
Lanes = Annotated[list[str] | None, "Only these ways of finding: text, vector, facts, timeline."]
Fusion = Annotated[Literal["score", "rrf"], "How the lanes are put together."]
Times = Annotated[
    Literal["boost", "filter", "ignore"],
    "Whether a date in the question raises frames of that time, keeps only them, or is ignored.",
]


@operation("search", tool=True, example={"query": "how does Ana like to travel?", "limit": 5})
def search(
    memory: Memory,
    query: Question,
    *,
    limit: Limit = 10,
    kinds: Kinds = None,
    sessions: Sessions = None,
    tags: Tags = None,
    where: Conditions = None,
    lanes: Lanes = None,
    fusion: Fusion = "score",
    times: Times = "boost",
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> SearchResults:
    """The frames that answer a question, best first, with the reasons.

    Use it to look for particular notes, documents or turns; for an answer to work with, use recall.
    """
    return memory.search(
        query,
        limit=limit,
        where=values.where(where, kinds=kinds, sessions=sessions, tags=tags),
        lanes=lanes,
        fusion=fusion,
        times=times,
        as_of=values.as_of(memory, as_of),
        reference=values.reference(memory, as_of),
        space=values.spaces(space),
    )


@operation("why_not", example={"query": "how does Ana like to travel?", "frame": 1})
def why_not(
    memory: Memory,
    query: Question,
    frame: FrameId,
    *,
    limit: Limit = 10,
    kinds: Kinds = None,
    sessions: Sessions = None,
    tags: Tags = None,
    where: Conditions = None,
    lanes: Lanes = None,
    fusion: Fusion = "score",
    times: Times = "boost",
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> WhyNot:
    """Where a frame was lost in a search, or which place it has."""
    return memory.why_not(
        query,
        frame,
        limit=limit,
        where=values.where(where, kinds=kinds, sessions=sessions, tags=tags),
        lanes=lanes,
        fusion=fusion,
        times=times,
        as_of=values.as_of(memory, as_of),
        reference=values.reference(memory, as_of),
        space=values.spaces(space),
    )


@operation("recall", tool=True, example={"query": "how does Ana like to travel?", "budget": 500})
def recall(
    memory: Memory,
    query: Question,
    *,
    budget: Annotated[int, "The most tokens the text may have."] = 1000,
    recipe: Annotated[str, "default, chat, coding, facts, timeline, or one you saved."] = "default",
    session: Annotated[str | None, "The conversation the question is asked in."] = None,
    kinds: Kinds = None,
    tags: Tags = None,
    where: Conditions = None,
    lanes: Lanes = None,
    as_of: AsOfMoment = None,
    space: Spaces = None,
) -> Context:
    """What an agent needs to know of a question, as text inside a token budget.

    Use it before answering anything that may depend on earlier sessions, people, decisions or documents.
    """
    return memory.recall(
        query,
        budget=budget,
        recipe=recipe,
        session=session,
        where=values.where(where, kinds=kinds, tags=tags),
        lanes=lanes,
        as_of=values.as_of(memory, as_of),
        reference=values.reference(memory, as_of),
        space=values.spaces(space),
    )


@operation("replay")
def replay(
    memory: Memory, receipt: Annotated[str, "The receipt of a context, as JSON.", Mark.TEXT]
) -> Replay:
    """Make a context again from its receipt, and say what changed if it is not the same."""
    return memory.replay(receipt)


@operation("recipes")
def recipes(memory: Memory) -> Names:
    """The recipes that recall knows."""
    from longmind.operations.answers import Names

    return Names(memory.recipes())


@operation(
    "save_recipe",
    effect="write",
    begins=True,
    repeatable=True,
    example={"recipe": {"name": "short", "lanes": [{"kind": "snippets", "share": 1.0}]}},
)
def save_recipe(
    memory: Memory, recipe: Annotated[dict[str, Any], "The recipe: its name, lanes and shares."]
) -> Recipe:
    """Keep a recipe in the store, under its name."""
    return memory.save_recipe(recipe)
