"""A frame in fewer words: whole sentences of its own, or its beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Final

from longmind.base.frame import Frame
from longmind.base.tokens import Tokenizer
from longmind.context.items import Piece, Tier
from longmind.context.recipe import GROWTH
from longmind.context.sentences import Range, answering, salient
from longmind.context.surrogates import LONG_BYTES, Surrogate, make_surrogate
from longmind.text.query import TextQuery, plan_text

_SNIPPET_WORDS: Final = 90
_WORDS_PER_TOKEN: Final = 0.75
"""Of English prose. Where a text needs more tokens, the next shorter form is tried."""
_CUT_TOKENS: Final = 60


class Shortener:
    """Shorter forms of a piece: the sentences that answer, the gist, the shortest, the beginning."""

    def __init__(self, query: str, surrogates: Callable[[], Mapping[int, Surrogate]], tokenizer: Tokenizer):
        self._query = query
        self._surrogates = cache(surrogates)
        self._tokenizer = tokenizer

    @cached_property
    def _terms(self) -> Sequence[str]:
        return self._plan.terms

    @cached_property
    def _specific(self) -> bool:
        return bool(self._plan.identifiers or self._plan.phrases) or len(self._plan.terms) >= 2

    @cached_property
    def _plan(self) -> TextQuery:
        return plan_text(self._query)

    def __call__(self, piece: Piece, room: int) -> Iterator[Piece]:
        if piece.tier != "full" or piece.ranges[0][1] <= LONG_BYTES or room <= 0:
            return
        if piece.lane == GROWTH:
            yield from self._larger(piece, room)
            return
        # A pointed question wants the sentences that answer; a wide one, what the frame is about.
        pointed: tuple[Tier, ...] = ("snippet", "gist", "micro", "cut")
        wide: tuple[Tier, ...] = ("gist", "micro", "snippet", "cut")
        for tier in pointed if self._specific else wide:
            ranges = self._ranges(piece.frame, tier, room)
            if ranges:
                yield replace(piece, tier=tier, ranges=ranges)

    def _larger(self, piece: Piece, room: int) -> Iterator[Piece]:
        """As much of the same kind as there is room for; some texts need more tokens for a word than most."""
        text = piece.frame.text
        for share in (1.0, 0.5):
            words = int(room * _WORDS_PER_TOKEN * share)
            ranges = (
                answering(text, self._terms, words=words) if self._specific else salient(text, words=words)
            )
            tier: Tier = "snippet" if self._specific else "gist"
            if ranges:
                yield replace(piece, tier=tier, ranges=tuple(ranges))
        beginning = self._tokenizer.truncate(text, room)
        if beginning.strip():
            yield replace(piece, tier="cut", ranges=((0, len(beginning.encode())),))

    def _ranges(self, frame: Frame, tier: Tier, room: int) -> tuple[Range, ...]:
        if tier == "snippet":
            words = min(_SNIPPET_WORDS, int(room * _WORDS_PER_TOKEN))
            return tuple(answering(frame.text, self._terms, words=words)) if words else ()
        if tier == "cut":
            beginning = self._tokenizer.truncate(frame.text, min(_CUT_TOKENS, room))
            return ((0, len(beginning.encode())),) if beginning.strip() else ()
        short = self._surrogates().get(frame.id) or make_surrogate(frame.text)
        assert short is not None
        return short.gist if tier == "gist" else short.micro
