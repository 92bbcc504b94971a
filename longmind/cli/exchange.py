"""`longmind import` and `export`: whole stores, and with --from and --to the files of other memories."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from longmind.base.errors import InvalidInput
from longmind.base.names import DEFAULT_SPACE
from longmind.cli import arguments
from longmind.cli.arguments import JsonOption, StoreOption, UserOption
from longmind.cli.ingest import progress_bar
from longmind.cli.output import emit
from longmind.cli.views import view_of
from longmind.importers.formats import ExportFormat, ImportSource
from longmind.operations import registry

OneSpace = Annotated[str | None, typer.Option("--space", metavar="NAME", help="The space it is about.")]


def import_(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A file that export wrote; with --from, a file, a folder or an archive of another memory.",
            show_default=False,
        ),
    ],
    source: Annotated[
        ImportSource | None, typer.Option("--from", metavar="NAME", help="What wrote it. See the list below.")
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of jsonl and csv: JSON that says which field is which."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change without writing anything.")
    ] = False,
    space: OneSpace = None,
    user: UserOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fill a new memory from an export, or with --from bring in what another memory keeps.

    --from takes mcp-memory, mem0, langgraph, letta, chatgpt, claude, graphiti (also Zep), vault (Obsidian,
    basic-memory), jsonl and csv. What was imported before is not written again.
    """
    if source is None:
        _check_alone("--from", mapping=mapping, dry_run=dry_run or None, space=space)
        operation = registry.find("import")
        with arguments.writing(store) as memory:
            answer = operation(memory, path=path)
    else:
        operation = registry.find("import_from")
        options = {"source": source, "path": path, "dry_run": dry_run, "user": user}
        options |= {"mapping": _mapping(mapping)} if mapping is not None else {}
        is_new = dry_run and arguments.is_new(store)
        opened = arguments.writing(":memory:" if is_new else store, space=space or DEFAULT_SPACE)
        with opened as memory, progress_bar(quiet=as_json) as progress:
            answer = operation(memory, **options, progress=progress)
    emit(answer, as_json=as_json, view=view_of(operation))
    if dry_run and not as_json:
        print("A dry run: nothing was written.", file=sys.stderr)


def export(
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="The file or folder to write.", show_default=False)
    ],
    target: Annotated[
        ExportFormat | None, typer.Option("--to", metavar="NAME", help="For vault, mcp-memory or mem0.")
    ] = None,
    derived: Annotated[
        bool, typer.Option("--derived", help="Also what can be made again: text index, vectors, short forms.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
    encrypt: Annotated[bool, typer.Option("--encrypt", help="Encrypt it with the key of the store.")] = False,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Only what is kept of this person.")
    ] = None,
    space: Annotated[
        list[str] | None,
        typer.Option("--space", metavar="NAME", help="Of a person, or with --to: only this space."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole store, or all of one person's, as JSON Lines; or with --to for another memory.

    --to takes vault (a folder of Markdown notes), mcp-memory and mem0.
    """
    options: dict[str, Any] = {"path": path, "overwrite": overwrite, "user": user}
    if target is None:
        operation = registry.find("export")
        options |= {"derived": derived, "encrypt": encrypt, **({"space": space} if space else {})}
    else:
        _check_alone("no --to", derived=derived or None, encrypt=encrypt or None)
        operation = registry.find("export_to")
        if space and len(space) > 1:
            raise InvalidInput("--to writes one space.", hint="Name one space at a time.")
        options |= {"target": target, **({"space": space[0]} if space else {})}
    with arguments.reading(store) as memory:
        answer = operation(memory, **{name: value for name, value in options.items() if value is not None})
    emit(answer, as_json=as_json, view=view_of(operation))


def _check_alone(needed: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise InvalidInput(f"--{name.replace('_', '-')} goes with {needed}.", hint="See: longmind --help")


def _mapping(file: Path) -> Any:
    try:
        return json.loads(arguments.text_from(None, file, "mapping"))
    except ValueError as error:
        raise InvalidInput(
            f"{file} is not valid JSON: {error}.", hint='Write it as {"text": "body", "occurred_at": "date"}.'
        ) from None
