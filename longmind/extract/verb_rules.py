"""The rules about verbs, applied to a clause."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from longmind.extract.clauses import Clause, Person, clause_range
from longmind.extract.grammar import ParsedClause
from longmind.extract.needed_words import Gated
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import Spans, extent
from longmind.extract.rule_match import RuleMatch, Subject
from longmind.extract.rule_types import VerbRule
from longmind.extract.rules import VERB_RULES
from longmind.extract.verb_group import Tense
from longmind.extract.verbs import verb_forms
from longmind.extract.words import Words
from longmind.when.mentions import Mention, find_mention, mention_at

_LASTING = frozenset({"present", "progressive"})
_POSSESSED = frozenset("a an my our another two three".split())
_SINCE = pattern(
    r"[^.;]{0,40}?\b(?:since|(?:for|in) (?:\w+ ){0,3}(?:days|weeks|months|years|ages|decades?|a while))\b",
    re.IGNORECASE,
)
_ANYMORE = pattern(r"[^.;]{0,40}?\b(?:anymore|any more|any longer|no more)\b", re.IGNORECASE)


class Predicate(NamedTuple):
    """`lemma` in `tense`, from `start`; what the rule reads begins at `after`."""

    lemma: str
    tense: Tense
    denied: bool
    ended: bool
    after: int
    start: int


def predicates_of(words: Words, clause: ParsedClause) -> list[Predicate]:
    """Every way to read the verb of a clause: more than one where a form is ambiguous ("quit")."""
    verb = clause.verb
    start, after = words.starts[verb.first], words.end(verb.after - 1)
    if verb.lemma == "be" and not verb.passive:
        after = words.starts[verb.after] if verb.after < words.count else after
    elif verb.passive:
        # The rules read "married to", "born in" after "be" themselves.
        after = words.starts[verb.after - 1]
    lemma = "be" if verb.passive else verb.lemma
    predicates = [Predicate(lemma, verb.tense, verb.denied, verb.ended, after, start)]
    if verb.tense == "future":
        predicates.append(
            Predicate("*", "future", verb.denied, verb.ended, words.starts[verb.after - 1], start)
        )
    word = words.low[verb.after - 1]
    forms = verb_forms().get(word, ())
    if verb.form == "base" and verb.first == verb.after - 1 and (verb.lemma, "past") in forms:
        predicates.append(Predicate(verb.lemma, "past", verb.denied, verb.ended, after, start))
    if (
        verb.tense == "perfect"
        and verb.denied
        and _SINCE.search(words.masked, after, words.end(words.count - 1))
    ):
        # "Haven't smoked since January": what was done then is done no more.
        predicates.append(Predicate(verb.lemma, "present", True, True, after, start))
    if verb.form == "participle" and verb.lemma == "get":
        has = Predicate("have", "present", verb.denied, verb.ended, after, start)
        following = words.low[verb.after] if verb.after < clause.end else ""
        if word == "got" and following in _POSSESSED:
            return [has]  # "I've got my driving test on 29 August": it is to come
        predicates.append(has)
    return [*_stopped(words, clause), *_spent(words, clause), *predicates]


def _stopped(words: Words, clause: ParsedClause) -> list[Predicate]:
    """ "Stopped smoking", "gave up eating meat": the doing, denied and over."""
    verb = clause.verb
    at = verb.after
    if verb.lemma not in ("stop", "quit", "give") or verb.tense not in ("past", "perfect", "present"):
        return []
    if verb.lemma == "give":
        if at >= clause.end or words.low[at] != "up":
            return []
        at += 1
    if at >= clause.end:
        return []
    for lemma, which in verb_forms().get(words.low[at], ()):
        if which == "ing":
            # "Stopped hating it": what rules read in the present alone is over too.
            start, after = words.starts[verb.first], words.end(at)
            return [
                Predicate(lemma, "progressive", True, True, after, start),
                Predicate(lemma, "present", True, True, after, start),
            ]
    return []


def _spent(words: Words, clause: ParsedClause) -> list[Predicate]:
    """ "Spent six years working at Nokia": what was done then."""
    verb = clause.verb
    if verb.lemma != "spend" or verb.denied or verb.tense not in ("past", "perfect"):
        return []
    for at in range(verb.after + 1, clause.end):
        for lemma, which in verb_forms().get(words.low[at], ()):
            if which == "ing":
                return [Predicate(lemma, "past", False, False, words.end(at), words.starts[at])]
    return []


class _Tried(NamedTuple):
    """A rule with the pattern of its link; `ahead`: what it says is so from a time that is to come."""

    rule: VerbRule
    link: Gated
    ahead: bool


_LEMMAS: Final = frozenset(lemma for rule in VERB_RULES for lemma in rule.verbs)


@cache
def _link(source: str) -> Gated:
    return Gated(source, re.IGNORECASE, at_word=True)


@cache
def _rules_for(lemma: str, tense: Tense, denied: bool, person: Person) -> tuple[_Tried, ...]:
    """The rules about a verb that take the tense and the person."""
    tried = []
    for rule in VERB_RULES:
        if lemma not in rule.verbs or person not in rule.persons or (denied and rule.denial == "refuses"):
            continue
        ahead = tense == "future" and rule.tenses >= _LASTING and not denied
        if ahead or tense in rule.tenses:
            tried.append(_Tried(rule, _link(rule.link), ahead))
    return tuple(tried)


@cache
def _then_pattern(link: str) -> re.Pattern[str]:
    """A link with capitals in it means them; any other takes either case."""
    return pattern(link, re.IGNORECASE if link == link.lower() else 0)


def find_by_verb(
    words: Words, clause: Clause, subject: Subject, predicates: list[Predicate]
) -> list[RuleMatch]:
    """What the first rule that fits the clause's verb makes of it."""
    masked = words.masked
    for predicate in predicates:
        if predicate.lemma not in _LEMMAS:
            continue
        for rule, link, ahead in _rules_for(
            predicate.lemma, predicate.tense, predicate.denied, clause.person
        ):
            linked = link.match(words, predicate.after, clause.end)
            if linked is None:
                continue
            begin = _verb_start(masked, predicate) if rule.whole else linked.end()
            spans = rule.value(masked, begin, clause.end)
            if spans is None:
                continue
            matches = _applied(masked, clause, subject, predicate, rule, spans, ahead=ahead)
            if matches is not None:
                return matches
    return []


