"""What a new fact puts an end to in somebody's life: who has a partner is not single any more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from longmind.extract.verbs import form, verb_forms
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.moves import is_door, is_dwelling, other_amounts, other_days
from longmind.facts.slots import DISLIKING, LIKING, SHARED
from longmind.facts.trust import USER
from longmind.facts.values import Entity
from longmind.facts.words import words_of


def consequences(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """The ends of what cannot be so beside the new fact, in other predicates than its own."""
    if fact.predicate in _PARTNERS:
        yield from _other_ties(current, fact)
    if fact.predicate in _PARTNERS or (
        fact.predicate == "has_relative" and words_of(str(fact.value)) & _PARTNER_WORDS
    ):
        yield from _alone_no_longer(current, fact)
    if fact.predicate in SHARED["relationship"] and str(fact.value).casefold() in _ALONE:
        yield from _partners(current, fact)
    if fact.predicate in SHARED["relationship"] and str(fact.value).casefold() == "married":
        for belief in current.held(fact.subject, ("engaged_to",)):
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")
    if fact.predicate in SHARED["employer"]:
        yield from _at_work_again(current, fact)
        yield from _no_longer_there(current, fact, "is_at")
    if fact.predicate == "lives_in":
        for belief in current.held(fact.subject, (*_DWELLINGS, "lives")):
            said = str(belief.value).casefold()
            if said.removeprefix("in ") != str(fact.value).casefold() and (
                belief.predicate != "lives" or said.startswith("in ")
            ):
                yield FoundFact(
                    fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end"
                )
        yield from _other_rooms(current, fact)
        yield from _no_longer_there(current, fact, "is_in")
        yield from _address_left(current, fact)
    if fact.predicate in ("lives_in", "moved_into", "moved_in"):
        yield from _door_left(current, fact)
    if fact.predicate == "address":
        yield from _code_left(current, fact)
    if fact.predicate == "eats":
        yield from _other_diets(current, fact)
    if fact.predicate in SHARED["diet"]:
        yield from _other_food(current, fact)
    if fact.predicate in _SURNAMES:
        yield from _other_names(current, fact)
    if fact.predicate in ("got", "is") and (used := _USED_TO.match(str(fact.value))) is not None:
        yield from _borne(current, fact, used["what"])
    if fact.predicate == "owner" and fact.subject != USER:
        yield from _in_other_hands(current, fact)
    yield from _outcomes(current, fact)
    if fact.predicate.endswith("_day"):
        yield from other_days(current, fact)
    yield from other_amounts(current, fact)


def _no_longer_there(current: CurrentFacts, fact: FoundFact, predicate: str) -> Iterator[FoundFact]:
    """ "I'm at Siemens", "I'm in Dundee": not after another firm or town, unless both are told at once."""
    just_said = current.just_said()
    for belief in current.held(fact.subject, (predicate,)):
        said, new = str(belief.value), str(fact.value)
        is_to_come = fact.valid_from is not None and fact.valid_from > belief.said
        is_name = _A_NAME.fullmatch(said) is not None
        if is_name and not words_of(said) & words_of(new) and (is_to_come or belief not in just_said):
            over = FoundFact(fact.subject, predicate, belief.value, fact.start, fact.end, action="end")
            yield over if fact.valid_from is None else replace(over, valid_to=fact.valid_from)


_A_NAME: Final = re.compile(r"(?:the )?[A-Z][\w&'.-]*(?: (?:[A-Z][\w&'.-]*|of|and|the))*|[a-z]+")
"""A firm or a town, and no "meeting with Ana" or "good hands"; in small letters one word."""
_IN_CHARGE: Final = ("runs", "manages", "leads", "heads", "handles", "looks_after", "oversees")


def _in_other_hands(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "The warehouse is run by Miriam": by nobody else who was told of lately."""
    named = words_of(fact.subject)
    for belief in current.latest() if named else ():
        thing = words_of(_FURTHER.split(str(belief.value), maxsplit=1)[0])
        other = Entity(belief.subject).norm != Entity(str(fact.value)).norm
        if belief.predicate in _IN_CHARGE and other and thing == named:
            yield FoundFact(
                belief.subject, belief.predicate, belief.value, fact.start, fact.end, action="end"
            )


