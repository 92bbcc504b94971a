"""Sentences without a verb that still tell something: "Allergies: walnuts", "Dentist on Thursday at 10"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from longmind.extract.instructions import find_wish
from longmind.extract.kin import COUNTED, relation_in
from longmind.extract.open_extraction import attribute_slot
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import trimmed, without_tail
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.short_names import OTHER_FORMS
from longmind.extract.subjects import About, Scene
from longmind.extract.tokens import INTERJECTIONS, Token
from longmind.extract.words import Words
from longmind.when.mentions import Mention, find_mention

_NO_LABEL: Final = frozenset(
    "example examples note notes question answer subject re fwd title chapter section step figure table todo "
    "warning error output input code prompt draft text story poem song quote like following here lyrics ps "
    "q a result results edit update fyi tip idea ideas conclusion summary abstract background methods "
    "objective objectives introduction context present thing thoughts news".split()
)
_PAIR: Final = pattern(
    r"(?:(?:and|the|my|our|with) )?(?P<name>[A-Za-z][a-z-]*(?: [a-z][a-z-]*)?) (?:is |= ?|: ?|no\.? |"
    r"number )?"
    r"(?P<value>(?=[^\s]*[\dA-Z#@])(?:[^\s,;]|,(?=\d))+(?: [^\s,;]+){0,4})$"
)
_MARKED: Final = pattern(r"[\dA-Z#@]")
"""What tells a value from a word: one of these stands in every pair."""
_DIGIT: Final = pattern(r"\d")
_NUMBERED: Final = frozenset(
    "page ticket step chapter note item issue task part section question point line row slide exercise "
    "problem figure table episode lesson unit round phase volume".split()
)
"""What is numbered in a text or a list: "ticket 4512" says nothing of who writes it."""
_NO_PAIR: Final = frozenset(
    "at on in for to from by with of about until since around over under near between first second third "
    "next last this that these those a an the is was and or but so if not no yes mostly maybe "
    "every each all only what which who whose some any little plenty her his their its your "
    "how why when where like such especially including particularly namely versus vs".split()
)
_SPOKEN: Final = INTERJECTIONS | frozenset(
    "that that's this it it's so you what i'm we he she they sounds agreed definitely absolutely exactly "
    "glad mm mmm oof ouch dang gotcha later bye doing way just yea yess "
    "happy looking how why who when where let's yay ooh aw aww hope can't couldn't such".split()
)
"""What somebody says after their own name in a transcript; no value begins so."""
_SPEECH: Final = pattern(r"!$|\b(?:you|your|yourself|i'll|will do|take care|going to|gonna)\b", re.IGNORECASE)
"""What is said, and stands in no note."""
_NONE: Final = pattern(r"no (?P<what>[a-z][\w' -]{2,60})$", re.IGNORECASE)
_NOT_A: Final = pattern(r"not (?P<what>an? [\w' -]{3,40})$", re.IGNORECASE)
_COUNTED: Final = pattern(
    r"(?P<value>(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|a) (?:older |younger |little |"
    r"big |grown |"
    r"teenage |twin )?(?P<noun>[a-z]+?)s?)$",
    re.IGNORECASE,
)
_NAMES_NO_TIME: Final = pattern(r"[^\W\d_]{3,}")


def find_in_fragment(words: Words, span: Range, scene: Scene) -> Iterator[RuleMatch]:
    """What a sentence says in which no verb was found."""
    speaker = scene.speaker
    own = words.within(span)
    colon = own.texts.index(":") if ":" in own.texts[:9] else 0
    if 0 < colon < own.count - 1:
        yield from _labelled(words, own, colon, span, scene)
        return
    if speaker is None or not own.count:
        return
    wish = find_wish(words, speaker, span)
    if wish is not None:
        yield wish
        return
    start, end = trimmed(words.masked, *span)
    text = words.masked[start:end]
    none = _NONE.match(text.split(",")[0]) if "no" in own.lows else None
    if none is not None:
        value = (start + none.start("what"), without_tail(words.masked, start, start + none.end("what")))
        yield RuleMatch(speaker, "has", value, (start, end), "none", polarity=False, free=True)
        return
    other = _NOT_A.match(text.split(",")[0]) if "not" in own.lows else None
    if other is not None:
        value = (start + other.start("what"), start + other.end("what"))
        yield RuleMatch(speaker, "is", value, (start, end), "not_a", polarity=False, free=True)
        return
    if _DIGIT.search(words.masked, start, end) is not None:
        pairs = list(find_pairs(words, (start, end), About(speaker, "speaker"), (start, end), first=True))
        if pairs and _DIGIT.search(words.masked, *pairs[0].value):
            yield from pairs
            return
        pair = pair_in(words.masked, (start, end))
        if pair is not None and _DIGIT.search(words.masked, *pair[1]):
            yield RuleMatch(speaker, pair[0], pair[1], (start, end), "attribute", free=True, one=True)
            return
    yield from _event(words, (start, end), speaker)


def _event(words: Words, span: Range, speaker: str) -> Iterator[RuleMatch]:
    """An appointment: what and when, and maybe where."""
    if words.count > 24:
        return
    when = find_mention(words.masked, *span)
    if when is None or when.kind in ("past", "length", "repeated"):
        return
    before = words.masked[span[0] : when.start]
    if _NAMES_NO_TIME.search(before) is None or when.start - span[0] < 3:
        return
    yield RuleMatch(speaker, "event", span, span, "event", when=when[:2], free=True)


def _labelled(words: Words, own: Words, colon: int, span: Range, scene: Scene) -> Iterator[RuleMatch]:
    label = own.tokens(0, colon)
    if (
        label[-1].low in _NO_LABEL
        or label[0].low in _NO_LABEL
        or any(t.tag in ("I", "X") and t.low != "'s" for t in label)
    ):
        return
    cut = next((i for i, t in enumerate(label) if t.tag == "P" and i > 0), len(label))
    head = label[:cut]
    if head[
        -1
    ].text.isdigit():  # "note 7 of 9", "room 12": a number of a text or a place, and nothing of theirs
        return
    about = _owner(head, scene)
    if about is None or (len(head) == 1 and _speaks(words.masked, head[0], (own.starts[colon + 1], span[1]))):
        return
    whole = (own.starts[0], span[1])
    for number, piece in enumerate(_pieces(own, colon + 1)):
        if number and about.attribute is not None and find_mention(words.masked, *piece) is None:
            break
        start, end = trimmed(words.masked, piece[0], piece[1])
        if start >= end:
            continue
        if words.masked[start:end].split()[0].lower().strip(",!.") in _SPOKEN:
            return
        pair = pair_in(words.masked, (start, end))
        if pair is not None and (about.attribute is None or number):
            yield RuleMatch(
                about.key, pair[0], pair[1], whole, "pair", free=True, one=True, names=about.names
            )
        elif about.attribute is not None:
            when = find_mention(words.masked, start, end)
            repeated = when is not None and when.kind == "repeated"
            stop = end if repeated else without_tail(words.masked, start, end)
            value = (start, stop) if stop > start else (start, end)
            yield RuleMatch(
                about.key, about.attribute, value, whole, "label", when=None if when is None else when[:2],
                free=True, one=True, names=about.names,
            )  # fmt: skip
    if about.attribute is not None:
        yield from find_pairs(words, (own.end(colon), span[1]), about, whole)


def _speaks(masked: str, label: Token, said: Range) -> bool:
    """ "Gina: Believe in yourself!": in a transcript the label is who speaks, and not what is told."""
    if not label.text.istitle():
        return False
    if label.low in OTHER_FORMS and _DIGIT.search(masked, *said) is None:
        return True  # "Emily: 0171 555 2290" is a number, and hers
    return _SPEECH.search(masked, *said) is not None


def _pieces(words: Words, first: int) -> list[Range]:
    pieces: list[Range] = []
    begin = first
    for at in range(first, words.count + 1):
        if at == words.count or words.texts[at] in (",", ";"):
            if at > begin:
                pieces.append(words.span(begin, at))
            begin = at + 1
    return pieces


def _owner(head: Sequence[Token], scene: Scene) -> About | None:
    """Whose the labelled thing is: "my mobile", "Pascal's rent", "Project Sandpiper", plain "Allergies"."""
    if not head or head[0].tag == "M":
        return None  # "4 shifts as follows: ..." tells of no such thing
    lows = [token.low for token in head]
    if "'s" in lows and head[0].text[:1].isupper():
        return scene.of_name(head)
    if lows[0] in ("my", "our") or (
        scene.speaker is not None and not all(t.text[:1].isupper() for t in head[:2])
    ):
        slot = attribute_slot(head)
        if scene.speaker is None or not slot or len(head) > 5:
            return None
        return About(scene.speaker, "speaker", attribute=slot)
    if len(head) == 1 and scene.speaker is not None:
        return About(scene.speaker, "speaker", attribute=attribute_slot(head))
    return scene.of_name(head)


def is_listing(words: Words, span: Range) -> bool:
    """ "Project Sandpiper: budget 60,000, deadline 15 May": a label, and then nouns with their values."""
    if ":" not in words.masked[span[0] : span[1]]:
        return False
    colon = words.texts.index(":") if ":" in words.texts[:6] else 0
    if colon == 0 or not words.texts[0][:1].isupper():
        return False
    if "X" in words.tags[colon + 1 :] or "I" in words.tags[colon + 1 :]:
        return False
    pieces = _pieces(words, colon + 1)
    return len(pieces) > 1 and sum(pair_in(words.masked, piece) is not None for piece in pieces) > 1


def pair_in(masked: str, span: Range) -> tuple[str, Range] | None:
    """A noun and its value: "deadline 15 November", "door code 7731"."""
    if _MARKED.search(masked, *span) is None:
        return None
    match = _PAIR.match(masked[span[0] : span[1]])
    if match is None or any(word in _NO_PAIR for word in match.group("name").lower().split()):
        return None
    if match.start("name") and match.group("name")[0].isupper():
        return None  # "and the New Yorker"
    if match.group("value").isdigit() and match.group("name").lower().split()[-1] in _NUMBERED:
        return None
    slot = re.sub(r"\W", "_", match.group("name").lower())
    return slot, (span[0] + match.start("value"), span[0] + match.end("value"))


def find_pairs(
    words: Words, span: Range, about: About, whole: Range, *, first: bool = False
) -> Iterator[RuleMatch]:
    """Further things of the same owner after commas: "..., door code 7731"; with `first`, from the start."""
    if words.masked.find(",", *span) < 0 and words.masked.find(";", *span) < 0:
        return
    begin = span[0]
    for at in (
        *[m.start() + span[0] for m in re.finditer(r"[,;]", words.masked[span[0] : span[1]])],
        span[1],
    ):
        start, end = trimmed(words.masked, begin, at)
        pair = pair_in(words.masked, (start, end)) if (first or begin > span[0]) and start < end else None
        if pair is not None and (first or words.masked[start].islower()):
            yield RuleMatch(
                about.key, pair[0], pair[1], whole, "pair", free=True, one=True, names=about.names
            )
        begin = at + 1


def find_relatives(words: Words, span: Range, speaker: str) -> Iterator[RuleMatch]:
    """Relatives that are only counted: "two older brothers, two younger sisters"."""
    if COUNTED.isdisjoint(words.lows):
        return
    begin = span[0]
    for at in (
        *[m.start() + span[0] for m in re.finditer(r"[,;:]|\band\b", words.masked[span[0] : span[1]])],
        span[1],
    ):
        start, end = trimmed(words.masked, begin, at)
        match = _COUNTED.match(words.masked[start:end]) if start < end else None
        if match is not None and relation_in([match.group("noun").lower()]) is not None:
            value = (start + match.start("value"), start + match.end("value"))
            yield RuleMatch(speaker, "has_relative", value, span, "counted")
        begin = at + (3 if words.masked.startswith("and", at) else 1)


def time_of(words: Words, span: Range) -> Mention | None:
    return find_mention(words.masked, *span)
