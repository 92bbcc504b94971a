"""Runs `longmind` and `sm` as `subprocess.run` would, without their imports: see tests/command_server.py."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.command_client import ask

ROOT = Path(__file__).resolve().parents[1]
LONGMIND = str(Path(sys.executable).with_name("longmind"))
SM = str(Path(sys.executable).with_name("sm"))
_CLIENT = """#!{python} -IS
import sys
sys.path.append({tests!r})  # behind the standard library, whose names some folders of tests have
from command_client import main
sys.exit(main({server!r}))
"""
_started: list[Path] = []


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
        files = [file.fileno() for file in (given, out, err)]
        try:
            code = ask(
                address(), argv, cwd=str(cwd or Path.cwd()), env=environment, files=files, timeout=timeout
            )
        except TimeoutError:
            raise subprocess.TimeoutExpired(argv, timeout) from None
        printed = []
        for file in (out, err):
            file.seek(0)
            printed.append(file.read().decode() if text else file.read())
    return subprocess.CompletedProcess(argv, code, *printed)


def address() -> str:
    """Where the server of this process listens."""
    return str(_folder() / "socket")


def programs() -> str:
    """A folder for PATH whose `longmind` and `sm` are run by the server."""
    return str(_folder() / "bin")


def _folder() -> Path:
    """The folder of the server, which is started when it is first needed and ends with this process."""
    if not _started:
        folder = tempfile.TemporaryDirectory(prefix="commands-")
        place = Path(folder.name)
        socket = str(place / "socket")
        (place / "bin").mkdir()
        client = _CLIENT.format(python=sys.executable, tests=str(ROOT / "tests"), server=socket)
        for name in ("longmind", "sm"):
            (place / "bin" / name).write_text(client, encoding="utf-8")
            (place / "bin" / name).chmod(0o700)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server", socket],
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
        _started.append(place)
    return _started[0]
