"""From sentences to what they say: each clause by the table of rules, else in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.changes import broken_up, each_end, find_changes, find_instead, is_gone
from longmind.extract.clauses import Clause, Person, When
from longmind.extract.coreference import SubjectReader, relatives_mentioned
from longmind.extract.corrections import corrects, find_correction, is_mended
from longmind.extract.described import described_as, is_lasting_news
from longmind.extract.ellipsis import after_a_death, find_successor, follows, is_gapped
from longmind.extract.fragments import find_in_fragment, find_pairs, find_relatives, is_listing
from longmind.extract.grammar import ParsedClause, Parser
from longmind.extract.instructions import find_order, topic_of
from longmind.extract.kin import COUNTED, RELATIONS
from longmind.extract.moods import CONDITIONS, asks, is_condition, is_doubted, is_reported, is_small_talk
from longmind.extract.needed_words import Gated
from longmind.extract.open_extraction import find_free
from longmind.extract.patterns import pattern
from longmind.extract.possessive import find_apposed, find_fixed, find_inverse, find_listed, find_possessed
from longmind.extract.relationships import (
    divorced_by,
    marriage_over,
    named_beside,
    out_of_work,
    own_by_name,
    owner_of,
    parted,
)
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.sentences import MASK
from longmind.extract.statements import ANY, SPEAKER
from longmind.extract.subjects import About, Scene
from longmind.extract.tokens import POSSESSIVES
from longmind.extract.verb_rules import find_by_verb, predicates_of
from longmind.extract.voice import Voiced
from longmind.extract.words import Words
from longmind.when.mentions import Mention, find_mention

_NOT_YET: Final = frozenset(
    {
        "until",
        "till",
        "before",
        "whether",
        "when",
        "whenever",
        "where",
        "what",
        "how",
        "why",
        "which",
        *CONDITIONS,
    }
)
_LEADERS: Final = frozenset(
    "director ceo cto cfo coo president chair chairman chairwoman head chief manager founder owner "
    "captain mayor "
    "editor treasurer secretary principal dean".split()
)
_PERSONS: Final[dict[str, Person]] = {"i": "i", "elided": "i", "we": "we"}
_NEITHER: Final = frozenset({"neither", "nor"})
_LIKING: Final = frozenset("like love enjoy adore hate detest dislike loathe despise".split())


class ClauseReader(SubjectReader):
    """Reads the sentences of one text in order, and remembers who has been spoken of."""

    def __init__(self, masked: str, *, closed: bool) -> None:
        self.masked = masked
        self.closed = closed
        self.scenes: dict[str | None, Scene] = {}
        self.span = (0, 0)
        self.label: str | None = None
        self.refused = False
        self.house: str | None = None
        self.timed = (0, 0)
        self.opening = 0
        self.has_time = False
        self.last_when: Range | None = None
        self.last: RuleMatch | None = None

    def sentence(self, voiced: Voiced) -> Iterator[RuleMatch]:
        """What one sentence says."""
        span = (voiced.sentence.start, voiced.sentence.end)
        if self.closed and _NAMES_SOMEBODY.search(self.masked, *span) is None:
            return
        speaker = voiced.first_person
        if self.masked[span[0]] == MASK and not self.masked[span[0] : span[1]].strip(MASK):
            self.refused = self.refused and speaker is None
            return  # code, or somebody else's words
        words = Words.between(self.masked, *span)
        scene = self.scenes.get(speaker)
        if scene is None:
            scene = self.scenes[speaker] = Scene(speaker, closed=self.closed)
        if speaker is not None:
            if self.masked.find(" me ", *span) >= 0:
                yield from find_fixed(self.masked, *span, speaker)
            low = self.masked[span[0] : span[1]].lower()
            if "my " in low or "our " in low:
                yield from after_a_death(list(find_apposed(words, *span, speaker)), self.masked, span)
            if not COUNTED.isdisjoint(words.lows):
                yield from find_listed(words, *span, speaker)
        self.span, self.label = span, voiced.sentence.label
        if not words.count:
            return
        if asks(words) or is_small_talk(words, scene):
            return
        if speaker is not None and is_listing(words, span):
            yield from find_in_fragment(words, span, scene)
            return
        if speaker is not None:
            mended, self.refused = find_correction(words, span, speaker, after=self.refused)
            if mended is not None:
                yield mended
                return
        clauses = Parser(words).clauses()
        real = [
            clause for clause in clauses if not (clause.kind == "order" and clause.verb.after >= clause.end)
        ]
        if len(real) > 1 and real[0].verb.form == "ing" and self._is_time(words, real[0]):
            real = real[1:]  # "Starting in May, I'll be at CERN"
        if not real:
            yield from find_in_fragment(words, span, scene)
            if speaker is not None:
                yield from find_relatives(words, span, speaker)
            return
        self.opening = words.starts[min(real[0].begin, real[0].verb.first)]
        yield from self._before(words, real[0], span, scene)
        conditional = not CONDITIONS.isdisjoint(words.lows) and any(
            is_condition(words, clause) for clause in real
        )
        previous: ParsedClause | None = None
        for clause in real:
            asserted = clause.link not in _NOT_YET and not is_reported(words, previous, clause)
            asserted = asserted and not is_doubted(words, clause)
            asserted = asserted and not (
                clause.link in ("since", "when", "while", "after") and clause.verb.tense == "past"
            )
            asserted = asserted and (
                not conditional or (clause.kind == "order" and clause.link not in CONDITIONS)
            )
            if asserted:
                yield from self._clause(words, clause, previous, scene, span)
            elif previous is None or clause.kind not in ("you", "order"):
                self._about(words, clause, scene)
            previous = clause

    def _is_time(self, words: Words, clause: ParsedClause) -> bool:
        start, end = words.clause(clause)
        when = find_mention(self.masked, start, end) if clause.verb.lemma in ("start", "begin") else None
        return when is not None and when.start == start and when.end == end

    def _before(self, words: Words, first: ParsedClause, span: Range, scene: Scene) -> Iterator[RuleMatch]:
        """A label or an appointment before the first clause, or after the last one."""
        at = min(first.begin, first.verb.first)
        if at >= 2 and words.texts[at - 1] in (",", ";", "-", "!", ":") and scene.speaker is not None:
            before = (span[0], words.starts[at - 1])
            own = words.some(0, at - 1)
            yield from find_in_fragment(own, before, scene)
            yield from find_relatives(own, before, scene.speaker)

    def _clause(
        self, words: Words, clause: ParsedClause, previous: ParsedClause | None, scene: Scene, span: Range
    ) -> Iterator[RuleMatch]:
        speaker = scene.speaker
        if clause.kind in ("you", "order"):
            if speaker is not None and clause.kind == "order":
                order = find_order(words, clause, speaker, span)
                if order is not None:
                    yield order
                if clause.verb.lemma == "note":
                    yield from find_in_fragment(
                        words, (words.span(clause.verb.after, clause.end)[0], span[1]), scene
                    )
            return
        if not _NEITHER.isdisjoint(words.lows) and not _NEITHER.isdisjoint(
            words.low[max(0, clause.begin - 5) : clause.verb.first]
        ):
            clause.verb.denied = True
        successor = find_successor(words, clause, self.last)
        if successor is not None:
            yield successor
            return
        about = self._about(words, clause, scene)
        if (
            about is not None
            and clause.kind == "named"
            and clause.verb.lemma in ("announce", "appoint", "say", "name")
        ):
            self.house = about.key
        if about is None and clause.kind == "my" and speaker is not None and not clause.verb.unreal:
            # A word of no use as a slot, like "number", may still begin one: "my number is".
            own = About(speaker, "speaker", attribute="")
            when = When(lambda: self._when(words, clause, previous, span))
            yield from self._by_table(words, clause, own, scene, when)
        if about is None:
            return
        yield from named_beside(words, clause, about, scene)
        if clause.kind == "my" and speaker is not None and about.relation is None and about.attribute is None:
            yield from own_by_name(words, clause, about, speaker)
        when = When(lambda: self._when(words, clause, previous, span))
        for match in self._told(words, clause, about, scene, when):
            if follows(match):
                self.last = match
            yield self._marked(match, words, clause)
        if (clause.apposed is None and about.sort != "thing") or about.attribute is None:
            whole = words.clause(clause)
            yield from find_pairs(words, words.span(clause.verb.after, clause.end), about, whole)
        self._object_mentioned(words, clause, scene)
        if speaker is not None and about.key == speaker:
            relatives_mentioned(words, clause, scene)
            yield from find_relatives(words, (words.span(clause.verb.after, clause.end)[1], span[1]), speaker)

    def _marked(self, match: RuleMatch, words: Words, clause: ParsedClause) -> RuleMatch:
        """A wish for answers in its own slot; a correction as one."""
        if (
            match.slot in ("prefers", "likes")
            and (less := _LESS.match(self.masked, *match.value)) is not None
        ):
            match = match._replace(value=(match.value[0], less.end("more")))
        if match.slot in ("prefers", "likes") and match.subject == SPEAKER:
            topic = topic_of(self.masked[match.value[0] : match.value[1]], words.letters)
            if topic != "instruction":
                match = match._replace(slot=topic, free=False)
        stated = clause.verb.tense in ("present", "progressive") and match.polarity and not match.ended
        then = None if self.last_when is None else _THEN.search(words, *self.span)
        if (
            then is not None
            and self.last_when is not None
            and (match.when is None or match.when == self.last_when)
        ):
            direction = "since" if then.group().lower().startswith(("since", "after", "from")) else "before"
            match = match._replace(when=self.last_when, then=direction)  # type: ignore[arg-type]
        elif match.when is not None:
            self.last_when = match.when
        if match.action == "record" and match.polarity and not match.ended:
            where = words.clause(clause)
            if is_mended(words, self.span, where, self.label) or (
                stated and corrects(words, self.span, where)
            ):
                match = match._replace(action="correct")
        return match

    def _told(
        self, words: Words, clause: ParsedClause, about: About, scene: Scene, when: When
    ) -> Iterator[RuleMatch]:
        if broken_up(words, clause) and scene.speaker is not None:
            yield from parted(words, clause, scene.speaker)
            return
        if about.key == scene.speaker and (divorced := divorced_by(words, clause)) is not None:
            yield from marriage_over(words, clause, about.key, divorced)
            return
        yield from out_of_work(words, clause, about, when)
        owned = (
            owner_of(words, clause, about, scene)
            if not clause.verb.denied and not clause.verb.unreal
            else None
        )
        if owned is not None:
            yield owned
            return
        if is_gone(words, clause) and clause.kind not in ("i", "we", "elided") and scene.speaker is not None:
            yield from each_end(words, clause, About(scene.speaker, "speaker"), when)
            return
        yield from self._stated(words, clause, about, scene, when)

    def _stated(
        self, words: Words, clause: ParsedClause, about: About, scene: Scene, when: When
    ) -> Iterator[RuleMatch]:
        """By the table, as a change, or in the clause's own words."""
        named = self._named(words, clause, about, scene)
        if named is not None:
            yield from named
            return
        table = [] if clause.verb.unreal else self._by_table(words, clause, about, scene, when)
        momentary = bool(table) and all(match.slot == "did" for match in table)
        changes = find_changes(words, clause, about, when, scene.object) if momentary or not table else None
        if changes is not None:
            yield from changes
            return
        if clause.verb.lemma == "be" and not clause.verb.passive and not clause.verb.unreal:
            yield from self._described(words, clause, about, scene, when, table)
            return
        if table:
            yield from table
            yield from self._of_whom(table, about, scene)
            yield from self._instead(words, clause, about)
            return
        if self.closed:
            if is_lasting_news(words, clause):
                yield from find_free(words, clause, about, when)
            return
        if (
            clause.verb.lemma in _LIKING
            and scene.object is not None
            and verb_object(words, clause) in ("it", "them")
        ):
            slot = "likes" if clause.verb.lemma in ("like", "love", "enjoy", "adore") else "dislikes"
            yield RuleMatch(
                about.key,
                slot,
                scene.object,
                words.clause(clause),
                "them",
                polarity=not clause.verb.denied,
                names=about.names,
                verb=clause.verb.lemma,
            )
            return
        instead = find_instead(words, clause) if not clause.verb.denied else None
        if instead is not None:
            new, old = instead
            yield from (
                match._replace(value=(match.value[0], min(match.value[1], new[1])), old=old)
                for match in find_free(words, clause, about, when)
            )
            return
        yield from find_free(words, clause, about, when)

    def _described(
        self,
        words: Words,
        clause: ParsedClause,
        about: About,
        scene: Scene,
        when: When,
        table: list[RuleMatch],
    ) -> Iterator[RuleMatch]:
        """What somebody is said to be, each thing by itself: "vegetarian and allergic to peanuts"."""
        yield from table
        yield from self._of_whom(table, about, scene)
        if any(match.rule == "inverse" for match in table):
            return
        read_to = max((match.value[1] for match in table), default=0)
        description = described_as(words, clause)
        for number, (first, after) in enumerate(description[:1] if clause.link == "who" else description):
            if words.starts[first] < read_to:
                continue
            if number and words.low[first] in POSSESSIVES:
                continue  # "and my son Jay to bees" is said of somebody else
            who, begin = about, first
            if (
                number
                and words.tags[first] == "U"
                and about.sort == "person"
                and after - first > 1
                and about.attribute is None
            ):
                end = first + 1
                while end < after and words.tags[end] == "U":
                    end += 1
                other = scene.of_name(words.tokens(first, end)) if end < after else None
                if other is not None:  # "Tobia is nine, Lucrezia six"
                    who, begin = other, end
                    scene.mention(other)
            piece = clause.part(begin, after)
            matches = self._by_table(words, piece, who, scene, when) if number and who is about else []
            yield from matches
            if not matches and not self.closed:
                yield from find_free(words, piece, who, when)
        yield from self._instead(words, clause, about)

    def _named(
        self, words: Words, clause: ParsedClause, about: About, scene: Scene
    ) -> list[RuleMatch] | None:
        """ "He's called Biscuit", "it is named Orion": a name for whoever was spoken of."""
        verb = clause.verb
        first = words.low[verb.after] if verb.after < clause.end else ""
        if verb.lemma != "be" or verb.denied or verb.unreal:
            return None
        if about.attribute == "name" and "/" in about.key and verb.after < clause.end:
            owner, _, relation = about.key.rpartition("/")
            end = verb.after + 1
            while end < clause.end and words.tags[end] == "U":
                end += 1
            value = words.span(verb.after, end)
            scene.mention(About(self.masked[value[0] : value[1]], "person", relation=relation))
            return [RuleMatch(owner, relation, value, words.clause(clause), "relation_named")]
        if first not in ("called", "named"):
            return None
        if (clause.kind in ("i", "we", "my") and about.attribute is None) or verb.after + 1 >= clause.end:
            return None
        end = verb.after + 1
        while end < clause.end and words.tags[end] in ("U", "N", "M") and words.tags[end] != ",":
            end += 1
        value = words.span(verb.after + 1, max(end, verb.after + 2))
        whole = words.clause(clause)
        if about.relation is not None and "/" in about.key:
            owner = about.key.rpartition("/")[0]
            scene.mention(About(self.masked[value[0] : value[1]].title(), "person", relation=about.relation))
            return [RuleMatch(owner, about.relation, value, whole, "relation_named")]
        slot = about.attribute or "name"
        return [RuleMatch(about.key, slot, value, whole, "named", free=True, one=True, names=about.names)]

    def _of_whom(self, table: list[RuleMatch], about: About, scene: Scene) -> Iterator[RuleMatch]:
        """Who is director of a house is also the house's director."""
        roles = [match for match in table if match.slot == "role" and match.polarity and not match.ended]
        houses = [match for match in table if match.slot == "works_at" and match.polarity and not match.ended]
        if not roles or about.sort != "person" or "/" in about.key:
            return
        words = self.masked[roles[0].value[0] : roles[0].value[1]].lower().split()
        title = next((word for word in words if word in _LEADERS), None)
        house = self.masked[houses[0].value[0] : houses[0].value[1]] if houses else None
        if title is None or (house is None and (self.house is None or self.house == about.key)):
            return
        # The value is the name where it stands last before the title.
        at = self.masked.rfind(about.key, 0, roles[0].value[0])
        if at >= 0:
            value = (at, at + len(about.key))
            yield roles[0]._replace(
                subject=house or str(self.house), slot=title, value=value, free=True, one=True
            )

    def _instead(self, words: Words, clause: ParsedClause, about: About) -> Iterator[RuleMatch]:
        instead = find_instead(words, clause)
        if instead is not None and not clause.verb.denied:
            whole = words.clause(clause)
            yield RuleMatch(about.key, ANY, instead[1], whole, "ending", False, True, action="end", free=True)

    def _by_table(
        self, words: Words, clause: ParsedClause, about: About, scene: Scene, when: When
    ) -> list[RuleMatch]:
        masked = self.masked
        start, end = words.clause(clause)
        verb_start = words.starts[clause.verb.first]
        person = _PERSONS.get(clause.kind, "named")
        name = words.span(clause.begin, clause.subject_end) if clause.kind == "named" else None
        old = Clause(start, end, person, name, verb_start, when)
        subject_words = words.low[clause.begin : clause.subject_end]
        personal = (
            about.attribute is not None and clause.kind in ("named", "thing") and about.key == scene.speaker
        )
        if ((clause.kind == "my" and len(subject_words) > 1) or personal) and scene.speaker is not None:
            skip = 1 if subject_words[0] in ("my", "our") else 0
            last = subject_words[-1]
            if subject_words[0] != "our" or last == "address" or last in RELATIONS:
                position = words.starts[clause.begin + skip]
                possessed = list(find_possessed(masked, old, position, scene.speaker, own=True))
                if possessed:
                    return possessed
        if clause.kind == "named" and "'s" in subject_words[:-1]:
            at = clause.begin + subject_words.index("'s")
            owner = (words.starts[clause.begin], words.end(at - 1))
            return list(find_possessed(masked, old, words.starts[at + 1], owner, own=False))
        if about.attribute is not None or (about.sort == "thing" and clause.kind != "named"):
            return []
        if clause.kind == "named" and scene.speaker is not None:
            inverse = find_inverse(masked, old, scene.speaker)
            if inverse is not None:
                return [inverse]
        subject = (
            about.key if name is None or clause.apposed or about.key != masked[name[0] : name[1]] else name
        )
        matches = find_by_verb(words, old, subject, predicates_of(words, clause))
        matches = [match for match in matches if match.rule == "did" or not is_gapped(masked, match)]
        return [match._replace(names=about.names) for match in matches] if about.names else matches

    def _when(
        self, words: Words, clause: ParsedClause, previous: ParsedClause | None, span: Range
    ) -> Mention | None:
        """A time in the clause itself, else one before its subject."""
        if self.timed != span:
            self.timed, self.has_time = span, find_mention(self.masked, *span) is not None
        if not self.has_time:
            return None
        begin, end = words.clause(clause)
        if clause.shared:
            begin = words.starts[clause.verb.first]
        inside = find_mention(self.masked, words.end(clause.verb.after - 1), end)
        if inside is not None and inside.kind == "length":
            inside = find_mention(self.masked, inside.end, end) or inside
        if inside is not None:
            return inside
        before = span[0] if previous is None else max(span[0], words.clause(previous)[1])
        near = find_mention(self.masked, before, begin) if before < begin else None
        if near is None and previous is not None and self.opening > span[0]:
            near = find_mention(self.masked, span[0], self.opening)  # "back in 2012, when ..., I lived in"
        return near


