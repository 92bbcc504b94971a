"""Whom the clauses of a text are about, one after the other."""

from __future__ import annotations

from typing import Final

from longmind.base.words import runs_of_letters
from longmind.extract.grammar import ParsedClause
from longmind.extract.kin import RELATION_WORDS, is_relation
from longmind.extract.lexicon import OCCUPATIONS, PLACES
from longmind.extract.patterns import pattern
from longmind.extract.statements import PRONOUN
from longmind.extract.subjects import About, Scene
from longmind.extract.words import Words

_ATTRIBUTES: Final = frozenset(
    "deadline budget lead owner price password address director ceo name number code date time size colour "
    "color team manager chair status version language database port url email phone rent fee salary height "
    "weight age birthday capital population president head boss title goal venue location".split()
)
_OF_NO_PERSON: Final = frozenset(
    "deadline budget lead owner price password director ceo code status version database port url fee "
    "capital population head goal venue location team chair".split()
)
"""Attributes of projects, firms and events: a doctor named before has no "deadline"."""


_NOMINATIVE: Final = {"his": "he", "her": "she"}
_SEEMING: Final = frozenset(
    "taste smell wear bore tire exhaust drain annoy irritate stress scare frighten upset".split()
)
"""Verbs whose subject is what one goes on about."""
_MISTAKEN: Final = frozenset("wrong mistaken unfair sceptical skeptical unsure hesitant snobbish".split())
_TIMES: Final = frozenset("last next this today tonight yesterday tomorrow".split())
"""With these a time begins, which is no part of what "it" is."""
_PERSONS: Final = frozenset({"me", "us", "you", "him", "her"})
_WITH_PERSONS: Final = frozenset("help meet phone thank hug marry invite congratulate".split())
"""Verbs whose object is somebody."""
_TALKING: Final = frozenset("talk speak chat write listen".split())
_OF_HOUSES: Final = ("s", "ltd", "inc", "gmbh", "co", "group", "company", "studio", "brewery", "bakery")
"""How names of firms end, of which "it" is said, as it is not of a trader."""
_PEOPLE_ONLY: Final = OCCUPATIONS - frozenset(
    "server host driver model guide coach cleaner dresser tester trainer player runner counter scanner "
    "printer "
    "monitor router tracker".split()
)
_TOWARDS: Final = frozenset({"into", "on", "onto", "to", "with"})
"""Between somebody and what was done for them: "introduced me to sushi"."""


_PUTTING: Final = frozenset(
    "move take migrate transfer pull shift put pack store keep have bring carry copy get relocate "
    "import upload export".split()
)
"""Verbs whose objects are somewhere then."""
_PLACED: Final = frozenset("keep store host hold save file".split())
_AT: Final = frozenset("in on at with under behind inside".split())


