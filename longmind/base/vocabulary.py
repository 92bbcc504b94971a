"""The byte-pair vocabularies that come with the package: every token's bytes, in the order of their ranks.

A file is zlib over one byte for the length of each token, then all tokens joined: ranks are counted, not
stored. That is half the size of the published text form, and is read in half the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SIZES: Final = {"cl100k_base": 100_256, "o200k_base": 199_998}
"""How many tokens each vocabulary has, special ones apart. Both are OpenAI's, from tiktoken (MIT licence)."""


def read_vocabulary(name: str) -> dict[bytes, int]:
    """The rank of each token."""
    import zlib
    from importlib.resources import files

    data = zlib.decompress(files("longmind.base").joinpath("vocabularies", f"{name}.z").read_bytes())
    size = SIZES[name]
    ranks: dict[bytes, int] = {}
    start = size
    for rank, length in enumerate(data[:size]):
        end = start + length
        ranks[data[start:end]] = rank
        start = end
    return ranks


def pack_vocabulary(tokens: Sequence[bytes]) -> bytes:
    """The file of these tokens; how those in `vocabularies/` were made."""
    import zlib

    return zlib.compress(bytes(map(len, tokens)) + b"".join(tokens), 9)
