"""Asking the memory: search, and contexts for agents."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.base.clock import SystemClock
from recollect.cli import arguments, views
from recollect.cli.arguments import MOMENT, JsonOption, SpacesOption, StoreOption
from recollect.cli.output import emit

Query = Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")]
AsOfOption = Annotated[
    str | None,
    typer.Option(metavar=MOMENT, show_default="now", help="As the memory knew it at that moment."),
]
KindOption = Annotated[list[str] | None, typer.Option(metavar="KIND", help="Only of this kind (or these).")]
SessionOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only of this session (or these).")
]
TagOption = Annotated[list[str] | None, typer.Option(metavar="TAG", help="Only with this tag (all of them).")]
LaneOption = Annotated[
    list[str] | None,
    typer.Option(metavar="LANE", show_default="all", help="text, vector, facts or timeline; repeat it."),
]


def search(
    question: Query,
    limit: Annotated[int, typer.Option(metavar="COUNT", help="At most this many.")] = 10,
    kind: KindOption = None,
    session: SessionOption = None,
    tag: TagOption = None,
    lane: LaneOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each hit has its place.")] = False,
    why_not: Annotated[
        int | None, typer.Option(metavar="FRAME", help="Say where this frame was lost instead.")
    ] = None,
    as_of: AsOfOption = None,
    store: StoreOption = None,
    space: SpacesOption = None,
    as_json: JsonOption = False,
) -> None:
    """The frames that answer a question, best first, with the reasons."""
    view = arguments.as_of(as_of)
    where = {"kind": kind or (), "session": session or (), "tags": tag or ()}
    reference = SystemClock().now() if as_of is None else view.valid
    with arguments.reading(store) as memory:
        if why_not is not None:
            lost = memory.why_not(
                question,
                why_not,
                limit=limit,
                where=where,
                lanes=lane,
                as_of=view,
                reference=reference,
                space=arguments.spaces(space),
            )
            emit(lost, as_json=as_json, view=lambda found: [found.reason])
            return
        results = memory.search(
            question,
            limit=limit,
            where=where,
            lanes=lane,
            as_of=view,
            reference=reference,
            space=arguments.spaces(space),
        )
    emit(results, as_json=as_json, view=views.explained if explain else views.found)


def recall(
    question: Query,
    budget: Annotated[int, typer.Option(metavar="TOKENS", help="The most the text may have.")] = 1000,
    recipe: Annotated[
        str, typer.Option(metavar="NAME", help="default, chat, coding, facts, timeline, or one you saved.")
    ] = "default",
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="The conversation the question is asked in.")
    ] = None,
    kind: KindOption = None,
    tag: TagOption = None,
    lane: LaneOption = None,
    as_of: AsOfOption = None,
    store: StoreOption = None,
    space: SpacesOption = None,
    as_json: JsonOption = False,
) -> None:
    """What an agent needs to know of a question, as text inside a token budget."""
    view = arguments.as_of(as_of)
    with arguments.reading(store) as memory:
        context = memory.recall(
            question,
            budget=budget,
            recipe=recipe,
            session=session,
            where={"kind": kind or (), "tags": tag or ()},
            lanes=lane,
            as_of=view,
            reference=SystemClock().now() if as_of is None else view.valid,
            space=arguments.spaces(space),
        )
    emit(context, as_json=as_json, view=views.recalled)
