"""Libraries are kept to one thread, and nobody else notices."""

from __future__ import annotations

import os

import pytest
import threadpoolctl

from longmind.vectors.threads import one_thread, one_worker

NAME = "RAYON_NUM_THREADS"


def test_the_environment_is_as_it_was_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    with one_worker():
        assert os.environ[NAME] == "1"
    assert NAME not in os.environ
    with pytest.raises(ValueError, match="inside"), one_worker():
        raise ValueError("inside")
    assert NAME not in os.environ


def test_who_says_how_many_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "3")
    with one_worker():
        assert os.environ[NAME] == "3"
    assert os.environ[NAME] == "3"


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
