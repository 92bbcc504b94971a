"""Which assertions compete: predicates that speak of the same thing, and how many values each holds.

The tables are data. A predicate that is not in them holds what it was declared to hold, else many values.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from longmind.facts.canonical import alias_norm
from longmind.facts.values import Cardinality

SHARED: Final = {
    "home": ("lives_in", "home", "home_city", "lives_at", "resides_in"),
    "employer": ("works_at", "works_for", "employer", "employed_by", "employed_at"),
    "name": ("name", "full_name"),
    "nickname": ("nickname", "called", "goes_by", "preferred_name"),
    "relationship": ("relationship_status", "marital_status", "relationship"),
    "diet": ("diet", "dietary_preference"),
    "bank": ("banks_with", "bank", "banking"),
    "blood": ("blood_type", "blood_group"),
}
"""Different predicates for one thing that has one value: a new value of any ends the others."""

LIKING: Final = ("likes", "loves", "enjoys", "adores")
DISLIKING: Final = ("dislikes", "hates", "detests", "loathes", "despises")
"""The predicates that say one attitude more or less strongly."""

OPPOSED: Final = {
    "attitude": (*LIKING, *DISLIKING, "prefers", "avoids"),
    "allergy": ("allergic_to", "not_allergic_to"),
}
"""Predicates of which one holds towards the same thing: who dislikes running does not like it."""

SINGLE: Final = (
    "age religion pronouns born_on birthday timezone born_in from grew_up_in address email "
    "work_email phone work_phone role studies_at married_to engaged_to wife husband spouse partner "
    "girlfriend boyfriend fiance fiancee mother father stepmother stepfather mother_in_law "
    "father_in_law boss manager supervisor landlord best_friend session_id title "
).split()
"""Further built-in predicates that hold one value at a time."""

MULTIPLE: Final = (
    "nationality speaks works_in studies graduated_from learning plays uses owns has_pet has_condition habit "
    "hobby eats drinks has_relative lives_with sister brother sibling son daughter child friend colleague"
).split()
"""Built-in predicates that hold many values."""

PERSONAL: Final = (
    *OPPOSED["attitude"],
    *OPPOSED["allergy"],
    *SHARED["diet"],
    *SHARED["relationship"],
    *SHARED["home"],
    *"religion age has_condition habit hobby eats drinks owns has_pet plays uses learning".split(),
    *"speaks role has_relative lives_with child son daughter".split(),
)
"""What somebody likes, avoids, owns and is, as far as it should shape advice; so should every favourite."""

_ONE: Final = frozenset({name for names in SHARED.values() for name in names} | {*SINGLE})
_MANY: Final = frozenset({name for names in OPPOSED.values() for name in names} | {*MULTIPLE})
_GROUPS: Final = {name: group for group, names in {**SHARED, **OPPOSED}.items() for name in names}
_FAVOURITE: Final = re.compile(r"favou?rite_(?P<thing>.+)")
_NOW: Final = re.compile(
    r"(?:current_|new_|present_)?(?P<name>.+?)(?:_(?:now|currently|nowadays|today|these_days))?"
)


class Group(NamedTuple):
    """The predicates that compete with one, by canonical key, and whether each thing competes apart."""

    name: str
    predicates: tuple[str, ...]
    by_thing: bool


@lru_cache(maxsize=2048)
def standard(predicate: str) -> str:
    """The one spelling of a built-in predicate: `favourite_food_now` is `favorite_food`."""
    norm = alias_norm(predicate).replace(" ", "_")
    match = _NOW.fullmatch(norm)
    name = match["name"] if match else norm
    favourite = _FAVOURITE.fullmatch(name)
    if favourite:
        return f"favorite_{favourite['thing']}"
    return name if name != norm and cardinality(name) is not None else predicate


@lru_cache(maxsize=2048)
def cardinality(norm: str) -> Cardinality | None:
    """How many values a built-in predicate holds at a time; None for any other."""
    if norm in _ONE or _FAVOURITE.fullmatch(norm):
        return "one"
    return "many" if norm in _MANY else None


@lru_cache(maxsize=2048)
def group(norm: str, *, single: bool) -> Group:
    """What competes with a predicate that holds one value, or many."""
    name = _GROUPS.get(norm)
    if name in SHARED and single:
        return Group(name, SHARED[name], by_thing=False)
    if name in OPPOSED and not single:
        return Group(name, OPPOSED[name], by_thing=True)
    return Group(f"={norm}", (norm,), by_thing=not single)


@lru_cache(maxsize=2048)
def wordings(norm: str) -> tuple[str, ...]:
    """The predicates that say the same as one of a thing: `loves` and `likes`, `home` and `lives_in`."""
    for same in (LIKING, DISLIKING):
        if norm in same:
            return same
    return SHARED.get(_GROUPS.get(norm, ""), (norm,))
