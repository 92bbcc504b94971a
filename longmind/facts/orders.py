"""Standing orders told anew: "write code samples in Kotlin", after Java; "slang in chat" besides mails.

Two orders are one, told twice, where they share all words but the values: languages, numbers, names, formats.
An order for one case and an order for another case are kept side by side, though both are about the tone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from longmind.base.frame import Frame
from longmind.base.words import runs_of_letters
from longmind.extract.instructions import topic_of
from longmind.extract.lexicon import LANGUAGES
from longmind.extract.statements import INSTRUCTIONS
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.trust import USER
from longmind.facts.words import words_of

_KEPT: Final = tuple(sorted(INSTRUCTIONS))
_FILLER: Final = words_of(
    "always please from now on today future going forward just only so me for i you us do when whenever if "
    "every time ask asked make sure to be it write writing give keep use answer reply respond put draft "
    "show send prefer format provide not more than at most default by instead again and then but should will"
)
"""Words that say no more than that it is an order, and those for writing and giving."""
_MEDIA: Final = {
    "e-mail": "mail", "email": "mail", "mail": "mail", "chat": "chat", "slack": "chat", "whatsapp": "chat",
    "text": "text", "letter": "letter", "summary": "summary", "summarie": "summary", "summarise": "summary",
    "summarize": "summary", "report": "report", "recipe": "recipe", "code": "code", "draft": "draft",
    "post": "post", "tweet": "post", "translation": "translation", "presentation": "presentation",
    "slide": "presentation", "note": "note", "list": "list", "article": "article", "essay": "essay",
    "invoice": "invoice",
}  # fmt: skip
"""What an assistant writes: each is a case of its own."""
_NUMBERS: Final = frozenset(
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty fifty".split()
)
_FORMATS: Final = frozenset(
    "markdown prose json yaml csv html latex pdf table tables bullets formal informal casual plain simple "
    "short long brief detailed metric imperial celsius fahrenheit british american slang".split()
)
_WORD: Final = re.compile(r"[\w@#+'-]+")
_CAUTION: Final = re.compile(
    r"(?:always |please )*(?:never|don't|do not|no|avoid|stop|skip|without)\b", re.IGNORECASE
)
_REMINDS: Final = re.compile(r"\bremind\b", re.IGNORECASE)


class _Order(NamedTuple):
    """An order without its values, the sorts of these, and for which kinds of text it is."""

    shared: frozenset[str]
    sorts: frozenset[str]
    cases: frozenset[str]
    forbids: bool


@lru_cache(maxsize=1024)
def _order(said: str) -> _Order:
    shared, sorts = [], set()
    for number, word in enumerate(_WORD.findall(said)):
        low = word.lower()
        sort = (
            "language"
            if low in LANGUAGES
            else "number"
            if low in _NUMBERS or word[:1].isdigit()
            else "format"
            if low in _FORMATS
            else "name"
            if number and word[:1].isupper() and word != "I"
            else ""
        )
        if sort:
            sorts.add(sort)
        else:
            shared.append(low)
    words = words_of(" ".join(shared)) - _FILLER
    cases = frozenset(_MEDIA[word] for word in words if word in _MEDIA)
    return _Order(words, frozenset(sorts), cases, _CAUTION.match(said) is not None)


def order_for_a_case(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """What is kept to in some texts takes no place of what is kept to in others: both are kept."""
    if not _is_order(fact) or fact.predicate == "instruction":
        return fact
    cases = _order(str(fact.value)).cases
    for belief in current.held(USER, (fact.predicate,)) if cases else ():
        others = _order(str(belief.value)).cases if belief.predicate == fact.predicate else frozenset()
        if others and others.isdisjoint(cases):
            return replace(fact, predicate="instruction", cardinality=None)
    return fact


def orders_over(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """The ends of orders that the new one tells again with other values."""
    if not _is_order(fact):
        return
    for belief in current.held(USER, _KEPT):
        if belief.predicate in INSTRUCTIONS and _is_told_again(fact, belief):
            yield FoundFact(
                belief.subject, belief.predicate, belief.value, fact.start, fact.end, action="end",
                valid_to=fact.valid_from,
            )  # fmt: skip


_CHOSEN: Final = rf"(?:single|double|\d+|{'|'.join(sorted(_NUMBERS | _FORMATS))})"
_ANEW: Final = re.compile(
    r"\b(?:changed my mind|instead|from now on|on second thoughts?|after all|going forward)\b", re.IGNORECASE
)
_RETOLD: Final = re.compile(
    r"(?:^|[.!?;:,]\s+|\b(?:and|but|so) )(?:please |it's |make (?:it|that) |use |go with |let's use |"
    r"(?:I'd|I would) (?:rather have|rather|prefer|like) )*"
    rf"(?P<new>{_CHOSEN}) (?P<noun>[a-z]{{3,}})(?: (?:in|for|with) (?:my )?(?P<where>[A-Za-z]+))?"
    r"(?=,? (?:please|instead|from now on|now|after all|going forward)\b|\s*(?:[.!;\n]|$))",
    re.IGNORECASE,
)
_ASKING: Final = re.compile(r"\b(?:if|would|could|should|might|maybe|perhaps|also|too|not)\b|n't\b|\?", re.I)


def part_told_anew(current: CurrentFacts, frame: Frame, facts: Sequence[FoundFact]) -> Iterator[FoundFact]:
    """ "I changed my mind about quotes: double quotes, please": what else the order asked for stays."""
    if _ANEW.search(frame.text) is None or any(fact.predicate in INSTRUCTIONS for fact in facts):
        return
    for sentence in _SENTENCE.findall(frame.text):
        match = None if _ASKING.search(sentence) is not None else _RETOLD.search(sentence)
        if match is None or _ANEW.search(sentence) is None:
            continue
        rethought = "my mind" in sentence.lower()  # of what was asked for, whichever texts it was for
        place = frozenset() if rethought else words_of(match["where"] or "")
        before = re.compile(rf"\b(?P<old>{_CHOSEN})(?= {re.escape(match['noun'])}\b)", re.IGNORECASE)
        for belief in current.held(USER, _KEPT):
            said = str(belief.value)
            found = list(before.finditer(said)) if belief.predicate in INSTRUCTIONS else []
            if len(found) != 1 or belief.recorded >= frame.occurred_at or not place <= words_of(said):
                continue
            if found[0]["old"].casefold() != match["new"].casefold() and _CAUTION.match(said) is None:
                value = f"{said[: found[0].start()]}{match['new']}{said[found[0].end() :]}"
                yield FoundFact(belief.subject, belief.predicate, belief.value, action="end")
                yield FoundFact(belief.subject, belief.predicate, value)


_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")


def language_stopped(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "Stop answering in Polish": the end of the order that asked for it."""
    named = words_of(str(fact.value))
    for belief in current.held(USER, (fact.predicate,)):
        said = str(belief.value)
        if belief.predicate == fact.predicate and named <= words_of(said) and _CAUTION.match(said) is None:
            yield replace(fact, value=belief.value, cardinality=None)


def _is_order(fact: FoundFact) -> bool:
    return (
        fact.predicate in INSTRUCTIONS
        and fact.subject == USER
        and fact.action == "record"
        and fact.polarity
        and isinstance(fact.value, str)
    )


def _is_told_again(fact: FoundFact, belief: CurrentFact) -> bool:
    said, before = str(fact.value), str(belief.value)
    if said.casefold() == before.casefold() or _REMINDS.search(said) is not None:
        return False
    new, old = _order(said), _order(before)
    if new.forbids != old.forbids:
        return False
    topics = {_topic(said), _topic(before)}
    if len(topics) == 1 and topics != {"instruction"} and new.cases == old.cases and new.cases:
        return True  # the tone of what is said in chat
    return bool(new.shared) and new.shared == old.shared and bool(new.sorts) and new.sorts == old.sorts


def _topic(said: str) -> str:
    return topic_of(said, frozenset(runs_of_letters(said.lower())))
