"""Which process, on which machine: to tell what a killed one left from what a living one still uses.

And how many processes there may be.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final, Literal

from longmind.base.errors import InvalidInput

ExtractionProcesses = int | Literal["auto"]
"""How many processes may help this one to extract facts."""
MOST_EXTRACTION_PROCESSES: Final = 64


def host_name() -> str:
    """This machine, and on Linux the process namespace too: a pid says nothing outside it."""
    try:
        return f"{platform.node()}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()


def is_alive(pid: int) -> bool:
    """Whether a process of this machine runs; True where that cannot be told."""
    if os.name != "posix":  # where signal 0 would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def usable_cores() -> int:
    """Those that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_extraction_processes(processes: ExtractionProcesses) -> ExtractionProcesses:
    """A number, or "auto" for what the machine has cores for."""
    whole = isinstance(processes, int) and not isinstance(processes, bool)
    if processes == "auto" or (whole and 0 <= int(processes) <= MOST_EXTRACTION_PROCESSES):
        return processes
    raise InvalidInput(
        f"extraction_processes is {processes!r}.",
        hint=f'Use "auto", or a number from 0 (all in this process) to {MOST_EXTRACTION_PROCESSES}.',
    )
