"""Frames that look like a named thing and are not: other numbers, other orders, and the parts in prose."""

from __future__ import annotations

import random
import re

IDENTIFIERS = ("ERR_CONN_42", "a_b.c::d", "v1.10.2", "src/a_b.py")

_PARTS = re.compile(r"[A-Za-z]+|[0-9]+")
_JOINERS = ("_", ".", "::", "/", "-", "")


def target(name: str) -> str:
    """A long sentence that says the name once, in the middle."""
    before = "After the change of last spring the whole team noticed in the logs of several machines that"
    after = "came up more often than anything else, which nobody had an explanation for at first."
    return f"{before} {name} {after}"


def near_misses(name: str, count: int) -> list[str]:
    """None says the name itself; many say all of its parts, and more often than the target does."""
    rng = random.Random(name)
    parts = _PARTS.findall(name)
    made: list[str] = []
    while len(made) < count:
        mixed = parts[:]
        kind = rng.randrange(6)
        if kind == 0:
            text = f"{' '.join(mixed)} number {rng.randrange(10**6)}"
        elif kind == 1:
            text = f"{' '.join(mixed * 3)} {rng.randrange(10**6)}"
        elif kind == 2:
            rng.shuffle(mixed)
            text = f"{rng.choice(_JOINERS).join(mixed)} in run {rng.randrange(10**6)}"
        elif kind == 3:
            text = f"{name}{rng.randrange(10)} and {name}_{rng.choice('xyz')} in {rng.randrange(10**6)}"
        elif kind == 4:
            text = f"{name[:-1]}{rng.choice('379xq')} seen {rng.randrange(10**6)} times"
        else:
            text = f"{rng.choice('xyz')}_{name} {rng.choice(parts)} {rng.randrange(10**6)}"
        if not _says(text, name):
            made.append(text)
    return made


def _says(text: str, name: str) -> bool:
    inside = r"[A-Za-z0-9_./:\\@#$%&+=~>-]"
    return re.search(rf"(?<!{inside}){re.escape(name)}(?!{inside})", text, re.IGNORECASE) is not None
