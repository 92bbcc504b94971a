"""Noun phrases as subjects: "my sister Rita", "the wifi at the cabin", "Ana, my boss,"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from longmind.extract.kin import is_relation
from longmind.extract.tokens import Token
from longmind.extract.verbs import ALSO_NOUNS, verb_forms

SubjectKind = Literal["i", "we", "my", "named", "thing", "pronoun", "you", "elided", "order"]
"""`thing` is "the cabin" or "deploys"; `elided` a verb alone ("Moved to Porto"); `order` an imperative."""


_LAST_NAME_PARTS: Final = frozenset("of de da do del van von der den la le bin al and &".split())
_TITLES: Final = frozenset("mr mrs ms dr prof auntie aunt uncle tante grandma grandpa nana sir lady".split())


class Noun(NamedTuple):
    """A noun phrase: its tokens, and what it asks of the verb."""

    kind: SubjectKind
    begin: int
    end: int
    plural: bool
    apposed: tuple[int, int] | None = None


class NounReader:
    """Reads the noun phrases of one sentence."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.count = len(tokens)

    def _noun(self, at: int, *, inside: bool) -> Noun | None:
        token = self.tokens[at]
        low = token.low
        if token.tag == "I":
            kind: SubjectKind = (
                "i" if low == "i" else "we" if low == "we" else "you" if low == "you" else "pronoun"
            )
            return Noun(kind, at, at + 1, low in ("we", "they", "you"))
        if low == "me" and self._low(at + 1) in ("and", "n", "&"):
            end = self._phrase_end(at + 2)
            return Noun("we", at, end, True) if end > at + 2 else None
        noun = self._simple(at)
        if noun is None:
            return None
        if self._low(noun.end) in ("and", "&", "n") and self._low(noun.end + 1) in ("i", "me"):
            return Noun("we", at, noun.end + 2, True)
        return self._extended(noun)

    def _low(self, at: int) -> str:
        return self.tokens[at].low if at < self.count else ""

    def _simple(self, at: int) -> Noun | None:
        token = self.tokens[at]
        low = token.low
        if low in ("my", "our"):
            end = self._phrase_end(at + 1)
            return Noun("my", at, end, self._is_plural(at + 1, end)) if end > at + 1 else None
        if low in ("his", "her", "their"):
            end = self._phrase_end(at + 1)
            return Noun("pronoun", at, end, self._is_plural(at + 1, end)) if end > at + 1 else None
        if at == 0 and low == "home":
            return Noun("thing", at, at + 1, False)
        if at == 0 and token.tag in ("U", "N") and (end := self._bare_relation(at)) > at:
            return Noun("my", at, end, self._is_plural(at, end))
        if token.tag == "U" or (token.text[:1].isupper() and token.tag in ("N", "V") and low not in OPENING):
            end = self._name_end(at)
            if end == at + 1 and at == 0 and low.endswith("s") and self._agrees_in_plural(end):
                return Noun("thing", at, end, True)
            if end > at and not (end == at + 1 and token.tag == "V"):
                return Noun("named", at, end, False)
        if low in ("the", "a", "an", "this", "that", "these", "those", "no", "every") or token.tag in (
            "N",
            "M",
            "V",
        ):
            begin = at + 1 if token.tag in ("D", "S") else at
            if token.tag == "M" and begin + 1 < self.count and self.tokens[begin + 1].tag == "U":
                return None
            end = self._phrase_end(begin)
            if end <= begin or (token.tag == "V" and end == at + 1 and not low.endswith(("s", "ing"))):
                return None
            kind: SubjectKind = (
                "my" if is_relation(self.tokens[end - 1].low) and token.tag != "D" else "thing"
            )
            return Noun(kind, at, end, self._is_plural(begin, end))
        return None

    def _agrees_in_plural(self, at: int) -> bool:
        """Whether the verb here is of several: "deploys happen", "horses have"."""
        low = self._low(at)
        if low in ("are", "were", "have", "do", "aren't", "weren't", "haven't", "don't"):
            return True
        if at >= self.count or self.tokens[at].tag != "V":
            return False
        return any(which == "base" for _, which in verb_forms().get(low, ()))

    def _bare_relation(self, at: int) -> int:
        """Where a relative told without "my" ends: "Mum", "best mate"."""
        for end in (at + 1, at + 2):
            if end <= self.count and is_relation(self.tokens[end - 1].low):
                if end == at + 2 and self.tokens[at].low not in (
                    "best",
                    "older",
                    "younger",
                    "little",
                    "big",
                    "old",
                ):
                    return at
                if self._low(end) == "of" and self._low(end + 1) in ("mine", "ours"):
                    return end + 2
                if end < self.count and self.tokens[end].low == "'s" and self._possessive(end):
                    return at
                return end
        return at

    def _phrase_end(self, at: int) -> int:
        """Past adjectives and nouns: up to the verb, a preposition or a mark; at most seven words."""
        stop = at
        while stop < min(self.count, at + 7):
            token = self.tokens[stop]
            if token.low == "'s" and stop > at:
                if not self._possessive(stop):
                    break
            elif token.tag in ("N", "U", "M"):
                pass
            elif token.tag == "V":
                if stop > at and self._reads_as_verb(at, stop):
                    break
            elif (
                (token.tag == "R" and stop == at and token.low.endswith("ly"))
                or (token.low == "of" and stop > at)
                or (token.tag == "D" and stop > at and self._low(stop - 1) == "of")
                or token.text in ("-", "#", "/")
            ):
                pass
            else:
                break
            stop += 1
        while stop > at and self.tokens[stop - 1].low in ("of", "the", "-", "my"):
            stop -= 1
        return stop

    def _possessive(self, at: int) -> bool:
        """Whether 's is an owner's and no verb: a noun comes next and then, soon, a verb."""
        following = self.tokens[at + 1] if at + 1 < self.count else None
        if following is None or following.tag not in ("N", "V", "U", "M"):
            return False
        stop = at + 2
        while stop < min(self.count, at + 5):
            token = self.tokens[stop]
            if token.tag == "X" or token.low == "'s":
                return True
            if token.tag == "V" and any(
                w in ("third", "past", "base") for _, w in verb_forms().get(token.low, ())
            ):
                return following.tag != "V" or not following.low.endswith("ing")
            if token.tag not in ("N", "V", "U", "M", "P", "D"):
                return token.text == ":"
            stop += 1
        return False

    def _reads_as_verb(self, at: int, stop: int) -> bool:
        """Whether the word can be the verb of the nouns before it: "my mother works", "deploys happen"."""
        forms = {which for _, which in verb_forms().get(self.tokens[stop].low, ())}
        plural = self._is_plural(at, stop)
        following = self.tokens[stop + 1] if stop + 1 < self.count else None
        if (
            following is not None
            and (following.low == "'s" or following.tag == "X")
            and not forms & {"third"}
        ):
            return False
        if (
            following is not None
            and following.tag == "V"
            and forms == {"third"}
            and any(which == "base" for _, which in verb_forms().get(following.low, ()))
        ):
            return False
        if forms & {"past"}:
            return not (following is not None and following.tag == "X")
        if plural:
            return "base" in forms and (
                following is None or following.tag in ("D", "P", "R", "M", "U", "N", ".")
            )
        if "third" in forms:
            noun = self.tokens[stop].low[:-1] in ALSO_NOUNS
            return not (noun and (following is None or following.tag in ("X", ",", ".", "C")))
        return False

    def _is_plural(self, at: int, end: int) -> bool:
        if end <= at:
            return False
        last = self.tokens[end - 1].low
        if any(self.tokens[i].low == "of" for i in range(at, end)):
            first_of = next(i for i in range(at, end) if self.tokens[i].low == "of")
            last = self.tokens[first_of - 1].low if first_of > at else last
        return last in ("people", "kids", "children", "parents") or (
            last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3
        )

    def _name_end(self, at: int) -> int:
        stop = at
        while stop < min(self.count, at + 6):
            token = self.tokens[stop]
            if (
                token.tag == "U"
                or (token.tag in ("V", "N", "M") and token.text[:1].isupper())
                or (token.tag == "M" and stop > at)
                or (
                    token.low in _LAST_NAME_PARTS
                    and token.low != "and"
                    and stop + 1 < self.count
                    and stop > at
                    and self.tokens[stop + 1].tag == "U"
                )
                or (token.text == "." and stop > at and self.tokens[stop - 1].low in _TITLES)
            ):
                stop += 1
            elif token.low == "'s" and stop > at and self._possessive(stop):
                return self._phrase_end(stop + 1)
            elif (
                token.tag == "N" and stop > at and stop + 1 < self.count and self.tokens[stop + 1].tag == "X"
            ):
                stop += 1
            else:
                break
        return stop

    def _extended(self, noun: Noun) -> Noun:
        """With a phrase between the noun and its verb: "the wifi at the cabin", "Ana, my boss,"."""
        at = noun.end
        if at >= self.count:
            return noun
        token = self.tokens[at]
        if token.tag == "," and noun.kind in ("named", "my"):
            stop = at + 1
            while stop < min(self.count, at + 9) and self.tokens[stop].tag != ",":
                if self.tokens[stop].tag == ".":
                    return noun
                stop += 1
            if stop < self.count and self.tokens[stop].tag == "," and stop + 1 < self.count and stop > at + 1:
                first = self.tokens[at + 1]
                if first.tag in ("D", "U", "N") or first.low in ("that", "the"):
                    following = self.tokens[stop + 1]
                    if following.tag in ("X", "V", "R"):
                        return Noun(noun.kind, noun.begin, stop + 1, noun.plural, (at + 1, stop))
            return noun
        if token.tag == "P" and token.low in ("at", "of", "in", "on", "for", "with", "from", "to"):
            begin = at + 1
            if begin < self.count and self.tokens[begin].tag == "D":
                begin += 1
            end = self._phrase_end(begin)
            if begin < end < self.count and (
                self.tokens[end].tag == "X"
                or (self.tokens[end].tag == "V" and self._reads_as_verb(begin, end))
            ):
                return Noun(noun.kind, noun.begin, end, noun.plural)
        if token.tag == "U" and noun.kind == "my":
            end = self._name_end(at)
            if end > at:
                return Noun("my", noun.begin, end, False)
        return noun


OPENING: Final = frozenset(
    "hi hello hey oh ah well yes yeah yep yup no nope nah ok okay sure right sorry thanks thank please "
    "btw fyi "
    "lol haha hmm um uh ugh wow yay omg damn man dude mate bro anyway anyways look listen tbh ngl great cool "
    "nice awesome good morning afternoon evening soz thx cheers congrats update correction news "
    "last next this every by in on at for from to after before during since until as of with".split()
)
"""Words before a subject that are none themselves."""
