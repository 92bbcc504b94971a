"""Every test of a store runs on both engines: a real file, and a real PostgreSQL server."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from longmind import FrozenClock, Memory
from tests.ready_stores import START, ReadyStores

# Programs started in the background ignore Ctrl-C, and so would those they start: the tests want it heard.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No command or hook of a test leaves a process behind, except where that is tested.
os.environ["LONGMIND_HELPER"] = "off"

ENGINES = ("sqlite", "postgresql")
_numbers = itertools.count(1)

# The same examples everywhere, and no verdict by the clock of a busy machine.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A server of our own on a temporary data folder, stopped and removed at the end."""
    from tests.faults.servers import Server

    # No test takes the machine's power away, so the disk is spared. Frequent checkpoints remove the files of
    # dropped stores during the run: a store has some 280 of them, and hundreds of thousands at the end took
    # longer to remove than the tests to run.
    with Server(synchronous_commit="off", full_page_writes="off", checkpoint_timeout="30s") as server:
        yield server.url()


@pytest.fixture
def new_location(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], str]]:
    """Makes the address of a store that does not exist yet, on the engine named."""
    stores: list[str] = []

    def make(engine: str) -> str:
        name = f"t{os.getpid()}_{next(_numbers)}"
        if engine == "sqlite":
            return str(tmp_path / f"{name}.mind")
        url: str = request.getfixturevalue("postgres_url")
        stores.append(name)
        return f"{url}&store={name}"

    yield make
    if stores:
        _drop(request.getfixturevalue("postgres_url"), stores)


def _drop(url: str, stores: list[str]) -> None:
    """Drop these stores, except those that a connection of the test still uses."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET lock_timeout = '1s'; SET client_min_messages = 'warning'")
        for store in stores:
            with suppress(psycopg.errors.LockNotAvailable):
                connection.execute(f'DROP SCHEMA IF EXISTS "{store}" CASCADE')


@pytest.fixture(scope="session")
def ready_stores(postgres_url: str) -> Iterator[ReadyStores]:
    stores = ReadyStores(postgres_url)
    yield stores
    stores.close()


@pytest.fixture(params=ENGINES)
def location(request: pytest.FixtureRequest, new_location: Callable[[str], str]) -> Iterator[str]:
    """The address of an empty store; the test runs once per engine.

    A file does not exist yet. On PostgreSQL the store is there already, which spares its creation; tests that
    create a store themselves are marked `new_store`.
    """
    if request.param == "sqlite" or request.node.get_closest_marker("new_store"):
        yield new_location(request.param)
        return
    stores: ReadyStores = request.getfixturevalue("ready_stores")
    name = stores.take()
    yield f"{request.getfixturevalue('postgres_url')}&store={name}"
    stores.give_back(name)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, clock=clock) as opened:
        yield opened


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Public data beside the project; tests that want it are skipped where it is missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data sets are not beside the project")
    return folder
