"""The same told anew in other words: "the bakery closes at six now", "I've got locker 102 now".

Facts of the text's own words have no slot by which a new value finds the old one. What tells them apart are
the words of what they are about ("locker at the pool") and the sort of their value: a number, an hour, a day,
a name. A clause that says that something is changed, and names nothing but words of the one and a value of
the same sort, tells the other anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from longmind.base.frame import Frame
from longmind.extract.dating import with_dates
from longmind.extract.sentences import mask
from longmind.extract.statements import INSTRUCTIONS, is_slot
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.kinds import kinds_of
from longmind.facts.trust import USER
from longmind.facts.words import words_of

_SIGN: Final = re.compile(
    r"\b(?:now|nowadays|these days|different|changed|(?:the|my|our) new|instead|moved|pushed|back|swapped|"
    r"switched|shifted|bumped|slipped|rescheduled|postponed|reset|from today|from this month|renumbered|"
    r"extended|raised|cut|lowered)\b",
    re.IGNORECASE,
)
"""Words without which a clause does not say that anything has changed."""
_MONTHS: Final = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_CLOCK: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)"
_UNITS: Final = (
    r"(?:euros?|pounds?|quid|dollars?|bucks|francs|kroner|mg|mcg|g|kg|kilos?|ml|l|litres?|%|percent|per "
    r"cent|km|"
    r"kilomet(?:re|er)s?|miles|m|cm|minutes|mins|hours|days|weeks|people|guests|pupils|students)"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_VALUE: Final = re.compile(
    rf"(?P<day>\b{_DAY}(?: \d{{1,2}} {_MONTHS} \d{{4}})?\b)"
    rf"|(?P<date>\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}(?: \d{{4}})?\b|\b{_MONTHS} \d{{1,2}}(?:st|"
    rf"nd|rd|th)?(?:,? \d{{4}})?\b)"
    rf"|(?P<hour>\b(?:half past|quarter past|quarter to|(?:five|ten|twenty) (?:past|to)) (?:{_CLOCK}|"
    rf"\d{{1,2}})\b"
    rf"|\b\d{{1,2}}(?:[:.]\d\d)? ?[ap]\.?m\b|\b\d{{1,2}}[:.]\d\d\b(?!%)"
    rf"|(?:(?<=\bat )|(?<=\btill )|(?<=\buntil ))(?:{_CLOCK}|\d{{1,2}})(?: o'clock)?(?![\w%-]))"
    rf"|(?P<amount>[£$€] ?\d[\d.,]*|\b\d[\d.,]* ?{_UNITS}(?!\w))"
    r"|(?P<code>\b(?=[\w-]*\d)(?=[\w-]*[a-z-])[\w-]{4,}\b)"
    r"|(?P<number>\b\d+\b)"
    r"|(?P<nth>\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|"
    r"th))(?= floor))"
    r"|(?P<title>(?:(?<=\bcalled )|(?<=\bnamed )|(?<=\btitled )|(?<=\btitle )|(?<=\bname "
    r"))(?-i:[A-Z])[\w'-]+(?: (?:(?:and|of|the|in) )*(?-i:[A-Z])[\w'-]*)*)"
    r"|(?P<name>(?:(?<=\bin )|(?<=\bon )|(?<=\bover )|(?<=\bof )|(?<=\bfrom )|(?<=\bvia )|(?<=\bwith )|"
    r"(?<=\bto )|(?<=\bthrough "
    r"))(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*)*)",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(
    r"[!?\n;:]+|\.(?!\w)|,(?=\s)|"
    r"\s(?:so|because|but|since|and)\s(?=(?:the|my|our|we|i|they|it|we've|i've|they've)\b)",
    re.I,
)
_NOT_SO: Final = re.compile(
    r"\b(?:if|would|might|could|should|want|wants|wanted|hope|hoping|wish|maybe|perhaps|(?-i:may)|not|"
    r"never|thinking|planning|"
    r"plan|suggested|asked|about to|going to|used to|was|were|had|almost|nearly|every|sometimes|also|too|"
    r"another|second|"
    r"tonight|tomorrow|yesterday|(?<!from )(?<!of )today|(?:this|next|last) (?:week|weekend|time|morning|"
    r"afternoon|evening|\w+day)|"
    r"his|her|their|your|(?:from|as of|since) (?:next|\d)|says|said|wait|no)\b|n't\b|\w's (?!been\b|now\b|"
    r"got\b)[a-z]",
    re.IGNORECASE,
)
"""Nothing has changed, or only for once, or it is somebody else's."""
_PASSIVE: Final = re.compile(
    r"\b(?:was|were) (?=(?:moved|pushed|changed|switched|set|reset|put|shifted|bumped|postponed)\b)", re.I
)
_FILLING: Final = words_of(
    "now nowadays different changed change new instead moved pushed back swapped switched shifted bumped "
    "slipped rescheduled postponed reset day today month year renumbered extended raised cut lowered been "
    "being got get gets have has had 've 'm 're s ve m re re put given give set they you over out forward "
    "late early later earlier so because but oh well ok okay just only all here there since per every as "
    "per by way under via through again finally kept stored saved live lives sits hosted held happen "
    "happens take takes took place go goes run runs is_on starts_at called named titled title name after "
    "before pm am o clock first then also we've i've they've don't"
)
_OF_A_VALUE: Final = words_of("number no nr day time date hour code")
"""A word of the sort of the value, beside which the noun before it names the thing as well."""
_REASSIGNED: Final = re.compile(
    r"\b(?:moved|swapped|changed|switched|put|given|gave|reassigned|different|new|renumbered)\b",
    re.IGNORECASE,
)
_PREPOSITIONS: Final = re.compile(
    r"_(?:at|in|on|of|for|to|with|from|by|near)(?:_|$)| (?:at|in|on|of|for|to|with|from|by) "
)
_MOST_WORDS: Final = 5
_TOLD_APART: Final = frozenset({"event", "plans", "did", "session_id", "habit", "title", "name", "nickname"})


