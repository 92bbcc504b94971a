"""An ONNX graph, built node by node and written as a file, without the package `onnx`.

The format is a protocol buffer. A converter needs nine of its messages, and `onnx` weighs more than all that
installing a model needs otherwise.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from longmind.base.arrays import AnyArray, np

FUSED: Final = "com.microsoft"
"""The domain of the operators that onnxruntime has beyond the standard."""
_IR_VERSION: Final = 8
_OPSET: Final = 17

_VARINT: Final = 0
_BYTES: Final = 2
_FIXED32: Final = 5

FLOAT: Final = 1
INT64: Final = 7
_TYPES: Final = {"float32": FLOAT, "uint8": 2, "int8": 3, "int64": INT64}
"""How the element types of numpy are numbered in ONNX."""

Shape = Sequence[int | str]
"""Of an input or output: sizes, and names where the size is known only at a call."""


class OnnxGraph:
    """Collects nodes and constants; every method that adds one returns its name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []

    def input(self, name: str, element: int, shape: Shape) -> str:
        self._inputs.append(_value_info(name, element, shape))
        return name

    def output(self, name: str, element: int, shape: Shape) -> None:
        self._outputs.append(_value_info(name, element, shape))

    def constant(self, name: str, values: AnyArray) -> str:
        if name not in self._constants:
            self._constants[name] = _tensor(name, values)
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        *outputs: str,
        domain: str = "",
        **attributes: int | float | list[int],
    ) -> str:
        """Add an operator; return its first output. Nodes come after those whose outputs they take."""
        fields = [_text(1, name) for name in inputs]
        fields += [_text(2, name) for name in outputs]
        fields += [_text(3, f"{operator}/{outputs[0]}"), _text(4, operator)]
        fields += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join(fields) + (_text(7, domain) if domain else b""))
        return outputs[0]

    def to_bytes(self) -> bytes:
        """The file."""
        graph = b"".join(_field(1, node) for node in self._nodes)
        graph += _text(2, self._name)
        graph += b"".join(_field(5, constant) for constant in self._constants.values())
        graph += b"".join(_field(11, value) for value in self._inputs)
        graph += b"".join(_field(12, value) for value in self._outputs)
        operator_sets = [_text(1, "") + _number(2, _OPSET), _text(1, FUSED) + _number(2, 1)]
        return (
            _number(1, _IR_VERSION)
            + _text(2, "longmind")
            + _field(7, graph)
            + b"".join(_field(8, operator_set) for operator_set in operator_sets)
        )


def _value_info(name: str, element: int, shape: Shape) -> bytes:
    dimensions = [_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape]
    tensor = _number(1, element) + _field(2, b"".join(_field(1, dimension) for dimension in dimensions))
    return _text(1, name) + _field(2, _field(1, tensor))


def _tensor(name: str, values: AnyArray) -> bytes:
    array = np.asarray(values, order="C")
    sizes = b"".join(_number(1, size) for size in array.shape)
    little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
    content = _number(2, _TYPES[array.dtype.name]) + _text(8, name) + _field(9, little_endian.tobytes())
    return sizes + content


def _attribute(name: str, value: int | float | list[int]) -> bytes:
    if isinstance(value, list):
        return _text(1, name) + b"".join(_number(8, item) for item in value) + _number(20, 7)
    if isinstance(value, float):
        return _text(1, name) + _key(2, _FIXED32) + struct.pack("<f", value) + _number(20, 1)
    return _text(1, name) + _number(3, value) + _number(20, 2)


def _text(number: int, text: str) -> bytes:
    return _field(number, text.encode())


def _field(number: int, content: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + _varint(value)


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number is written as 64 bits."""
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
