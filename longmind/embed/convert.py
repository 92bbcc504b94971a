"""BERT weights from safetensors to one int8 ONNX graph, without torch."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from longmind.base.arrays import Float32Array, np
from longmind.base.errors import Corrupt
from longmind.base.json_text import parse_json
from longmind.embed.catalogue import BertShape
from longmind.embed.onnx_graph import FLOAT, FUSED, INT64, OnnxGraph

Weights: TypeAlias = Mapping[str, Float32Array]

POOLED = "sentence_embedding"
STATES = "last_hidden_state"

_LARGEST: Final = 64
"""Of an int8 weight. Seven bits each: with eight, the sums of x86 processors without VNNI saturate."""


def read_safetensors(path: Path) -> Weights:
    """The float32 tensors of a safetensors file: eight bytes of header length, JSON header, raw data."""
    data = path.read_bytes()
    try:
        (length,) = struct.unpack_from("<Q", data)
        header = parse_json(data[8 : 8 + length])
        base = 8 + length
        weights = {}
        for name, entry in header.items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            begin, end = entry["data_offsets"]
            values = np.frombuffer(data, dtype="<f4", count=(end - begin) // 4, offset=base + begin)
            weights[name] = values.reshape(entry["shape"])
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Corrupt(
            f"{path.name} is not a safetensors file: {error}.", hint="Download the model again."
        ) from error
    return weights


def bert_graph(weights: Weights, shape: BertShape, *, int8: bool = True) -> OnnxGraph:
    """A mean-pooled BERT with two outputs, POOLED and STATES; its matrices are int8 unless told otherwise.

    Texts of one call have one length, so there is no mask; position ids are a slice, token types zero.
    """
    build = _Builder(int8=int8)
    graph = build.graph
    input_ids = graph.input("input_ids", INT64, ["texts", "pieces"])
    first, second = (graph.constant(f"at_{i}", np.array([i], dtype=np.int64)) for i in (0, 1))
    third = graph.constant("at_2", np.array([2], dtype=np.int64))
    positions = (
        weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    looked_up = build.rows("words", weights["embeddings.word_embeddings.weight"], input_ids, "looked_up")
    size = graph.node("Shape", [input_ids], "size")
    length = graph.node("Slice", [size, second, third, first], "length")
    placed = graph.node("Slice", [graph.constant("positions", positions), first, length, first], "placed")
    state = graph.node(
        "LayerNormalization",
        [
            graph.node("Add", [looked_up, placed], "embedded"),
            graph.constant("embedded.scale", weights["embeddings.LayerNorm.weight"]),
            graph.constant("embedded.bias", weights["embeddings.LayerNorm.bias"]),
        ],
        "state_0",
        axis=-1,
        epsilon=shape.epsilon,
    )
    for layer in range(shape.layers):
        output = STATES if layer == shape.layers - 1 else f"state_{layer + 1}"
        state = _layer(build, weights, shape, layer=layer, state=state, output=output)
    graph.node("ReduceMean", [state], POOLED, axes=[1], keepdims=0)

    width = weights["embeddings.word_embeddings.weight"].shape[1]
    graph.output(POOLED, FLOAT, ["texts", width])
    graph.output(STATES, FLOAT, ["texts", "pieces", width])
    return graph


def _layer(
    build: _Builder, weights: Weights, shape: BertShape, *, layer: int, state: str, output: str
) -> str:
    """Attention, then the feed-forward block, each with its skip connection and normalisation."""
    graph = build.graph

    def named(part: str) -> Float32Array:
        return weights[f"encoder.layer.{layer}.{part}"]

    def constant(part: str) -> str:
        return graph.constant(f"{layer}.{part}", named(part))

    def product(value: str, part: str) -> str:
        return build.product(value, f"{layer}.{part}", named(f"{part}.weight").T)

    def join(value: str, skipped: str, part: str, result: str) -> str:
        inputs = [value, skipped, constant(f"{part}.LayerNorm.weight"), constant(f"{part}.LayerNorm.bias")]
        return graph.node(
            "SkipLayerNormalization",
            [*inputs, constant(f"{part}.dense.bias")],
            result,
            domain=FUSED,
            epsilon=shape.epsilon,
        )

    parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
    attended = build.attention(
        state,
        f"{layer}.attention",
        np.concatenate([named(f"{part}.weight").T for part in parts], axis=1),
        np.concatenate([named(f"{part}.bias") for part in parts]),
        heads=shape.heads,
    )
    mixed = join(product(attended, "attention.output.dense"), state, "attention.output", f"{layer}.mixed")
    widened = graph.node(
        "BiasGelu",
        [product(mixed, "intermediate.dense"), constant("intermediate.dense.bias")],
        f"{layer}.widened",
        domain=FUSED,
    )
    return join(product(widened, "output.dense"), mixed, "output", output)


class _Builder:
    """The steps of a BERT that have a matrix, with float32 or int8 weights.

    Quantised as onnxruntime's `quantize_dynamic` does it, for each column, so that a store keeps its vectors
    whichever of the two made the model.
    """

    def __init__(self, *, int8: bool) -> None:
        self.graph = OnnxGraph("bert")
        self._int8 = int8

    def rows(self, name: str, table: Float32Array, ids: str, output: str) -> str:
        """The rows of a table by their numbers."""
        graph = self.graph
        if not self._int8:
            return graph.node("Gather", [graph.constant(name, table), ids], output)
        lowest, highest = min(table.min(), np.float32(0)), max(table.max(), np.float32(0))
        width = (np.float64(highest) - np.float64(lowest)) / 255
        scale = width.astype(np.float32)
        zero = np.round(-lowest / width)
        values = np.clip((table / scale).round() + zero, 0, 255).astype(np.uint8)
        quantised = graph.node(
            "Gather", [graph.constant(f"{name}_quantized", values), ids], f"{output}_quantized"
        )
        spread = graph.constant(f"{name}_scale", np.array(scale, dtype=np.float32))
        middle = graph.constant(f"{name}_zero_point", np.array(zero, dtype=np.uint8))
        return graph.node("DequantizeLinear", [quantised, spread, middle], output)

    def product(self, value: str, name: str, matrix: Float32Array) -> str:
        graph = self.graph
        if not self._int8:
            return graph.node("MatMul", [value, graph.constant(f"{name}.weight", matrix)], name)
        values, spread, middle = self._quantised_input(value)
        weights, scales, zeros = self._quantised_columns(f"{name}.weight", matrix)
        factor = graph.node("Mul", [spread, scales], f"{name}_factor")
        sums = graph.node("MatMulInteger", [values, weights, middle, zeros], f"{name}_sums")
        return graph.node("Mul", [graph.node("Cast", [sums], f"{name}_cast", to=FLOAT), factor], name)

    def attention(
        self, state: str, name: str, matrix: Float32Array, bias: Float32Array, *, heads: int
    ) -> str:
        graph, output = self.graph, name.removesuffix("attention") + "attended"
        shift = graph.constant(f"{name}.bias", bias)
        if not self._int8:
            inputs = [state, graph.constant(f"{name}.weight", matrix), shift]
            return graph.node("Attention", inputs, output, domain=FUSED, num_heads=heads)
        values, spread, middle = self._quantised_input(state)
        weights, scales, zeros = self._quantised_columns(f"{name}.weight", matrix)
        inputs = [values, weights, shift, spread, scales, "", middle, zeros]  # "" is the mask: none
        return graph.node("QAttention", inputs, output, domain=FUSED, num_heads=heads)

    def _quantised_input(self, value: str) -> tuple[str, str, str]:
        names = (f"{value}_quantized", f"{value}_scale", f"{value}_zero_point")
        self.graph.node("DynamicQuantizeLinear", [value], *names)
        return names

    def _quantised_columns(self, name: str, matrix: Float32Array) -> tuple[str, str, str]:
        largest = np.abs(matrix).max(axis=0)
        scale = (2 * largest.astype(np.float64) / (2 * _LARGEST)).astype(np.float32)
        scale = np.where(scale < np.finfo(np.float32).tiny, np.float32(1), scale)
        values = np.clip((matrix / scale).round(), -128, 127).astype(np.int8)
        return (
            self.graph.constant(f"{name}_quantized", values),
            self.graph.constant(f"{name}_scale", scale),
            self.graph.constant(f"{name}_zero_point", np.zeros(len(scale), dtype=np.int8)),
        )
