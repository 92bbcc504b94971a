"""How long the Inspector takes: the first paint in a browser, and the data of every view, by store size.

`python -m bench inspect --frames 100000` fills a store with something for every view (kept in `--keep`,
filled only once), asks over HTTP for what each view shows, and opens each view in Chromium where that is
installed.
Milliseconds pass by the clock, with whatever else the machine does, of which the fastest look in a browser
has the least; CPU milliseconds are those of the server's process, which also holds the few of the client that
reads the answers.
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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from bench.inspect_store import fill
from bench.kept import keep
from bench.machine import describe
from bench.report_inspect import view_rows
from longmind import Memory
from longmind.access.keyring import KeyRing
from longmind.inspect.inspector import Inspector
from longmind.inspect.server import InspectServer

_TOKEN = "bench"
_RUNS = 5
_LOOKS = 15
"""Times that a view is opened in a browser: enough that some meet no other work of the machine."""
_QUERY = "what did they decide about the budget?"
_ADDRESS = "q=what+did+they+decide+about+the+budget%3F"
_PERSON = "person 8"
_RECORDED = ("photo", "video", "audio")


class View(NamedTuple):
    """A view: its address (None for what has no address of its own), and what its page asks for."""

    path: str | None
    questions: list[tuple[str, dict[str, Any]]]


VIEWS: dict[str, View] = {
    "home": View("", [("inspect.overview", {}), ("inspect.store", {}), ("users", {}),
                      ("audit.list", {"limit": 8}), ("inspect.frames", {"limit": 6})]),
    "search bench": View(f"search?{_ADDRESS}", [("search", {"query": _QUERY})]),
    "two settings": View(f"search?{_ADDRESS}&compare=1&fusion2=rrf",
                         [("search", {"query": _QUERY}), ("search", {"query": _QUERY, "fusion": "rrf"})]),
    "context": View(f"search?{_ADDRESS}&tab=context", [("recall", {"query": _QUERY, "budget": 1000}),
                                                       ("recipes", {})]),
    "why not": View(f"search?{_ADDRESS}&tab=why&frame=40", [("why_not", {"query": _QUERY, "frame": 40})]),
    "frames": View("frames", [("inspect.frames", {"limit": 100})]),
    "frames, far down": View(None, [("inspect.frames", {"limit": 100, "before": 50})]),
    "frames of a kind": View("frames?kind=solution", [("inspect.frames", {"kinds": ["solution"]})]),
    "frames with a word": View("frames?text=budget", [("inspect.frames", {"text": "budget"})]),
    "one frame": View("frames/40", [("get", {"frame": 40}), ("inspect.learned", {"frames": [40]})]),
    "facts": View("facts", [("inspect.entities", {"limit": 50}), ("facts.quarantine", {"limit": 200})]),
    "entity": View("facts/person%208", [
        ("facts.about", {"subject": _PERSON, "limit": 500, "shadowed": True}),
        ("inspect.history", {"subject": _PERSON}),
        ("facts.resolve", {"name": _PERSON, "near": True}),
        ("facts.neighbors", {"entity": _PERSON, "direction": "in"}),
    ]),
    "merge suggestions": View("facts?tab=merge", [("inspect.duplicates", {})]),
    "graph, 5,000 links": View("graph", [("inspect.graph", {"limit": 5000})]),
    "time machine": View("time", [("inspect.axes", {}),
                                  ("facts.diff", {"before": "2020-01-01", "limit": 100, "evidence": 2})]),
    "conversations": View("talk", [("inspect.sessions", {"limit": 100})]),
    "one conversation": View("talk/talk%20120", [("turns.window", {"session": "talk 120", "limit": 300})]),
    "memories": View("talk?tab=memories", [("memories.list", {"limit": 200})]),
    "next sweep": View("talk?tab=sweep", [("memories.gc", {"dry_run": True})]),
    "experience": View("experience", [("experience.list", {"limit": 300})]),
    "brief": View("experience?tab=brief&task=the+export", [("experience.brief", {"text": "the export"})]),
    "spaces": View("spaces", [("space.list", {}), ("space.objects", {"space": "default", "limit": 300})]),
    "photos and videos": View("media", [("inspect.frames", {"kinds": list(_RECORDED), "limit": 60})]),
    "quick check": View(None, [("verify", {})]),
    "upkeep": View("upkeep", [("inspect.parts", {}), ("inspect.store", {}), ("inspect.tasks", {})]),
    "snapshots": View("upkeep?tab=snapshots", [("snapshot.list", {})]),
    "golden questions": View("upkeep?tab=golden", [("golden.list", {}), ("golden.history", {})]),
    "audit log": View("upkeep?tab=log", [("audit.list", {"limit": 200})]),
    "spending": View("upkeep?tab=money", [("inspect.spending", {})]),
}  # fmt: skip

_COUNT_REQUESTS = """
window.underWay = 0;
const plainFetch = window.fetch;
window.fetch = (...given) => {
  window.underWay += 1;
  return plainFetch(...given).finally(() => { window.underWay -= 1; });
};
"""
_SHOW = """
(path) => new Promise((resolve) => {
  const started = performance.now();
  let complete = null;
  let quiet = 0;
  const look = () => {
    const heading = document.querySelector(".page h1");
    const settled = window.underWay === 0 && heading && !document.querySelector(".waiting");
    quiet = settled ? quiet + 1 : 0;
    if (quiet === 1) complete = performance.now() - started;
    // An answer may lead to the next question: it is complete when nothing follows for some frames.
    if (quiet > 4) resolve(complete);
    else requestAnimationFrame(look);
  };
  location.hash = `#/${path}`;
  requestAnimationFrame(() => requestAnimationFrame(look));
})
"""


def ask(server: InspectServer, name: str, inputs: dict[str, Any]) -> int:
    """Ask as the page does; return the size of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=120)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {_TOKEN}"}
    connection.request("POST", f"/inspect/api/{name}", json.dumps(inputs), headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status != 200:
        raise SystemExit(f"{name}: {body.decode()[:300]}")
    return len(body)


def measure(server: InspectServer) -> dict[str, dict[str, float]]:
    """Of every view the first and the usual time over HTTP, CPU time of the server, and bytes."""
    rows = {}
    with ThreadPoolExecutor(6) as pool:  # as many connections as a browser opens
        for name, view in VIEWS.items():

            def load(view: View = view) -> int:
                return sum(pool.map(lambda question: ask(server, *question), view.questions))

            first, _, size = _timed(load)
            warm = [_timed(load) for _ in range(_RUNS)]
            rows[name] = {
                "first_ms": round(first, 1),
                "ms": round(statistics.median(elapsed for elapsed, _, _ in warm), 1),
                "cpu_ms": round(statistics.median(cpu for _, cpu, _ in warm), 1),
                "kb": round(size / 1024, 1),
            }
    return rows


def _timed(load: Callable[[], int]) -> tuple[float, float, int]:
    started, cpu = time.perf_counter(), time.process_time()
    size = load()
    return (time.perf_counter() - started) * 1000, (time.process_time() - cpu) * 1000, size


def browse(server: InspectServer) -> dict[str, Any] | None:
    """First paint without a cache, and every view until it is complete; None without a browser."""
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
        views = _browse_views(browser, server)
        browser.close()
    return {
        "first_paint_ms": round(statistics.median(paints)),
        "home_ms": round(statistics.median(complete)),
        "views": views,
    }


def _browse_views(browser: Any, server: InspectServer) -> dict[str, dict[str, float]]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(_COUNT_REQUESTS)
    page.goto(f"{server.url}#key={_TOKEN}")
    page.wait_for_selector(".figures b")
    views = {}
    for name, view in VIEWS.items():
        if view.path is None:
            continue
        rounds = []
        for _ in range(_LOOKS):
            page.evaluate(_SHOW, "upkeep?tab=money")
            cpu = time.process_time()
            elapsed = page.evaluate(_SHOW, view.path)
            rounds.append((elapsed, (time.process_time() - cpu) * 1000))
        views[name] = {
            "ms": round(statistics.median(elapsed for elapsed, _ in rounds)),
            "fastest_ms": round(min(elapsed for elapsed, _ in rounds)),
            "cpu_ms": round(statistics.median(cpu for _, cpu in rounds)),
        }
    context.close()
    return views


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, default=Path("/tmp/inspect-bench"))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    path = arguments.keep / f"{arguments.frames}.mind"
    if not path.exists():
        fill(path, arguments.frames)
    with Memory.open(path, read_only=True, embedder="hash") as memory:
        server = InspectServer(Inspector(memory), KeyRing(None, token=_TOKEN), port=0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        views = measure(server)
        browser = browse(server)
        server.shutdown()
    print("\n".join(view_rows(views, browser)))
    if browser is None:
        print("No browser: first paint was not measured.")
    else:
        print(f"First paint {browser['first_paint_ms']} ms, home complete {browser['home_ms']} ms.")
    if arguments.json:
        record = {"machine": describe(), "views": views, "browser": browser}
        keep(arguments.json, "sizes", {str(arguments.frames): record})


if __name__ == "__main__":
    main()
