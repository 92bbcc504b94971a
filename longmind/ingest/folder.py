"""The files of a folder in a fixed order: what to read, and what is passed over, with the reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from longmind.base.errors import NotFound
from longmind.base.store_files import PROJECT_FOLDERS, StoreFile, belongs_to_store, open_user_file, unreadable
from longmind.ingest.encoding import looks_binary
from longmind.ingest.ignore import Patterns
from longmind.ingest.source import WORD, Limits, media_type_of

SkipCode = Literal[
    "binary",
    "too_large",
    "unreadable",
    "link",
    "link_outside",
    "link_loop",
    "link_broken",
    "special",
    "store",
]

READABLE = frozenset({"application/pdf", WORD})
"""Media types that are not text and can be read all the same."""
MEDIA = ("image/", "audio/", "video/")
STREAMED = ("audio/", "video/")
"""Media that are read from the file in parts, however large it is."""

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS"})
_RULES = ".gitignore"
_MOST_RULES = 1 << 20
_DEEPEST = 100
_HEAD = 8192
_A_STORE = "A file of a store, which only the store itself opens."


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to read. `relative` is its POSIX path below the root, always fit to be stored."""

    path: Path
    relative: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something passed over, and why."""

    relative: str
    code: SkipCode
    detail: str


def walk(
    root: Path | str,
    *,
    ignore: bool = True,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    limits: Limits | None = None,
    readable: Collection[str] = READABLE,
) -> Iterator[Entry | Skipped]:
    """Every file below `root`, ordered by the bytes of its relative path.

    Files of stores are skipped, and never opened. Left out without a word: version control's own folders,
    what a `.gitignore` on any level below `root` ignores (unless `ignore` is off), what `exclude` matches,
    and, if `include` is given, what that does not match; both are patterns as in `.gitignore`. Links are
    never followed: what they point to inside `root` is read under its own name. Files that are not text pass
    if their media type is in `readable`.
    """
    root = Path(root)
    if not root.is_dir():
        raise NotFound(f"There is no folder {root}.", hint="Name a folder that exists.")
    walker = _Walker(
        root=root.resolve(),
        ignore=ignore,
        include=Patterns.parse(include),
        exclude=Patterns.parse(exclude),
        most=(limits or Limits()).data,
        readable=frozenset(readable),
    )
    yield from walker.folder(walker.root, "", (), 0)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one `.gitignore`, which speak of paths below its folder."""

    below: str
    patterns: Patterns

    def verdict(self, relative: str) -> bool | None:
        return self.patterns.verdict(relative[len(self.below) :])


@dataclass(frozen=True, slots=True)
class _Walker:
    root: Path
    ignore: bool
    include: Patterns
    exclude: Patterns
    most: int
    readable: frozenset[str]

    def folder(
        self, path: Path, below: str, rules: tuple[_Rules, ...], depth: int
    ) -> Iterator[Entry | Skipped]:
        try:
            with os.scandir(path) as listing:
                entries = sorted(((_name(entry), entry) for entry in listing), key=_order)
        except OSError as error:
            if depth == 0:
                raise unreadable(error, path) from error
            yield Skipped(below.rstrip("/"), "unreadable", _why(error))
            return
        if self.ignore and any(name == _RULES for name, _ in entries):
            rules = (*rules, *_read_rules(path / _RULES, below))
        for name, entry in entries:
            relative = below + name
            if self._left_out(relative, entry.name, rules):
                continue
            if not name.endswith("/"):
                yield self._file(Path(entry.path), entry, relative)
            elif entry.name in PROJECT_FOLDERS:
                yield Skipped(relative.rstrip("/"), "store", "The folder of a project's memory.")
            elif depth >= _DEEPEST:
                yield Skipped(relative.rstrip("/"), "unreadable", f"More than {_DEEPEST} folders deep.")
            else:
                yield from self.folder(path / entry.name, relative, rules, depth + 1)

    def _left_out(self, relative: str, name: str, rules: tuple[_Rules, ...]) -> bool:
        folder = relative.endswith("/")
        if folder and name in _VERSION_CONTROL:
            return True
        if self.exclude.verdict(relative):
            return True
        for rule in reversed(rules):
            verdict = rule.verdict(relative)
            if verdict is not None:
                if verdict:
                    return True
                break
        return bool(self.include.patterns) and not folder and not self.include.covers(relative)

    def _file(self, path: Path, entry: os.DirEntry[str], relative: str) -> Entry | Skipped:
        try:
            if entry.is_symlink():
                return Skipped(relative, *self._link(path))
            status = entry.stat(follow_symlinks=False)
            if not stat.S_ISREG(status.st_mode):
                return Skipped(relative, "special", "Not a file that can be read to its end.")
            media_type = media_type_of(relative)
            too_large = status.st_size > self.most and not media_type.startswith(STREAMED)
            is_media = media_type.startswith(MEDIA)
            is_read = media_type not in self.readable and not too_large and not is_media
            if not is_read and belongs_to_store(path, look_inside=False):  # else asked when it is opened
                return Skipped(relative, "store", _A_STORE)
            if too_large:
                return Skipped(relative, "too_large", f"{status.st_size:,} bytes, more than {self.most:,}.")
            if is_read:
                with open_user_file(path) as file:
                    if looks_binary(file.read(_HEAD)):
                        return Skipped(relative, "binary", "Not text, and no format that can be read.")
        except StoreFile:
            return Skipped(relative, "store", _A_STORE)
        except OSError as error:
            return Skipped(relative, "unreadable", _why(error))
        return Entry(path, relative, status.st_size, status.st_mtime_ns // 1_000_000)

    def _link(self, path: Path) -> tuple[SkipCode, str]:
        try:
            target = path.resolve(strict=True)
        except FileNotFoundError:
            return "link_broken", "A link to something that is not there."
        except (OSError, RuntimeError):  # the latter is how older interpreters say that links run in a circle
            return "link_loop", "A link that leads back to itself."
        if target == self.root or target in path.parents:
            return "link_loop", "A link to a folder that it lies in."
        if target.is_relative_to(self.root):
            return "link", "A link to something that is read under its own name."
        return "link_outside", "A link that leaves the folder."


def _name(entry: os.DirEntry[str]) -> str:
    """As it is stored: bytes that are not UTF-8 are written out, and a folder ends with a slash."""
    name = os.fsencode(entry.name).decode("utf-8", "backslashreplace")
    return f"{name}/" if entry.is_dir(follow_symlinks=False) else name


def _order(pair: tuple[str, os.DirEntry[str]]) -> tuple[bytes, bytes]:
    return pair[0].encode(), os.fsencode(pair[1].name)


def _read_rules(path: Path, below: str) -> Iterator[_Rules]:
    try:
        if path.is_file():
            with open_user_file(path) as file:
                text = file.read(_MOST_RULES).decode("utf-8-sig", "backslashreplace")
            yield _Rules(below, Patterns.parse(text.split("\n")))
    except (OSError, StoreFile):
        return


def _why(error: OSError) -> str:
    return f"{error.strerror or type(error).__name__}."
