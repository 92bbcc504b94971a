"""The same thing told anew: "I go swimming on Wednesdays now", "we're back on Signal for messages".

Somebody who says that something is so now, again or instead tells it in the place of what was so before. What
that was is found by comparing how both are told: the same doing on another day, with another firm, in other
numbers; or another thing of the same sort.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.kinds import kinds
from longmind.extract.verbs import form
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.doings import COMMUTES, WORKPLACE, Doing, doing_of, folded, forms_of, lemma_of, way_of
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.kinds import kinds_of
from longmind.facts.slots import cardinality, wordings
from longmind.facts.trust import USER
from longmind.facts.words import words_of

_NOW: Final = re.compile(
    r"\b(?:now|nowadays|these days|instead|again|"
    r"(?:am|is|are|be|been|gone|went|moved|switched|'m|'s|'re) back (?:in|on|at|to|with)|"
    r"since (?:this|last|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|"
    r"since (?:(?:they|we|i|he|she|it|(?:the|my|our|a|an) [a-z]+) (?:have |has |had )?"
    r"(?:[a-z]+ed|built|got|left|lost|broke|came|went|sold|bought|put|took|began|gave|made)|"
    r"(?:the|my|our) (?:move|accident|surgery|operation|injury|baby|divorce|pandemic|lockdown|merger|switch|"
    r"change|new \w+|winter|summer|spring|autumn|holidays))\b|"
    r"from (?:now|here|today|next) on|(?:changed|switched) (?:my|our|his|her) [a-z]+ to|"
    r"from (?:next|this) \w+|from to(?:day|night)|as of|"
    r"no longer|anymore|any more|in the end|(?:agreed|decided) that|"
    r"(?:the|my|our) new [a-z]+(?: is|'s)|"
    r"(?:put|switched|moved) (?:her|him|me|us|[A-Z]\w+)(?: over)? (?:in|on|to)|"
    r"(?:everything|the lot|it all)(?: over| across)? to)\b",
    re.IGNORECASE,
)
_BESIDES: Final = re.compile(
    r"\b(?:also|too|as well|both|another|(?<!, )still|besides|and now|sometimes|except)\b", re.IGNORECASE
)
_INSTEAD: Final = re.compile(r"\binstead\b(?! of)", re.IGNORECASE)
_PAUSE: Final = re.compile(r"[.!?\n]")
_HAS_DIGIT: Final = re.compile(r"\d[\d.,:/]*")
_DAY: Final = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|weekdays?$|weekends?$", re.IGNORECASE
)
_MODIFIED: Final = frozenset(
    "shift office branch class team department course line route floor room region area district "
    "ward patch".split()
)
"""What is told apart by the word before it: the early shift and the night shift."""


def other_than_now(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    """The ends of what the fact takes the place of, where its sentence says that it is so now."""
    if fact.start is None or fact.end is None or fact.value is None or fact.valid_to is not None:
        return
    if fact.predicate == "did":
        return
    if not is_told_anew(fact, frame):
        return
    sentence, value = _sentence(frame.text, fact), str(fact.value)
    new = doing_of(fact.predicate, value)
    sorts = {number for number in kinds_of(fact.predicate, value) if kinds()[number].one}
    alone = wordings(fact.predicate) if cardinality(fact.predicate) == "one" else ()
    for belief in _candidates(current, fact.subject, new, sorts):
        if belief.recorded >= frame.occurred_at or belief.predicate in _LASTING or _is_same(belief, fact):
            continue
        if belief.predicate in alone:
            continue  # one at a time: the ledger knows by itself until when it was so
        said = str(belief.value)
        instead = belief.predicate == fact.predicate and _INSTEAD.search(sentence) is not None
        if (
            instead
            or takes_the_place_of(new, doing_of(belief.predicate, said))
            or not sorts.isdisjoint(kinds_of(belief.predicate, said))
        ):
            over = FoundFact(
                belief.subject, belief.predicate, belief.value, fact.start, fact.end, action="end"
            )
            yield replace(over, valid_to=fact.valid_from)


def is_told_anew(fact: FoundFact, frame: Frame) -> bool:
    """Whether the sentence of a fact says that it is so now, or will be, and was not so before."""
    sentence = _sentence(frame.text, fact)
    if _NOW.search(sentence) is None and not is_to_come(fact, frame):
        return False
    return _BESIDES.search(sentence) is None


def is_to_come(fact: FoundFact, frame: Frame) -> bool:
    """Whether a fact is so only from some day after it was told."""
    return fact.valid_from is not None and fact.valid_from > frame.occurred_at


_INTENDED: Final = re.compile(
    r"plans|(?:moving|going|starting|flying|travelling|traveling|working|joining)(?:_\w+)?"
)


def not_to_come(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    """The ends of what was to come and will not: "the move is off", "we're not moving to Bath after all"."""
    if (fact.action != "end" and fact.polarity) or _INTENDED.fullmatch(fact.predicate) is None:
        return
    words = words_of(str(fact.value))
    if not words:
        return
    for belief in current.sharing(fact.subject, words):
        own = words_of(str(belief.value))
        over = FoundFact(belief.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")
        if belief.said > frame.occurred_at and own <= words:
            yield replace(over, valid_to=belief.said)
        elif belief.predicate == "plans" and words <= own and fact.predicate != "plans":
            yield over


_SWITCHED: Final = frozenset(
    "switched_to changed_to moved_to migrated_to swapped_to gone_to transferred_to went_to went gone "
    "signed_up_with gone_with went_with signed_up did".split()
)
_BACK: Final = re.compile(
    r"(?:(?:went|gone|came|come|moved|returned|switched) )?back (?:on|in|at|to|with) (?P<new>.+)",
    re.IGNORECASE,
)
_ERRAND: Final = re.compile(r" to ([a-z]+)\b")
_WITH_WHOM: Final = re.compile(r"(?:with|to) (?P<new>.+)")
_PLACED: Final = re.compile(r"(?:in|at|on|with|for) ")


def switched(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "We've gone back to Signal for messages": under the predicate that what was there before had."""
    fact = _own(current, fact)
    if fact.predicate not in _SWITCHED or fact.action != "record" or not fact.polarity or fact.replaces:
        return fact
    if not isinstance(fact.value, str):
        return fact
    firm = _WITH_WHOM.match(fact.value) if fact.predicate == "signed_up" else None
    if fact.predicate == "signed_up" and (
        firm is None or rival_of(current, fact.subject, firm["new"]) is None
    ):
        return fact  # who signs up for anything else has it besides
    if firm is not None:
        return switched(current, replace(fact, predicate="switched_to", value=firm["new"]))
    back = _BACK.fullmatch(fact.value)
    if back is None and fact.predicate in ("went", "gone", "did"):
        return fact
    new = fact.value if back is None else back["new"]
    errand = None if back is None else _ERRAND.search(new)
    if errand is not None and any(which == "base" for _, which in forms_of(errand[1])):
        return fact  # "gone back to N26 to complain"
    before = _held_once(current, fact.subject, new) if back is not None else None
    if before is not None:
        return replace(fact, predicate=before.predicate, value=before.value, replaces="", confidence=None)
    verb, _, rest = new.partition(" ")
    if rest and (lemma := next((lemma for lemma, which in forms_of(verb) if which == "ing"), "")):
        return replace(fact, predicate=form(lemma, "third"), value=rest, replaces="")
    rival = rival_of(current, fact.subject, new)
    if rival is None:
        return fact
    before_it = str(rival.value)
    place = _PLACED.match(before_it)
    value = new if place is None or _PLACED.match(new) else f"{place[0]}{new}"
    if _is_level(new) and (stays := _WHERE.search(before_it)) is not None:
        value = f"{value}{stays[0]}"  # "third grade at a charter school": the sixth, and there
    predicate = "uses" if rival.predicate in _SWITCHED else rival.predicate
    return replace(fact, predicate=predicate, value=value, replaces=before_it, confidence=None)


