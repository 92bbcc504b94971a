"""A virtual folder over a memory: files are frames, every change a new version of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from longmind.base.errors import Conflict, Forbidden, InvalidInput, NotFound
from longmind.base.filters import Where
from longmind.base.frame import Frame
from longmind.memory import Memory

FILE: Final = "memory_file"
ROOT: Final = "/memories"
_MOST_LINES: Final = 999_999
_PAGE: Final = 10_000


class MemoryFolder:
    """The folder `/memories` of one user: what is written there is remembered and can be recalled."""

    def __init__(self, memory: Memory, *, user: str | None = None, space: str | None = None) -> None:
        self._memory = memory
        self._user = memory.default_user if user is None else user
        self._space = space

    def view(self, path: str, lines: tuple[int, int] | None = None) -> str:
        """What a folder holds, or a file with the numbers of its lines."""
        name = _checked(path)
        frame = self._find(name)
        if frame is not None:
            return _numbered(name, _text(frame), lines)
        below = sorted(self._below(name))
        if not below and name != ROOT:
            raise NotFound(f"The path {name} does not exist. Please provide a valid path.")
        listed = [name, *_listed(name, below)]
        return "\n".join([f"Here're the files and directories up to 2 levels deep in {name}:", *listed])

    def create(self, path: str, text: str) -> str:
        name = _file(path)
        with self._memory.session(mode="write"):
            if self._find(name) is not None:
                raise Conflict(f"File {name} already exists")
            self._write(name, text, None)
        return f"File created successfully at: {name}"

    def replace(self, path: str, old: str, new: str) -> str:
        with self._memory.session(mode="write"):
            name, frame = self._file(path)
            text = _text(frame)
            count = text.count(old) if old else 0
            if count == 0:
                raise NotFound(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in {name}."
                )
            if count > 1:
                line_numbers = [str(number) for number, line in enumerate(text.split("\n"), 1) if old in line]
                raise Conflict(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                    f"{', '.join(line_numbers)}. Please ensure it is unique"
                )
            changed = text.replace(old, new)
            self._write(name, changed, frame)
        return "The memory file has been edited.\n" + _numbered(name, changed, None)

    def insert(self, path: str, after: int, text: str) -> str:
        with self._memory.session(mode="write"):
            name, frame = self._file(path)
            lines = _text(frame).split("\n")
            if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after <= len(lines):
                raise InvalidInput(
                    f"Invalid `insert_line` parameter: {after}. It should be within the range of lines of "
                    f"the file: [0, {len(lines)}]"
                )
            lines[after:after] = text.removesuffix("\n").split("\n")
            self._write(name, "\n".join(lines), frame)
        return f"The file {name} has been edited."

    def delete(self, path: str) -> str:
        """Forget a file, or a folder with all that is in it; both stay in the history."""
        name = _checked(path)
        if name == ROOT:
            raise Forbidden(f"Cannot delete the {ROOT} directory itself")
        with self._memory.session(mode="write"):
            frame = self._find(name)
            frames = [frame] if frame is not None else list(self._below(name).values())
            if not frames:
                raise NotFound(f"The path {name} does not exist")
            for gone in frames:
                self._memory.forget(gone.id, space=self._space, user=self._user)
        return f"Successfully deleted {name}"

    def rename(self, old: str, new: str) -> str:
        source, target = _checked(old), _file(new)
        with self._memory.session(mode="write"):
            if self._find(target) is not None or self._below(target):
                raise Conflict(f"The destination {target} already exists")
            frame = self._find(source)
            moved = {source: frame} if frame is not None else self._below(source)
            if not moved or source == ROOT:
                raise NotFound(f"The path {source} does not exist")
            for name, item in moved.items():
                self._write(target + name[len(source) :], _text(item), item)
        return f"Successfully renamed {source} to {target}"

    def clear(self) -> str:
        for frame in self._below(ROOT).values():
            self._memory.forget(frame.id, space=self._space, user=self._user)
        return "All memory cleared"

    def _write(self, name: str, text: str, old: Frame | None) -> None:
        item = {
            "text": text if text.strip() else "(empty)", "kind": FILE, "title": name.removeprefix(f"{ROOT}/"),
            "uri": f"memory:{name}", "source": "agent", "repeatable": True,
            "metadata": {"path": name, **({} if text.strip() else {"content": text})},
        }  # fmt: skip
        report = self._memory.remember_many([item], space=self._space, user=self._user)
        if old is not None and report.ids:
            self._memory.supersede(old.id, report.ids[0], space=self._space, user=self._user)

    def _file(self, path: str) -> tuple[str, Frame]:
        name = _file(path)
        frame = self._find(name)
        if frame is None:
            raise NotFound(f"The path {name} does not exist. Please provide a valid path.")
        return name, frame

    def _find(self, name: str) -> Frame | None:
        where = Where(kind=FILE, uri=f"memory:{name}")
        page = self._memory.list(where=where, space=self._space, user=self._user)
        return next((frame for frame in reversed(page) if frame.user == self._user), None)

    def _below(self, folder: str) -> dict[str, Frame]:
        page = self._memory.list(where=Where(kind=FILE), limit=_PAGE, space=self._space, user=self._user)
        return {
            str(frame.metadata["path"]): frame
            for frame in page
            if frame.user == self._user and str(frame.metadata["path"]).startswith(f"{folder}/")
        }


def _text(frame: Frame) -> str:
    return str(frame.metadata.get("content", frame.text))


def _checked(path: str) -> str:
    """A path below /memories, in one spelling; whatever leads out of it is refused."""
    if not isinstance(path, str) or "\0" in path or "\\" in path or "%2e" in path.lower():
        raise Forbidden(f"Path must be inside {ROOT}")
    parts = PurePosixPath(path.strip() or "/").parts
    if ".." in parts or parts[:2] != ("/", ROOT[1:]):
        raise Forbidden(f"Path must start with {ROOT}, got: {path[:200]}")
    return str(PurePosixPath(*parts))


def _file(path: str) -> str:
    name = _checked(path)
    if name == ROOT:
        raise InvalidInput(f"{ROOT} is a directory. Please name a file in it.")
    return name


def _listed(folder: str, paths: list[str]) -> Iterator[str]:
    """Files and folders, up to two levels deep."""
    depth = len(PurePosixPath(folder).parts)
    shown = dict.fromkeys(
        str(PurePosixPath(*PurePosixPath(path).parts[: depth + level])) for path in paths for level in (1, 2)
    )
    yield from sorted(shown)


def _numbered(name: str, text: str, lines: tuple[int, int] | None) -> str:
    rows = text.split("\n")
    if len(rows) > _MOST_LINES:
        raise InvalidInput(f"File {name} exceeds maximum line limit of {_MOST_LINES} lines.")
    start, end = lines or (1, len(rows))
    end = len(rows) if end == -1 else end
    if not 1 <= start <= max(len(rows), 1) or end < start:
        raise InvalidInput(f"Invalid view_range: [{start}, {end}]; the file has {len(rows)} lines.")
    shown = [f"{number:6}\t{row}" for number, row in enumerate(rows, 1) if start <= number <= end]
    return "\n".join([f"Here's the content of {name} with line numbers:", *shown])
