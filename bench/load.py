"""The server under load: many clients mixing reads and writes, then killed in the middle of it."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longmind import Memory

WORDS = ("kettle", "harbour", "invoice", "garden", "deploy", "ticket", "violin", "harvest", "bridge", "lamp")


@dataclass
class Tally:
    """What the clients saw."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@contextmanager
def server(store: Path, processes: int = 1) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "longmind", "serve", "--store", str(store), "--port", str(port)]
    command += ["--processes", str(processes)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        said = process.stderr.readline()  # once every process accepts connections
        assert said.startswith(b"Serving"), said + process.stderr.read()
        yield port, process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()


def ask(connection: http.client.HTTPConnection, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def client(number: int, port: int, until: float, tally: Tally) -> None:
    """One of many: of five requests two write, two search and one recalls."""
    rng = random.Random(number)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    count = 0
    while time.monotonic() < until:
        turn = count % 5
        text = f"client {number} note {count}: {' '.join(rng.choices(WORDS, k=8))}"
        path, body = (
            [
                ("/v1/remember", {"text": text}),
                ("/v1/search", {"query": " ".join(rng.choices(WORDS, k=2)), "limit": 5}),
            ][turn % 2]
            if turn < 4
            else ("/v1/recall", {"query": rng.choice(WORDS), "budget": 400})
        )
        started = time.perf_counter()
        try:
            status, answer = ask(connection, path, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            with tally.lock:
                tally.errors.append(f"{path}: {error!r}")
            return
        spent = time.perf_counter() - started
        with tally.lock:
            if status != 200:
                tally.errors.append(f"{path}: {status} {answer}")
            elif path == "/v1/remember":
                tally.writes.append(spent)
                tally.acknowledged.append(text)
            else:
                tally.reads.append(spent)
        count += 1
    connection.close()


def under_load(port: int, clients: int, seconds: float, *, meanwhile: Any = None) -> Tally:
    tally = Tally()
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=client, args=(number, port, until, tally)) for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    if meanwhile is not None:
        meanwhile(tally, until)
    for thread in threads:
        thread.join()
    return tally


def resident(pid: int) -> float:
    """Megabytes that a process and those it started hold."""
    held = 0.0
    for one in (str(pid), *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        for line in Path(f"/proc/{one}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                held += int(line.split()[1]) / 1000
    return held


def kept(store: Path) -> set[str]:
    with Memory.open(store, create=False, embedder=None) as memory:
        texts: set[str] = set()
        cursor = None
        while True:
            page = memory.list(limit=10_000, cursor=cursor)
            texts |= {frame.text for frame in page.frames}
            cursor = page.cursor
            if cursor is None:
                return texts


def share(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def measured(store: Path, options: argparse.Namespace, processes: int) -> float:
    """Requests a second with so many server processes; what else was seen is printed."""
    weights: list[float] = []

    def weigh(tally: Tally, until: float) -> None:
        while time.monotonic() < until:
            weights.append(resident(process.pid))
            time.sleep(max(0.5, options.seconds / 60))

    with server(store, processes) as (port, process):
        started = time.perf_counter()
        tally = under_load(port, options.clients, options.seconds, meanwhile=weigh)
        spent = time.perf_counter() - started
    lost = set(tally.acknowledged) - kept(store)
    done = len(tally.reads) + len(tally.writes)
    print(
        f"{options.clients} clients, {processes} processes, {spent:.0f} s, {os.cpu_count()} cores "
        f"(load {os.getloadavg()[0]:.1f}), embedder {options.embedder}"
    )
    print(f"  requests       {done:8,}   {done / spent:8.1f} a second")
    for name, times in (("reads", tally.reads), ("writes", tally.writes)):
        half, most = share(times, 0.5), share(times, 0.95)
        print(f"  {name:<14} {len(times):8,}   p50 {half:7.1f} ms   p95 {most:7.1f} ms")
    third = max(1, len(weights) // 3)
    print(f"  errors         {len(tally.errors):8,}   {tally.errors[:1] or ''}")
    print(f"  lost writes    {len(lost):8,}")
    print(
        f"  memory         {max(weights[:third]):8.0f} MB in the first third, "
        f"{max(weights[-third:]):.0f} MB in the last"
    )
    return done / spent


def killed(store: Path, options: argparse.Namespace, processes: int) -> None:
    """The whole server, or one of its processes, killed under load: nothing acknowledged may be lost."""

    def strike(tally: Tally, until: float) -> None:
        time.sleep(min(5.0, options.seconds / 2))
        if processes == 1:
            process.kill()
            return
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(max(map(int, children)), signal.SIGKILL)

    with server(store, processes) as (port, process):
        tally = under_load(port, options.clients, options.seconds, meanwhile=strike)
    lost = set(tally.acknowledged) - kept(store)
    with Memory.open(store, create=False, embedder=None) as memory:
        sound = bool(memory.verify(deep=True))
    what = "killed" if processes == 1 else f"one of {processes} processes killed"
    print(
        f"  {what} under load after {len(tally.acknowledged):,} acknowledged writes: {len(lost)} lost, "
        f"store {'sound' if sound else 'DAMAGED'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--embedder", default="hash", help="what the store is made with; none for none")
    parser.add_argument("--processes", default="1,2", help="numbers of server processes to compare")
    options = parser.parse_args()
    rates: dict[int, float] = {}
    for count in map(int, options.processes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "load.mind"
            embedder = None if options.embedder == "none" else options.embedder
            with Memory.open(store, embedder=embedder) as memory:
                memory.remember_many([f"{word} note {number}" for number in range(500) for word in WORDS])
            rates[count] = measured(store, options, count)
            killed(store, options, count)
    first = min(rates)
    for count, rate in rates.items():
        if count != first:
            print(f"{count} processes: {rate / rates[first]:.2f} times the requests of {first}")


if __name__ == "__main__":
    main()
