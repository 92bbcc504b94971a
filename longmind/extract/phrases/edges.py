"""What ends a value, and what trails it without belonging to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from longmind.extract.patterns import pattern
from longmind.when.mentions import find_mention, mention_at

Spans: TypeAlias = list[tuple[int, int]]
Reader: TypeAlias = Callable[[str, int, int], Spans | None]
"""Given a text and a range, the spans of the value or values that begin at the range's start, or None."""

CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w'\u2019.&+-]*"
"""A word that begins with a capital, in any script that has them."""

DEICTIC = frozenset(
    "me us they're they've he's she's it'll that's there's you're you your yours u ur this that these "
    "those it its it's here there him his her hers them their theirs they he she one ones both everything "
    "nothing something anything someone anyone everyone everybody nobody whatever yourself itself things "
    "thing stuff same idea way what how why another others such option options version versions".split()
)
"""Words that mean nothing away from the conversation they were said in."""

_HARD_MARKS = r";()\[\]\n\ue000!?|/\\*<>{}~=\u2014\u2026\U0001f000-\U0001faff\u2600-\u27bf"
_SOMEBODY = r"(?:i|we|my|he|she|they|our)"
# One set of characters first, which is searched for quickest; and the words by their first letters.
_HARD_STOP = pattern(
    rf"(?-i:[{_HARD_MARKS}:.\s-])(?:(?<=[{_HARD_MARKS}])(?<!\d/)(?!(?<=/)\d)|(?<=:)(?!\d)|(?<=-)-"
    r"|(?<=\.)(?:\.|(?<!\s[A-Z]\.)"
    r"(?<!\b(?-i:[DMS][rst])\.)(?<!\bMrs\.)(?<!\bProf\.)(?=\s|$))|(?<=\s)(?:[-\u2013\u2014]+\s|(?:"
    rf"a(?:lthough|s long as|fter {_SOMEBODY}|nd (?:i|we|my|our|it|that|this|he|she|they|you|his|her|their|so"
    r"|then|now|there|was|am|is|have|had|want|need|would|will|can|could|don't|just|also|hope|wonder|think"
    rf"|the \w+ (?:is|are|was)))|b(?:ecause|ut|tw|y the way|efore {_SOMEBODY})|c(?:ause|uz)|due to"
    r"|e(?:ven though|xcept)|h(?:owever|aha|ands down)|i(?:f|nstead|t's)|lol"
    rf"|o(?:r so|nce {_SOMEBODY})|p(?:lus|eriod)|s(?:o|ince)|th(?:ough|anks to|at(?:'s| is| are| i))"
    r"|un(?:til|less)|wh(?:ile|ereas|ich|o|om|ose|ere|en|enever|ether))(?![\w-])))",
    re.IGNORECASE,
)
_FILLERS = (
    "now", "right now", "at the moment", "these days", "nowadays", "currently", "too", "also", "as well",
    "a lot", "so much", "very much", "a bit", "completely", "totally", "entirely", "altogether",
    "a great deal", "passionately", "anymore", "any more", "any longer", "again", "though", "tbh",
    "to be honest", "honestly", "actually", "myself", "originally", "the most", "the best",
    "more than anything else", "more than anything", "in general", "at all", "much", "btw", "really",
    "lately", "forever", "instead", "please", "thanks", "haha", "lol", "ever", "by now", "especially",
    "for sure", "for now", "still", "already", "alone", "for fun", "as always", "you know", "of course",
    "all the time", "sometimes", "to death", "in particular", "overall", "after all", "from now on",
    "from here on", "for the record",
)  # fmt: skip
_FILLER = pattern(rf"(?:[\s,]+(?:{'|'.join(_FILLERS)})(?!\w)){{1,3}}+[\s,.\"'*_]*$", re.IGNORECASE)
_FILLER_ENDS = frozenset(filler.split()[-1] for filler in _FILLERS)
"""The last words of fillers: most phrases end in none of them."""
_FOLLOW = pattern(
    r"\s*(?:$|[-\u2013,.;:()!?\ue000\u2026\u2014\"'*_\n\U0001f000-\U0001faff\u2600-\u27bf])|\s+(?:and|with"
    r"|but|in|since|for|now|as|because|near|at|on|which|where|who|by|when|so|to|from|after|before|until"
    r"|though|although|these|this|last|next|right|currently|atm|while|or|too|again|anymore|any|permanently|already|after|atm"
    r"|full|part|full-time|part-time|myself|alone|together|originally|during|under|back|about|recently"
    r"|yesterday|today|tomorrow|if|than|that|just|also|almost|over|every|most|then|instead|half|btw|all|not"
    r"|one|two|three|several|years|due|via|within|outside|remotely|a|an|my|our|his|her|their|is|are|was"
    r"|will|the|it|i|we|he|she|they|no|nowadays|tbh|ngl|lol|haha|lmao|imo)(?![\w-])",
    re.IGNORECASE,
)
_BEFORE_TIME = pattern(r"\s(?:just|only|back|sometime|early|late|or so|for|from|until)\s*$", re.IGNORECASE)
_BLANKS = pattern(r"\s+")
_INITIALS = pattern(r"\b[A-Z]\.[A-Z]\.$")
_ENTRY_WORD = pattern(r"[^\s,;:!?()]+")
_AFTER_WORD = " ,.\"'*_"
_TRIMMED = " ,.\"'*_\u201c\u201d\u00ab\u00bb"

