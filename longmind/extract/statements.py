"""What a text says, as values: a slot of a subject, its value and the bytes that say so; and the slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["identity", "preference", "state", "plan", "event", "place", "time", "contact", "relation"]
Cardinality = Literal["one", "many"]
Action = Literal["record", "end", "correct"]

ANY: Final = "*"
"""A slot that is whichever holds the value: "I sold the Petrel" ends what is held about the Petrel."""

PRONOUN: Final = "?"
"""Before "he" or "she" as a subject: somebody of whom the text before spoke."""

SPEAKER: Final = "speaker"
"""The subject of whatever is said in the first person."""


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """When, in the text's own words: unresolved, with its UTF-8 byte range."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a text says.

    `start` and `end` are the UTF-8 byte range of the clause that says it; the value's own range lies inside.
    `polarity` is False for what is denied ("I don't eat meat"). `ended` is True for what was so and is over:
    with polarity True as "I used to live in Porto", with polarity False as "I no longer like jazz".

    `action` "end" ends what is held, "correct" replaces it as if it had never been. `old` is what the value
    takes the place of, in the text's words: "the Pixel" in "traded the Pixel for an iPhone". `free` marks
    what no slot of the table is for: its slot is the verb, or the name of the thing, as the text has it.
    """

    subject: str
    slot: str
    value: str
    kind: Kind
    cardinality: Cardinality
    polarity: bool
    ended: bool
    start: int
    end: int
    value_start: int
    value_end: int
    rule: str
    when: TimePhrase | None = None
    action: Action = "record"
    old: str | None = None
    free: bool = False
    then: Literal["before", "since"] | None = None
    """`when` was said of something else, before or since which this was so."""
    whole: bool = False
    """With `action` "end": whatever the slot holds is over, and the value only tells how."""
    verb: str = ""
    """The verb that said it, by its base form: "love" where the slot is `likes`."""
    names: tuple[str, ...] = ()
    """Further names that the text has for the subject."""

    @property
    def holds(self) -> bool:
        """Whether it is so now, by this statement."""
        return self.polarity and not self.ended and self.action != "end"


@dataclass(frozen=True, slots=True)
class Slot:
    """`phrase` begins with a verb ("live in"), or with 's for "User's name is ..."."""

    kind: Kind
    cardinality: Cardinality
    phrase: str


INSTRUCTIONS: Final = frozenset(
    "instruction answer_language answer_length answer_format answer_tone units theme email_signoff emoji "
    "code_style spelling currency time_format".split()
)
"""What the assistant is told to keep to."""

RELATIONS_OF_ONE = (
    "wife husband spouse partner girlfriend boyfriend fiance fiancee mother father stepmother stepfather "
    "mother_in_law father_in_law boss manager supervisor landlord landlady best_friend best_mate gp dentist "
    "therapist physio vet"
).split()

RELATIONS_OF_MANY = (
    "sister brother sibling twin son daughter child stepson stepdaughter stepsister stepbrother niece "
    "nephew cousin aunt uncle grandmother grandfather grandson granddaughter sister_in_law brother_in_law "
    "friend roommate flatmate housemate colleague coworker teammate mentor neighbor teacher coach "
    "doctor editor assistant godson goddaughter godmother godfather mate buddy "
    "baby dog cat puppy kitten parrot rabbit hamster horse bird turtle guinea_pig pet"
).split()

_SLOTS: dict[str, Slot] = {
    "name": Slot("identity", "one", "'s name is"),
    "nickname": Slot("identity", "many", "be called"),
    "age": Slot("identity", "one", "be aged"),
    "nationality": Slot("identity", "many", "be"),
    "religion": Slot("identity", "one", "be"),
    "pronouns": Slot("identity", "one", "'s pronouns are"),
    "marital_status": Slot("identity", "one", "be"),
    "speaks": Slot("identity", "many", "speak"),
    "born_on": Slot("time", "one", "be born"),
    "birthday": Slot("time", "one", "'s birthday is"),
    "timezone": Slot("time", "one", "'s time zone is"),
    "born_in": Slot("place", "one", "be born in"),
    "from": Slot("place", "one", "be from"),
    "grew_up_in": Slot("place", "one", "grow up in"),
    "lives_in": Slot("place", "one", "live in"),
    "address": Slot("contact", "one", "'s address is"),
    "email": Slot("contact", "one", "'s email is"),
    "work_email": Slot("contact", "one", "'s work email is"),
    "phone": Slot("contact", "one", "'s phone number is"),
    "work_phone": Slot("contact", "one", "'s work phone number is"),
    "works_at": Slot("state", "one", "work at"),
    "works_in": Slot("state", "many", "work in"),
    "role": Slot("state", "one", "be"),
    "studies": Slot("state", "many", "study"),
    "studies_at": Slot("state", "one", "study at"),
    "studied": Slot("event", "many", "study"),
    "studied_at": Slot("event", "many", "study at"),
    "graduated_from": Slot("event", "many", "graduate from"),
    "learning": Slot("state", "many", "be learning"),
    "plays": Slot("state", "many", "play"),
    "uses": Slot("state", "many", "use"),
    "owns": Slot("state", "many", "own"),
    "has_pet": Slot("state", "many", "have"),
    "has_condition": Slot("state", "many", "have"),
    "habit": Slot("state", "many", ""),
    "likes": Slot("preference", "many", "like"),
    "dislikes": Slot("preference", "many", "dislike"),
    "prefers": Slot("preference", "many", "prefer"),
    "hobby": Slot("preference", "many", "'s hobby is"),
    "diet": Slot("preference", "many", "be"),
    "eats": Slot("preference", "many", "eat"),
    "drinks": Slot("preference", "many", "drink"),
    "allergic_to": Slot("state", "many", "be allergic to"),
    "married_to": Slot("relation", "one", "be married to"),
    "engaged_to": Slot("relation", "one", "be engaged to"),
    "has_relative": Slot("relation", "many", "have"),
    "lives_with": Slot("relation", "many", "live with"),
    "event": Slot("event", "many", "'s appointment is"),
    "instruction": Slot("preference", "many", ""),
    "answer_language": Slot("preference", "one", ""),
    "answer_length": Slot("preference", "one", ""),
    "answer_format": Slot("preference", "one", ""),
    "answer_tone": Slot("preference", "one", ""),
    "units": Slot("preference", "one", ""),
    "theme": Slot("preference", "one", ""),
    "email_signoff": Slot("preference", "one", ""),
    "emoji": Slot("preference", "one", ""),
    "spelling": Slot("preference", "one", ""),
    "currency": Slot("preference", "one", ""),
    "code_style": Slot("preference", "one", ""),
    "time_format": Slot("preference", "one", ""),
    "plans": Slot("plan", "many", "plan to"),
    "did": Slot("event", "many", ""),
}
_FREE = Slot("state", "many", "")
for _relation in (*RELATIONS_OF_ONE, *RELATIONS_OF_MANY):
    _SLOTS[_relation] = Slot(
        "relation",
        "one" if _relation in RELATIONS_OF_ONE else "many",
        f"'s {_relation.replace('_in_law', '-in-law').replace('_', ' ')} is",
    )


def slot_named(name: str) -> Slot:
    """A known slot, or the one that a `favorite_...` name stands for."""
    if name.startswith("favorite_"):
        return Slot("preference", "one", f"'s favorite {name[9:].replace('_', ' ')} is")
    return _SLOTS.get(name, _FREE)


def is_slot(name: str) -> bool:
    """Whether the table has a slot of this name."""
    return name in _SLOTS or name.startswith("favorite_")
