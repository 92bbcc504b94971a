"""From sentences to what they say: each clause by the table of rules, else in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from longmind.extract.admissions import is_beside
from longmind.extract.changes import (
    find_moved,
    is_lasting_change,
)
from longmind.extract.clause_statements import StatementReader
from longmind.extract.clauses import When
from longmind.extract.coreference import (
    asked_about,
    may_mention_relatives,
    relatives_mentioned,
    wrong_about,
)
from longmind.extract.corrections import corrects, find_correction, find_mended, is_mended, is_mistake
from longmind.extract.ellipsis import after_a_death, find_successor, follows
from longmind.extract.fragments import find_in_fragment, find_pairs, find_relatives, is_listing
from longmind.extract.grammar import ParsedClause, Parser
from longmind.extract.instructions import find_order, find_release, find_stopped, is_of_answers, topic_of
from longmind.extract.kin import COUNTED, RELATIONS
from longmind.extract.moods import (
    CONDITIONS,
    asks,
    is_condition,
    is_denied_before,
    is_doubted,
    is_reported,
    is_small_talk,
)
from longmind.extract.needed_words import Gated
from longmind.extract.patterns import pattern
from longmind.extract.possessive import (
    FORMER,
    HOMES,
    find_apposed,
    find_fixed,
    find_former,
    find_home,
    find_listed,
    find_taken_for_known,
)
from longmind.extract.relationships import (
    named_beside,
    own_by_name,
)
from longmind.extract.restrictions import restricted
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.sentences import MASK
from longmind.extract.standing_orders import find_standing_order
from longmind.extract.statements import ANY, SPEAKER
from longmind.extract.subjects import About, Scene
from longmind.extract.voice import Voiced
from longmind.extract.words import Words
from longmind.when.mentions import find_mention

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
_NEITHER: Final = frozenset({"neither", "nor"})
_HAD_BEFORE: Final = frozenset({"it", "them"})
_PHRASES: Final = COUNTED | HOMES | {"me", "my", "our", "new"}
"""Words without one of which a sentence has no set phrase."""


class ClauseReader(StatementReader):
    """Reads the sentences of one text in order, and remembers who has been spoken of."""

    def sentence(self, voiced: Voiced) -> Iterator[RuleMatch]:
        """What one sentence says."""
        span = (voiced.sentence.start, voiced.sentence.end)
        if self.closed and _NAMES_SOMEBODY.search(self.masked, *span) is None:
            return
        speaker = voiced.first_person
        if self.masked[span[0]] == MASK and not self.masked[span[0] : span[1]].strip(MASK):
            self.refused = self.refused and speaker is None
            return  # code, or somebody else's words
        if voiced.asks and not may_mention_relatives(self.masked[span[0] : span[1]]):
            return
        words = Words.between(self.masked, *span)
        scene = self.scenes.get(speaker)
        if scene is None:
            scene = self.scenes[speaker] = Scene(speaker, closed=self.closed)
        if voiced.asks:
            if speaker is not None:
                yield from find_taken_for_known(words, *span, speaker)
            relatives_mentioned(words, 0, words.count, scene)
            return
        if speaker is not None:
            mended = find_mended(self.masked, span, words.lows)
            if mended is not None:
                said = voiced.sentence._replace(end=mended[0])
                yield from self.sentence(voiced._replace(sentence=said))
                yield RuleMatch(speaker, ANY, mended[1], span, "correction", action="correct", free=True)
                return
            if not _PHRASES.isdisjoint(words.letters):
                yield from self._by_phrase(words, span, speaker)
        self.span, self.label = span, voiced.sentence.label
        if words.count:
            yield from self._told_in(words, span, scene)

    def _told_in(self, words: Words, span: Range, scene: Scene) -> Iterator[RuleMatch]:
        """What a sentence says that does not ask and does not mend itself."""
        speaker = scene.speaker
        if asks(words) or is_small_talk(words, scene):
            relatives_mentioned(words, 0, words.count, scene)
            return
        if speaker is not None and is_listing(words, span):
            yield from find_in_fragment(words, span, scene)
            return
        if speaker is not None:
            self.mends = self.mistaken
            self.mistaken = is_mistake(words, self.masked[span[0] : span[1]])
            if self.mistaken:
                wrong_about(words, scene)
            beside = bool(self.admitted) and is_beside(self.masked, self.admitted, span)
            correction, self.refused = find_correction(
                words, span, speaker, after=self.refused, beside=beside
            )
            if correction is not None:
                yield correction
            if correction is not None or self.mistaken:
                return
            order = find_standing_order(words, span, speaker)
            if order is not None:
                yield order
                return
        clauses = Parser(words).clauses()
        real = [
            clause for clause in clauses if not (clause.kind == "order" and clause.verb.after >= clause.end)
        ]
        if len(real) > 1 and real[0].verb.form == "ing" and self._is_time(words, real[0]):
            real = real[1:]  # "Starting in May, I'll be at CERN"
        if not real or real[0].kind == "order":
            relatives_mentioned(words, 0, words.count, scene)
        if not real:
            yield from find_in_fragment(words, span, scene)
            if speaker is not None:
                yield from find_relatives(words, span, speaker)
            return
        self._part_times(words, real)
        self.opening = words.starts[min(real[0].begin, real[0].verb.first)]
        yield from self._before(words, real[0], span, scene)
        yield from self._asserted(words, real, span, scene)

    def _asserted(
        self, words: Words, clauses: Sequence[ParsedClause], span: Range, scene: Scene
    ) -> Iterator[RuleMatch]:
        """What those clauses say that are meant as they are said: no condition, report or doubt."""
        conditional = not CONDITIONS.isdisjoint(words.lows) and any(
            is_condition(words, clause) for clause in clauses
        )
        previous: ParsedClause | None = None
        for clause in clauses:
            asserted = clause.link not in _NOT_YET and not is_reported(words, previous, clause)
            asserted = asserted and not is_doubted(words, clause)
            asserted = asserted and not (
                clause.link in ("since", "when", "while", "after")
                and clause.verb.tense == "past"
                and not is_lasting_change(clause)
            )
            asserted = asserted and (
                not conditional or (clause.kind == "order" and clause.link not in CONDITIONS)
            )
            if asserted and is_denied_before(previous, words, clause):
                clause.verb.denied = True
            if asserted:
                yield from self._clause(words, clause, previous, scene, span)
            elif previous is None or clause.kind not in ("you", "order"):
                self._about(words, clause, scene)
            previous = clause

    def _part_times(self, words: Words, clauses: Sequence[ParsedClause]) -> None:
        """ "I lived in Bergen, and since 2017 I've lived in Aalborg": the time is that of what follows."""
        for clause, following in pairwise(clauses):
            if following.shared or following.begin != clause.end:
                continue
            for at in range(clause.verb.after + 1, clause.end - 1):
                if words.low[at] not in ("and", "but"):
                    continue
                rest = words.span(at + 1, clause.end)
                when = find_mention(self.masked, *rest)
                if when is not None and when.start == rest[0] and when.end == rest[1]:
                    clause.end = at - 1 if words.texts[at - 1] == "," else at
                    break

    def _by_phrase(self, words: Words, span: Range, speaker: str) -> Iterator[RuleMatch]:
        """What set phrases say, wherever they stand in the sentence."""
        if self.masked.find(" me ", *span) >= 0:
            yield from find_fixed(self.masked, *span, speaker)
        letters = words.letters
        if "my" in letters or "our" in letters:
            yield from after_a_death(list(find_apposed(words, *span, speaker)), self.masked, span)
        if not COUNTED.isdisjoint(words.lows):
            yield from find_listed(words, *span, speaker)
        if ("my" in letters or "new" in letters) and not FORMER.isdisjoint(letters):
            yield from find_former(self.masked, *span, speaker)
        if not HOMES.isdisjoint(words.lows):
            yield from find_home(self.masked, *span, speaker)

    def _is_time(self, words: Words, clause: ParsedClause) -> bool:
        start, end = words.clause(clause)
        when = find_mention(self.masked, start, end) if clause.verb.lemma in ("start", "begin") else None
        return when is not None and when.start == start and when.end == end

    def _before(self, words: Words, first: ParsedClause, span: Range, scene: Scene) -> Iterator[RuleMatch]:
        """A label or an appointment before the first clause, or after the last one."""
        at = min(first.begin, first.verb.first)
        if at >= 2:
            relatives_mentioned(words, 0, at, scene)  # "update on my brother, he drives a bus now"
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
            released = None if speaker is None else find_release(words, clause, speaker)
            if released is None and speaker is not None and clause.kind == "order":
                stopped = find_stopped(words, clause, speaker)
                if stopped is not None:
                    yield stopped
                    released = find_order(words, clause, speaker, span) if clause.verb.denied else None
                    if released is None:
                        return
            if released is not None:
                yield released
            elif speaker is not None and clause.kind == "order":
                order = find_order(words, clause, speaker, span)
                if order is not None:
                    yield order
                if clause.verb.lemma == "note":
                    yield from find_in_fragment(
                        words, (words.span(clause.verb.after, clause.end)[0], span[1]), scene
                    )
            asked_about(words, clause, scene)
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
        when = When(lambda: self._when(words, clause, previous, span))
        moved = find_moved(words, clause, speaker, when)
        if moved is not None:
            yield moved
            return
        if (
            about is not None
            and clause.kind == "named"
            and clause.verb.lemma in ("announce", "appoint", "say", "name")
        ):
            self.house = about.key
        if about is None and clause.kind == "my" and speaker is not None and not clause.verb.unreal:
            # A word of no use as a slot, like "number", may still begin one: "my number is".
            own = About(speaker, "speaker", attribute="")
            yield from self._by_table(words, clause, own, scene, when)
        if about is None:
            return
        if clause.shared and about.attribute is not None and words.low[clause.verb.after] in _HAD_BEFORE:
            return  # "my car's a Niro, had it since 2023": who had it is whose it is
        if clause.apposed is not None:
            yield from named_beside(words, clause, about, scene)
        if clause.kind == "my" and speaker is not None and about.attribute is None:
            yield from own_by_name(words, clause, about, speaker)
        for match in self._told(words, clause, about, scene, when):
            if match.slot == about.attribute and self._only_described(match, clause):
                continue
            if follows(match):
                self.last = match
            if match.subject == speaker and match.slot in RELATIONS and match.polarity and not match.ended:
                # "My brother is Tom. He lives in Hull": what is told of him is told of Tom.
                scene.mention(About(self.masked[slice(*match.value)], "person", relation=match.slot))
            named = _of_the_tie(match, self.masked)
            yield self._marked(_renewed(named, words, clause, about), words, clause)
        goes_on = "," in words.lows or ";" in words.lows
        if goes_on and ((clause.apposed is None and about.sort != "thing") or about.attribute is None):
            whole = words.clause(clause)
            yield from find_pairs(words, words.span(clause.verb.after, clause.end), about, whole)
        self._object_mentioned(words, clause, scene)
        if speaker is not None and about.key == speaker:
            relatives_mentioned(words, clause.verb.after, clause.end, scene)
            if not COUNTED.isdisjoint(words.lows):
                rest = (words.span(clause.verb.after, clause.end)[1], span[1])
                yield from find_relatives(words, rest, speaker)

    def _only_described(self, match: RuleMatch, clause: ParsedClause) -> bool:
        """ "My gym is Limber Hall, it's quieter than Ironworks": what it is like, and no other gym."""
        telling = _TELLING.match(self.masked, *match.value) is not None
        if clause.kind == "pronoun" and not telling and _SOMEWHERE.match(self.masked, *match.value) is None:
            return (match.subject, match.slot) in self.named
        if telling and match.polarity:
            self.named.add((match.subject, match.slot))
        return False

    def _marked(self, match: RuleMatch, words: Words, clause: ParsedClause) -> RuleMatch:
        """A wish for answers in its own slot; a correction as one."""
        if (
            match.slot in ("prefers", "likes")
            and (less := _LESS.match(self.masked, *match.value)) is not None
        ):
            match = match._replace(value=(match.value[0], less.end("more")))
        match = restricted(self.masked, match, self.span[1])
        if match.slot in ("prefers", "likes") and match.subject == SPEAKER:
            wish = self.masked[match.value[0] : match.value[1]]
            topic = topic_of(wish, words.letters)
            if topic != "instruction" and is_of_answers(topic, wish):
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
                stated
                and (
                    self.mends
                    or corrects(words, self.span, where)
                    or (self.admitted and is_beside(self.masked, self.admitted, where))
                )
            ):
                match = match._replace(action="correct")
        return match


_TELLING: Final = pattern(r"(?:(?!than )[^\s.,;]+ ){0,4}?(?![Tt]han )(?:[A-Z]|\S*\d)")
"""A value with a name or a number in it, before whatever it is more than."""
_SOMEWHERE: Final = pattern(r"(?:in|on|at|near|by|from|under|behind|with|next to|for) ", re.IGNORECASE)
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


_PERSON: Final = pattern(
    r"(?:(?:Mrs?|Ms|Miss|Dr|Prof(?:essor)?|Coach|Sister|Father)\.? [A-Z][\w'-]+(?: [A-Z][\w'-]+)?|"
    r"[A-Z][a-z'-]+ [A-Z][a-z'-]+)$"
)


def _of_the_tie(match: RuleMatch, masked: str) -> RuleMatch:
    """ "Our landlord was Mrs Dunn until May": who it was, and no word on somebody who is it now."""
    if match.slot != "is" or not isinstance(match.subject, str) or "/" not in match.subject:
        return match
    owner, _, tie = match.subject.rpartition("/")
    if tie not in RELATIONS or _PERSON.match(masked, *match.value) is None:
        return match
    if masked[: match.value[0]].rstrip().endswith("'s"):
        return match  # "Mama's Fish House" is as likely a place
    return match._replace(subject=owner, slot=tie, rule="relation_named", free=False)


def _renewed(match: RuleMatch, words: Words, clause: ParsedClause, about: About) -> RuleMatch:
    """ "My new doctor is Dr Kim", "the new code is 72A05": in the place of whatever was there before."""
    if match.action != "record" or not match.polarity or match.ended or match.old is not None:
        return match
    if "new" not in words.texts[clause.begin : clause.subject_end]:
        return match
    of_subject = match.slot in (about.attribute, about.relation) or (
        about.sort == "thing" and match.slot.startswith("is")
    )
    return match._replace(old=match.value[:1] * 2) if of_subject else match
