"""Several server processes behind one address: started, watched, started again when one dies, and stopped.

Python runs one thread at a time in a process, so that one process uses little more than one core. The
processes share the listening socket, the store and a folder for what they count; each opens the store itself.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import LongmindError, Unavailable

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

_log = logging.getLogger("longmind.http")

METRICS_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where prometheus-client keeps the numbers of several processes; it looks when it is imported."""
_BACKLOG: Final = 2048
"""Connections that wait in the kernel for a process to accept them."""
_QUICK_SECONDS: Final = 5.0
"""A process that ends sooner than this did not really start."""
_MOST_FAILURES: Final = 5
"""After so many quick ends in a row there is something wrong that another start does not mend."""
_READY: Final = "ready"


@dataclass(frozen=True, slots=True)
class Share:
    """What a server process gets from the one that started it."""

    listener: socket.socket
    folder: Path
    """For rate limits and metrics, which are of all processes together."""
    ready: Callable[[], None]
    """To be called once connections are accepted."""


Work = Callable[[Share], None]
"""Answers until it is told to stop. Has to be picklable: each process starts from nothing."""


class SharedListener(socket.socket):
    """A listening socket of several processes, of which each takes one connection at a time.

    asyncio accepts as many connections in a row as its backlog says, so that the first process to wake would
    take them all. The backlog of the kernel is another matter: that one stays long.
    """

    def listen(self, backlog: int = _BACKLOG, /) -> None:
        super().listen(_BACKLOG)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there, or `Unavailable`."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((address[0], address[1]), family=family, backlog=_BACKLOG)
    except OSError:
        raise unavailable(host, port) from None


def unavailable(host: str, port: int) -> Unavailable:
    return Unavailable(
        f"{host}:{port} cannot be listened on.", hint="Another server may be there; choose --port."
    )


def run_processes(
    work: Work, *, count: int, host: str, port: int, listening: Callable[[], None] = lambda: None
) -> None:
    """Keep `count` processes at work until a signal ends it, and let what is in progress end.

    `listening` is called once all of them accept connections. Raises what kept the first ones from starting.
    """
    with listen(host, port) as listener, tempfile.TemporaryDirectory(prefix="longmind-serve-") as folder:
        supervisor = _Supervisor(work, count, listener, Path(folder), listening)
        with supervisor.stopped_by_signals():
            supervisor.run()


@dataclass(eq=False, slots=True)
class _Worker:
    """A process, and the line on which it says that it is ready, or why it cannot be."""

    process: SpawnProcess
    line: Connection
    started: float
    is_ready: bool = False
    problem: tuple[str, str | None] | None = None


class _Supervisor:
    def __init__(
        self,
        work: Work,
        count: int,
        listener: socket.socket,
        folder: Path,
        listening: Callable[[], None],
    ) -> None:
        self._work = work
        self._count = count
        self._listener = listener
        self._folder = folder
        self._listening = listening
        self._context = get_context("spawn")  # a fork would take threads and connections along
        self._workers: list[_Worker] = []
        self._failures = 0
        self._is_stopping = False
        self._has_announced = False
        self._wake, self._waker = os.pipe()

    @contextmanager
    def stopped_by_signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM begin the stop; what they did before is put back."""

        def stop(*_: Any) -> None:
            self._is_stopping = True
            os.write(self._waker, b"\0")

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self._wake)
            os.close(self._waker)

    def run(self) -> None:
        try:
            for _ in range(self._count):
                self._start()
            while not self._is_stopping:
                self._step()
        finally:
            self._stop()

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        arguments = (self._work, self._listener, str(self._folder), theirs)
        process = self._context.Process(target=_run_worker, args=arguments, name="longmind-serve")
        process.start()
        theirs.close()  # so that the line ends with the process
        self._workers.append(_Worker(process, ours, time.monotonic()))

    def _step(self) -> None:
        lines = {worker.line: worker for worker in self._workers}
        for source in wait([*lines, self._wake]):
            if isinstance(source, Connection):  # otherwise the signal's byte: the loop ends
                self._hear(lines[source])
        if not self._has_announced and sum(worker.is_ready for worker in self._workers) == self._count:
            self._has_announced = True
            self._listening()

    def _hear(self, worker: _Worker) -> None:
        """Its line says something, or ends with the process."""
        try:
            message = worker.line.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if message == _READY:
            worker.is_ready = True
            self._failures = 0
        else:
            worker.problem = message

    def _bury(self, worker: _Worker) -> None:
        """Start another one in its place, unless that is hopeless."""
        worker.process.join()
        worker.line.close()
        self._workers.remove(worker)
        pid, code = worker.process.pid, worker.process.exitcode
        _forget_metrics(pid, self._folder)
        if self._is_stopping:
            return
        if worker.problem is not None and not self._has_announced:
            message, hint = worker.problem
            raise Unavailable(f"The server did not start: {message}", hint=hint)
        self._failures += time.monotonic() - worker.started < _QUICK_SECONDS
        if self._failures >= _MOST_FAILURES:
            raise Unavailable(
                f"Server processes end as soon as they start; the last one with exit code {code}.",
                hint="Start the server with --processes 1 to see why.",
            )
        _log.warning("server process %s ended with exit code %s; another one is started", pid, code)
        self._start()

    def _stop(self) -> None:
        """Accept nothing more, let the processes end what they do, and wait for them."""
        self._is_stopping = True
        self._listener.close()
        for worker in self._workers:
            if worker.process.is_alive():
                with suppress(ProcessLookupError):
                    worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
            worker.line.close()
        self._workers.clear()


def _run_worker(work: Work, listener: socket.socket, folder: str, line: Connection) -> None:
    """The life of one process; ends with that of the supervisor, however that ended."""
    os.environ[METRICS_VARIABLE] = folder
    _end_with_parent(line)
    shared = SharedListener(fileno=listener.detach())

    def ready() -> None:
        with suppress(OSError):
            line.send(_READY)

    try:
        work(Share(shared, Path(folder), ready))
    except LongmindError as error:
        with suppress(OSError):
            line.send((error.message, error.hint))
        sys.exit(1)


def _end_with_parent(line: Connection) -> None:
    """A thread that waits for the other end of the line to go, and asks this process to stop."""

    def watch() -> None:
        with suppress(EOFError, OSError):
            line.recv()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="longmind-parent", daemon=True).start()


def _forget_metrics(pid: int | None, folder: Path) -> None:
    """What a dead process counted stays counted; what it had in progress does not."""
    with suppress(ImportError):
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]
