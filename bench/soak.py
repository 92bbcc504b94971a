"""An hour of mixed use in one process, on both engines: memory and open files must stay flat.

Writes, searches, recalls, facts, forgetting and upkeep from several threads, in parts of some minutes. A part
that ended is written down in `--keep`, so that a run that was stopped goes on with the next. Without `--long`
each engine gets one short part, to see that it works.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.load import WORDS, resident
from bench.machine import describe
from longmind import ALL, LongmindError, Memory

THREADS = 4
LIVE = 5000
"""Notes that are kept; older ones are erased, so that the store does not grow."""
SAMPLES = 30
GROWTH = 1.15
"""The most memory of the last third, for that of the middle third."""


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def work(memory: Memory, number: int, until: float, counts: Counter[str], problems: list[str]) -> None:
    """One thread's share: of ten calls four write, three search, one recalls, one asks facts, one removes."""
    rng = random.Random(number * 1000 + int(time.time()))
    turn = 0
    while time.monotonic() < until:
        turn += 1
        words = " ".join(rng.choices(WORDS, k=8))
        user = f"user-{rng.randrange(50)}"
        calls: list[tuple[str, Callable[[], Any]]] = [
            *[
                (
                    "remember",
                    lambda w=words, u=user, n=turn: memory.remember(f"note {n} of {number}: {w}", user=u),
                )
            ]
            * 4,
            *[("search", lambda w=words, u=user: memory.search(w[:20], user=u, limit=5))] * 3,
            ("recall", lambda w=words, u=user: memory.recall(w[:20], user=u, budget=300)),
            ("facts", lambda u=user: memory.facts.about("Ana", user=u)),
            ("remove", lambda: trimmed(memory, number)),
        ]
        name, call = calls[turn % len(calls)]
        try:
            call()
            counts[name] += 1
        except LongmindError as error:
            problems.append(f"{name}: {error}")


def trimmed(memory: Memory, number: int) -> None:
    """One thread keeps the store at its size, and does the upkeep."""
    if number == 0 and memory.stats().live > LIVE:
        for frame in memory.timeline(limit=200, newest_first=False, user=ALL):
            memory.erase(frame.id, user=ALL)
        memory.maintain()


def part(location: str, seconds: float) -> dict[str, Any]:
    """Some minutes of use, and what they took."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    samples: list[tuple[float, int]] = []
    with Memory.open(location, embedder="hash") as memory:
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=work, args=(memory, number, until, counts, problems))
            for number in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        while time.monotonic() < until:
            time.sleep(min(seconds / SAMPLES, max(0.0, until - time.monotonic())))
            samples.append((resident(os.getpid()), open_files()))
        for thread in threads:
            thread.join()
        sound = bool(memory.verify(deep=True))
    third = max(1, len(samples) // 3)
    middle, last = samples[third : 2 * third] or samples, samples[-third:]
    return {
        "seconds": seconds,
        "calls": dict(counts),
        "problems": problems[:5],
        "megabytes": [max(item[0] for item in middle), max(item[0] for item in last)],
        "files": [max(item[1] for item in middle), max(item[1] for item in last)],
        "sound": sound,
    }


def is_flat(result: dict[str, Any]) -> bool:
    before, after = result["megabytes"]
    return bool(
        result["sound"]
        and not result["problems"]
        and after <= GROWTH * before
        and result["files"][1] <= result["files"][0] + 4
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench soak", description=__doc__)
    parser.add_argument(
        "--long", action="store_true", help="an hour: six parts of five minutes on each engine"
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="of a part")
    parser.add_argument("--parts", type=int, default=1, help="for each engine")
    parser.add_argument("--engines", default="sqlite,postgresql")
    parser.add_argument(
        "--keep", type=Path, default=Path("/tmp/longmind-soak"), help="stores and finished parts"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    seconds, parts = (300.0, 6) if options.long else (options.seconds, options.parts)
    options.keep.mkdir(parents=True, exist_ok=True)
    done_file = options.keep / f"parts-{seconds:.0f}.json"
    done: dict[str, Any] = json.loads(done_file.read_text()) if done_file.exists() else {}
    for engine in options.engines.split(","):
        wanted = [f"{engine} {number}" for number in range(1, parts + 1) if f"{engine} {number}" not in done]
        if not wanted:
            continue
        with Location(engine, options.keep) as location:
            for name in wanted:
                done[name] = part(location, seconds)
                done_file.write_text(json.dumps(done, indent=1))
                print(f"{name}: {'flat' if is_flat(done[name]) else 'NOT FLAT'} {done[name]}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps({"machine": describe(), "parts": done}, indent=1) + "\n", "utf-8")
    failed = [name for name, result in done.items() if not is_flat(result)]
    print("flat" if not failed else f"not flat: {', '.join(failed)}")
    done_file.unlink()
    return 1 if failed else 0


class Location:
    """A store of its own: a file in the folder, or a schema of a server that is started for it."""

    def __init__(self, engine: str, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._server: Any = None

    def __enter__(self) -> str:
        if self._engine == "sqlite":
            return str(self._folder / "soak.mind")
        from tests.faults.servers import Server

        self._server = Server(synchronous_commit="off")
        self._server.__enter__()
        return str(self._server.url("soak"))

    def __exit__(self, *error: Any) -> None:
        if self._server is not None:
            self._server.__exit__(*error)


if __name__ == "__main__":
    sys.exit(main())
