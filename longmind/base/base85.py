"""Base 85 as `base64.b85encode` writes it, for whole arrays at once: that one goes character by character,
which took longer than anything else in the first search of a process."""

from __future__ import annotations

from typing import Final

from longmind.base.arrays import np

_ALPHABET: Final = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_PLACES: Final = (85**4, 85**3, 85**2, 85, 1)


def encode_base85(content: bytes) -> str:
    """The same text as that of `base64.b85encode`."""
    missing = -len(content) % 4
    numbers = np.frombuffer(content + bytes(missing), dtype=">u4").astype(np.int64)
    digits = numbers[:, None] // np.array(_PLACES, dtype=np.int64) % 85
    text = np.frombuffer(_ALPHABET, dtype=np.uint8)[digits].tobytes().decode("ascii")
    return text[: len(text) - missing]


def decode_base85(text: str) -> bytes:
    """The bytes that a text stands for; ValueError if it is not base 85."""
    missing = -len(text) % 5
    characters = np.frombuffer(text.encode("ascii") + _ALPHABET[-1:] * missing, dtype=np.uint8)
    values = np.full(256, -1, dtype=np.int64)
    values[np.frombuffer(_ALPHABET, dtype=np.uint8)] = np.arange(len(_ALPHABET))
    digits = values[characters].reshape(-1, 5)
    numbers = digits @ np.array(_PLACES, dtype=np.int64)
    if (digits < 0).any() or (numbers >= 1 << 32).any():
        raise ValueError("this text is not base 85")
    content = numbers.astype(">u4").tobytes()
    return content[: len(content) - missing]
