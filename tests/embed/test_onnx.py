from __future__ import annotations

import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind.base.errors import Corrupt, InvalidInput, Unavailable, Unsupported
from longmind.embed.onnx import OnnxEmbedder
from longmind.embed.protocol import Embedder, Encoding
from tests.embed.conftest import POSITIONS, WIDTH, tiny_weights
from tests.embed.test_convert import reference_states

texts = st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("ana moved lisbon "), max_size=80)


@pytest.fixture
def folder(export: Path, tmp_path: Path) -> Path:
    """A copy of the export to change."""
    return Path(shutil.copytree(export, tmp_path / "model"))


def bits(encoding: Encoding) -> bytes:
    tokens = encoding.tokens
    parts = (
        [encoding.vectors] if tokens is None else [encoding.vectors, tokens.ids, tokens.spans, tokens.states]
    )
    return b"".join(part.tobytes() for part in parts)


def test_vectors_and_states_are_those_of_the_model(export: Path) -> None:
    embedder = OnnxEmbedder(export)
    [encoding] = embedder.encode(["Ana moved!"], tokens=True)
    states = reference_states(tiny_weights(), [2, 4, 5, encoding.tokens.ids[2], 3])
    mean = states.mean(axis=0)
    assert np.allclose(encoding.vectors[0], mean / np.linalg.norm(mean), atol=1e-4)
    assert np.allclose(encoding.tokens.states, states[1:-1], atol=1e-4)
    assert encoding.tokens.spans.tolist() == [[0, 3], [4, 9], [9, 10]]
    assert isinstance(embedder, Embedder)
    assert embedder.supports_tokens


def test_a_folder_can_ask_for_the_first_state_instead_of_the_mean(folder: Path) -> None:
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True})
    )
    [encoding] = OnnxEmbedder(folder).encode(["ana"])
    first = reference_states(tiny_weights(), [2, 4, 3])[0]
    assert np.allclose(encoding.vectors[0], first / np.linalg.norm(first), atol=1e-4)


def test_a_folder_says_how_questions_and_texts_begin(folder: Path) -> None:
    plain = OnnxEmbedder(folder)
    said = {"prompts": {"query": "lisbon ", "passage": "moved "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(said))
    embedder = OnnxEmbedder(folder)
    [text] = embedder.encode(["ana"], tokens=True)
    [question] = embedder.encode_queries(["ana"], tokens=True)
    [begun, asked] = plain.encode(["moved ana", "lisbon ana"])
    assert np.array_equal(text.vectors, begun.vectors)
    assert np.array_equal(question.vectors, asked.vectors)
    assert text.tokens is not None
    assert text.tokens.spans.tolist() == [[0, 3]]
    assert embedder.identity != plain.identity


def test_the_identity_changes_with_weights_tokenizer_and_pooling(folder: Path) -> None:
    def identity() -> str:
        return OnnxEmbedder(folder).identity.text()

    first = identity()
    assert first.startswith(f"onnx/model/{WIDTH}/")
    assert identity() == first
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    second = identity()
    graph = onnx.load(folder / "onnx" / "model.onnx")
    graph.producer_name = "another export"
    onnx.save(graph, folder / "onnx" / "model.onnx")
    assert len({first, second, identity()}) == 3


def test_a_long_text_is_cut_into_windows_and_every_piece_appears_once(export: Path) -> None:
    words = ["ana", "lisbon", "moved"] * 40
    embedder = OnnxEmbedder(export)
    [encoding] = embedder.encode([" ".join(words)], tokens=True)
    assert len(encoding.vectors) > 1
    assert len(encoding.tokens.ids) == 160
    begins = encoding.tokens.spans[:, 0]
    assert (np.diff(begins) > 0).all()
    assert len(encoding.tokens.states) == 160
    whole = embedder.encode([" ".join(words[:5])], tokens=True)[0]
    assert len(whole.vectors) == 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(texts, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_an_encoding_is_bit_identical_whatever_batch_order_and_threads(export: Path, batch, random) -> None:
    one, three = OnnxEmbedder(export, threads=1), OnnxEmbedder(export, threads=3)
    expected = {text: bits(one.encode([text, text], tokens=True)[0]) for text in batch}
    shuffled = random.sample(batch, len(batch))
    for embedder in (one, three):
        assert [bits(e) for e in embedder.encode(shuffled, tokens=True)] == [
            expected[text] for text in shuffled
        ]
        vectors = embedder.encode(shuffled)
        assert all(
            expected[t].startswith(e.vectors.tobytes()) for t, e in zip(shuffled, vectors, strict=True)
        )
    three.close()


def test_many_threads_may_share_one_embedder(export: Path) -> None:
    embedder = OnnxEmbedder(export, threads=2)
    batches = [[f"ana moved {number} {other}" for other in range(8)] for number in range(16)]
    expected = [[bits(e) for e in OnnxEmbedder(export).encode(batch)] for batch in batches]
    start = threading.Barrier(4)

    def work(_: int) -> list[list[bytes]]:
        start.wait(timeout=30)
        return [[bits(e) for e in embedder.encode(batch)] for batch in batches]

    with ThreadPoolExecutor(4) as pool:
        assert all(result == expected for result in pool.map(work, range(4)))


def test_markers_of_the_model_in_a_text_are_text(export: Path) -> None:
    [encoding] = OnnxEmbedder(export).encode(["a [SEP] b"], tokens=True)
    assert 3 not in encoding.tokens.ids.tolist()


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "🎉" * 50, "x" * 5000])
def test_any_text_has_a_finite_unit_vector(export: Path, text: str) -> None:
    [encoding] = OnnxEmbedder(export).encode([text], tokens=True)
    assert np.isclose(np.linalg.norm(encoding.vectors, axis=1), 1).all()
    assert len(encoding.tokens.states) == len(encoding.tokens.ids)