class _Told(NamedTuple):
    """A value of a clause, its sort, and the other words of the clause."""

    sort: str
    text: str
    about: frozenset[str]
    clause: str


class Retold(NamedTuple):
    """What is so in the place of what was, and the text's own facts without those that say no more."""

    new: list[FoundFact]
    kept: list[FoundFact]


def told_otherwise(current: CurrentFacts, frame: Frame, facts: Sequence[FoundFact]) -> Retold:
    """The new values of what a text tells anew in other words than it was told before."""
    nothing = Retold([], list(facts))
    if _SIGN.search(frame.text) is None:
        return nothing
    new: list[FoundFact] = []
    said_only: list[tuple[str, CurrentFact]] = []
    for told in _tellings(frame.text):
        for belief in _meant(current, told, frame):
            at, old = values_of(belief, told.sort)[0]
            text = told.text
            if told.sort == "date":
                text = with_dates(text, frame.occurred_at)
            value = str(belief.value)
            value = f"{value[:at]}{text}{value[at + len(old) :]}"
            slot = (belief.subject, belief.predicate)
            if any((fact.subject, fact.predicate) == slot and fact.action == "record" for fact in facts):
                continue
            new.append(FoundFact(belief.subject, belief.predicate, belief.value, action="end"))
            if not any(fact.subject[:1].isupper() and _says_only(fact, told.text, belief) for fact in facts):
                new.append(FoundFact(belief.subject, belief.predicate, value))
                said_only.append((told.text, belief))
    if not new:
        return nothing
    kept = [fact for fact in facts if not any(_says_only(fact, text, belief) for text, belief in said_only)]
    return Retold(new, kept)


def _says_only(fact: FoundFact, text: str, belief: CurrentFact) -> bool:
    """ "Got locker 102", which is told as the locker at the pool, is not another fact."""
    if fact.action != "record" or fact.confidence is None or is_slot(fact.predicate):
        return False
    words = words_of(f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.value}") - words_of(
        f"user {text}"
    )
    return text in str(fact.value) and words - _FILLING <= _about(belief)


def _tellings(text: str) -> Iterator[_Told]:
    """Each value that a clause tells with a sign that it is new."""
    masked = mask(text)
    at = 0
    clauses: list[str] = []
    for end in (*_CLAUSE_END.finditer(masked), None):
        stop = len(masked) if end is None else end.start()
        clause = masked[at:stop].strip()
        if end is not None and "?" in end.group():
            clause = ""
        elif clauses and _VALUE.fullmatch(clause) is not None:
            clauses[-1] = f"{clauses[-1]} {clause}"  # "the number is different, HX-204"
            clause = ""
        clauses.append(clause)
        at = stop if end is None else end.end()
    for clause in clauses:
        if _SIGN.search(clause) is None:
            continue
        plain = _PASSIVE.sub("is ", clause)
        if _NOT_SO.search(plain) is not None:
            continue
        for match in _VALUE.finditer(clause):
            about = (
                words_of(f"{clause[: match.start()]} {clause[match.end() :]}".replace("'", " ")) - _FILLING
            )
            if 0 < len(about) <= _MOST_WORDS and match.lastgroup is not None:
                yield _Told(match.lastgroup, match[0], about, clause)


