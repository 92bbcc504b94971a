"""Asks the server of commands to run one: the `longmind` and `sm` that shell scripts of the tests find.

It starts in a few milliseconds, so it imports nothing but what it needs of the standard library.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Sequence


def ask(
    server: str,
    argv: Sequence[str],
    *,
    cwd: str,
    env: dict[str, str],
    files: Sequence[int],
    timeout: float | None = None,
) -> int:
    """Run a command with these standard files. Returns its exit code, negative for the signal that ended it.

    Raises TimeoutError when it was killed because it took too long.
    """
    message = json.dumps({"argv": list(argv), "cwd": cwd, "env": env}).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(server)
        sent = socket.send_fds(connection, [message], files)
        connection.sendall(message[sent:])
        connection.settimeout(timeout)
        with connection.makefile("rb") as answers:
            child = int(answers.readline())
            try:
                return int(answers.readline())
            except (TimeoutError, KeyboardInterrupt):
                os.kill(child, signal.SIGKILL)
                raise


def main(server: str) -> int:
    """This process's own command, with its folder, environment and standard files."""
    code = ask(server, sys.argv, cwd=os.getcwd(), env=dict(os.environ), files=(0, 1, 2))  # noqa: PTH109
    return code if code >= 0 else 128 - code
