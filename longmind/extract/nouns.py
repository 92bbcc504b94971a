"""Noun phrases as subjects: "my sister Rita", "the wifi at the cabin", "Ana, my boss,"."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from longmind.extract.kin import is_relation
from longmind.extract.lexicon import DAYS, OCCUPATIONS
from longmind.extract.verbs import ALSO_NOUNS, forms_by_word
from longmind.extract.words import Words

SubjectKind = Literal["i", "we", "my", "named", "thing", "pronoun", "you", "elided", "order"]
"""`thing` is "the cabin" or "deploys"; `elided` a verb alone ("Moved to Porto"); `order` an imperative."""


_LAST_NAME_PARTS: Final = frozenset("of de da do del van von der den la le bin al and &".split())
_TITLES: Final = frozenset("mr mrs ms dr prof auntie aunt uncle tante grandma grandpa nana sir lady".split())


_ARTICLES: Final = frozenset("the a an this that these those no every".split())
_NO_NOUN: Final = frozenset({"P", "X", "C", ",", "."})
"""Tags of words that no noun phrase begins with."""
_FINITE: Final = frozenset({"third", "past", "base"})
_NEVER_NOUNS: Final = frozenset(
    "takes gives makes keeps teaches sells eats writes wears owns loves brings becomes gets".split()
)
"""Forms of verbs in -s that are the plural of no noun."""
_NEVER_LAST: Final = frozenset("daily nightly weekly monthly yearly regular own usual".split())
"""Adjectives with which no noun phrase ends: what follows is its noun."""
_LEADING_ON: Final = frozenset("at of in on for with from to across opposite behind above below".split())
"""Prepositions of a phrase between a noun and its verb."""
_PAST_NAMES: Final = frozenset({"drew", "rose", "grant", "wade", "bill"})
"""First names that are also the past of a verb."""
_NO_FORMS: Final[dict[str, str]] = {}


class Noun(NamedTuple):
    """A noun phrase: its tokens, and what it asks of the verb."""

    kind: SubjectKind
    begin: int
    end: int
    plural: bool
    apposed: tuple[int, int] | None = None


class NounReader:
    """Reads the noun phrases of one sentence."""

    def __init__(self, words: Words) -> None:
        self.words, self.count = words, words.count
        self.texts, self.low, self.tags = words.texts, words.low, words.tags
        self.forms = forms_by_word()

    def _noun(self, at: int, *, inside: bool) -> Noun | None:
        low, tag = self.low[at], self.tags[at]
        if tag in _NO_NOUN:
            return None
        if tag == "I":
            kind: SubjectKind = (
                "i" if low == "i" else "we" if low == "we" else "you" if low == "you" else "pronoun"
            )
            return Noun(kind, at, at + 1, low in ("we", "they", "you"))
        if low == "me" and self.low[at + 1] in ("and", "n", "&"):
            end = self._phrase_end(at + 2)
            return Noun("we", at, end, True) if end > at + 2 else None
        noun = self._simple(at)
        if noun is None:
            return None
        joined = self.low[noun.end] in ("and", "&", "n") and self.low[noun.end + 1] in ("i", "me")
        if joined and not (inside and self.tags[at - 1] in ("P", "V")):  # "deaf in my left ear and I ..."
            return Noun("we", at, noun.end + 2, True)
        return self._extended(noun)

    def _simple(self, at: int) -> Noun | None:
        low, tag = self.low[at], self.tags[at]
        if low in ("my", "our"):
            end = self._phrase_end(at + 1)
            if end <= at + 1 or (end == at + 2 and self.low[at + 1] == "own"):
                return None  # "I sew my own dresses": what is my own is told by what follows
            return Noun("my", at, end, self._is_plural(at + 1, end))
        if low in ("his", "her", "their"):
            end = self._phrase_end(at + 1)
            return Noun("pronoun", at, end, self._is_plural(at + 1, end)) if end > at + 1 else None
        if at == 0 and low == "home":
            return Noun("thing", at, at + 1, False)
        if at == 0 and tag in ("U", "N") and (end := self._bare_relation(at)) > at:
            return Noun("my", at, end, self._is_plural(at, end))
        if at == 0 and tag == "V" and self._is_left_out(low):
            return None
        if tag == "U" or (tag in ("N", "V") and self.texts[at][0].isupper() and low not in OPENING):
            end = self._name_end(at)
            if end == at + 1 and at == 0 and low.endswith("s") and self._agrees_in_plural(end):
                return Noun("thing", at, end, True)
            if end > at and not (end == at + 1 and tag == "V"):
                return Noun("named", at, end, "'s" in self.low[at:end] and self._is_plural(at, end))
        if tag in ("N", "M", "V") or low in _ARTICLES:
            begin = at + 1 if tag in ("D", "S") else at
            if tag == "M" and begin + 1 < self.count and self.tags[begin + 1] == "U":
                return None
            end = self._phrase_end(begin)
            if end <= begin or (tag == "V" and end == at + 1 and not low.endswith(("s", "ing"))):
                return None
            kind: SubjectKind = "my" if is_relation(self.low[end - 1]) and tag != "D" else "thing"
            return Noun(kind, at, end, self._is_plural(begin, end))
        return None

    def _is_left_out(self, low: str) -> bool:
        """ "Saw Lena's mail": who saw it goes without saying, and "Saw Lena" is no name."""
        if self.tags[1] != "U" or self.low[2] != "'s":
            return False
        return "past" in self.forms.get(low, ()) and low not in _PAST_NAMES

    def _is_of_several(self, at: int) -> bool:
        """Whether the word after a name is the verb of what stands before: "for Heron run on"."""
        if self.tags[at] != "V" or self.tags[at - 1] != "U" or self.tags[at + 1] not in ("D", "P", "R"):
            return False
        return "base" in self.forms.get(self.low[at], ()) and self.texts[at].islower()

    def _agrees_in_plural(self, at: int) -> bool:
        """Whether the verb here is of several: "deploys happen", "horses have"."""
        low = self.low[at]
        if low in ("are", "were", "have", "do", "aren't", "weren't", "haven't", "don't"):
            return True
        if at >= self.count or self.tags[at] != "V":
            return False
        return "base" in self.forms.get(low, ())

    def _bare_relation(self, at: int) -> int:
        """Where a relative told without "my" ends: "Mum", "best mate"."""
        for end in (at + 1, at + 2):
            if end <= self.count and is_relation(self.low[end - 1]):
                if end == at + 2 and self.low[at] not in (
                    "best",
                    "older",
                    "younger",
                    "little",
                    "big",
                    "old",
                ):
                    return at
                if self.low[end] == "of" and self.low[end + 1] in ("mine", "ours"):
                    return end + 2
                if self.low[end] == "'s" and self._possessive(end):
                    return at
                return end
        return at

    def _phrase_end(self, at: int) -> int:
        """Past adjectives and nouns: up to the verb, a preposition or a mark; at most seven words."""
        stop = at
        most = min(self.count, at + 7)
        while stop < most:
            tag = self.tags[stop]
            if tag in ("N", "U", "M"):
                pass
            elif tag == "V":
                if stop > at and self._reads_as_verb(at, stop):
                    break
            elif (low := self.low[stop]) == "'s" and stop > at:
                if not self._possessive(stop):
                    break
            elif (
                (tag == "R" and stop == at and low.endswith("ly"))
                or (low == "of" and stop > at)
                or (tag == "D" and stop > at and self.low[stop - 1] == "of")
                or low in ("-", "#", "/")
            ):
                pass
            else:
                break
            stop += 1
        while stop > at and self.low[stop - 1] in ("of", "the", "-", "my"):
            stop -= 1
        return stop

    def _possessive(self, at: int) -> bool:
        """Whether 's is an owner's and no verb: a noun comes next and then, soon, a verb."""
        following = self.tags[at + 1]
        if self.low[at + 1] in ("daily", "nightly", "weekly", "monthly", "yearly"):
            at, following = at + 1, self.tags[at + 2]
        if following not in ("N", "V", "U", "M"):
            return False
        stop = at + 2
        while stop < min(self.count, at + 5):
            tag = self.tags[stop]
            if tag == "X":
                return True
            if tag == "V" and not _FINITE.isdisjoint(self.forms.get(self.low[stop], ())):
                goes_before = stop > at + 2 and self.tags[stop - 1] == "N" and self.tags[stop + 1] == "P"
                # "Atlas's staging keys live in": no verb, though it ends like one
                return following != "V" or goes_before or not self.low[at + 1].endswith("ing")
            if tag not in ("N", "V", "U", "M", "P", "D"):
                return self.texts[stop] == ":" or self._names_who(stop)
            stop += 1
        return False

    def _names_who(self, at: int) -> bool:
        """ "My daughter's coach, Leroy, ...": an occupation, and by commas the name of who has it."""
        return (
            self.texts[at] == ","
            and self.tags[at + 1] == "U"
            and self.low[at - 1] in OCCUPATIONS
            and "," in self.texts[at + 2 : at + 4]
        )

    def _reads_as_verb(self, at: int, stop: int) -> bool:
        """Whether the word can be the verb of the nouns before it: "my mother works", "deploys happen"."""
        forms = self.forms.get(self.low[stop], _NO_FORMS)
        following = self.tags[stop + 1]
        third = "third" in forms
        if third and stop == at + 1 and self.tags[at] == "M" and self.low[at] != "one":
            return False  # "two monitors": counted, and no verb
        if third and self.low[stop - 1] in _NEVER_LAST:
            return False  # "my daily commutes to work"
        if following == "X" and not third:
            return False
        if (
            following == "V"
            and third
            and len(forms) == 1
            and self.low[stop] not in _NEVER_NOUNS  # "the meeting takes place"
            and self.tags[stop - 1] != "U"  # "my husband Tom hates fish"
            and not is_relation(self.low[stop - 1])  # "my brother eats fish"
            and "base" in self.forms.get(self.low[stop + 1], ())
        ):
            return False
        if "past" in forms:
            return following != "X"
        if self._is_plural(at, stop):
            return "base" in forms and following in ("D", "P", "R", "M", "U", "N", ".", "")
        return third and not (following in ("X", ",", ".", "C", "") and self.low[stop][:-1] in ALSO_NOUNS)

    def _is_plural(self, at: int, end: int) -> bool:
        if end <= at:
            return False
        last = self.low[end - 1]
        if "of" in (phrase := self.low[at:end]) and (first_of := phrase.index("of")):
            last = phrase[first_of - 1]
        return last in ("people", "kids", "children", "parents") or (
            last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3
        )

    def _name_end(self, at: int) -> int:
        stop = at
        most = min(self.count, at + 6)
        while stop < most:
            low, tag = self.low[stop], self.tags[stop]
            if (
                tag == "U"
                or (tag in ("V", "N", "M") and self.texts[stop][0].isupper())
                or (tag == "M" and stop > at)
                or (low in _LAST_NAME_PARTS and low != "and" and stop > at and self.tags[stop + 1] == "U")
                or (low == "." and stop > at and self.low[stop - 1] in _TITLES)
            ):
                stop += 1
            elif low == "'s" and stop > at and self._possessive(stop):
                return self._phrase_end(stop + 1)
            elif tag == "N" and stop > at and self.tags[stop + 1] == "X":
                stop += 1
            else:
                break
        return stop

    def _extended(self, noun: Noun) -> Noun:
        """With a phrase between the noun and its verb: "the wifi at the cabin", "Ana, my boss,"."""
        at = noun.end
        if self.low[at] == "next" and self.low[at + 1] == "door":  # "the couple next door"
            at += 2
            noun = Noun(noun.kind, noun.begin, at, noun.plural)
        if at >= self.count:
            return noun
        tag = self.tags[at]
        if tag == "," and noun.kind in ("named", "my", "thing"):
            stop = at + 1
            while stop < min(self.count, at + 9) and self.tags[stop] != ",":
                if self.tags[stop] == ".":
                    return noun
                stop += 1
            closed = stop > at + 1 and self.tags[stop] == "," and self.tags[stop + 1] in ("X", "V", "R")
            named = self.tags[at + 1] == "U"
            if noun.kind == "thing" and not (named and self.tags[noun.begin] == "D"):
                return noun  # "the twins, Ada and Nell," and no "on Mondays, Tom, ..."
            if closed and (named or self.tags[at + 1] in ("D", "N") or self.low[at + 1] == "that"):
                return Noun(noun.kind, noun.begin, stop + 1, noun.plural, (at + 1, stop))
            return noun
        if tag == "P" and self.low[at] in _LEADING_ON:
            begin = at + 1
            if self.tags[begin] == "D":
                begin += 1
            end = self._phrase_end(begin)
            if noun.plural:  # "the builds for Heron run on Jenkins"
                end = next((stop for stop in range(begin + 1, end) if self._is_of_several(stop)), end)
            if begin < end < self.count and (
                self.tags[end] == "X"
                or (self.tags[end] == "V" and self._reads_as_verb(begin, end))
                or (noun.plural and self._is_of_several(end))
            ):
                return Noun(noun.kind, noun.begin, end, noun.plural)
            if begin < end and (noun.kind == "my" or self.tags[noun.begin] == "D"):
                further = self._past_day(end)
                if further > end:
                    return Noun(noun.kind, noun.begin, further, noun.plural)
            if noun.kind == "thing" and self.tags[end] == "," and self.tags[end + 1] == "U":
                # "the man across the road, Mr Ellwood,"
                whole = self._extended(Noun("thing", noun.begin, end, noun.plural))
                return whole if whole.apposed is not None else noun
        if tag == "U" and noun.kind == "my":
            end = self._name_end(at)
            if end > at:
                return Noun("my", noun.begin, end, False)
        return noun

    def _past_day(self, at: int) -> int:
        """Past the day that stands before the verb: "my flight to Oslo on Friday leaves"; else `at`."""
        if self.low[at] not in ("on", "in", "at") or self.low[at + 1] not in DAYS or at + 2 >= self.count:
            return at
        is_verb = self.tags[at + 2] == "X" or (
            self.tags[at + 2] == "V" and self._reads_as_verb(at + 1, at + 2)
        )
        return at + 2 if is_verb else at


OPENING: Final = frozenset(
    "hi hello hey oh ah well yes yeah yep yup no nope nah ok okay sure right sorry thanks thank please "
    "btw fyi "
    "lol haha hmm um uh ugh wow yay omg damn man dude mate bro anyway anyways look listen tbh ngl great cool "
    "nice awesome good morning afternoon evening soz thx cheers congrats update correction news "
    "last next this every by in on at for from to after before during since until as of with".split()
)
"""Words before a subject that are none themselves."""