_OPENED_BY = {'"': '"', "\u201d": "\u201c", "\u00bb": "\u00ab", "'": " '"}


def extent(text: str, start: int, end: int) -> int:
    """Where a free phrase that begins at `start` must stop."""
    match = _HARD_STOP.search(text, start, end)
    return match.start() if match else end


def may_follow(text: str, stop: int, end: int) -> bool:
    """Whether what comes at `stop` leaves the phrase before it whole, rather than going on with it."""
    return _FOLLOW.match(text, stop, end) is not None or time_follows(text, stop, end)


def time_follows(text: str, stop: int, end: int) -> bool:
    """Whether a time phrase comes at `stop`."""
    after = _BLANKS.match(text, stop, end)
    return after is not None and mention_at(text, after.end(), end) is not None


def last_word(text: str, start: int, end: int) -> str:
    """The last word between the two positions in lower case, whatever blanks and marks come after it."""
    while end > start and (text[end - 1] in _AFTER_WORD or text[end - 1].isspace()):
        end -= 1
    begin = max(text.rfind(" ", start, end) + 1, start)
    if not text[begin:end].isalpha():  # as nearly every word is, from one blank to the next
        begin = end
    while begin > start and text[begin - 1].isalpha():
        begin -= 1
    return text[begin:end].lower()


def without_tail(text: str, start: int, end: int) -> int:
    """The end of a phrase without the time phrases and fillers that trail it."""
    for _ in range(4):
        before = end
        if last_word(text, start, end) in _FILLER_ENDS:
            filler = _FILLER.search(text, max(start, end - 60), end)
            end = end if filler is None else filler.start()
        position = start
        while (mention := find_mention(text, position, end)) is not None:
            if not text[mention.end : end].strip(" ,.!"):
                end = mention.start
                if (lead := _BEFORE_TIME.search(text, max(start, end - 12), end)) is not None:
                    end = lead.start()
                break
            position = mention.end
        while end > start and text[end - 1] in " ,":
            end -= 1
        if end == before:
            break
    return end


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without blanks, quotation marks and stops at its edges; "D.C." keeps its last one."""
    while start < end and text[start] in _TRIMMED:
        start += 1
    while end > start and text[end - 1] in _TRIMMED:
        if text[end - 1] in _OPENED_BY and _OPENED_BY[text[end - 1]] in text[start : end - 1]:
            break
        if text[end - 1] == "." and _INITIALS.search(text[start:end]):
            break
        end -= 1
    return start, end


def known_entry(text: str, start: int, end: int, entries: frozenset[str]) -> int | None:
    """Where the longest of `entries` that begins at `start` ends, at most four words on."""
    for candidate in _entries_at(text, start, end):
        if candidate in entries:
            return start + len(candidate)
    return None


@lru_cache(maxsize=16)  # several lists are asked for one place, one after the other
def _entries_at(text: str, start: int, end: int) -> tuple[str, ...]:
    """The words from `start` on that may be an entry of a list, longest first."""
    words = islice(_ENTRY_WORD.finditer(text, start, min(end, start + 60)), 4)
    return tuple(text[start : word.end()].lower().rstrip(".'\"") for word in words)[::-1]
