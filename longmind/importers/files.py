"""The files of an export, wherever they lie: one file, a folder, or a zip archive; and the JSON in them."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from longmind.base.errors import InvalidInput, LongmindError, NotFound
from longmind.base.store_files import check_name, open_user_file, unreadable
from longmind.ingest.report import Skip

MOST_BYTES: Final = 256 * 2**20
"""Of one JSON document that is read as a whole."""
_MOST_UNPACKED: Final = 16 * 2**30
_MOST_ITEM: Final = 64 * 2**20
"""Characters of one entry of a list, or of one line, that is read by itself."""
_CHUNK: Final = 2**20
_MOST_FILES: Final = 200_000
_SPACES: Final = " \t\r\n"
Json = Any


class Files:
    """A file, or all files of a folder or of an archive, by their names in it."""

    def __init__(self, location: str | Path) -> None:
        check_name(location)
        self.path = Path(location).expanduser()
        if not self.path.exists():
            raise NotFound(f"{self.path} does not exist.", hint="Name the exported file or folder.")
        self.is_archive = self.path.is_file() and zipfile.is_zipfile(self.path)
        self.is_folder = self.path.is_dir()

    def names(self, *endings: str) -> list[str]:
        """Names in sorted order, of those that end so."""
        return [name for name in self._all() if not endings or name.lower().endswith(endings)]

    def _all(self) -> list[str]:
        if self.is_archive:
            with self._archive() as archive:
                listed = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
        elif self.is_folder:
            listed = []
            for path in self.path.rglob("*"):
                hidden = any(part.startswith(".") for part in path.relative_to(self.path).parts)
                if not hidden and path.is_file() and not path.is_symlink():
                    listed.append(path.relative_to(self.path).as_posix())
                if len(listed) > _MOST_FILES:
                    raise InvalidInput(
                        f"{self.path} has more than {_MOST_FILES} files.", hint="Name a folder inside it."
                    )
        else:
            listed = [self.path.name]
        return sorted(listed)

    def local(self, name: str) -> Path | None:
        """Where a file lies on disk; None inside an archive."""
        if self.is_archive:
            return None
        return self.path / name if self.is_folder else self.path

    def modified(self, name: str) -> int | None:
        """When a file was last changed, in unix milliseconds."""
        path = self.local(name)
        try:
            return None if path is None else int(path.stat().st_mtime * 1000)
        except OSError:
            return None

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        try:
            if self.is_archive:
                with self._archive() as archive, archive.open(name) as packed:
                    yield packed
            else:
                path = self.local(name)
                assert path is not None
                with open_user_file(path) as file:
                    yield file
        except LongmindError:
            raise
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            # RuntimeError is how zipfile says that an entry is encrypted.
            raise InvalidInput(
                f"{name} in {self.path} cannot be unpacked: {error}.",
                hint="Export or download the archive again.",
            ) from None
        except OSError as error:
            raise unreadable(error, self.path) from None

    @contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > _MOST_UNPACKED:
                    raise InvalidInput(
                        f"{self.path} unpacks to more than 16 GiB.",
                        hint="Unpack it, and import its parts one by one.",
                    )
                yield archive
        except zipfile.BadZipFile as error:
            raise InvalidInput(
                f"{self.path} is a damaged archive: {error}.", hint="Export or download it again."
            ) from None

    def text(self, name: str) -> str:
        """A whole file as text."""
        with self.open(name) as file:
            raw = file.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise InvalidInput(f"{name} is larger than {MOST_BYTES // 2**20} MiB.", hint="Split it.")
        return raw.decode("utf-8-sig", "replace")

    def document(self, name: str) -> Json:
        """A whole file as JSON."""
        try:
            return json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise InvalidInput(f"{name} is not valid JSON: {why}.", hint="Export it again.") from None

    def lines(self, name: str) -> Iterator[tuple[int, Json | Skip]]:
        """One JSON value a line, with the number of the line; a bad line is a Skip."""
        with self.open(name) as file:
            number = 0
            while raw := file.readline(_MOST_ITEM):
                number += 1
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
                if line.strip():
                    yield number, _parsed(line, f"{name}:{number}")

    def entries(self, name: str) -> Iterator[tuple[int, Json | Skip]]:
        """The entries of a JSON list, read one after the other; of another document, the whole of it.

        What cannot be parsed ends the list: where the next entry begins is not known.
        """
        with self.open(name) as file:
            yield from _Entries(file, name)

    def is_list(self, name: str) -> bool:
        with self.open(name) as file:
            return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def _parsed(line: str, where: str) -> Json | Skip:
    try:
        return json.loads(line)
    except RecursionError:
        return Skip(where, "invalid_json", "nested too deeply")
    except ValueError as error:
        return Skip(where, "invalid_json", str(error))


class _Entries:
    """Walks through a list without holding more of it than one entry."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        self._buffer = ""
        self._at = 0
        self._decoder = json.JSONDecoder()
        import codecs

        self._text = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._ended = False

    def __iter__(self) -> Iterator[tuple[int, Json | Skip]]:
        if self._next() != "[":
            raise InvalidInput(f"{self._name} is not a JSON list.", hint="Export it again.")
        self._at += 1
        number = 0
        if self._next() == "]":
            return
        while True:
            number += 1
            entry = self._entry(number)
            yield number, entry
            if isinstance(entry, Skip):
                return
            following = self._next()
            if following == "]":
                return
            if following != ",":
                yield number + 1, self._broken(number + 1, "the list ends in the middle")
                return
            self._at += 1

    def _entry(self, number: int) -> Json | Skip:
        more = _CHUNK
        while True:
            self._next()
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except RecursionError:
                return self._broken(number, "nested too deeply")
            except ValueError as error:
                if self._ended or len(self._buffer) - self._at > _MOST_ITEM:
                    return self._broken(number, str(error))
            else:
                if end < len(self._buffer) or self._ended:  # else a number may go on in the next bytes
                    self._at = end
                    return value
            self._read(more)
            more *= 2

    def _next(self) -> str:
        """The next character that is not white space; none at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _SPACES:
                    return self._buffer[self._at]
                self._at += 1
            if self._ended:
                return ""
            self._read(_CHUNK)

    def _read(self, size: int) -> None:
        raw = self._file.read(size)
        self._ended = not raw
        self._buffer = self._buffer[self._at :] + self._text.decode(raw, self._ended)
        self._at = 0

    def _broken(self, number: int, why: str) -> Skip:
        return Skip(
            f"{self._name}[{number}]", "invalid_json", f"{why}; this entry and all after it were not read"
        )
