"""Reads whole time phrases: a time with the word that relates to it, or two times that bound a range."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from longmind.when import words
from longmind.when.anchors import (
    ANCHORS,
    COMPANY,
    FIRST_WORDS,
    GLUE,
    LEADING,
    OPENERS,
    RELATIONS,
    SAID,
    Relation,
    may_name_a_time,
)
from longmind.when.clock import may_begin_moment, moment
from longmind.when.lexer import Tokens
from longmind.when.meanings import Date, Hours, Instant, Node, Now, Range, Years
from longmind.when.token_reader import (
    AGO,
    AHEAD,
    CLOCK,
    DIGITS,
    NOW,
    PART,
    WINDOW,
    Match,
    TokenReader,
    day_of_month,
    year,
)

_JOINTS = frozenset({"to", "until", "till", "til", "through", "thru", "-"})
_LONGEST_START = 16
"""Tokens; the first time of a range is never said in so many, so a joint farther off is not its joint."""
_AFTERWARDS = frozenset({"onward", "onwards", "forward"})
_UNSURE = frozenset({"may", "march", "mar", "jan", "dec", "sat", "sun"})
_RELATIONS_AT = {
    first: [(opening, relation) for opening, relation in RELATIONS if opening[0] == first]
    for first in FIRST_WORDS
}
_CLOSING = frozenset("%()[];=<>+*±×·°′″$€£")
_PASSED = frozenset("-,")
_SENTENCE_END = re.compile(r"[.!?]\s+")
_MOST_REPEATED = 8
_REPEATING = frozenset({"every", "each"})
_REPEATED = frozenset(
    {
        *words.DAY_PARTS,
        *words.WEEKDAYS,
        *words.MONTHS,
        *words.UNITS,
        *words.ONES,
        *words.ORDINALS,
        *words.listed("other single weekend and or at -"),
    }
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase from the first token to before the last, and how its range lies to the time it names."""

    node: Node
    first: int
    last: int
    relation: Relation
    rule: str
    includes: bool = False
    """With 'before': the time named is part of the range ('until Friday', 'by Friday')."""


class Found(NamedTuple):
    """A phrase, its place in the text, and the word that it begins with."""

    phrase: Phrase
    start: int
    end: int
    first_word: str


def find_phrases(text: str, most_characters: int | None = None) -> Iterator[Found]:
    """The phrases of a text, or of its beginning, from left to right; they do not overlap."""
    limit = len(text) if most_characters is None else min(len(text), max(most_characters, 0))
    for begin, end in _stretches(text, limit):
        if not may_name_a_time(text[begin:end]):
            continue
        tokens = Tokens(text, begin, end, is_cut=end == limit < len(text))
        for phrase in phrases(TokenReader(tokens)):
            first, last = tokens.at(phrase.first), tokens.at(phrase.last - 1)
            yield Found(phrase, first.start, last.end, first.text)


