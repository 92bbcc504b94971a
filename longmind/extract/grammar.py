"""The clauses of a sentence: who or what each is about, and what its verb says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from longmind.extract.kin import is_relation
from longmind.extract.tokens import BE, DO, HAVE, MODALS, NEGATIVE, Token
from longmind.extract.verbs import ALSO_NOUNS, forms_by_name, verb_forms

Tense = Literal["present", "progressive", "lasting", "perfect", "past", "future", "can", "cannot"]
"""`lasting` is "have been living"; `future` is "going to" and "will"."""
SubjectKind = Literal["i", "we", "my", "named", "thing", "pronoun", "you", "elided", "order"]
"""`thing` is "the cabin" or "deploys"; `elided` a verb alone ("Moved to Porto"); `order` an imperative."""


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


@dataclass(slots=True)
class ParsedClause:
    """Tokens: the subject `begin` to `subject_end`, the verb, and the complement up to `end`.

    `link` is the conjunction before it; `shared` marks a verb that borrows the subject of the one before.
    """

    kind: SubjectKind
    begin: int
    subject_end: int
    verb: VerbGroup
    end: int
    link: str = ""
    shared: bool = False
    apposed: tuple[int, int] | None = None


_NEG: Final = frozenset({"not", "never"})
_MODAL_TENSE: Final = {"will": "future", "'ll": "future", "won't": "future", "shall": "future"}
_ABILITY: Final = {"can": "can", "can't": "cannot", "cannot": "cannot", "couldn't": "cannot"}
_LAST_NAME_PARTS: Final = frozenset("of de da do del van von der den la le bin al and &".split())
_TITLES: Final = frozenset("mr mrs ms dr prof auntie aunt uncle tante grandma grandpa nana sir lady".split())


def verb_group(
    tokens: Sequence[Token], start: int, end: int, *, third: bool, plural: bool = False, bare: bool = False
) -> VerbGroup | None:
    """The verb that begins at `start`, if one does.

    `third` and `plural` say what the subject asks of its form. `bare` takes a verb without a subject: past,
    participle, base or -ing form as they come.
    """
    return _Group(tokens, start, end).read(third=third, plural=plural, bare=bare)


class _Group:
    """Reads auxiliaries one by one and then the verb."""

    def __init__(self, tokens: Sequence[Token], start: int, end: int) -> None:
        self.tokens, self.start, self.at, self.end = tokens, start, start, end
        self.denied = self.ended = self.unreal = False
        self.have = self.be = self.do = self.past = False
        self.used = False
        self.tense: Tense | None = None

    def read(self, *, third: bool, plural: bool, bare: bool) -> VerbGroup | None:
        while self.at < self.end:
            token = self.tokens[self.at]
            low = token.low
            if low in _NEG:
                self.denied = True
            elif low == "no" and self._next() == "longer":
                self.denied = self.ended = True
                self.at += 1
            elif low == "used" and self._next() == "to" and not self.be:
                self.used = self.ended = True
                self.at += 1
            elif token.tag == "X":
                if not self._auxiliary(low):
                    break
            elif token.tag != "R" or (self.be and low in _PREDICATIVE):
                break
            elif low in ("nearly", "almost", "maybe", "perhaps", "possibly", "supposedly", "allegedly"):
                self.unreal = True
            self.at += 1
        return self._main(third=third, plural=plural, bare=bare)

    def _next(self, by: int = 1) -> str:
        return self.tokens[self.at + by].low if self.at + by < self.end else ""

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
        while at < self.end and self.tokens[at].tag == "R":
            at += 1
        low = self.tokens[at].low if at < self.end else ""
        return low in ("been", "got", "had", "gone", "become", "taken", "started", "switched", "moved")

    def _forms(self) -> dict[str, str]:
        token = self.tokens[self.at] if self.at < self.end else None
        if token is None:
            return _NO_FORMS
        tag = token.tag
        if tag == "V":
            return forms_by_name(token.low)
        if tag == "U" and (self.at == 0 or token.text.isupper()):
            return forms_by_name(token.low)
        if tag == "N" and self.at and self.tokens[self.at - 1].tag == "I":
            return _guessed(token.low, self.tokens[self.at - 1].low)
        return _NO_FORMS

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
        return self._finite(forms, third=third, plural=plural, bare=bare)

    def _finite(self, forms: dict[str, str], *, third: bool, plural: bool, bare: bool) -> VerbGroup | None:
        if bare:
            if "past" in forms:
                return self._made(forms["past"], "past", tense="past")
            if "ing" in forms:
                return self._made(forms["ing"], "ing", tense="progressive")
            return self._made(forms["base"], "base") if "base" in forms else None
        present = "third" if third and not plural else "base"
        if present in forms:
            both = forms.get("past") == forms[present] and third
            return self._made(forms[present], present, tense="past" if both else "present")
        return self._made(forms["past"], "past", tense="past") if "past" in forms else None

    def _be(self, forms: dict[str, str]) -> VerbGroup:
        if "ing" in forms and self._next(0) not in _DESCRIBING:
            if forms["ing"] == "go" and self._next() == "to" and self._base_at(self.at + 2):
                self.at += 2
                lemma = forms_by_name(self._next(0)).get("base")
                self.tense = "future"
                if lemma is None:
                    lemma = self._next(0)
                return self._made(lemma, "base") or self._copula()
            tense: Tense = "past" if self.past else "lasting" if self.have else "progressive"
            return self._made(forms["ing"], "ing", tense=tense) or self._copula()
        if "participle" in forms and self._next(0) not in _ADJECTIVES:
            tense = "past" if self.past else "perfect" if self.have else "present"
            group = self._made(forms["participle"], "participle", tense=tense)
            if group is not None:
                group.passive = True
                return group
        return self._copula()

    def _base_at(self, at: int) -> bool:
        if at >= self.end:
            return False
        low = self.tokens[at].low
        return low in ("be", "have", "do") or any(w == "base" for _, w in verb_forms().get(low, ()))

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
        found = tense or self.tense or "present"
        return VerbGroup(
            lemma, which, found, self.denied, self.ended, self.unreal, False, self.start, after
        )


def _guessed(word: str, pronoun: str) -> dict[str, str]:
    """A verb that no list has, right after a pronoun: "I dyed", "she crochets"."""
    if word.endswith("ed") and len(word) > 4:
        return {"past": word[:-1], "participle": word[:-1]}
    if word.endswith("s") and len(word) > 4 and pronoun in ("he", "she", "it"):
        return {"third": word[:-1]}
    return _NO_FORMS


_NO_FORMS: Final[dict[str, str]] = {}


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


@dataclass(slots=True)
class _Noun:
    """A noun phrase: its tokens, and what it asks of the verb."""

    kind: SubjectKind
    begin: int
    end: int
    plural: bool
    apposed: tuple[int, int] | None = None


class Parser:
    """Finds the clauses of one sentence, from left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.count = len(tokens)

    def clauses(self) -> list[ParsedClause]:
        """Every clause with a finite verb whose subject is told, borrowed or plainly left out."""
        found: list[ParsedClause] = []
        at, link, opening = 0, "", True
        while at < self.count:
            token = self.tokens[at]
            if token.low == "who" and (relative := self._relative(at)) is not None:
                if found and found[-1].end > at:
                    found[-1].end = self._boundary(at)
                found.append(relative)
                at, link, opening = max(relative.verb.after, at + 1), "", False
                continue
            if token.tag in ("C", ",", ".", "S"):
                link = token.low if token.tag in ("C", "S") else link if token.tag == "," and opening else token.low
                at, opening = at + 1, True
                continue
            if token.low in ("there", "here") and self._low(at + 1) in ("'s", "is", "are", "was", "were", "has", "'re"):
                at, opening = at + 2, False
                continue
            clause = self._clause(at, found, link, opening=opening)
            if clause is not None and not clause.shared and at and self.tokens[at - 1].low in _TIMED:
                clause.link = self.tokens[at - 1].low
            if clause is not None:
                if found and found[-1].end > at:
                    found[-1].end = self._boundary(at)
                found.append(clause)
                at, link, opening = max(clause.verb.after, at + 1), "", False
                continue
            at += 1
            opening = opening and token.tag == "R" or (opening and token.low in _OPENING)
        return found

    def _relative(self, at: int) -> ParsedClause | None:
        """ "My sister, who lives in Turku": the clause of whoever stands before "who"."""
        end = at - 1 if at and self.tokens[at - 1].tag == "," else at
        for begin in range(max(0, end - 5), end):
            token = self.tokens[begin]
            if token.low not in ("my", "our") and token.tag != "U":
                continue
            noun = self._simple(begin)
            if noun is not None and noun.kind == "my" and noun.end < end and self.tokens[noun.end].tag == "U":
                noun = _Noun("my", begin, self._name_end(noun.end), False)
            if noun is not None and noun.end == end:
                verb = verb_group(self.tokens, at + 1, self.count, third=True, plural=noun.plural)
                if verb is not None:
                    return ParsedClause(noun.kind, begin, end, verb, self._complement_end(verb.after), "who")
        return None

    def _boundary(self, at: int) -> int:
        while at > 0 and (self.tokens[at - 1].tag in ("C", ",", "S", ".", "R") or self.tokens[at - 1].low in _BEFORE_CLAUSE):
            if self.tokens[at - 1].tag == "R" and not (at > 1 and self.tokens[at - 2].tag in ("C", ",", ".")):
                break
            at -= 1
        return at

    def _clause(
        self, at: int, found: list[ParsedClause], link: str, *, opening: bool
    ) -> ParsedClause | None:
        token = self.tokens[at]
        follows = bool(found) and found[-1].end > at
        if token.tag == "I" or opening or not follows or token.low in ("my", "our"):
            clause = self._with_subject(at, link, inside=follows and not opening)
            if clause is not None:
                return clause
        if opening and link in ("and", "but", "or", ",", "then", "plus", "&", "so", "n") and found:
            return self._shared(at, found[-1], link)
        if opening and not (found and follows and link not in (".", "", ":", "-", "!", "—", "–", ",")):
            return self._without_subject(at, link, first=not found)
        return None

    def _with_subject(self, at: int, link: str, *, inside: bool) -> ParsedClause | None:
        noun = self._noun(at, inside=inside)
        if noun is None:
            return None
        third = noun.kind not in ("i", "we", "you") and not (
            noun.kind == "pronoun" and self.tokens[at].low == "they"
        )
        verb = verb_group(self.tokens, noun.end, self.count, third=third, plural=noun.plural)
        if verb is None or (self.tokens[verb.after - 1].low == "'s" and self._low(verb.after) in ("", ",", ".")):
            return None
        if inside and noun.kind == "my" and self.tokens[verb.first].low == "'s":
            return None  # "my son's team", in the middle of something
        if verb.form in ("third", "base", "past") and verb.first == verb.after - 1 and (
            verb.after < self.count and self.tokens[verb.after].low in BE | HAVE
        ):  # fmt: skip
            return None  # "further studies are needed"
        if verb.lemma == "have" and self._low(verb.after) == "to" and self._low(verb.after + 1) == "be":
            verb.lemma, verb.after = "be", verb.after + 2
        return ParsedClause(
            noun.kind, noun.begin, noun.end, verb, self._complement_end(verb.after), link, apposed=noun.apposed
        )

    def _shared(self, at: int, before: ParsedClause, link: str) -> ParsedClause | None:
        if self.tokens[at].low in ("there", "here"):
            return None
        third = before.kind not in ("i", "we", "you", "elided", "order")
        if before.kind in ("elided", "order"):
            verb = verb_group(self.tokens, at, self.count, third=False, bare=True)
            if verb is not None and verb.form != before.verb.form:
                verb = None
        else:
            verb = verb_group(self.tokens, at, self.count, third=third)
        if verb is None:
            return None
        word = self.tokens[verb.after - 1].low
        if verb.form in ("base", "third", "past") and verb.first == verb.after - 1:
            following = self.tokens[verb.after].tag if verb.after < self.count else ""
            if link == "," and word in ALSO_NOUNS and following not in ("P", "D"):
                return None
            if link == "," and verb.form == "past" and before.verb.lemma == "be":
                return None
            if word in ALSO_NOUNS or (verb.form == "third" and word[:-1] in ALSO_NOUNS):
                following = self.tokens[verb.after].tag if verb.after < self.count else ""
                if following not in ("D", "P", "M", "U", "R") or before.verb.lemma in _TAKES_NOUNS and following == "P" and self.tokens[verb.after].low in ("and", "of"):
                    return None
        kind = before.kind
        if before.verb.unreal or (before.verb.tense in ("future", "can", "cannot") and verb.form == "base"):
            verb.unreal, verb.tense = before.verb.unreal, before.verb.tense
        return ParsedClause(
            kind, before.begin, before.subject_end, verb, self._complement_end(verb.after), link, shared=True,
            apposed=before.apposed,
        )  # fmt: skip

    def _without_subject(self, at: int, link: str, *, first: bool) -> ParsedClause | None:
        start = at
        while start < self.count and self.tokens[start].tag == "R":
            start += 1
        token = self.tokens[start] if start < self.count else None
        if any(self.tokens[i].low in ("there", "here", "how", "well") for i in range(at, start)):
            return None
        if token is None or token.low in ("last", "frequent") or token.tag not in ("V", "X") or token.low in ("'s", "'d"):
            return None
        if token.tag == "X" and token.low not in (
            "don't", "do", "be", "haven't", "been", "can't", "cannot", "didn't", "got", "won't", "wasn't", "was", "had",
            "have",
        ):  # fmt: skip
            return None
        verb = verb_group(self.tokens, at, self.count, third=False, bare=True)
        if verb is None:
            return None
        casual = token.text.islower() and verb.lemma in _OWN_STATES and first
        if token.low in ("don't", "do") or token.low == "be":
            kind: SubjectKind = "elided" if casual else "order"
        elif casual:
            kind = "elided"
        elif verb.form in ("past", "ing", "participle") or token.tag == "X":
            kind = "elided"
        else:
            kind = "order"
        return ParsedClause(kind, at, at, verb, self._complement_end(verb.after), link)

    def _complement_end(self, at: int) -> int:
        """Up to a mark that ends a clause, or a word that begins a dependent one."""
        depth_stop = at
        while depth_stop < self.count:
            token = self.tokens[depth_stop]
            if token.tag == "." and token.text not in ("%", "€", "$", "£", "#", "'", '"', "°", "&", "/", "-", "+", "“", "”", "«", "»", "„"):
                break
            if token.tag == "S" and token.low in _CUTTING and depth_stop > at:
                break
            depth_stop += 1
        return depth_stop

    # Noun phrases

    def _noun(self, at: int, *, inside: bool) -> _Noun | None:
        token = self.tokens[at]
        low = token.low
        if token.tag == "I":
            kind: SubjectKind = "i" if low == "i" else "we" if low == "we" else "you" if low == "you" else "pronoun"
            return _Noun(kind, at, at + 1, low in ("we", "they", "you"))
        if low == "me" and self._low(at + 1) in ("and", "n", "&"):
            end = self._phrase_end(at + 2)
            return _Noun("we", at, end, True) if end > at + 2 else None
        noun = self._simple(at)
        if noun is None:
            return None
        if self._low(noun.end) in ("and", "&", "n") and self._low(noun.end + 1) in ("i", "me"):
            return _Noun("we", at, noun.end + 2, True)
        return self._extended(noun)

    def _low(self, at: int) -> str:
        return self.tokens[at].low if at < self.count else ""

    def _simple(self, at: int) -> _Noun | None:
        token = self.tokens[at]
        low = token.low
        if low in ("my", "our"):
            end = self._phrase_end(at + 1)
            return _Noun("my", at, end, self._is_plural(at + 1, end)) if end > at + 1 else None
        if low in ("his", "her", "their"):
            end = self._phrase_end(at + 1)
            return _Noun("pronoun", at, end, self._is_plural(at + 1, end)) if end > at + 1 else None
        if at == 0 and low == "home":
            return _Noun("thing", at, at + 1, False)
        if at == 0 and token.tag in ("U", "N") and (end := self._bare_relation(at)) > at:
            return _Noun("my", at, end, self._is_plural(at, end))
        if token.tag == "U" or (token.text[:1].isupper() and token.tag in ("N", "V") and low not in _OPENING):
            end = self._name_end(at)
            if end == at + 1 and at == 0 and low.endswith("s") and self._is_base(end):
                return _Noun("thing", at, end, True)
            if end > at and not (end == at + 1 and token.tag == "V"):
                return _Noun("named", at, end, False)
        if low in ("the", "a", "an", "this", "that", "these", "those", "no", "every") or token.tag in ("N", "M", "V"):
            begin = at + 1 if token.tag in ("D", "S") else at
            if token.tag == "M" and begin + 1 < self.count and self.tokens[begin + 1].tag == "U":
                return None
            end = self._phrase_end(begin)
            if end <= begin or (token.tag == "V" and end == at + 1 and not low.endswith(("s", "ing"))):
                return None
            kind: SubjectKind = "my" if is_relation(self.tokens[end - 1].low) and token.tag != "D" else "thing"
            return _Noun(kind, at, end, self._is_plural(begin, end))
        return None

    def _is_base(self, at: int) -> bool:
        token = self.tokens[at] if at < self.count else None
        return token is not None and token.tag == "V" and any(w == "base" for _, w in verb_forms().get(token.low, ()))

    def _bare_relation(self, at: int) -> int:
        """Where a relative told without "my" ends: "Mum", "best mate"."""
        for end in (at + 1, at + 2):
            if end <= self.count and is_relation(self.tokens[end - 1].low):
                if end == at + 2 and self.tokens[at].low not in ("best", "older", "younger", "little", "big", "old"):
                    return at
                if end < self.count and self.tokens[end].low == "'s" and end + 1 < self.count and self._possessive(end):
                    return at
                return end
        return at

    def _phrase_end(self, at: int) -> int:
        """Past adjectives and nouns: up to the verb, a preposition or a mark; at most seven words."""
        stop = at
        while stop < min(self.count, at + 7):
            token = self.tokens[stop]
            if token.low == "'s" and stop > at:
                following = self.tokens[stop + 1] if stop + 1 < self.count else None
                if following is None or not self._possessive(stop):
                    break
            elif token.tag in ("N", "U", "M"):
                pass
            elif token.tag == "V":
                if stop > at and self._reads_as_verb(at, stop):
                    break
            elif token.tag == "R" and stop == at and token.low.endswith("ly"):
                pass
            elif token.low == "of" and stop > at:
                pass
            elif token.tag == "D" and stop > at and self._low(stop - 1) == "of":
                pass
            elif token.text in ("-", "#", "/"):
                pass
            else:
                break
            stop += 1
        while stop > at and self.tokens[stop - 1].low in ("of", "the", "-", "my"):
            stop -= 1
        return stop

    def _possessive(self, at: int) -> bool:
        """Whether 's is an owner's and no verb: a noun comes next and then, soon, a verb."""
        following = self.tokens[at + 1]
        if following.tag not in ("N", "V", "U", "M"):
            return False
        stop = at + 2
        while stop < min(self.count, at + 5):
            token = self.tokens[stop]
            if token.tag == "X" or token.low == "'s":
                return True
            if token.tag == "V" and any(w in ("third", "past", "base") for _, w in verb_forms().get(token.low, ())):
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
        if following is not None and (following.low == "'s" or following.tag == "X") and not forms & {"third"}:
            return False
        if following is not None and following.tag == "V" and forms == {"third"} and any(
            which == "base" for _, which in verb_forms().get(following.low, ())
        ):  # fmt: skip
            return False
        if forms & {"past"}:
            return not (following is not None and following.tag == "X")
        if plural:
            return "base" in forms and (following is None or following.tag in ("D", "P", "R", "M", "U", "N", "."))
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
            if token.tag == "U" or (token.tag in ("V", "N", "M") and token.text[:1].isupper()):
                stop += 1
            elif token.tag == "M" and stop > at:
                stop += 1
            elif token.low in _LAST_NAME_PARTS and token.low != "and" and stop + 1 < self.count and stop > at and self.tokens[stop + 1].tag == "U":
                stop += 1
            elif token.text == "." and stop > at and self.tokens[stop - 1].low in _TITLES:
                stop += 1
            elif token.low == "'s" and stop > at and self._possessive(stop):
                return self._phrase_end(stop + 1)
            elif token.tag == "N" and stop > at and stop + 1 < self.count and self.tokens[stop + 1].tag == "X":
                stop += 1
            else:
                break
        return stop

    def _extended(self, noun: _Noun) -> _Noun:
        """With a phrase that stands between the noun and its verb: "the wifi at the cabin", "Ana, my boss,"."""
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
                        return _Noun(noun.kind, noun.begin, stop + 1, noun.plural, (at + 1, stop))
            return noun
        if token.tag == "P" and token.low in ("at", "of", "in", "on", "for", "with", "from", "to"):
            begin = at + 1
            if begin < self.count and self.tokens[begin].tag == "D":
                begin += 1
            end = self._phrase_end(begin)
            if begin < end < self.count and (
                self.tokens[end].tag == "X" or (self.tokens[end].tag == "V" and self._reads_as_verb(begin, end))
            ):
                return _Noun(noun.kind, noun.begin, end, noun.plural)
        if token.tag == "U" and noun.kind == "my":
            end = self._name_end(at)
            if end > at:
                return _Noun("my", noun.begin, end, False)
        return noun


