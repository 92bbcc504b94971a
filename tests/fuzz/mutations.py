"""Random damage to texts, bytes and JSON values, and what every refusal must look like.

Everything comes from a seeded generator, so that a failure is found again by its number.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from longmind import LongmindError

DEEP = 3000
"""Levels of nesting: more than the recursion limit of Python, less than any limit on the size of a body."""


def rounds(short: int, long: int) -> Any:
    """A few rounds in every run of the tests, and many in `make soak`."""
    soak = [pytest.mark.soak, pytest.mark.timeout(14_400)]  # hours, on a machine that others use too
    return pytest.mark.parametrize("count", [short, pytest.param(long, marks=soak)])


def nested(depth: int, kind: str = "list") -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind == "list" else {"a": value}
    return value


def deep_text(rng: random.Random) -> str:
    """JSON that is nested too deeply to be read, whole or cut."""
    start, end = rng.choice([("[", "]"), ('{"a":', "}")])
    depth = rng.choice([100, DEEP, 100_000])
    return start * depth + "1" + end * rng.choice([depth, depth - 1, 0])


_STRINGS: tuple[str, ...] = (
    *("", " ", "x", "\0", "a\0b", "\ud800", "\udfff tail", "\u202e\u200b", "\r\n", "null", "*", "all"),
    *("../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:1/", "C:\\x", "~"),
    *("'; DROP TABLE frame; --", "%s%n%d", "{0.__class__}", "${HOME}", "<longmind id=1>", "exp_1", "exp_-1"),
    *("2025-02-30", "9999-12-31T23:59:60Z", "-1", "1e309", "NaN", "yesterday", "0001-01-01", "\u0661\u0662"),
    *("lone@example.org", "a" * 3000, "é" * 1500, "[" * 200, "work@ana", "default", "٣", "ﬃ", "\x7f\x1b[31m"),
    # Long runs of one thing: what looks for words, sentences or dates must find an end, and in good time.
    *(" " * 9000, "\n" * 9000, "? " * 4000, "> " * 4000, "1 " * 4000, "I am " * 2000, "a@" * 4000),
)
_NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 2, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**30, 10**400),
    *(0.0, -0.0, 0.5, 1e308, 5e-324, float("nan"), float("inf"), float("-inf")),
)


def scalar(rng: random.Random) -> Any:
    """Something that a JSON document may hold, and that somebody forgot."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(_STRINGS)
    if kind == 1:
        return rng.choice(_NUMBERS)
    if kind == 2:
        return rng.choice([None, True, False])
    return "".join(
        chr(rng.choice([rng.randrange(128), rng.randrange(0xD800)])) for _ in range(rng.randrange(12))
    )


def value(rng: random.Random, depth: int = 0) -> Any:
    """A scalar, or a small object or list of them; now and then one that is nested very deeply."""
    kind = rng.random()
    if depth > 3 or kind < 0.6:
        return scalar(rng)
    if kind < 0.62:
        return nested(rng.choice([70, 200, 900]), rng.choice(["list", "dict"]))
    if kind < 0.8:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {str(scalar(rng)): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def mutated(rng: random.Random, document: Any, depth: int = 0) -> Any:
    """A copy of a JSON value with one place changed, removed, repeated or swapped."""
    if isinstance(document, dict) and document and (depth == 0 or rng.random() < 0.75):
        name = rng.choice(sorted(document))
        changed = dict(document)
        kind = rng.random()
        if kind < 0.08:
            del changed[name]
        elif kind < 0.14:
            changed[str(scalar(rng))] = changed[name]
        elif kind < 0.2:
            other = rng.choice(sorted(document))
            changed[name], changed[other] = changed[other], changed[name]
        else:
            changed[name] = mutated(rng, changed[name], depth + 1)
        return changed
    if isinstance(document, list) and document and rng.random() < 0.75:
        items = list(document)
        index = rng.randrange(len(items))
        kind = rng.random()
        if kind < 0.1:
            del items[index]
        elif kind < 0.25:
            items.insert(rng.randrange(len(items) + 1), items[index])
        elif kind < 0.3:
            items = items * rng.randrange(2, 20)
        else:
            items[index] = mutated(rng, items[index], depth + 1)
        return items
    if isinstance(document, str) and document and rng.random() < 0.4:
        return damaged(rng, document.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")
    return value(rng)


def damaged(rng: random.Random, raw: bytes) -> bytes:
    """The bytes with a few changed, cut, repeated or moved."""
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        start, end = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
        kind = rng.randrange(7)
        if kind == 0 and raw:
            at = min(start, len(raw) - 1)
            raw = raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :]
        elif kind == 1:
            raw = raw[:start]
        elif kind == 2:
            raw = raw[:start] + rng.randbytes(rng.randrange(1, 9)) + raw[start:]
        elif kind == 3:
            raw = raw[:start] + raw[end:]
        elif kind == 4:
            raw = raw[:end] + raw[start:]
        elif kind == 5:
            raw = raw[:start] + bytes(min(end - start, 64)) + raw[start + min(end - start, 64) :]
        else:
            raw = (
                raw[:start]
                + rng.choice([b'"', b"{", b"}", b"[", b",", b"\n", b"\\", b"\xff", b"\0"])
                + raw[start:]
            )
    return raw


def encoded(document: Any) -> bytes:
    """As a careless client writes it: NaN, huge numbers and lone surrogates included."""
    return json.dumps(document).encode()


def outcome(call: Callable[[], Any]) -> str:
    """What a call ended in: `ok`, or the code of one of our own errors; anything else fails the test."""
    try:
        call()
    except LongmindError as error:
        check_error(error)
        return error.code
    return "ok"


def check_error(error: LongmindError) -> None:
    """A refusal says what is wrong and, in the message or in the hint, what to do about it."""
    assert error.message.strip(), error
    assert len(error.message) < 5000, error.message[:200]