def _stretches(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """A text in pieces that no phrase goes beyond, since most sentences speak of no time.

    A piece ends as a sentence does, with a word that is in no phrase.
    """
    begin = 0
    for match in _SENTENCE_END.finditer(text, 0, limit):
        word = text[text.rfind(" ", begin, match.start()) + 1 : match.start()]
        if word.isalpha() and word.lower() not in COMPANY:
            yield begin, match.end()
            begin = match.end()
    yield begin, limit


def phrases(reader: TokenReader) -> Iterator[Phrase]:
    """The phrases of some tokens from left to right; they do not overlap."""
    i = 0
    before: Phrase | None = None
    for position in _beginnings(reader):
        if position < i:
            continue
        if reader.word(position) in _REPEATING:
            i = _after_repeated(reader, position + 1)
            continue
        phrase = phrase_at(reader, position)
        if phrase is None:
            continue
        if before is not None:
            yield _with_year_of(reader, before, phrase)
        before = phrase
        i = phrase.last
    if before is not None:
        yield before


def _beginnings(reader: TokenReader) -> list[int]:
    """At which tokens a phrase may begin: one of time, or words of the grammar up to one of time.

    The grammar is tried only there: at every token it would take most of the time of reading a text. 'Every'
    is among them too, since what follows it is left out.
    """
    positions: list[int] = []
    leads_to_time = False
    kinds, texts = reader.kinds, reader.texts
    for i in range(reader.count - 1, -1, -1):
        kind, text = kinds[i], texts[i]
        if kind == "word" or kind == "mark":
            if text in ANCHORS:
                leads_to_time = not (text in LEADING and counts_a_thing(reader, i))
            else:
                leads_to_time = leads_to_time and text in GLUE
            if (leads_to_time and text in OPENERS) or (text in _REPEATING and kind == "word"):
                positions.append(i)
        else:
            is_short = kind == "number" and len(text) != 4
            leads_to_time = kind != "other" and not (is_short and counts_a_thing(reader, i))
            if leads_to_time and not (is_short and ends_in_a_mark(reader, i)):
                positions.append(i)
    return positions[::-1]


def counts_a_thing(reader: TokenReader, i: int) -> bool:
    """Whether a number or an ordinal that is no year is of no time: '12 people', 'the first bridge'."""
    after = reader.word(i + 1)
    return after != "" and after not in COMPANY


def ends_in_a_mark(reader: TokenReader, i: int) -> bool:
    """Whether a number that is no year stands before a mark that no rule reads on from: '95%', '(n = 12)'.

    Alone it names no time. What leads to it may ('at 5)'), and begins before it.
    """
    if reader.kinds[i + 1] != "mark":
        return False
    mark = reader.texts[i + 1]
    if mark in _PASSED:
        after = reader.word(i + 2)  # '2.5-fold', '12, we'
        return after != "" and after not in COMPANY
    return mark in _CLOSING


def _with_year_of(reader: TokenReader, phrase: Phrase, after: Phrase) -> Phrase:
    """'January' of 'January and March 2021' is of that year too."""
    one, other = phrase.node, after.node
    if reader.at(phrase.last).text not in {"and", "or", ","} or phrase.last + 1 != after.first:
        return phrase
    if not isinstance(one, Date) or not isinstance(other, Date) or not one.floats or other.year is None:
        return phrase
    if one.month is None or other.month is None:
        return phrase
    return replace(phrase, node=replace(one, year=other.year - (one.month > other.month)))


def _after_repeated(reader: TokenReader, i: int) -> int:
    """Past 'every second Monday': what comes again and again is not one time."""
    for _ in range(_MOST_REPEATED):
        if reader.at(i).text not in _REPEATED and reader.at(i).kind not in {"number", "ordinal", "clock"}:
            break
        i += 1
    return i


def phrase_at(reader: TokenReader, i: int) -> Phrase | None:
    spanned = _range(reader, i)
    if spanned is not None:
        return Phrase(spanned.node, i, spanned.end, "between", spanned.rule)
    if reader.word(i) in FIRST_WORDS:
        related = _related(reader, i)
        if related is not None:
            return related
    match = moment(reader, i) or _now(reader, i)
    if match is None:
        return None
    return _with_suffix(reader, i, match)


def _now(reader: TokenReader, i: int) -> Match | None:
    """'now', 'right now'; 'by now' and 'now and then' tell no time."""
    j = reader.skip(i, "right")
    if reader.word(j) != "now" or reader.word(i - 1) in {"by", "for", "every"}:
        return None
    return None if reader.word(j + 1) in {"and", "that", "known"} else Match(Now(), j + 1, NOW)


def _with_suffix(reader: TokenReader, i: int, match: Match) -> Phrase:
    """'2019 onwards', '2018 or later', 'from May on'."""
    end = match.end
    relation: Relation = "around" if match.is_vague else "between" if match.is_range else "at"
    first = i
    if reader.word(end) in _AFTERWARDS or (reader.word(i - 1) == "from" and reader.word(end) == "on"):
        first = i - 1 if reader.word(i - 1) == "from" else i
        return Phrase(match.node, first, end + 1, "since", match.rule)
    if reader.word(end) in {"or", "and"}:
        after = reader.word(end + 1)
        closes = reader.at(end + 2).kind == "mark"
        if after in {"later", "onwards", "newer"} or (after == "after" and closes):
            return Phrase(match.node, first, end + 2, "since", match.rule)
        if after in {"earlier", "older"} or (after == "before" and closes):
            return Phrase(match.node, first, end + 2, "before", match.rule, includes=True)
    return Phrase(match.node, first, end, relation, match.rule)


def _related(reader: TokenReader, i: int) -> Phrase | None:
    for opening, relation in _RELATIONS_AT[reader.word(i)]:
        j = reader.phrase(i, *opening)
        if j is None:
            continue
        j = reader.skip(j, "around", "about") if relation not in {"around", "about"} else j
        j = reader.skip(j, "on", "in") if relation in {"since", "until", "before", "after"} else j
        match = _named(reader, j, cued=opening != ("by",))
        if match is None or (relation == "over" and match.rule != AGO):
            continue
        if relation == "about" and match.rule not in {AGO, AHEAD, CLOCK}:
            continue
        return Phrase(match.node, i, match.end, SAID[relation][0], match.rule, includes=relation == "until")
    return None


def _named(reader: TokenReader, i: int, *, cued: bool = True) -> Match | None:
    """The time a relation speaks of, an article before it or not."""
    match = moment(reader, i, cued=cued)
    if match is None and reader.word(i) == "the":
        match = moment(reader, i + 1, cued=cued)
    return match


def _range(reader: TokenReader, i: int) -> Match | None:
    """'from May to July 2021', 'between 3 and 5 June', 'March 2-5', '2014-2018', 'Monday to Wednesday'."""
    opens = reader.word(i) if reader.word(i) in {"from", "between"} else ""
    joints = _JOINTS | {"and"} if opens == "between" else _JOINTS
    if not reader.has_any(joints, i + 1, i + _LONGEST_START):
        return None
    # "To" mostly stands before a verb, and then no range ends there.
    ends = reader.positions(joints, i + 1, i + 2 * _LONGEST_START)
    if not any(_may_finish(reader, at + 1) for at in ends):
        return None
    j = i + 1 if opens else i
    for first in _starts(reader, j, cued=bool(opens)):
        joint = reader.word(first.end) or reader.mark(first.end)
        if joint not in joints:
            continue
        if joint == "-" and reader.mark(first.end + 1) == "-":
            continue
        last = _finish(reader, first.end + 1, first.node)
        if last is not None and _may_bound(first, last, opens=opens):
            node = _completed(first.node, last.node)
            return None if node is None else Match(node, last.end, "range")
    return None


def _starts(reader: TokenReader, i: int, *, cued: bool) -> Iterator[Match]:
    """What a range may begin with: 'now', a day whose month comes later, or any time."""
    if reader.word(i) == "now":
        yield Match(Now(), i + 1, NOW)
    day = day_of_month(reader, reader.skip(i, "the"))
    if day is not None:
        yield Match(Date(day=int(day.value)), day.end, "day of the month", is_day=True)
    match = moment(reader, i, cued=True)
    if match is not None and (cued or _stands_alone(reader, i, match)):
        yield match


def _stands_alone(reader: TokenReader, i: int, match: Match) -> bool:
    """Whether a time may begin a range without 'from': not a lower-case 'may' or 'march'."""
    if isinstance(match.node, Date) and match.node.year is None and match.node.day is None:
        return reader.at(i).capital or reader.word(i) not in _UNSURE
    return True


def _may_finish(reader: TokenReader, i: int) -> bool:
    """Whether `_finish` may read the end of a range here, by the first token alone."""
    return reader.word(i) == "now" or may_begin_moment(reader, i)


def _finish(reader: TokenReader, i: int, first: Node) -> Match | None:
    if reader.word(i) == "now":
        return Match(Now(), i + 1, NOW)
    match = _named(reader, i)
    if match is not None:
        return match
    if isinstance(first, Years) and first.grain == "year" and reader.at(i).glued:
        token = reader.at(i)
        if token.kind == "number" and len(token.text) == 2 and int(token.text) > first.year % 100:
            return Match(Years(first.year - first.year % 100 + int(token.text), "year"), i + 1, "year")
    if isinstance(first, Date) and first.day is not None and first.month is not None:
        day = day_of_month(reader, reader.skip(i, "the"))
        if day is not None and day.value > first.day:
            after = None if first.year else year(reader, reader.skip(day.end, ","), cued=True)
            node = Date(first.year or (int(after.value) if after else None), first.month, int(day.value))
            return Match(node, after.end if after else day.end, "day of the month", is_day=True)
    return None


def _may_bound(first: Match, last: Match, *, opens: str) -> bool:
    if not opens and first.rule == last.rule == DIGITS and first.node.floats and last.node.floats:
        return False
    if last.rule in {PART, WINDOW} or first.rule in {PART, WINDOW}:
        return False
    if isinstance(first.node, Years) and isinstance(last.node, Years):
        return first.node.year < last.node.year
    if isinstance(first.node, Date) and first.node.month is None and first.node.weekday is None:
        return isinstance(last.node, Date) and last.node.month is not None and last.node.day is not None
    return first.rule != CLOCK or isinstance(last.node, Hours | Now | Instant)


def _completed(first: Node, last: Node) -> Node | None:
    """The range, with the month of 'between 3 and 5 June' given to its first day."""
    if isinstance(first, Date) and isinstance(last, Date) and first.month is None and first.day is not None:
        if last.day is None or first.day >= last.day:
            return None
        first = replace(first, month=last.month, year=last.year)
    return Range(first, last)
