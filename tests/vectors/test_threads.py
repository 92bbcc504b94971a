"""Libraries are kept to one thread, and nobody else notices."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import threadpoolctl

from longmind.vectors.threads import few_workers, one_thread

NAME = "RAYON_NUM_THREADS"


def test_the_environment_is_as_it_was_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    with few_workers():
        assert os.environ[NAME] == str(min(2, os.cpu_count() or 1))
    assert NAME not in os.environ
    with pytest.raises(ValueError, match="inside"), few_workers():
        raise ValueError("inside")
    assert NAME not in os.environ


def test_who_says_how_many_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "3")
    with few_workers():
        assert os.environ[NAME] == "3"
    assert os.environ[NAME] == "3"


FOUND = """
import hashlib
import numpy as np
import turbovec
random = np.random.default_rng(5)
once = random.standard_normal((6000, 64), dtype=np.float32)
once /= np.linalg.norm(once, axis=1, keepdims=True)
vectors = np.concatenate([once, once, once[::-1]])  # every cosine three times: ties wherever it is cut
index = turbovec.TurboQuantIndex(dim=64, bit_width=4)
index.calibrate(once[:1024])
index.add(vectors)
index.prepare()
found = hashlib.sha256()
for number in range(60):
    asked = once[number : number + 1] + 0.1 * random.standard_normal((1, 64)).astype(np.float32)
    mask = np.ones(len(vectors), bool) if number % 2 else random.random(len(vectors)) < 0.5
    _, places = index.search(asked / np.linalg.norm(asked), k=127 + number % 3, mask=mask)
    found.update(np.asarray(places, dtype=np.int64).tobytes())
print(found.hexdigest())
"""


def test_several_workers_find_the_same_places_as_one() -> None:
    pytest.importorskip("turbovec", reason="the library of the codes is optional")
    found = {
        subprocess.run(
            [sys.executable, "-c", FOUND],
            env={**os.environ, NAME: number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "2", "3")
    }
    assert len(found) == 1


def threads() -> set[int]:
    return {
        library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"
    }


def test_a_library_that_is_loaded_later_is_kept_to_one_thread_too() -> None:
    with one_thread():
        pass
    pytest.importorskip("cv2", reason="OpenCV brings a second library of products")
    with one_thread():
        assert threads() == {1}


def test_products_run_on_one_thread_until_the_last_leaves() -> None:
    before = threads()
    with one_thread():
        with one_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == before
