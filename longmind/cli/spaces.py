"""What people do with project spaces beside the operations: browse, follow a folder, export by policy."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longmind.base.errors import NotFound
from longmind.base.results import Written
from longmind.cli import arguments, space_browser
from longmind.cli.arguments import JsonOption, StoreOption, UserOption
from longmind.cli.output import emit, show
from longmind.cli.views import spaces as views
from longmind.cli.views.memory import backed_up
from longmind.operations.spaces import key_in

if TYPE_CHECKING:
    from longmind.spaces.space import ProjectSpace
    from longmind.spaces.values import MemoryObject

commands = typer.Typer()
"""Added to the commands made of operations; one of the same name replaces it."""

Name = Annotated[str, typer.Argument(metavar="SPACE", help="The space.")]


@commands.command()
def export(
    space: Name,
    path: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="The file to write; by the policy, if left out."),
    ] = None,
    key_file: Annotated[
        str | None, typer.Option("--key-file", metavar="PATH", help="A file with the key to sign with.")
    ] = None,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="How to sign: hmac-sha256 or ed25519.")
    ] = "hmac-sha256",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a space as one JSON file, with its hash and, given a key, a signature."""
    with arguments.reading(store) as memory:
        target = memory.spaces.export(space, path, key=key_in(key_file), algorithm=algorithm)
    written = Written(str(target), target.stat().st_size)
    emit(written, as_json=as_json, view=backed_up)


@commands.command()
def watch(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder or git working tree.")],
    include: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Only these files.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Not these files.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A tag for all of it.")] = None,
    user: UserOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a space up to date with a folder, and keep it so until Ctrl-C."""
    from longmind.spaces import sync

    options: dict[str, Any] = {"include": include or (), "exclude": exclude or (), "tags": tag or ()}
    with arguments.writing(store, user=user) as memory:
        if not as_json:
            show(["Watching. Press Ctrl-C to stop."], sys.stderr)
        space, readers = memory.space(name), memory.readers
        for report in sync.watch(space, folder, readers=readers, stop=lambda: False, **options):
            emit(report, as_json=as_json, view=views.synced)


@commands.command("browse")
def browse_space(
    name: Name,
    which: Annotated[
        str | None, typer.Argument(metavar="ID|PATH", help="Show this object, or what lies below this path.")
    ] = None,
    filter_: Annotated[
        str | None, typer.Option("--filter", metavar="TEXT", help="Only objects that speak of this.")
    ] = None,
    kind_: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only this kind.")] = None,
    tag: Annotated[str | None, typer.Option(metavar="TAG", help="Only objects with this tag.")] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only pinned objects.")] = False,
    limit: Annotated[int, typer.Option(help="How many objects at most.")] = 5000,
    tree: Annotated[bool, typer.Option("--tree", help="Print the tree, also on a terminal.")] = False,
    user: UserOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look through a space: a tree by path to walk through, a filter, one object in full.

    Where there is no terminal, the tree is printed.
    """
    with arguments.reading(store, user=user) as memory:
        space = memory.space(name)
        if which is not None:
            try:
                item = space.get(which)
            except NotFound:
                if not space.list(prefix=which, limit=1):
                    raise
            else:
                emit(item.to_dict(), as_json=as_json, view=lambda _: views.detail(item))
                return
        objects = list(
            itertools.islice(
                (
                    item
                    for item in _paged(space, which or "", kind_)
                    if (tag is None or tag in item.tags)
                    and (not pinned or item.pinned)
                    and (filter_ is None or space_browser.speaks_of(item, filter_))
                ),
                limit,
            )
        )
        if as_json:
            emit([item.to_dict() for item in objects], as_json=True, view=lambda _: [])
        elif tree or not space_browser.interactive():
            space_browser.show_tree(name, objects)
        else:
            space_browser.browse(space_browser.Browser(name, objects))


def _paged(space: ProjectSpace, prefix: str, kind: str | None) -> Iterator[MemoryObject]:
    """All objects below a path in the order of their paths, a thousand at a time."""
    last = ""
    while page := space.list(prefix=prefix, kind=kind, after=last, limit=1000):
        yield from page
        last = page[-1].path
