from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from longmind.base.errors import Corrupt
from longmind.embed.convert import POOLED, STATES, bert_graph, read_safetensors
from tests.embed.conftest import SHAPE, Published, tiny_weights


def reference_states(weights: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """BERT by its definition, in double precision."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + SHAPE.epsilon)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(SHAPE.layers):
        at = f"encoder.layer.{layer}."
        heads = []
        q, k, v = (dense(x, f"{at}attention.self.{part}") for part in ("query", "key", "value"))
        for part in np.split(np.arange(x.shape[1]), SHAPE.heads):
            scores = q[:, part] @ k[:, part].T / math.sqrt(len(part))
            weight = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(weight / weight.sum(axis=1, keepdims=True) @ v[:, part])
        attended = dense(np.concatenate(heads, axis=1), f"{at}attention.output.dense")
        x = norm(attended + x, f"{at}attention.output.LayerNorm")
        wide = dense(x, f"{at}intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(dense(wide, f"{at}output.dense") + x, f"{at}output.LayerNorm")
    return x


def run(graph: bytes | Path, ids: list[int]) -> tuple[np.ndarray, np.ndarray]:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    pooled, states = session.run([POOLED, STATES], {"input_ids": np.array([ids], dtype=np.int64)})
    return pooled[0], states[0]


@pytest.mark.parametrize("ids", [[2, 3], [2, 4, 5, 6, 7, 3], list(range(2, 60))])
def test_the_graph_computes_what_bert_is_defined_to_compute(ids: list[int]) -> None:
    weights = tiny_weights()
    pooled, states = run(bert_graph(weights, SHAPE, int8=False).to_bytes(), ids)
    expected = reference_states(weights, ids)
    assert np.allclose(states, expected, atol=1e-4)
    assert np.allclose(pooled, expected.mean(axis=0), atol=1e-4)


def test_quantised_states_stay_near_the_exact_ones() -> None:
    weights = tiny_weights()
    _, states = run(bert_graph(weights, SHAPE).to_bytes(), [2, 4, 5, 6, 7, 3])
    expected = reference_states(weights, [2, 4, 5, 6, 7, 3])
    cosines = (
        (states * expected).sum(axis=1) / np.linalg.norm(states, axis=1) / np.linalg.norm(expected, axis=1)
    )
    assert cosines.min() > 0.98


def test_the_same_weights_give_the_same_bytes() -> None:
    graphs = [bert_graph(tiny_weights(), SHAPE).to_bytes() for _ in range(2)]
    assert graphs[0] == graphs[1]


def test_the_int8_graph_is_what_the_quantiser_of_onnxruntime_makes_of_the_float_graph(tmp_path: Path) -> None:
    """Stores that were embedded with a model converted there keep their vectors."""
    onnx = pytest.importorskip("onnx")
    from onnxruntime.quantization import QuantType, quantize_dynamic

    weights = tiny_weights()
    (tmp_path / "float.onnx").write_bytes(bert_graph(weights, SHAPE, int8=False).to_bytes())
    quantize_dynamic(
        tmp_path / "float.onnx",
        tmp_path / "theirs.onnx",
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    ours = bert_graph(weights, SHAPE).to_bytes()
    onnx.checker.check_model(onnx.load_from_string(ours))
    for graph in (onnx.load_from_string(ours), onnx.load(tmp_path / "theirs.onnx")):
        operators = [node.op_type for node in graph.graph.node]
        assert operators.count("QAttention") == SHAPE.layers
        assert operators.count("MatMulInteger") == 3 * SHAPE.layers
    for ids in ([2, 3], [2, 4, 5, 6, 7, 3], list(range(2, 60))):
        for mine, theirs in zip(run(ours, ids), run(tmp_path / "theirs.onnx", ids), strict=True):
            assert np.array_equal(mine, theirs)


def test_converting_needs_no_package_that_longmind_does_not_install() -> None:
    code = (
        "import sys; sys.modules['onnx'] = None; from longmind.embed.convert import bert_graph\n"
        "from tests.embed.conftest import SHAPE, tiny_weights\n"
        "assert bert_graph(tiny_weights(), SHAPE).to_bytes()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_safetensors_are_read_as_they_were_written(published: Published) -> None:
    read = read_safetensors(published.folder / "model.safetensors")
    written = tiny_weights()
    assert read.keys() == written.keys()
    assert all(np.array_equal(read[name], written[name]) for name in written)


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 40, b"\x02\0\0\0\0\0\0\0[]", b'\x0b\0\0\0\0\0\0\0{"a": {"x"}}']
)
def test_a_file_that_is_no_safetensors_is_corrupt(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "weights").write_bytes(content)
    with pytest.raises(Corrupt):
        read_safetensors(tmp_path / "weights")
