"""Files of lines: written whole or not at all, read a line at a time."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from longmind.base.errors import Conflict, Forbidden, InvalidInput, NotFound
from longmind.base.partial import partial_file, put_in_place, writing
from longmind.base.store_files import StoreFile, check_target, in_family, open_user_file
from longmind.store.files import fold_log


def write_lines(path: str | os.PathLike[str], lines: Iterable[str], *, overwrite: bool) -> int:
    """Write beside the file and put it in place when all of it is there; return the bytes written."""
    target = Path(path)
    check_target(target)
    replaces = target.exists()
    if replaces and not overwrite:
        raise Conflict(f"{target} exists.", hint="Choose another path, or overwrite it: --overwrite.")
    if in_family(target.name):
        raise StoreFile(
            f"{target} is a name for a store, and an export is text.",
            hint="Name it *.jsonl. For a copy that opens as a store: longmind backup.",
        )
    if replaces:
        fold_log(target)  # refuses a store that is in use
    size = 0
    with partial_file(target) as partial:
        with writing(target), partial.open("wb") as file:
            for line in lines:
                size += file.write(line.encode())
        if target.exists():
            fold_log(target)  # again: it may have been opened since
        put_in_place(partial, target)
    return size


@contextmanager
def read_lines(path: str | os.PathLike[str]) -> Iterator[Iterator[str]]:
    """The lines of a file, each with its end."""
    source = Path(path)
    if not source.exists():
        raise NotFound(f"{path} does not exist.", hint="Check the path.")
    if not source.is_file() or not os.access(source, os.R_OK):
        raise Forbidden(f"{path} cannot be read.", hint="Check that it is a file that you may read.")
    with open_user_file(source) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
        try:
            yield iter(file)
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{path} is no text: byte {error.start} cannot be read.") from None
