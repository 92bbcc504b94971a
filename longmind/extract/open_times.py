"""When what no rule knows was so: whether the time beside it is that of an event, or says how long."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.patterns import pattern
from longmind.extract.rule_match import Range
from longmind.extract.subjects import About
from longmind.extract.verb_group import VerbGroup
from longmind.extract.verbs import forms_by_word
from longmind.extract.words import Words
from longmind.when.mentions import Mention


def is_kept_for(verb: VerbGroup, about: About, when: Mention) -> bool:
    """ "Kestrel keeps its logs for 30 days": how long is said of it, and no time at which it is so."""
    for_long = when.kind == "length" and verb.lemma in _KEPT_FOR and verb.tense == "present"
    return for_long and about.sort != "speaker" and about.attribute is None


_KEPT_FOR: Final = frozenset("keep store retain hold save archive last cache".split())


def is_of_object(words: Words, clause: ParsedClause, slot: str, value: Range, when: Mention) -> bool:
    """Whether a time tells which thing it is, or when in every year or day: at no other time is this less so.

    "I'm training for a race in November", "I clean pools from May to September", "I take my pills at 7am".
    """
    verb = clause.verb
    if clause.kind not in ("i", "we", "my") or verb.denied or when.start < value[0]:
        return False
    if verb.tense in ("progressive", "lasting") and slot.endswith("_for"):
        return when.kind in ("future", "either")
    if verb.form not in ("base", "third") or verb.tense != "present" or verb.lemma in ("be", "have"):
        return False
    daily = verb.lemma not in _SCHEDULED and _CLOCK.fullmatch(words.masked, when.start, when.end) is not None
    return daily or _SEASON.fullmatch(words.masked, when.start, when.end) is not None


_MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|"
    r"autumn|fall|winter)"
)
_SCHEDULED: Final = frozenset("meet leave arrive fly land depart pick see go come visit join".split())
"""With an hour, these tell of one day."""
_CLOCK: Final = pattern(
    r"(?:(?:at|by|before|after|around|about) )?(?:half past \w+|(?:a )?quarter (?:past|to) \w+|\w+ o'clock|"
    r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?)(?: in the (?:morning|evening|afternoon)| at night)?",
    re.IGNORECASE,
)
_SEASON: Final = pattern(rf"(?:from|between) {_MONTH} (?:to|until|till|through|and) {_MONTH}", re.IGNORECASE)


def is_appointment(clause: ParsedClause, about: About, when: Mention | None) -> bool:
    """ "I've got an interview next Tuesday at 3": something had at a time to come."""
    verb = clause.verb
    had = verb.lemma == "have" or (verb.lemma == "get" and verb.tense == "perfect")
    ahead = when is not None and when.kind in ("future", "either") and not verb.denied and not verb.ended
    return had and ahead and about.attribute is None and verb.tense in ("present", "perfect")


def is_event(words: Words, clause: ParsedClause, when: Mention | None) -> bool:
    """ "Had her hip replaced", "was raised in Ghana": done once and not undone."""
    after = clause.verb.after
    if clause.verb.lemma == "have":
        return (when is not None and when.kind not in ("length",)) or any(
            map(_is_participle, words.low[after + 1 : min(after + 6, clause.end)])
        )
    if clause.verb.lemma != "be" or after >= clause.end:
        return False
    return _is_participle(words.low[after]) and words.low[after] not in _LASTING_STATES


_LASTING_STATES: Final = frozenset(
    "married engaged based employed located retired involved stuck interested".split()
)


def _is_participle(word: str) -> bool:
    return "participle" in forms_by_word().get(word, ())


def is_price(words: Words, clause: ParsedClause, when: Mention | None) -> bool:
    """ "Tickets cost 12 euros": by its form it may be of the past, and of several it is not."""
    return (
        words.low[clause.verb.first] == "cost"
        and (when is None or when.kind in ("repeated", "length"))
        and any(low[-1:] == "s" for low in words.low[clause.begin : clause.subject_end])
    )


_PRACTISED: Final = frozenset(
    "bank train coach run manage attend volunteer sing shop swim climb cycle serve chair collect keep see "
    "foster commute row box fence sail ride lead edit".split()
)


def goes_on(words: Words, clause: ParsedClause) -> bool:
    """ "I've banked with Barclays since 1981": what was begun then is so to this day."""
    verb = clause.verb
    return (
        verb.tense == "perfect" and verb.lemma in _PRACTISED and "since" in words.low[verb.after : clause.end]
    )
