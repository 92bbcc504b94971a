"""A thing's state, told by how it changed: "standup was pushed back to 10", "we moved the bus to NATS"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from longmind.extract.kin import RELATIONS, relation_in
from longmind.extract.statements import is_slot
from longmind.facts.anew import returned, rival_of, switched
from longmind.facts.canonical import alias_norm
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.occasions import by_the_hour
from longmind.facts.own_attributes import only_describes
from longmind.facts.trust import USER
from longmind.facts.values import Entity
from longmind.facts.words import words_of

_MEASURE: Final = re.compile(r"\d[\d.,:/]*")
_NAMED_TIME: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b",
    re.IGNORECASE,
)
_VERBS: Final = (
    "moved|pushed|cut|raised|reduced|increased|lowered|extended|set|postponed|rescheduled|changed|shifted|"
    "brought|put|slipped|slid|delayed|bumped|deferred|switched|migrated|ported|transferred|relocated|updated|"
    "upgraded|downgraded|went|gone|rose|risen|fell|fallen|dropped|grew|grown|jumped|reset"
)
_STATED: Final = re.compile(rf"(?:is|got|goes|came|comes|climbed|rises|falls|drops|{_VERBS})(?:_\w+)?$")
_MOVED: Final = re.compile(
    rf"(?:(?:got|gets|was|were|been|has|have|had|just|now) )*(?:{_VERBS})"
    r"(?: (?:back|forward|up|down|out|over|on|in|ahead|away|again))*(?: by (?:\S+ )?\w+)?(?: from .+?)?"
    r" (?:to|until|till|onto) (?P<new>.+)",
    re.IGNORECASE,
)
_NUMBER: Final = (
    r"(?:\S*\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|half)\b)"
)
_COUNTED: Final = re.compile(rf"\b{_NUMBER}", re.IGNORECASE)
_LEVEL: Final = re.compile(
    r"(?:(?:is|are|has|have|had|now|just|recently|finally|currently) )*"
    r"(?:(?:goes|go|going|went|gone|coming|come|comes|came|climbs|climbed|creeps|crept|crawled|shot|rises|falls|drops|jumps|"
    r"shrank|shrunk|dipped|increases|decreased)(?: back)?(?: (?:up|down))?|(?:back )?(?:up|down)|back)"
    rf" (?:to|at) (?P<new>(?:(?:about|around|roughly|nearly|over|under|just|a|only|the) ){{0,2}}{_NUMBER}.*)",
    re.IGNORECASE,
)
"""How far a number has got: "down to 124/80", "has come down to 84 kilos", "goes up to 1,150"."""
_PLACED: Final = re.compile(r"(?:in|at|on) ")
_HOSTS: Final = (
    "is_on",
    "runs_on",
    "hosted_on",
    "is_hosted_on",
    "lives_on",
    "sits_on",
    "built_on",
    "is_built_on",
    "deployed_on",
    "is_deployed_on",
    "moved_to",
    "migrated_to",
    "switched_to",
)
"""Ways to say what a thing runs on."""
_KEPT: Final = ("is_in", "is_kept_in", "is_stored_in", "kept_in", "stored_in", "sits_in", "moved_to")
"""Ways to say where a thing is kept."""
_STATES: Final = ("is", "runs", "start", "lives", "sits", "hosted", "built", "deployed", "cost")


def measured(value: str) -> str | None:
    """A value with its numbers, days and months left open; None where it has none."""
    masked = _NAMED_TIME.sub("@", _MEASURE.sub("#", value))
    return masked.casefold() if masked != value else None


def as_attribute(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "The viva is on the 26th": said of a thing that the user spoke of as theirs."""
    if " " in fact.subject and fact.subject[:1].isupper():
        return fact
    if "/" in fact.subject or fact.action == "end" or not fact.polarity:
        return fact
    # One word with a capital letter may only stand at the start of its sentence.
    slot = fact.subject.lower().replace(" ", "_").replace("-", "_")
    if slot == USER or _STATED.match(fact.predicate) is None:
        return fact
    if slot in RELATIONS and _OF_A_NATION.fullmatch(str(fact.value)) is not None:
        return fact  # "the new boss is Polish" is no word on what the boss is called
    for belief in current.held(USER, (slot,)):
        if belief.predicate == slot:
            value = fact.value
            if fact.predicate == "is" and only_describes(value, belief.value):
                return fact
            if fact.predicate == "is_in" and not _may_be_in(str(belief.value)):
                return fact  # "the gym is in Hove" does not say which it is
            if isinstance(value, str) and fact.predicate != "is":
                value = re.sub(r"^to (?=\d)", "", value)  # "the rent came down" "to 850"
            return replace(fact, subject=USER, predicate=slot, value=value, cardinality="one")
    return fact