_PARTNERS: Final = frozenset(
    "fiance fiancee boyfriend girlfriend partner wife husband married_to engaged_to".split()
)
_MARRIED: Final = frozenset({"wife", "husband", "married_to"})
_PARTNER_WORDS: Final = words_of("fiance fiancee boyfriend girlfriend partner wife husband")


def _other_ties(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who is a husband now is no fiancé any more, and a new partner follows the old one."""
    for belief in current.held(fact.subject, tuple(sorted(_PARTNERS))):
        if belief.predicate in _PARTNERS and belief.predicate != fact.predicate:
            same = str(belief.value).casefold() == str(fact.value).casefold()
            married = {belief.predicate, fact.predicate} <= _MARRIED
            if same and not married:
                yield FoundFact(
                    fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end"
                )


def _alone_no_longer(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who has a partner is not single any more, and who is married not divorced."""
    over = {"single", *(("divorced", "widowed", "engaged") if fact.predicate in _MARRIED else ())}
    for belief in current.held(fact.subject, SHARED["relationship"]):
        if str(belief.value).casefold() in over:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_ALONE: Final = frozenset({"single", "divorced", "widowed"})


def _partners(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who is single has no girlfriend any more."""
    for belief in current.held(fact.subject, (*sorted(_PARTNERS), "is", "is_in")):
        if not belief.predicate.startswith("is") or _TOGETHER.match(str(belief.value)) is not None:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_TOGETHER: Final = re.compile(
    r"(?:now |newly |happily |finally )?(?:engaged(?: to be married)?$|(?:in an? )?(?:\w+ "
    r")?relationship|taken$|spoken for|"
    r"going (?:out|steady)|seeing (?:someone|somebody)|dating)",
    re.IGNORECASE,
)
"""What somebody is who is not alone, where no name is told."""


_DWELLINGS: Final = ("flat_in", "place_in", "apartment_in", "room_in", "studio_in", "home_in")
"""Where somebody's flat was until they moved."""
_ROOMS: Final = words_of("flat house apartment studio room cottage bedsit condo loft bungalow")
_DWELT: Final = re.compile(
    r"\b(?:flat|house|apartment|studio|room|cottage|bedsit|condo|loft|bungalow)\b.*? in (?P<where>[A-Z].*)"
)


_STOWED: Final = re.compile(r"\w+ed(?: up)? in(?:to)? ")


def _other_rooms(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "We're squeezed into a two-bed flat in Bristol": not after they moved to Totnes."""
    here = words_of(str(fact.value))
    for belief in current.sharing(fact.subject, _ROOMS):
        dwelt = _DWELT.search(str(belief.value))
        inside = belief.predicate.endswith(("_in", "_into")) or belief.predicate in ("rents", "shares")
        inside = inside or (belief.predicate == "is" and _STOWED.match(str(belief.value)) is not None)
        if dwelt is not None and inside and not here & words_of(dwelt["where"]):
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_CODES: Final = ("postcode", "post_code", "zip_code", "postal_code", "zip")


def _code_left(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Whose address is another one has the postcode of the old one no more."""
    here = words_of(str(fact.value))
    if all(str(belief.value) == str(fact.value) for belief in current.held(fact.subject, ("address",))):
        return  # told for the first time, it is the one that the postcode was told of
    for belief in current.held(fact.subject, _CODES):
        if belief.predicate in _CODES and not words_of(str(belief.value)) <= here:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


def _address_left(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who lived in Ely and lives in Hull has no address in Ely any more."""
    places = [words_of(str(belief.value)) for belief in current.held(fact.subject, ("lives_in",))]
    here = words_of(str(fact.value))
    if fact.action != "record" or not fact.polarity or not here:
        return
    for belief in current.held(fact.subject, ("address",)):
        there = words_of(str(belief.value))
        if (
            belief.predicate == "address"
            and here.isdisjoint(there)
            and any(place <= there for place in places if place)
        ):
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_DOORS: Final = ("address", "lives_at", "lives_in", "home", *_CODES)


def _door_left(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who has moved into another flat or house lives at the old number no more; the town may be the same."""
    here = words_of(str(fact.value))
    is_home = fact.action == "record" and fact.polarity and fact.valid_to is None
    if not is_home or not is_dwelling(str(fact.value)):
        return
    for belief in current.held(fact.subject, _DOORS):
        said = str(belief.value)
        door = belief.predicate in _DOORS and (belief.predicate in (*_CODES, "address") or is_door(said))
        if door and not words_of(said) <= here and not here <= words_of(said):
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_FURTHER: Final = re.compile(r" (?:at|in|on|for|with|to|near|from|behind|by) ")


def doing_over(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "I don't volunteer at the shelter any more": the one in Leeds, by whichever predicate it is held."""
    said = words_of(str(fact.value))
    if not said:
        return
    doing = _doing(fact.predicate, "")
    for belief in current.sharing(fact.subject, said):
        same = (belief.predicate, str(belief.value)) == (fact.predicate, str(fact.value))
        # Who does not use the lab any more may use the computer that stood in it.
        what = (
            str(belief.value) if "_" in fact.predicate else _FURTHER.split(str(belief.value), maxsplit=1)[0]
        )
        named = not said.isdisjoint(words_of(what))
        if (
            not same
            and named
            and said <= belief.words
            and doing & _doing(belief.predicate, str(belief.value))
        ):
            yield replace(fact, predicate=belief.predicate, value=belief.value, cardinality=None)


_MEMBER: Final = frozenset({"is_in", "is_on", "is_with", "is_at", "is_part_of", "is_a_member_of"})
_GROUPS: Final = frozenset(
    "crew choir team band committee board club orchestra squad council society panel group union cast troupe "
    "ensemble league party association jury staff rota chorus quartet trio cooperative guild brigade patrol "
    "watch corps pta syndicate circle company".split()
)
_WITHIN: Final = re.compile(
    r" (?:in|on|at|with|of|for|to) (?:(?:the|an?|my|our|his|her|their|this|that|local) )*(?P<group>.+?)"
    r"(?= (?:at|in|on|for|with|to|near|from|behind|by|since|every) |$)"
)
_APART: Final = frozenset({*LIKING, *DISLIKING, "event", "plans", "did", "name", "nickname", "title"})


def group_left(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "I'm no longer on the lifeboat crew": nor a volunteer with it, nor a singer in it."""
    said = words_of(str(fact.value))
    if fact.predicate not in _MEMBER or not said or _GROUPS.isdisjoint(str(fact.value).lower().split()[-1:]):
        return
    for belief in current.sharing(fact.subject, said):
        if belief.predicate in _APART or belief.predicate == fact.predicate:
            continue
        within = _WITHIN.search(f"{belief.predicate.replace('_', ' ')} {belief.value}")
        if within is not None and words_of(within["group"]) == said:
            yield replace(fact, predicate=belief.predicate, value=belief.value, cardinality=None)


_OCCUPATIONS: Final = frozenset(
    "play teach drive coach dance sing row fish hunt paint smoke ski surf climb cycle race ride volunteer "
    "box compete act perform preach sail fly dive referee garden bowl skate train bake".split()
)
"""What somebody does no more, whatever they did it to; who does not run any more may run a shop."""
_PLAYERS: Final = ("player", "goalie", "goalkeeper", "midfielder", "striker", "footballer", "drummer")


def given_up(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "My mum no longer teaches", "he doesn't play any more": neither maths, nor is she a teacher."""
    lemmas = {lemma for lemma, _ in verb_forms().get(str(fact.value).casefold(), ())} & _OCCUPATIONS
    if fact.predicate != "does" or not lemmas:
        return
    verbs = {form(lemma, "third") for lemma in lemmas}
    for belief in current.held(fact.subject):
        words = str(belief.value).casefold().split()
        by_trade = belief.predicate in ("role", "is") and any(
            word in _PLAYERS if "play" in lemmas else word.endswith("er") and word[:-2] in _stems(lemmas)
            for word in words
        )
        habit = belief.predicate == "habit" and words[0] in lemmas
        if belief.predicate in verbs or by_trade or habit:
            yield FoundFact(
                belief.subject, belief.predicate, belief.value, fact.start, fact.end, action="end"
            )


def _stems(lemmas: Collection[str]) -> set[str]:
    return {lemma.removesuffix("e") for lemma in lemmas}


def _doing(predicate: str, value: str) -> frozenset[str]:
    """The verbs that the first word of a fact may be of: "working_at", "habit" and "volunteer at"."""
    first = value.partition(" ")[0] if predicate == "habit" else predicate.partition("_")[0]
    return frozenset(lemma for lemma, _ in verb_forms().get(first.lower(), ()))


_TASTED: Final = frozenset("eats drinks watches reads plays visits uses wears listens_to".split())


def favourites_over(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who does not drink green tea has it for a favourite no more, nor who hates it.

    And who does not enjoy cricket does not have "watching cricket" for a favourite pastime.
    """
    felt = fact.predicate in (DISLIKING if fact.polarity and fact.action == "record" else LIKING)
    said = words_of(str(fact.value)) if felt or fact.predicate in _TASTED else frozenset()
    for belief in current.sharing(fact.subject, said) if said else ():
        favourite = str(belief.value)
        doing, _, rest = favourite.partition(" ")
        same = words_of(favourite) == said or (
            felt and doing.endswith("ing") and words_of(rest) == said and len(said) == len(rest.split())
        )
        if belief.predicate.startswith("favorite_") and same:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


def liked_doing_over(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who enjoys pairing no more does not love pair programming."""
    doing = str(fact.value).casefold()
    if fact.predicate not in LIKING or not doing.endswith("ing") or " " in doing:
        return
    lemmas = {doing[:-3], f"{doing[:-3]}e", doing[:-4]}
    for belief in current.held(fact.subject, LIKING):
        first, _, what = str(belief.value).casefold().partition(" ")
        if what and (first == doing or first in lemmas):
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_IDLE: Final = frozenset({"unemployed", "jobless", "retired", "between jobs", "out of work"})


def _at_work_again(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who works somewhere is not unemployed any more."""
    for belief in current.held(fact.subject, ("role", "is")):
        if str(belief.value).casefold() in _IDLE:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_OUTCOMES: Final = (
    (re.compile(r"\bgraduat"), re.compile(r"\b(?:student|undergrad|undergraduate|freshman|sophomore)\b")),
    (
        re.compile(r"\b(?:had (?:the|our|my|a|her) (?:baby|twins|son|daughter|boy|girl)|g[ai]ven? birth)\b"),
        re.compile(r"\b(?:pregnant|expecting)\b"),
    ),
)
"""What has happened, and what is over by it."""


def _outcomes(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who has graduated is no student any more."""
    said = f"{fact.predicate.replace('_', ' ')} {fact.value}".casefold()
    for happened, over in _OUTCOMES:
        if happened.search(said) is None:
            continue
        for belief in current.held(fact.subject, ("role", "is")):
            if over.search(str(belief.value).casefold()):
                yield FoundFact(
                    fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end"
                )


_FISH: Final = words_of("fish seafood salmon tuna prawns")
_MEAT: Final = _FISH | words_of(
    "meat beef pork chicken steak lamb bacon ham sausage turkey duck veal burgers"
)
_NOT_VEGAN: Final = _MEAT | words_of("cheese egg milk dairy butter honey yoghurt yogurt cream")


_RULED_OUT: Final = {"vegetarian": _MEAT, "vegan": _NOT_VEGAN, "pescatarian": _MEAT - _FISH}
_FOOD: Final = ("eats", "likes", "loves", "enjoys", "favorite_food", "favorite_meal", "favorite_dish")


def _other_food(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who has become a vegetarian eats no beef any more."""
    ruled_out = _RULED_OUT.get(str(fact.value).casefold(), frozenset())
    for belief in current.sharing(fact.subject, ruled_out, or_of=()) if ruled_out else ():
        if belief.predicate in _FOOD and words_of(str(belief.value)) & ruled_out:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_SURNAMES: Final = frozenset({"surname", "last_name", "family_name", "second_name"})


def _other_names(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Whose last name is Brennan now is called Sarah Whitlock no more."""
    new = str(fact.value).casefold()
    for belief in current.held(fact.subject, ("name", *sorted(_SURNAMES - {fact.predicate}))):
        name = str(belief.value).casefold()
        if name.split()[-1] != new.split()[-1] and (" " in name or belief.predicate in _SURNAMES):
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_USED_TO: Final = re.compile(r"used to (?P<what>(?:the |my )?[\w' -]{3,40})$")


def _borne(current: CurrentFacts, fact: FoundFact, what: str) -> Iterator[FoundFact]:
    """Who got used to cold water hates it no more."""
    named = words_of(what)
    for belief in current.sharing(fact.subject, named) if named else ():
        if belief.predicate in DISLIKING and words_of(str(belief.value)) == named:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


def _other_diets(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who eats meat again is not vegetarian any more."""
    food = words_of(str(fact.value))
    for belief in current.held(fact.subject, SHARED["diet"]):
        ruled_out = _RULED_OUT.get(str(belief.value).casefold(), frozenset())
        if food & ruled_out:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")
