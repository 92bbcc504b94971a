"""Addresses for stores with vectors; many of them need a pgvector that this machine can run."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.conftest import ENGINES

_PROBE = "SELECT '[1,2,3]'::public.vector <=> '[3,2,1]'::public.vector"
_RESTART_SECONDS = 60
_STEADY_ANSWERS = 5


@pytest.fixture(scope="session")
def working_pgvector(postgres_url: str) -> str:
    """The server, if its pgvector works: some builds of it hold instructions that some processors lack."""
    import psycopg

    try:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            connection.execute(_PROBE)
    except psycopg.OperationalError:
        _wait_for(postgres_url)
        pytest.skip("this build of pgvector cannot run here: it takes the server down with it")
    return postgres_url


def _wait_for(url: str) -> None:
    """Until it answers again and again: right after the fall it may still answer once."""
    import psycopg

    deadline = time.monotonic() + _RESTART_SECONDS
    answers = 0
    while answers < _STEADY_ANSWERS:
        time.sleep(0.2)
        try:
            with psycopg.connect(url, connect_timeout=5) as connection:
                connection.execute("SELECT 1")
            answers += 1
        except psycopg.OperationalError:
            answers = 0
            if time.monotonic() > deadline:
                raise


@pytest.fixture(params=ENGINES)
def vector_location(request: pytest.FixtureRequest, new_location: Callable[[str], str]) -> str:
    """The address of a new store that will hold some vectors; the test runs once per engine."""
    return new_location(request.param)


@pytest.fixture(params=ENGINES)
def many_location(request: pytest.FixtureRequest, new_location: Callable[[str], str]) -> str:
    """The address of a new store that will hold so many vectors that the server searches them."""
    if request.param == "postgresql":
        request.getfixturevalue("working_pgvector")
    return new_location(request.param)


@pytest.fixture(scope="session")
def model_is_installed() -> None:
    """For the tests that want the real model."""
    from longmind.embed.models import default_cache, installed

    if not any(model.name == "minilm" for model in installed(default_cache())):
        pytest.skip("the model is not installed: run `longmind models install`")
