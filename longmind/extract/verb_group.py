"""The verb of a clause with its auxiliaries: which verb, in which tense, denied, over, or only imagined."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from longmind.extract.tokens import BE, DO, HAVE, MODALS, NEGATIVE
from longmind.extract.verbs import forms_by_word
from longmind.extract.words import Words

Tense = Literal["present", "progressive", "lasting", "perfect", "past", "future", "can", "cannot"]
"""`lasting` is "have been living"; `future` is "going to" and "will"."""


@dataclass(slots=True)
class VerbGroup:
    """The verb with its auxiliaries: tokens `first` to `after`, which is where the complement begins."""

    lemma: str
    form: str
    tense: Tense
    denied: bool
    ended: bool
    unreal: bool
    passive: bool
    first: int
    after: int


_NEG: Final = frozenset({"not", "never"})
_MODAL_TENSE: Final = {"will": "future", "'ll": "future", "won't": "future", "shall": "future"}
_ABILITY: Final = {"can": "can", "can't": "cannot", "cannot": "cannot", "couldn't": "cannot"}
_DESCRIBING: Final = frozenset(
    "interesting boring exciting missing amazing inspiring rewarding calming relaxing stunning challenging "
    "surprising comforting touching charming annoying frustrating confusing encouraging disappointing "
    "embarrassing overwhelming exhausting satisfying fascinating demanding promising outstanding".split()
)
"""Forms in -ing that after "be" only describe."""
_BEFORE_TITLES: Final = frozenset(
    "managing acting founding commanding visiting consulting practising practicing presiding sitting "
    "contributing supporting teaching attending".split()
)
_TITLES: Final = frozenset(
    "director partner editor agent trustee head headmaster headmistress headteacher president secretary "
    "chair chairman chairwoman chairperson member manager chief captain dean officer professor lecturer "
    "fellow scholar engineer physician doctor judge mayor principal assistant treasurer ceo".split()
)
"""An office, before which such a form says which one."""


def verb_group(
    words: Words, start: int, end: int, *, third: bool, plural: bool = False, bare: bool = False
) -> VerbGroup | None:
    """The verb that begins at `start`, if one does.

    `third` and `plural` say what the subject asks of its form. `bare` takes a verb without a subject: past,
    participle, base or -ing form as they come.
    """
    if start < end and _stands_alone(words, start):
        return _plain(words, start, third=third, plural=plural, bare=bare)
    if not _may_begin(words, start):
        return None
    return _Group(words, start, end).read(third=third, plural=plural, bare=bare)


def _may_begin(words: Words, at: int) -> bool:
    """Whether the word can be the first of a group: an adverb, an auxiliary or a verb."""
    return words.tags[at] == "R" or may_be_verb(words, at) or words.low[at] == "no"


def may_be_verb(words: Words, at: int) -> bool:
    """Whether the word can be a verb or an auxiliary: one of a list, or any word after "I" or "she"."""
    tag = words.tags[at]
    if tag == "V" or tag == "X":
        return True
    if tag == "U":
        return at == 0 or words.texts[at].isupper() or words.low[at] == "used"
    return tag == "N" and at > 0 and words.tags[at - 1] == "I"


class _Group:
    """Reads auxiliaries one by one and then the verb."""

    __slots__ = (
        "at", "be", "denied", "do", "end", "ended", "have", "low", "past", "start", "tags", "tense",
        "unreal", "used", "words",
    )  # fmt: skip

    def __init__(self, words: Words, start: int, end: int) -> None:
        self.words, self.low, self.tags = words, words.low, words.tags
        self.start, self.at, self.end = start, start, end
        self.denied = self.ended = self.unreal = False
        self.have = self.be = self.do = self.past = False
        self.used = False
        self.tense: Tense | None = None

    def read(self, *, third: bool, plural: bool, bare: bool) -> VerbGroup | None:
        while self.at < self.end:
            low, tag = self.low[self.at], self.tags[self.at]
            if low in _NEG:
                self.denied = True
            elif low == "no" and self._next() == "longer":
                self.denied = self.ended = True
                self.at += 1
            elif low == "used" and self._next() == "to" and not self.be:
                self.used = self.ended = True
                self.at += 1
            elif tag == "X":
                if not self._auxiliary(low):
                    break
            elif tag != "R" or (self.be and low in _PREDICATIVE and not self._is_return(low)):
                break
            elif self._next() in _VERBS_TOO.get(low, ()) and self.tags[self.at - 1] == "I":
                break  # "I back up my files"
            elif low in ("nearly", "almost", "maybe", "perhaps", "possibly", "supposedly", "allegedly"):
                self.unreal = True
            self.at += 1
        return self._main(third=third, plural=plural, bare=bare)

    def _is_return(self, low: str) -> bool:
        """ "I'm back on the night shift": what is said is "on the night shift"."""
        return low == "back" and self._next() in ("on", "in", "at", "with")

    def _next(self, by: int = 1) -> str:
        return self.low[self.at + by] if self.at + by < self.end else ""

    def _auxiliary(self, low: str) -> bool:
        if low in NEGATIVE:
            self.denied = True
        if low in MODALS:
            if low in _ABILITY:
                self.tense = "cannot" if _ABILITY[low] == "cannot" else "can"
                self.unreal = self.unreal or low == "couldn't"
            elif low in _MODAL_TENSE:
                self.tense = "future"
            elif low == "'d" and self._next() in ("been", "had", "gone", "run"):
                self.have = self.past = True
            else:
                self.unreal = True
        elif low in HAVE:
            if self.have:
                return False
            self.have, self.past = True, self.past or low in ("had", "hadn't")
        elif low in BE or low == "'s":
            if low == "'s" and self._participle_after() and not self._next().endswith("ing"):
                self.have = True
                return True
            if self.be and low not in ("being",):
                return False
            self.be = True
            self.past = self.past or low in ("was", "were", "wasn't", "weren't")
        elif low in DO:
            if self.do or self.have or self.be or self.tense is not None or self.unreal:
                return False
            self.do, self.past = True, self.past or low in ("did", "didn't")
        return True

    def _participle_after(self) -> bool:
        at = self.at + 1
        while at < self.end and self.tags[at] == "R":
            at += 1
        low = self.low[at] if at < self.end else ""
        if low in ("been", "got", "had", "gone", "become", "taken", "started", "switched", "moved"):
            return True
        # "Ella's sold the violin" has an object, which "the violin's sold" has not.
        if low not in _PARTED_WITH or at + 1 >= self.end:
            return False
        return self.tags[at + 1] == "D"

    def _forms(self) -> dict[str, str]:
        if self.at >= self.end:
            return _NO_FORMS
        tag = self.tags[self.at]
        if tag == "R":
            return {"base": self.low[self.at]} if self.low[self.at] in _VERBS_TOO else _NO_FORMS
        if tag == "V" or (tag == "U" and (self.at == 0 or self.words.texts[self.at].isupper())):
            return forms_by_word().get(self.low[self.at], _NO_FORMS)
        if tag == "N" and self.at and self.tags[self.at - 1] == "I":
            low, pronoun = self.low[self.at], self.low[self.at - 1]
            return _guessed(low, pronoun) or (
                self._base_guessed(low) if pronoun in ("i", "we") else _NO_FORMS
            )
        return _NO_FORMS

    def _base_guessed(self, low: str) -> dict[str, str]:
        """A verb that no list has, before something that it is done to or with: "I captain the team"."""
        if len(low) < 4 or not low.isalpha() or low.endswith(_NO_VERB_ENDS) or low in _NO_VERBS:
            return _NO_FORMS
        if self.tags[self.at + 1] not in _OBJECTS or (self.at > 1 and self.tags[self.at - 2] == "U"):
            return _NO_FORMS  # "I money", "a Tiger I tank in grey"
        known = forms_by_word()
        if self.low[self.at + 1] in known or "".join(sorted(low)) in _letters_of_verbs():
            return _NO_FORMS  # "I jsut got home", "I lowkey hate it"; "I wnat a car"
        return {"base": low}

    def _main(self, *, third: bool, plural: bool, bare: bool) -> VerbGroup | None:
        forms = self._forms()
        if self.unreal or self.tense in ("future", "can", "cannot"):
            if self.be:
                return self._be(forms)
            if self.have:
                lemma = forms.get("participle")
                return self._made(lemma, "participle") if lemma else self._made("have", "base", own=True)
            lemma = forms.get("base")
            if lemma is None and self._next(0) in ("do", "have", "be"):
                return self._made(self._next(0), "base")
            return self._made(lemma, "base") if lemma else None
        if self.be:
            return self._be(forms)
        if self.have:
            lemma = forms.get("participle")
            if lemma is not None and not (third is False and bare):
                self.ended = self.ended or self.past
                return self._made(lemma, "participle", tense="past" if self.past else "perfect")
            tense: Tense = "past" if self.past and not self.used else "present"
            return self._made("have", "base", own=True, tense=tense)
        if self.used:
            lemma = forms.get("base") or (self._next(0) if self._next(0) in ("be", "do", "have") else None)
            return self._made(lemma, "base") if lemma else None
        if self.do:
            lemma = forms.get("base")
            if lemma is None and self._next(0) in ("have", "do", "be"):
                return self._made(self._next(0), "base", tense="past" if self.past else "present")
            if lemma is None:
                return self._made("do", "base", own=True, tense="past" if self.past else "present")
            return self._made(lemma, "base", tense="past" if self.past else "present")
        finite = _finite(forms, third=third, plural=plural, bare=bare)
        return None if finite is None else self._made(finite[0], finite[1], tense=finite[2])

    def _be(self, forms: dict[str, str]) -> VerbGroup:
        if "ing" in forms and self._next(0) not in _DESCRIBING and not self._is_title():
            if forms["ing"] == "go" and self._next() == "to" and self._base_at(self.at + 2):
                self.at += 2
                lemma = forms_by_word().get(self._next(0), _NO_FORMS).get("base")
                self.tense = "future"
                if lemma is None:
                    lemma = self._next(0)
                return self._made(lemma, "base") or self._copula()
            tense: Tense = "past" if self.past else "lasting" if self.have else self.tense or "progressive"
            return self._made(forms["ing"], "ing", tense=tense) or self._copula()
        if "participle" in forms and self._next(0) not in _ADJECTIVES:
            tense = "past" if self.past else "perfect" if self.have else "present"
            group = self._made(forms["participle"], "participle", tense=tense)
            if group is not None:
                group.passive = True
                return group
        return self._copula()

    def _is_title(self) -> bool:
        """ "Is managing director", "was acting head of the school": the word belongs to the office."""
        return self._next(0) in _BEFORE_TITLES and self._next() in _TITLES

    def _base_at(self, at: int) -> bool:
        if at >= self.end:
            return False
        low = self.low[at]
        return low in ("be", "have", "do") or "base" in forms_by_word().get(low, _NO_FORMS)

    def _copula(self) -> VerbGroup:
        tense: Tense = self.tense or ("past" if self.past else "perfect" if self.have else "present")
        group = self._made("be", "base", own=True, tense=tense)
        assert group is not None
        return group

    def _made(
        self, lemma: str | None, which: str, *, own: bool = False, tense: Tense | None = None
    ) -> VerbGroup | None:
        """`own`: the auxiliary itself is the verb, and nothing more is taken."""
        if lemma is None:
            return None
        after = self.at if own else self.at + 1
        own_tense = tense or self.tense or "present"
        return VerbGroup(
            lemma, which, own_tense, self.denied, self.ended, self.unreal, False, self.start, after
        )


def _stands_alone(words: Words, at: int) -> bool:
    """Whether the word is a verb without auxiliaries, as most are."""
    return words.tags[at] == "V" and not (words.low[at] == "used" and words.low[at + 1] == "to")


def _plain(words: Words, at: int, *, third: bool, plural: bool, bare: bool) -> VerbGroup | None:
    """A verb that stands alone."""
    forms = forms_by_word().get(words.low[at], _NO_FORMS)
    finite = _finite(forms, third=third, plural=plural, bare=bare)
    if finite is None:
        return None
    lemma, which, tense = finite
    return VerbGroup(lemma, which, tense, False, False, False, False, at, at + 1)


def _finite(forms: dict[str, str], *, third: bool, plural: bool, bare: bool) -> tuple[str, str, Tense] | None:
    """Verb, form and tense of a word without auxiliaries."""
    if bare:
        if "past" in forms:
            return forms["past"], "past", "past"
        if "ing" in forms:
            return forms["ing"], "ing", "progressive"
        return (forms["base"], "base", "present") if "base" in forms else None
    present = "third" if third and not plural else "base"
    if present in forms:
        both = forms.get("past") == forms[present] and third
        return forms[present], present, "past" if both else "present"
    return (forms["past"], "past", "past") if "past" in forms else None


def _guessed(word: str, pronoun: str) -> dict[str, str]:
    """A verb that no list has, right after a pronoun: "I dyed", "she crochets"."""
    if word.endswith("ed") and len(word) > 4:
        return {"past": word[:-1], "participle": word[:-1]}
    if word.endswith("s") and len(word) > 4 and pronoun in ("he", "she", "it"):
        return {"third": word[:-1]}
    return _NO_FORMS


@cache
def _letters_of_verbs() -> frozenset[str]:
    """Of the words that may follow "I", the letters in order: a word with the same ones is one mistyped."""
    return frozenset("".join(sorted(word)) for word in {*forms_by_word(), *MODALS, "just", "also", "only"})


_VERBS_TOO: Final = {"back": ("up",), "fast": ("during", "on", "until", "every")}
"""Adverbs that right after "I" are verbs before some words."""
_OBJECTS: Final = frozenset("DPUMNV")
_NO_VERB_ENDS: Final = ("s", "ly", "nt", "ing", "ness", "ful", "ous", "ic")
"""How no verb ends that is right after "I"; what ends in "nt" is mostly "dont" and "havent"."""
_NO_VERBS: Final = frozenset(
    "first second third last self person team gonna wanna gotta dunno reckon presume yeah yeap yepp nope "
    "nahh okay haha hehe totes deffo defo lowkey legit prolly literally kinda sorta hella right same both "
    "each myself ourselves guys".split()
)
"""What stands after "I" in other ways, or says what somebody only thinks: "when I first met him"."""


_NO_FORMS: Final[dict[str, str]] = {}


_PARTED_WITH: Final = frozenset(
    "swapped given sold left quit dropped traded changed replaced bought ditched stopped lost closed "
    "cancelled handed passed scrapped joined found chosen finished".split()
)
"""Participles of verbs that mostly have an object."""
_PREDICATIVE: Final = frozenset(
    "together long well home back away alone far abroad right half apart fast here there too very so quite "
    "rather pretty super full-time part-time almost nearly mostly".split()
)
"""Adverbs that after "be" belong to what is said."""

_ADJECTIVES: Final = frozenset(
    "married divorced retired engaged tired bored excited interested worried scared terrified confused lost "
    "done gone based located allergic stuck involved used supposed made left set known separated pregnant "
    "limited mixed fed hooked obsessed addicted pleased annoyed disappointed surprised relieved frustrated "
    "overwhelmed stressed exhausted qualified vaccinated self-employed employed born raised named called "
    "diagnosed settled promoted hired fluent open closed shut cut put hurt upset read".split()
)
"""Participles that the rules read after "be" themselves, or that only describe."""
