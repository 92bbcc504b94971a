"""Exact token counts for named vocabularies, offline, the same whichever engine does the counting."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

from longmind.base.errors import InvalidInput, MissingExtra
from longmind.base.pretokenize import splitter, without_surrogates

if TYPE_CHECKING:
    from array import array


TOKENIZER: Final = "cl100k_base"
"""The vocabulary that recipes and chunks count in, unless they name another."""

SIZES: Final = {"cl100k_base": 100_256, "o200k_base": 199_998}
"""How many tokens each vocabulary has, special ones apart. Both are OpenAI's, from tiktoken (MIT licence)."""


def read_vocabulary(name: str) -> dict[bytes, int]:
    """The rank of each token of a vocabulary that comes with the package.

    A file is zlib over one byte for the length of each token, then all tokens joined in the order of their
    ranks. That is half the size of the published text form, and is read in half the time.
    """
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


Engine = Literal["auto", "python", "tiktoken"]
Encode = Callable[[str], list[int]]

LONGEST_RUN = 1024
"""Characters of one class in a row (letters, symbols or white space) up to which counts are those of the
vocabulary's own definition. A longer run is cut every 1,024 characters first, so that no text can make an
engine quadratic or overflow its stack; a cut changes the count by a token or two."""

_PATTERNS = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
_UPGRADE_AFTER = 10_000_000
"""Characters of texts outside ASCII: the faster engine takes 25 MB and saves a quarter of the time."""

_CACHED_CHARACTERS = 1 << 19
"""Of pieces whose tokens are kept; a text is counted several times, the next one has other rare pieces."""

_LONGEST_CACHED = 128

_REACH = 32  # characters past the last token of the budget among which a longer prefix may still fit
_STABLE = re.compile(r"(?<=[A-Za-z])(?= [A-Za-z])")
_RUNS = (
    re.compile(r"\s+"),
    re.compile(r"(?:[^\w\s]|_)+"),
    re.compile(r"[^\s\d!-/:-@\[-`{-~\u2000-\u206f\u3000-\u303f\uff00-\uff0f]+"),
)


@runtime_checkable
class Tokenizer(Protocol):
    """Counts and cuts text in the tokens of one vocabulary; special tokens in the text are plain text."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...

    def encode(self, text: str) -> list[int]: ...

    def truncate(self, text: str, budget: int) -> str:
        """The longest prefix of whole characters that counts at most `budget` tokens.

        Where one token spans dozens of characters (long rules and runs of white space) it may be a little
        shorter; it is never over the budget.
        """
        ...


class BytePairTokenizer:
    """A byte-pair vocabulary, loaded on first use.

    ASCII is counted in Python; so is other text until there has been a lot of it, when `tiktoken`'s engine
    takes over if that is installed. Both give the same tokens for every character that the interpreter's
    Unicode tables know.
    """

    def __init__(self, name: str, *, engine: Engine = "auto") -> None:
        if name not in _PATTERNS:
            raise InvalidInput(
                f"{name!r} is not a bundled vocabulary.", hint=f"Use one of {list(_PATTERNS)}."
            )
        self._name = name
        self._engine = engine
        self._lock = threading.Lock()
        self._splitter: _Splitter | None = None
        self._lengths: array[int] | None = None

    @property
    def name(self) -> str:
        return self._name

    def count(self, text: str) -> int:
        splitter = self._splitter or self._load()
        if len(text) <= LONGEST_RUN:
            return splitter.count(text)
        return sum(map(splitter.count, _bounded(text)))

    def encode(self, text: str) -> list[int]:
        splitter = self._splitter or self._load()
        if len(text) <= LONGEST_RUN:
            return splitter.encode(text)
        return list(chain.from_iterable(map(splitter.encode, _bounded(text))))

    def truncate(self, text: str, budget: int) -> str:
        if budget <= 0:
            return ""
        size = 8 * budget + _REACH
        while len(ids := self.encode(text[:size])) <= budget and size < len(text):
            size *= 2
        if len(ids) <= budget:
            return text
        lengths = self._lengths or self._measure()
        within = sum(lengths[token] for token in ids[:budget])
        whole = len(without_surrogates(text[:size]).encode()[:within].decode(errors="ignore"))
        return text[: self._longest(text, whole + _REACH, budget)]

    def _longest(self, text: str, upper: int, budget: int) -> int:
        head = text[:upper]
        safe = max(0, upper - 2 * _REACH)
        base = max((cut for cut in _long_run_cuts(head) if cut <= safe), default=0)
        for match in _STABLE.finditer(head, base, safe):
            base = match.start()
        counted = self.count(head[:base])
        for end in range(len(head), base + 1 if base else 0, -1):
            if counted + self.count(head[base:end]) <= budget:
                return end
        return next(
            (end for end in range(min(base + 1, len(head)), 0, -1) if self.count(head[:end]) <= budget), 0
        )

    def _load(self) -> _Splitter:
        with self._lock:
            if self._splitter is None:
                self._splitter = _Splitter(self._name, read_vocabulary(self._name), self._engine)
            return self._splitter

    def _measure(self) -> array[int]:
        from array import array

        ranks = self._load().ranks
        lengths = array("H", bytes(2 * (max(ranks.values()) + 1)))
        for piece, rank in ranks.items():
            lengths[rank] = len(piece)
        self._lengths = lengths
        return lengths


class _Splitter:
    """Cuts text into the pieces that a vocabulary never merges across, and those into tokens."""

    def __init__(self, name: str, ranks: Mapping[bytes, int], engine: Engine) -> None:
        self.ranks = ranks
        self._name = name
        self._tokens = _Pieces(ranks).__getitem__
        self._split = splitter(name)
        self._always = engine == "tiktoken"
        self._fast = _tiktoken_engine(name, ranks) if self._always else None
        self._until_fast = _UPGRADE_AFTER if engine == "auto" else None

    def count(self, text: str) -> int:
        if fast := self._engine_for(text):
            return len(fast(text))
        return sum(map(len, map(self._tokens, self._split(text))))

    def encode(self, text: str) -> list[int]:
        if fast := self._engine_for(text):
            return fast(text)
        return list(chain.from_iterable(map(self._tokens, self._split(text))))

    def _engine_for(self, text: str) -> Encode | None:
        """tiktoken's, where it is the faster one: for all but ASCII, once there was enough of it."""
        if self._always:
            return self._fast
        if text.isascii():
            return None
        if self._until_fast is not None:
            self._until_fast -= len(text)
            if self._until_fast < 0:
                self._until_fast = None
                with suppress(MissingExtra):
                    self._fast = _tiktoken_engine(self._name, self.ranks)
        return self._fast