def _meant(current: CurrentFacts, told: _Told, frame: Frame) -> list[CurrentFact]:
    """What is held of the one thing that a clause speaks of, with another value of the sort."""
    found = [
        belief
        for belief in _candidates(current, told)
        if belief.recorded < frame.occurred_at and _is_of(belief, told)
    ]
    before = {values_of(belief, told.sort)[0][1].casefold() for belief in found}
    return found if len(before) == 1 and told.text.casefold() not in before else []


def _candidates(current: CurrentFacts, told: _Told) -> Iterator[CurrentFact]:
    for subject in (USER, *current.things_with(told.about)):
        # Of somebody much may be known; of "garage code" nearly all that is known is what it is.
        much = subject == USER or subject[:1].isupper()
        for belief in current.speaking_of(subject, told.about) if much else current.held(subject):
            free = belief.predicate.startswith("is") or not is_slot(belief.predicate)
            if free and belief.predicate not in _TOLD_APART and belief.predicate not in INSTRUCTIONS:
                yield belief


def _is_of(belief: CurrentFact, told: _Told) -> bool:
    """Whether a clause speaks of what the fact is about and of nothing else."""
    if not told.about <= _about(belief):
        return False
    values = values_of(belief, told.sort)
    if len(values) != 1:
        return False
    at, old = values[0]
    if told.sort == "name" and not _alike(belief, old, told):
        return False
    if told.sort == "amount" and not same_unit(old, told.text):
        return False
    if not told.about.isdisjoint(_heads(belief)):
        return True
    before = words_of(str(belief.value)[:at].strip().rpartition(" ")[2])
    return not told.about.isdisjoint(before) and _REASSIGNED.search(told.clause) is not None


def _alike(belief: CurrentFact, old: str, told: _Told) -> bool:
    """Whether two names can stand for one another: behind one preposition, or of one sort."""
    sorts = kinds_of("", old)
    if sorts and not sorts.isdisjoint(kinds_of("", told.text)):
        return True
    said = f" {belief.predicate.replace('_', ' ')} {belief.value} "
    before = said[: said.rfind(f" {old}")].rpartition(" ")[2]
    clause = told.clause
    preposition = clause[: clause.find(told.text)].split()[-1].lower()
    ways = ("on", "over", "via", "through", "with")
    return before == preposition or (before in ways and preposition in (*ways, "to"))


def same_unit(one: str, other: str) -> bool:
    return len({re.sub(r"[\d.,\s]|s$", "", amount.casefold()) for amount in (one, other)}) == 1


def sort_of(value: str) -> tuple[str, str]:
    """The sort of a value that is told alone, and the value; none for words of no sort."""
    match = _VALUE.search(value)
    if match is not None and match.lastgroup is not None:
        return match.lastgroup, match[0]
    return ("name", value) if _A_NAME.fullmatch(value) is not None else ("", value)


_A_NAME: Final = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")


def _about(belief: CurrentFact) -> frozenset[str]:
    """The words of what a fact is about, and of how it tells its value."""
    subject = "" if belief.subject == USER else belief.subject
    return words_of(f"{subject} {belief.predicate.replace('_', ' ')} {belief.value}")


def _heads(belief: CurrentFact) -> frozenset[str]:
    """The noun that names what a fact is about: "locker" of "locker at pool"."""
    said = belief.predicate if belief.subject == USER else belief.subject
    words = re.split(r"[_ ]", _PREPOSITIONS.split(said)[0])
    heads = [words[-1]]
    if words_of(words[-1]) <= _OF_A_VALUE and len(words) > 1:
        heads.append(words[-2])
    if belief.subject == USER and len(words) == 1:
        heads += str(belief.value).split()[-1:]  # "pays" "640 euros rent"
    return words_of(" ".join(heads))


def values_of(belief: CurrentFact, sort: str) -> list[tuple[int, str]]:
    said = belief.predicate.rpartition("_")[2]
    lead = f"{said} "  # "stored_in" "Backblaze"
    return [
        (match.start() - len(lead), match[0])
        for match in _VALUE.finditer(f"{lead}{belief.value}")
        if match.lastgroup == sort and match.start() >= len(lead)
    ]
