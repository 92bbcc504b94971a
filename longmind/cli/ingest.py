"""Reading files and folders into the memory, with a bar that shows how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import InvalidInput
from longmind.cli import commands
from longmind.cli.output import emit, show
from longmind.cli.views.memory import ingested
from longmind.operations.operation import Operation

if TYPE_CHECKING:
    from longmind.ingest.report import IngestReport
    from longmind.ingest.sources import Progress
    from longmind.memory import Memory

_WATCH: Final = "watch"
_MOST_NAMES: Final = 10
_ESTIMATE_SECONDS: Final = 2.0
_ESTIMATE_SHARE: Final = 0.02
"""Before that, loading the model and the sizes of the first files are most of what could be measured."""


def command(operation: Operation) -> Callable[..., None]:
    """The command of an operation that reads files, with a progress bar and a flag to go on."""

    def perform(memory: Memory, arguments: dict[str, Any], flags: set[str], as_json: bool) -> IngestReport:
        changes = _changes(arguments) if _WATCH in flags else None  # listens before the first look
        with progress_bar(quiet=as_json) as progress:
            report: IngestReport = operation(memory, **arguments, progress=progress)
        if changes is not None:
            emit(report, as_json=as_json, view=ingested)
            if not as_json:
                show(["Watching. Press Ctrl-C to stop."], sys.stderr)
            for changed in changes:
                again = operation(memory, **arguments)
                if again.created or again.superseded or again.retired:
                    if not as_json:
                        show(_names(changed), sys.stderr)
                    emit(again, as_json=as_json, view=ingested)
            raise KeyboardInterrupt  # which ended the changes; the report was written before
        return report

    flags = {_WATCH: "Go on, and follow every change, until Ctrl-C."}
    return commands.command(operation, perform=perform, flags=flags)


def _names(paths: Sequence[str]) -> Iterator[str]:
    """The files that changed, one a line."""
    for path in paths[:_MOST_NAMES]:
        yield f"Changed: {path}"
    if len(paths) > _MOST_NAMES:
        yield f"Changed: {len(paths) - _MOST_NAMES} more files"


def _changes(arguments: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    from longmind.ingest.sources import watch_folder

    named_paths = arguments.get("path") or arguments.get("paths") or ""
    paths = [named_paths] if isinstance(named_paths, str) else named_paths
    if len(paths) != 1 or not paths[0] or not Path(paths[0]).is_dir():
        raise InvalidInput("--watch follows a folder.", hint="Name one folder.")
    return watch_folder(Path(paths[0]), stop=lambda: False)


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A bar on a terminal; nothing for programs and pipes. A total of 0 is one that is not known."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as RichProgress

    columns = (
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"), TextColumn("{task.description}")
    )  # fmt: skip
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, left="")
        began = time.monotonic()

        def update(step: Progress) -> None:
            bar.update(
                task,
                completed=step.done,
                total=step.total or None,
                left=time_left(time.monotonic() - began, step.bytes_done, step.bytes_total),
                description=step.uri.rsplit("/", 1)[-1][:40],
                refresh=not step.uri,  # the first one, before any file: a first file may take a while
            )

        yield update


def time_left(elapsed: float, done: int, total: int) -> str:
    """An estimate by the bytes that were read so far; nothing before it can be more than a guess."""
    if done >= total or elapsed < _ESTIMATE_SECONDS or done < total * _ESTIMATE_SHARE:
        return ""
    seconds = elapsed * (total - done) / max(1, done)
    if seconds < 60:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 3600:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"