def test_no_texts_give_no_encodings(export: Path) -> None:
    assert OnnxEmbedder(export).encode([]) == []


def test_results_cannot_be_changed_by_a_caller(export: Path) -> None:
    embedder = OnnxEmbedder(export)
    [encoding] = embedder.encode(["ana"], tokens=True)
    with pytest.raises(ValueError, match="read-only"):
        encoding.vectors[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        encoding.tokens.states[0, 0] = 1


def test_a_graph_that_pools_itself_is_asked_for_its_vector_only(folder: Path) -> None:
    graph = onnx.load(folder / "onnx" / "model.onnx")
    states = graph.graph.output.pop()
    graph.graph.output.append(onnx.helper.make_tensor_value_info("sentence_embedding", 1, ["texts", "open"]))
    assert states.name == "last_hidden_state"
    onnx.save(graph, folder / "onnx" / "model.onnx")
    embedder = OnnxEmbedder(folder)
    assert not embedder.supports_tokens
    assert embedder.identity.dimensions == WIDTH
    [encoding] = embedder.encode(["ana moved"], tokens=True)
    assert encoding.tokens is None


def test_windows_follow_the_folder_and_have_a_default(folder: Path) -> None:
    text = ["ana " * 40]
    assert len(OnnxEmbedder(folder).encode(text)[0].vectors) == 3
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": POSITIONS}))
    assert len(OnnxEmbedder(folder).encode(text)[0].vectors) == 1


@pytest.mark.parametrize("missing", ["onnx/model.onnx", "tokenizer.json"])
def test_a_folder_without_the_files_is_unavailable(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(Unavailable, match=Path(missing).name):
        OnnxEmbedder(folder)


@pytest.mark.parametrize("broken", ["onnx/model.onnx", "tokenizer.json", "sentence_bert_config.json"])
def test_broken_files_are_corrupt(folder: Path, broken: str) -> None:
    (folder / broken).write_bytes(b"\x00 not this")
    with pytest.raises(Corrupt):
        OnnxEmbedder(folder).encode(["ana"])


def test_pooling_that_only_the_graph_could_do_is_unsupported(folder: Path) -> None:
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(Unsupported, match="sentence_embedding"):
        OnnxEmbedder(folder).encode(["ana"])


def test_a_closed_embedder_says_so(export: Path) -> None:
    embedder = OnnxEmbedder(export)
    embedder.encode(["ana", "moved"])
    embedder.close()
    embedder.close()
    with pytest.raises(Unavailable, match="closed"):
        embedder.encode(["ana"])


def test_a_single_string_and_no_threads_are_refused(export: Path) -> None:
    with pytest.raises(InvalidInput):
        OnnxEmbedder(export).encode("ana")
    with pytest.raises(InvalidInput):
        OnnxEmbedder(export, threads=0)
