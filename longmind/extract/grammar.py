"""The clauses of a sentence: who or what each is about, and what its verb says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from longmind.extract.nouns import OPENING, Noun, NounReader, SubjectKind
from longmind.extract.tokens import BE, HAVE
from longmind.extract.verb_group import VerbGroup, verb_group
from longmind.extract.verbs import ALSO_NOUNS, verb_forms


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


class Parser(NounReader):
    """Finds the clauses of one sentence, from left to right."""

    def clauses(self) -> list[ParsedClause]:
        """Every clause with a finite verb whose subject is told, borrowed or plainly left out."""
        clauses: list[ParsedClause] = []
        at, link, opening = 0, "", True
        while at < self.count:
            token = self.tokens[at]
            if token.low == "who" and (relative := self._relative(at)) is not None:
                if clauses and clauses[-1].end > at:
                    clauses[-1].end = self._boundary(at)
                clauses.append(relative)
                at, link, opening = max(relative.verb.after, at + 1), "", False
                continue
            if token.tag in ("C", ",", ".", "S"):
                link = (
                    token.low
                    if token.tag in ("C", "S")
                    else link
                    if token.tag == "," and opening
                    else token.low
                )
                at, opening = at + 1, True
                continue
            if opening and token.low == "from" and self._low(at + 2) == "on":
                at += 3  # "so from here on indent with tabs"
                continue
            if token.low in ("there", "here") and self._low(at + 1) in (
                "'s",
                "is",
                "are",
                "was",
                "were",
                "has",
                "'re",
            ):
                at, opening = at + 2, False
                continue
            # Inside a clause only "I" and "my" begin another one without a conjunction.
            inside = not opening and clauses and clauses[-1].end > at
            if inside and token.tag != "I" and token.low not in ("my", "our"):
                at += 1
                continue
            clause = self._clause(at, clauses, link, opening=opening)
            if clause is not None and not clause.shared and at and self.tokens[at - 1].low in _TIMED:
                clause.link = self.tokens[at - 1].low
            if clause is not None:
                if clauses and clauses[-1].end > at:
                    clauses[-1].end = self._boundary(at)
                clauses.append(clause)
                at, link, opening = max(clause.verb.after, at + 1), "", False
                continue
            at += 1
            opening = (opening and token.tag == "R") or (opening and token.low in OPENING)
        return clauses

    def _relative(self, at: int) -> ParsedClause | None:
        """ "My sister, who lives in Turku": the clause of whoever stands before "who"."""
        end = at - 1 if at and self.tokens[at - 1].tag == "," else at
        for begin in range(max(0, end - 5), end):
            token = self.tokens[begin]
            if token.low not in ("my", "our") and token.tag != "U":
                continue
            noun = self._simple(begin)
            if noun is not None and noun.kind == "my" and noun.end < end and self.tokens[noun.end].tag == "U":
                noun = Noun("my", begin, self._name_end(noun.end), False)
            if noun is not None and noun.end == end:
                verb = verb_group(self.tokens, at + 1, self.count, third=True, plural=noun.plural)
                if verb is not None:
                    return ParsedClause(noun.kind, begin, end, verb, self._complement_end(verb.after), "who")
        return None

    def _boundary(self, at: int) -> int:
        at = self._fronted(at)
        while at > 0 and (
            self.tokens[at - 1].tag in ("C", ",", "S", ".", "R") or self.tokens[at - 1].low in _BEFORE_CLAUSE
        ):
            if self.tokens[at - 1].tag == "R" and not (at > 1 and self.tokens[at - 2].tag in ("C", ",", ".")):
                break
            at -= 1
        return at

    def _fronted(self, at: int) -> int:
        """Where a phrase after a comma begins that stands before a subject: "..., on Wednesdays my wife"."""
        for comma in range(at - 2, max(at - 5, 0), -1):
            token = self.tokens[comma]
            if token.tag == ",":
                return comma if self.tokens[comma + 1].tag == "P" else at
            if token.tag in ("C", "S", "X", "I", "."):
                break
        return at

    def _clause(
        self, at: int, earlier: list[ParsedClause], link: str, *, opening: bool
    ) -> ParsedClause | None:
        token = self.tokens[at]
        follows = bool(earlier) and earlier[-1].end > at
        if token.tag == "I" or opening or not follows or token.low in ("my", "our"):
            clause = self._with_subject(at, link, inside=follows and not opening)
            if clause is not None:
                return clause
        ordered = link == "so" and opening and token.low in ("do", "don't", "please")
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
        third = noun.kind not in ("i", "we", "you") and not (
            noun.kind == "pronoun" and self.tokens[at].low == "they"
        )
        verb = verb_group(self.tokens, noun.end, self.count, third=third, plural=noun.plural)
        if verb is None or (
            self.tokens[verb.after - 1].low == "'s" and self._low(verb.after) in ("", ",", ".")
        ):
            return None
        if inside and noun.kind == "my" and self.tokens[verb.first].low == "'s":
            return None  # "my son's team", in the middle of something
        if self.tokens[verb.first].low == "'s" and self._low(verb.first + 1) in _FINITE:
            return None  # "my sister's has four": of something that is not named again
        if self.tokens[verb.first].low == "'s" and self._is_owner(verb.first + 1):
            return None  # "my son's teacher, Mrs Bloom, is leaving"
        if (
            verb.form in ("third", "base", "past")
            and verb.first == verb.after - 1
            and (verb.after < self.count and self.tokens[verb.after].low in BE | HAVE)
        ):
            return None  # "further studies are needed"
        if verb.lemma == "have" and self._low(verb.after) == "to" and self._low(verb.after + 1) == "be":
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
        while at < self.count and self.tokens[at].tag == "N":
            at += 1
        if self._tag(at) != "," or self._tag(at + 1) != "U":
            return False
        at += 1
        while self._tag(at) == "U":
            at += 1
        return self._tag(at) == "," and self._tag(at + 1) in ("X", "V")

    def _tag(self, at: int) -> str:
        return self.tokens[at].tag if at < self.count else ""

    def _shared(self, at: int, before: ParsedClause, link: str) -> ParsedClause | None:
        if self.tokens[at].low in ("there", "here"):
            return None
        if link in ("so", "nor") and self.tokens[at].tag == "X":
            return None  # "and so is her son"
        third = before.kind not in ("i", "we", "you", "elided", "order")
        if before.kind in ("elided", "order"):
            verb = verb_group(self.tokens, at, self.count, third=False, bare=True)
            if verb is not None and verb.form != before.verb.form:
                verb = None
        else:
            verb = verb_group(self.tokens, at, self.count, third=third)
        if (
            verb is None
            and before.verb.lemma == "be"
            and not before.verb.unreal
            and link in ("and", "but", ",")
        ):
            verb = self._going_on(at, before.verb)
        if verb is None:
            return None
        word = self.tokens[verb.after - 1].low
        if verb.form == "third" and self.tokens[before.verb.first].low in _PLURAL:
            return None  # "my cats are called Miso and Nori, and the dog, Taco, belongs to a neighbour"
        if verb.form in ("base", "third", "past") and verb.first == verb.after - 1:
            following = self.tokens[verb.after].tag if verb.after < self.count else ""
            if link == "," and word in ALSO_NOUNS and following not in ("P", "D"):
                return None
            if link == "," and verb.form == "past" and before.verb.lemma == "be":
                return None
            if word in ALSO_NOUNS or (verb.form == "third" and word[:-1] in ALSO_NOUNS):
                following = self.tokens[verb.after].tag if verb.after < self.count else ""
                if following not in ("D", "P", "M", "U", "R") or (
                    before.verb.lemma in _TAKES_NOUNS
                    and following == "P"
                    and self.tokens[verb.after].low in ("and", "of")
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

    def _going_on(self, at: int, before: VerbGroup) -> VerbGroup | None:
        """ "Petra is back and leading the team": the second shares the "is" of the first."""
        verb = verb_group(self.tokens, at, self.count, third=False, bare=True)
        if verb is None or verb.form != "ing" or self.tokens[at].tag == "X":
            return None
        verb.tense = "past" if before.tense == "past" else "progressive"
        verb.denied = False
        return verb

    def _without_subject(self, at: int, link: str, *, first: bool) -> ParsedClause | None:
        start = at
        while start < self.count and self.tokens[start].tag == "R":
            start += 1
        token = self.tokens[start] if start < self.count else None
        if any(self.tokens[i].low in ("there", "here", "how", "well") for i in range(at, start)):
            return None
        if (
            token is None
            or token.low in ("last", "frequent")
            or token.tag not in ("V", "X")
            or token.low in ("'s", "'d")
        ):
            return None
        if token.tag == "X" and token.low not in (
            "don't",
            "do",
            "be",
            "haven't",
            "been",
            "can't",
            "cannot",
            "didn't",
            "got",
            "won't",
            "wasn't",
            "was",
            "had",
            "have",
        ):
            return None
        verb = verb_group(self.tokens, at, self.count, third=False, bare=True)
        if verb is None or (verb.form == "base" and self._is_third(verb.after)):
            return None  # "hard work pays off": the first of the two is a noun
        casual = token.text.islower() and verb.lemma in _OWN_STATES and first
        if token.low in ("don't", "do") or token.low == "be":
            kind: SubjectKind = "elided" if casual else "order"
        elif casual or verb.form in ("past", "ing", "participle") or token.tag == "X":
            kind = "elided"
        else:
            kind = "order"
        return ParsedClause(kind, at, at, verb, self._complement_end(verb.after), link)

    def _is_third(self, at: int) -> bool:
        token = self.tokens[at] if at < self.count else None
        return token is not None and token.tag == "V" and {w for _, w in verb_forms()[token.low]} == {"third"}

    def _complement_end(self, at: int) -> int:
        """Up to a mark that ends a clause, or a word that begins a dependent one."""
        depth_stop = at
        while depth_stop < self.count:
            token = self.tokens[depth_stop]
            if token.tag == "." and token.text not in (
                "%",
                "€",
                "$",
                "£",
                "#",
                "'",
                '"',
                "°",
                "&",
                "/",
                "-",
                "+",
                "“",
                "”",
                "«",
                "»",
                "„",
            ):
                break
            if token.tag == "S" and token.low in _CUTTING and depth_stop > at:
                break
            if token.low == "unlike" and depth_stop > at:
                break  # said of somebody else, and the contrary
            if token.low == "as" and depth_stop > at and self._low(depth_stop + 1) in _FINITE:
                break  # "left-handed, as is her brother"
            depth_stop += 1
        return depth_stop


_CUTTING: Final = frozenset(
    "if because although though while whereas unless which who whom whose when whenever cause cuz "
    "where".split()
)
_FINITE: Final = frozenset("is are was were has have had does do did will would can".split())
_PLURAL: Final = frozenset({"are", "were", "have", "aren't", "weren't", "haven't"})
_TIMED: Final = frozenset({"until", "till", "before", "since", "after"})
_OWN_STATES: Final = frozenset("work live love hate eat drink drive play study have own like smoke".split())
_BEFORE_CLAUSE: Final = frozenset("as than since until till before after".split())
_TAKES_NOUNS: Final = frozenset("like love enjoy hate prefer adore dislike".split())
