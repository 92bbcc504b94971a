"""Who or what a clause is about: the speaker, a relative, a name, a thing, or whoever was spoken of last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from longmind.extract.kin import FEMALE, MALE, relation_in
from longmind.extract.lexicon import DAYS, OCCUPATIONS, PEOPLE_NOT_NAMED
from longmind.extract.tokens import Token

Sort = Literal["speaker", "person", "thing"]


@dataclass(slots=True)
class About:
    """The subject by its key: a name, "speaker", or "speaker/mother" for a relative without a name.

    `attribute` is set where the clause is about something of the subject's: its slot.
    """

    key: str
    sort: Sort
    attribute: str | None = None
    names: tuple[str, ...] = ()
    relation: str | None = None


_NO_THING: Final = frozenset(
    "everything everyone everybody something someone somebody anything anyone anybody nothing nobody none "
    "one ones thing things people way point reason problem issue question idea rest fact guy bit lot kind "
    "sort part time day days week month year morning evening afternoon night today tomorrow yesterday "
    "results studies study data paper work others other another same such many most more all both each "
    "weather it this that these those there here what which who me us him them you i "
    "first second last next example story book song article post text sentence following above below "
    "number good great best worst half some any few several stuff".split()
)
_ADJECTIVES: Final = frozenset(
    "new old little big older younger elder oldest youngest eldest twin baby late dear lovely beloved only "
    "first other amazing good close current former own whole entire main usual best favourite favorite "
    "second third previous next latest regular".split()
)
_THINGS: Final = frozenset(
    "project product app application service server system tool team squad library package module repo "
    "repository branch database cluster site website platform pipeline game band album song book novel film "
    "movie series show car van boat ship plane bike motorbike house flat street village town city country "
    "school company firm startup agency supplier vendor client customer shop store brand club".split()
)
"""Nouns that are no persons, before a name: "our project Falcon"."""
_FICTION: Final = frozenset(
    "character protagonist hero heroine villain avatar persona detective narrator mind head heart soul "
    "fault turn "
    "bad point thoughts guess question".split()
)
_PERSONAL: Final = frozenset(
    "home passport surname birthday height weight email phone mobile number address name job allergies "
    "allergy diet pronouns hometown nickname age postcode dob id".split()
)
_PERSONAL_PAIRS: Final = frozenset(
    (
        "blood type",
        "blood group",
        "shoe size",
        "dress size",
        "job title",
        "star sign",
        "zip code",
        "sort code",
    )
)
_MASCULINE: Final = frozenset({"he", "his", "him"})
_FEMININE: Final = frozenset({"she", "her"})


_OFFICES: Final = frozenset("ceo cto cfo coo cmo vp md gm".split())


_NO_FIRST_NAME: Final = frozenset(
    "appointment appointments slot slots booking bookings visit visits meeting meetings session "
    "sessions birthday lesson lessons bill "
    "bills number office practice surgery call calls house flat name party wedding class classes problem "
    "problems "
    "reminder checkup check-up review interview situation drama group chat account fees fee job work "
    "side man guy lady".split()
)
"""What a relation goes before and yet calls nobody: "my dentist appointment"."""


def _is_named(token: Token) -> bool:
    return token.text[:1].isupper() and token.low not in _OFFICES


_OF_ALL: Final = _NO_THING | {"world", "country", "life"}
_OCCASIONS: Final = frozenset(
    "parents quiz open sports moving wedding opening leaving election launch demo match games movie film "
    "training polling results book curry bingo karaoke club pay market bin collection cleaning delivery "
    "release deploy graduation prize induction".split()
)


def _is_occasion(words: Sequence[str]) -> bool:
    """ "The parents' evening", "quiz night": a day of its own kind, and not any day."""
    return len(words) > 1 and words[-1] in ("day", "evening", "night", "morning") and words[-2] in _OCCASIONS


def slot_of(words: Sequence[str]) -> str:
    """The words of a noun as the name of a slot: "resting heart rate" is resting_heart_rate."""
    return "_".join(word for word in words if word.isalnum() or "-" in word).replace("-", "_")


def _without_day(tokens: Sequence[Token], words: list[str]) -> tuple[Sequence[Token], list[str]]:
    """ "My flight to Oslo on Friday" is said of the flight to Oslo."""
    if len(words) > 3 and words[-2] in ("on", "in", "at", "for") and words[-1] in DAYS:
        return tokens[:-2], words[:-2]
    return tokens, words


@dataclass(slots=True)
class Scene:
    """Who has been spoken of so far in a text."""

    speaker: str | None
    persons: list[About] = field(default_factory=list)
    named: About | None = None
    object: tuple[int, int] | None = None
    """Where the last thing stands that something was said of: what "them" may mean."""
    things: list[tuple[int, int]] = field(default_factory=list)
    """Where all of them stand, and what the assistant was told to do something with."""
    company: About | None = None
    """Who was named last behind a verb, by several names, and no person since: what "they" may mean."""
    met: About | None = None
    """Whom the last person met or spoke to, as long as nobody is named again: "she" may be either."""
    closed: bool = False
    """Only names count: in a document "the service" is nothing that others would ask for."""
    _thing: About | None = None
    _objects: list[Callable[[], About | None]] = field(default_factory=list)

    @property
    def thing(self) -> About | None:
        """What "it" means."""
        objects = self._objects
        while objects:
            about = objects.pop()()
            if about is not None and about.sort != "person":
                self._thing = about
                objects.clear()
        return self._thing

    @thing.setter
    def thing(self, about: About) -> None:
        self._thing = about
        self._objects.clear()

    def may_be_thing(self, read: Callable[[], About | None]) -> None:
        """What "it" may mean next, read when it is asked for: most texts never do."""
        self._objects.append(read)

    def mention(self, about: About) -> None:
        about = replace(about, attribute=None) if about.attribute is not None else about
        if about.sort == "person":
            self.company = self.met = None
            self.persons = [*[one for one in self.persons if one.key != about.key][-5:], about]
            self.named = about
        elif about.sort == "thing":
            self.thing = about
            if about.key[:1].isupper():
                self.named = about

    def pronoun(self, word: str) -> About | None:
        """Whom "she" or "it" means: the last one it fits."""
        if word in ("it", "its"):
            return self.thing
        if word in ("they", "their") and self.company is not None:
            return self.company
        wrong = FEMALE if word in _MASCULINE else MALE if word in _FEMININE else frozenset()
        for person in reversed(self.persons):
            if self.met is not None and wrong and person.relation not in FEMALE | MALE:
                return None  # "Lina met Nora, she has moved"
            if person.relation not in wrong:
                return person
            if self.met is not None:
                return self.met  # "my sister phoned Emil, he has moved"
        return None

    def of_phrase(self, tokens: Sequence[Token]) -> About | None:
        """Whom a noun phrase of the speaker's means: "my sister Rita", "our CEO", "my dad's car"."""
        if self.speaker is None:
            return None
        return self._owned(self.speaker, "user", tokens)

    def _owned(self, owner: str, spoken: str, tokens: Sequence[Token]) -> About | None:
        tokens = [token for token in tokens if token.low not in ("mine", "ours")]
        if tokens and tokens[-1].low == "of":
            tokens = tokens[:-1]
        words = [token.low for token in tokens]
        if "'s" in words and words.index("'s") + 1 < len(words):
            cut = words.index("'s")
            inner = self._owned(owner, spoken, tokens[:cut])
            if inner is None:
                return None
            return self._owned(inner.key, inner.names[0] if inner.names else inner.key, tokens[cut + 1 :])
        tokens, words = _without_day(tokens, words)
        name_at = next((i for i, token in enumerate(tokens) if i and _is_named(token)), len(words))
        nouns = words[:name_at]
        while nouns and nouns[-1] in (",", "'s"):
            nouns.pop()
        relation = relation_in(nouns)
        if relation == "editor" or nouns[-2:-1] in (["text"], ["code"], ["photo"], ["video"]):
            relation = None  # "my text editor" is a tool
        if relation == "manager" and len(nouns) > 1 and nouns[-2] not in _ADJECTIVES | {"line", "direct"}:
            relation = None  # "my project manager" is not who one reports to
        if (
            relation is None
            and len(nouns) > 1
            and relation_in(nouns[:-1]) is not None
            and name_at == len(words)
            and nouns[-1] not in _NO_FIRST_NAME
        ):
            # "my boyfriend tyrell": a name in lower case after the relation
            relation, name_at, nouns = relation_in(nouns[:-1]), len(nouns) - 1, nouns[:-1]
        if relation is not None:
            written = " ".join(word for word in nouns if word not in _ADJECTIVES)
            if name_at < len(tokens):
                stop = name_at
                while stop < len(tokens) and tokens[stop].text not in (",", "'s"):
                    stop += 1
                name = " ".join(token.text for token in tokens[name_at:stop])
                name = name if name[:1].isupper() else name.title()
                return About(name, "person", names=(), relation=relation)
            plain = relation.replace("_", " ")
            names = dict.fromkeys(
                (f"{spoken}'s {written}", written, plain, f"{spoken}'s {plain}", f"my {written}")
            )
            return About(f"{owner}/{relation}", "person", names=tuple(names), relation=relation)
        names_it = nouns and 0 < name_at < len(tokens) and tokens[0].text.islower()
        if (
            names_it
            and nouns[-1] not in _NO_THING | _FICTION
            and all(token.text[:1].isupper() for token in tokens[name_at:])
        ):
            if tokens[name_at - 1].low in ("to", "from"):  # "my flight to Cape Town" is said of the flight
                slot = slot_of(nouns[:-1])
                kind: Sort = "speaker" if owner == self.speaker else "person"
                return About(owner, kind, attribute=slot) if slot else None
            # "our intern Mei", "my classmate Jo", "our project Falcon": of whoever or whatever is named
            is_thing = nouns[-1] in _THINGS or tokens[name_at - 1].tag == "P"  # "our flat in Porto"
            is_thing = is_thing and nouns[-1] not in OCCUPATIONS
            sort: Sort = "thing" if is_thing else "person"
            return About(" ".join(token.text for token in tokens[name_at:]), sort, names=())
        if "of" in nouns[1:]:
            nouns = nouns[: nouns.index("of")]
        slot = slot_of([word for word in nouns if word not in ("of", "the", "own", "new", "current")])
        slot = slot.replace("favourite_", "favorite_").replace("colour", "color")
        if not slot or (nouns[-1] in _NO_THING and len(nouns) == 1) or nouns[-1] in _FICTION:
            return None
        return About(owner, "speaker" if owner == self.speaker else "person", attribute=slot)

    def personal(self, tokens: Sequence[Token]) -> About | None:
        """A thing that everybody has one of, told without "my": "Home is Olomouc", "blood type: 0"."""
        words = [token.low for token in tokens]
        if self.speaker is None or not words or len(words) > 3:
            return None
        if words[-1] not in _PERSONAL and " ".join(words[-2:]) not in _PERSONAL_PAIRS:
            return None
        return About(self.speaker, "speaker", attribute=slot_of(words))

    def of_name(self, tokens: Sequence[Token]) -> About | None:
        """What a capitalised phrase names; "Ana's sister" is somebody of hers."""
        words = [token.low for token in tokens]
        if "'s" in words:
            cut = words.index("'s")
            owner = self.of_name(tokens[:cut])
            if owner is None or cut + 1 >= len(words):
                return owner
            return self._owned(owner.key, owner.key, tokens[cut + 1 :])
        if (
            (words[0] in PEOPLE_NOT_NAMED and not _is_occasion(words))
            or words[0] in _NO_THING
            or len(words) > 6
        ):
            return None
        name = " ".join(token.text for token in tokens).replace(" .", ".").replace(" - ", "-")
        if name.isupper() and len(name) > 5:
            return None
        small = sum(token.text[:1].islower() for token in tokens)
        if len(words) == 1 and (relation := relation_in(words)) in FEMALE | MALE:
            return About(name, "person", relation=relation)  # "Mum's birthday is 3 May": "she" is no "Dad"
        return About(name, "thing" if small > 1 or len(words) > 3 else "person")

    def of_thing(self, tokens: Sequence[Token]) -> About | None:
        """What a common noun means: "the orders service", "deploys"."""
        if self.closed:
            return None
        nouns = [
            token for token in tokens if token.low not in ("the", "a", "an", "this", "that", "these", "those")
        ]
        if len(nouns) > 1 and nouns[0].text == "new":
            nouns = nouns[1:]  # "the new gate code" is the gate code, told anew
        nouns = [token for token in nouns if token.text != "'"]  # "the residents' association"
        words = [token.low for token in nouns]
        bare = tokens[0].tag != "D"
        if "'s" in words[1:-1] and not bare:
            cut = words.index("'s")  # "the shop's address": told of the shop
            owner, slot = self.of_thing([tokens[0], *nouns[:cut]]), slot_of(words[cut + 1 :])
            if owner is None or owner.attribute is not None or not slot or owner.key in _OF_ALL:
                return None
            if words[-1] in _NO_THING and cut == len(words) - 2:
                return None
            return About(owner.key, "thing", attribute=slot)
        if (
            not words
            or (words[-1] in _NO_THING and not _is_occasion(words))
            or (bare and words[-1] in PEOPLE_NOT_NAMED)
            or words[0] in _NO_THING
            or len(words) > 6
            or "'s" in words
        ):
            return None
        if not all(word.replace("-", "").replace("'", "").isalnum() for word in words):
            return None
        return About(" ".join(token.text for token in nouns).lower(), "thing")
