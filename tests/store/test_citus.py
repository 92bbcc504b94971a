"""A store on Citus, for real: a coordinator and two workers.

Citus is in no distribution and on no package index. `tests/postgres/build_citus.sh` builds it; with
LONGMIND_TEST_POSTGRES naming the programs of that server, these tests start a cluster of their own.
LONGMIND_CITUS names the coordinator of one that runs already: all but the tests that stop a worker use it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory, Unavailable

psycopg = pytest.importorskip("psycopg")
from tests.faults.servers import BINARIES, Server  # noqa: E402 - it needs psycopg

STORES = tuple(f"citus_test_{number}" for number in range(4))
_SETTINGS = {
    "shared_preload_libraries": "citus",
    "wal_level": "logical",
    "max_prepared_transactions": "200",
    "max_connections": "200",
    "max_wal_senders": "20",
    "listen_addresses": "127.0.0.1",
    "citus.node_conninfo": "sslmode=disable",  # else it looks for certificates in the home of who runs this
}


def _has_citus() -> bool:
    config = BINARIES / "pg_config"
    if not config.exists():
        return False
    folder = subprocess.run([str(config), "--pkglibdir"], capture_output=True, text=True, check=True).stdout
    return (Path(folder.strip()) / "citus.so").exists()


pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not os.environ.get("LONGMIND_CITUS") and not _has_citus(),
        reason="no Citus: LONGMIND_CITUS names no cluster and LONGMIND_TEST_POSTGRES no server that has it",
    ),
]


@dataclass
class Cluster:
    """The coordinator's address, and its workers by port where they are ours."""

    url: str
    workers: dict[int, Server]

    def location(self, store: str) -> str:
        return f"{self.url}{'&' if '?' in self.url else '?'}store={store}"

    def connect(self) -> Any:
        return psycopg.connect(self.url, autocommit=True)

    def node_of(self, store: str) -> int:
        """The port of the worker that holds a store; a store lies on one worker as a whole."""
        with self.connect() as connection:
            rows = connection.execute(
                "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name::text LIKE %s", (f"{store}.%",)
            ).fetchall()
        assert len(rows) == 1, rows
        return int(rows[0][0])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if running := os.environ.get("LONGMIND_CITUS"):
        yield Cluster(running, {})
        return
    with ExitStack() as stack:
        nodes: dict[int, Server] = {}
        for _ in range(3):
            port = _free_port()
            nodes[port] = stack.enter_context(Server(port=str(port), **_SETTINGS))
            _execute(nodes[port].url(port=str(port)), "CREATE EXTENSION citus", "CREATE EXTENSION vector")
        first, *others = nodes
        url = f"postgresql://postgres@127.0.0.1:{first}/postgres"
        _execute(
            url,
            f"SELECT citus_set_coordinator_host('127.0.0.1', {first})",
            *(f"SELECT citus_add_node('127.0.0.1', {port})" for port in others),
            "ALTER SYSTEM SET citus.enable_schema_based_sharding TO on",
            "SELECT pg_reload_conf()",
        )
        yield Cluster(url, {port: nodes[port] for port in others})


@pytest.fixture(autouse=True)
def empty(cluster: Cluster) -> Iterator[None]:
    def drop() -> None:
        _execute(cluster.url, *(f"DROP SCHEMA IF EXISTS {store} CASCADE" for store in STORES))

    drop()
    yield
    drop()


def use(memory: Memory, name: str) -> None:
    """Every sub-memory once."""
    memory.remember(f"Ana of {name} lives in Lisbon.")
    memory.remember_many([f"note {number} of {name} about ships" for number in range(20)])
    memory.facts.record("Ana", "works_at", f"the {name} office")
    memory.conversation("c1").add_turn("user", f"I prefer trains, says {name}.")
    memory.experience.record_many(
        [{"kind": "fact", "text": f"{name} lies on one worker.", "evidence": "none"}]
    )
    memory.space(name.replace("_", "-")).remember_structured({"path": "plan", "raw": f"plan of {name}"})
    assert any(name in hit.frame.text for hit in memory.search(f"Ana {name}"))
    assert memory.recall("Where does Ana live?").total_tokens > 0
    memory.forget(memory.search("ships", limit=1)[0].frame.id)
    memory.erase(memory.search("ships", limit=1)[0].frame.id)
    assert memory.stats().bytes > 2**20
    assert memory.verify(deep=True)
    memory.maintain()


def test_stores_spread_over_both_workers_and_do_everything(cluster: Cluster) -> None:
    for number, store in enumerate(STORES):
        with Memory.open(cluster.location(store), embedder="hash") as memory:
            if number < 2:
                use(memory, store)
    assert len({cluster.node_of(store) for store in STORES}) == 2


def test_a_store_moves_to_the_other_worker_while_it_is_in_use(cluster: Cluster) -> None:
    store = STORES[0]
    with Memory.open(cluster.location(store), embedder="hash") as memory:
        memory.remember("before the move")
        origin = cluster.node_of(store)
        with cluster.connect() as coordinator:
            nodes = coordinator.execute("SELECT node_name, node_port FROM citus_get_active_worker_nodes()")
            target = next((host, port) for host, port in nodes.fetchall() if int(port) != origin)
            moved, written = threading.Event(), []

            def write() -> None:
                while not moved.is_set() or len(written) < 3:
                    written.append(memory.remember(f"note {len(written)} meanwhile").ids[0])

            writer = threading.Thread(target=write)
            writer.start()
            try:
                coordinator.execute("SELECT citus_schema_move(%s, %s, %s, 'block_writes')", (store, *target))
            finally:
                moved.set()
                writer.join()
        assert cluster.node_of(store) == int(target[1])
        assert memory.search("before the move", limit=1)[0].frame.text == "before the move"
        assert memory.stats().frames == len(written) + 1 == len(set(written)) + 1
        assert memory.verify(deep=True)


def test_a_worker_that_is_killed_takes_its_own_stores_down_until_it_is_back(cluster: Cluster) -> None:
    if not cluster.workers:
        pytest.skip("the workers of LONGMIND_CITUS are not ours to stop")
    with ExitStack() as stack:
        stores = {
            store: stack.enter_context(Memory.open(cluster.location(store), embedder="hash"))
            for store in STORES
        }
        for store, memory in stores.items():
            memory.remember(f"before the crash, in {store}")
        doomed = cluster.node_of(STORES[0])
        cluster.workers[doomed].stop("kill")
        try:
            for store, memory in stores.items():
                if cluster.node_of(store) == doomed:
                    with pytest.raises(Unavailable):
                        memory.search("crash")
                    with pytest.raises(Unavailable):
                        memory.remember("not now")
                else:
                    memory.remember("while the other worker is down")
                    assert memory.search("crash", limit=1)[0].frame.text == f"before the crash, in {store}"
        finally:
            cluster.workers[doomed].start()
        for store, memory in stores.items():
            memory.remember("after it")
            assert memory.search("crash", limit=1)[0].frame.text == f"before the crash, in {store}"
            assert memory.verify(deep=True)
