"""`longmind add`: a chat's messages from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from longmind.base.errors import InvalidInput
from longmind.base.names import DEFAULT_SPACE
from longmind.cli import arguments
from longmind.cli.arguments import JsonOption, SpaceOption, StoreOption, UserOption
from longmind.cli.output import emit


def add(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A JSON list of messages, an object with messages, or one message a line. - reads them.",
            show_default=False,
        ),
    ],
    session: Annotated[
        str, typer.Option("--session", metavar="NAME", help="The conversation, by a name of your own.")
    ] = "chat",
    no_extract: Annotated[bool, typer.Option("--no-extract", help="Make no memories of it.")] = False,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take in a chat's messages, as OpenAI or Anthropic write them, and what the user tells in them.

    Given a list that has grown since, only what is new is written.
    """
    from longmind.cli.views.memory import added

    text = (
        arguments.text_from("-", None, "messages")
        if file == "-"
        else arguments.text_from(None, Path(file), "")
    )
    messages = messages_in(text)
    with arguments.writing(store, space=space, user=user) as memory:
        report = memory.add(messages, session=session, extract=not no_extract)
    emit(report, as_json=as_json, view=added)


def messages_in(text: str) -> list[Any]:
    """The messages that a file holds, in any of the shapes in which chats are saved."""
    try:
        content = json.loads(text)
    except ValueError:
        return [_message(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if isinstance(content, dict) and isinstance(content.get("messages"), list):
        return list(content["messages"])
    if isinstance(content, dict) and "role" in content:
        return [content]
    if isinstance(content, list):
        return content
    raise InvalidInput(
        "The file holds no messages.", hint='It should hold [{"role": "user", "content": "…"}, …].'
    )


def _message(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise InvalidInput(
            f"Line {number} is not JSON: {error}.",
            hint="Give a JSON list of messages, or one message a line.",
        ) from None