class _Pieces(dict[str, tuple[int, ...]]):
    """The tokens of the pieces met of late; a full one forgets them all and begins anew."""

    def __init__(self, ranks: Mapping[bytes, int]) -> None:
        super().__init__()
        self._ranks = ranks
        self._room = _CACHED_CHARACTERS

    def __missing__(self, piece: str) -> tuple[int, ...]:
        data = piece.encode()
        rank = self._ranks.get(data)
        tokens = _merge(data, self._ranks) if rank is None else (rank,)
        if len(piece) <= _LONGEST_CACHED:
            if len(piece) > self._room:
                self.clear()
                self._room = _CACHED_CHARACTERS
            self._room -= len(piece)
            self[piece] = tokens
        return tokens


_opened: dict[str, Tokenizer] = {}
_factories: dict[str, Callable[[], Tokenizer]] = {
    name: (lambda name=name: BytePairTokenizer(name))  # type: ignore[misc]
    for name in _PATTERNS
}
_registry = threading.Lock()


def open_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name; its vocabulary is loaded when it is first used, once per process."""
    with _registry:
        if name not in _opened:
            if name not in _factories:
                raise InvalidInput(
                    f"There is no tokenizer named {name!r}.",
                    hint=f"Use one of {sorted(_factories)}, or register yours with register_tokenizer().",
                )
            _opened[name] = _factories[name]()
        return _opened[name]


def register_tokenizer(name: str, factory: Callable[[], Tokenizer]) -> None:
    """Make `open_tokenizer(name)` give what `factory` builds; the bundled names cannot be replaced."""
    if name in _PATTERNS:
        raise InvalidInput(f"{name!r} is bundled and means the same everywhere.", hint="Choose another name.")
    with _registry:
        _factories[name] = factory
        _opened.pop(name, None)


def _tiktoken_engine(name: str, ranks: Mapping[bytes, int]) -> Encode:
    try:
        from tiktoken.core import Encoding
    except ImportError:
        raise MissingExtra("The faster engine needs tiktoken.", extra="tokens") from None
    encoding = Encoding(name, pat_str=_PATTERNS[name], mergeable_ranks=dict(ranks), special_tokens={})
    run: Encode = encoding.encode_ordinary
    return run


def _merge(piece: bytes, ranks: Mapping[bytes, int]) -> tuple[int, ...]:
    """Join the adjacent pair of lowest rank, leftmost first, until none is left: O(n log n)."""
    from heapq import heapify, heappop, heappush

    size = len(piece)
    ends = list(range(1, size + 1))  # where the part that begins at an index ends; 0 once it was absorbed
    before = list(range(-1, size - 1))
    heap = [(ranks[pair], at, at + 2) for at in range(size - 1) if (pair := piece[at : at + 2]) in ranks]
    heapify(heap)
    while heap:
        _, start, end = heappop(heap)
        middle = ends[start]
        if not middle or middle >= size or ends[middle] != end:
            continue
        ends[start], ends[middle] = end, 0
        if end < size:
            before[end] = start
            joined = piece[start : ends[end]]
            if joined in ranks:
                heappush(heap, (ranks[joined], start, ends[end]))
        left = before[start]
        if left >= 0 and piece[left:end] in ranks:
            heappush(heap, (ranks[piece[left:end]], left, end))
    return tuple(ranks[piece[at:end]] for at, end in enumerate(ends) if end)


def _bounded(text: str) -> Iterator[str]:
    """The text, cut where a run of one class would be too long."""
    cuts = _long_run_cuts(text)
    for start, end in zip((0, *cuts), (*cuts, len(text)), strict=True):
        yield text[start:end]


def _long_run_cuts(text: str) -> tuple[int, ...]:
    """Where to cut runs longer than LONGEST_RUN; looks at two places per such length only."""
    window = LONGEST_RUN // 2
    cuts: set[int] = set()
    for run in _RUNS:
        at = last = 0
        while at < len(text):
            match = run.match(text, at)
            if match is None or match.end() - at < window:
                at += window
                continue
            lead = run.match(text[max(last, at - window) : at][::-1])
            start = at - (lead.end() if lead else 0)
            at = last = match.end()
            cuts.update(range(start + LONGEST_RUN, last, LONGEST_RUN))
    return tuple(sorted(cuts))
