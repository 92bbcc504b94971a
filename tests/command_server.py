"""Runs the commands `longmind` and `sm` in forks of one process that has loaded the program already.

Most of a short command's time is spent on imports. Here they are paid for once in a run of the tests; each
command is still a process of its own, with its own arguments, folder, environment, input and output.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import longmind

PROGRAMS = {"longmind": "longmind.cli.entry", "sm": "longmind.cli.sm"}


def load() -> None:
    """Import all of the program, and with it what every command needs of its libraries."""
    for module in pkgutil.walk_packages(longmind.__path__, "longmind."):
        if module.name.split(".")[1] not in ("integrations", "testing"):
            with contextlib.suppress(ImportError):  # an extra that is not installed
                importlib.import_module(module.name)


def serve(path: str) -> dict[str, Any] | None:
    """Fork for each request. Returns its terms in the process that is to run it, and None at the end."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:  # whoever started this has ended
            return None
        connection, _ = listener.accept()
        if os.fork():
            connection.close()
            continue
        listener.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        request = _take(connection)
        child = os.fork()
        if child == 0:
            connection.close()
            return request
        for number in range(3):
            os.close(number)
        connection.sendall(f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)


def _take(connection: socket.socket) -> dict[str, Any]:
    """What to run, with its standard files in place of ours."""
    message, files, _, _ = socket.recv_fds(connection, 65536, 3)
    while not message.endswith(b"\n"):
        message += connection.recv(65536)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    request: dict[str, Any] = json.loads(message)
    return request


def run(request: dict[str, Any]) -> int:
    """The command, in this process, as if it had just been started; its exit code."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (these three stay open)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.argv = request["argv"]
    try:
        importlib.import_module(PROGRAMS[Path(sys.argv[0]).name]).run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # as the interpreter does at the end
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    load()
    gc.freeze()  # what is loaded is never looked at again, so that forks share its pages
    asked = serve(sys.argv[1])
    if asked is not None:
        code = run(asked)
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # without taking a thousand modules apart, which is most of a short command's end
