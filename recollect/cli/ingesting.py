"""Reading files and folders into the memory, with a bar that shows how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.base.names import DEFAULT_SPACE
from recollect.cli import arguments, views
from recollect.cli.arguments import JsonOption, SpaceOption, StoreOption
from recollect.cli.output import emit, show

if TYPE_CHECKING:
    from recollect.ingest.sources import Progress


def ingest(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file or a folder.")],
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag for all of it; repeat it for several.")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Only files that match, as in .gitignore.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="No files that match, as in .gitignore.")
    ] = None,
    all_files: Annotated[bool, typer.Option("--all-files", help="Also what .gitignore ignores.")] = False,
    everywhere: Annotated[bool, typer.Option("--global", help="Let every space see it.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and follow every change, until Ctrl-C.")
    ] = False,
    store: StoreOption = None,
    space: SpaceOption = DEFAULT_SPACE,
    as_json: JsonOption = False,
) -> None:
    """Read a file or a folder. A second run reads only what changed, and retires what is gone."""
    options: dict[str, Any] = {
        "tags": tag or (),
        "include": include or (),
        "exclude": exclude or (),
        "ignore": not all_files,
        "scope": "global" if everywhere else "space",
    }
    with arguments.writing(store, space=space) as memory:
        with _bar(quiet=as_json) as progress:
            report = memory.ingest(path, progress=progress, **options)
        emit(report, as_json=as_json, view=views.ingested)
        if watch:
            if not as_json:
                show(["Watching. Press Ctrl-C to stop."], sys.stderr)
            for again in memory.watch(path, stop=lambda: False, **options):
                if again.created or again.superseded or again.retired:
                    emit(again, as_json=as_json, view=views.ingested)


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A bar on a terminal; nothing for programs and pipes."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda step: bar.update(
            task, completed=step.done, total=step.total, description=step.uri.rsplit("/", 1)[-1][:40]
        )
