"""Which process, on which machine: to tell what a killed one left from what a living one still uses."""

from __future__ import annotations

import os
import platform
from pathlib import Path


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
