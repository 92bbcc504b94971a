"""A sentence that may say that something is over: what it names, and how it speaks of it."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.tokens import Token, tokens_of
from longmind.facts.canonical import alias_norm
from longmind.facts.words import words_of

CHANGED: Final = re.compile(
    r"\b(?:finished|stopped|quit|g[ai]ven? up|switched|(?:mov|transferr)ed (?:my|our)|swapped|traded|"
    r"replaced|renamed|dropped|ditched|cancelled|canceled|sold|ended|got(?:ten)? (?:over|rid of)|lapsed?|"
    r"hand(?:ed|ing)\b.{0,40}\bover|(?:took|pulled|withdrew|moved)\b.{1,40}\bout of|no longer|no more|"
    r"done with|any ?more|any longer|instead of|former|thing of the past)\b",
    re.IGNORECASE,
)
"""Said of what the sentence names in its own words: it is over."""
_ANEW: Final = re.compile(
    r"\b(?:only|now|from (?:now|here|today) on|from (?:this|next) (?:week|month|sprint|term|year|season)|"
    r"these days|nowadays|instead|as of|i was wrong|turns out|mistaken)\b",
    re.IGNORECASE,
)
"""What is said of a thing takes the place of what was said of it before."""
_GOES_ON: Final = re.compile(
    r"\b(?:still|also|as well|if|suppose|supposing|imagine|pretend|hypothetically|would|might|(?-i:may)|"
    r"could|should|want|hope|wish|plan|never|almost|nearly|about to|came close to|tempted|considering|"
    r"thinking (?:of|about))\b|\?",
    re.IGNORECASE,
)
"""Nothing is over, or it is not sure."""
SPOKEN_WORD: Final = re.compile(r"[\w'-]+")
_MOVED_OUT: Final = re.compile(r"\bmoved out\b")
_DEATH: Final = re.compile(r"\b(?:died|passed away|put down|put to sleep)\b", re.IGNORECASE)
_DEFINITE: Final = frozenset("the my our this that".split())
_OFF: Final = frozenset({"off", "quit", "stopped"})
Place = tuple[int, int]
"""The first token of something, and the one behind it."""


class DoubtSentence:
    """A sentence, its words and its tokens, each looked up when first asked for."""

    def __init__(self, masked: str, start: int, end: int) -> None:
        self._masked, self._span = masked, (start, end)
        self.text = masked[start:end]
        self.words = words_of(self.text)
        self.goes_on = _GOES_ON.search(self.text) is not None
        self.changed = not self.goes_on and CHANGED.search(self.text) is not None
        self.anew = not self.goes_on and _ANEW.search(self.text) is not None
        self.is_of_death = _DEATH.search(self.text) is not None
        self.is_of_leaving = _MOVED_OUT.search(self.text) is not None
        self.tells_more = self.changed or self.anew or self.is_of_death or self.is_of_leaving
        """Whether it may end something that it does not name."""
        self._tokens: list[Token] | None = None
        self._folded: list[frozenset[str]] = []

    def has(self, position: int) -> bool:
        """Whether a position of the text lies in it."""
        return self._span[0] <= position < self._span[1]

    def phrases(self) -> list[str]:
        """Up to three words that stand together, in normal form: what may name something."""
        if self.text.isascii():
            words = SPOKEN_WORD.findall(self.text.lower())  # the same, for words of ASCII
        else:
            words = [alias_norm(word) for word in SPOKEN_WORD.findall(self.text)]
        return [" ".join(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1)]

    @property
    def tokens(self) -> list[Token]:
        if self._tokens is None:
            self._tokens = tokens_of(self._masked, *self._span)
            self._folded = [words_of(token.text) for token in self._tokens]
        return self._tokens

    def head(self, noun: str) -> Place | None:
        """Where "the", "my" or "off" stands before a noun."""
        if noun in self.text.lower():
            words = noun.split()
            for first in range(1, len(self.tokens) - len(words) + 1):
                window = [token.low for token in self.tokens[first : first + len(words)]]
                # "Took me off metoprolol": what is not counted has no article.
                if window == words and self.tokens[first - 1].low in _DEFINITE | _OFF:
                    return first, first + len(words)
        return None

    def extended(self, after: int, words: frozenset[str]) -> int:
        """Where a name goes on with further words of the value: "Elm" and "pool"."""
        while after < len(self.tokens) and self._folded[after] and self._folded[after] <= words:
            after += 1
        return after

    def span_of(self, named: frozenset[str]) -> Place | None:
        """Where the words stand together."""
        if not named or not named <= self.words:
            return None
        tokens = self.tokens
        for first in range(len(tokens)):
            if not self._folded[first] & named:
                continue
            missing = set(named)
            for at in range(first, min(len(tokens), first + len(named) + 3)):
                missing -= self._folded[at]
                if not missing:
                    return first, at + 1
        return None
