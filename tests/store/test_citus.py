"""A store on Citus, for real: LONGMIND_CITUS names the coordinator of a cluster with two workers.

Citus is not part of any distribution that the suite could install; docs/scaling.md has the steps, and
tests/postgres/build_citus.sh builds it. Without the variable these tests are skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest

from longmind import Memory

psycopg = pytest.importorskip("psycopg")
COORDINATOR = os.environ.get("LONGMIND_CITUS", "")
STORES = tuple(f"citus_test_{number}" for number in range(4))

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not COORDINATOR, reason="LONGMIND_CITUS names no cluster"),
]


def location(store: str) -> str:
    return f"{COORDINATOR}{'&' if '?' in COORDINATOR else '?'}store={store}"


@pytest.fixture
def coordinator() -> Iterator[object]:
    with psycopg.connect(COORDINATOR, autocommit=True) as connection:
        for store in STORES:
            connection.execute(f"DROP SCHEMA IF EXISTS {store} CASCADE")
        yield connection
        for store in STORES:
            connection.execute(f"DROP SCHEMA IF EXISTS {store} CASCADE")


def use(memory: Memory, name: str) -> None:
    """Every sub-memory once."""
    memory.remember(f"Ana of {name} lives in Lisbon.")
    memory.remember_many([f"note {number} of {name} about ships" for number in range(20)])
    memory.facts.record("Ana", "works_at", f"the {name} office")
    memory.conversation("c1").add_turn("user", f"I prefer trains, says {name}.")
    memory.experience.record_many([{"kind": "decision", "text": f"Keep {name} on one worker."}])
    memory.space(name.replace("_", "-")).remember_structured({"type": "note", "content": f"plan of {name}"})
    assert any(name in hit.frame.text for hit in memory.search(f"Ana {name}"))
    assert memory.recall("Where does Ana live?").total_tokens > 0
    memory.forget(memory.search("ships", limit=1)[0].frame.id)
    memory.erase(memory.search("ships", limit=1)[0].frame.id)
    assert memory.stats().bytes > 2**20
    assert memory.verify(deep=True)
    memory.maintain()


def test_stores_spread_over_the_workers_and_do_everything(coordinator: object) -> None:
    for store in STORES:
        with Memory.open(location(store), embedder="hash") as memory:
            use(memory, store)
    rows = coordinator.execute(  # type: ignore[attr-defined]
        "SELECT schema_name::text, count(DISTINCT nodeport) FROM citus_shards s JOIN citus_schemas c "
        "ON s.table_name::text LIKE c.schema_name::text || '.%%' "
        "WHERE schema_name::text = ANY(%s) GROUP BY 1",
        (list(STORES),),
    ).fetchall()
    assert {name for name, _ in rows} == set(STORES)
    assert all(count == 1 for _, count in rows), "a store lies on one worker as a whole"


def test_a_store_moves_to_another_worker_while_it_is_in_use(coordinator: object) -> None:
    store = STORES[0]
    with Memory.open(location(store), embedder="hash") as memory:
        memory.remember("before the move")
        nodes = coordinator.execute(  # type: ignore[attr-defined]
            "SELECT node_name, node_port FROM citus_get_active_worker_nodes()"
        ).fetchall()
        for host, port in nodes:
            with suppress(psycopg.Error):  # it is there already
                coordinator.execute(  # type: ignore[attr-defined]
                    "SELECT citus_schema_move(%s, %s, %s, 'block_writes')", (store, host, port)
                )
            memory.remember(f"on {host}:{port}")
            assert memory.search("before the move", limit=1)[0].frame.text == "before the move"
        assert memory.verify(deep=True)
