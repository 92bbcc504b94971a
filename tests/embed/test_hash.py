from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.embed.hash import HashEmbedder

anything = st.text(alphabet=st.characters(exclude_categories=[]), max_size=200)


@given(anything)
def test_every_text_has_unit_vectors_and_tokens_inside_it(text: str) -> None:
    [encoding] = HashEmbedder(64).encode([text], tokens=True)
    assert encoding.vectors.shape[1] == 64
    assert encoding.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(encoding.vectors, axis=1), 1, atol=1e-6)
    tokens = encoding.tokens
    assert tokens is not None
    assert len(tokens.ids) == len(tokens.spans) == len(tokens.states)
    assert tokens.states.any(axis=1).all() or not len(tokens.states)
    size = len(text.encode("utf-8", "surrogatepass"))
    assert all(0 <= begin < end <= size for begin, end in tokens.spans.tolist())


@given(st.lists(anything, max_size=6))
def test_a_vector_does_not_depend_on_its_batch(texts: list[str]) -> None:
    together = HashEmbedder().encode(texts)
    alone = [HashEmbedder().encode([text])[0] for text in texts]
    assert [e.vectors.tobytes() for e in together] == [e.vectors.tobytes() for e in alone]


def test_shared_words_and_shared_parts_of_words_come_near() -> None:
    embedder = HashEmbedder()
    question, same, similar, other = (
        encoding.vectors[0]
        for encoding in embedder.encode(
            ["Where does Ana live?", "ana does live where", "Ana is living here", "quarterly budget forecast"]
        )
    )
    assert question @ same > 0.99
    assert question @ same > question @ similar > question @ other


def test_words_of_another_script_are_words_too() -> None:
    [encoding] = HashEmbedder().encode(["東京 Zoë"], tokens=True)
    assert encoding.tokens is not None
    assert encoding.tokens.spans.tolist() == [[0, 6], [7, 11]]


def test_a_long_text_has_several_windows_and_each_word_once() -> None:
    text = " ".join(f"word{number}" for number in range(700))
    [encoding] = HashEmbedder().encode([text], tokens=True)
    assert len(encoding.vectors) == 3
    assert encoding.tokens is not None
    assert len(encoding.tokens.ids) == 700


def test_vectors_are_the_same_in_every_process() -> None:
    code = (
        "from longmind.embed.hash import HashEmbedder;"
        "print(HashEmbedder().encode(['Ana moved'])[0].vectors.tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_a_single_string_and_silly_dimensions_are_refused() -> None:
    with pytest.raises(InvalidInput):
        HashEmbedder().encode("text")
    with pytest.raises(InvalidInput):
        HashEmbedder(2)
