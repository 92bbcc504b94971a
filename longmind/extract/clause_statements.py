"""What one clause says: by the table of rules, as a change, or in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from longmind.extract.admissions import admissions
from longmind.extract.changes import (
    broken_up,
    each_end,
    find_changes,
    find_instead,
    is_gone,
)
from longmind.extract.clauses import Clause, Person, When
from longmind.extract.coreference import SubjectReader
from longmind.extract.dating import tells_which
from longmind.extract.described import described_as, is_lasting_news
from longmind.extract.ellipsis import is_gapped
from longmind.extract.grammar import ParsedClause
from longmind.extract.kin import RELATIONS
from longmind.extract.open_extraction import find_free
from longmind.extract.patterns import pattern
from longmind.extract.possessive import (
    find_inverse,
    find_possessed,
)
from longmind.extract.relationships import (
    TYING,
    couple_parted,
    divorced_by,
    marriage_over,
    may_be_out_of_work,
    out_of_work,
    owner_of,
    parted,
    succeeded,
    wedded,
)
from longmind.extract.rule_match import Range, RuleMatch, Subject
from longmind.extract.statements import ANY
from longmind.extract.subjects import About, Scene
from longmind.extract.tokens import POSSESSIVES
from longmind.extract.verb_rules import find_by_verb, predicates_of
from longmind.extract.words import Words
from longmind.when.mentions import Mention, find_mention

_LEADERS: Final = frozenset(
    "director ceo cto cfo coo president chair chairman chairwoman head chief manager founder owner "
    "captain mayor "
    "editor treasurer secretary principal dean".split()
)
_MEASURES: Final = (
    "blood_group", "blood_type", "number", "size", "code", "_id", "height", "weight", "birthday", "postcode",
    "plate", "pin",
)  # fmt: skip
"""How slots end whose value is one number, group or date."""
_PERSONS: Final[dict[str, Person]] = {"i": "i", "elided": "i", "we": "we"}
_PARTING: Final = frozenset("divorced separated split broke broken parted called together".split())
_LIKING: Final = frozenset("like love enjoy adore hate detest dislike loathe despise".split())


def _is_by_the_way(words: Words, named: Range, first: int) -> bool:
    """ "My car is a Niro, had it since 2023, electric": what is added to a name is no other value."""
    if words.low[first - 1] != ",":
        return False
    has_name = "U" in words.tags[named[0] : named[1]]
    if not has_name and "M" not in words.tags[named[0] : named[1]]:
        return False
    beside = words.tags[first : first + 2]
    return "U" not in beside and (has_name or "M" not in beside)


class StatementReader(SubjectReader):
    """Reads clauses whose subject is known; what it keeps of the text so far is for the ones to come."""

    def __init__(self, masked: str, *, closed: bool) -> None:
        self.masked = masked
        self.closed = closed
        self.admitted = () if closed else admissions(masked)
        """Where the text says that something told before was wrong."""
        self.scenes: dict[str | None, Scene] = {}
        self.span = (0, 0)
        self.label: str | None = None
        self.refused = False
        self.mistaken = False
        """Whether the last sentence said only that the one before it was wrong: "Sorry, I mistyped."."""
        self.mends = False
        """Whether this sentence follows such a one."""
        self.house: str | None = None
        self.timed = (0, 0)
        self.opening = 0
        self.has_time = False
        self.last_when: Range | None = None
        self.last: RuleMatch | None = None
        self.named: set[tuple[Subject, str]] = set()
        """Of whom and in which slots the text has named something: "my gym is Limber Hall"."""

    def _told(
        self, words: Words, clause: ParsedClause, about: About, scene: Scene, when: When
    ) -> Iterator[RuleMatch]:
        ties = clause.verb.passive or clause.verb.lemma in TYING
        if clause.kind == "we" and broken_up(words, clause) and scene.speaker is not None:
            yield from parted(words, clause, scene.speaker)
            return
        if clause.kind == "named" and not _PARTING.isdisjoint(words.lows):
            apart = list(couple_parted(words, clause))
            yield from apart
            if apart:
                return
        if (
            ties
            and about.sort in ("speaker", "person")
            and about.attribute is None
            and (divorced := divorced_by(words, clause)) is not None
        ):
            yield from marriage_over(words, clause, about.key, divorced)
            if clause.verb.lemma == "be":
                for first, after in described_as(words, clause)[1:]:
                    yield from self._by_table(words, clause.part(first, after), about, scene, when)
            return
        if may_be_out_of_work(words):
            yield from out_of_work(words, clause, about, when)
        if (
            ties
            and scene.speaker is not None
            and (
                (tie := wedded(words, clause, scene.speaker)) is not None
                or (tie := succeeded(words, clause, scene.speaker)) is not None
            )
        ):
            yield tie
            # A day may be told of it: "got married on 5 June".
            if tie.slot != "marital_status" or clause.verb.lemma == "be":
                return
        owned = (
            owner_of(words, clause, about, scene)
            if ties and not clause.verb.denied and not clause.verb.unreal
            else None
        )
        if owned is not None:
            yield owned
            return
        if clause.kind not in ("i", "we", "elided") and scene.speaker is not None and is_gone(words, clause):
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
            if not table and words.low[clause.end - 1] in ("it", "them"):
                yield from _allergy_to_it(words, clause, about, scene.object)
                return
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
        if scene.things and (liked := _liking_of_it(words, clause, about, scene)):
            yield liked
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
        instead = find_instead(words, clause)
        if about.attribute is not None and about.attribute.endswith("address") and len(description) > 1:
            # "18 Tannery Lane, Norwich" is one thing.
            joined = next(
                (at for at, (first, _) in enumerate(description) if at and words.low[first - 1] != ","),
                len(description),
            )
            description = [(description[0][0], description[joined - 1][1]), *description[joined:]]
        for number, (first, after) in enumerate(description[:1] if clause.link == "who" else description):
            if words.starts[first] < read_to:
                continue
            placed = number and about.attribute is not None and words.tags[description[0][0]] == "P"
            if placed and not {"U", "M"} & set(words.tags[first:after]):
                continue  # "the surgery is on Quay Street, handy enough": the second is no other place
            if number and self._is_rhythm(words.span(first, after)):
                continue  # "my exercise is pilates, every Wednesday"
            if number and words.low[first] in POSSESSIVES:
                continue  # "and my son Jay to bees" is said of somebody else
            measured = number and about.attribute is not None and about.attribute.endswith(_MEASURES)
            if measured and words.low[first - 1] == "," and words.tags[first] not in ("U", "M"):
                continue  # "my blood group is O negative, asthma since childhood"
            if number and about.attribute is not None and _is_by_the_way(words, description[0], first):
                continue
            if number and about.attribute is not None and words.low[after - 1] in ("mine", "ours"):
                continue  # "my place is in Hull, tiny but mine"
            if number and about.attribute is not None and words.low[first] in ("no", "not", "nothing"):
                continue  # "my blood type is O negative, no meds": the second is no blood type
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
            # "I'm keen on Java and Rust", "I'm here for you, Mel": neither is the speaker's name.
            matches = [match for match in matches if match.slot != "name"]
            yield from matches
            own = number and who is about and about.attribute is None
            if own and _is_more_of_the_same(words, description[0][0], (first, after)):
                continue
            if not matches and not self.closed:
                for match in find_free(words, piece, who, when):
                    yield match if instead is None else _without_old(match, instead[0][1])
        yield from self._instead(words, clause, about)

    def _is_rhythm(self, span: Range) -> bool:
        """ "Every Wednesday", "on Tuesdays": when it is so, and nothing more that is said."""
        when = find_mention(self.masked, *span)
        return when is not None and when.kind == "repeated" and (when.start, when.end) == span

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
        at = next((number for number, word in enumerate(words) if word in _LEADERS), None)
        title = None if at is None else _title(words[: at + 1])
        house = self.masked[houses[0].value[0] : houses[0].value[1]] if houses else None
        if title is None or (house is None and (self.house is None or self.house == about.key)):
            return
        # The value is the name where it stands last before the title.
        start = self.masked.rfind(about.key, 0, roles[0].value[0])
        if start >= 0:
            value = (start, start + len(about.key))
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
        if clause.kind == "named" and _is_common(words, clause):
            return []
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
        if (
            clause.link == "who"
            and (comma := self.masked.find(",", words.end(clause.verb.after - 1), end)) >= 0
        ):
            end = comma  # "Jo, who lives in Leeds, visits us on 30 March"
        inside = find_mention(self.masked, words.end(clause.verb.after - 1), end)
        if inside is not None and inside.kind == "length":
            inside = find_mention(self.masked, inside.end, end) or inside
        lasts = clause.verb.tense in ("present", "lasting")
        while lasts and inside is not None and tells_which(self.masked, inside.start, inside.end, end):
            inside = find_mention(self.masked, inside.end, end)  # "I like meetings like my May 15 lunch"
        if inside is not None:
            return inside
        before = span[0] if previous is None else max(span[0], words.clause(previous)[1])
        near = find_mention(self.masked, before, begin) if before < begin else None
        if near is None and previous is not None and self.opening > span[0]:
            near = find_mention(self.masked, span[0], self.opening)  # "back in 2012, when ..., I lived in"
        return near


def _without_old(match: RuleMatch, end: int) -> RuleMatch:
    """ "In Rust rather than Python": what it is, without what it is not."""
    start, stop = match.value
    return match._replace(value=(start, end)) if start < end < stop else match


_NO_TITLE: Final = frozenset("the a an new current next our its their first present longtime".split())


def _title(words: Sequence[str]) -> str:
    """The office as it is called: a deputy director is not the director."""
    kept = [word for word in words if word not in _NO_TITLE and word.replace("-", "").isalpha()]
    return "_".join(kept[-3:]).replace("-", "_")


def _is_more_of_the_same(words: Words, begin: int, piece: Range) -> bool:
    """ "Good at maths and chess", "tinkering with a lamp and a radio": the second belongs to the first."""
    tags, (first, after) = words.tags, piece
    if "P" not in tags[begin:first] or "P" in tags[first:after]:
        return False
    return tags[first] in ("N", "U") or (tags[first] == "D" and words.low[begin].endswith("ing"))


_TIMES: Final = frozenset("now today lately nowadays already still anymore again".split())


def _liking_of_it(words: Words, clause: ParsedClause, about: About, scene: Scene) -> RuleMatch | None:
    """ "Coriander tastes of soap, I can't stand it"."""
    verb = clause.verb
    intolerable = verb.lemma in ("stand", "bear") and verb.tense == "cannot"
    pronoun = verb_object(words, clause)
    if not (intolerable or verb.lemma in _LIKING) or pronoun not in ("it", "them"):
        return None
    thing = _kind_meant(words.masked, scene, pronoun)
    if thing is None:
        return None
    behind = verb.after + 1
    if behind < clause.end and words.tags[behind] in ("N", "V") and words.low[behind] not in _TIMES:
        return None  # "I like it calm"
    slot = "likes" if verb.lemma in ("like", "love", "enjoy", "adore") else "dislikes"
    return RuleMatch(
        about.key,
        slot,
        thing,
        words.clause(clause),
        "them",
        polarity=intolerable or not verb.denied,
        names=about.names,
        verb="" if intolerable else verb.lemma,
    )


_OF_A_KIND: Final = pattern(
    r"(?:(?:some|more|many|a few|a lot of|lots of|all|any|really|very|great|good|amazing|lovely) )+",
    re.IGNORECASE,
)
_ONE: Final = pattern(
    r"(?:an?|one|another|this|that|every|each|my|our|your|his|her|their|the) ", re.IGNORECASE
)


def _kind_meant(masked: str, scene: Scene, pronoun: str) -> Range | None:
    """What is loved by "it" or "them": mushrooms, and not the one risotto that was told of since."""
    for start, end in reversed(scene.things):
        if _ONE.match(masked, start, end) is None or (pronoun == "it" and (start, end) == scene.object):
            kind = _OF_A_KIND.match(masked, start, end)
            return (start if kind is None else kind.end()), end
    single = scene.object is not None and masked.startswith(("a ", "an ", "one "), scene.object[0])
    return None if single else scene.object


def _allergy_to_it(
    words: Words, clause: ParsedClause, about: About, thing: Range | None
) -> Iterator[RuleMatch]:
    """ "I tried kiwi once, I'm allergic to it"; other feelings about "it" say nothing by themselves."""
    if thing is not None and words.low[clause.end - 3 : clause.end - 1] == ("allergic", "to"):
        yield RuleMatch(
            about.key,
            "allergic_to",
            thing,
            words.clause(clause),
            "them",
            polarity=not clause.verb.denied,
            names=about.names,
        )


def _is_common(words: Words, clause: ParsedClause) -> bool:
    """ "Shoe size", "Yoga class": a capital letter at the start of a sentence makes no name of a thing."""
    rest = range(clause.begin + 1, clause.subject_end)
    return len(rest) > 0 and all(words.tags[at] == "N" and words.texts[at].islower() for at in rest)


def verb_object(words: Words, clause: ParsedClause) -> str:
    return words.low[clause.verb.after] if clause.verb.after < clause.end else ""
