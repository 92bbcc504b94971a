"""A folder or git working tree kept as a space: new and changed files remembered, gone ones forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from longmind.base.checks import check_label
from longmind.base.errors import InvalidInput, LongmindError, NotFound
from longmind.base.git import run_git
from longmind.base.recall_marks import without_echo
from longmind.ingest.folder import Entry, Skipped, walk
from longmind.ingest.source import Readers, Source
from longmind.ingest.sources import watch_folder
from longmind.spaces.objects import content_name, normal_path
from longmind.spaces.space import ProjectSpace

ROOT: Final = "root"
"""The key of the metadata that names the folder an object was read from."""
_KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys((".md", ".markdown", ".rst", ".adoc", ".txt", ".html", ".pdf", ".docx"), "guide"),
    **dict.fromkeys((".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".json", ".env"), "config"),
    **dict.fromkeys((".log", ".out"), "log"),
    **dict.fromkeys((".csv", ".tsv", ".jsonl"), "data"),
}


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a look at the folder changed; all by path."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: int = 0
    forgotten: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.created or self.updated or self.forgotten)


def kind_of(path: str) -> str:
    """The kind of a file by its name; `code` by default."""
    file = Path(path)
    if any(part.lower() in ("adr", "adrs", "decisions") for part in file.parts[:-1]):
        return "decision"
    return _KINDS.get(file.suffix.lower(), "code")


def sync_folder(
    space: ProjectSpace,
    folder: str | Path,
    *,
    readers: Readers,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    kind: str | None = None,
    project: str | None = None,
    tags: Sequence[str] = (),
    paths: Iterable[str] | None = None,
    freeze_clock: str | None = None,
) -> SyncReport:
    """Bring a space up to date with a folder. `paths` (from the folder) limits it to these files.

    What a `.gitignore` ignores is left out. A file whose text is stored under its path is left alone.
    """
    root = _existing(folder)
    chosen = None if paths is None else {Path(path).as_posix() for path in paths}
    redactor = space.redactor()
    home = redactor.text(root.as_posix())
    listed = (item for item in space.list(limit=100_000) if item.metadata.get(ROOT) == home)
    stored = {item.path: item for item in listed if item.user == space.user}
    by_status: dict[str, list[str]] = {"created": [], "updated": [], "unchanged": [], "skipped": []}
    seen: set[str] = set()
    for entry in walk(root, include=tuple(include), exclude=tuple(exclude)):
        path = entry.relative
        if chosen is not None and path not in chosen:
            continue
        # Known again by the path under which it is stored, not by the name that the file has.
        stored_path = normal_path(redactor.name(path))
        twin = stored_path in seen
        if isinstance(entry, Entry):
            seen.add(stored_path)
        text = _text_of(entry, readers)
        if not text.strip() or twin:
            by_status["skipped"].append(path)
            continue
        # Of the text as it is stored: a hash of what was redacted would let guesses be checked.
        before, name = stored.get(stored_path), content_name(redactor.text(without_echo(text)[0]))
        if before is not None and before.metadata.get("hash") == name:
            by_status["unchanged"].append(path)
            continue
        done = space.remember_raw(
            kind or kind_of(path),
            text,
            path_hint=path,
            project=project or root.name,
            tags=tags,
            metadata={"hash": name, ROOT: root.as_posix(), "source": path},
            freeze_clock=freeze_clock,
            source="import",
        )
        by_status[done.status].append(path)
    limited = None if chosen is None else {normal_path(redactor.name(path)) for path in chosen}
    gone = sorted(path for path in stored if path not in seen and (limited is None or path in limited))
    for path in gone:
        space.forget(path)
    created, updated, unchanged, skipped = map(tuple, by_status.values())
    return SyncReport(created, updated, len(unchanged), tuple(gone), skipped)


def _existing(folder: str | Path) -> Path:
    root = Path(folder).expanduser().resolve()
    if not root.is_dir():
        raise NotFound(f"There is no folder {folder}.", hint="Name a folder that exists.")
    return root


def _text_of(entry: Entry | Skipped, readers: Readers) -> str:
    """The text of a file; empty where it cannot be read as text."""
    if not isinstance(entry, Entry):
        return ""
    try:
        return readers.read(Source.from_path(entry.path, uri=entry.relative)).text
    except LongmindError:
        return ""


def changed_files(folder: str | Path, *, since: str = "HEAD~1") -> tuple[str, ...]:
    """Files of a git working tree that differ from a revision, untracked ones included."""
    if check_label(since, "since").startswith("-"):
        raise InvalidInput(f"{since!r} is not a revision.", hint="Name a commit, a tag or a branch.")
    options = ("--name-only", "--relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "-z")
    commands = (
        ("diff", *options, since, "--"),
        ("ls-files", "--others", "--exclude-standard", "-z"),
    )
    listed = b"".join(run_git(Path(folder).expanduser(), commands))
    return tuple(sorted({path for path in listed.decode(errors="backslashreplace").split("\0") if path}))


def watch(
    space: ProjectSpace,
    folder: str | Path,
    *,
    readers: Readers,
    stop: Callable[[], bool],
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    tags: Sequence[str] = (),
    every: float = 0.5,
) -> Iterator[SyncReport]:
    """Bring the space up to date now, and again whenever something changes, until `stop()` is true."""
    patterns = tuple(include), tuple(exclude)

    def look() -> SyncReport:
        return sync_folder(
            space, folder, readers=readers, include=patterns[0], exclude=patterns[1], tags=tags
        )

    yield look()
    for _ in watch_folder(Path(folder), stop=stop, every=every):
        report = look()
        if report.changed:
            yield report
