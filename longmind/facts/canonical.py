"""One spelling and one hash for every name, value and statement: equal in any process, engine and Python.

Imports nothing but the standard library, so that other versions of Python can check the golden vectors.
"""

from __future__ import annotations

import hashlib
import struct
import unicodedata
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache

Stored = str | int | float | bytes
"""A value as a column holds it: times as milliseconds, booleans as 0 or 1, entities by their key."""


class ObjectKind(IntEnum):
    """What a value is; also its tag in the encoding, and the order in which kinds are listed."""

    TEXT = 1
    INT = 2
    DOUBLE = 3
    BOOL = 4
    DATA = 5
    TIME = 6
    ENTITY = 7


_SUBJECT = ord("s")
_PREDICATE = ord("p")
_QUALIFIERS = ord("q")
_KEY = ord("k")
_NUMBER = ord("i")
_NOTHING = ord("n")

# Blocks of Latin, Greek and Cyrillic. Fixed here, because the standard library has no script property and
# its names grow with each version of Unicode.
_ACCENTED_SCRIPTS = (
    (0x0041, 0x005A),
    (0x0061, 0x007A),
    (0x00C0, 0x02AF),
    (0x0370, 0x052F),
    (0x1C80, 0x1C8F),
    (0x1D00, 0x1DBF),
    (0x1E00, 0x1FFF),
    (0x2C60, 0x2C7F),
    (0xA640, 0xA69F),
    (0xA722, 0xA7FF),
    (0xAB30, 0xAB6F),
)


def canonical_text(text: str) -> str:
    """NFKC, case folded, without the accents of Latin, Greek and Cyrillic letters, NFC."""
    if text.isascii():
        return text.lower()
    return _remembered(text) if len(text) <= 200 else _folded(text)


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    characters = []
    after_accented = False
    for character in unicodedata.normalize("NFD", folded):
        if unicodedata.category(character).startswith("M"):
            if after_accented:
                continue
        else:
            after_accented = _takes_accents(ord(character))
        characters.append(character)
    return unicodedata.normalize("NFC", "".join(characters))


_remembered = lru_cache(maxsize=8192)(_folded)


def alias_norm(alias: str) -> str:
    """What a name is matched by: canonical, trimmed, white space collapsed to single spaces."""
    return " ".join(canonical_text(alias).split())


def text_norm(text: str, *, exact: bool) -> str:
    """What makes two text values the same: folded, or with `exact` only composed (NFC)."""
    return unicodedata.normalize("NFC", text) if exact else canonical_text(text)


def encode_value(kind: int, value: Stored, *, exact: bool = False) -> bytes:
    """One tagged field: tag byte, length in 8 bytes, bytes (numbers little-endian)."""
    if kind == ObjectKind.TEXT:
        raw = text_norm(str(value), exact=exact).encode()
    elif kind == ObjectKind.ENTITY:
        return _name(kind, str(value))
    elif kind == ObjectKind.DOUBLE:
        raw = struct.pack("<d", float(value) or 0.0)
    elif kind == ObjectKind.BOOL:
        raw = b"\x01" if value else b"\x00"
    elif isinstance(value, bytes):
        raw = value
    else:
        raw = int(value).to_bytes(8, "little", signed=True)
    return _field(kind, raw)


def qualifiers_hash(qualifiers: Iterable[tuple[str, int, Stored]]) -> bytes | None:
    """SHA-256 over (key, kind, value) sorted by canonical key; None where there is no qualifier."""
    encoded = sorted(
        (canonical_text(key).encode(), encode_value(kind, value)) for key, kind, value in qualifiers
    )
    if not encoded:
        return None
    return hashlib.sha256(b"".join(_field(_KEY, key) + value for key, value in encoded)).digest()


def fact_hash(
    subject: str,
    predicate: str,
    kind: int,
    value: Stored,
    *,
    qualifiers: bytes | None = None,
    exact: bool = False,
) -> bytes:
    """SHA-256 over subject, predicate, object and the hash of the qualifiers, in this order."""
    return hashlib.sha256(
        _name(_SUBJECT, subject)
        + _name(_PREDICATE, predicate)
        + encode_value(kind, value, exact=exact)
        + (_field(_QUALIFIERS, qualifiers) if qualifiers else _NO_QUALIFIERS)
    ).digest()


def fact_hashes(
    subject: str, predicates: Iterable[str], kinds: Iterable[int], value: Stored, *, qualifiers: bytes | None
) -> list[bytes]:
    """`fact_hash` of one value under several predicates, each as a value of several kinds."""
    head = _name(_SUBJECT, subject)
    tails = [encode_value(kind, value) + _field(_QUALIFIERS, qualifiers or b"") for kind in kinds]
    heads = [head + _name(_PREDICATE, name) for name in predicates]
    return [hashlib.sha256(head + tail).digest() for head in heads for tail in tails]


def span_key_hash(fact_id: int, valid_from: int, valid_to: int | None, system_from: int) -> bytes:
    """What names a span for good: everything but its end on the system axis, which a retraction sets."""
    end = _field(_NOTHING, b"") if valid_to is None else _NUMBER_FIELD(_NUMBER, 8, valid_to)
    return hashlib.sha256(
        _NUMBER_FIELD(_NUMBER, 8, fact_id)
        + _NUMBER_FIELD(_NUMBER, 8, valid_from)
        + end
        + _NUMBER_FIELD(_NUMBER, 8, system_from)
    ).digest()


_HEAD = struct.Struct("<BQ").pack
_NUMBER_FIELD = struct.Struct("<BQq").pack


def _field(tag: int, raw: bytes) -> bytes:
    return _HEAD(tag, len(raw)) + raw


_NO_QUALIFIERS = _field(_QUALIFIERS, b"")


@lru_cache(maxsize=8192)
def _name(tag: int, name: str) -> bytes:
    """The field of a name: what is said of one thing, or with one predicate, begins with the same bytes."""
    return _field(tag, canonical_text(name).encode())


def _takes_accents(code: int) -> bool:
    return any(first <= code <= last for first, last in _ACCENTED_SCRIPTS)
