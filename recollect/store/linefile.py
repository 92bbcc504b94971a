"""Files of lines: written whole or not at all, read a line at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.base.errors import Conflict, Forbidden, InvalidInput, NotFound


def write_lines(path: str | os.PathLike[str], lines: Iterable[str], *, overwrite: bool) -> int:
    """Write beside the file and put it in place when all of it is there; return the bytes written."""
    target = Path(path)
    if target.exists() and not overwrite:
        raise Conflict(f"{target} exists.", hint="Choose another path, or overwrite it: --overwrite.")
    beside = target.with_name(f"{target.name}.{os.getpid()}.part")
    size = 0
    try:
        with beside.open("xb") as file:
            for line in lines:
                size += file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except FileNotFoundError:
        raise NotFound(f"The folder {target.parent} does not exist.", hint="Make it first.") from None
    except OSError as error:
        raise Forbidden(f"{target} cannot be written: {error.strerror}.") from None
    finally:
        beside.unlink(missing_ok=True)
    return size


@contextmanager
def read_lines(path: str | os.PathLike[str]) -> Iterator[Iterator[str]]:
    """The lines of a file, each with its end."""
    source = Path(path)
    if not source.exists():
        raise NotFound(f"{path} does not exist.", hint="Check the path.")
    if not source.is_file() or not os.access(source, os.R_OK):
        raise Forbidden(f"{path} cannot be read.", hint="Check that it is a file that you may read.")
    with source.open(encoding="utf-8", newline="\n") as file:
        try:
            yield iter(file)
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{path} is no text: byte {error.start} cannot be read.") from None