_LESS: Final = pattern(r"(?P<more>[^,;]+?) (?:more|better|rather) than ")
"""What is liked less is no part of what is liked: "cats more than dogs"."""
_THEN: Final = Gated(
    r"\b(?:before (?:that|then)|until then|till then|up (?:to|till|until) then|prior to that|since then|"
    r"after that"
    r"|from then on)\b",
    re.IGNORECASE,
)


_NAMES_SOMEBODY: Final = pattern(
    r"(?:^|[\s(])[A-Z][\w'-]+(?: (?:of |de |van |von )?[A-Z][\w'-]+)*(?:'s [a-z]+)*,? (?:who |has |have |"
    r"is |was |were |had )?"
    r"(?:is|was|has|lives|works|lived|worked|moved|joined|left|became|married|likes|loves|hates|speaks|plays|owns|uses|"
    r"studies|studied|graduated|born|based|bought|acquired|founded|appointed|elected|retired|leads|heads|runs|opened|"
    r"closed|renamed|launched|sold|hired|won|died|announces|announced|manages|teaches|taught|drinks|eats|prefers)\b"
)
"""In a document most sentences have no named subject, and need not be looked at more closely."""


def verb_object(words: Words, clause: ParsedClause) -> str:
    return words.low[clause.verb.after] if clause.verb.after < clause.end else ""
