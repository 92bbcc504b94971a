"""BERT weights from safetensors to one int8 ONNX graph, without torch."""

from __future__ import annotations

import importlib.util
import logging
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from longmind.base.arrays import AnyArray, Float32Array, np
from longmind.base.errors import Corrupt, MissingExtra
from longmind.base.json_text import parse_json
from longmind.embed.catalogue import BertShape

Weights: TypeAlias = Mapping[str, Float32Array]

POOLED = "sentence_embedding"
STATES = "last_hidden_state"

_FUSED = "com.microsoft"


def require_packages() -> None:
    """Refuse early, before anything large is downloaded, where a conversion could not run."""
    for package in ("numpy", "onnx", "onnxruntime"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(f"Converting a model needs {package}.", extra="models")


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
        raise Corrupt(f"{path.name} is not a safetensors file: {error}.") from error
    return weights


def bert_graph(weights: Weights, shape: BertShape) -> Any:
    """A mean-pooled BERT with two outputs, POOLED and STATES.

    Texts of one call have one length, so there is no mask; position ids are a slice, token types zero.
    """
    from onnx import TensorProto, helper

    build = _Builder()
    first, second = (build.constant(f"at_{i}", np.array([i], dtype=np.int64)) for i in (0, 1))
    third = build.constant("at_2", np.array([2], dtype=np.int64))
    positions = (
        weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    words = build.constant("words", weights["embeddings.word_embeddings.weight"])
    looked_up = build.node("Gather", [words, "input_ids"], "looked_up")
    size = build.node("Shape", ["input_ids"], "size")
    length = build.node("Slice", [size, second, third, first], "length")
    placed = build.node("Slice", [build.constant("positions", positions), first, length, first], "placed")
    state = build.node(
        "LayerNormalization",
        [
            build.node("Add", [looked_up, placed], "embedded"),
            build.constant("embedded.scale", weights["embeddings.LayerNorm.weight"]),
            build.constant("embedded.bias", weights["embeddings.LayerNorm.bias"]),
        ],
        "state_0",
        axis=-1,
        epsilon=shape.epsilon,
    )
    for layer in range(shape.layers):
        output = STATES if layer == shape.layers - 1 else f"state_{layer + 1}"
        state = _layer(build, weights, shape, layer=layer, state=state, output=output)
    build.node("ReduceMean", [state], POOLED, axes=[1], keepdims=0)

    width = weights["embeddings.word_embeddings.weight"].shape[1]
    graph = helper.make_graph(
        build.nodes,
        "bert",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "pieces"])],
        [
            helper.make_tensor_value_info(POOLED, TensorProto.FLOAT, ["texts", width]),
            helper.make_tensor_value_info(STATES, TensorProto.FLOAT, ["texts", "pieces", width]),
        ],
        list(build.constants.values()),
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _layer(
    build: _Builder, weights: Weights, shape: BertShape, *, layer: int, state: str, output: str
) -> str:
    """Attention, then the feed-forward block, each with its skip connection and normalisation."""

    def named(part: str) -> Float32Array:
        return weights[f"encoder.layer.{layer}.{part}"]

    def constant(part: str) -> str:
        return build.constant(f"{layer}.{part}", named(part))

    def product(value: str, part: str) -> str:
        matrix = build.constant(f"{layer}.{part}.weight", named(f"{part}.weight").T)
        return build.node("MatMul", [value, matrix], f"{layer}.{part}")

    def join(value: str, skipped: str, part: str, result: str) -> str:
        inputs = [value, skipped, constant(f"{part}.LayerNorm.weight"), constant(f"{part}.LayerNorm.bias")]
        return build.node(
            "SkipLayerNormalization",
            [*inputs, constant(f"{part}.dense.bias")],
            result,
            domain=_FUSED,
            epsilon=shape.epsilon,
        )

    parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
    matrix = np.concatenate([named(f"{part}.weight").T for part in parts], axis=1)
    bias = np.concatenate([named(f"{part}.bias") for part in parts])
    attended = build.node(
        "Attention",
        [
            state,
            build.constant(f"{layer}.attention.weight", matrix),
            build.constant(f"{layer}.attention.bias", bias),
        ],
        f"{layer}.attended",
        domain=_FUSED,
        num_heads=shape.heads,
    )
    mixed = join(product(attended, "attention.output.dense"), state, "attention.output", f"{layer}.mixed")
    widened = build.node(
        "BiasGelu",
        [product(mixed, "intermediate.dense"), constant("intermediate.dense.bias")],
        f"{layer}.widened",
        domain=_FUSED,
    )
    return join(product(widened, "output.dense"), mixed, "output", output)


class _Builder:
    """Collects nodes and constants; every method returns the name of what it made."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, name: str, values: AnyArray) -> str:
        from onnx import numpy_helper

        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def node(self, kind: str, inputs: Sequence[str], output: str, *, domain: str = "", **options: Any) -> str:
        from onnx import helper

        self.nodes.append(
            helper.make_node(kind, list(inputs), [output], name=f"{kind}/{output}", domain=domain, **options)
        )
        return output


def quantise(graph: Any, target: Path) -> None:
    """Write the graph with int8 weights to `target`; a float32 file beside it comes and goes."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    plain = target.with_suffix(".float32.onnx")
    onnx.save(graph, plain)
    logger = logging.getLogger()
    logger.addFilter(_about_preprocessing)
    try:
        # Seven bits a weight: with eight, the sums of x86 processors without VNNI saturate.
        quantize_dynamic(
            plain,
            target,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )
    finally:
        logger.removeFilter(_about_preprocessing)
        plain.unlink(missing_ok=True)


def _about_preprocessing(record: logging.LogRecord) -> bool:
    """Drop the quantiser's advice to simplify the graph first: this one is fused already."""
    return "pre-processing" not in record.getMessage()
