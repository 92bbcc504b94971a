"""Runs `longmind` and `sm` as `subprocess.run` would, without their imports: see tests/command_server.py."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
LONGMIND = str(Path(sys.executable).with_name("longmind"))
SM = str(Path(sys.executable).with_name("sm"))
_started: list[str] = []


def run(
    argv: list[str],
    *,
    cwd: str | os.PathLike[str] | None = None,
    env: dict[str, str] | None = None,
    stdin: bytes | str = b"",
    text: bool = False,
    timeout: float = 120,
) -> subprocess.CompletedProcess[Any]:
    """What the command printed and how it ended; it is killed when it takes too long."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode() if isinstance(stdin, str) else stdin)
        given.seek(0)
        environment = dict(os.environ) if env is None else env
        code = _answer(
            {"argv": argv, "cwd": str(cwd or Path.cwd()), "env": environment}, (given, out, err), timeout
        )
        printed = []
        for file in (out, err):
            file.seek(0)
            printed.append(file.read().decode() if text else file.read())
    return subprocess.CompletedProcess(argv, code, *printed)


def address() -> str:
    """Where the server of this process listens; it ends with this process."""
    if not _started:
        folder = tempfile.TemporaryDirectory(prefix="commands-")
        path = str(Path(folder.name) / "socket")
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server", path],
            cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n", "the server of commands did not start"

        def stop() -> None:
            assert server.stdin is not None
            server.stdin.close()
            server.wait(30)
            folder.cleanup()

        atexit.register(stop)
        _started.append(path)
    return _started[0]


def _answer(request: dict[str, Any], files: tuple[IO[bytes], ...], timeout: float) -> int:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address())
        message = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(connection, [message], [file.fileno() for file in files])
        connection.sendall(message[sent:])
        connection.settimeout(timeout)
        with connection.makefile("rb") as answers:
            child = int(answers.readline())
            try:
                return int(answers.readline())
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                raise subprocess.TimeoutExpired(request["argv"], timeout) from None