def _may_be_in(held: str) -> bool:
    return held.startswith("in ") or _NAMED_TIME.search(held) is not None


_OF_A_NATION: Final = re.compile(r"(?:from .*|[A-Z]\w+(?:ish|ian|ese|utch|reek|rench|erman))")


def dated(_current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "The audit is on 4 May" and "the audit is 4 May" say one thing, of which there is one at a time."""
    if fact.predicate not in ("is", "is_on") or fact.subject == USER or "/" in fact.subject:
        return fact
    if _DAY.match(str(fact.value)) is None:
        return fact
    one = fact.action == "record" and fact.polarity
    return replace(fact, predicate="is_on", cardinality="one" if one else fact.cardinality)


_DAY: Final = re.compile(
    rf"(?:on )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?{_NAMED_TIME.pattern}", re.IGNORECASE
)


_OF_THE_SPEAKER: Final = re.compile(r"(?:my|our) (?:new |line |direct )?(?P<role>[a-z]+(?: [a-z]+)?)")


def tied(_current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "Dr Weiss is back, so she is my dentist again": what somebody is to the speaker."""
    match = None if fact.predicate != "is" else _OF_THE_SPEAKER.fullmatch(str(fact.value))
    if match is None or not fact.subject[:1].isupper() or fact.action == "correct":
        return fact
    slot = relation_in(match["role"].split())
    if slot is None:
        return fact
    return replace(fact, subject=USER, predicate=slot, value=Entity(fact.subject), cardinality=None)


_LOCATED: Final = re.compile(r"(?:now |currently )?(?:based|located|headquartered) (?:out of|in) (?=[A-Z])")


def located(_current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "Our supplier Nordplast is based in Aarhus": where it is, of which there is one place at a time."""
    match = None if fact.predicate != "is" else _LOCATED.match(str(fact.value))
    if match is None or fact.action == "correct":
        return fact
    one = fact.action == "record" and fact.polarity
    value = str(fact.value)[match.end() :]
    return replace(fact, predicate="lives_in", value=value, cardinality="one" if one else fact.cardinality)


def moved(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """What a thing is now, in the place of what it was, where a fact tells how it got there."""
    if fact.action != "record" or not fact.polarity or not isinstance(fact.value, str):
        return fact
    if fact.subject != USER and (transferred := _transferred(current, fact)) is not None:
        return transferred
    level = _LEVEL.fullmatch(fact.value)
    if level is not None and fact.cardinality == "one" and fact.predicate != "did":
        held = [str(belief.value) for belief in current.held(fact.subject, (fact.predicate,))]
        if held and not any(map(_COUNTED.search, held)):
            return replace(fact, cardinality="many")  # "my car is up to 90,000 miles", and a Kia all the same
        return replace(fact, value=level["new"], cardinality="one")
    if is_slot(fact.predicate) or fact.predicate.startswith("is"):
        return fact
    own = fact.subject == USER and _MOVED.fullmatch(fact.value) is not None
    told = fact.value if own else f"{fact.predicate.replace('_', ' ')} {fact.value}"
    match = _MOVED.fullmatch(told) or _LEVEL.fullmatch(told)
    if match is None:
        return fact
    new = match["new"]
    if own:  # "my rent went up to 1,000"
        return replace(fact, value=new, cardinality="one")
    if fact.subject == USER:
        return _upgraded(current, fact, new)
    old = _state_of(current, fact.subject, new)
    if old is not None:
        place = _PLACED.match(str(old.value))  # "lives" "in Spain": in England then, too
        new = new if place is None or _PLACED.match(new) else f"{place[0]}{new}"
        # A day that something was moved to is not the day from which that is so.
        since = None if _NAMED_TIME.search(new) else fact.valid_from
        return replace(
            fact,
            predicate=old.predicate,
            value=new,
            replaces=str(old.value),
            confidence=None,
            valid_from=since,
        )
    if fact.predicate != "changed_to":
        return fact
    if new[:1].isupper() and (rival := rival_of(current, USER, new)) is not None:
        # "Moved the notes over to Obsidian", from what the speaker has them in.
        place = _USED_IN.match(str(rival.value))
        said = new if place is None else f"{place[0]}{new}"
        return replace(
            fact,
            subject=USER,
            predicate=rival.predicate,
            value=said,
            replaces=str(rival.value),
            confidence=None,
        )
    return replace(fact, predicate="is", value=new)


_USED_IN: Final = re.compile(r".* in (?=[A-Z][\w-]*$)|(?:in|on|with) (?=[A-Z])")
"""What stands before the name of what something is done with: "our notes in"."""


_POSTS: Final = (
    "office|branch|team|department|site|ward|shop|store|depot|plant|lab|unit|desk|division|campus|clinic|"
    "warehouse|practice|region|shift"
)
_POST: Final = re.compile(
    rf"(?:(?:has|had|just|been|was|got) )*(?:moved|transferred|switched|relocated|gone)(?: over| across)?"
    rf" to (?P<new>(?:the |our |their )?(?:[\w'-]+ ){{1,3}}(?P<noun>{_POSTS}))",
    re.IGNORECASE,
)


def _transferred(current: CurrentFacts, fact: FoundFact) -> FoundFact | None:
    """ "Ines moved to the Lyon branch": where she works, if it was told that she works at another branch."""
    told = "" if fact.predicate == "did" else f"{fact.predicate.replace('_', ' ')} "
    match = _POST.fullmatch(f"{told}{fact.value}")
    if match is None:
        return None
    for belief in current.held(fact.subject, ("works", "works_on", "works_at", "works_in")):
        before = str(belief.value)
        if before.casefold().endswith(f" {match['noun'].casefold()}"):
            place = _PLACED.match(before)
            new = match["new"] if place is None else f"{place[0]}{match['new']}"
            return replace(fact, predicate=belief.predicate, value=new, replaces=before, confidence=None)
    return None


_OF_WHAT: Final = re.compile(
    r"(?:the )?(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:for|of) (?:the )?(?P<owner>\S.*)"
)
_SORTS: Final = re.compile(r" (?:project|app|service|team|account|campaign|product)$")


def _amount(value: str) -> str | None:
    return measured(_PLACED.sub("", value, count=1))


def of_its_owner(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "The deadline for Project Heron was put back to 3 May": what is held as Heron's deadline."""
    if fact.action != "record" or not fact.polarity or not isinstance(fact.value, str):
        return fact
    told = _OF_WHAT.fullmatch(fact.subject)
    if told is None or _STATED.match(fact.predicate) is None:
        return fact
    slot = told["what"].replace(" ", "_")
    owner = alias_norm(told["owner"])
    keys = {key for found in current.known_norms({owner, _SORTS.sub("", owner)}).values() for key in found}
    for key in sorted(keys):
        for belief in current.held(key, (slot,)):
            moved_to = _MOVED.fullmatch(f"{fact.predicate.replace('_', ' ')} {fact.value}")
            moved_to = moved_to or _MOVED.fullmatch(fact.value)
            new = fact.value if moved_to is None else moved_to["new"]
            is_stated = moved_to is not None or fact.predicate in ("is", "is_on")
            if belief.predicate == slot and is_stated and _amount(str(belief.value)) == _amount(new):
                return replace(
                    fact,
                    subject=key,
                    predicate=slot,
                    value=new,
                    cardinality="one",
                    valid_from=None,
                    confidence=None,
                )
    return fact


def _upgraded(current: CurrentFacts, fact: FoundFact, new: str) -> FoundFact:
    """ "We upgraded to Postgres 16": in the place of whatever other number of the same name is held."""
    kind = measured(new)
    if kind is None or not any(map(str.isalpha, kind)):
        return fact
    for belief in current.held(fact.subject):
        if measured(str(belief.value)) == kind and str(belief.value) != new:
            return replace(fact, predicate=belief.predicate, value=new, replaces=str(belief.value))
    return fact


_TIMED: Final = re.compile(
    r"(?:is|moved|changed|postponed|rescheduled|shifted|put_back|pushed)(?:_(?P<preposition>on|at|to|for|until))?"
)
_MEETINGS: Final = words_of("appointment meeting visit session call date event thing booking slot")


def rescheduled(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "The dentist appointment is on 21 May instead": when something is that was planned for another day."""
    timed = _TIMED.fullmatch(fact.predicate)
    own = fact.predicate.replace("_", " ")
    if fact.action != "record" or not fact.polarity or measured(str(fact.value)) is None:
        return fact
    if fact.subject == USER and own.endswith(_BOOKED) and not is_slot(fact.predicate):
        before = "" if _PLACED.match(str(fact.value)) else "on "
        return _rescheduled(current, replace(fact, cardinality=None), own, before) or fact
    if timed is None or fact.subject[:1].isupper() or "/" in fact.subject or fact.subject == USER:
        return fact
    before = timed["preposition"] if timed["preposition"] in ("on", "at") else "on"
    return (
        _rescheduled(current, fact, fact.subject, "" if _PLACED.match(str(fact.value)) else f"{before} ")
        or fact
    )


_BOOKED: Final = (" appointment", " slot", " booking", " visit", " session")


def _rescheduled(current: CurrentFacts, fact: FoundFact, what: str, before: str) -> FoundFact | None:
    named = words_of(what) - _MEETINGS
    for belief in current.held(USER, ("event", "plans")) if named else ():
        if named <= belief.words and measured(str(belief.value)) is not None:
            value = f"{what} {before}{fact.value}"
            return replace(
                fact, subject=USER, predicate=belief.predicate, value=value, replaces=str(belief.value)
            )
    return None


def renamed(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "Harbourmaster goes by the name quayside": what the user's booking service is called now."""
    if (
        fact.predicate not in ("nickname", "goes_by", "called")
        or fact.action != "record"
        or not fact.polarity
    ):
        return fact
    if fact.subject == USER or "/" in fact.subject:
        return fact
    for belief in current.sharing(USER, words_of(fact.subject)):
        named = str(belief.value).casefold() == fact.subject.casefold()
        if named and belief.cardinality == "one" and not is_slot(belief.predicate):
            value = re.sub(r"^the name (?:of )?", "", str(fact.value))
            return replace(
                fact, subject=USER, predicate=belief.predicate, value=value, replaces=str(belief.value)
            )
    return fact


_DAY_AND_PLACE: Final = re.compile(r"(?P<day>on .*\d.*?) (?:in|at) (?P<where>(?:the )?[A-Z].*)")
_PLACE_ALONE: Final = re.compile(r"(?:in|at) (?:the )?[A-Z][^\d]*")


def elsewhere(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "They've moved the wedding to Batumi": on the day that was told before."""
    if (
        fact.cardinality != "one"
        or fact.action != "record"
        or _PLACE_ALONE.fullmatch(str(fact.value)) is None
    ):
        return fact
    for belief in current.held(fact.subject, (fact.predicate,)):
        before = _DAY_AND_PLACE.fullmatch(str(belief.value))
        if before is not None and belief.predicate == fact.predicate:
            return replace(fact, value=f"{before['day']} {fact.value}")
    return fact


def favoured(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "I don't drink green tea these days. My favourite is rooibos": the favourite of the same kind."""
    if fact.predicate not in ("favourite", "favorite") or fact.subject != USER or fact.action != "record":
        return fact
    said = {words_of(str(belief.value)) for belief in current.just_said()}
    kinds = {
        belief.predicate
        for belief in current.held(USER)
        if belief.predicate.startswith("favorite_") and words_of(str(belief.value)) in said
    }
    return replace(fact, predicate=kinds.pop(), cardinality=None) if len(kinds) == 1 else fact


def narrowed(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "My appointment is now on the 12th": the dentist appointment, if no other was spoken of."""
    if fact.subject != USER or fact.cardinality != "one" or fact.action != "record" or not fact.polarity:
        return fact
    if is_slot(fact.predicate) or measured(str(fact.value)) is None:
        return fact
    kind = f"_{fact.predicate}"
    what = words_of(fact.predicate.replace("_", " ")) - _MEETINGS
    alike = [
        name
        for name in current.predicates(USER)
        if name == fact.predicate
        or name.endswith(kind)
        or (what and words_of(name.replace("_", " ")) - _MEETINGS == what)
    ]
    held = current.held(USER, tuple(sorted(alike))) if alike else []
    named = {belief.predicate for belief in held if measured(str(belief.value)) is not None}
    is_new = fact.predicate not in named
    named -= {fact.predicate}
    return replace(fact, predicate=named.pop()) if is_new and len(named) == 1 else fact


def _state_of(current: CurrentFacts, subject: str, new: str) -> CurrentFact | None:
    """What is held of a thing that the new value can take the place of: a number that of a number."""
    for belief in current.held(subject):
        same_kind = (measured(str(belief.value)) is None) == (measured(new) is None)
        if belief.predicate.startswith(_STATES) and same_kind and str(belief.value) != new:
            return belief
    return None


def at_work(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "Marta is at Ferrari now", "I'm with Revolut now": where she works, and whose customer one is."""
    if fact.predicate == "works" and isinstance(fact.value, str) and fact.value.startswith("at "):
        employer = fact.value[3:]
        if employer[:1].isupper() or current.held(fact.subject, ("works_at",)):
            one = fact.action == "record" and fact.polarity
            kept = "one" if one else fact.cardinality
            return replace(fact, predicate="works_at", value=Entity(employer), cardinality=kept)
    candidates = _PLACES_OF.get(fact.predicate, ())
    if fact.replaces != "" or fact.action != "record" or not fact.polarity or not candidates:
        return fact
    if not str(fact.value)[:1].isupper():
        return fact
    held = {belief.predicate for belief in current.held(fact.subject, candidates)}
    return replace(fact, predicate=held.pop(), cardinality="one") if len(held) == 1 else fact


_PLACES_OF: Final = {
    "is_at": ("works_at", "studies_at", "trains_at"),
    "is_with": ("works_at", "banks_with", "insured_with"),
}


def rivals(predicate: str) -> tuple[str, ...]:
    """The predicates whose values a new one takes the place of: what a thing runs on is told in many ways."""
    return next((ways for ways in (_HOSTS, _KEPT) if predicate in ways), (predicate,))


def other_days(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "My swimming day has moved to Friday": nobody swims on Wednesdays any more."""
    doing = words_of(fact.predicate.removesuffix("_day").replace("_", " "))
    for belief in current.speaking_of(fact.subject, doing) if doing else ():
        weekly = _WEEKDAY.search(str(belief.value)) is not None and doing <= belief.words
        if weekly and belief.predicate != fact.predicate:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


def other_amounts(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "My ramipril is 5 mg now": nobody is on 10 mg of it any more."""
    amount = _AMOUNT.match(str(fact.value))
    if amount is None or fact.action != "record" or not fact.polarity or is_slot(fact.predicate):
        return
    of_what = words_of(fact.predicate.replace("_", " "))
    for belief in current.speaking_of(fact.subject, of_what) if of_what else ():
        if belief.predicate == fact.predicate or not of_what <= belief.words:
            continue
        before = _AMOUNT.search(str(belief.value))
        if before is not None and before["unit"].casefold() == amount["unit"].casefold():
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_AMOUNT: Final = re.compile(r"\d[\d.,]* ?(?P<unit>[^\W\d_]+)")
_WEEKDAY: Final = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)


_DWELLING: Final = re.compile(
    r"(?:(?:the|an?|my|our|his|her|their) )?(?:own )?(?:[\w-]+ ){0,2}?(?:flat|apartment|house|studio|cottage|"
    r"bungalow|loft|condo|farmhouse|bedsit|townhouse|cabin|houseboat|caravan|maisonette|"
    r"(?:care|nursing|retirement|residential|old people's) home|halls|sheltered housing|"
    r"retirement (?:village|community|complex))"
    r"(?=$|,| (?:on|in|at|near|by|called|named|with|behind|opposite|overlooking|off|outside|beside|of)\b)",
    re.IGNORECASE,
)
_FOR_A_WHILE: Final = re.compile(
    r"\b(?:for (?:the|an?|now|two|three|four|six|\d+|some|my|our|his|her)|until|till|while|temporarily|"
    r"upstairs|downstairs|next door)\b",
    re.IGNORECASE,
)
_NO_OTHER: Final = re.compile(r"the \w+", re.IGNORECASE)
"""The house that was spoken of may be the one that they live in."""
_MOVED_IN: Final = ("moved_into", "moved_in")


def stays(fact: FoundFact, text: str) -> FoundFact:
    """ "I've moved into a flat on Quay Street for the summer": nobody gives up their home for that."""
    if fact.predicate not in _MOVED_IN or fact.start is None or fact.end is None:
        return fact
    told = text.encode()[fact.start : fact.end].decode(errors="ignore")
    return fact if _FOR_A_WHILE.search(told) is None else replace(fact, predicate="stays_in")


def is_dwelling(value: str) -> bool:
    """A flat, house or care home, as somebody tells of it: "flat on Quay Street"."""
    return _DWELLING.match(value) is not None and _NO_OTHER.fullmatch(value) is None


def is_door(value: str) -> bool:
    """One door in a town: a number in a road, or a dwelling."""
    return any(map(str.isdigit, value)) or is_dwelling(value)


def moved_in(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "She has moved into a care home called Larchfield": that is where she lives.

    Of whom the town is known, it stays: the flat may well be there.
    """
    if fact.predicate not in _MOVED_IN or fact.action != "record" or not fact.polarity:
        return fact
    is_somebody = fact.subject == USER or "/" in fact.subject or fact.subject[:1].isupper()
    if not is_somebody or fact.valid_to is not None or not is_dwelling(str(fact.value)):
        return fact
    towns = [
        belief
        for belief in current.held(fact.subject, ("lives_in", "home", "home_city", "is_in"))
        if belief.predicate in ("lives_in", "home", "home_city", "is_in") and not is_door(str(belief.value))
    ]
    return fact if towns else replace(fact, predicate="lives_in", cardinality="one", confidence=None)


_OF_WEIGHT: Final = {"weighs": "weight", "weight": "weighs"}


def weighed(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "I weigh 81 kilos now", where it was "my weight" before: one number under two names."""
    other = _OF_WEIGHT.get(fact.predicate)
    if other is None or fact.action != "record" or not fact.polarity:
        return fact
    if any(belief.predicate == other for belief in current.held(fact.subject, (other,))):
        return replace(fact, predicate=other, cardinality="one")
    return fact


PLACINGS: Final = (
    returned,
    switched,
    of_its_owner,
    as_attribute,
    by_the_hour,
    tied,
    dated,
    located,
    renamed,
    moved,
    rescheduled,
    narrowed,
    elsewhere,
    favoured,
    at_work,
    weighed,
    moved_in,
)
"""Each puts a fact under the predicate that the ledger has for it, or leaves it as it is."""