_CUTTING: Final = frozenset(
    "if because although though while whereas unless which who whom whose when whenever cause cuz where".split()
)
_TIMED: Final = frozenset({"until", "till", "before", "since", "after"})
_OWN_STATES: Final = frozenset("work live love hate eat drink drive play study have own like smoke".split())
_DESCRIBING: Final = frozenset(
    "interesting boring exciting missing amazing inspiring rewarding calming relaxing stunning challenging "
    "surprising comforting touching charming annoying frustrating confusing encouraging disappointing "
    "embarrassing overwhelming exhausting satisfying fascinating demanding promising outstanding".split()
)
"""Forms in -ing that after "be" only describe."""
_BEFORE_CLAUSE: Final = frozenset("as than since until till before after".split())
_TAKES_NOUNS: Final = frozenset("like love enjoy hate prefer adore dislike".split())
_OPENING: Final = frozenset(
    "hi hello hey oh ah well yes yeah yep yup no nope nah ok okay sure right sorry thanks thank please btw fyi "
    "lol haha hmm um uh ugh wow yay omg damn man dude mate bro anyway anyways look listen tbh ngl great cool "
    "nice awesome good morning afternoon evening soz thx cheers congrats update correction news "
    "last next this every by in on at for from to after before during since until as of with".split()
)