class SubjectReader:
    """Finds the subject of each clause, and remembers what "she" or "it" may mean next."""

    placed: tuple[Words, int, int] | None = None
    """Where several things stand that were just put somewhere: what "they" may mean next."""

    def _about(self, words: Words, clause: ParsedClause, scene: Scene) -> About | None:
        if self.placed is not None and clause.kind in ("named", "my", "thing"):
            self.placed = None
        about = self._who(words, clause, scene)
        if clause.kind == "we" and words.tags[clause.begin] == "U" and clause.subject_end > clause.begin + 1:
            scene.mention(About(words.texts[clause.begin], "person"))  # "Callum and I": whom "he" means next
        if about is not None and about.key != scene.speaker:
            if about.sort != "thing" or about.key.rpartition(" ")[2] not in _PEOPLE_ONLY:
                scene.mention(about)  # "the inspector rang, it's put back to May": nobody is "it"
        elif about is not None and about.attribute:
            scene.thing = about
        return about

    def _who(self, words: Words, clause: ParsedClause, scene: Scene) -> About | None:
        if clause.kind in ("i", "we", "elided"):
            return None if scene.speaker is None else About(scene.speaker, "speaker")
        stop = clause.apposed[0] - 1 if clause.apposed is not None else clause.subject_end
        tokens = words.tokens(clause.begin, stop)
        if not tokens:
            return None
        first = tokens[0].low
        if clause.begin and words.low[clause.begin - 1] == "whose":
            return None  # "Ravi, whose brother is a pilot": the brother is not the speaker's
        if clause.kind == "my":
            if clause.apposed is not None and words.tags[clause.apposed[0]] == "U":
                tokens = [*tokens, *words.tokens(*clause.apposed)]
            about = scene.of_phrase(tokens[1:] if first in ("my", "our") else tokens)
            return (
                _as_people(about) if about is not None and clause.verb.lemma not in ("be", "meet") else about
            )
        if clause.kind == "thing" and clause.apposed is not None:
            return scene.of_name(words.tokens(*clause.apposed))  # "the man next door, Mr Ellwood,"
        if clause.kind == "pronoun":
            if len(tokens) == 1:
                if self.placed is not None and first == "they" and _is_placed(words, clause):
                    return _things_at(scene, *self.placed)  # "we moved the keys out. They're in the safe now"
                return scene.pronoun(first) or self._dummy(words, clause, scene) or _before_text(scene, first)
            owner = scene.pronoun(first)
            if owner is None:
                before = _before_text(scene, _NOMINATIVE.get(first, ""))
                about = None if before is None else scene._owned(before.key, before.key, tokens[1:])
                return about if about is not None and about.attribute is not None else None
            return scene._owned(owner.key, owner.names[0] if owner.names else owner.key, tokens[1:])
        if clause.begin == 0 and clause.kind in ("named", "thing"):
            personal = scene.personal(tokens)
            if personal is not None:
                return personal
        if clause.kind == "named":
            return scene.of_name(tokens)
        about = scene.of_thing(tokens)
        if (
            about is not None
            and about.attribute is not None
            and (clause.verb.passive or clause.verb.lemma != "be")
        ):
            return None  # "the car's brakes are made to last"
        if (
            about is not None
            and scene.named is not None
            and first == "the"
            and about.key.split()[-1] in _ATTRIBUTES
            and not ("/" in scene.named.key and about.key.split()[-1] in _OF_NO_PERSON)
        ):
            return About(scene.named.key, scene.named.sort, about.key.replace(" ", "_"), scene.named.names)
        return about

    def _dummy(self, words: Words, clause: ParsedClause, scene: Scene) -> About | None:
        """ "It's my birthday on the 5th": told of the speaker."""
        tokens = words.tokens(clause.verb.after, clause.end)
        if clause.verb.lemma != "be" or len(tokens) < 3 or tokens[0].low != "my" or scene.speaker is None:
            return None
        end = next((i for i, token in enumerate(tokens[1:], 1) if token.tag not in ("N", "V")), len(tokens))
        about = scene.of_phrase(tokens[1:end])
        if about is None or about.attribute is None or end >= len(tokens):
            return None
        clause.verb.after += end
        return about

    def _object_mentioned(self, words: Words, clause: ParsedClause, scene: Scene) -> None:
        """What "it" or "them" may mean next: the object of this clause."""
        at = clause.verb.after
        scene.company = _company(words, at, clause.end) or scene.company
        if clause.kind in ("thing", "named") and (
            clause.verb.lemma in _SEEMING
            or (clause.verb.lemma == "be" and at < clause.end and words.low[at] == "like")
        ):
            scene.object = words.span(clause.begin, clause.subject_end)  # "it tastes of soap": what does
            scene.things.append(scene.object)
            return
        if (
            clause.verb.lemma == "be"
            and at + 2 < clause.end
            and words.low[at] in _MISTAKEN
            and words.low[at + 1] == "about"
        ):
            at += 2  # "I was wrong about opera, I adore it"
        elif clause.verb.lemma == "be" or at >= clause.end or clause.kind == "you":
            return
        if words.low[at] in _PERSONS:  # "she got me into climbing", "he gave me a book"
            at += 2 if at + 1 < clause.end and words.low[at + 1] in _TOWARDS else 1
            if at >= clause.end:
                return
        first, tag = words.low[at], words.tags[at]
        if tag == "U" and clause.verb.lemma in _WITH_PERSONS:
            _met(scene, clause, words.texts[at])  # "I helped Sasha, she has moved"
        if clause.verb.lemma in _TALKING and first in ("to", "with") and words.tags[at + 1] == "U":
            _met(scene, clause, words.texts[at + 1])  # "I talked to Sasha, she's my aunt"
            return
        begin = at + 1 if tag == "D" else at
        end = begin
        while end < clause.end and words.tags[end] in ("N", "U", "V", "M") and end < begin + 5:
            end += 1
        timed = (i for i in range(begin + 1, end) if words.low[i] in _TIMES)
        end = next(timed, end)
        if words.tags[begin] == "V" and begin + 1 < end and words.tags[begin + 1] == "M":
            at = begin = begin + 1  # "finished reading three novels. I loved them"
        if end == begin or first in ("it", "them", "this", "that") or (first == "one" and end == at + 1):
            return
        scene.object = words.span(at, end)
        scene.things.append(scene.object)
        many = clause.verb.lemma in _PUTTING and words.low[end - 1].endswith("s")
        self.placed = (words, at, end) if many else None
        if "U" in words.tags[begin:end]:
            return
        if first in ("my", "our") or (tag == "N" and clause.verb.lemma in ("move", "change", "switch")):
            scene.may_be_thing(lambda: scene.of_phrase(words.tokens(begin, end)))
        elif _are_goods(words, clause, end):
            if (maker := scene.named) is not None and words.low[clause.subject_end - 1].endswith(_OF_HOUSES):
                scene.thing = maker
        elif tag in ("D", "N"):
            scene.may_be_thing(lambda: scene.of_thing(words.tokens(begin, end)))


