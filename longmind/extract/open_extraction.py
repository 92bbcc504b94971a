"""Clauses that no rule of the table knows: the verb becomes the slot, its complement the value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from longmind.extract.clauses import When
from longmind.extract.grammar import ParsedClause
from longmind.extract.habits import GOOD_OR_BAD, frame_of, is_skill, lasts, makes_a_work
from longmind.extract.needed_words import Gated
from longmind.extract.open_objects import HELD, each_thing, is_to_become, lasts_by_its_object, told_again
from longmind.extract.open_times import goes_on, is_appointment, is_event, is_kept_for, is_of_object, is_price
from longmind.extract.open_values import ANY_OF_ALL, UNTOLD, WEAK, says_enough
from longmind.extract.patterns import pattern
from longmind.extract.phrases.activities import WITHOUT_ITS_OBJECT
from longmind.extract.phrases.edges import last_word, trimmed, without_tail
from longmind.extract.replacement import SINGLE, takes_a_place
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.small_talk import is_worth_keeping, may_be_worth_keeping
from longmind.extract.statements import is_slot
from longmind.extract.subjects import About, slot_of
from longmind.extract.tokens import Token
from longmind.extract.verbs import form, forms_by_word
from longmind.extract.words import Words
from longmind.when.mentions import Mention, find_mention

_PASSING: Final = frozenset(
    "think guess know mean say tell ask wonder hope want need wish feel seem look try see hear understand "
    "agree believe suppose remember forget mention thank appreciate let care doubt sound expect assume "
    "realise realize notice imagine consider intend decide promise happen matter appear figure wait help "
    "come bring put note laugh cry smile sigh apologise apologize bet swear admit argue suggest explain "
    "describe recommend worry bother excuse beg pray check show turn stare last manage mind deserve get "
    "post comment read ignore click open type scroll paste copy miss hurt die tend hang sit stand "
    "reflect".split()
)
"""Verbs whose present says something of the moment, not of the speaker."""

_SKILLS: Final = frozenset({"read", "type"})
"""Of these, what somebody can do: "I can type ninety words a minute"."""
_PASSING_DONE: Final = frozenset(
    "think guess know mean say tell ask wonder hope want need wish feel seem look try see hear understand "
    "agree believe suppose remember forget mention thank let wait expect assume realise realize notice "
    "imagine happen sound appear figure cry laugh smile sigh swear argue explain check click "
    "show last manage mind wake sit stand bother worry bring hang".split()
)
_DONE_TO_THINGS: Final = frozenset("copy manage bring put check post hang show help open read".split())
"""What is done to things again and again: "backups are copied to a drive in the safe"."""
_MOODS: Final = frozenset(
    "tired hungry sorry fine good great happy sad sure okay ok back here home late busy sick ready done lost "
    "bored excited glad afraid confused stuck curious free serious right wrong nervous worried awake drunk "
    "cold hot able about unable unsure aware interested grateful thankful impressed pleased annoyed "
    "disappointed surprised relieved frustrated overwhelmed stressed exhausted upset angry mad proud jealous "
    "lucky kidding joking so too very really quite pretty super all out up down off on in there well better "
    "honest clear welcome new next just like what why how crying dying screaming a bit not nice hard "
    "easy true "
    "false possible impossible important interesting funny weird strange cool awesome perfect amazing lovely "
    "beautiful worth enough gone over time long ill torn inclined supposed used set due no".split()
)
_TRANSIENT_ING: Final = frozenset(
    "look try think wonder get go have be come ask hope feel start begin plan wait talk say tell sit stand "
    "call write check see watch deal struggle consider freak cry die laugh joke kid guess expect assume make "
    "put give need want find follow keep miss enjoy love add face send set stare turn run head bring "
    "fix contemplate declutter jog proofread".split()
)
_FELT: Final = frozenset("afraid scared terrified proud jealous allergic sick tired interested used".split())
_LIKED: Final = frozenset("like love enjoy hate adore dislike detest prefer".split())
_LASTING_ING: Final = frozenset(
    "live work study play learn train teach use stay rent drive date lead run do train build own "
    "volunteer".split()
)
_EMPTY: Final = frozenset(
    "have do go come get know see say work try stay leave start stop agree wait come happen look talk "
    "win lose "
    "change rest sleep move love like enjoy hate".split()
)
_EMPTY_OR_PASSING: Final = _EMPTY | _PASSING
_REPORTING: Final = frozenset("think say tell ask mean suggest seem look sound feel appear matter".split())
_STATIVE: Final = frozenset(
    "be have live work own like love hate prefer use need want know believe belong study rent teach reside "
    "enjoy play speak wear drive smoke drink eat weigh cost manage".split()
)
_PARTICLES: Final = frozenset(
    "in on at to for with from by of about into onto over under near through across around off out up down "
    "against after without as like towards upon via within between behind beside past".split()
)
_FILLER: Final = pattern(
    r"\s*(?:,?\s*(?<![\w'])(?:by the way|btw|suddenly|though|tbh|to be honest|honestly|as well|too|lol|haha|"
    r"for the record|"
    r"these days|nowadays|at the moment|right now|now|currently|from (?:now|here) on|as usual|already|again|"
    r"anymore|any more|no more|any longer|at last|please|thanks|of course|actually|still|on top|all of "
    r"a sudden|"
    r"mate|officially|this time|after all|as always|next|instead|in its place|for good|ugh|smh|so|effective "
    r"immediately)\b[\s,]*)+$",
    re.IGNORECASE,
)
_FILLER_ENDS: Final = frozenset(
    "way btw suddenly though tbh honest honestly well too lol haha record days nowadays moment now "
    "currently on usual already again anymore more longer last please thanks course actually still top "
    "sudden mate officially time all always next instead place good ugh smh so immediately".split()
)
"""The last words of fillers."""
_AT_ONE_PLACE: Final = ("_at", "_with", "_under", "_as")
"""What is done somewhere or with somebody: told anew of another, the one told last is held."""
_OVER: Final = Gated(r"\b(?:anymore|any more(?! (?:\w+ )?than\b)|any longer|no more)\b", re.IGNORECASE)
_NO_MORE: Final = pattern(r"(?:any ?more|any longer|no more)\W*", re.IGNORECASE)
"""All that follows the verb: "she doesn't teach any more"."""
_RELATIVE: Final = Gated(
    r"\s(?:that|which|who|whom|whose|where|because|don't (?:let|forget)"
    r"|so(?! (?:much|many|far|long|often|called)\b))\s",
    re.IGNORECASE,
)

_GAPPED: Final = Gated(
    r" and onto |,? and (?:so|neither) (?:is|are|was|were|do|does|did|has|have|can|will) |(?:,| and| "
    r"but),? (?:[A-Z][\w'-]+ (?:the|an?|his|her|their) |(?:my|our|his|her) [a-z]+(?: "
    r"[A-Z][\w'-]+)? "
    r"(?:the|an?|in|at|on|to|from|with|for) )"
)
"""Somebody else, with the verb left out: "took the night shift and Anya the early one"."""


def find_free(words: Words, clause: ParsedClause, about: About, time: When) -> Iterator[RuleMatch]:
    """What the clause says of its subject, in its own words; nothing where that passes or says too little."""
    verb = clause.verb
    if verb.unreal or _is_passing(words, clause, about, time) or _tells_which(words, clause):
        return
    if about.attribute == "phone" and verb.after < clause.end and words.low[verb.after] in ("a", "an"):
        about = replace(about, attribute="phone_model")  # "my phone is a Fairphone 5", and no number
    if (
        about.attribute is not None
        and is_slot(about.attribute)
        and (about.sort != "thing" or verb.lemma != "be")
        and not (about.attribute == "birthday" and time())
    ):
        return  # "my name is on the list": the table knows what a name is
    span = words.span(verb.after, clause.end)
    no_more = verb.denied and _NO_MORE.fullmatch(words.masked, *span) is not None
    if span[0] >= span[1] or no_more:
        personal = about.sort != "thing" and about.attribute is None and verb.form != "participle"
        if (
            personal
            and (verb.tense in ("present", "lasting") or (no_more and verb.tense == "cannot"))
            and verb.lemma not in _EMPTY_OR_PASSING
            and verb.lemma != "be"
        ):
            yield _match(
                words,
                clause,
                about,
                "does",
                words.span(verb.after - 1, verb.after),
                time(),
                over=verb.ended or no_more,
            )
        return
    if not may_be_worth_keeping(words, clause, about) and time() is None:
        return
    when = time()
    over = verb.ended or (verb.denied and _OVER.search(words, *span) is not None)
    stop = _without_filler(words.masked, span[0], _without_time(words.masked, span[0], span[1]))
    if verb.tense in ("can", "cannot", "future"):
        yield from _ahead(words, clause, about, (span[0], stop), when)
        return
    if is_appointment(clause, about, when) and when is not None:
        begin = words.starts[verb.after]
        yield _match(words, clause, about, "event", (begin, max(stop, when.end)), when)
        return
    slot, begin = _slot(words, clause, about)
    if about.attribute is not None and verb.lemma != "be":
        stop = span[1]
    pieces = _pieces(words, clause, begin, stop if begin < stop else span[1])
    if (
        pieces
        and when is not None
        and (is_kept_for(verb, about, when) or is_of_object(words, clause, slot, pieces[0], when))
    ):
        pieces, when = [(pieces[0][0], max(pieces[0][1], when.end))], None
    if verb.lemma in HELD and len(pieces) == 1 and about.attribute is None:
        pieces = each_thing(words, pieces[0])
    elif len(pieces) == 1 and about.attribute is None and begin > words.starts[verb.after]:
        pieces = told_again(words, pieces[0], words.low[verb.after])
    was = (
        verb.tense == "past"
        and (verb.lemma in _STATIVE or verb.form == "ing")  # "in 2015 I was stacking shelves at Aldi"
        and not verb.passive
        and not is_event(words, clause, when)
        and not is_price(words, clause, when)
    )
    for piece in pieces:
        if not says_enough(words.masked, piece, about) and not _is_done_through(words, clause, piece):
            if when is None or when.start < piece[0] or len(pieces) > 1 or when.kind == "length":
                continue
            if not ANY_OF_ALL.isdisjoint(words.lows):
                continue
            if words.low[words.indices(piece, verb.first, clause.end)[0]] in UNTOLD:
                continue  # "ordered it on 15 April"
            piece = (piece[0], when.end)  # "staying with us from 4 to 11 April"
        first, after = words.indices(piece, verb.first, clause.end)
        if not is_worth_keeping(words, clause, about, first, after, timed=when is not None):
            continue
        alone = len(pieces) == 1 and slot.endswith(_AT_ONE_PLACE)
        yield _match(words, clause, about, slot, piece, when, over=over or was, one=alone)


_THROUGH: Final = pattern(
    r"(?:them|it|everything|all of (?:it|them)|most of (?:it|them)|the rest) "
    r"(?:on|with|at|through|via|from|in|to|by) (?:the )?[A-Z]"
)
_NEWS: Final = pattern(r"(?:now|nowadays|these days|instead|any ?more)\b")
_TRADING: Final = frozenset(
    "sell post send ship buy order store host record edit print book stream rent".split()
)


def _is_done_through(words: Words, clause: ParsedClause, piece: Range) -> bool:
    """ "Sells them on Etsy", "posts everything with Evri": through whom, whatever it is.

    "We order them from Oddbox now" is news of what was told before, and read with that.
    """
    verb = clause.verb
    return (
        verb.lemma in _TRADING
        and verb.tense == "present"
        and not verb.denied
        and _THROUGH.match(words.masked, *piece) is not None
        and _NEWS.search(words.masked, piece[0], words.end(words.count - 1)) is None
    )


def _without_time(masked: str, start: int, end: int) -> int:
    """The end without a time that trails, unless the time is what is said: "on Fridays", "every day"."""
    stop = without_tail(masked, start, end)
    if stop >= end:
        return end
    when = find_mention(masked, stop, end)
    if when is not None and when.kind == "repeated":
        return end
    left = masked[start:stop].split()
    if len(left) == 1 and left[0].lower() in ("due", "valid", "open", "closed"):
        return end  # "due within thirty days": when is all that is said
    return stop if left and left[-1].strip(",").lower() not in _PARTICLES else end


def _match(
    words: Words,
    clause: ParsedClause,
    about: About,
    slot: str,
    value: Range,
    when: Mention | None,
    *,
    over: bool = False,
    one: bool = False,
) -> RuleMatch:
    return RuleMatch(
        about.key,
        slot,
        value,
        words.clause(clause),
        "free" if about.attribute is None else "attribute",
        polarity=not clause.verb.denied,
        ended=over,
        when=None if when is None else when[:2],
        free=True,
        one=one or (about.attribute is not None and not _is_plural(words, clause)) or slot in SINGLE,
        names=about.names,
        old=value[:1] * 2 if takes_a_place(clause.verb, words, words.clause(clause), slot, value) else None,
    )


_PLACED_AT: Final = frozenset("keep store host hold save".split())


def _is_plural(words: Words, clause: ParsedClause) -> bool:
    """ "My kids are Amara and Tobi": each of them is one."""
    if clause.verb.passive and clause.verb.lemma in _PLACED_AT:
        return False  # all of them are kept in one place
    return words.low[clause.verb.first] in ("are", "were", "'re") and words.low[
        clause.subject_end - 1
    ].endswith(("s", "children"))


def _is_passing(words: Words, clause: ParsedClause, about: About, time: When) -> bool:
    verb = clause.verb
    first = words.low[verb.after] if verb.after < clause.end else ""
    if about.attribute is None and lasts_by_its_object(words, clause, about):
        return False
    if (verb.lemma == "have" and first == "to") or (
        verb.lemma in _LIKED
        and verb.tense == "present"
        and not about.attribute
        and (about.sort != "thing" or "/" not in about.key)  # of several people the table knows nothing
    ):
        return True  # what is liked for long, the table knows
    if (
        verb.lemma == "keep"
        and "ing" in (following := forms_by_word().get(first, {}))
        and "base" not in following
    ):
        return True  # "I keep thinking: ..."
    if verb.passive and words.low[verb.after - 1] == "torn":
        return True  # between this and that: nothing is decided
    if verb.lemma == "be" and not verb.passive:
        if about.sort == "thing" and first == "free" and words.tags[verb.after + 1] == "P":
            return False  # "the museum is free for residents"
        return about.attribute is None and (first in _MOODS and not _then_more(words, clause, first))
    if verb.form == "ing" and verb.tense in ("progressive", "lasting"):
        if about.attribute is not None and first in ("me", "us"):
            return True  # "my feet are killing me"
        if about.attribute is not None and verb.lemma in ("go", "come") and first in ("up", "down"):
            return False  # "my rent is going up to 1,150"
        if clause.kind == "elided":
            return verb.lemma not in _LASTING_ING
        if verb.lemma in ("visit", "join") and first in ("me", "us"):
            return True
        return verb.lemma in _TRANSIENT_ING and not (
            (verb.lemma == "get" and first in ("married", "divorced", "a")) or makes_a_work(words, clause)
        )
    if verb.tense == "present" and not verb.passive:
        of_people = about.sort != "thing" or "/" in about.key
        passing = verb.lemma in (_PASSING if of_people else _REPORTING) and about.attribute is None
        return passing and not (of_people and lasts(words, clause, time))
    if verb.tense in ("past", "perfect"):
        if verb.lemma in ("go", "come"):
            own = about.sort == "speaker" and about.attribute is None
            return verb.tense == "past" and first != "back" and own
        if verb.lemma == "want" and verb.tense == "perfect" and first == "to":
            return "always" not in words.low[verb.first : verb.after]
        if verb.lemma == "manage":
            return not lasts(words, clause, time)
        return verb.lemma in _PASSING_DONE or (verb.lemma == "change" and words.low[clause.end - 1] == "mind")
    if verb.passive and about.sort == "thing":
        return verb.lemma in _PASSING - _DONE_TO_THINGS
    return verb.lemma in _PASSING and verb.lemma not in _SKILLS


def _tells_which(words: Words, clause: ParsedClause) -> bool:
    """ "The bus I take to work broke down": the clause tells which bus, and the rest is said of that."""
    at = clause.begin - 1
    if clause.kind not in ("i", "we") or at < 1 or words.tags[at] != "N":
        return False
    verb = (words.starts[clause.verb.after - 1], words.span(clause.verb.after - 1, words.count)[1])
    if WITHOUT_ITS_OBJECT.match(words.masked, *verb) is not None:
        return True  # "that bag I bought recently"
    while at > 0 and words.tags[at] in ("N", "M", "V"):
        at -= 1
    if words.low[at] != "the" or (at and words.tags[at - 1] not in (",", ".", "C")):
        return False
    after = clause.verb.after
    if after >= clause.end or words.tags[after] not in ("P", "V"):
        return False
    forms = (forms_by_word().get(word, {}) for word in words.low[after : clause.end])
    return any("past" in which and "base" not in which for which in forms)


def _then_more(words: Words, clause: ParsedClause, first: str) -> bool:
    """ "In Groningen", "on metformin", "off meat": a state told with a preposition and a noun."""
    at = clause.verb.after + 1
    if at >= clause.end:
        return False
    if words.low[at] in ("of", "about", "with", "to") and first in _FELT:
        return at + 1 < clause.end and words.low[at + 1] not in WEAK
    if first in GOOD_OR_BAD:
        return is_skill(words, at, clause.end)
    if first in ("in", "on", "off", "out", "up", "down", "about", "over", "like"):
        return first in ("in", "on", "off") and words.low[at] not in WEAK
    return (
        first in ("too", "very", "so", "really", "quite", "pretty", "super", "not", "a")
        and words.low[at] not in _MOODS
    )


def _slot(words: Words, clause: ParsedClause, about: About) -> tuple[str, int]:
    """The slot that the verb names, with the preposition that follows it, and where the value begins."""
    verb = clause.verb
    at = verb.after
    preposition = ""
    if at < clause.end and words.low[at] in _PARTICLES:
        preposition = words.low[at]
    if about.attribute is not None:
        stands = verb.lemma in ("be", "say", "read") or (verb.lemma in _STANDING and preposition in _AT)
        if stands and not verb.passive:
            return about.attribute, words.span(at, clause.end)[0]
        if clause.shared and verb.tense == "present" and not verb.denied:
            # "My flight leaves Gatwick at noon and lands in Porto": both are so.
            return f"{about.attribute}_{form(verb.lemma, 'third')}", words.span(at, clause.end)[0]
        return about.attribute, words.span(verb.first, clause.end)[0]
    frame = frame_of(words, clause)
    if frame is not None:
        return frame
    if (verb.lemma == "be" and not verb.passive) or verb.lemma == "become":
        name = "is"
    elif verb.passive:
        name = words.low[at - 1]
    elif verb.tense in ("past", "perfect") and verb.lemma not in _STATIVE and not goes_on(words, clause):
        name = form(verb.lemma, "past")
    elif verb.form == "ing":
        name = form(verb.lemma, "ing")
    else:
        name = form(verb.lemma, "third")
    if verb.lemma == "be" and verb.tense == "past" and not verb.passive and is_event(words, clause, None):
        name, at = words.low[at], at + 1
        preposition = words.low[at] if at < clause.end and words.low[at] in _PARTICLES else ""
    if verb.lemma == "have" and verb.tense == "past":
        name = "had"
    if is_to_become(words, clause):
        return f"{name}_to_be", words.starts[at + 2]
    if preposition and at + 1 < clause.end and not is_slot(f"{name}_{preposition}"):
        return f"{name}_{preposition}", words.starts[at + 1]
    return name, words.starts[min(at, clause.end - 1)]


_STANDING: Final = frozenset("fall sit stand hover stay remain".split())
_AT: Final = frozenset("at on around about".split())
"""Between these and a value stands no more than "is": "my anniversary falls on 3 May"."""


def _ahead(
    words: Words, clause: ParsedClause, about: About, span: Range, when: Mention | None
) -> Iterator[RuleMatch]:
    """What somebody can or cannot do; and what is so from a day that is named."""
    verb = clause.verb
    if verb.tense == "future":
        if verb.lemma == "be" and when is not None and not verb.denied:
            slot, begin = _slot(words, clause, about)
            if begin < span[1] and says_enough(words.masked, (begin, span[1]), about):
                yield _match(words, clause, about, slot, (begin, span[1]), when)
        elif when is not None and not verb.denied and about.attribute is None:
            yield _match(words, clause, about, "plans", (words.starts[verb.after - 1], span[1]), when)
        return
    begin = words.starts[verb.after - 1]
    if verb.lemma in _PASSING and verb.lemma not in _SKILLS:
        return
    if not says_enough(words.masked, span, about):
        return
    first, after = words.indices(span, verb.after, clause.end)
    if not is_worth_keeping(words, clause, about, first, after, timed=False):
        return
    rule_match = _match(words, clause, about, verb.tense, (begin, span[1]), when)
    yield RuleMatch(
        rule_match.subject,
        rule_match.slot,
        rule_match.value,
        rule_match.clause,
        rule_match.rule,
        when=rule_match.when,
        free=True,
        names=rule_match.names,
    )


def _without_filler(masked: str, start: int, stop: int) -> int:
    if last_word(masked, max(start, stop - 16), stop) not in _FILLER_ENDS:
        return stop
    match = _FILLER.search(masked[start:stop])
    return stop if match is None else start + match.start()


def _pieces(words: Words, clause: ParsedClause, begin: int, stop: int) -> list[Range]:
    """The value, cut where it goes on about something else; after "be" each thing said is a value."""
    masked, tags, verb = words.masked, words.tags, clause.verb
    first, after = words.indices((begin, stop), verb.first, clause.end)
    parts: list[Range] = []
    at = first
    for position in range(first, after):
        if tags[position] == "," or (
            verb.lemma == "be"
            and words.low[position] in ("and", "but", "&")
            and tags[position + 1] in ("N", "D", "U")
            and position + 1 < after
            and position - first <= 6
        ):
            parts.append((at, position))
            at = position + 1
    parts.append((at, after))
    if parts[0][0] == parts[0][1]:
        return []
    last = parts[0][1]
    if verb.lemma != "be" or verb.passive:
        for part in parts[1:4]:
            if words.low[last - 1] in ("now", "nowadays") or not _belongs(words, part):
                break  # "drives a bus now, days only"
            last = part[1]
    start, end = words.starts[parts[0][0]], words.end(last - 1)
    cut = _RELATIVE.search(words, start, end) or _GAPPED.search(words, start, end)
    end = cut.start() if cut is not None and cut.start() > start + 2 else end
    left = _without_time(masked, start, end)
    if verb.tense == "present" and left <= words.end(verb.after - 1):
        left = end  # "my rent goes up to 1150"
    start, end = trimmed(masked, start, _without_filler(masked, start, left))
    return [(start, end)] if start < end else []


def _belongs(words: Words, part: Range) -> bool:
    """Whether what stands after a comma is more of the same: a place, or another noun."""
    first, after = part
    length = after - first
    if not 0 < length <= 6:
        return False
    if length > 1 and words.low[first] in ("in", "at") and words.tags[first + 1] == "U":
        return True
    return words.tags[first] not in ("R", "C", "S", "P", "I", "X", "V") and not has_verb(words, first, after)


def has_verb(words: Words, first: int, after: int) -> bool:
    tags = words.tags[first:after]
    return "X" in tags or "I" in tags


def attribute_slot(tokens: Sequence[Token]) -> str:
    """The slot that a label names: "my membership number"."""
    return slot_of(
        [token.low for token in tokens if token.low not in ("my", "our", "the", "new", "a", "current")]
    )
