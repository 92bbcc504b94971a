"""numpy is imported at its first use, once, whichever thread is first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from longmind.base.arrays import load_numpy, np

ROOT = Path(__file__).parents[2]


def run(script: str) -> str:
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    "statement",
    ["import longmind", "from longmind import Memory", "from longmind.base.arrays import Int64Array, np"],
)
def test_importing_does_not_import_numpy(statement: str) -> None:
    assert run(f"import sys; {statement}; print('numpy' in sys.modules)") == "False"


def test_inspecting_does_not_import_numpy() -> None:
    script = "import sys; from longmind.base.arrays import np; hasattr(np, '__wrapped__'); repr(np)"
    assert run(f"{script}; print('numpy' in sys.modules)") == "False"


def test_the_first_name_that_is_used_imports_numpy() -> None:
    script = (
        "import sys; from longmind.base.arrays import np; print(np.arange(3).sum(), 'numpy' in sys.modules)"
    )
    assert run(script) == "3 True"


def test_names_are_those_of_numpy() -> None:
    load_numpy()
    assert np.ndarray is numpy.ndarray
    assert np.random.default_rng is numpy.random.default_rng
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = np.nothing_of_this_name


def test_threads_that_use_it_first_at_once_all_get_the_whole_module() -> None:
    script = """
import threading
from longmind.base.arrays import np
barrier = threading.Barrier(8)
sums = []
def work():
    barrier.wait()
    sums.append(int(np.linalg.norm(np.full(4, 2.0))))
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sums)
"""
    assert run(script) == str([4] * 8)