def _applied(
    masked: str,
    clause: Clause,
    subject: Subject,
    predicate: Predicate,
    rule: VerbRule,
    spans: Spans,
    *,
    ahead: bool,
) -> list[RuleMatch] | None:
    """What a rule makes of the values it has read."""
    stop = spans[-1][1]
    denies = (
        predicate.denied and rule.denial != "keeps"
    )  # "I can't stand it anymore" begins, and ends nothing
    ended = rule.ended or predicate.ended or (denies and _is_over(masked, stop, clause.end))
    if denies and rule.denial == "ends" and not ended:
        return None
    values = [(rule.slot, span, ended) for span in spans]
    if not predicate.denied:
        further, stop = _further(masked, clause, rule, stop, ended=predicate.ended)
        values += further
    when = _when(masked, clause, predicate, stop, rule)
    if rule.slot == "did" and ended and when is not None and when.kind == "length":
        return None  # "he'd run it since 2010": a state that is over, and nothing that was done once
    if (rule.moment or ahead) and (when is None or (ahead and when.kind in ("length", "repeated"))):
        return None  # "I'll be working at CERN" says from when, or says no more than a wish
    experienced = predicate.tense == "perfect" and predicate.lemma in _LASTS and not predicate.denied
    if experienced and not _goes_on(masked, clause, when):
        values = [(slot, span, True) for slot, span, _ in values]
    polarity = rule.polarity and (rule.denial == "keeps" or not predicate.denied)
    whole = clause_range(masked, clause)
    return [
        RuleMatch(
            subject,
            slot,
            span,
            whole,
            rule.name,
            polarity,
            over,
            None if when is None else when[:2],
            verb=predicate.lemma,
            free=slot != rule.slot and any(then.free and then.slot == slot for then in rule.then),
        )
        for slot, span, over in values
    ]


_LASTS: Final = frozenset({"live", "work", "study"})
_UNTIL_TODAY: Final = pattern(
    r"\b(?:always|since|for|all my life|so far|ever|still|now|just|recently|lately|again|\d+ years?)\b",
    re.IGNORECASE,
)


def _goes_on(masked: str, clause: Clause, when: Mention | None) -> bool:
    """ "I've lived in Rome for years" is so today; "I've lived in Rome and Milan" has been done."""
    if when is not None and (
        when.kind == "length" or masked[when.start : when.end].lower().startswith("since")
    ):
        return True
    return _UNTIL_TODAY.search(masked, clause.start, clause.end) is not None


def _further(
    masked: str, clause: Clause, rule: VerbRule, stop: int, *, ended: bool
) -> tuple[list[tuple[str, tuple[int, int], bool]], int]:
    """What the rule reads after its value, and where that ends."""
    values: list[tuple[str, tuple[int, int], bool]] = []
    for further in rule.then:
        link = _then_pattern(further.link).match(masked, stop, clause.end)
        spans = None if link is None else further.value(masked, link.end(), clause.end)
        if spans is not None:
            values += [(further.slot, span, further.ended or ended) for span in spans]
            stop = spans[-1][1]
    return values, stop


def _verb_start(masked: str, predicate: Predicate) -> int:
    start = predicate.after
    if predicate.lemma != "*":
        while start > predicate.start and (masked[start - 1].isalpha() or masked[start - 1] == "'"):
            start -= 1
    return start


def _is_over(masked: str, stop: int, end: int) -> bool:
    return _ANYMORE.match(masked, stop, end) is not None


def _when(masked: str, clause: Clause, predicate: Predicate, stop: int, rule: VerbRule) -> Mention | None:
    """The clause's time phrase: right after the value, else near it, else at the clause's start."""
    after = stop
    while after < clause.end and masked[after] in " ,":
        after += 1
    mention = mention_at(masked, after, clause.end)
    if mention is not None and (not rule.moment or mention.kind in rule.moment):
        return mention
    comma = masked.find(",", stop, clause.end)
    edge = clause.end if comma < 0 else comma
    position = predicate.after
    if find_mention(masked, position, edge) is not None:
        edge = max(extent(masked, stop, edge), stop)
    for _ in range(3):
        mention = find_mention(masked, position, edge)
        if mention is None:
            break
        if not rule.moment or mention.kind in rule.moment:
            return mention
        position = mention.end
    mention = clause.when()
    return mention if mention is not None and (not rule.moment or mention.kind in rule.moment) else None
