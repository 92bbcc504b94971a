"""Who belongs to whom: family, partners, friends, animals with a name."""

from __future__ import annotations

from longmind.extract.phrases import names
from longmind.extract.rules.rule import DONE, PRESENT, TOGETHER, OwnRule, VerbRule, tenses
from longmind.extract.statements import RELATIONS_OF_MANY, RELATIONS_OF_ONE

SPELLINGS = {
    "mom": "mother", "mum": "mother", "mama": "mother", "mommy": "mother", "dad": "father",
    "papa": "father", "daddy": "father", "grandma": "grandmother", "granny": "grandmother",
    "nana": "grandmother", "grandpa": "grandfather", "granddad": "grandfather", "fiancé": "fiance",
    "fiancée": "fiancee", "room mate": "roommate", "co-worker": "coworker", "bestie": "best_friend",
    "best friend": "best_friend", "neighbour": "neighbor", "kid": "child", "significant other": "partner",
    "guinea pig": "guinea_pig", "mother-in-law": "mother_in_law", "father-in-law": "father_in_law",
    "sister-in-law": "sister_in_law", "brother-in-law": "brother_in_law",
}  # fmt: skip
"""What is written for a relation, where it differs from the slot."""

_WORDS = sorted(
    {*SPELLINGS, *(slot.replace("_", " ") for slot in (*RELATIONS_OF_ONE, *RELATIONS_OF_MANY))},
    key=lambda word: (-len(word), word),
)
RELATION = rf"(?P<relation>{'|'.join(_WORDS)})"
_QUALIFIED = (
    r"(?:(?:older|younger|elder|little|big|twin|baby|oldest|youngest|eldest|new|late|dear|lovely|beloved|only|first"
    rf"|other|amazing|good|close|old) )?{RELATION}"
)


def relation_slot(written: str) -> str:
    """The slot that a written relation stands for."""
    word = written.lower()
    return SPELLINGS.get(word) or word.replace("-", "_").replace(" ", "_")


VERBS = (
    VerbRule("married_to", "married_to", ("be",), "(?:happily |still )?married to ", names.person,
             tenses=tenses("present", "perfect")),
    VerbRule("engaged_to", "engaged_to", ("be",), "engaged to ", names.person, tenses=PRESENT),
    VerbRule("married", "married_to", ("marry",), " ", names.person, tenses=DONE, denial="refuses"),
    VerbRule("got_married_to", "married_to", ("get",), " married to ", names.person, tenses=DONE,
             persons=TOGETHER, denial="refuses"),
)  # fmt: skip

OWN = (
    OwnRule("relation_named", _QUALIFIED, "{relation}",
            r"(?:'s name is|'s name's|'s called|'s named| is called| is named| was named) ", names.called),
    OwnRule("relation_is", _QUALIFIED, "{relation}", r"(?: is|'s) ", names.introduced),
)  # fmt: skip

APPOSITION = rf"(?<![\w'])my {_QUALIFIED},? "
"""Before a name: "my sister Beth", "my manager, Sunita,"."""
