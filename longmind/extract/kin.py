"""Words for people and animals by what they are to somebody: "my mother", "her boss", "our dog"."""

from __future__ import annotations

from typing import Final

from longmind.extract.statements import RELATIONS_OF_MANY, RELATIONS_OF_ONE

SPELLINGS: Final = {
    "mom": "mother",
    "bro": "brother",
    "sis": "sister",
    "mum": "mother",
    "mama": "mother",
    "mommy": "mother",
    "mummy": "mother",
    "ma": "mother",
    "dad": "father",
    "papa": "father",
    "daddy": "father",
    "pa": "father",
    "grandma": "grandmother",
    "granny": "grandmother",
    "gran": "grandmother",
    "nana": "grandmother",
    "nan": "grandmother",
    "grandpa": "grandfather",
    "granddad": "grandfather",
    "grandad": "grandfather",
    "fiancé": "fiance",
    "fiancée": "fiancee",
    "room mate": "roommate",
    "co-worker": "coworker",
    "bestie": "best_friend",
    "best friend": "best_friend",
    "best mate": "best_mate",
    "neighbour": "neighbor",
    "kid": "child",
    "significant other": "partner",
    "guinea pig": "guinea_pig",
    "mother-in-law": "mother_in_law",
    "father-in-law": "father_in_law",
    "sister-in-law": "sister_in_law",
    "brother-in-law": "brother_in_law",
    "auntie": "aunt",
    "stepdad": "stepfather",
    "stepmum": "stepmother",
    "stepmom": "stepmother",
    "hubby": "husband",
    "missus": "wife",
    "gp": "gp",
    "flat mate": "flatmate",
}
"""What is written for a relation, where it differs from the slot."""

RELATIONS: Final = frozenset((*RELATIONS_OF_ONE, *RELATIONS_OF_MANY))
RELATION_WORDS: Final = frozenset(
    word.replace("_", " ").split()[-1] for word in (*RELATIONS, *SPELLINGS) if word not in ("ma", "pa")
) - {"law", "other", "pig", "mate"} | {
    "mother-in-law",
    "father-in-law",
    "sister-in-law",
    "brother-in-law",
    "mate",
}
PARTNERS: Final = (
    "fiance",
    "fiancee",
    "boyfriend",
    "girlfriend",
    "partner",
    "wife",
    "husband",
    "married_to",
    "engaged_to",
)
"""What one person can be only one of at a time."""
FEMALE: Final = frozenset(
    "mother wife girlfriend fiancee sister daughter aunt niece grandmother granddaughter stepmother "
    "mother_in_law sister_in_law stepdaughter stepsister".split()
)
MALE: Final = frozenset(
    "father husband boyfriend fiance brother son uncle nephew grandfather grandson stepfather "
    "father_in_law brother_in_law stepson stepbrother".split()
)


COUNTED: Final = frozenset(f"{word}s" for word in RELATION_WORDS) | RELATION_WORDS | {"children", "wives"}
"""A relation's word, of one or of several."""


def relation_slot(written: str) -> str:
    """The slot that a written relation stands for."""
    word = written.lower()
    return SPELLINGS.get(word) or word.replace("-", "_").replace(" ", "_")


def is_relation(word: str) -> bool:
    """Whether a noun says what somebody is to somebody."""
    return word in RELATION_WORDS


def relation_in(words: list[str]) -> str | None:
    """The relation that a noun phrase ends in: ["older", "sister"] is a sister; None where it is none."""
    for count in (2, 1):
        if len(words) >= count:
            slot = relation_slot(" ".join(words[-count:]))
            if slot in RELATIONS:
                return slot
    return None
