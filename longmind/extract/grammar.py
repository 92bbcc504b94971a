"""The clauses of a sentence: who or what each is about, and what its verb says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from longmind.extract.nouns import OPENING, Noun, NounReader, SubjectKind
from longmind.extract.tokens import BE, HAVE
from longmind.extract.verb_group import VerbGroup, may_be_verb, verb_group
from longmind.extract.verbs import ALSO_NOUNS
from longmind.extract.words import Words


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

    def part(self, after: int, end: int) -> ParsedClause:
        """The same subject and verb, with some of the words of the complement."""
        verb = self.verb
        group = VerbGroup(
            verb.lemma, verb.form, verb.tense, verb.denied, verb.ended, verb.unreal, verb.passive, verb.first,
            after,
        )  # fmt: skip
        return ParsedClause(
            self.kind, self.begin, self.subject_end, group, end, self.link, self.shared, self.apposed
        )


class Parser(NounReader):
    """Finds the clauses of one sentence, from left to right."""

    def __init__(self, words: Words) -> None:
        super().__init__(words)
        self.uncut = "." not in words.tags and _MAY_CUT.isdisjoint(words.lows)

    def clauses(self) -> list[ParsedClause]:
        """Every clause with a finite verb whose subject is told, borrowed or plainly left out."""
        clauses: list[ParsedClause] = []
        at, link, opening = 0, "", True
        last = self._last_verb()
        while at <= last:
            low, tag = self.low[at], self.tags[at]
            if low == "who" and (relative := self._relative(at)) is not None:
                if clauses and clauses[-1].end > at:
                    clauses[-1].end = self._boundary(at)
                clauses.append(relative)
                at, link, opening = max(relative.verb.after, at + 1), "", False
                continue
            if tag in ("C", ",", ".", "S"):
                if tag != "," or not opening:
                    link = low
                at, opening = at + 1, True
                continue
            if opening and low == "from" and self.low[at + 2] == "on":
                at += 3  # "so from here on indent with tabs"
                continue
            if low in ("there", "here") and self.low[at + 1] in _THERE_IS:
                at, opening = at + 2, False
                continue
            # Inside a clause only "I" and "my" begin another one without a conjunction.
            inside = not opening and clauses and clauses[-1].end > at
            if inside and tag != "I" and low not in ("my", "our"):
                at += 1
                continue
            clause = self._clause(at, clauses, link, opening=opening)
            if clause is not None and not clause.shared and at and self.low[at - 1] in _TIMED:
                clause.link = self.low[at - 1]
            if clause is not None:
                if clauses and clauses[-1].end > at:
                    clauses[-1].end = self._boundary(at)
                clauses.append(clause)
                at, link, opening = max(clause.verb.after, at + 1), "", False
                continue
            at += 1
            opening = opening and (tag == "R" or low in OPENING)
        return clauses

    def _last_verb(self) -> int:
        """The last word that may be a verb or help one; -1 where none may, and there is no clause."""
        if "V" not in self.tags and "X" not in self.tags and "I" not in self.tags and "U" not in self.tags:
            return -1
        at = self.count - 1
        while at >= 0 and not may_be_verb(self.words, at):
            at -= 1
        return at

    def _relative(self, at: int) -> ParsedClause | None:
        """ "My sister, who lives in Turku": the clause of whoever stands before "who"."""
        end = at - 1 if at and self.tags[at - 1] == "," else at
        for begin in range(max(0, end - 5), end):
            if self.low[begin] not in ("my", "our") and self.tags[begin] != "U":
                continue
            noun = self._simple(begin)
            if noun is not None and noun.kind == "my" and noun.end < end and self.tags[noun.end] == "U":
                noun = Noun("my", begin, self._name_end(noun.end), False)
            if noun is not None and noun.end == end:
                verb = verb_group(self.words, at + 1, self.count, third=True, plural=noun.plural)
                if verb is not None:
                    return ParsedClause(noun.kind, begin, end, verb, self._complement_end(verb.after), "who")
        return None

    def _boundary(self, at: int) -> int:
        at = self._fronted(at)
        while at > 0 and (
            self.tags[at - 1] in ("C", ",", "S", ".", "R") or self.low[at - 1] in _BEFORE_CLAUSE
        ):
            if self.tags[at - 1] == "R" and not (at > 1 and self.tags[at - 2] in ("C", ",", ".")):
                break
            at -= 1
        if at > 1 and self.tags[at - 1] == "X" and self.low[at - 2] in _ASKING:
            return at - 2  # "it's fun how do I order a coffee"
        return at

    def _fronted(self, at: int) -> int:
        """Where a phrase after a comma begins that stands before a subject: "..., on Wednesdays my wife"."""
        for comma in range(at - 2, max(at - 5, 0), -1):
            tag = self.tags[comma]
            if tag == ",":
                return comma if self.tags[comma + 1] == "P" else at
            if tag in ("C", "S", "X", "I", "."):
                break
        return at

    def _clause(
        self, at: int, earlier: list[ParsedClause], link: str, *, opening: bool
    ) -> ParsedClause | None:
        low = self.low[at]
        follows = bool(earlier) and earlier[-1].end > at
        if opening and link in ("and", ",") and earlier and self._is_plainly_verb(at, earlier[-1]):
            return self._shared(at, earlier[-1], link)  # "and clean offices": no offices that are clean
        if opening or not follows or self.tags[at] == "I" or low in ("my", "our"):
            clause = self._with_subject(at, link, inside=follows and not opening)
            if clause is not None:
                return clause
        ordered = link == "so" and opening and low in ("do", "don't", "please")
        if ordered or (opening and link == "so" and earlier and earlier[-1].kind in ("thing", "named")):
            order = self._without_subject(at, link, first=False)
            if order is not None and order.kind == "order":
                return order  # "the house style is tabs, so indent with tabs"
        if opening and link in ("and", "but", "or", ",", "then", "plus", "&", "so", "n") and earlier:
            return self._shared(at, earlier[-1], link)
        if opening and not (earlier and follows and link not in (".", "", ":", "-", "!", "—", "–", ",")):
            return self._without_subject(at, link, first=not earlier)
        return None

    def _with_subject(self, at: int, link: str, *, inside: bool) -> ParsedClause | None:
        noun = self._noun(at, inside=inside)
        if noun is None:
            return None
        if noun.kind == "my" and at and self.tags[at - 1] == "V" and self.low[at - 1][-3:] == "ing":
            return None  # "seeing my students succeed motivates me"
        third = noun.kind not in ("i", "we", "you") and not (
            noun.kind == "pronoun" and self.low[at] == "they"
        )
        verb = verb_group(self.words, noun.end, self.count, third=third, plural=noun.plural)
        if verb is None or (self.low[verb.after - 1] == "'s" and self.low[verb.after] in ("", ",", ".")):
            return None
        if inside and noun.kind == "my" and verb.form == "past" and self.low[at - 1] in _CAUSING:
            return None  # "I had my appendix removed"
        if inside and noun.kind == "my" and self.low[verb.first] == "'s":
            return None  # "my son's team", in the middle of something
        if self.low[verb.first] == "'s" and self.low[verb.first + 1] in _FINITE:
            return None  # "my sister's has four": of something that is not named again
        if self.low[verb.first] == "'s" and self._is_owner(verb.first + 1):
            return None  # "my son's teacher, Mrs Bloom, is leaving"
        if (
            verb.form in ("third", "base", "past")
            and verb.first == verb.after - 1
            and self.low[verb.after] in _BE_OR_HAVE
        ):
            return None  # "further studies are needed"
        if verb.lemma == "have" and self.low[verb.after] == "to" and self.low[verb.after + 1] == "be":
            verb.lemma, verb.after = "be", verb.after + 2
        return ParsedClause(
            noun.kind,
            noun.begin,
            noun.end,
            verb,
            self._complement_end(verb.after),
            link,
            apposed=noun.apposed,
        )

    def _is_owner(self, at: int) -> bool:
        """Whether "'s" says whose the following thing is: it is named once more, and then has a verb."""
        while at < self.count and self.tags[at] == "N":
            at += 1
        if self.tags[at] != "," or self.tags[at + 1] != "U":
            return False
        at += 1
        while self.tags[at] == "U":
            at += 1
        return self.tags[at] == "," and self.tags[at + 1] in ("X", "V")

    def _shared(self, at: int, before: ParsedClause, link: str) -> ParsedClause | None:
        if self.low[at] in ("there", "here"):
            return None
        if link in ("so", "nor") and self.tags[at] == "X":
            return None  # "and so is her son"
        if self.low[at] == "be" or (link == "," and self.low[at] == "like"):
            return None  # "asked them to join and be quick"; "new styles, like hot yoga": a preposition
        third = before.kind not in ("i", "we", "you", "elided", "order") and self.low[before.begin] != "they"
        if before.kind in ("elided", "order"):
            verb = verb_group(self.words, at, self.count, third=False, bare=True)
            if verb is not None and verb.form != before.verb.form:
                verb = None
        else:
            begins = before.verb.first
            plural = before.verb.form == "base" and (self.tags[begins] != "X" or self.low[begins] in _PLURAL)
            verb = verb_group(self.words, at, self.count, third=third, plural=third and plural)
        if (
            verb is None
            and before.verb.lemma == "be"
            and not before.verb.unreal
            and link in ("and", "but", ",")
        ):
            verb = self._going_on(at, before.verb)
        if verb is None:
            return None
        word = self.low[verb.after - 1]
        if (
            verb.form == "base"
            and verb.lemma not in ("be", "have")
            and before.kind not in ("elided", "order")
            and (before.verb.lemma == "be" or before.verb.tense in _DONE_OR_GOING_ON)
            and "to" in self.low[before.verb.after : at - 1]
        ):
            return None  # "to save money and avoid stress": what is done for, and by nobody yet
        if verb.form == "third" and self.low[before.verb.first] in _PLURAL:
            return None  # "my cats are called Miso and Nori, and the dog, Taco, belongs to a neighbour"
        if verb.form in ("base", "third", "past") and verb.first == verb.after - 1:
            following = self.tags[verb.after]
            plain = self._is_plainly_verb(at, before)
            if link == "," and word in ALSO_NOUNS and following not in ("P", "D") and not plain:
                return None
            if link == "," and verb.form == "past" and before.verb.lemma == "be":
                return None
            is_noun = word in ALSO_NOUNS or (verb.form == "third" and word[:-1] in ALSO_NOUNS)
            if verb.form == "third" and verb.lemma in _TAKES_NOUNS and self.low[verb.after][-3:] == "ing":
                is_noun = False  # "is nearly twelve, loves skateboarding"
            if link in ("and", ",") and verb.form == "third" and following == "N":
                is_noun = word in ALSO_NOUNS  # "is nine and plays chess": no noun goes on so in the plural
            if plain:
                is_noun = False
            if is_noun and (
                following not in ("D", "P", "M", "U", "R")
                or (before.verb.lemma in _TAKES_NOUNS and self.low[verb.after] == "of")
            ):
                return None
        kind = before.kind
        if before.verb.unreal or (before.verb.tense in ("future", "can", "cannot") and verb.form == "base"):
            verb.unreal, verb.tense = before.verb.unreal, before.verb.tense
        return ParsedClause(
            kind,
            before.begin,
            before.subject_end,
            verb,
            self._complement_end(verb.after),
            link,
            shared=True,
            apposed=before.apposed,
        )

    def _is_plainly_verb(self, at: int, before: ParsedClause) -> bool:
        """ "I teach geography and play cornet": before a noun of no compound it is a verb."""
        behind = self.low[at + 1]
        return (
            self.low[at] in _SELDOM_NOUNS
            and self.tags[at + 1] in ("N", "V")
            and before.verb.lemma not in _TAKES_ANYTHING
            and before.verb.form in ("base", "third")
            and before.verb.after < at - 1  # the verb before has an object of its own
            and behind not in _SECOND_NOUNS
            and self.low[at + 2] not in _SECOND_NOUNS
        )

    def _going_on(self, at: int, before: VerbGroup) -> VerbGroup | None:
        """ "Petra is back and leading the team": the second shares the "is" of the first."""
        verb = verb_group(self.words, at, self.count, third=False, bare=True)
        if verb is None or verb.form != "ing" or self.tags[at] == "X":
            return None
        verb.tense = "past" if before.tense == "past" else "progressive"
        verb.denied = False
        return verb

    def _without_subject(self, at: int, link: str, *, first: bool) -> ParsedClause | None:
        start = at
        while start < self.count and self.tags[start] == "R":
            start += 1
        low, tag = self.low[start], self.tags[start]
        if tag not in ("V", "X") or low in ("last", "frequent", "'s", "'d"):
            return None
        if start and self.low[start - 1] == "no":
            return None  # "no spare time"
        if not _POINTS.isdisjoint(self.low[at:start]) or (tag == "X" and low not in _LEFT_ALONE):
            return None
        verb = verb_group(self.words, at, self.count, third=False, bare=True)
        if verb is None or (verb.form == "base" and verb.lemma not in _MAKING and self._is_third(verb.after)):
            return None  # "hard work pays off": the first of the two is a noun
        if verb.form == "ing" and tag == "V" and self._is_doing_a_subject(verb.after):
            return None
        if verb.form == "past" and verb.lemma == low and not _ASKED.isdisjoint(self.low[:start]):
            verb.form, verb.tense = "base", "present"  # "always put the sum first", which was done by nobody
        casual = self.texts[start].islower() and verb.lemma in _OWN_STATES and first
        if low in ("don't", "do", "be"):
            kind: SubjectKind = "elided" if casual else "order"
        elif casual or verb.form in ("past", "ing", "participle") or tag == "X":
            kind = "elided"
        else:
            kind = "order"
        return ParsedClause(kind, at, at, verb, self._complement_end(verb.after), link)

    def _is_doing_a_subject(self, at: int) -> bool:
        """ "Building a brand and finding customers is hard": what is said is said of the doing."""
        while at < self.count and self.tags[at] not in (",", ".", "S", "I"):
            if self.tags[at] == "C" and not self.low[at + 1].endswith("ing"):
                return False
            if self.tags[at] == "X":
                return self.tags[at - 1] not in ("I", "C")
            at += 1
        return False

    def _is_third(self, at: int) -> bool:
        return self.tags[at] == "V" and [*self.forms[self.low[at]]] == ["third"]

    def _complement_end(self, at: int) -> int:
        """Up to a mark that ends a clause, or a word that begins a dependent one."""
        if self.uncut:
            return max(at, self.count)
        for stop in range(at, self.count):
            tag = self.tags[stop]
            if tag == ".":
                if self.texts[stop] not in _INSIDE:
                    return stop
            elif (low := self.low[stop]) in _MAY_CUT and stop > at:
                if low == "unlike" or (tag == "S" and low in _CUTTING):
                    return stop  # "unlike my sister": said of somebody else, and the contrary
                if low == "as" and self.low[stop + 1] in _FINITE:
                    return stop  # "left-handed, as is her brother"
        return max(at, self.count)


_SELDOM_NOUNS: Final = frozenset(
    "play love coach drive walk visit paint clean cook ride run study sketch craft brew train plant travel "
    "record host design enjoy help".split()
)
"""Of the verbs that are nouns as well, those that before a noun are mostly verbs."""
_TAKES_ANYTHING: Final = frozenset(
    "be like love enjoy hate prefer adore dislike need want use offer provide include have get see know "
    "recommend suggest mean do take buy stock".split()
)
"""Behind these two nouns are as likely as two verbs: "I like work and play areas"."""
_SECOND_NOUNS: Final = frozenset(
    "area areas group groups time times date dates therapy room rooms class classes lesson lessons club "
    "clubs night nights school schools shop shops supplies house houses stories story song songs letters "
    "letter poems poem trip trips programme programmes program programs equipment staff water air energy "
    "eating clothes living line lines list lists books book brushes studio work workers therapists dates "
    "money partners partner scenes guides scripts shoes bags bikes gear plans sessions session skills".split()
)
"""Nouns before which such a word is a noun: "play areas", "love songs", "clean water"."""
_DONE_OR_GOING_ON: Final = frozenset({"past", "perfect", "lasting", "progressive"})
_MAKING: Final = frozenset({"keep", "make"})
"""Before a noun that looks like a verb: "keep replies short"."""
_ASKING: Final = frozenset({"how", "what", "where", "when", "why", "which", "who"})
_INSIDE: Final = frozenset("%€$£#'\"°&/-+“”«»„")
"""Marks that end no clause."""
_THERE_IS: Final = frozenset("'s is are was were has 're".split())
_BE_OR_HAVE: Final = BE | HAVE
_CAUSING: Final = frozenset("have has had having get got getting 've".split())
_ASKED: Final = frozenset({"please", "always", "never"})
_POINTS: Final = frozenset({"there", "here", "how", "well"})
_LEFT_ALONE: Final = frozenset(
    "don't do be haven't been can't cannot didn't got won't wasn't was had have".split()
)
"""Auxiliaries before which the subject may be left out."""
_CUTTING: Final = frozenset(
    "if because although though while whereas unless which who whom whose when whenever cause cuz "
    "where".split()
)
_MAY_CUT: Final = _CUTTING | {"unlike", "as"}
_FINITE: Final = frozenset("is are was were has have had does do did will would can".split())
_PLURAL: Final = frozenset({"are", "were", "have", "aren't", "weren't", "haven't", "don't"})
_TIMED: Final = frozenset({"until", "till", "before", "since", "after"})
_OWN_STATES: Final = frozenset("work live love hate eat drink drive play study have own like smoke".split())
_BEFORE_CLAUSE: Final = frozenset("as than since until till before after".split())
_TAKES_NOUNS: Final = frozenset("like love enjoy hate prefer adore dislike".split())
