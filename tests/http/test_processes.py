"""Several processes behind one address: together they are one server."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from longmind import Memory
from longmind.access.buckets import Buckets
from longmind.access.guard import Limits
from longmind.access.shared_buckets import SharedBuckets
from longmind.http.lanes import Lanes, QueueFull
from longmind.operations import registry
from tests.access.conftest import Client, make_key
from tests.http.test_server import Server, served

pytest.importorskip("prometheus_client")
linux_only = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")


def children(pid: int) -> set[int]:
    """The server processes, without the tracker of resources that multiprocessing starts."""
    pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(one) for one in pids if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()}


def value(page: str, series: str) -> float:
    return sum(float(line.rsplit(" ", 1)[1]) for line in page.splitlines() if line.startswith(series))


def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@linux_only
def test_two_processes_are_one_server_and_one_that_dies_is_replaced(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    owner = make_key(keys, "owner", spaces=["*"], role="admin", any_user=True)
    slow = make_key(keys, "slow", spaces=["default"], rate=5)
    acknowledged: list[str] = []
    with served(tmp_path / "s.mind", "--processes", "2", "--keys", str(keys)) as server:
        ask = _with_key(server, owner)
        before = children(server.process.pid)
        assert len(before) == 2

        def write(worker: int, count: int) -> None:
            for number in range(count):
                text = f"note {number} of {worker}, wave {len(before)}"
                try:
                    if ask("/v1/remember", {"text": text})[0] == 200:
                        acknowledged.append(text)
                except (OSError, ValueError):
                    continue  # the process that had this request was killed

        _in_threads([lambda number=number: write(number, 12) for number in range(4)])
        page = str(ask("/metrics", method="GET")[1])
        assert value(page, "longmind_processes") == 2
        assert value(page, 'longmind_requests_total{route="/v1/remember",status="200"}') == 48

        # The limit of a key is that of all processes together.
        client = Client(server.port, slow)
        statuses = [client("/v1/search", {"query": "note"})[0] for _ in range(8)]
        assert statuses == [200] * 5 + [429] * 3

        threads = [threading.Thread(target=write, args=(number + 10, 30)) for number in range(4)]
        for thread in threads:
            thread.start()
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        for thread in threads:
            thread.join()
        until(lambda: len(children(server.process.pid)) == 2, "no other process was started")
        until(
            lambda: value(str(ask("/metrics", method="GET")[1]), "longmind_processes") == 2,
            "the new process does not answer",
        )
        assert victim not in children(server.process.pid)
        page = str(ask("/metrics", method="GET")[1])
        # What the dead process had counted is still counted, what it had in progress is not.
        assert value(page, 'longmind_requests_total{route="/v1/remember",status="200"}') >= 48
        assert value(page, "longmind_requests_running") == 1
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=60) == 0
    with Memory.open(tmp_path / "s.mind", create=False) as memory:
        assert set(acknowledged) <= {frame.text for frame in memory.timeline(limit=10_000)}
        assert memory.verify(deep=True)
    assert {path.name for path in tmp_path.iterdir()} == {"s.mind", "keys.json", "keys.json.used"} | {
        path.name for path in tmp_path.glob("*.lock")
    }


@linux_only
def test_the_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    with served(tmp_path / "s.mind", "--processes", "2") as server:
        workers = children(server.process.pid)
        server.process.kill()
        server.process.wait()
        until(lambda: not any(Path(f"/proc/{pid}/stat").exists() for pid in workers), "left behind")
        assert len(workers) >= 2


def test_buckets_in_a_file_are_the_same_for_every_process_that_opens_it(tmp_path: Path) -> None:
    now = [0.0]
    first, second = (SharedBuckets(tmp_path / "rates", lambda: now[0]) for _ in range(2))
    alone = Buckets(lambda: now[0])
    for step in range(40):
        now[0] += 1.7 * (step % 5)
        key, rate = ("a", 4) if step % 3 else ("b", 60 if step > 20 else 7)
        assert (first, second)[step % 2].take(key, rate) == alone.take(key, rate)
    first.close()
    second.close()


def test_a_queue_of_writes_that_is_full_refuses_writes_and_not_reads() -> None:
    read, write = registry.find("search"), registry.find("remember")
    lanes = Lanes(Limits(workers=1, queue=2))
    release = threading.Event()
    outcomes: list[str] = []

    async def put(operation: object, work: Callable[[], object], name: str) -> None:
        try:
            await lanes.run(operation, work, body_bytes=0)  # type: ignore[arg-type]
            outcomes.append(f"{name} done")
        except QueueFull as refused:
            outcomes.append(f"{name} refused, {refused.seconds} s, {refused.hint}")

    async def scenario() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(put, write, release.wait, "write")
            await anyio.wait_all_tasks_blocked()
            await put(write, release.wait, "write")
            await put(read, lambda: None, "read")
            release.set()

    anyio.run(scenario)
    refused = "write refused, 1 s, Try again in a second."
    assert outcomes == [refused, "read done", "write done", "write done", "write done"]


def _with_key(server: Server, key: str) -> Callable[..., tuple[int, object]]:
    def ask(path: str, body: object = None, *, method: str = "POST") -> tuple[int, object]:
        return server(path, body, method=method, headers={"Authorization": f"Bearer {key}"})

    return ask


def _in_threads(calls: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
