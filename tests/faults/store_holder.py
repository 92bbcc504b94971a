"""A process that keeps a store open and does what standard input says, one JSON command a line.

It answers every command with one JSON line. It never closes the store: the tests kill it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longmind import Memory
from longmind.base.errors import LongmindError


def remember(memory: Memory, texts: list[str]) -> list[int]:
    return [memory.remember(text).id for text in texts]


def ingest(memory: Memory, folder: str) -> list[list[str]]:
    return [[skip.uri.rsplit("/", 1)[-1], skip.code] for skip in memory.ingest(folder).skipped]


def sync(memory: Memory, folder: str) -> list[str]:
    from longmind.spaces import sync

    return list(sync.sync_folder(memory.space("code"), folder, readers=memory.readers).skipped)


def watch(memory: Memory, folder: str) -> int:
    """Follow a folder until the second change was taken in."""
    reports = memory.watch(folder, stop=lambda: False)
    next(reports)
    (Path(folder) / "changed.md").write_text("A change that is seen.\n")
    next(reports)
    return 2


def http(memory: Memory, folder: str) -> int | dict[str, object]:
    """Ask the server's own routes to ingest the folder that is served."""
    from fastapi.testclient import TestClient

    from longmind.http.app import create_app

    client = TestClient(create_app(memory, files=folder), base_url="http://127.0.0.1")
    answer = client.post("/v1/ingest", json={"path": "."})
    return answer.status_code if answer.status_code == 200 else {"error": answer.text}


COMMANDS: dict[str, Callable[..., Any]] = {
    "remember": remember,
    "ingest": ingest,
    "sync": sync,
    "watch": watch,
    "http": http,
}


def main(path: str) -> None:
    with Memory.open(path, embedder=None, extractor=None) as memory:
        print(json.dumps("open"), flush=True)
        for line in sys.stdin:
            name, *values = json.loads(line)
            try:
                answer = COMMANDS[name](memory, *values)
            except LongmindError as error:
                answer = {"error": error.code, "message": str(error)}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
