"""A cosine and a late score are the same bits under every matrix kernel that can be asked for."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from tests.store.children import ROOT

ARM = ("ARMV8", "CORTEXA57", "NEOVERSEN1", "THUNDERX2T99")
INTEL = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX")
CORES = INTEL if platform.machine() in ("x86_64", "AMD64") else ARM


def printed(**environment: str) -> str | None:
    """What the worker says; None where this processor cannot run the kernels asked for."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.vectors.kernels"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    if done.returncode < 0:  # an instruction that the processor does not have
        return None
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_every_kernel_gives_the_same_bits() -> None:
    expected = printed()
    assert expected is not None
    for threads in ("1", "3"):
        assert printed(OPENBLAS_NUM_THREADS=threads) == expected
    ran = []
    for core in CORES:
        told = printed(OPENBLAS_CORETYPE=core)
        if told is not None:
            assert told == expected, core
            ran.append(core)
    if len(ran) < 2:
        pytest.skip(f"this processor runs no other kernels than {ran}")


def test_numpy_without_its_own_vector_instructions_gives_the_same_bits() -> None:
    import numpy as np

    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])  # type: ignore[index,call-overload]
    if not features:
        pytest.skip("numpy found nothing beyond its baseline here")
    assert printed(NPY_DISABLE_CPU_FEATURES=" ".join(features)) == printed()