def _met(scene: Scene, clause: ParsedClause, name: str) -> None:
    """Whom the speaker meets is whom "she" means next; of two others who meet, it may be either."""
    other = About(name, "person")
    if clause.kind not in ("i", "we", "elided") and scene.persons and scene.persons[-1].key != name:
        scene.met = other
    else:
        scene.mention(other)


def _is_placed(words: Words, clause: ParsedClause) -> bool:
    """Whether a clause tells where things are: "they're kept in Bitwarden", "they live in Penpot"."""
    verb = clause.verb
    lies = verb.lemma in ("be", "live", "sit", "run", "stay", "go") or (
        verb.passive and verb.lemma in _PLACED
    )
    at = verb.after
    while at < clause.end and words.low[at] in ("now", "all", "just", "safely"):
        at += 1
    return lies and at < clause.end and words.low[at] in _AT


def _things_at(scene: Scene, words: Words, begin: int, end: int) -> About | None:
    """The things that a noun names; nobody who goes where they like."""
    if words.low[end - 1] in _PEOPLE or is_relation(words.low[end - 1].removesuffix("s")):
        return None
    if words.low[begin] in ("my", "our"):
        return scene.of_phrase(words.tokens(begin + 1, end))
    return scene.of_thing(words.tokens(begin, end))


def asked_about(words: Words, clause: ParsedClause, scene: Scene) -> None:
    """ "Never suggest mushrooms, I hate them": a kind of thing that the assistant is to do something with."""
    begin = end = clause.verb.after
    while end < clause.end and words.tags[end] in ("N", "V", "U") and end < begin + 3:
        end += 1
    if begin < end and words.low[begin] not in _PERSONS | {"it", "them", "this", "that"}:
        scene.things.append(words.span(begin, end))


def _company(words: Words, begin: int, end: int) -> About | None:
    """Behind a verb, a name of several words that is no place: "a letter to Hexley & Daughters"."""
    for first in range(begin, end - 1):
        if words.tags[first] != "U":
            continue
        after = first + 1
        while after < end and (words.tags[after] == "U" or words.texts[after] == "&"):
            after += 1
        name = " ".join(words.texts[first:after])
        if after - first > 1 and name.casefold() not in PLACES:
            return About(name, "thing")
    return None


