"""A process that has loaded the package and bears the children of the tests: forks cost less than imports.

`python -m tests.store.nursery` is told over a socket on its standard input what a child shall do and on which
streams; it answers with the child's number and later, on the last of the streams, with how the child ended.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import traceback

from tests.store import worker
from tests.store.opening import open_memory


def serve(calls: socket.socket) -> None:
    open_memory(":memory:").close()  # loads everything there is to load
    endings: dict[int, int] = {}
    while True:
        called = select.select([calls], [], [], 0.01 if endings else None)[0]
        if called:
            message, streams, _, _ = socket.recv_fds(calls, 65_536, 4)
            if not message:
                return
            child = os.fork()
            if child == 0:
                be(json.loads(message), streams)
            for stream in streams[:3]:
                os.close(stream)
            endings[child] = streams[3]
            calls.sendall(child.to_bytes(4, "little"))
        bury(endings)


def be(arguments: list[str], streams: list[int]) -> None:
    """Live one child's life, never to return."""
    status = 1
    try:
        for number, stream in enumerate(streams[:3]):
            os.dup2(stream, number)
        os.closerange(3, 4096)  # what belongs to others must not stay open in this one
        sys.stdin, sys.stderr = os.fdopen(0, "r", closefd=False), os.fdopen(2, "w", closefd=False)
        worker.run(arguments)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def bury(endings: dict[int, int]) -> None:
    for child in list(endings):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            os.write(endings[child], str(os.waitstatus_to_exitcode(status)).encode())
            os.close(endings.pop(child))


if __name__ == "__main__":
    serve(socket.socket(fileno=0))