_LEVELS: Final = r"(?:grade|year|form|class|level|division|band|set)"
_LEVEL: Final = re.compile(
    r"(?:the )?(?:(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|"
    rf"\d+(?:st|nd|rd|th)) {_LEVELS}|{_LEVELS} \d+|kindergarten|pre-?school|reception)"
    r"(?= (?:at|in|for|with) |$)",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(r" (?:at|in|with) .+")


def _is_level(value: str) -> bool:
    """ "Third grade", "year 9": what is taught or attended one at a time."""
    return _LEVEL.match(value) is not None


_MORE_SAID: Final = re.compile(
    r",| (?:after|because|since|as) | for (?!(?:an?|the|my|our|one|two|now|this)\b)"
)


def _held_once(current: CurrentFacts, subject: str, new: str) -> CurrentFact | None:
    """What somebody is back to: "Hokas for running" as they said it before, or the Hokas alone."""
    before = current.once_held(subject, new)
    if before is None and (more := _MORE_SAID.search(new)) is not None:
        before = current.once_held(subject, new[: more.start()])
    return before


_ALL_OF_OURS: Final = re.compile(r"(?:all (?:of )?)?(?:my|our) (?P<what>[a-z][a-z -]*)")


def _own(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "Moved all my accounts to Tangerine" is told of the speaker."""
    match = _ALL_OF_OURS.fullmatch(fact.subject)
    if match is None or fact.predicate not in _SWITCHED:
        return fact
    slot = re.sub(r"[ -]", "_", match["what"])
    told = replace(fact, subject=USER, predicate=slot, cardinality="one", replaces="")
    for number in kinds_of(slot, ""):
        for belief in current.held(USER, tuple(sorted(kinds()[number].predicates))):
            if belief.predicate in kinds()[number].predicates and belief.predicate != slot:
                return replace(told, predicate=belief.predicate, replaces=str(belief.value))
    return told


def returned(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "I'm back at Lothian Buses": under the predicate that it was held by before it was over."""
    if fact.predicate not in ("is_at", "is_with", "is_on", "is_in") or fact.action != "record":
        return fact
    if not fact.polarity or not isinstance(fact.value, str):
        return fact
    before = current.once_held(fact.subject, fact.value)
    if before is None or before.predicate == fact.predicate:
        return fact
    return replace(fact, predicate=before.predicate, value=before.value, replaces="", confidence=None)


_COMPOUND: Final = re.compile(r"(?:the |our |my )?(?:old )?(?P<by>[a-z]+) (?P<what>[a-z]+)", re.IGNORECASE)


def driven_by(current: CurrentFacts, fact: FoundFact) -> CurrentFact | None:
    """ "The oil boiler" that was replaced is what "our house is heated with oil" speaks of."""
    match = _COMPOUND.fullmatch(str(fact.replaces))
    if match is None:
        return None
    told = re.compile(rf".*\b(?:with|by|on|using) {re.escape(match['by'])}\b.*", re.IGNORECASE)
    found = [
        belief
        for belief in current.speaking_of(fact.subject, {match["by"]})
        if told.fullmatch(f"{belief.predicate.replace('_', ' ')} {belief.value}") is not None
    ]
    return found[0] if len(found) == 1 else None


def rival_of(current: CurrentFacts, subject: str, new: str) -> CurrentFact | None:
    """What is held of a subject that the new thing is there instead of: of its sort, or for the same."""
    sorts, told = kinds_of("", new), doing_of("uses", new)
    for belief in _candidates(current, subject, told, sorts):
        value = str(belief.value)
        if belief.predicate in _LASTING or words_of(value) == words_of(new):
            continue
        if not sorts.isdisjoint(kinds_of(belief.predicate, value)):
            return belief
        held = doing_of(belief.predicate, value)
        purposes = [each for each in told.rest if each in held.rest]
        if purposes and all(_same(told.rest[each], held.rest[each]) for each in purposes):
            return belief
        if is_another_of_its_noun(new, value) or (_is_level(new) and _is_level(value)):
            return belief
    return None


def is_another_of_its_noun(one: str, other: str) -> bool:
    """Whether both are of one noun, told apart by what stands before it: two offices, two daycares."""
    new, old = one.split(), without_place(other).split()
    if (
        len(new) < 2
        or len(old) < 2
        or new[-1].lower() != old[-1].lower()
        or new[-2].lower() == old[-2].lower()
    ):
        return False
    return new[-1].lower() in _MODIFIED or all(words[-2][0].isupper() for words in (new, old))


_FURTHER: Final = re.compile(r" (?:at|in|on|with|from|for) ")


def without_place(value: str) -> str:
    """The night shift at the depot, without the depot."""
    return _FURTHER.split(value, maxsplit=1)[0]


def _candidates(
    current: CurrentFacts, subject: str, new: Doing, sorts: Collection[int]
) -> Iterable[CurrentFact]:
    """What is held of a subject by the same verb or with the same words, or is of the same sort."""
    words = set(folded((*new.thing, *(word for inside in new.rest.values() for word in inside))))
    is_to_work = not words.isdisjoint(WORKPLACE) or new.verb == "commute"
    words |= WORKPLACE if is_to_work else set()
    predicates = {name for name in current.predicates(subject) if new.verb and _verb_of(name) == new.verb}
    predicates |= COMMUTES if is_to_work else frozenset()
    for number in sorts:
        predicates |= kinds()[number].predicates
        words.update(name.split()[0] for name in kinds()[number].names)
    return current.sharing(subject, words, or_of=predicates)


@lru_cache(maxsize=4096)
def _verb_of(predicate: str) -> str:
    return lemma_of(predicate.partition("_")[0])


_LASTING: Final = frozenset("name nickname born_on birthday did event plans likes dislikes title".split())
"""What stays so, whatever is so now, or has rules of its own."""


def _is_same(belief: CurrentFact, fact: FoundFact) -> bool:
    return belief.predicate == fact.predicate and words_of(str(belief.value)) == words_of(str(fact.value))


def _sentence(text: str, fact: FoundFact) -> str:
    """The sentence of a fact; its own bytes are of a clause."""
    raw = text.encode()
    before = raw[: fact.start].decode(errors="ignore")
    rest = raw[fact.start :].decode(errors="ignore")
    begin = max((match.end() for match in _PAUSE.finditer(before)), default=0)
    length = len(raw[fact.start : fact.end].decode(errors="ignore"))
    stop = _PAUSE.search(rest, length)
    return before[begin:] + rest[: len(rest) if stop is None else stop.start()]


_PLACED_BY: Final = frozenset("be work sit".split())
"""Verbs that tell where somebody is at work."""


def takes_the_place_of(new: Doing, old: Doing) -> bool:
    """Whether both tell of one doing, and differ in when, where, with whom or how many."""
    if {new.verb, old.verb} <= _SOURCED and new.thing and old.thing and _same(new.thing, old.thing):
        source, other_source = _source(new), _source(old)
        return bool(source and other_source) and not _same(source, other_source)
    way, before = way_of(new), way_of(old)
    if way is not None and before is not None:
        return way[0] == before[0] and way[1] != before[1]
    if not new.verb or (new.verb != old.verb and not {new.verb, old.verb} <= _PLACED_BY):
        return False
    shared = [preposition for preposition in new.rest if preposition in old.rest]
    equal = [each for each in shared if _same(new.rest[each], old.rest[each])]
    other = [each for each in shared if each not in equal]
    if new.thing and old.thing and not _same(new.thing, old.thing):
        if new.verb in _ONE_AT_A_TIME or _of_a_kind(new.thing, old.thing, names=False):
            return not other or bool(equal)
        return bool(equal) and not other and new.verb not in ("be", "have")
    if len(other) != 1:
        return False
    if new.verb != old.verb and new.rest[other[0]][-1].lower() not in _MODIFIED:
        return False
    return _of_a_kind(new.rest[other[0]], old.rest[other[0]])


_SOURCED: Final = frozenset("do get buy order".split())
"""Verbs for having something from somewhere: "do the weekly shop at", "order our vegetables from"."""


def _source(doing: Doing) -> tuple[str, ...]:
    """The one named place or firm that something is had from; none where there are several."""
    inside = [doing.rest.get(each, ()) for each in ("at", "from", "with", "in", "on", "over")]
    named = [words for words in inside if words and words[0][:1].isupper()]
    return named[0] if len(named) == 1 and _DAY.match(named[0][0]) is None else ()


_ONE_AT_A_TIME: Final = frozenset(
    "study teach coach ride drive attend rent lead manage edit train commute write captain".split()
)
"""What most people do with one thing at a time, though some do it with two."""


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    first, second = folded(one), folded(other)
    return first <= second or second <= first


def _of_a_kind(new: tuple[str, ...], old: tuple[str, ...], *, names: bool = True) -> bool:
    """Whether one can stand for the other: two days, two numbers of a thing, two shifts, two `names`."""
    if _DAY.match(new[0]) is not None or _DAY.match(old[0]) is not None:
        return _DAY.match(new[0]) is not None and _DAY.match(old[0]) is not None
    named = names and new[0][0].isupper() and old[0][0].isupper() and new[0].isalpha() and old[0].isalpha()
    if named and new[0] != old[0]:
        return True  # whichever version of it: "MySQL 5.7" and "Postgres"
    if _HAS_DIGIT.search(" ".join((*new[:2], *old[:2]))) is not None:
        counted, before = (_HAS_DIGIT.sub("#", " ".join(words[:2]).lower()) for words in (new, old))
        return counted == before
    if new[-1].lower() == old[-1].lower() and new[-1].lower() in _MODIFIED:
        return True
    if not names:
        return False
    return all(words[0][0].isupper() for words in (new, old)) or new[-1].lower() == old[-1].lower()
