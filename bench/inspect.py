"""How long the Inspector takes: the first paint in a browser, and the data of every view, by store size.

`python -m bench inspect --frames 100000` fills a store with turns and facts (kept in `--keep`, filled only
once), asks for what each view shows over HTTP, and opens the page in Chromium where it is installed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import statistics
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

from bench.machine import describe
from bench.synthetic import items
from bench.tables import table
from longmind import Entity, Memory
from longmind.access.keyring import KeyRing
from longmind.inspect.inspector import Inspector
from longmind.inspect.server import InspectServer

_TOKEN = "bench"
_BATCH = 5000
_RUNS = 7
_PEOPLE = 400
_EDGES = 5000

VIEWS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "home": [("inspect.overview", {}), ("stats", {}), ("audit.list", {"limit": 8}),
             ("inspect.frames", {"limit": 6})],
    "search bench": [("search", {"query": "what did they decide about the budget?"})],
    "context": [("recall", {"query": "what did they decide about the budget?", "budget": 1000})],
    "frames": [("inspect.frames", {"limit": 100})],
    "frames, far down": [("inspect.frames", {"limit": 100, "before": 50})],
    "facts": [("inspect.entities", {"limit": 50}), ("facts.quarantine", {"limit": 200})],
    "entity": [("facts.about", {"subject": "person 7"}), ("facts.history", {"subject": "person 7"}),
               ("facts.resolve", {"name": "person 7", "near": True}),
               ("facts.neighbors", {"entity": "person 7"})],
    "merge suggestions": [("inspect.duplicates", {})],
    "graph, 5,000 edges": [("inspect.graph", {"limit": 5000})],
    "time machine": [("inspect.axes", {}), ("facts.diff", {"before": "2020-01-01", "limit": 500})],
    "conversations": [("inspect.sessions", {"limit": 50})],
    "memories": [("memories.list", {"limit": 200})],
    "experience": [("experience.list", {"limit": 300})],
    "spaces": [("space.list", {}), ("space.objects", {"space": "default", "limit": 300})],
    "photos and videos": [("list", {"kinds": ["photo", "video", "audio"], "limit": 60})],
    "upkeep": [("stats", {}), ("verify", {})],
    "audit log": [("audit.list", {"limit": 200})],
}  # fmt: skip


def fill(path: Path, frames: int) -> None:
    """Notes and turns, and facts that link some hundred people."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    notes = items(frames)
    with Memory.open(partial, embedder=None, extractor=None, surrogates=False) as memory:
        while batch := list(islice(notes, _BATCH)):
            memory.remember_many([item | {"kind": "turn"} for item in batch])
        memory.facts.record_many(
            {
                "subject": f"person {index % _PEOPLE}",
                "predicate": ("knows", "works_with", "likes")[index % 3],
                "value": Entity(f"person {(index * 7 + index // _PEOPLE) % _PEOPLE}"),
            }
            for index in range(_EDGES)
        )
    partial.rename(path)


def ask(server: InspectServer, name: str, inputs: dict[str, Any]) -> tuple[float, int]:
    """Milliseconds until the answer is there, and its size."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=120)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {_TOKEN}"}
    started = time.perf_counter()
    connection.request("POST", f"/inspect/api/{name}", json.dumps(inputs), headers)
    response = connection.getresponse()
    body = response.read()
    taken = (time.perf_counter() - started) * 1000
    connection.close()
    if response.status != 200:
        raise SystemExit(f"{name}: {body.decode()[:300]}")
    return taken, len(body)


def measure(server: InspectServer) -> list[dict[str, Any]]:
    rows = []
    for view, questions in VIEWS.items():
        first = [ask(server, *question) for question in questions]
        # A page asks its questions at the same time, and is complete with the slowest of them.
        warm = [max(ask(server, *question)[0] for question in questions) for _ in range(_RUNS)]
        rows.append(
            {
                "view": view,
                "first_ms": round(max(taken for taken, _ in first), 1),
                "warm_ms": round(statistics.median(warm), 1),
                "kb": round(sum(size for _, size in first) / 1024, 1),
            }
        )
    return rows


def paint(server: InspectServer) -> dict[str, float] | None:
    """First paint and the complete home page in a real browser, without a cache; None without a browser."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if program is None:
        return None
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    paints, complete = [], []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=flags)
        for _ in range(5):
            context = browser.new_context()
            page = context.new_page()
            started = time.perf_counter()
            page.goto(f"{server.url}#key={_TOKEN}")
            page.wait_for_selector(".figures b")
            complete.append((time.perf_counter() - started) * 1000)
            paints.append(
                page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime || 0")
            )
            context.close()
        browser.close()
    return {"first_paint_ms": round(statistics.median(paints)), "home_ms": round(statistics.median(complete))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, default=Path("/tmp/inspect-bench"))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    path = arguments.keep / f"{arguments.frames}.mind"
    if not path.exists():
        fill(path, arguments.frames)
    with Memory.open(path, read_only=True, embedder=None) as memory:
        server = InspectServer(Inspector(memory), KeyRing(None, token=_TOKEN), port=0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        rows = measure(server)
        painted = paint(server)
        server.shutdown()
    shown = [[str(figure) for figure in row.values()] for row in rows]
    print("\n".join(table(("view", "first ms", "warm ms", "KB"), shown)))
    if painted is None:
        print("No browser: first paint was not measured.")
    else:
        print(f"First paint {painted['first_paint_ms']} ms, home complete {painted['home_ms']} ms.")
    if arguments.json:
        record = {"machine": describe(), "frames": arguments.frames, "views": rows, "browser": painted}
        arguments.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