_PEOPLE: Final = frozenset(
    "parents grandparents folks kids children sons daughters brothers sisters siblings cousins twins "
    "boys girls "
    "in_laws family relatives neighbors neighbours colleagues coworkers friends flatmates roommates team "
    "crew "
    "intern tenant tenants client clients customers students pupils lodger guests employees au_pair".split()
)


def _as_people(about: About) -> About:
    """ "My parents live in Split": what people do is told of them, and not of whoever has them."""
    slot = about.attribute
    if slot is None or slot not in _PEOPLE | OCCUPATIONS:
        return about
    spoken = slot.replace("_", " ")
    names = (f"user's {spoken}", spoken, f"my {spoken}", f"our {spoken}") if about.sort == "speaker" else ()
    # As a thing: rules of the table are for one person, and several live in a place in their own words.
    return About(f"{about.key}/{slot}", "thing", names=names)


_OF_SOMEBODY: Final = pattern(r"[A-Z][\w-]+'s\b")


def may_mention_relatives(text: str) -> bool:
    """Whether a question may name somebody in passing: most do not, and their words need not be cut."""
    low = text.lower()
    if ("my " in low or "our " in low) and not RELATION_WORDS.isdisjoint(runs_of_letters(low)):
        return True
    return _OF_SOMEBODY.search(text) is not None


def relatives_mentioned(words: Words, begin: int, end: int, scene: Scene) -> None:
    """ "We got a puppy", "a gift for my sister Anna": whom "he" or "she" may mean next."""
    if "'s" in words.lows:
        for at in range(begin + 1, end - 1):
            if words.tags[at] == "U" and words.texts[at + 1] == "'s" and words.tags[at - 1] != "U":
                scene.mention(About(words.texts[at], "person"))  # "Can you look over Kofi's CV?"
    if RELATION_WORDS.isdisjoint(words.lows):
        return
    for at in range(begin, end):
        if words.tags[at] in ("N", "V", "U") and is_relation(words.low[at]):
            first, after = at, at + 1
            while first > begin and words.tags[first - 1] in ("N", "M"):
                first -= 1
            while after < end and words.tags[after] == "U":
                after += 1
            about = scene.of_phrase(words.tokens(first, after))
            if about is not None and about.sort == "person":
                scene.mention(about)


def _are_goods(words: Words, clause: ParsedClause, end: int) -> bool:
    """ "Orrin Works makes lamps. It is based in Ems": lamps are no "it"."""
    return clause.kind == "named" and clause.verb.lemma in ("make", "sell") and words.low[end - 1][-1:] == "s"


def wrong_about(words: Words, scene: Scene) -> None:
    """ "I gave you the wrong date for our anniversary": what "it" means in the sentence after it."""
    for at in range(1, words.count - 1):
        if words.low[at] == "about" and words.low[at - 1] in _MISTAKEN and words.tags[at + 1] in ("N", "V"):
            end = at + 2
            while end < words.count and words.tags[end] in ("N", "U", "V") and words.low[end] not in _TIMES:
                end += 1
            scene.object = words.span(at + 1, end)  # "I was wrong about golf. I love it"
            scene.things.append(scene.object)
            return
        if words.low[at] not in ("my", "our") or words.tags[at - 1] != "P":
            continue
        end = at + 1
        while end < words.count and words.tags[end] in ("N", "U", "V", "M"):
            end += 1
        about = scene.of_phrase(words.tokens(at + 1, end))
        if about is not None and about.attribute is not None:
            scene.thing = about
        elif about is not None:
            scene.mention(about)
        return


def _before_text(scene: Scene, pronoun: str) -> About | None:
    """Somebody of whom an earlier text spoke: who that is, only the store can tell."""
    if scene.speaker is None or scene.persons or pronoun not in ("he", "she"):
        return None
    return About(f"{PRONOUN}{pronoun}", "person")
