"""Ctrl-C: every command ends within a second, and says what was kept and how to go on.

The signal reaches Python only when the main thread runs Python again: not during a long statement of SQLite,
nor while worker threads finish what they began. A thread of its own hears of it at once. What the command
has not cleaned up in time is left as a killed process leaves it, which the next one puts in order.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Final

_SECONDS: Final = 0.6
"""For the command itself to end; with the time until it is noticed, still within a second."""
EXIT_CODE: Final = 130
_OWN: Final = frozenset(("serve", "mcp", "proxy", "inspect", "hook"))
"""Commands that answer others: they stop listening, finish what they are answering, and end by themselves."""

_AGAIN: Final = "Run the same command again to go on with the rest."
_FILES: Final = f"The files that were finished are kept. {_AGAIN}"
_UNFINISHED: Final = "The unfinished file was removed. Run the same command again to make a whole one."
_UNCHANGED: Final = "Nothing was changed."
KEPT: Final[Mapping[str, str]] = {
    "ingest": _FILES,
    "photos": _FILES,
    "videos": _FILES,
    "audio": _FILES,
    "remember-many": "Nothing of this call was kept. Run the same command again.",
    "reindex": f"The memory answers as before, and what was rebuilt so far is kept. {_AGAIN}",
    "import": "All was imported or nothing, some vectors apart. Run the same command again to be sure.",
    "import --from": f"What was imported so far is kept, and is not imported twice. {_AGAIN}",
    "unfinished-erasures": "What was erased stays erased. Run the same command again to finish the others.",
    "maintain": f"What was done so far is kept. {_AGAIN}",
    "verify": f"{_UNCHANGED} The check is not complete: run the same command again.",
    "backup": _UNFINISHED,
    "export": _UNFINISHED,
    "copy": "The copy is not complete. Delete it and run the same command again.",
    "compact": "The memory is as it was. Run the same command again to make it smaller.",
    "restore": "The store at TO is as it was. Run the same command again.",
    "encrypt": "The memory is as it was. Run the same command again.",
    "decrypt": "The memory is as it was. Run the same command again.",
    "rekey": "The memory is as it was, and so is its key. Run the same command again.",
    "models install": "The model is not installed. Run the same command again; the download starts anew.",
    "models": _UNCHANGED,
}
"""What an interrupted command leaves, by its first word, and by the second or an option where that decides.
Of the others, what is not finished is not kept."""
_OTHERS: Final = "What was not finished was not kept; the memory itself is whole."

_forgiven = threading.Event()
_lock = threading.Lock()
_has_spoken = False


def message(words: Sequence[str]) -> str:
    """What to tell a person who stopped this command."""
    first, second = [*(word for word in words if not word.startswith("-")), "", ""][:2]
    options = {word.partition("=")[0] for word in words}
    names = (*(f"{first} {name}" for name in (second, *sorted(options))), first)
    return f"Stopped. {next((KEPT[name] for name in names if name in KEPT), _OTHERS)}"


def watch(words: Sequence[str]) -> None:
    """From now on, Ctrl-C ends this process within a second, whatever it is doing."""
    if not words or words[0] in _OWN or threading.current_thread() is not threading.main_thread():
        return
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    signal.set_wakeup_fd(sender, warn_on_full_buffer=False)

    def wait() -> None:
        while numbers := os.read(receiver, 64):
            if signal.SIGINT in numbers and not _forgiven.wait(_SECONDS):
                say(words)
                os._exit(EXIT_CODE)
            _forgiven.clear()

    threading.Thread(target=wait, name="longmind-interrupts", daemon=True).start()


def go_on() -> None:
    """This Ctrl-C was meant for one step; the command goes on without it."""
    _forgiven.set()


def say(words: Sequence[str]) -> None:
    """Tell the person, once; on a terminal, on a line of its own and with the cursor back."""
    global _has_spoken
    with _lock:
        if _has_spoken:
            return
        _has_spoken = True
    begin = "\r\x1b[2K\x1b[?25h" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{begin}{message(words)}\n")
    sys.stderr.flush()
