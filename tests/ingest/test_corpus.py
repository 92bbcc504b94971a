"""Real files, of the installed packages: interrupted at random and resumed, the store is the same."""

from __future__ import annotations

import random
import shutil
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import FrozenClock, IngestReport, Memory
from longmind.ingest.folder import Entry, walk
from tests.conftest import ENGINES, START
from tests.ingest.test_pipeline import state

FILES = 24


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    packages = Path(sysconfig.get_paths()["purelib"])
    found = [
        entry
        for entry in walk(packages, exclude=["__pycache__/"])
        if isinstance(entry, Entry) and 200 < entry.size < 12_000
    ]
    for entry in random.Random(5).sample(found, min(FILES, len(found))):
        target = folder / entry.relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(entry.path, target)
    return folder


@pytest.fixture(scope="module")
def undisturbed(corpus: Path) -> tuple[IngestReport, object]:
    with Memory.open(":memory:", embedder="hash:32", clock=FrozenClock(START)) as memory:
        return memory.ingest(corpus), state(memory)


@pytest.mark.parametrize("engine", ENGINES)
def test_interrupted_at_random_and_resumed_the_store_equals_an_uninterrupted_one(
    corpus: Path,
    undisturbed: tuple[IngestReport, object],
    new_location: Callable[[str], str],
    engine: str,
) -> None:
    rng = random.Random(engine)
    location = new_location(engine)
    stops = 0
    for _ in range(4):
        left = iter(range(rng.randint(2, 20)))
        with Memory.open(location, embedder="hash:32", clock=FrozenClock(START)) as memory:
            stops += memory.ingest(corpus, cancelled=lambda left=left: next(left, None) is None).cancelled
            assert memory.verify()
    assert stops
    with Memory.open(location, embedder="hash:32", clock=FrozenClock(START)) as memory:
        last = memory.ingest(corpus)
        expected, whole = undisturbed
        assert state(memory) == whole
        assert last.ids == expected.ids
        assert last.skipped == expected.skipped
        revision = memory.revision
        again = memory.ingest(corpus)
        assert (again.created, again.embedded, again.unchanged) == (0, 0, len(expected.ids))
        assert memory.revision == revision
        assert memory.verify(deep=True)
