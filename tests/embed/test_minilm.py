from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.errors import Unavailable
from longmind.embed.onnx import MiniLM
from longmind.embed.protocol import Embedder
from tests.embed.test_onnx import bits

TEXTS = [
    "Ana moved from Porto to Lisbon in May.",
    "ERR_CONN_42",
    "",
    "Zoë mag 東京 🎉 und naïve Cafés",
    "The deployment failed because the certificate had expired. " * 12,
    "one two three four five six seven eight nine ten " * 30,
]


@pytest.fixture(scope="module")
def minilm(model_cache: Path) -> Iterator[MiniLM]:
    embedder = MiniLM(cache=model_cache)
    yield embedder
    embedder.close()


def test_it_is_an_embedder_with_a_pinned_identity(minilm: MiniLM) -> None:
    assert isinstance(minilm, Embedder)
    assert minilm.identity.text() == "minilm/all-MiniLM-L6-v2/384/53aa51172d14-1"


def test_windows_tokens_and_spans_have_their_promised_shapes(minilm: MiniLM) -> None:
    for text, encoding in zip(TEXTS, minilm.encode(TEXTS, tokens=True), strict=True):
        assert encoding.vectors.dtype == encoding.tokens.states.dtype == np.float32
        assert encoding.tokens.ids.dtype == encoding.tokens.spans.dtype == np.int32
        assert np.allclose(np.linalg.norm(encoding.vectors, axis=1), 1, atol=1e-6)
        count = len(encoding.tokens.ids)
        assert encoding.tokens.spans.shape == (count, 2)
        assert encoding.tokens.states.shape == (count, 384)
        assert len(encoding.vectors) == (1 if count <= 254 else -(-(count - 32) // 222))
        data = text.encode()
        assert all(data[begin:end].decode().strip() for begin, end in encoding.tokens.spans.tolist())


def test_spans_are_bytes_of_the_words(minilm: MiniLM) -> None:
    [encoding] = minilm.encode(["Zoë 東京"], tokens=True)
    data = "Zoë 東京".encode()
    assert [data[b:e].decode() for b, e in encoding.tokens.spans.tolist()] == ["Zoë", "東", "京"]


@settings(max_examples=8, deadline=None)
@given(st.permutations(TEXTS), st.integers(1, 4), st.integers(1, len(TEXTS)))
def test_an_encoding_is_bit_identical_whatever_batch_order_and_threads(
    minilm: MiniLM, model_cache: Path, order: list[str], threads: int, size: int
) -> None:
    expected = dict(zip(TEXTS, map(bits, minilm.encode(TEXTS, tokens=True)), strict=True))
    embedder = MiniLM(cache=model_cache, threads=threads)
    batch = order[:size]
    assert [bits(e) for e in embedder.encode(batch, tokens=True)] == [expected[text] for text in batch]
    alone = embedder.encode(batch[:1])[0]
    assert expected[batch[0]].startswith(alone.vectors.tobytes())
    embedder.close()


def test_another_process_computes_the_same_bits(minilm: MiniLM, model_cache: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from longmind.embed.onnx import MiniLM;"
        "embedder = MiniLM(cache=Path(sys.argv[1]), threads=1);"
        "print(embedder.encode([sys.argv[2]])[0].vectors.tobytes().hex())"
    )
    command = [sys.executable, "-c", code, str(model_cache), TEXTS[0]]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert output == minilm.encode([TEXTS[0]])[0].vectors.tobytes().hex()


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Where does Ana live?", "Ana moved to Lisbon in May.", "The bread is in the oven."),
        ("How do I sort a list?", "def order(items): return sorted(items)", "The cat sleeps on the sofa."),
        ("A man is eating food.", "A man is having a meal.", "A man is riding a horse."),
        ("How warm was it?", "The temperature reached thirty degrees.", "We had pasta for lunch."),
        ("pets at home", "My dog and my two cats share one basket.", "The invoice is due on Friday."),
    ],
)
def test_what_means_the_same_is_nearer(minilm: MiniLM, question: str, near: str, far: str) -> None:
    q, n, f = (encoding.vectors[0] for encoding in minilm.encode([question, near, far]))
    assert q @ n > q @ f + 0.15


def test_published_similarities_hold(minilm: MiniLM) -> None:
    a, b = minilm.encode(["This is an example sentence", "Each sentence is converted"])
    # 0.405 with the published weights in float32.
    assert abs(float(a.vectors[0] @ b.vectors[0]) - 0.405) < 0.04


def test_without_an_installed_model_it_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="longmind models install"):
        MiniLM(cache=tmp_path)


def test_the_runtime_of_the_model_keeps_no_identity_of_the_machine(model_cache: Path, tmp_path: Path) -> None:
    """onnxruntime writes an id of the device below the home folder when its telemetry is on."""
    script = (
        "import os, longmind\n"
        "assert os.environ['ORT_DISABLE_TELEMETRY'] == '1'\n"
        "with longmind.Memory.open(':memory:', embedder='minilm') as memory:\n"
        "    memory.remember('Ana lives in Porto.')\n"
        "    assert memory.search('Where is her home?')\n"
    )
    kept = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    environment = {**kept, "HOME": str(tmp_path), "LONGMIND_CACHE": str(model_cache)}
    environment.pop("XDG_CACHE_HOME", None)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []
