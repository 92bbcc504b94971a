"""Answers to a client's first questions before anything large is loaded.

An agent that runs once does not wait for its tools: if the server loads for two seconds first, it has none.
What `initialize` and `tools/list` answer for the default profile does not depend on the store, so it is kept
in a file that `make docs` writes, and is sent while the main thread loads the rest of the program.

Only the standard library is imported here.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final

ANSWERS: Final = Path(__file__).with_name("early.json")
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol that every supported `mcp` package speaks; for others it answers itself."""


class EarlyAnswers:
    """Stands between the client and the server, which is started later and reads and writes pipes."""

    def __init__(self, answers: Mapping[str, Any], client_in: BinaryIO, client_out: BinaryIO) -> None:
        self._answers = answers
        self._client_in = client_in
        self._client_out = client_out
        self._writing = threading.Lock()
        self._answered: set[str] = set()
        self._is_known_version = False

    def answer(self, line: bytes) -> bool:
        """Send the answer to a request if it is known; True if the server must not see the request."""
        try:
            request = json.loads(line)
        except ValueError:
            return False
        if not isinstance(request, dict) or not isinstance(request.get("id"), str | int):
            return False
        params = request.get("params") or {}
        if request.get("method") == "initialize" and isinstance(params, dict):
            version = params.get("protocolVersion")
            if version not in VERSIONS:
                return False
            # The server is asked too, since it must know the client; its own answer is left out.
            self._answered.add(json.dumps(request["id"]))
            self._is_known_version = True
            self._send(request["id"], {**self._answers["initialize"], "protocolVersion": version})
            return False
        if request.get("method") == "tools/list" and self._is_known_version:
            self._send(request["id"], {"tools": self._answers["tools"]})
            return True
        return False

    def read_client(self, to_server: BinaryIO) -> None:
        with to_server:
            for line in self._client_in:
                if not self.answer(line):
                    try:
                        to_server.write(line)
                        to_server.flush()
                    except BrokenPipeError:
                        return

    def read_server(self, from_server: BinaryIO) -> None:
        with from_server:
            for line in from_server:
                if not self._is_second_answer(line):
                    self._write(line)

    def _is_second_answer(self, line: bytes) -> bool:
        if not self._answered:
            return False
        try:
            answer = json.loads(line)
        except ValueError:
            return False
        name = json.dumps(answer.get("id")) if isinstance(answer, dict) and "method" not in answer else ""
        if name not in self._answered:
            return False
        self._answered.discard(name)
        return True

    def _send(self, request_id: str | int, result: Mapping[str, Any]) -> None:
        answer = {"jsonrpc": "2.0", "id": request_id, "result": result}
        self._write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        with self._writing:
            try:
                self._client_out.write(line)
                self._client_out.flush()
            except BrokenPipeError:
                return


class Relay:
    """The process's standard input and output, given to a server that starts later."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        early = EarlyAnswers(answers, os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
        to_server, from_server = os.pipe(), os.pipe()
        os.dup2(to_server[0], 0)
        os.dup2(from_server[1], 1)
        os.close(to_server[0])
        os.close(from_server[1])
        writing, reading = os.fdopen(to_server[1], "wb"), os.fdopen(from_server[0], "rb")
        threading.Thread(target=early.read_client, args=(writing,), daemon=True).start()
        self._sending = threading.Thread(target=early.read_server, args=(reading,), daemon=True)
        self._sending.start()

    def finish(self) -> None:
        """Send what the server has written; it writes nothing more."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        self._sending.join(timeout=5)


def relay(words: Sequence[str]) -> Relay | None:
    """For a command line that serves one client over standard input with the default profile; else None."""
    options = {word.partition("=")[0] for word in words}
    if options & {"--http", "--profile", "--help", "-h"} or find_spec("mcp") is None:
        return None
    try:
        answers = json.loads(ANSWERS.read_bytes())
    except (OSError, ValueError):  # the server itself answers then
        return None
    return Relay(answers)
